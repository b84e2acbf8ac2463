/* The core of FMI 2.0 and 3.0: all but the signatures that differ, which stand in the file of each.
 *
 * That file defines, before it includes this one,
 *     FMI(f)           the name of a function of the standard, f without fmi2 or fmi3
 *     FMU_STATE(f, e)  of one of those that keep states: f and e stand before and after "FMUState"
 *     DERIVATIVES, DESERIALISE   names of which the two standards make something else
 *     Boolean, Byte    their types
 *     CLOCKED          whether it knows clocks: values in an event are those after their ticks
 * and after it `tell`, which hands a message to the logger.
 *
 * Value references: 0 time, then y, der(y), u, p, outputs, event indicators, the step,
 * clocks.
 */
#include "KT_NAME_system.h"

KT_DERIVATIVE_INCLUDES
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PASTED(a, b) a##b
#define JOINED(a, b) PASTED(a, b)
#if defined _WIN32
#define API __declspec(dllexport)
#elif defined __GNUC__
#define API __attribute__((visibility("default")))
#else
#define API
#endif

#define TOKEN "KT_TOKEN"
#define SIGNATURE KT_SIGNATURE
#define DIRECTIONAL KT_DIRECTIONAL
#define ADJOINT KT_ADJOINT

enum {
    AT_Y = 1,
    AT_YD = AT_Y + KT_NAME_STATES,
    AT_U = AT_YD + KT_NAME_STATES,
    AT_P = AT_U + KT_NAME_INPUTS,
    AT_OUT = AT_P + KT_NAME_PARAMETERS,
    AT_G = AT_OUT + KT_NAME_OUTPUTS,
    AT_STEP = AT_G + KT_NAME_EVENTS,
    AT_CLOCK = AT_STEP + 1,
    AT_END = AT_CLOCK + KT_NAME_CLOCKS
};

/* The states that have rates; events alone change the others, which are discrete. */
enum { MOVING = KT_MOVING };
static const int movers[KT_ROOM_MOVING] = {KT_MOVERS};

enum { INSTANTIATED, INITIALISING, EVENT, CONTINUOUS, STEPPING, TERMINATED };

enum { GOOD, NO_VALUE, NO_REFERENCE };

typedef enum { OK, WARNING, DISCARD, ERROR, FATAL, PENDING } Status;
typedef const char *String;
typedef unsigned int Ref;

#define NO_VALUE_TEXT \
    "the equations have no value here: the loops do not close, a state has left its range, or " \
    "events undo each other or follow each other ever faster"
#define NO_REFERENCE_TEXT "a value reference does not exist, or cannot be used in this call"
#define WRONG_MODE_TEXT "this function must not be called in the present mode"

/* The part of an instance that get/set/serialise FMU state keep. */
typedef struct kept {
    unsigned long long signature; /* of the model that it belongs to */
    int mode;
    double tolerance;
    KT_NAME_state state;
} kept;

typedef struct instance {
    KT_NAME_system system, tried; /* as it is; as it is seen where something is about to happen */
    int mode, co_simulation;
    int leaves;       /* which ticks a step of Co-Simulation leaves to its event mode */
    double tolerance; /* drift of y from the loops above which an event is asked for */
    int warned;       /* 1 once a step was told to be too long */
    void *environment;
    void (*logger)(void);
    char *name;
} instance;

static void tell(const instance *m, Status status, String category, String text);

static Status report(const instance *m, Status status, String text)
{
    if (m && m->logger)
        tell(m, status, "logStatusError", text);
    return status;
}

/* A state without value, in words: the events that lead to it, where there are some. */
static Status no_value(const instance *m)
{
    return report(m, ERROR, m->system.trouble[0] ? m->system.trouble : NO_VALUE_TEXT);
}

static Status status_of(const instance *m, int result)
{
    if (result == NO_VALUE)
        return report(m, DISCARD, NO_VALUE_TEXT);
    return result == NO_REFERENCE ? report(m, ERROR, NO_REFERENCE_TEXT) : OK;
}

