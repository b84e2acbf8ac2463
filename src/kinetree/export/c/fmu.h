/* What FMI 2.0 and 3.0 share: an instance, its values by reference, derivatives.
 *
 * Value references: 0 time, then y, der(y), u, p, outputs, event indicators, the step.
 */
#include "KT_NAME_system.h"

KT_DERIVATIVE_INCLUDES
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    AT_END = AT_STEP + 1
};

enum { INSTANTIATED, INITIALISING, EVENT, CONTINUOUS, STEPPING, TERMINATED };

enum { GOOD, NO_VALUE, NO_REFERENCE };

#define NO_VALUE_TEXT \
    "the equations have no value here: the loops do not close, or a state has left its range"
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
    KT_NAME_system system;
    int mode, co_simulation;
    double tolerance; /* drift of y from the loops above which an event is asked for */
    void *environment;
    void (*logger)(void);
    char *name;
} instance;

static void changed(instance *m, int prepared)
{
    m->system.current = 0;
    if (!prepared)
        m->system.prepared = 0;
}

static instance *made(const char *name, int co_simulation, void *environment)
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
    m->mode = INSTANTIATED;
    m->tolerance = 1e-4;
    KT_NAME_begin(&m->system);
    return m;
}

static void unmade(instance *m)
{
    if (m)
        free(m->name);
    free(m);
}

static void reset(instance *m)
{
    m->mode = INSTANTIATED;
    m->tolerance = 1e-4;
    KT_NAME_begin(&m->system);
}

static void starts(instance *m, int tolerance_defined, double tolerance, double start)
{
    if (tolerance_defined && tolerance > 0.0)
        m->tolerance = 100.0*tolerance;
    m->system.now.t = start;
    changed(m, 1);
}

static int get_values(instance *m, const unsigned int *refs, size_t n, double *values)
{
    KT_NAME_system *s = &m->system;
    const double *y = s->now.y;
    int status = GOOD;
    size_t i;
#if KT_PROJECTS
    KT_NAME_system tried; /* before the start, y is what the loops will make of it */
    if (m->mode == INITIALISING) {
        tried = *s;
        if (!KT_NAME_project(&tried))
            y = tried.now.y;
    }
#endif
    for (i = 0; i < n; i++) {
        const unsigned int ref = refs[i];
        const int found = (ref >= AT_YD && ref < AT_U) || (ref >= AT_OUT && ref < AT_STEP);
        if (found && KT_NAME_evaluate(s))
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

static int set_values(instance *m, const unsigned int *refs, size_t n, const double *values)
{
    KT_NAME_state *now = &m->system.now;
    size_t i;
    for (i = 0; i < n; i++) {
        const unsigned int ref = refs[i];
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
        changed(m, ref < AT_P);
    }
    return GOOD;
}

static void set_y(instance *m, const double *y)
{
    memcpy(m->system.now.y, y, KT_NAME_STATES*sizeof(double));
    changed(m, 1);
}

/* Projects y in an event; whether it changed. */
static int settled(instance *m, int *moved)
{
    double before[KT_ROOM_STATES];
    *moved = 0;
    memcpy(before, m->system.now.y, sizeof before);
    if (KT_NAME_project(&m->system))
        return NO_VALUE;
    *moved = memcmp(before, m->system.now.y, KT_NAME_STATES*sizeof(double)) != 0;
    return GOOD;
}

/* Components of a direction: t, y, u, p. */
enum { SEED_Y = 1, SEED_U = SEED_Y + KT_NAME_STATES, SEED_P = SEED_U + KT_NAME_INPUTS,
       SEED_END = SEED_P + KT_NAME_PARAMETERS };

/* Where the value of a reference stands in a direction, or -1. */
static int seed_of(unsigned int ref)
{
    if (ref < AT_YD)
        return (int)ref;
    if (ref >= AT_U && ref < AT_OUT)
        return (int)(ref - AT_U) + SEED_U;
    return -1;
}

/* Where the value of a reference stands among der(y), outputs, event indicators, or -1. */
static int found_of(unsigned int ref)
{
    if (ref >= AT_YD && ref < AT_U)
        return (int)(ref - AT_YD);
    if (ref >= AT_OUT && ref < AT_STEP)
        return (int)(ref - AT_OUT) + KT_NAME_STATES;
    return -1;
}

static int directional(instance *m, const unsigned int *unknowns, size_t n,
                       const unsigned int *knowns, size_t k, const double *seeds, double *found)
{
#if DIRECTIONAL
    double seed[SEED_END] = {0.0}, moved[KT_NAME_STATES + KT_NAME_OUTPUTS + KT_NAME_EVENTS + 1];
    const KT_NAME_state *now = &m->system.now;
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

static kept *copied(const instance *m)
{
    kept *copy = (kept *)calloc(1, sizeof(kept));
    if (copy) {
        copy->signature = SIGNATURE;
        copy->mode = m->mode;
        copy->tolerance = m->tolerance;
        copy->state = m->system.now;
    }
    return copy;
}

static void put_back(instance *m, const kept *copy)
{
    m->mode = copy->mode;
    m->tolerance = copy->tolerance;
    m->system.now = copy->state;
    changed(m, 0);
}

static kept *unpacked(const void *bytes, size_t size)
{
    kept *copy = size == sizeof(kept) ? (kept *)calloc(1, sizeof(kept)) : NULL;
    if (copy)
        memcpy(copy, bytes, size);
    if (copy && copy->signature != SIGNATURE) {
        free(copy);
        copy = NULL;
    }
    return copy;
}
