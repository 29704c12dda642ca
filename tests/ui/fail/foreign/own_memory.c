#include <stdlib.h>
int shared_total = 7;
int *new_number(int n) {
    int *p = malloc(sizeof *p);
    *p = n;
    return p;
}