static Status enter(instance *m, int allowed, int mode)
{
    if (!allowed)
        return report(m, ERROR, WRONG_MODE_TEXT);
    m->mode = mode;
    return OK;
}

static void invalidate(instance *m, int prepared)
{
    m->system.current = 0;
    if (!prepared)
        m->system.prepared = 0;
}

/* --- instances --------------------------------------------------------------------------------- */

static void reset(instance *m)
{
    m->mode = INSTANTIATED;
    m->tolerance = 1e-4;
    m->warned = 0;
    KT_NAME_begin(&m->system);
}

static void destroy(instance *m)
{
    if (m)
        free(m->name);
    free(m);
}

static instance *create(String name, String token, int co_simulation, void *environment,
                        void (*logger)(void))
{
    instance *m = (instance *)calloc(1, sizeof(instance));
    const size_t length = strlen(name ? name : "");
    if (!m)
        return NULL;
    m->name = (char *)calloc(length + 1, 1);
    if (m->name && length)
        memcpy(m->name, name, length);
    m->co_simulation = co_simulation;
    m->environment = environment;
    m->logger = logger;
    reset(m);
    if (!token || strcmp(token, TOKEN) != 0) {
        report(m, ERROR, "the GUID or instantiation token is not that of this model: description "
                         "and code differ");
        destroy(m);
        return NULL;
    }
    return m;
}

API void FMI(FreeInstance)(instance *m)
{
    destroy(m);
}

API Status FMI(SetDebugLogging)(instance *m, Boolean on, size_t n, const String names[])
{
    (void)m, (void)on, (void)n, (void)names;
    return OK;
}

/* --- modes ------------------------------------------------------------------------------------- */

#define MODE(NAMED, ALLOWED, NEXT)                                                                 \
    API Status FMI(NAMED)(instance *m)                                                             \
    {                                                                                              \
        return enter(m, ALLOWED, NEXT);                                                            \
    }

#define CAN_ENTER_EVENT \
    (m->mode == CONTINUOUS || m->mode == EVENT || (m->mode == STEPPING && m->leaves))

MODE(EnterEventMode, CAN_ENTER_EVENT, EVENT)
MODE(EnterContinuousTimeMode, m->mode == EVENT && !m->co_simulation, CONTINUOUS)
MODE(Terminate, 1, TERMINATED)

API Status FMI(ExitInitializationMode)(instance *m)
{
    KT_NAME_system *s = &m->system;
    const int steps = m->co_simulation && !m->leaves;
    if (m->mode == INITIALISING && KT_NAME_project(s))
        return report(m, ERROR, NO_VALUE_TEXT);
    /* what happens at the start: who uses event mode asks for it */
    if (m->mode == INITIALISING && steps && KT_NAME_advance(s, s->now.t))
        return no_value(m);
    return enter(m, m->mode == INITIALISING, steps ? STEPPING : EVENT);
}

API Status FMI(Reset)(instance *m)
{
    reset(m);
    return OK;
}

static void set_time(instance *m, double t)
{
    m->system.now.t = t;
    invalidate(m, 1);
}

static void set_experiment(instance *m, int tolerance_defined, double tolerance, double start)
{
    if (tolerance_defined && tolerance > 0.0)
        m->tolerance = 100.0*tolerance;
    set_time(m, start);
}

/* --- values ------------------------------------------------------------------------------------ */

/* The system after the ticks of clocks at the present time, where there are some. */
static KT_NAME_system *ticked(instance *m)
{
    int i, any = 0;
    for (i = 0; i < KT_NAME_CLOCKS; i++)
        any |= KT_NAME_ticks(&m->system, i);
    if (!any)
        return &m->system;
    m->tried = m->system;
    return KT_NAME_project(&m->tried) || KT_NAME_happen(&m->tried) < 0 ? &m->system : &m->tried;
}

