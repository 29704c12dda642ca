/* What crash_behind_callback.f90 calls. */
int divide(int n, int (*f)(int)) { return n / f(n); }
