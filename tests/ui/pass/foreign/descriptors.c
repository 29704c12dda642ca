// What C makes of descriptors; called by descriptors.f90.
#include <ISO_Fortran_binding.h>
#include <stdio.h>
#include <string.h>

static double at(const CFI_cdesc_t *a, CFI_index_t i, CFI_index_t j) {
    return *(double *)((char *)a->base_addr + i * a->dim[0].sm + j * a->dim[1].sm);
}

double sum_of(const CFI_cdesc_t *a) {
    double sum = 0;
    if (a->type != CFI_type_double || a->rank != 2 || a->attribute != CFI_attribute_other || a->elem_len != 8)
        return -1;
    for (CFI_index_t j = 0; j < a->dim[1].extent; j++)
        for (CFI_index_t i = 0; i < a->dim[0].extent; i++)
            sum += at(a, i, j);
    return sum;
}

int shape_of(const CFI_cdesc_t *a, int extents[]) {
    for (int i = 0; i < a->rank; i++)
        extents[i] = (int)a->dim[i].extent + 100 * (int)a->dim[i].lower_bound;
    return a->rank + 100 * CFI_is_contiguous(a);
}

int kind_of(const CFI_cdesc_t *a) {
    if (!a)
        return 0;
    return a->type == CFI_type_int ? 1 : a->type == CFI_type_float_Complex ? 2 : a->type == CFI_type_char ? 3
         : a->type == CFI_type_cptr ? 4 : a->type == CFI_type_struct ? 5 : a->type == CFI_type_int8_t ? 6
         : a->type == CFI_type_Bool ? 7 : a->type == CFI_type_other ? 8 : 9;
}

int make(CFI_cdesc_t *a, int n) {
    CFI_index_t lower[1] = {5}, upper[1] = {n + 4};
    int had = a->base_addr ? (int)a->dim[0].extent : -1;
    if (a->base_addr)
        CFI_deallocate(a);
    if (n < 0)
        return had;
    if (a->attribute != CFI_attribute_allocatable || CFI_allocate(a, lower, upper, 0))
        return -100;
    for (int i = 0; i < n; i++)
        *(int *)CFI_address(a, (CFI_index_t[]){i + 5}) = i * i;
    return had;
}

static int three[3] = {30, 20, 10};

void point(CFI_cdesc_t *p, CFI_cdesc_t *target) {
    if (target) {
        CFI_setpointer(p, target, (CFI_index_t[]){0});
        return;
    }
    CFI_CDESC_T(1) d;
    CFI_establish((CFI_cdesc_t *)&d, three, CFI_attribute_other, CFI_type_int, 0, 1, (CFI_index_t[]){3});
    CFI_setpointer(p, (CFI_cdesc_t *)&d, (CFI_index_t[]){-1});
}

void upper_case(CFI_cdesc_t *text) {
    char *c = text->base_addr;
    for (size_t i = 0; i < text->elem_len; i++)
        if (c[i] >= 'a' && c[i] <= 'z')
            c[i] -= 'a' - 'A';
}

void lines(const CFI_cdesc_t *texts) {
    for (CFI_index_t i = 0; i < texts->dim[0].extent; i++)
        printf("%.*s|%d\n", (int)texts->elem_len, (char *)texts->base_addr + i * texts->dim[0].sm, (int)texts->elem_len);
}
