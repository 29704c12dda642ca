// Calls the entries of entries.f90 by their names.
#include <stdio.h>

int first(int);
int second(int);

void start(void) { printf("%d %d\n", first(3), second(4)); }
