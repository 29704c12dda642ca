/* Procedures that pointers of the program point to. */
int twice(int x) { return 2 * x; }
double half(double x) { return x / 2; }
