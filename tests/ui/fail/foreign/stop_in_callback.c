void each(int n, void (*f)(int)) {
    for (int i = 1; i <= n; i++) f(i);
}
