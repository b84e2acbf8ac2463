/* FMI 3.0, Model Exchange and Co-Simulation: what is not as in FMI 2.0. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if !defined FMI3_FUNCTION_PREFIX
#define FMI3_FUNCTION_PREFIX
#endif
#define FMI(f) JOINED(FMI3_FUNCTION_PREFIX, fmi3##f)
#define FMU_STATE(f, e) FMI(f##FMUState##e)
#define DERIVATIVES FMI(GetContinuousStateDerivatives)
#define DESERIALISE FMI(DeserializeFMUState)
#define CLOCKED 1
typedef bool Boolean;
typedef uint8_t Byte;

#include "KT_NAME_fmu.h"

typedef void (*Logger)(void *environment, Status status, String category, String message);

static void tell(const instance *m, Status status, String category, String text)
{
    ((Logger)m->logger)(m->environment, status, category, text);
}

/* --- instances and modes ----------------------------------------------------------------------- */

API String FMI(GetVersion)(void)
{
    return "3.0";
}

API instance *FMI(InstantiateModelExchange)(String name, String token, String resources,
                                            bool visible, bool logging, void *environment,
                                            Logger logger)
{
    (void)resources, (void)visible, (void)logging;
    return create(name, token, 0, environment, (void (*)(void))logger);
}

API instance *FMI(InstantiateCoSimulation)(String name, String token, String resources,
                                           bool visible, bool logging, bool events, bool early,
                                           const Ref needed[], size_t n, void *environment,
                                           Logger logger, void (*intermediate)(void))
{
    instance *m = create(name, token, 1, environment, (void (*)(void))logger);
    (void)resources, (void)visible, (void)logging, (void)needed, (void)n, (void)intermediate;
    if (m && events)
        m->leaves = early ? KT_NAME_LEAVES_FIRST : KT_NAME_LEAVES_LAST;
    return m;
}

