#include <stdio.h>
int look_at(int *p) {
    printf("C: about to crash\n");
    fflush(stdout);
    return *p;
}
