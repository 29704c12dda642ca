/* What host and device compute alike: operations.cu and operations.c. */
#define COUNT 32
#ifndef __CUDACC__
#define __device__ static
#endif

__device__ void of_integers(unsigned a, unsigned b, unsigned long long *o)
{
    int s = (int)a, t = (int)b;
    unsigned long long w = (unsigned long long)a << 32 | b, v = (unsigned long long)b << 31 ^ a;
    long long p = (long long)w, q = (long long)v;
    unsigned b1 = b ? b : 3;
    unsigned long long v1 = v ? v : 5;
    o[0] = a / b1;
    o[1] = a % b1;
    o[2] = (unsigned)(s >> (b & 31)) + (a << (b & 31)) + (a >> (b & 31));
    o[3] = w / v1;
    o[4] = w % v1;
    o[5] = w / (v1 >> 33 | 1);
    o[6] = (unsigned)(b1 == -1u ? 0 : s / (int)b1);
    o[7] = (unsigned long long)(p >> (a & 63));
    o[8] = a < b ? a : b;
    o[9] = s < t ? (unsigned)s : (unsigned)t;
    o[10] = w > v ? w : v;
    o[11] = (unsigned long long)(p > q ? p : q);
    o[12] = (unsigned long long)a * b;
    o[13] = (unsigned long long)((long long)s * t);
    o[14] = (unsigned char)a + (signed char)b + 1000;
    o[15] = (unsigned short)a * 3u + (unsigned)(short)b;
    o[16] = (a >> 5 & 0x3ff) | (unsigned)((s << 3) >> 20);
    o[17] = (a & b) | (~a & (b ^ 0xf0f0f0f0u));
    o[18] = (unsigned)(s < 0 ? -(unsigned)s : (unsigned)s);
    o[19] = (unsigned long long)(float)a;
    o[20] = (unsigned long long)((double)w / 4);
    o[21] = (unsigned long long)(long long)((float)p / 4);
    o[22] = (unsigned)(int)((double)s / (t | 1));
    o[23] = (unsigned long long)(long long)((double)p / 4);
    o[24] = w * v + 12345;
    o[25] = (w << 13) | (w >> 51);
    o[26] = a == b;
    o[27] = s <= t;
    o[28] = (unsigned long long)(signed char)a;
    o[29] = (unsigned short)(a + b);
    o[30] = w - v;
    o[31] = (unsigned)-t;
}
