/* The functions of FMI 2.0: Model Exchange and Co-Simulation. */
#include "KT_NAME_fmu.h"

#include <stddef.h>

#if defined FMI2_FUNCTION_PREFIX
#define PASTED(a, b) a##b
#define JOINED(a, b) PASTED(a, b)
#define NAME(f) JOINED(FMI2_FUNCTION_PREFIX, f)
#else
#define NAME(f) f
#endif
#if defined _WIN32
#define API __declspec(dllexport)
#elif defined __GNUC__
#define API __attribute__((visibility("default")))
#else
#define API
#endif

typedef enum { OK, WARNING, DISCARD, ERROR, FATAL, PENDING } Status;
typedef enum { MODEL_EXCHANGE, CO_SIMULATION } Kind;
typedef enum { DO_STEP, PENDING_TEXT, LAST_TIME, TERMINATED_BY_MODEL } Asked;
typedef void *Instance;
typedef const char *String;
typedef unsigned int Ref;
typedef void (*Logger)(void *environment, String name, Status status, String category,
                       String message, ...);

typedef struct Callbacks {
    Logger logger;
    void *(*allocate)(size_t count, size_t size);
    void (*release)(void *place);
    void (*finished)(void *environment, Status status);
    void *environment;
} Callbacks;

typedef struct EventInfo {
    int again, terminate, nominals, values, next_defined;
    double next;
} EventInfo;

static Status said(const instance *m, Status status, String text)
{
    if (m && m->logger)
        ((Logger)m->logger)(m->environment, m->name, status,
                            status == OK ? "info" : "logStatusError", "%s", text);
    return status;
}

static Status told(const instance *m, int result)
{
    if (result == NO_VALUE)
        return said(m, DISCARD, NO_VALUE_TEXT);
    return result == NO_REFERENCE ? said(m, ERROR, NO_REFERENCE_TEXT) : OK;
}

static Status entered(instance *m, int allowed, int mode)
{
    if (!allowed)
        return said(m, ERROR, WRONG_MODE_TEXT);
    m->mode = mode;
    return OK;
}

/* --- instances --------------------------------------------------------------------------------- */

API String NAME(fmi2GetTypesPlatform)(void)
{
    return "default";
}

API String NAME(fmi2GetVersion)(void)
{
    return "2.0";
}

API Status NAME(fmi2SetDebugLogging)(Instance i, int on, size_t n, const String names[])
{
    (void)i, (void)on, (void)n, (void)names;
    return OK;
}

API Instance NAME(fmi2Instantiate)(String name, Kind kind, String token, String resources,
                                   const Callbacks *callbacks, int visible, int logging)
{
    instance *m;
    (void)resources, (void)visible, (void)logging;
    if (!token || strcmp(token, TOKEN) != 0) {
        if (callbacks && callbacks->logger)
            callbacks->logger(callbacks->environment, name, ERROR, "logStatusError",
                              "the GUID is not that of this model: description and code differ");
        return NULL;
    }
    m = made(name, kind == CO_SIMULATION, callbacks ? callbacks->environment : NULL);
    if (m && callbacks)
        m->logger = (void (*)(void))callbacks->logger;
    return m;
}

API void NAME(fmi2FreeInstance)(Instance i)
{
    unmade((instance *)i);
}

/* --- modes ------------------------------------------------------------------------------------- */

API Status NAME(fmi2SetupExperiment)(Instance i, int tolerance_defined, double tolerance,
                                     double start, int stop_defined, double stop)
{
    instance *m = (instance *)i;
    (void)stop_defined, (void)stop;
    if (m->mode == INSTANTIATED)
        starts(m, tolerance_defined, tolerance, start);
    return entered(m, m->mode == INSTANTIATED, INSTANTIATED);
}

API Status NAME(fmi2EnterInitializationMode)(Instance i)
{
    instance *m = (instance *)i;
    return entered(m, m->mode == INSTANTIATED, INITIALISING);
}

API Status NAME(fmi2ExitInitializationMode)(Instance i)
{
    instance *m = (instance *)i;
    if (m->mode == INITIALISING && KT_NAME_project(&m->system))
        return said(m, ERROR, NO_VALUE_TEXT);
    return entered(m, m->mode == INITIALISING, m->co_simulation ? STEPPING : EVENT);
}