/* The system that is seen: in an event that after ticks. */
static KT_NAME_system *seen(instance *m)
{
    return CLOCKED && m->mode == EVENT ? ticked(m) : &m->system;
}

/* Finds what a value reference stands for; 0, or 1 where it has no value. */
static int evaluate(KT_NAME_system *s, Ref ref)
{
    if (ref >= AT_YD && ref < AT_U)
        return KT_NAME_interface.rates(s);
    if (ref >= AT_OUT && ref < AT_G)
        return KT_NAME_interface.outputs(s);
    return ref >= AT_G && ref < AT_STEP ? KT_NAME_interface.indicators(s) : 0;
}

static int get_values(instance *m, const Ref *refs, size_t n, double *values)
{
    KT_NAME_system *s = seen(m);
    const double *y = s->now.y;
    int status = GOOD;
    size_t i;
#if KT_PROJECTS
    if (m->mode == INITIALISING) { /* y is what the loops will make of it */
        m->tried = *s;
        if (!KT_NAME_project(&m->tried))
            y = m->tried.now.y;
    }
#endif
    for (i = 0; i < n; i++) {
        const Ref ref = refs[i];
        if (evaluate(s, ref))
            status = NO_VALUE;
        if (ref == 0)
            values[i] = s->now.t;
        else if (ref < AT_YD)
            values[i] = y[ref - AT_Y];
        else if (ref < AT_U)
            values[i] = s->yd[ref - AT_YD];
        else if (ref < AT_P)
            values[i] = s->now.u[ref - AT_U];
        else if (ref < AT_OUT)
            values[i] = s->now.p[ref - AT_P];
        else if (ref < AT_G)
            values[i] = s->out[ref - AT_OUT];
        else if (ref < AT_STEP)
            values[i] = s->g[ref - AT_G];
        else if (ref == AT_STEP)
            values[i] = s->now.step;
        else
            return NO_REFERENCE;
    }
    return status;
}

static int set_values(instance *m, const Ref *refs, size_t n, const double *values)
{
    KT_NAME_state *now = &m->system.now;
    size_t i;
    for (i = 0; i < n; i++) {
        const Ref ref = refs[i];
        if (ref >= AT_Y && ref < AT_YD)
            now->y[ref - AT_Y] = values[i];
        else if (ref >= AT_U && ref < AT_P)
            now->u[ref - AT_U] = values[i];
        else if (ref >= AT_P && ref < AT_OUT)
            now->p[ref - AT_P] = values[i];
        else if (ref == AT_STEP && values[i] > 0.0)
            now->step = values[i];
        else
            return NO_REFERENCE;
        invalidate(m, ref < AT_P);
    }
    return GOOD;
}

/* The model has no variables of other types, and clocks only tell that they tick: none may be asked for. */
#define ABSENT(NAMED, A)                                                                           \
    API Status FMI(NAMED)(instance *m, const Ref refs[], size_t n, A a)                            \
    {                                                                                              \
        (void)refs, (void)a;                                                                       \
        return status_of(m, n ? NO_REFERENCE : GOOD);                                              \
    }
#define ABSENT_2(NAMED, A, B)                                                                      \
    API Status FMI(NAMED)(instance *m, const Ref refs[], size_t n, A a, B b)                       \
    {                                                                                              \
        (void)refs, (void)a, (void)b;                                                              \
        return status_of(m, n ? NO_REFERENCE : GOOD);                                              \
    }
#define ABSENT_3(NAMED, A, B, C)                                                                   \
    API Status FMI(NAMED)(instance *m, const Ref refs[], size_t n, A a, B b, C c)                  \
    {                                                                                              \
        (void)refs, (void)a, (void)b, (void)c;                                                     \
        return status_of(m, n ? NO_REFERENCE : GOOD);                                              \
    }

/* --- derivatives ------------------------------------------------------------------------------- */

