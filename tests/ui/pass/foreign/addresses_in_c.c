#include <stdlib.h>

typedef struct {
    double *p;
    int n;
    double (*f)(double);
} object;

double *data;
double (*hook)(double);
object settings;
double *table[3];

double use_data(void) { return *data += 1; }
double use_hook(double x) { return hook(x); }
double use_settings(void) {
    double s = 0;
    for (int i = 0; i < settings.n; i++) s += settings.f(settings.p[i]);
    return s;
}
double use_table(void) {
    double s = 0;
    for (int i = 0; i < 3; i++) s += *table[i];
    return s;
}
void set_own(double x) {
    static double own;
    own = x;
    data = &own;
}

object *new_object(void) { return calloc(1, sizeof(object)); }
double use_object(object *o) {
    double s = 0;
    for (int i = 0; i < o->n; i++) s += o->f ? o->f(o->p[i]) : o->p[i];
    return s;
}
void free_object(object *o) { free(o); }
