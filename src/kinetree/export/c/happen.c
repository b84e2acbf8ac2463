#include <stdio.h>

/* Ways through zero in which conditions are events: 1 up, -1 down, 0 both; which events end the
 * motion, and which are those of dry friction and stops, repeated until nothing changes; clocks: first tick and period [s], or, where that is 0, where in `times` [s] theirs begin
 * and end. */
static const double ways[KT_ROOM_CONDITIONS] = {KT_WAYS};
static const double ends[KT_ROOM_CONDITIONS + KT_ROOM_CLOCKS] = {KT_ENDS};
static const double settles[KT_ROOM_CONDITIONS + KT_ROOM_CLOCKS] = {KT_SETTLES};
static const double offsets[KT_ROOM_CLOCKS] = {KT_OFFSETS};
static const double periods[KT_ROOM_CLOCKS] = {KT_PERIODS};
static const int begins[KT_ROOM_CLOCKS + 1] = {KT_BEGINS};
static const double times[] = {KT_TIMES};

static const char *const names[KT_ROOM_HAPPENINGS] = {KT_EVENT_NAMES};

/* Adds to the marks of some events those of others, or begins with no mark. */
static void gather(int *marks, const int *more, int adds)
{
    int i;
    for (i = 0; i < KT_ROOM_HAPPENINGS; i++)
        marks[i] = adds && (marks[i] || more[i]);
}

/* Says which events keep the motion from going on, and why; 1. */
static int blame(KT_NAME_system *s, const int *marks, const char *why)
{
    const size_t room = sizeof s->trouble;
    size_t used = 0;
    int i;
    for (i = 0; i < KT_ROOM_HAPPENINGS; i++)
        if (marks[i] && used < room)
            used += (size_t)snprintf(s->trouble + used, room - used, "%s'%s'",
                                     used ? ", " : "events ", names[i]);
    if (used < room)
        (void)snprintf(s->trouble + used, room - used, " %s at t = %.9g s", why, s->now.t);
    return 1;
}

/* Distance within which times are one [s]. */
static double near_by(double t)
{
    return 1e-13*(fabs(t) > 1.0 ? fabs(t) : 1.0);
}

static double tick_time(int clock, double number)
{
    const double place = (double)begins[clock] + number;
    if (periods[clock] > 0.0)
        return offsets[clock] + number*periods[clock];
    return place < (double)begins[clock + 1] ? times[(int)place] : INFINITY;
}

/* Number of the next tick of a clock; one of the present time is not behind. */
static double next_number(const KT_NAME_system *s, int clock)
{
    const double from = s->now.t - near_by(s->now.t);
    double number = s->now.tick[clock];
    if (number >= 0.0)
        return number;
    number = periods[clock] > 0.0 ? ceil((from - offsets[clock])/periods[clock]) : 0.0;
    if (number < 0.0)
        number = 0.0;
    while (tick_time(clock, number) < from)
        number += 1.0;
    return number;
}

static double next_tick(const KT_NAME_system *s)
{
    double next = INFINITY;
    int i;
    for (i = 0; i < KT_NAME_CLOCKS; i++) {
        const double t = tick_time(i, next_number(s, i));
        if (t < next)
            next = t;
    }
    return next;
}

int KT_NAME_ticks(const KT_NAME_system *s, int clock)
{
    return tick_time(clock, next_number(s, clock)) <= s->now.t + near_by(s->now.t);
}

/* Marks the clocks that tick now; whether there are any. */
static int ticked(KT_NAME_system *s, double *fired)
{
    const double t = s->now.t + near_by(s->now.t);
    int i, any = 0;
    for (i = 0; i < KT_NAME_CLOCKS; i++) {
        s->now.tick[i] = next_number(s, i);
        fired[i] = 0.0;
        while (!s->waiting && tick_time(i, s->now.tick[i]) <= t) {
            s->now.tick[i] += 1.0;
            fired[i] = 1.0;
            any = 1;
        }
    }
    return any;
}

