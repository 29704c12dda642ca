// Operations that the guides' kernels do not have. operations.c has the same functions for the host.
#include "operations.h"

__constant__ int coefficients[4] = {3, 1, 4, 1};
__device__ int total = 5;

extern "C" __global__ void integers(int n, const unsigned *x, unsigned long long *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) of_integers(x[2 * i], x[2 * i + 1], out + (size_t)COUNT * i);
}

extern "C" __global__ void intrinsics(int n, const unsigned *x, unsigned long long *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned a = x[2 * i], b = x[2 * i + 1];
    unsigned long long w = (unsigned long long)a << 32 | b, *o = out + (size_t)COUNT * i;
    o[0] = __popc(a); o[1] = __clz(a); o[2] = __brev(a); o[3] = __ffs(a);
    o[4] = __popcll(w); o[5] = __clzll(w); o[6] = __brevll(w);
    o[7] = __byte_perm(a, b, 0x3715); o[8] = __byte_perm(a, b, b & 0x7777);
    o[9] = __funnelshift_l(a, b, a); o[10] = __funnelshift_r(a, b, b); o[11] = __funnelshift_lc(a, b, b);
    o[12] = __umulhi(a, b); o[13] = (unsigned)__mulhi((int)a, (int)b); o[14] = __umul64hi(w, w ^ 0x1234567);
    o[15] = __sad((int)a, (int)b, 7u);
}

extern "C" __global__ void reals(int n, const double *x, double *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double a = x[2 * i], b = x[2 * i + 1], *o = out + (size_t)COUNT * i;
    float c = (float)a, d = (float)b;
    o[0] = __fadd_rz(c, d); o[1] = __fadd_rd(c, d); o[2] = __fadd_ru(c, d); o[3] = __fadd_rn(c, d);
    o[4] = __fmul_rz(c, d); o[5] = __fmul_rd(c, d); o[6] = __fmul_ru(c, d);
    o[7] = __fdiv_rz(c, d); o[8] = __fdiv_rd(c, d); o[9] = __fdiv_ru(c, d);
    o[10] = __dadd_rd(a, b); o[11] = __dadd_ru(a, b); o[12] = __dmul_rd(a, b); o[13] = __dmul_ru(a, b);
    o[14] = __fsqrt_rd(c * c); o[15] = __fsqrt_ru(fabsf(c));
    o[16] = __double2float_rd(a); o[17] = __double2float_ru(a); o[18] = __double2float_rz(a);
    o[19] = __float2int_rn(c); o[20] = __float2int_rd(c); o[21] = __float2int_ru(c); o[22] = __float2int_rz(c);
    o[23] = __double2uint_rz(a); o[24] = (double)__double2ull_rz(a); o[25] = floor(a); o[26] = rint(a); o[27] = trunc(b);
    o[28] = fmin(a, b); o[29] = copysign(a, b); o[30] = isnan(a) ? 1 : isinf(b) ? 2 : 3; o[31] = __saturatef(c);
}

extern "C" __global__ void warps(int *out)
{
    int lane = threadIdx.x & 31;
    extern __shared__ int room[];
    room[threadIdx.x] = lane * lane;
    __syncthreads();
    int v = room[(threadIdx.x + 1) % blockDim.x];
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffff, v, o);
    int *o = out + 16 * threadIdx.x;
    o[0] = v;
    o[1] = __shfl_up_sync(0xffffffff, lane, 3, 8);
    o[2] = __shfl_sync(0xffffffff, lane, 5, 16);
    o[3] = __ballot_sync(0xffffffff, lane % 3 == 0);
    o[4] = __any_sync(0xffffffff, lane == 9);
    o[5] = __all_sync(0xffffffff, lane < 31);
    o[6] = __syncthreads_count(lane == 1);
    o[7] = __syncthreads_and(lane >= 0) + 2 * __syncthreads_or(lane > 31);
    o[8] = -1;
    if (lane < 8) o[8] = __shfl_down_sync(0xff, lane * 10, 1);
    __syncwarp();
    o[9] = __match_any_sync(0xffffffff, lane / 8);
    o[10] = __reduce_add_sync(0xffffffff, lane);
    o[11] = coefficients[lane & 3];
}

extern "C" __global__ void atomics(unsigned *c, unsigned long long *d, float *f)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicMax(c, i * 2654435761u);
    atomicMin(c + 1, i * 2654435761u);
    atomicOr(c + 2, 1u << (i & 31));
    atomicInc(c + 3, 9);
    atomicXor(c + 4, i);
    atomicAdd(d, (unsigned long long)i << 20);
    atomicAdd(f, 1.0f);
    atomicCAS(c + 5, 0u, 77u);
    atomicAdd(&total, 1);
    if (i == 0) atomicExch(c + 6, 12u);
}

extern "C" __global__ void what_total(int *out) { *out = total; }

__device__ __noinline__ int choose(int n)
{
    int table[8];
    for (int i = 0; i < 8; ++i) table[i] = i * n;
    switch (n) {
    case 0: return 100;
    case 1: return table[n + 2];
    case 2: return 7;
    case 3: return table[4] - 1;
    case 4: return -n;
    case 5: return 55;
    default: return table[n & 7];
    }
}

extern "C" __global__ void calls(int *out) { out[threadIdx.x] = choose(threadIdx.x); }

extern "C" __global__ void prints(int n, double x)
{
    if (threadIdx.x < 2)
        printf("thread %d of %u: %s %8.3f %e %c %5.1f%% %llx %p\n", threadIdx.x, blockDim.x, threadIdx.x ? "one" : "zero", x * n,
               x, 'a' + threadIdx.x, 12.5f, 1ull << 40, (void *)0);
}
