/* Timing loops for functions that live in this process, called through their C address. */
#include "timing.h"

/* kinetree: void f(const double* x, const double* c, double* y). */
typedef void (*plain_function)(const double*, const double*, double*);

struct plain {
  plain_function call;
  const double *x, *c;
  long stride;
  double* y;
};

static void run_plain(void* context, long n) {
  const struct plain s = *(struct plain*)context;
  for (long i = 0; i < n; i++) s.call(s.x + (i & (STATES - 1)) * s.stride, s.c, s.y);
}

/* x holds STATES rows of `stride` doubles. */
void measure_plain(void* address, const double* x, long stride, const double* c, double* y,
                   int repeats, double seconds, double* out) {
  struct plain s = {(plain_function)address, x, c, stride, y};
  measure(run_plain, &s, repeats, seconds, out);
}

/* CasADi: int f(const double** arg, double** res, long long* iw, double* w, int mem). */
typedef int (*casadi_function)(const double**, double**, long long*, double*, int);

struct casadi {
  casadi_function call;
  const double** arg; /* STATES rows of `inputs` pointers, then scratch */
  long inputs;
  double** res;
  long long* iw;
  double* w;
};

static void run_casadi(void* context, long n) {
  const struct casadi s = *(struct casadi*)context;
  for (long i = 0; i < n; i++) s.call(s.arg + (i & (STATES - 1)) * s.inputs, s.res, s.iw, s.w, 0);
}

void measure_casadi(void* address, const double** arg, long inputs, double** res, long long* iw,
                    double* w, int repeats, double seconds, double* out) {
  struct casadi s = {(casadi_function)address, arg, inputs, res, iw, w};
  measure(run_casadi, &s, repeats, seconds, out);
}

/* kinetree, batch: _Bool f(table, constants, results, first, last, work), see its native target. */
typedef _Bool (*batch_function)(const void*, const double*, const void*, long long, long long,
                                void*);

struct batch {
  batch_function call;
  const void* table;
  const double* constants;
  const void* results;
  long long count;
  void* work;
};

static void run_batch(void* context, long n) {
  const struct batch s = *(struct batch*)context;
  for (long i = 0; i < n; i++) s.call(s.table, s.constants, s.results, 0, s.count, s.work);
}

/* Nanoseconds per batch of `count` states. */
void measure_batch(void* address, const void* table, const double* constants, const void* results,
                   long long count, void* work, int repeats, double seconds, double* out) {
  struct batch s = {(batch_function)address, table, constants, results, count, work};
  measure(run_batch, &s, repeats, seconds, out);
}
