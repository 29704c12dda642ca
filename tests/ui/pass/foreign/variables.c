// What variables.f90 and C have in common.
#include <stdlib.h>

int counter = 40;
const double *values;
int from_fortran;
struct {
    int n;
    double x;
} block;
extern double table[3];
extern int shared_first[2];

static double numbers[4] = {1.5, 2.5, 3.5, 4.5};

void prepare(void) {
    double *made = malloc(sizeof numbers);
    for (int i = 0; i < 4; i++)
        made[i] = numbers[i];
    values = made;
    counter++;
    block.n *= 2;
    block.x += 0.5;
    for (int i = 0; i < 3; i++)
        table[i] = -table[i];
}

int sum(void) { return counter + from_fortran + (int)values[0] + shared_first[1]; }

static int twice(int n) { return 2 * n; }

void *function(void) { return (void *)twice; }
void assign_(int (**pointer)(int)) { *pointer = twice; }
