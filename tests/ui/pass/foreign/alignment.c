/* What alignment.cuf calls. */
#include <stdint.h>

/* The remainder of an address. */
int rest(const void *p, int n) { return (int)((uintptr_t)p % n); }

/* The same; what is there becomes 1. */
int rest_and_set(double *p, int n)
{
    *p = 1;
    return (int)((uintptr_t)p % n);
}
