void call_it(void (*f)(void)) { f(); }
