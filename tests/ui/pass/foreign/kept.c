typedef struct {
    double *p;
    int n;
    double (*f)(double);
} context;

static double *kept;
static int count;
static context *held;

void keep(double *x, int n) {
    kept = x;
    count = n;
}

double sum_kept(void) {
    double s = 0;
    for (int i = 0; i < count; i++) {
        s += kept[i];
        kept[i] *= 2;
    }
    return s;
}

void hold(context *c) { held = c; }

double step_held(void) {
    double s = 0;
    for (int i = 0; i < held->n; i++) {
        s += held->f(held->p[i]);
        held->p[i] += 1;
    }
    return s;
}
