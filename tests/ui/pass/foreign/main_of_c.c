// The main program of main_of_c.f90.
#include <stdio.h>
#include <string.h>

void greet(const char *name, int length);
int twice(int);

int main(int argc, char **argv) {
    char name[] = "main";
    greet(name, (int)strlen(name));
    printf("%d %d\n", twice(21), argc > 100 || !argv);
    fflush(stdout);
    return 0;
}
