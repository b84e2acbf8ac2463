/* A stand-in for the header of Simulink: as much of a SimStruct as a generated block touches. */
#ifndef SIMSTRUC_H
#define SIMSTRUC_H

typedef double real_T;
typedef int int_T;
typedef const real_T **InputRealPtrsType;
typedef struct { real_T *values; } mxArray;

typedef struct {
    int parameters, states, inputs, outputs, in[8], out[8];
    real_T t, x[1024], dx[1024], y[8][1024], u[8][1024];
    const real_T *pointers[8][1024];
    mxArray given[4];
} SimStruct;

#define CONTINUOUS_SAMPLE_TIME 0.0
#define ssSetNumSFcnParams(S, n) ((S)->parameters = (n))
#define ssGetNumSFcnParams(S) ((S)->parameters)
#define ssGetSFcnParamsCount(S) ((S)->parameters)
#define ssSetNumContStates(S, n) ((S)->states = (n))
#define ssSetNumDiscStates(S, n) ((void)(S), (void)(n))
#define ssSetNumInputPorts(S, n) ((S)->inputs = (n), 1)
#define ssSetNumOutputPorts(S, n) ((S)->outputs = (n), 1)
#define ssSetInputPortWidth(S, i, n) ((S)->in[i] = (n))
#define ssSetOutputPortWidth(S, i, n) ((S)->out[i] = (n))
#define ssSetInputPortDirectFeedThrough(S, i, n) ((void)(S), (void)(i), (void)(n))
#define ssSetNumSampleTimes(S, n) ((void)(S), (void)(n))
#define ssSetSampleTime(S, i, t) ((void)(S), (void)(t))
#define ssSetOffsetTime(S, i, t) ((void)(S), (void)(t))
#define ssGetT(S) ((S)->t)
#define ssGetContStates(S) ((S)->x)
#define ssGetdX(S) ((S)->dx)
#define ssGetSFcnParam(S, i) (&(S)->given[i])
#define mxGetPr(a) ((a)->values)
#define ssGetInputPortRealSignalPtrs(S, i) ((S)->pointers[i])
#define ssGetOutputPortRealSignal(S, i) ((S)->y[i])

#endif