/* Components of y that say on which side of zero conditions of switches are; -1: no switch. */
static const int modes[KT_ROOM_CONDITIONS] = {KT_MODES};

static void take_sides(KT_NAME_system *s)
{
    int i;
    for (i = 0; i < KT_NAME_CONDITIONS; i++)
        if (modes[i] >= 0)
            s->now.side[i] = s->now.y[modes[i]] > 0.5 ? 1.0 : -1.0;
}

static int crosses(int condition, double side, double g)
{
    return (side < 0.0 && g >= 0.0 && ways[condition] >= 0.0)
        || (side > 0.0 && g <= 0.0 && ways[condition] <= 0.0);
}

/* Whether a condition is that of a switch that has just changed: it does not change back at once,
 * for where both branches meet, rounding may put it on the side that it left. */
static int just_changed(int condition, const double *fired)
{
    int i;
    for (i = 0; modes[condition] >= 0 && i < KT_NAME_CONDITIONS; i++)
        if (fired[i] > 0.0 && modes[i] == modes[condition])
            return 1;
    return 0;
}

/* Marks the conditions that have passed zero, those that have come to rest on it where `reached`;
 * whether there are any.  What stops at zero is on the side that it was going to. */
static int crossed(KT_NAME_system *s, double *fired, int reached)
{
    double before[KT_ROOM_CONDITIONS];
    int i, any = 0;
    for (i = 0; i < KT_NAME_CONDITIONS; i++)
        before[i] = reached ? 0.0 : fired[i];
    take_sides(s);
    for (i = 0; i < KT_NAME_CONDITIONS; i++) {
        const double g = s->g[KT_NAME_EVENTS - KT_NAME_CONDITIONS + i], side = s->now.side[i];
        const int now = crosses(i, side, g) && (reached || g != 0.0) && !just_changed(i, before);
        fired[i] = now ? 1.0 : 0.0;
        any |= now;
        if (g != 0.0)
            s->now.side[i] = g > 0.0 ? 1.0 : -1.0;
        else if (now)
            s->now.side[i] = -side;
    }
    return any;
}

/* Marks the switches that are on zero and leave it for the other side right behind the present
 * time; whether there are any. */
static int leaving(KT_NAME_system *s, double *fired)
{
    const KT_NAME_state here = s->now;
    const double h = 1e-8*(fabs(here.t) > 1.0 ? fabs(here.t) : 1.0);
    double g[KT_ROOM_CONDITIONS];
    int i, any = 0;
    for (i = 0; i < KT_NAME_CONDITIONS; i++)
        g[i] = s->g[KT_NAME_EVENTS - KT_NAME_CONDITIONS + i];
    s->now.t += h;
    for (i = 0; i < KT_NAME_STATES; i++)
        s->now.y[i] += h*s->yd[i];
    s->current = 0;
    if (!KT_NAME_evaluate(s))
        for (i = 0; i < KT_NAME_CONDITIONS; i++) {
            const double later = s->g[KT_NAME_EVENTS - KT_NAME_CONDITIONS + i];
            if (modes[i] >= 0 && g[i] == 0.0 && later != 0.0 && crosses(i, here.side[i], later))
                fired[i] = any = 1;
        }
    s->now = here;
    s->current = 0;
    (void)KT_NAME_evaluate(s);
    return any;
}

int KT_NAME_due(KT_NAME_system *s)
{
    int i, any = 0;
    if (KT_NAME_evaluate(s))
        return 0;
    take_sides(s);
    for (i = 0; i < KT_NAME_CONDITIONS; i++) {
        const double g = s->g[KT_NAME_EVENTS - KT_NAME_CONDITIONS + i];
        if (crosses(i, s->now.side[i], g))
            any = 1;
        else if (g != 0.0)
            s->now.side[i] = g > 0.0 ? 1.0 : -1.0;
    }
    return any;
}

