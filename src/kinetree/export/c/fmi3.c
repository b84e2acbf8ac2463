/* The functions of FMI 3.0: Model Exchange and Co-Simulation. */
#include "KT_NAME_fmu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined FMI3_FUNCTION_PREFIX
#define PASTED(a, b) a##b
#define JOINED(a, b) PASTED(a, b)
#define NAME(f) JOINED(FMI3_FUNCTION_PREFIX, f)
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

typedef enum { OK, WARNING, DISCARD, ERROR, FATAL } Status;
typedef void *Instance;
typedef const char *String;
typedef uint32_t Ref;
typedef void (*Logger)(void *environment, Status status, String category, String message);

static Status said(const instance *m, Status status, String text)
{
    if (m && m->logger)
        ((Logger)m->logger)(m->environment, status, status == OK ? "info" : "logStatusError", text);
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

API String NAME(fmi3GetVersion)(void)
{
    return "3.0";
}

API Status NAME(fmi3SetDebugLogging)(Instance i, bool on, size_t n, const String names[])
{
    (void)i, (void)on, (void)n, (void)names;
    return OK;
}

static Instance instantiated(String name, String token, int co_simulation, void *environment,
                             Logger logger)
{
    instance *m;
    if (!token || strcmp(token, TOKEN) != 0) {
        if (logger)
            logger(environment, ERROR, "logStatusError",
                   "the instantiation token is not that of this model: description and code differ");
        return NULL;
    }
    m = made(name, co_simulation, environment);
    if (m)
        m->logger = (void (*)(void))logger;
    return m;
}

API Instance NAME(fmi3InstantiateModelExchange)(String name, String token, String resources,
                                                bool visible, bool logging, void *environment,
                                                Logger logger)
{
    (void)resources, (void)visible, (void)logging;
    return instantiated(name, token, 0, environment, logger);
}

API Instance NAME(fmi3InstantiateCoSimulation)(String name, String token, String resources,
                                               bool visible, bool logging, bool events, bool early,
                                               const Ref needed[], size_t n, void *environment,
                                               Logger logger, void (*update)(void))
{
    (void)resources, (void)visible, (void)logging, (void)events, (void)early, (void)needed;
    (void)n, (void)update;
    return instantiated(name, token, 1, environment, logger);
}

API Instance NAME(fmi3InstantiateScheduledExecution)(String name, String token, String resources,
                                                     bool visible, bool logging, void *environment,
                                                     Logger logger, void (*clock)(void),
                                                     void (*lock)(void), void (*unlock)(void))
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)clock;
    (void)lock, (void)unlock;
    if (logger)
        logger(environment, ERROR, "logStatusError", "this model has no scheduled execution");
    return NULL;
}

API void NAME(fmi3FreeInstance)(Instance i)
{
    unmade((instance *)i);
}

/* --- modes ------------------------------------------------------------------------------------- */

API Status NAME(fmi3EnterInitializationMode)(Instance i, bool tolerance_defined, double tolerance,
                                             double start, bool stop_defined, double stop)
{
    instance *m = (instance *)i;
    (void)stop_defined, (void)stop;
    if (m->mode == INSTANTIATED)
        starts(m, tolerance_defined, tolerance, start);
    return entered(m, m->mode == INSTANTIATED, INITIALISING);
}

API Status NAME(fmi3ExitInitializationMode)(Instance i)
{
    instance *m = (instance *)i;
    if (m->mode == INITIALISING && KT_NAME_project(&m->system))
        return said(m, ERROR, NO_VALUE_TEXT);
    return entered(m, m->mode == INITIALISING, m->co_simulation ? STEPPING : EVENT);
}

API Status NAME(fmi3EnterEventMode)(Instance i)
{
    instance *m = (instance *)i;
    return entered(m, m->mode == CONTINUOUS || m->mode == EVENT, EVENT);
}

API Status NAME(fmi3EnterContinuousTimeMode)(Instance i)
{
    instance *m = (instance *)i;
    return entered(m, m->mode == EVENT && !m->co_simulation, CONTINUOUS);
}

API Status NAME(fmi3EnterStepMode)(Instance i)
{
    instance *m = (instance *)i;
    return entered(m, m->co_simulation && m->mode == STEPPING, STEPPING);
}

API Status NAME(fmi3Terminate)(Instance i)
{
    return entered((instance *)i, 1, TERMINATED);
}

API Status NAME(fmi3Reset)(Instance i)
{
    reset((instance *)i);
    return OK;
}

