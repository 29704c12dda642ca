#include <ISO_Fortran_binding.h>
#include <stdlib.h>

int shared_total = 7;

int *new_numbers(int n) {
    int *p = malloc(n * sizeof *p);
    for (int i = 0; i < n; i++) p[i] = 10 * i;
    return p;
}

void fill(CFI_cdesc_t *a) {
    for (CFI_index_t i = 0; i < a->dim[0].extent; i++) *(int *)((char *)a->base_addr + i * a->dim[0].sm) = 5 + (int)i;
}

void make(CFI_cdesc_t *a) {
    CFI_index_t lower[] = {1}, upper[] = {2};
    CFI_allocate(a, lower, upper, 0);
    ((int *)a->base_addr)[0] = 8;
    ((int *)a->base_addr)[1] = 9;
}
