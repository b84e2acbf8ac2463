/* FMI 2.0, Model Exchange and Co-Simulation: what is not as in FMI 3.0. */
#include <stddef.h>

#if !defined FMI2_FUNCTION_PREFIX
#define FMI2_FUNCTION_PREFIX
#endif
#define FMI(f) JOINED(FMI2_FUNCTION_PREFIX, fmi2##f)
#define FMU_STATE(f, e) FMI(f##FMUstate##e)
#define DERIVATIVES FMI(GetDerivatives)
#define DESERIALISE FMI(DeSerializeFMUstate)
#define CLOCKED 0
typedef int Boolean;
typedef char Byte;

#include "KT_NAME_fmu.h"

typedef enum { MODEL_EXCHANGE, CO_SIMULATION } Kind;
typedef enum { DO_STEP, PENDING_TEXT, LAST_TIME, TERMINATED_BY_MODEL } Asked;
typedef void (*Logger)(void *environment, String name, Status status, String category,
                       String message, ...);

typedef struct Callbacks {
    Logger logger;
    void *(*allocate)(size_t count, size_t size);
    void (*release)(void *place);
    void (*finished)(void *environment, Status status);
    void *environment;
} Callbacks;

static void tell(const instance *m, Status status, String category, String text)
{
    ((Logger)m->logger)(m->environment, m->name, status, category, "%s", text);
}

API String FMI(GetTypesPlatform)(void)
{
    return "default";
}

API String FMI(GetVersion)(void)
{
    return "2.0";
}

API instance *FMI(Instantiate)(String name, Kind kind, String token, String resources,
                               const Callbacks *callbacks, Boolean visible, Boolean logging)
{
    (void)resources, (void)visible, (void)logging;
    return create(name, token, kind == CO_SIMULATION, callbacks ? callbacks->environment : NULL,
                  callbacks ? (void (*)(void))callbacks->logger : NULL);
}

API Status FMI(SetupExperiment)(instance *m, Boolean tolerance_defined, double tolerance,
                                double start, Boolean stop_defined, double stop)
{
    (void)stop_defined, (void)stop;
    if (m->mode == INSTANTIATED)
        set_experiment(m, tolerance_defined, tolerance, start);
    return enter(m, m->mode == INSTANTIATED, INSTANTIATED);
}

MODE(EnterInitializationMode, m->mode == INSTANTIATED, INITIALISING)

API Status FMI(GetReal)(instance *m, const Ref refs[], size_t n, double values[])
{
    return status_of(m, get_values(m, refs, n, values));
}

API Status FMI(SetReal)(instance *m, const Ref refs[], size_t n, const double values[])
{
    return status_of(m, set_values(m, refs, n, values));
}

ABSENT(GetInteger, int *)
ABSENT(SetInteger, const int *)
ABSENT(GetBoolean, Boolean *)
ABSENT(SetBoolean, const Boolean *)
ABSENT(GetString, String *)
ABSENT(SetString, const String *)
ABSENT_2(SetRealInputDerivatives, const int *, const double *)
ABSENT_2(GetRealOutputDerivatives, const int *, double *)

API Status FMI(GetDirectionalDerivative)(instance *m, const Ref unknowns[], size_t n,
                                         const Ref knowns[], size_t k, const double seeds[],
                                         double found[])
{
    return status_of(m, directional(m, unknowns, n, knowns, k, seeds, found));
}

API Status FMI(NewDiscreteStates)(instance *m, EventInfo *info)
{
    return update(m, info);
}

API Status FMI(DoStep)(instance *m, double t, double h, Boolean no_return)
{
    const Status status = advance(m, t, h);
    (void)no_return;
    return status == OK && m->system.now.ended > 0.0 ? DISCARD : status;
}

API Status FMI(CancelStep)(instance *m)
{
    return report(m, ERROR, "a step is finished when its call returns");
}

API Status FMI(GetRealStatus)(instance *m, Asked asked, double *value)
{
    if (asked != LAST_TIME)
        return DISCARD;
    *value = m->system.now.t;
    return OK;
}

API Status FMI(GetBooleanStatus)(instance *m, Asked asked, Boolean *value)
{
    if (asked != TERMINATED_BY_MODEL)
        return DISCARD;
    *value = m->system.now.ended > 0.0;
    return OK;
}

#define NO_STATUS(NAMED, TYPE)                                                                     \
    API Status FMI(NAMED)(instance *m, Asked asked, TYPE value)                                    \
    {                                                                                              \
        (void)m, (void)asked, (void)value;                                                         \
        return DISCARD;                                                                            \
    }

NO_STATUS(GetStatus, Status *)
NO_STATUS(GetIntegerStatus, int *)
NO_STATUS(GetStringStatus, String *)