/* The consistent state after some events; 0, or 1 where it has no value. */
static int changed(KT_NAME_system *s, const double *fired)
{
    const double *t = &s->now.t, *y = s->now.y;
    double found[KT_ROOM_STATES];
    int i;
    prepare(s);
    KT_CALL_UPDATE;
    if (!finite_all(found, KT_NAME_STATES))
        return 1;
    for (i = 0; i < KT_NAME_STATES; i++)
        s->now.y[i] = found[i];
    s->current = 0;
    return KT_NAME_project(s);
}

/* The state with dry friction and contacts as they must be, one pivot after the other; 0, or 1 where
 * it has no value. */
static int settled(KT_NAME_system *s)
{
    enum { PIVOTS = 10000 };
    double before[KT_ROOM_STATES];
    int i, k, moves = 0;
    for (i = 0; i < KT_NAME_CONDITIONS; i++)
        moves |= settles[i] > 0.0;
    for (k = 0; moves; k++) {
        for (i = 0; i < KT_NAME_STATES; i++)
            before[i] = s->now.y[i];
        if (k == PIVOTS || changed(s, settles))
            return 1;
        for (i = 0, moves = 0; i < KT_NAME_STATES; i++)
            moves |= fabs(s->now.y[i] - before[i]) > 1e-13*(1.0 + fabs(before[i]));
    }
    return 0;
}

/* The start with all switches on the sides of their conditions: one may change another back, for no
 * branch meets another here; 0, or 1 where it has no value. */
static int sided(KT_NAME_system *s)
{
    enum { ROUNDS = 100 };
    double fired[KT_ROOM_CONDITIONS + KT_ROOM_CLOCKS] = {0.0};
    int i, k, any = 1;
    for (k = 0; any && k < ROUNDS; k++) {
        if (KT_NAME_evaluate(s))
            return 1;
        take_sides(s);
        for (i = 0, any = 0; i < KT_NAME_CONDITIONS; i++) {
            const double g = s->g[KT_NAME_EVENTS - KT_NAME_CONDITIONS + i];
            fired[i] = modes[i] >= 0 && g != 0.0 && crosses(i, s->now.side[i], g) ? 1.0 : 0.0;
            any |= fired[i] > 0.0;
        }
        if (any && changed(s, fired))
            return 1;
    }
    return 0;
}

int KT_NAME_happen(KT_NAME_system *s)
{
    enum { MOST = 100, LAST = 50 };
    double fired[KT_ROOM_CONDITIONS + KT_ROOM_CLOCKS] = {0.0};
    double *const clocks = fired + KT_NAME_CONDITIONS;
    /* what is on zero at the start, or still is at the same time, has not come to rest on it */
    const int moved = s->now.begun > 0.0 && s->now.t != s->now.seen;
    int i, any, rounds;
    gather(s->happened, s->happened, 0);
    if (!(s->now.begun > 0.0) && (sided(s) || settled(s)))
        return -blame(s, s->happened, "dry friction or stops never settle");
    s->now.begun = 1.0;
    if (KT_NAME_evaluate(s))
        return -1;
    s->now.seen = s->now.t;
    any = crossed(s, fired, moved);
    any |= !moved && leaving(s, fired);
    any |= ticked(s, clocks);
    for (rounds = 0; any; rounds++) {
        if (rounds == MOST)
            return -blame(s, s->happened, "undo each other and never settle");
        if (rounds == LAST)
            gather(s->happened, s->happened, 0);
        for (i = 0; i < KT_NAME_CONDITIONS + KT_NAME_CLOCKS; i++) {
            s->happened[i] |= fired[i] > 0.0;
            if (fired[i] > 0.0 && ends[i] > 0.0)
                s->now.ended = 1.0;
        }
        if (changed(s, fired) || settled(s) || KT_NAME_evaluate(s))
            return -blame(s, s->happened, "leave a state without value");
        for (i = 0; i < KT_NAME_CLOCKS; i++)
            clocks[i] = 0.0;
        any = crossed(s, fired, 0);
    }
    return rounds;
}

