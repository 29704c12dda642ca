#include <errno.h>

int *place_of_errno(void) { return &errno; }
void fail(int number) { errno = number; }
int last_errno(void) { return errno; }
