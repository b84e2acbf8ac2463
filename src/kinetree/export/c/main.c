/* Simulates KT_NAME by a fixed-step method and writes comma-separated values.
 *
 *     KT_NAME [DURATION [STEP [EVERY]]] > run.csv
 *
 * DURATION [s], longest STEP of the method [s], EVERY so many steps one line, and one at the end,
 * which an event may bring.
 */
#include "KT_NAME_system.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static KT_NAME_system s; /* static: large systems do not burden the stack */

static const char *const columns = "time"
KT_COLUMNS    "\n";

static void line(void)
{
    int i;
    printf("%.17g", (double)s.now.t);
    for (i = 0; i < KT_NAME_STATES; i++)
        printf(",%.17g", (double)s.now.y[i]);
    for (i = 0; i < KT_NAME_STATES; i++)
        printf(",%.17g", (double)s.yd[i]);
    for (i = 0; i < KT_NAME_OUTPUTS; i++)
        printf(",%.17g", (double)s.out[i]);
    printf("\n");
}

static double option(int count, char **given, int place, double usual)
{
    char *end;
    double value;
    if (place >= count)
        return usual;
    value = strtod(given[place], &end);
    if (*end != '\0' || end == given[place] || !(value > 0.0) || value > 1e9) {
        fprintf(stderr, "'%s' is not a positive number\n", given[place]);
        exit(2);
    }
    return value;
}

int main(int count, char **given)
{
    const double duration = option(count, given, 1, KT_DURATION);
    const double step = option(count, given, 2, KT_STEP);
    const long every = (long)option(count, given, 3, KT_EVERY);
    const long steps = lround(ceil(duration/step*(1.0 - 1e-6)));
    const double h = duration/(double)steps;
    const int happens = KT_NAME_CONDITIONS + KT_NAME_CLOCKS > 0;
    double t0;
    int ended = 0;
    long k;
    KT_NAME_begin(&s);
    s.now.step = (KT_REAL)h;
    t0 = (double)s.now.t;
    fputs(columns, stdout);
    for (k = 0; k <= steps && !ended; k++) {
        const KT_REAL t = (KT_REAL)(t0 + h*(double)k);
        int failed = k > 0 && !happens ? KT_NAME_step(&s, (KT_REAL)h) : 0;
        if (k == 0)
            failed = KT_NAME_project(&s);
        if (happens && !failed)
            failed = KT_NAME_advance(&s, t);
        ended = s.now.ended > 0;
        if (!ended && !failed)
            s.now.t = t;
        if (failed || KT_NAME_evaluate(&s)) {
            if (s.trouble[0])
                fprintf(stderr, "%s\n", s.trouble);
            else
                fprintf(stderr, "no value at t = %g s: the loops do not close, or the step is too "
                                "long\n", (double)s.now.t);
            return 1;
        }
        if (k % (every > 0 ? every : 1) == 0 || k == steps || ended)
            line();
    }
    return 0;
}