/* Components of a direction: t, y, u, p. */
enum { SEED_Y = 1, SEED_U = SEED_Y + KT_NAME_STATES, SEED_P = SEED_U + KT_NAME_INPUTS,
       SEED_END = SEED_P + KT_NAME_PARAMETERS };

#if DIRECTIONAL
/* Where the value of a reference stands in a direction, or -1. */
static int seed_of(Ref ref)
{
    if (ref < AT_YD)
        return (int)ref;
    if (ref >= AT_U && ref < AT_OUT)
        return (int)(ref - AT_U) + SEED_U;
    return -1;
}

/* Where the value of a reference stands among der(y), outputs, event indicators, or -1. */
static int found_of(Ref ref)
{
    if (ref >= AT_YD && ref < AT_U)
        return (int)(ref - AT_YD);
    if (ref >= AT_OUT && ref < AT_STEP)
        return (int)(ref - AT_OUT) + KT_NAME_STATES;
    return -1;
}
#endif

static int directional(instance *m, const Ref *unknowns, size_t n,
                       const Ref *knowns, size_t k, const double *seeds, double *found)
{
#if DIRECTIONAL
    double seed[SEED_END] = {0.0}, moved[KT_NAME_STATES + KT_NAME_OUTPUTS + KT_NAME_EVENTS + 1];
    const KT_NAME_state *now = &seen(m)->now;
    double *yd = moved, *out = yd + KT_NAME_STATES, *g = out + KT_NAME_OUTPUTS;
    int status = GOOD;
    size_t i;
    for (i = 0; i < k; i++) {
        const int place = seed_of(knowns[i]);
        if (place < 0)
            return NO_REFERENCE;
        seed[place] += seeds[i];
    }
    KT_CALL_DIRECTIONAL;
    (void)out;
    (void)g;
    for (i = 0; i < n; i++) {
        const int place = found_of(unknowns[i]), same = seed_of(unknowns[i]);
        if (place < 0 && same < 0)
            return NO_REFERENCE;
        found[i] = place >= 0 ? moved[place] : seed[same];
        if (!isfinite(found[i]))
            status = NO_VALUE;
    }
    return status;
#else
    (void)m, (void)unknowns, (void)n, (void)knowns, (void)k, (void)seeds, (void)found;
    return NO_REFERENCE;
#endif
}

/* --- states kept ------------------------------------------------------------------------------- */

API Status FMU_STATE(Get, )(instance *m, kept **state)
{
    free(*state); /* a state given along is renewed */
    *state = (kept *)calloc(1, sizeof(kept));
    if (!*state)
        return report(m, ERROR, "no memory is left");
    (*state)->signature = SIGNATURE;
    (*state)->mode = m->mode;
    (*state)->tolerance = m->tolerance;
    (*state)->state = m->system.now;
    return OK;
}

API Status FMU_STATE(Set, )(instance *m, const kept *state)
{
    m->mode = state->mode;
    m->tolerance = state->tolerance;
    m->system.now = state->state;
    invalidate(m, 0);
    return OK;
}

API Status FMU_STATE(Free, )(instance *m, kept **state)
{
    (void)m;
    if (state) {
        free(*state);
        *state = NULL;
    }
    return OK;
}

API Status FMU_STATE(Serialized, Size)(instance *m, const kept *state, size_t *size)
{
    (void)m, (void)state;
    *size = sizeof(kept);
    return OK;
}

API Status FMU_STATE(Serialize, )(instance *m, const kept *state, Byte bytes[], size_t size)
{
    if (size < sizeof(kept))
        return report(m, ERROR, "the buffer is too small for a state");
    memcpy(bytes, state, sizeof(kept));
    return OK;
}

API Status DESERIALISE(instance *m, const Byte bytes[], size_t size, kept **state)
{
    const unsigned long long signature = SIGNATURE;
    *state = NULL;
    if (size == sizeof(kept) && memcmp(bytes, &signature, sizeof signature) == 0)
        *state = (kept *)calloc(1, sizeof(kept));
    if (!*state)
        return report(m, ERROR, "this is not a state of this model");
    memcpy(*state, bytes, size);
    return OK;
}