API Status NAME(fmi2EnterEventMode)(Instance i)
{
    instance *m = (instance *)i;
    return entered(m, m->mode == CONTINUOUS || m->mode == EVENT, EVENT);
}

API Status NAME(fmi2EnterContinuousTimeMode)(Instance i)
{
    instance *m = (instance *)i;
    return entered(m, m->mode == EVENT, CONTINUOUS);
}

API Status NAME(fmi2Terminate)(Instance i)
{
    return entered((instance *)i, 1, TERMINATED);
}

API Status NAME(fmi2Reset)(Instance i)
{
    reset((instance *)i);
    return OK;
}

/* --- values ------------------------------------------------------------------------------------ */

API Status NAME(fmi2GetReal)(Instance i, const Ref refs[], size_t n, double values[])
{
    instance *m = (instance *)i;
    return told(m, get_values(m, refs, n, values));
}

API Status NAME(fmi2SetReal)(Instance i, const Ref refs[], size_t n, const double values[])
{
    instance *m = (instance *)i;
    return told(m, set_values(m, refs, n, values));
}

/* The model has no variables of other types: asking for none is right, for one an error. */
#define NO_TYPE(NAMED, TYPE)                                                                       \
    API Status NAME(fmi2Get##NAMED)(Instance i, const Ref refs[], size_t n, TYPE values[])         \
    {                                                                                              \
        (void)refs, (void)values;                                                                  \
        return told((instance *)i, n ? NO_REFERENCE : GOOD);                                       \
    }                                                                                              \
    API Status NAME(fmi2Set##NAMED)(Instance i, const Ref refs[], size_t n, const TYPE values[])   \
    {                                                                                              \
        (void)refs, (void)values;                                                                  \
        return told((instance *)i, n ? NO_REFERENCE : GOOD);                                       \
    }

NO_TYPE(Integer, int)
NO_TYPE(Boolean, int)
NO_TYPE(String, String)

/* --- states kept ------------------------------------------------------------------------------- */

API Status NAME(fmi2GetFMUstate)(Instance i, void **state)
{
    instance *m = (instance *)i;
    free(*state); /* a state given along is renewed */
    *state = copied(m);
    return *state ? OK : said(m, ERROR, "no memory is left");
}

API Status NAME(fmi2SetFMUstate)(Instance i, void *state)
{
    put_back((instance *)i, (const kept *)state);
    return OK;
}

API Status NAME(fmi2FreeFMUstate)(Instance i, void **state)
{
    (void)i;
    if (state) {
        free(*state);
        *state = NULL;
    }
    return OK;
}

API Status NAME(fmi2SerializedFMUstateSize)(Instance i, void *state, size_t *size)
{
    (void)i, (void)state;
    *size = sizeof(kept);
    return OK;
}

API Status NAME(fmi2SerializeFMUstate)(Instance i, void *state, char bytes[], size_t size)
{
    if (size < sizeof(kept))
        return said((instance *)i, ERROR, "the buffer is too small for a state");
    memcpy(bytes, state, sizeof(kept));
    return OK;
}

API Status NAME(fmi2DeSerializeFMUstate)(Instance i, const char bytes[], size_t size, void **state)
{
    *state = unpacked(bytes, size);
    return *state ? OK : said((instance *)i, ERROR, "this is not a state of this model");
}

API Status NAME(fmi2GetDirectionalDerivative)(Instance i, const Ref unknowns[], size_t n,
                                              const Ref knowns[], size_t k, const double seeds[],
                                              double found[])
{
    instance *m = (instance *)i;
    return told(m, directional(m, unknowns, n, knowns, k, seeds, found));
}

/* --- Model Exchange ---------------------------------------------------------------------------- */

API Status NAME(fmi2NewDiscreteStates)(Instance i, EventInfo *info)
{
    instance *m = (instance *)i;
    int moved, result;
    if (m->mode != EVENT)
        return said(m, ERROR, WRONG_MODE_TEXT);
    result = settled(m, &moved);
    memset(info, 0, sizeof *info);
    info->values = moved;
    return result == GOOD ? OK : said(m, ERROR, NO_VALUE_TEXT);
}

API Status NAME(fmi2CompletedIntegratorStep)(Instance i, int no_return, int *event, int *terminate)
{
    instance *m = (instance *)i;
    (void)no_return;
    *terminate = 0;
    *event = KT_NAME_PROJECTS && !(KT_NAME_drift(&m->system) <= m->tolerance);
    return OK;
}

API Status NAME(fmi2SetTime)(Instance i, double t)
{
    instance *m = (instance *)i;
    m->system.now.t = t;
    changed(m, 1);
    return OK;
}

API Status NAME(fmi2SetContinuousStates)(Instance i, const double y[], size_t n)
{
    if (n != KT_NAME_STATES)
        return told((instance *)i, NO_REFERENCE);
    set_y((instance *)i, y);
    return OK;
}

API Status NAME(fmi2GetContinuousStates)(Instance i, double y[], size_t n)
{
    instance *m = (instance *)i;
    if (n != KT_NAME_STATES)
        return told(m, NO_REFERENCE);
    memcpy(y, m->system.now.y, n*sizeof(double));
    return OK;
}

API Status NAME(fmi2GetDerivatives)(Instance i, double yd[], size_t n)
{
    instance *m = (instance *)i;
    int failed;
    if (n != KT_NAME_STATES)
        return told(m, NO_REFERENCE);
    failed = KT_NAME_evaluate(&m->system);
    memcpy(yd, m->system.yd, n*sizeof(double));
    return told(m, failed ? NO_VALUE : GOOD);
}

API Status NAME(fmi2GetEventIndicators)(Instance i, double g[], size_t n)
{
    instance *m = (instance *)i;
    if (n != KT_NAME_EVENTS)
        return told(m, NO_REFERENCE);
    (void)KT_NAME_evaluate(&m->system);
    memcpy(g, m->system.g, n*sizeof(double));
    return OK;
}

API Status NAME(fmi2GetNominalsOfContinuousStates)(Instance i, double nominals[], size_t n)
{
    size_t k;
    (void)i;
    for (k = 0; k < n; k++)
        nominals[k] = 1.0;
    return OK;
}

/* --- Co-Simulation ----------------------------------------------------------------------------- */

API Status NAME(fmi2DoStep)(Instance i, double t, double h, int no_return)
{
    instance *m = (instance *)i;
    (void)no_return;
    if (m->mode != STEPPING)
        return said(m, ERROR, WRONG_MODE_TEXT);
    m->system.now.t = t;
    changed(m, 1);
    return KT_NAME_advance(&m->system, t + h) ? said(m, ERROR, NO_VALUE_TEXT) : OK;
}

API Status NAME(fmi2CancelStep)(Instance i)
{
    return said((instance *)i, ERROR, "a step is finished when its call returns");
}

API Status NAME(fmi2SetRealInputDerivatives)(Instance i, const Ref refs[], size_t n,
                                             const int orders[], const double values[])
{
    (void)refs, (void)orders, (void)values;
    return told((instance *)i, n ? NO_REFERENCE : GOOD);
}

API Status NAME(fmi2GetRealOutputDerivatives)(Instance i, const Ref refs[], size_t n,
                                              const int orders[], double values[])
{
    (void)refs, (void)orders, (void)values;
    return told((instance *)i, n ? NO_REFERENCE : GOOD);
}

API Status NAME(fmi2GetRealStatus)(Instance i, Asked asked, double *value)
{
    if (asked != LAST_TIME)
        return DISCARD;
    *value = ((instance *)i)->system.now.t;
    return OK;
}

API Status NAME(fmi2GetBooleanStatus)(Instance i, Asked asked, int *value)
{
    (void)i;
    if (asked != TERMINATED_BY_MODEL)
        return DISCARD;
    *value = 0;
    return OK;
}

API Status NAME(fmi2GetStatus)(Instance i, Asked asked, Status *value)
{
    (void)i, (void)asked, (void)value;
    return DISCARD;
}

API Status NAME(fmi2GetIntegerStatus)(Instance i, Asked asked, int *value)
{
    (void)i, (void)asked, (void)value;
    return DISCARD;
}

API Status NAME(fmi2GetStringStatus)(Instance i, Asked asked, String *value)
{
    (void)i, (void)asked, (void)value;
    return DISCARD;
}
