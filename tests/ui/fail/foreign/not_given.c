/* What not_given.f90 calls. */
int at(long address) { return *(int *)address; }
