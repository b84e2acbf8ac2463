/* Nothing happens in this model by itself. */
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

