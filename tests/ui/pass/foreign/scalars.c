/* Procedures that scalars.cuf calls. */
#include <complex.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

int8_t next1(int8_t n) { return n + 1; }
int16_t next2(int16_t n) { return n + 1; }
int32_t next4(int32_t n) { return n + 1; }
int64_t next8(int64_t n) { return n + 1; }
float half4(float x) { return x / 2; }
double half8(double x) { return x / 2; }
float complex turn4(float complex z) { return z * I; }
double complex turn8(double complex z) { return z * I; }
bool negated(bool b) { return !b; }
char upper(char c) { return c - 'a' + 'A'; }

void raise_all(int8_t *a, int16_t *b, int32_t *c, int64_t *d, float *x, double *y, double complex *z, bool *l, char *s)
{
    *a += 1;
    *b += 2;
    *c += 3;
    *d += 4;
    *x += 0.5f;
    *y += 0.25;
    *z += 1 + 2 * I;
    *l = !*l;
    *s += 1;
}

double many(int a, double b, float c, int d, int e, int f, int g, int h, double i, double j, double k, double l, double m,
            double n, double o, double p, int64_t q)
{
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k + 12 * l + 13 * m + 14 * n +
           15 * o + 16 * p + 17 * q;
}

int is_absent(const int *p) { return p == 0; }

struct pair { int n; double x; };
struct colour { float r, g, b; };
struct table { int64_t n[3]; double total; };

struct pair swapped(struct pair p)
{
    struct pair q = {(int)p.x, p.n};
    return q;
}

struct colour dark(struct colour c, float by)
{
    struct colour d = {c.r * by, c.g * by, c.b * by};
    return d;
}

struct table summed(struct table t)
{
    t.total = t.n[0] + t.n[1] + t.n[2];
    return t;
}

int length(const char *s) { return strlen(s); }

void greet(char *to, const char *name)
{
    strcpy(to, "hello ");
    strcat(to, name);
}
