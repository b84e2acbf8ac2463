"""Simulink: the frame of a level-2 S-function."""

from __future__ import annotations

TEMPLATE = """\
@FIRST@
#define S_FUNCTION_NAME @NAME_@_sfun
#define S_FUNCTION_LEVEL 2

#include "simstruc.h"

#include <string.h>

@HEADERS@

#define PARAMETERS @PARAMETERS@
#define STATES @STATES@
#define INPUTS @INPUTS@
#define OUTPUTS @OUTPUTS@

/* The values at an input port, which need not lie side by side. */
static void kt_port(SimStruct *S, int port, real_T *values, int size)
{
    InputRealPtrsType from = ssGetInputPortRealSignalPtrs(S, port);
    int i;
    for (i = 0; i < size; i++)
        values[i] = *from[i];
}

static void mdlInitializeSizes(SimStruct *S)
{
    static const int in[] = @IN_WIDTHS@, out[] = @OUT_WIDTHS@;
    int i;
    (void)kt_port;
    ssSetNumSFcnParams(S, PARAMETERS);
    if (ssGetNumSFcnParams(S) != ssGetSFcnParamsCount(S))
        return;
    ssSetNumContStates(S, STATES);
    ssSetNumDiscStates(S, 0);
    if (!ssSetNumInputPorts(S, INPUTS) || !ssSetNumOutputPorts(S, OUTPUTS))
        return;
    for (i = 0; i < INPUTS; i++) {
        ssSetInputPortWidth(S, i, in[i]);
        ssSetInputPortDirectFeedThrough(S, i, 1);
    }
    for (i = 0; i < OUTPUTS; i++)
        ssSetOutputPortWidth(S, i, out[i]);
    ssSetNumSampleTimes(S, 1);
}

static void mdlInitializeSampleTimes(SimStruct *S)
{
    ssSetSampleTime(S, 0, CONTINUOUS_SAMPLE_TIME);
    ssSetOffsetTime(S, 0, 0.0);
}

#if STATES > 0
#define MDL_INITIALIZE_CONDITIONS
/* The first dialog parameter is the start of the states: q, qd, user states. */
static void mdlInitializeConditions(SimStruct *S)
{
    memcpy(ssGetContStates(S), mxGetPr(ssGetSFcnParam(S, 0)), STATES * sizeof(real_T));
}

#define MDL_DERIVATIVES
static void mdlDerivatives(SimStruct *S)
{
@DERIVATIVES@
}
#endif

static void mdlOutputs(SimStruct *S, int_T tid)
{
@CALL@
    (void)tid;
}

static void mdlTerminate(SimStruct *S)
{
    (void)S;
}

#ifdef MATLAB_MEX_FILE
#include "simulink.c"
#else
#include "cg_sfun.h"
#endif
"""