/* --- values ------------------------------------------------------------------------------------ */

API Status NAME(fmi3GetFloat64)(Instance i, const Ref refs[], size_t n, double values[], size_t k)
{
    instance *m = (instance *)i;
    return told(m, k == n ? get_values(m, refs, n, values) : NO_REFERENCE);
}

API Status NAME(fmi3SetFloat64)(Instance i, const Ref refs[], size_t n, const double values[],
                                size_t k)
{
    instance *m = (instance *)i;
    return told(m, k == n ? set_values(m, refs, n, values) : NO_REFERENCE);
}

/* The model has no variables of other types: asking for none is right, for one an error. */
#define NO_TYPE(NAMED, TYPE)                                                                       \
    API Status NAME(fmi3Get##NAMED)(Instance i, const Ref refs[], size_t n, TYPE values[],         \
                                    size_t k)                                                      \
    {                                                                                              \
        (void)refs, (void)values, (void)k;                                                         \
        return told((instance *)i, n ? NO_REFERENCE : GOOD);                                       \
    }                                                                                              \
    API Status NAME(fmi3Set##NAMED)(Instance i, const Ref refs[], size_t n, const TYPE values[],   \
                                    size_t k)                                                      \
    {                                                                                              \
        (void)refs, (void)values, (void)k;                                                         \
        return told((instance *)i, n ? NO_REFERENCE : GOOD);                                       \
    }

NO_TYPE(Float32, float)
NO_TYPE(Int8, int8_t)
NO_TYPE(UInt8, uint8_t)
NO_TYPE(Int16, int16_t)
NO_TYPE(UInt16, uint16_t)
NO_TYPE(Int32, int32_t)
NO_TYPE(UInt32, uint32_t)
NO_TYPE(Int64, int64_t)
NO_TYPE(UInt64, uint64_t)
NO_TYPE(Boolean, bool)
NO_TYPE(String, String)

API Status NAME(fmi3GetBinary)(Instance i, const Ref refs[], size_t n, size_t sizes[],
                               const uint8_t *values[], size_t k)
{
    (void)refs, (void)sizes, (void)values, (void)k;
    return told((instance *)i, n ? NO_REFERENCE : GOOD);
}

API Status NAME(fmi3SetBinary)(Instance i, const Ref refs[], size_t n, const size_t sizes[],
                               const uint8_t *const values[], size_t k)
{
    (void)refs, (void)sizes, (void)values, (void)k;
    return told((instance *)i, n ? NO_REFERENCE : GOOD);
}

/* --- states kept ------------------------------------------------------------------------------- */

API Status NAME(fmi3GetFMUState)(Instance i, void **state)
{
    instance *m = (instance *)i;
    free(*state); /* a state given along is renewed */
    *state = copied(m);
    return *state ? OK : said(m, ERROR, "no memory is left");
}

API Status NAME(fmi3SetFMUState)(Instance i, void *state)
{
    put_back((instance *)i, (const kept *)state);
    return OK;
}

API Status NAME(fmi3FreeFMUState)(Instance i, void **state)
{
    (void)i;
    if (state) {
        free(*state);
        *state = NULL;
    }
    return OK;
}

API Status NAME(fmi3SerializedFMUStateSize)(Instance i, void *state, size_t *size)
{
    (void)i, (void)state;
    *size = sizeof(kept);
    return OK;
}

API Status NAME(fmi3SerializeFMUState)(Instance i, void *state, uint8_t bytes[], size_t size)
{
    if (size < sizeof(kept))
        return said((instance *)i, ERROR, "the buffer is too small for a state");
    memcpy(bytes, state, sizeof(kept));
    return OK;
}

API Status NAME(fmi3DeserializeFMUState)(Instance i, const uint8_t bytes[], size_t size,
                                         void **state)
{
    *state = unpacked(bytes, size);
    return *state ? OK : said((instance *)i, ERROR, "this is not a state of this model");
}

/* --- derivatives ------------------------------------------------------------------------------- */

API Status NAME(fmi3GetDirectionalDerivative)(Instance i, const Ref unknowns[], size_t n,
                                              const Ref knowns[], size_t k, const double seeds[],
                                              size_t n_seeds, double found[], size_t n_found)
{
    instance *m = (instance *)i;
    if (n_seeds != k || n_found != n)
        return told(m, NO_REFERENCE);
    return told(m, directional(m, unknowns, n, knowns, k, seeds, found));
}