/* --- Model Exchange ---------------------------------------------------------------------------- */

/* What an event brings, as FMI 2.0 lays it out. */
typedef struct EventInfo {
    int again, terminate, nominals, values, next_defined;
    double next;
} EventInfo;

static Status update(instance *m, EventInfo *info)
{
    KT_NAME_event found;
    if (m->mode != EVENT)
        return report(m, ERROR, WRONG_MODE_TEXT);
    memset(info, 0, sizeof *info);
    if (KT_NAME_interface.update(&m->system, &found))
        return no_value(m);
    info->again = found.again;
    info->terminate = found.end;
    info->values = found.changed;
    info->next_defined = isfinite(found.next);
    info->next = info->next_defined ? found.next : 0.0;
    return OK;
}

API Status FMI(CompletedIntegratorStep)(instance *m, Boolean no_return, Boolean *event,
                                        Boolean *terminate)
{
    (void)no_return;
    *terminate = m->system.now.ended > 0.0;
    KT_NAME_remember(&m->system);
    *event = KT_NAME_PROJECTS && !(KT_NAME_drift(&m->system) <= m->tolerance);
    if (KT_NAME_due(&m->system))
        *event = 1;
    return OK;
}

API Status FMI(SetTime)(instance *m, double t)
{
    set_time(m, t);
    return OK;
}

API Status FMI(SetContinuousStates)(instance *m, const double y[], size_t n)
{
    size_t k;
    if (n != MOVING)
        return status_of(m, NO_REFERENCE);
    for (k = 0; k < n; k++)
        m->system.now.y[movers[k]] = y[k];
    invalidate(m, 1);
    return OK;
}

API Status FMI(GetContinuousStates)(instance *m, double y[], size_t n)
{
    KT_NAME_system *s = seen(m);
    size_t k;
    if (n != MOVING)
        return status_of(m, NO_REFERENCE);
    for (k = 0; k < n; k++)
        y[k] = s->now.y[movers[k]];
    return OK;
}

API Status DERIVATIVES(instance *m, double yd[], size_t n)
{
    KT_NAME_system *s = seen(m);
    int failed;
    size_t k;
    if (n != MOVING)
        return status_of(m, NO_REFERENCE);
    failed = KT_NAME_interface.rates(s);
    for (k = 0; k < n; k++)
        yd[k] = s->yd[movers[k]];
    return status_of(m, failed ? NO_VALUE : GOOD);
}

API Status FMI(GetEventIndicators)(instance *m, double g[], size_t n)
{
    KT_NAME_system *s = seen(m);
    if (n != KT_NAME_EVENTS)
        return status_of(m, NO_REFERENCE);
    (void)KT_NAME_interface.indicators(s);
    memcpy(g, s->g, n*sizeof(double));
    return OK;
}

API Status FMI(GetNominalsOfContinuousStates)(instance *m, double nominals[], size_t n)
{
    size_t k;
    (void)m;
    for (k = 0; k < n; k++)
        nominals[k] = 1.0;
    return OK;
}

/* --- Co-Simulation ----------------------------------------------------------------------------- */

static Status advance(instance *m, double t, double h)
{
    if (m->mode != STEPPING)
        return report(m, ERROR, WRONG_MODE_TEXT);
    set_time(m, t);
    m->system.leaves = m->leaves;
    if (KT_NAME_advance(&m->system, t + h))
        return no_value(m);
    if (m->system.rough > 1e-3 && !m->warned) {
        char text[200];
        snprintf(text, sizeof text, "t = %g s: steps of %g s are long for this motion, whose error "
                 "grows by %.1g per second: set the parameter step to less, or use Model Exchange",
                 t + h, m->system.now.step, m->system.rough);
        m->warned = 1;
        if (m->logger)
            tell(m, WARNING, "logStatusWarning", text);
    }
    return OK;
}
