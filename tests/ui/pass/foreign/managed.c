/* Procedures that managed.cuf calls. */
#include <stdio.h>

void add(float *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] += 1;
}

void say(const char *text) { printf("C says %s\n", text); }
