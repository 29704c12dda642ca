/* The functions of operations.cu, compiled for the host, where results are rounded as the C library is told. */
#include "operations.h"
#include <fenv.h>
#include <math.h>

void host_integers(int n, const unsigned *x, unsigned long long *out)
{
    for (int i = 0; i < n; ++i) of_integers(x[2 * i], x[2 * i + 1], out + COUNT * i);
}

void host_intrinsics(int n, const unsigned *x, unsigned long long *out)
{
    for (int i = 0; i < n; ++i) {
        unsigned a = x[2 * i], b = x[2 * i + 1], r = 0;
        unsigned long long w = (unsigned long long)a << 32 | b, *o = out + COUNT * i, both = (unsigned long long)b << 32 | a, rr = 0;
        for (int k = 0; k < 32; ++k) r |= (a >> k & 1) << (31 - k);
        for (int k = 0; k < 64; ++k) rr |= (w >> k & 1) << (63 - k);
        o[0] = __builtin_popcount(a);
        o[1] = a ? __builtin_clz(a) : 32;
        o[2] = r;
        o[3] = __builtin_ffs((int)a);
        o[4] = __builtin_popcountll(w);
        o[5] = w ? __builtin_clzll(w) : 64;
        o[6] = rr;
        unsigned p = 0, q = 0;
        for (int k = 0; k < 4; ++k) {
            p |= (unsigned)(both >> 8 * (0x3715 >> 4 * k & 7) & 0xff) << 8 * k;
            q |= (unsigned)(both >> 8 * (b >> 4 * k & 7) & 0xff) << 8 * k;
        }
        o[7] = p;
        o[8] = q;
        o[9] = (unsigned)(both << (a & 31) >> 32);
        o[10] = (unsigned)(both >> (b & 31));
        o[11] = b >= 32 ? a : (unsigned)(both << b >> 32);
        o[12] = (unsigned long long)a * b >> 32;
        o[13] = (unsigned)((long long)(int)a * (int)b >> 32);
        o[14] = (unsigned long long)((unsigned __int128)w * (w ^ 0x1234567) >> 64);
        o[15] = ((int)a < (int)b ? b - a : a - b) + 7;
    }
}

/* As a GPU converts what does not fit; −0 is 0. */
static double clamp(double x, double least, double most)
{
    return x < least ? least : x > most ? most : x + 0.0;
}

#define ROUNDED(mode, expression) (fesetround(mode), r = (expression), fesetround(FE_TONEAREST), (double)r)

__attribute__((optimize("rounding-math"))) void host_reals(int n, const double *x, double *out)
{
    for (int i = 0; i < n; ++i) {
        volatile double a = x[2 * i], b = x[2 * i + 1], *o = out + COUNT * i;
        volatile float c = (float)a, d = (float)b, cc = c * c;
        volatile double s;
        volatile float r;
        o[0] = ROUNDED(FE_TOWARDZERO, c + d); o[1] = ROUNDED(FE_DOWNWARD, c + d); o[2] = ROUNDED(FE_UPWARD, c + d); o[3] = c + d;
        o[4] = ROUNDED(FE_TOWARDZERO, c * d); o[5] = ROUNDED(FE_DOWNWARD, c * d); o[6] = ROUNDED(FE_UPWARD, c * d);
        o[7] = ROUNDED(FE_TOWARDZERO, c / d); o[8] = ROUNDED(FE_DOWNWARD, c / d); o[9] = ROUNDED(FE_UPWARD, c / d);
        fesetround(FE_DOWNWARD); s = a + b; o[10] = s; s = a * b; o[12] = s;
        fesetround(FE_UPWARD); s = a + b; o[11] = s; s = a * b; o[13] = s;
        fesetround(FE_TONEAREST);
        o[14] = ROUNDED(FE_DOWNWARD, sqrtf(cc)); o[15] = ROUNDED(FE_UPWARD, sqrtf(fabsf(c)));
        o[16] = ROUNDED(FE_DOWNWARD, (float)a); o[17] = ROUNDED(FE_UPWARD, (float)a); o[18] = ROUNDED(FE_TOWARDZERO, (float)a);
        o[19] = clamp(rintf(c), -0x1p31, 0x7fffffff); o[20] = clamp(floorf(c), -0x1p31, 0x7fffffff);
        o[21] = clamp(ceilf(c), -0x1p31, 0x7fffffff); o[22] = clamp(truncf(c), -0x1p31, 0x7fffffff);
        o[23] = clamp(trunc(a), 0, 0xffffffffu); o[24] = clamp(trunc(a), 0, 0x1p64);
        o[25] = floor(a); o[26] = rint(a); o[27] = trunc(b);
        o[28] = fmin(a, b); o[29] = copysign(a, b); o[30] = 3; o[31] = c < 0 ? 0 : c > 1 ? 1 : c;
    }
}
