/* Names that the C library and its mathematics have too, and that are no names of C (C11, 7.1.3): those of the program are meant. */
#include "ISO_Fortran_binding.h"

int y1[2] = {5, 6};
int glob[3] = {0, 0, 5};
int index(int a, int b) { return 10 * a + b; }
void error(int code, int *out) { *out = code + 200; }

int of_y1(void) { return y1[0]; }
int counted(void) { return glob[2]++; }
int of_index(int a) { return index(a, 8); }
int of_error(int code) {
    int out;
    error(code, &out);
    return out;
}

/* A section without elements for a dummy that has to be contiguous. */
int extents(CFI_cdesc_t *d) { return (int)(100 * d->dim[0].extent + d->dim[1].extent); }