static int adjoint(instance *m, const Ref *unknowns, size_t n, const Ref *knowns, size_t k,
                   const double *seeds, double *found)
{
#if ADJOINT
    double weights[KT_NAME_STATES + KT_NAME_OUTPUTS + KT_NAME_EVENTS + 1] = {0.0};
    double bars[SEED_END], direct[SEED_END] = {0.0};
    const KT_NAME_state *now = &m->system.now;
    double *yd = weights, *out = yd + KT_NAME_STATES, *g = out + KT_NAME_OUTPUTS;
    int status = GOOD;
    size_t i;
    for (i = 0; i < n; i++) {
        const int place = found_of(unknowns[i]), same = seed_of(unknowns[i]);
        if (place >= 0)
            weights[place] += seeds[i];
        else if (same >= 0)
            direct[same] += seeds[i]; /* a state or an input that is an output, too */
        else
            return NO_REFERENCE;
    }
    KT_CALL_ADJOINT;
    (void)out;
    (void)g;
    for (i = 0; i < k; i++) {
        const int place = seed_of(knowns[i]);
        if (place < 0)
            return NO_REFERENCE;
        found[i] = bars[place] + direct[place];
        if (!isfinite(found[i]))
            status = NO_VALUE;
    }
    return status;
#else
    (void)m, (void)unknowns, (void)n, (void)knowns, (void)k, (void)seeds, (void)found;
    return NO_REFERENCE;
#endif
}

API Status NAME(fmi3GetAdjointDerivative)(Instance i, const Ref unknowns[], size_t n,
                                          const Ref knowns[], size_t k, const double seeds[],
                                          size_t n_seeds, double found[], size_t n_found)
{
    instance *m = (instance *)i;
    if (n_seeds != n || n_found != k)
        return told(m, NO_REFERENCE);
    return told(m, adjoint(m, unknowns, n, knowns, k, seeds, found));
}

/* --- events ------------------------------------------------------------------------------------ */

API Status NAME(fmi3EvaluateDiscreteStates)(Instance i)
{
    (void)i;
    return OK;
}

API Status NAME(fmi3UpdateDiscreteStates)(Instance i, bool *again, bool *terminate, bool *nominals,
                                          bool *values, bool *next_defined, double *next)
{
    instance *m = (instance *)i;
    int moved, result;
    if (m->mode != EVENT)
        return said(m, ERROR, WRONG_MODE_TEXT);
    result = settled(m, &moved);
    *again = *terminate = *nominals = *next_defined = false;
    *next = 0.0;
    *values = moved != 0;
    return result == GOOD ? OK : said(m, ERROR, NO_VALUE_TEXT);
}

/* --- Model Exchange ---------------------------------------------------------------------------- */

API Status NAME(fmi3CompletedIntegratorStep)(Instance i, bool no_return, bool *event,
                                             bool *terminate)
{
    instance *m = (instance *)i;
    (void)no_return;
    *terminate = false;
    *event = KT_NAME_PROJECTS && !(KT_NAME_drift(&m->system) <= m->tolerance);
    return OK;
}

API Status NAME(fmi3SetTime)(Instance i, double t)
{
    instance *m = (instance *)i;
    m->system.now.t = t;
    changed(m, 1);
    return OK;
}

API Status NAME(fmi3SetContinuousStates)(Instance i, const double y[], size_t n)
{
    if (n != KT_NAME_STATES)
        return told((instance *)i, NO_REFERENCE);
    set_y((instance *)i, y);
    return OK;
}

API Status NAME(fmi3GetContinuousStates)(Instance i, double y[], size_t n)
{
    instance *m = (instance *)i;
    if (n != KT_NAME_STATES)
        return told(m, NO_REFERENCE);
    memcpy(y, m->system.now.y, n*sizeof(double));
    return OK;
}

API Status NAME(fmi3GetContinuousStateDerivatives)(Instance i, double yd[], size_t n)
{
    instance *m = (instance *)i;
    int failed;
    if (n != KT_NAME_STATES)
        return told(m, NO_REFERENCE);
    failed = KT_NAME_evaluate(&m->system);
    memcpy(yd, m->system.yd, n*sizeof(double));
    return told(m, failed ? NO_VALUE : GOOD);
}

API Status NAME(fmi3GetEventIndicators)(Instance i, double g[], size_t n)
{
    instance *m = (instance *)i;
    if (n != KT_NAME_EVENTS)
        return told(m, NO_REFERENCE);
    (void)KT_NAME_evaluate(&m->system);
    memcpy(g, m->system.g, n*sizeof(double));
    return OK;
}

