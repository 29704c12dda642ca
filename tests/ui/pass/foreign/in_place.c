/* C code that keeps addresses of the program's memory and works on it without being given it again (in_place.cuf). */
static double *kept[8];
static int counts[8];

int keep(int i, double *x, int n) {
  int is_same = kept[i] == x;
  kept[i] = x;
  counts[i] = n;
  return is_same;
}

void add_to_kept(int n, double by) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < counts[i]; j++) kept[i][j] += by;
}

void forget(int i) { counts[i] = 0; }

double sum(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i];
  return s;
}

/* Swaps what two pointers of an array point to, and calls back in between, when the program sees the new order. */
void rotate(double **rows, int n, void (*look)(void)) {
  double *first = rows[0];
  for (int i = 1; i < n; i++) rows[i - 1] = rows[i];
  rows[n - 1] = first;
  look();
  for (int i = 0; i < n; i++) rows[i][0] += 10 * (i + 1);
}

int reads_from(const int *x, int i) { return x[i]; }