API instance *FMI(InstantiateScheduledExecution)(String name, String token, String resources,
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

API Status FMI(EnterInitializationMode)(instance *m, bool tolerance_defined, double tolerance,
                                        double start, bool stop_defined, double stop)
{
    (void)stop_defined, (void)stop;
    if (m->mode == INSTANTIATED)
        set_experiment(m, tolerance_defined, tolerance, start);
    return enter(m, m->mode == INSTANTIATED, INITIALISING);
}

MODE(EnterStepMode, m->mode == STEPPING || (m->mode == EVENT && m->co_simulation), STEPPING)

/* --- values ------------------------------------------------------------------------------------ */

API Status FMI(GetFloat64)(instance *m, const Ref refs[], size_t n, double values[], size_t k)
{
    return status_of(m, k == n ? get_values(m, refs, n, values) : NO_REFERENCE);
}

API Status FMI(SetFloat64)(instance *m, const Ref refs[], size_t n, const double values[], size_t k)
{
    return status_of(m, k == n ? set_values(m, refs, n, values) : NO_REFERENCE);
}

/* A clock is active from the time of its tick on until what happens at the tick has happened. */
API Status FMI(GetClock)(instance *m, const Ref refs[], size_t n, bool values[])
{
    size_t i;
    for (i = 0; i < n; i++) {
        if (refs[i] < AT_CLOCK || refs[i] >= AT_END)
            return status_of(m, NO_REFERENCE);
        values[i] = m->mode == EVENT && KT_NAME_ticks(&m->system, (int)(refs[i] - AT_CLOCK));
    }
    return OK;
}

#define NO_TYPE(NAMED, TYPE)                                                                       \
    ABSENT_2(Get##NAMED, TYPE *, size_t)                                                           \
    ABSENT_2(Set##NAMED, const TYPE *, size_t)

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
ABSENT_3(GetBinary, size_t *, const uint8_t **, size_t)
ABSENT_3(SetBinary, const size_t *, const uint8_t *const *, size_t)
ABSENT_3(GetOutputDerivatives, const int32_t *, double *, size_t)
ABSENT(SetClock, const bool *)
ABSENT(GetShiftDecimal, double *)
ABSENT(SetShiftDecimal, const double *)
ABSENT(SetIntervalDecimal, const double *)
ABSENT_2(GetIntervalDecimal, double *, int *)
ABSENT_2(GetShiftFraction, uint64_t *, uint64_t *)
ABSENT_2(SetShiftFraction, const uint64_t *, const uint64_t *)
ABSENT_2(SetIntervalFraction, const uint64_t *, const uint64_t *)
ABSENT_3(GetIntervalFraction, uint64_t *, uint64_t *, int *)

API Status FMI(GetNumberOfEventIndicators)(instance *m, size_t *n)
{
    (void)m;
    *n = KT_NAME_EVENTS;
    return OK;
}

API Status FMI(GetNumberOfContinuousStates)(instance *m, size_t *n)
{
    (void)m;
    *n = MOVING;
    return OK;
}

/* --- derivatives ------------------------------------------------------------------------------- */

API Status FMI(GetDirectionalDerivative)(instance *m, const Ref unknowns[], size_t n,
                                         const Ref knowns[], size_t k, const double seeds[],
                                         size_t n_seeds, double found[], size_t n_found)
{
    if (n_seeds != k || n_found != n)
        return status_of(m, NO_REFERENCE);
    return status_of(m, directional(m, unknowns, n, knowns, k, seeds, found));
}

static int adjoint(instance *m, const Ref *unknowns, size_t n, const Ref *knowns, size_t k,
                   const double *seeds, double *found)
{
#if ADJOINT
    double weights[KT_NAME_STATES + KT_NAME_OUTPUTS + KT_NAME_EVENTS + 1] = {0.0};
    double bars[SEED_END], direct[SEED_END] = {0.0};
    const KT_NAME_state *now = &seen(m)->now;
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

API Status FMI(GetAdjointDerivative)(instance *m, const Ref unknowns[], size_t n,
                                     const Ref knowns[], size_t k, const double seeds[],
                                     size_t n_seeds, double found[], size_t n_found)
{
    if (n_seeds != n || n_found != k)
        return status_of(m, NO_REFERENCE);
    return status_of(m, adjoint(m, unknowns, n, knowns, k, seeds, found));
}

/* --- events and steps -------------------------------------------------------------------------- */

API Status FMI(EvaluateDiscreteStates)(instance *m)
{
    (void)m;
    return OK;
}

API Status FMI(UpdateDiscreteStates)(instance *m, bool *again, bool *terminate, bool *nominals,
                                     bool *values, bool *next_defined, double *next)
{
    EventInfo info = {0, 0, 0, 0, 0, 0.0};
    const Status status = update(m, &info);
    *again = info.again;
    *terminate = info.terminate;
    *nominals = info.nominals;
    *values = info.values;
    *next_defined = info.next_defined;
    *next = info.next;
    return status;
}

API Status FMI(DoStep)(instance *m, double t, double h, bool no_return, bool *event,
                       bool *terminate, bool *early, double *last)
{
    const Status status = advance(m, t, h);
    bool ticks = false;
    int i;
    (void)no_return;
    for (i = 0; i < KT_NAME_CLOCKS; i++)
        ticks |= KT_NAME_ticks(&m->system, i) != 0;
    *event = m->leaves && ticks;
    *terminate = m->system.now.ended > 0.0;
    *last = m->system.now.t;
    *early = m->leaves == KT_NAME_LEAVES_FIRST && *last < t + h;
    return status;
}

/* --- what this model does not have ------------------------------------------------------------- */

API Status FMI(GetNumberOfVariableDependencies)(instance *m, Ref ref, size_t *n)
{
    (void)ref, (void)n;
    return report(m, ERROR, "dependencies are not told");
}

API Status FMI(GetVariableDependencies)(instance *m, Ref ref, size_t of[], Ref by[],
                                        size_t where[], int kinds[], size_t n)
{
    (void)ref, (void)of, (void)by, (void)where, (void)kinds, (void)n;
    return report(m, ERROR, "dependencies are not told");
}

API Status FMI(EnterConfigurationMode)(instance *m)
{
    return report(m, ERROR, "there is nothing to configure");
}

API Status FMI(ExitConfigurationMode)(instance *m)
{
    return report(m, ERROR, "there is nothing to configure");
}

API Status FMI(ActivateModelPartition)(instance *m, Ref clock, double t)
{
    (void)clock, (void)t;
    return report(m, ERROR, "this model has no scheduled execution");
}
