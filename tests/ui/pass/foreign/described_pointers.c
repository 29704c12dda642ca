/* C code that follows pointers in arrays that go by descriptors, and addresses that are numbers (described_pointers.f90). */
#include <ISO_Fortran_binding.h>
#include <stdint.h>

typedef int of_int(int);

/* The sum of what the pointers of an array point to; adds 1 to each. */
int sum_of(CFI_cdesc_t *pointers) {
  int sum = 0;
  for (CFI_index_t i = 0; i < pointers->dim[0].extent; i++) {
    CFI_index_t at = pointers->dim[0].lower_bound + i;
    int **p = CFI_address(pointers, &at);
    sum += (**p)++;
  }
  return sum;
}

/* Calls the procedures that an array points to. */
int called(CFI_cdesc_t *procedures, int x) {
  int sum = 0;
  for (CFI_index_t i = 0; i < procedures->dim[0].extent; i++) {
    CFI_index_t at = procedures->dim[0].lower_bound + i;
    sum += (*(of_int **)CFI_address(procedures, &at))(x);
  }
  return sum;
}

struct named {
  int key;
  double *value;
};

/* Makes the second structure point to what the first one does. */
double share(CFI_cdesc_t *named) {
  CFI_index_t at[2] = {0, 1};
  struct named *first = CFI_address(named, &at[0]), *second = CFI_address(named, &at[1]);
  double sum = *first->value + *second->value;
  second->value = first->value;
  return sum;
}

int is_at(CFI_cdesc_t *x, intptr_t *address) { return x->base_addr == (void *)*address; }
