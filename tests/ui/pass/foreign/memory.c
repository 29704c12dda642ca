/* Procedures that memory.cuf calls. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void scale(double *x, int n, double by)
{
    for (int i = 0; i < n; i++)
        x[i] *= by;
}

double total(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

/* A plan, as libraries of transforms have it: it keeps addresses. */
struct plan { const double *from; double *to; int n; };

struct plan *plan_make(const double *from, double *to, int n)
{
    struct plan *plan = malloc(sizeof *plan);
    plan->from = from;
    plan->to = to;
    plan->n = n;
    return plan;
}

void plan_execute(struct plan *plan)
{
    for (int i = 0; i < plan->n; i++)
        plan->to[i] = 2 * plan->from[i];
}

void plan_destroy(struct plan **plan)
{
    free(*plan);
    *plan = NULL;
}

/* Addresses behind addresses. */
struct view { double *x; int n; };

void view_next(struct view *view)
{
    view->x++;
    view->n--;
    view->x[0] = -view->n;
}

double *second(double *x) { return x + 1; }

void fill_all(double **rows, int rows_n, int n)
{
    for (int i = 0; i < rows_n; i++)
        for (int j = 0; j < n; j++)
            rows[i][j] = 10 * i + j;
}

/* By the conventions of Fortran. */
void fscale_(double *x, int *n, char *unit, size_t length)
{
    for (int i = 0; i < *n; i++)
        x[i] *= length;
    memset(unit, '.', length);
}

double fsum_(double *x, int *n) { return total(x, *n); }

double third_(double *x) { return *x / 3; }

void shift_(double *x, int *n)
{
    for (int i = 0; i < *n; i++)
        x[i] += 100;
}

int ending_(char *text, size_t length) { return text[length - 1]; }
