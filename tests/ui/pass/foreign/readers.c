/* What readers.f90 calls. */
int ask(int (*f)(void)) { return f(); }
