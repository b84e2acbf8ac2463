/* Nothing happens in this model by itself. */
#if KT_EVENTS
static void gather(int *marks, const int *more, int adds)
{
    (void)marks, (void)more, (void)adds;
}

static int blame(KT_NAME_system *s, const int *marks, const char *why)
{
    (void)s, (void)marks, (void)why;
    return 1;
}
#endif

static double near_by(double t)
{
    (void)t;
    return 0.0;
}

static double next_tick(const KT_NAME_system *s)
{
    (void)s;
    return INFINITY;
}

int KT_NAME_ticks(const KT_NAME_system *s, int clock)
{
    (void)s, (void)clock;
    return 0;
}

int KT_NAME_due(KT_NAME_system *s)
{
    (void)s;
    return 0;
}

int KT_NAME_happen(KT_NAME_system *s)
{
    (void)s;
    return 0;
}

