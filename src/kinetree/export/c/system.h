#ifndef KT_NAME_SYSTEM_H
#define KT_NAME_SYSTEM_H

KT_INCLUDES

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers of states y, inputs u, parameters p, outputs and event indicators; the last of these are
 * conditions of events that change the state or end the motion; clocks let such events happen. */
enum {
    KT_NAME_STATES = KT_STATES,
    KT_NAME_INPUTS = KT_INPUTS,
    KT_NAME_PARAMETERS = KT_PARAMETERS,
    KT_NAME_OUTPUTS = KT_OUTPUTS,
    KT_NAME_EVENTS = KT_EVENTS,
    KT_NAME_CONDITIONS = KT_CONDITIONS,
    KT_NAME_CLOCKS = KT_CLOCKS,
    KT_NAME_PROJECTS = KT_PROJECTS
};

/* Ticks that are left: none, one at the end, the first one, which is the end then. */
enum { KT_NAME_LEAVES_NONE, KT_NAME_LEAVES_LAST, KT_NAME_LEAVES_FIRST };

/* All that a motion is continued from: copy it to come back to it. */
typedef struct KT_NAME_state {
    double t;                /* time [s] */
    double y[KT_ROOM_STATES];       /* states: q, qd, x */
    double u[KT_ROOM_INPUTS];       /* inputs: efforts and wrenches */
    double p[KT_ROOM_PARAMETERS];   /* parameters */
    double step;             /* longest step of the fixed-step method [s] */
    double side[KT_ROOM_CONDITIONS]; /* last sign of every condition; 0: not known yet */
    double tick[KT_ROOM_CLOCKS];    /* number of the next tick of every clock; -1: not known yet */
    double begun;            /* 1 once dry friction and stops have settled at the start */
    double seen;             /* time at which it was last looked for events [s] */
    double ended;            /* 1 where an event has ended the motion */
} KT_NAME_state;

/* A system: its state, and what was found from it. */
typedef struct KT_NAME_system {
    KT_NAME_state now;
    double yd[KT_ROOM_STATES];      /* der(y) */
    double out[KT_ROOM_OUTPUTS];    /* outputs */
    double g[KT_ROOM_EVENTS];       /* a branch changes or an event happens where one of these is 0 */
    int prepared;            /* set to 0 whenever p was changed */
    int current;             /* set to 0 whenever t, y, u or p was changed */
    int happened[KT_ROOM_HAPPENINGS]; /* which events happened last */
    int leaves;              /* which ticks `advance` leaves to `update`, at which it stops */
    int waiting;             /* 1 while ticks of the present time are left */
    char trouble[400];       /* which events kept the motion from going on; empty where none did */
#if KT_WATCHES
    double rough;            /* largest error per second that a comparison of steps has shown */
    unsigned long compared;  /* steps so far */
#endif
KT_CONSTANTS} KT_NAME_system;

/* The initial state, inputs and parameters of the export. */
void KT_NAME_begin(KT_NAME_system *s);

/* yd, out and g at the present state; 0, or 1 where der(y) has no value (loops do not close). */
int KT_NAME_evaluate(KT_NAME_system *s);

/* y on the loops, found from its independent part, quaternions of unit length; 0, or 1 where there
 * is no such y, which is left as it was then. */
int KT_NAME_project(KT_NAME_system *s);

/* Memories brought up to date with the rest of y, as after every step. */
void KT_NAME_remember(KT_NAME_system *s);

/* Largest distance of y from its consistent value, relative above 1; not a number where there is
 * none. */
double KT_NAME_drift(KT_NAME_system *s);

/* One step of the classical fourth-order method of Runge and Kutta, then projection.
 * h [s]; 0, or 1 where the state has no value any more. */
int KT_NAME_step(KT_NAME_system *s, double h);

/* Lets all events happen that are due: ticks, conditions that have passed zero since they were last
 * seen, those that pass it by what changes, and so on.  Their rounds, or -1 where the state after
 * them has no value or never settles. */
int KT_NAME_happen(KT_NAME_system *s);

/* Whether a condition has passed zero in its direction: asked after every step. */
int KT_NAME_due(KT_NAME_system *s);

/* Whether a clock ticks at the present time and what it brings has not happened yet. */
int KT_NAME_ticks(const KT_NAME_system *s, int clock);

/* As many steps as are needed, none longer than now.step, from now.t to t_end [s]; events happen on
 * the way and at its end, and one of them may end it before; ticks that are left happen in `update`. */
int KT_NAME_advance(KT_NAME_system *s, double t_end);

/* What an event did. */
typedef struct KT_NAME_event {
    int again;               /* another event follows at the same time: update once more */
    int end;                 /* the motion ends here */
    int changed;             /* y is another one than before */
    double next;             /* time of the next event that is known in advance [s], or infinite */
} KT_NAME_event;

/* The questions that those who drive a system ask it, FMI for one; each may be asked alone, and
 * what was found stays in s until t, y, u or p change.  They return 0, or 1 where there is no
 * value.  Discrete states, events in a row, clocks: a model that has them answers in `update` and
 * `next_tick`, and those who drive it need not know. */
typedef struct KT_NAME_calls {
    int (*rates)(KT_NAME_system *s);                        /* s->yd = der(y) */
    int (*outputs)(KT_NAME_system *s);                      /* s->out */
    int (*indicators)(KT_NAME_system *s);                   /* s->g */
    int (*update)(KT_NAME_system *s, KT_NAME_event *found); /* an event: y put on the loops */
    double (*next_tick)(const KT_NAME_system *s);           /* as KT_NAME_event.next */
} KT_NAME_calls;

extern const KT_NAME_calls KT_NAME_interface;

#ifdef __cplusplus
}
#endif

#endif
