#include <ISO_Fortran_binding.h>
#include <stddef.h>

/* The sum of a[:, i]; absent is -1. */
int c_sum(CFI_cdesc_t *a, CFI_cdesc_t *scale) {
    int sum = 0;
    if (!a) return -1;
    for (CFI_index_t i = 0; i < a->dim[0].extent; i++) {
        CFI_index_t at[] = {i + a->dim[0].lower_bound};
        sum += *(int *)CFI_address(a, at);
    }
    return scale ? sum * (int)scale->elem_len : sum;
}

/* Makes an array of n elements, or frees what there is. */
void c_make(CFI_cdesc_t *a, int n) {
    CFI_index_t lower[] = {2}, upper[] = {n + 1};
    if (a->base_addr) CFI_deallocate(a);
    if (n == 0) return;
    CFI_allocate(a, lower, upper, 0);
    for (int i = 0; i < n; i++) ((int *)a->base_addr)[i] = 7 * (i + 1);
}

/* Ten times the rank and the type, in a way. */
int c_rank(CFI_cdesc_t *a) {
    return 10 * a->rank + (a->type == CFI_type_double ? 1 : a->type == CFI_type_int ? 2 : 3);
}

int c_length(CFI_cdesc_t *text) { return (int)text->elem_len; }

typedef int sum_of(CFI_cdesc_t *, CFI_cdesc_t *);

sum_of *c_give(void) { return c_sum; }

/* Calls what it is given with a section and without. */
int c_calls(sum_of *f) {
    int data[6] = {1, 2, 3, 4, 5, 6};
    CFI_CDESC_T(1) a;
    CFI_CDESC_T(0) s;
    CFI_index_t extent[] = {6}, lower[] = {0}, stride[] = {2};
    double x = 1;
    CFI_establish((CFI_cdesc_t *)&a, data, CFI_attribute_other, CFI_type_int, 0, 1, extent);
    CFI_section((CFI_cdesc_t *)&a, (CFI_cdesc_t *)&a, lower, NULL, stride);
    CFI_establish((CFI_cdesc_t *)&s, &x, CFI_attribute_other, CFI_type_double, 0, 0, NULL);
    return f((CFI_cdesc_t *)&a, (CFI_cdesc_t *)&s) + 1000 * f((CFI_cdesc_t *)&a, NULL) + 100000 * f(NULL, NULL);
}

/* Doubles what it is given, whose elements follow each other; absent is -1. */
int c_twice(CFI_cdesc_t *a) {
    CFI_index_t n = 1;
    if (!a) return -1;
    for (int i = 0; i < a->rank; i++) n *= a->dim[i].extent;
    for (CFI_index_t i = 0; i < n; i++) ((int *)a->base_addr)[i] *= 2;
    return CFI_is_contiguous(a);
}

extern int f_ranks(CFI_cdesc_t *a, CFI_cdesc_t *b);
extern int f_three(CFI_cdesc_t *a, CFI_cdesc_t *b, CFI_cdesc_t *c);

void c_ranks(int *out) {
    int data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    CFI_index_t extent[] = {2, 2, 2};
    CFI_CDESC_T(3) d[4];
    for (int rank = 0; rank < 4; rank++)
        CFI_establish((CFI_cdesc_t *)&d[rank], data, CFI_attribute_other, CFI_type_int, 0, rank, extent);
    out[0] = f_ranks((CFI_cdesc_t *)&d[1], (CFI_cdesc_t *)&d[2]);
    out[1] = f_ranks((CFI_cdesc_t *)&d[3], (CFI_cdesc_t *)&d[0]);
    out[2] = f_ranks((CFI_cdesc_t *)&d[2], (CFI_cdesc_t *)&d[2]);
    out[3] = f_three((CFI_cdesc_t *)&d[0], (CFI_cdesc_t *)&d[1], (CFI_cdesc_t *)&d[3]);
    out[4] = f_three((CFI_cdesc_t *)&d[2], NULL, (CFI_cdesc_t *)&d[1]);
}
