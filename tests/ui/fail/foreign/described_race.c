#include <ISO_Fortran_binding.h>

/* A procedure that described_race.cuf calls. */
void clear(CFI_cdesc_t *x) {
    for (CFI_index_t i = 0; i < x->dim[0].extent; i++) *(float *)((char *)x->base_addr + i * x->dim[0].sm) = 0;
}
