/* One timing rule for every contender: thread CPU time, minimum and median over repeats.
 *
 * A repeat is a run of enough calls to last about `seconds`; short repeats fall between
 * preemptions, so the minimum is the time the code needs when left alone. */
#ifndef KINETREE_BENCH_TIMING_H
#define KINETREE_BENCH_TIMING_H

#include <stdlib.h>
#include <time.h>

enum { STATES = 64 }; /* random states, cycled; a power of two */

/* Calls the timed function n times, cycling over the states. */
typedef void (*run_many)(void* context, long n);

static double thread_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double timed(run_many run, void* context, long n) {
  double start = thread_seconds();
  run(context, n);
  return thread_seconds() - start;
}

static int ascending(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* out[0] = minimum, out[1] = median, in nanoseconds per call. */
static void measure(run_many run, void* context, int repeats, double seconds, double* out) {
  long n = 4;
  double spent = timed(run, context, n);
  while (spent < 0.3 * seconds && n < (1L << 40)) {
    n *= 2;
    spent = timed(run, context, n);
  }
  n = (long)((double)n * seconds / spent);
  if (n < 1) n = 1;
  double* ns = (double*)malloc((size_t)repeats * sizeof(double));
  for (int k = 0; k < repeats; k++) ns[k] = timed(run, context, n) / (double)n * 1e9;
  qsort(ns, (size_t)repeats, sizeof(double), ascending);
  out[0] = ns[0];
  out[1] = ns[repeats / 2];
  free(ns);
}

#endif
