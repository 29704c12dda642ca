typedef struct {
    char name[300];
    double *data;
    int n;
    double (*f)(double);
} large;

double use_large(large *o, int calls) {
    double s = 0;
    for (int i = 0; i < o->n; i++) s += calls ? o->f(o->data[i]) : o->data[i];
    return s;
}
