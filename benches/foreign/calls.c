/* What calls.f90 calls. */
double step(double x, int n) { return x + n; }

double near(const double *x, int n) { return *x + n; }

int each(int n, int (*f)(int)) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += f(i);
  return sum;
}

void touch(long n, double *x) { x[n - 1] += 1.0; }
