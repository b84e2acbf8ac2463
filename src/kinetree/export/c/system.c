#include "KT_NAME_system.h"

#include <math.h>

static const double start_y[KT_ROOM_STATES] = {KT_START_STATES};
static const double start_u[KT_ROOM_INPUTS] = {KT_START_INPUTS};
static const double start_p[KT_ROOM_PARAMETERS] = {KT_START_PARAMETERS};

void KT_NAME_begin(KT_NAME_system *s)
{
    int i;
    s->now.t = KT_START_TIME;
    s->now.step = KT_STEP;
    for (i = 0; i < KT_NAME_STATES; i++)
        s->now.y[i] = start_y[i];
    for (i = 0; i < KT_NAME_INPUTS; i++)
        s->now.u[i] = start_u[i];
    for (i = 0; i < KT_NAME_PARAMETERS; i++)
        s->now.p[i] = start_p[i];
    for (i = 0; i < KT_ROOM_CONDITIONS; i++)
        s->now.side[i] = 0.0;
    for (i = 0; i < KT_ROOM_CLOCKS; i++)
        s->now.tick[i] = -1.0;
    s->now.begun = 0.0;
    s->now.seen = KT_START_TIME;
    s->now.ended = 0.0;
    s->leaves = KT_NAME_LEAVES_NONE;
    s->waiting = 0;
    s->trouble[0] = '\0';
#if KT_WATCHES
    s->rough = 0.0;
    s->compared = 0;
#endif
    s->prepared = 0;
    s->current = 0;
}

static void prepare(KT_NAME_system *s)
{
    if (s->prepared)
        return;
KT_PREPARE    s->prepared = 1;
}

static void rates(KT_NAME_system *s, const double *t, const double *y, double *yd)
{
    KT_CALL_EQUATIONS;
}

