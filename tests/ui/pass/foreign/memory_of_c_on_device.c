#include <stdlib.h>

double *numbers(int n)
{
    double *p = malloc(n * sizeof *p);
    for (int i = 0; i < n; i++)
        p[i] = i + 1;
    return p;
}
