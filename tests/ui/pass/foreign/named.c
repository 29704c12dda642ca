// C code that calls procedures of named.f90 by their names, uses its variables, and passes memory of its own.
#include <ISO_Fortran_binding.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double total(CFI_cdesc_t *a);
int rank_of(CFI_cdesc_t *a, CFI_cdesc_t *b);
void fill(CFI_cdesc_t *a, int n);
void next(CFI_cdesc_t *p);
int length_of(CFI_cdesc_t *text, CFI_cdesc_t *optional);
void negate(CFI_cdesc_t *a);
void plain_(int *i, char *text, double *x, size_t length);
double halves_(double *x);
int *cell(int i);

typedef int (*function)(CFI_cdesc_t *, CFI_cdesc_t *);
static function by_address = rank_of;

static double table[4][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}};

void start(void) {
    CFI_CDESC_T(2) d, s;
    CFI_cdesc_t *a = (CFI_cdesc_t *)&d, *b = (CFI_cdesc_t *)&s;
    CFI_establish(a, table, CFI_attribute_other, CFI_type_double, 0, 2, (CFI_index_t[]){3, 4});
    printf("%g\n", total(a));
    CFI_establish(b, NULL, CFI_attribute_other, CFI_type_double, 0, 2, NULL);
    CFI_section(b, a, (CFI_index_t[]){0, 3}, (CFI_index_t[]){2, 0}, (CFI_index_t[]){2, -3});
    printf("%g %d\n", total(b), CFI_is_contiguous(b));
    printf("%d %d\n", by_address(a, a), rank_of(b, b));
    negate(b);
    printf("%g %g %g %g\n", table[0][0], table[0][1], table[3][2], table[1][0]);

    CFI_CDESC_T(1) e;
    CFI_cdesc_t *f = (CFI_cdesc_t *)&e;
    CFI_establish(f, NULL, CFI_attribute_allocatable, CFI_type_int, 0, 1, NULL);
    fill(f, 3);
    printf("%d %d:", (int)f->dim[0].lower_bound, (int)f->dim[0].extent);
    for (int i = 0; i < 3; i++)
        printf(" %d", ((int *)f->base_addr)[i]);
    fill(f, 0);
    printf(" %d\n", f->base_addr != NULL);
    CFI_allocate(f, (CFI_index_t[]){1}, (CFI_index_t[]){2}, 0);
    fill(f, 1);
    printf("%d\n", *(int *)f->base_addr);
    fill(f, 0);

    int *cells = malloc(5 * sizeof *cells);
    for (int i = 0; i < 5; i++)
        cells[i] = i;
    CFI_establish(f, cells, CFI_attribute_pointer, CFI_type_int, 0, 1, (CFI_index_t[]){5});
    next(f);
    printf("%d %d %d\n", (int)f->dim[0].extent, (int)f->dim[0].sm, *(int *)f->base_addr);
    next(f);
    printf("%d\n", f->base_addr == NULL);
    free(cells);

    CFI_CDESC_T(0) t;
    char text[] = "four";
    CFI_establish((CFI_cdesc_t *)&t, text, CFI_attribute_other, CFI_type_char, 4, 0, NULL);
    printf("%d %d %s\n", length_of((CFI_cdesc_t *)&t, NULL), length_of((CFI_cdesc_t *)&t, (CFI_cdesc_t *)&t), text);
    int i = 6;
    double x = 5;
    plain_(&i, text, &x, 4);
    printf("%d %s %g %g\n", i, text, x, halves_(&x));
    *cell(2) += 100;
    printf("%d\n", *cell(2));
}