static int finite_all(const double *x, int n)
{
    int i;
    for (i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return 0;
    return 1;
}

int KT_NAME_evaluate(KT_NAME_system *s)
{
    if (!s->current) {
        prepare(s);
        rates(s, &s->now.t, s->now.y, s->yd);
        s->current = 1;
    }
    return !finite_all(s->yd, KT_NAME_STATES);
}

#if KT_PROJECTS
static void consistent(KT_NAME_system *s, double *found)
{
    const double *t = &s->now.t, *y = s->now.y;
    prepare(s);
    KT_CALL_PROJECTION;
}
#endif

int KT_NAME_project(KT_NAME_system *s)
{
#if KT_PROJECTS
    double found[KT_ROOM_STATES];
    int i;
    consistent(s, found);
    if (!finite_all(found, KT_NAME_STATES))
        return 1;
    for (i = 0; i < KT_NAME_STATES; i++)
        s->now.y[i] = found[i];
    s->current = 0;
#endif
    return !finite_all(s->now.y, KT_NAME_STATES);
}

void KT_NAME_remember(KT_NAME_system *s)
{
#if KT_MEMORIES
    static const int places[KT_MEMORIES] = {KT_REMEMBERED};
    double found[KT_ROOM_STATES];
    int i;
    consistent(s, found);
    for (i = 0; i < KT_MEMORIES; i++)
        s->now.y[places[i]] = found[places[i]];
    s->current = 0;
#else
    (void)s;
#endif
}

double KT_NAME_drift(KT_NAME_system *s)
{
    double most = 0.0;
#if KT_PROJECTS
    double found[KT_ROOM_STATES];
    int i;
    consistent(s, found);
    for (i = 0; i < KT_NAME_STATES; i++) {
        const double gap = fabs(found[i] - s->now.y[i])/(1.0 + fabs(found[i]));
        if (!(gap <= most))
            most = gap;
    }
#else
    (void)s;
#endif
    return most;
}

KT_HAPPENINGS/* Whether a branch of the equations just evaluated, or the side of a condition, is
 * another one than at the start of a step; -1 stands for a side that is not known. */
static int turned(const KT_NAME_system *s, const int *above)
{
    int i;
    for (i = 0; above && i < KT_NAME_EVENTS; i++)
        if (above[i] >= 0 && (s->g[i] > 0.0) != above[i])
            return 1;
    return 0;
}

/* One step; `passed` tells whether a stage of it, or its end, lies on another branch.  Where none
 * is watched, laws are asked a billionth of the step inside it: what jumps where a step ends does so
 * between two steps. */
static int moved(KT_NAME_system *s, double h, const int *above, int *passed)
{
    double a[KT_ROOM_STATES], b[KT_ROOM_STATES], c[KT_ROOM_STATES], d[KT_ROOM_STATES];
    const double *y = s->now.y, end = s->now.t + h, inside = above ? 0.0 : 1e-9*h;
    const double first = s->now.t + inside, half = s->now.t + 0.5*h, last = end - inside;
    double z[KT_ROOM_STATES];
    int i;
    prepare(s);
    rates(s, &first, y, a);
    for (i = 0; i < KT_NAME_STATES; i++)
        z[i] = y[i] + 0.5*h*a[i];
    rates(s, &half, z, b);
    *passed = turned(s, above);
    for (i = 0; i < KT_NAME_STATES; i++)
        z[i] = y[i] + 0.5*h*b[i];
    rates(s, &half, z, c);
    *passed |= turned(s, above);
    for (i = 0; i < KT_NAME_STATES; i++)
        z[i] = y[i] + h*c[i];
    rates(s, &last, z, d);
    *passed |= turned(s, above);
    for (i = 0; i < KT_NAME_STATES; i++)
        s->now.y[i] += h/6.0*(a[i] + 2.0*b[i] + 2.0*c[i] + d[i]);
    s->now.t = end;
    s->current = 0;
    if (KT_NAME_project(s))
        return 1;
    if (above && !*passed) {
        if (KT_NAME_evaluate(s))
            return 1;
        *passed = turned(s, above);
    }
    return 0;
}

#if KT_WATCHES
/* Now and then a step is compared with two of half its length: what the error would be after a
 * second, relative above 1, goes to `rough`. */
static void compare(KT_NAME_system *s, const KT_NAME_state *before, double h)
{
    enum { EVERY = 64 };
    const KT_NAME_state after = s->now;
    int i, passed;
    if (s->compared++ % EVERY)
        return;
    s->now = *before;
    if (!moved(s, 0.5*h, 0, &passed) && !moved(s, 0.5*h, 0, &passed)) {
        for (i = 0; i < KT_NAME_STATES; i++) {
            const double y = s->now.y[i], error = fabs(after.y[i] - y)/(15.0*h*(1.0 + fabs(y)));
            if (error > s->rough)
                s->rough = error;
        }
    }
    s->now = after;
    s->current = 0;
}
#endif

int KT_NAME_step(KT_NAME_system *s, double h)
{
    int passed;
#if KT_WATCHES
    const KT_NAME_state before = s->now;
    if (moved(s, h, 0, &passed))
        return 1;
    compare(s, &before, h);
    return 0;
#else
    return moved(s, h, 0, &passed);
#endif
}

#if KT_EVENTS
/* One step of at most h that ends before a branch of the equations changes, or, where that is close
 * by, right behind it: the place is found by halving.  Its length, or -1 where there is no value. */
static double careful(KT_NAME_system *s, double h)
{
    KT_NAME_state before;
    const double close = 1e-10*h;
    double low = 0.0, high = h;
    int above[KT_NAME_EVENTS], i, failed, passed;
    if (KT_NAME_evaluate(s))
        return -1.0;
    for (i = 0; i < KT_NAME_EVENTS - KT_NAME_CONDITIONS; i++)
        above[i] = s->g[i] > 0.0;
#if KT_CONDITIONS
    (void)KT_NAME_due(s);
    for (; i < KT_NAME_EVENTS; i++) {
        const double side = s->now.side[i - KT_NAME_EVENTS + KT_NAME_CONDITIONS];
        above[i] = side > 0.0 ? 1 : side < 0.0 ? 0 : -1;
    }
#endif
    before = s->now;
    failed = moved(s, h, above, &passed);
    if (!failed && !passed) {
#if KT_WATCHES
        compare(s, &before, h);
#endif
        return h;
    }
    while (high - low > close) {
        const double middle = 0.5*(low + high);
        s->now = before;
        failed = moved(s, middle, above, &passed);
        if (failed || passed)
            high = middle;
        else
            low = middle;
    }
    s->now = before;
    if (low > 2.0*close)
        high = low;
    return moved(s, high, 0, &passed) ? -1.0 : high;
}
#endif

/* A step of h; where branches change or events happen, as many shorter ones, at most MOST.  Events
 * that follow each other ever faster have no end: CROWD of them within a millionth of the step. */
static int stepped(KT_NAME_system *s, double h)
{
#if KT_EVENTS
    enum { MOST = KT_CONDITIONS ? 400 : 20, CROWD = 8 };
    double done = 0.0, since = 0.0;
    int k, rounds, crowd = 0, crowded[KT_ROOM_HAPPENINGS] = {0};
    for (k = 0; k < MOST && h - done > 1e-9*h; k++) {
        const double length = careful(s, h - done);
        if (length < 0.0)
            return 1;
        done += length;
        rounds = KT_NAME_CONDITIONS ? KT_NAME_happen(s) : 0;
        if (rounds < 0)
            return 1;
        if (s->now.ended > 0.0)
            return 0;
        if (done - since > 1e-6*h) {
            since = done;
            crowd = 0;
            gather(crowded, s->happened, 0);
        }
        gather(crowded, s->happened, 1);
        crowd += rounds > 0;
        if (crowd == CROWD)
            return blame(s, crowded, "follow each other ever faster");
    }
    if (h - done <= 1e-9*h)
        return 0;
    return KT_NAME_step(s, h - done) || KT_NAME_happen(s) < 0;
#else
    return KT_NAME_step(s, h);
#endif
}

/* Steps from now.t to t_end, between two ticks. */
static int marched(KT_NAME_system *s, double t_end)
{
    const double t = s->now.t, span = t_end - t, n = ceil(span/s->now.step - 1e-6);
    const long steps = n > 1.0 ? (long)n : 1;
    long k;
    for (k = 1; k <= steps && span > 0.0; k++) {
        if (stepped(s, span/(double)steps))
            return 1;
        if (s->now.ended > 0.0)
            return 0;
        s->now.t = k == steps ? t_end : t + span*(double)k/(double)steps;
    }
    return 0;
}

int KT_NAME_advance(KT_NAME_system *s, double t_end)
{
    const int first = s->leaves == KT_NAME_LEAVES_FIRST;
    double stop;
    int failed;
    do {
        const double tick = next_tick(s);
        stop = tick < t_end - near_by(t_end) ? tick : t_end;
        if (s->now.ended > 0.0)
            return 0;
        s->waiting = first || (s->leaves == KT_NAME_LEAVES_LAST && !(stop < t_end));
        failed = marched(s, stop) || (!(s->now.ended > 0.0) && KT_NAME_happen(s) < 0);
        s->waiting = 0;
    } while (!failed && stop < t_end && !first);
    return failed;
}

static int update(KT_NAME_system *s, KT_NAME_event *found)
{
    double before[KT_ROOM_STATES];
    int i;
    for (i = 0; i < KT_NAME_STATES; i++)
        before[i] = s->now.y[i];
    found->again = found->end = found->changed = 0;
    if (KT_NAME_project(s) || KT_NAME_happen(s) < 0)
        return 1;
    found->end = s->now.ended > 0.0;
    for (i = 0; i < KT_NAME_STATES; i++)
        found->changed |= s->now.y[i] != before[i];
    found->next = next_tick(s);
    return 0;
}

/* One evaluation finds der(y), outputs and indicators together. */
const KT_NAME_calls KT_NAME_interface = {
    KT_NAME_evaluate, KT_NAME_evaluate, KT_NAME_evaluate, update, next_tick,
};
