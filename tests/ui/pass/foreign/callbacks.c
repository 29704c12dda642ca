#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef double (*real_function)(double);
typedef struct { double x; int n; } pair;
typedef struct { double v[3]; } triple;
typedef struct { real_function f; void *data; } holder;

double integrate(real_function f, double a, double b, int n) {
    double sum = 0, h = (b - a) / n;
    for (int i = 0; i < n; i++) sum += f(a + (i + 0.5) * h);
    return sum * h;
}

/* Sorts in memory of its own, so that the comparison gets addresses of C. */
void sort_copy(int *v, int n, int (*compare)(const int *, const int *)) {
    int *copy = malloc(n * sizeof *copy);
    memcpy(copy, v, n * sizeof *copy);
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && compare(&copy[j - 1], &copy[j]) > 0; j--) {
            int t = copy[j];
            copy[j] = copy[j - 1];
            copy[j - 1] = t;
        }
    memcpy(v, copy, n * sizeof *copy);
    free(copy);
}

static real_function kept;
static int64_t (*many)(int8_t, int16_t, int32_t, int64_t, float, double, int, int, int, int, double);

void keep(real_function f) { kept = f; }
double call_kept(double x) { return kept ? kept(x) : -1.0; }
real_function give_kept(void) { return kept; }
void call_subroutine(void (*f)(int *, double), int times) {
    int total = 0;
    for (int i = 0; i < times; i++) f(&total, 1.5 * i);
    printf("C: total %d\n", total);
}
int64_t call_many(int64_t (*f)(int8_t, int16_t, int32_t, int64_t, float, double, int, int, int, int, double)) {
    many = f;
    return many(-1, 2, 3, 4, 0.5f, 0.25, 5, 6, 7, 8, 2.0);
}
pair call_pair(pair (*f)(pair, int)) {
    pair p = {2.5, 4};
    return f(p, 3);
}
triple call_triple(triple (*f)(triple, double)) {
    triple t = {{1, 2, 3}};
    return f(t, 10.0);
}
double call_holder(holder *h) { return h->f(*(double *)h->data); }
void set_and_call(int *v, void (*f)(void)) {
    v[0] = 7;
    f();
    printf("C: v[1] is %d\n", v[1]);
    v[0] += v[1];
}