API Status NAME(fmi3GetNominalsOfContinuousStates)(Instance i, double nominals[], size_t n)
{
    size_t k;
    (void)i;
    for (k = 0; k < n; k++)
        nominals[k] = 1.0;
    return OK;
}

API Status NAME(fmi3GetNumberOfEventIndicators)(Instance i, size_t *n)
{
    (void)i;
    *n = KT_NAME_EVENTS;
    return OK;
}

API Status NAME(fmi3GetNumberOfContinuousStates)(Instance i, size_t *n)
{
    (void)i;
    *n = KT_NAME_STATES;
    return OK;
}

/* --- Co-Simulation ----------------------------------------------------------------------------- */

API Status NAME(fmi3DoStep)(Instance i, double t, double h, bool no_return, bool *event,
                            bool *terminate, bool *early, double *last)
{
    instance *m = (instance *)i;
    int failed;
    (void)no_return;
    if (m->mode != STEPPING)
        return said(m, ERROR, WRONG_MODE_TEXT);
    *event = *terminate = *early = false;
    m->system.now.t = t;
    changed(m, 1);
    failed = KT_NAME_advance(&m->system, t + h);
    *last = m->system.now.t;
    return failed ? said(m, ERROR, NO_VALUE_TEXT) : OK;
}

/* --- what this model does not have ------------------------------------------------------------- */

API Status NAME(fmi3GetOutputDerivatives)(Instance i, const Ref refs[], size_t n,
                                          const int32_t orders[], double values[], size_t k)
{
    (void)refs, (void)orders, (void)values, (void)k;
    return told((instance *)i, n ? NO_REFERENCE : GOOD);
}

API Status NAME(fmi3GetNumberOfVariableDependencies)(Instance i, Ref ref, size_t *n)
{
    (void)ref, (void)n;
    return said((instance *)i, ERROR, "dependencies are not told");
}

API Status NAME(fmi3GetVariableDependencies)(Instance i, Ref ref, size_t of[], Ref by[],
                                             size_t where[], int kinds[], size_t n)
{
    (void)ref, (void)of, (void)by, (void)where, (void)kinds, (void)n;
    return said((instance *)i, ERROR, "dependencies are not told");
}

API Status NAME(fmi3EnterConfigurationMode)(Instance i)
{
    return said((instance *)i, ERROR, "there is nothing to configure");
}

API Status NAME(fmi3ExitConfigurationMode)(Instance i)
{
    return said((instance *)i, ERROR, "there is nothing to configure");
}

API Status NAME(fmi3ActivateModelPartition)(Instance i, Ref clock, double t)
{
    (void)clock, (void)t;
    return said((instance *)i, ERROR, "this model has no scheduled execution");
}

#define NO_CLOCK(NAMED, A)                                                                         \
    API Status NAME(fmi3##NAMED)(Instance i, const Ref refs[], size_t n, A a)                      \
    {                                                                                              \
        (void)refs, (void)a;                                                                       \
        return told((instance *)i, n ? NO_REFERENCE : GOOD);                                       \
    }
#define NO_CLOCKS(NAMED, A, B)                                                                     \
    API Status NAME(fmi3##NAMED)(Instance i, const Ref refs[], size_t n, A a, B b)                 \
    {                                                                                              \
        (void)refs, (void)a, (void)b;                                                              \
        return told((instance *)i, n ? NO_REFERENCE : GOOD);                                       \
    }

NO_CLOCK(GetClock, bool *)
NO_CLOCK(SetClock, const bool *)
NO_CLOCK(GetShiftDecimal, double *)
NO_CLOCK(SetShiftDecimal, const double *)
NO_CLOCK(SetIntervalDecimal, const double *)
NO_CLOCKS(GetIntervalDecimal, double *, int *)
NO_CLOCKS(GetShiftFraction, uint64_t *, uint64_t *)
NO_CLOCKS(SetShiftFraction, const uint64_t *, const uint64_t *)
NO_CLOCKS(SetIntervalFraction, const uint64_t *, const uint64_t *)

API Status NAME(fmi3GetIntervalFraction)(Instance i, const Ref refs[], size_t n, uint64_t *counters,
                                         uint64_t *resolutions, int *qualifiers)
{
    (void)refs, (void)counters, (void)resolutions, (void)qualifiers;
    return told((instance *)i, n ? NO_REFERENCE : GOOD);
}
