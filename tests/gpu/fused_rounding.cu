// The operations of tests/ui/pass/device/fused_rounding.cuf in CUDA C++. They are recorded on a GPU by
//
//     nvcc -fmad=false -o target/fused tests/gpu/fused_rounding.cu && target/fused > tests/ui/pass/device/fused_rounding.stdout
#include <cstdint>
#include <cstdio>
#include <cstring>

static uint64_t state = 88172645463325252;

static uint64_t draw(uint64_t limit) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (state >> 12) % limit;
}

static uint64_t number(int kind) {
  uint64_t e;
  switch (kind) {
  case 1: e = 1013 + draw(20); break;
  case 2: e = 923 + draw(200); break;
  case 3: e = draw(2047); break;
  case 4: e = draw(2) * 1500; e += draw(547); break;
  case 5: e = 480 + draw(70); break;
  default: e = 1000 + draw(46);
  }
  uint64_t mantissa = draw(1ull << 52);
  if (kind == 6 || draw(3) == 0) mantissa &= ~0ull << draw(53);
  return draw(2) << 63 | e << 52 | mantissa;
}

static double real(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static uint64_t near(uint64_t a, uint64_t b) {
  volatile double product = real(a) * real(b);
  double x = -product;
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  uint64_t bit = draw(2);
  return bits ^ bit << draw(60);
}

__global__ void fused(const double *a, const double *b, const double *c, double *d, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  d[i] = __fma_rz(a[i], b[i], c[i]);
  d[i + n] = __fma_ru(a[i], b[i], c[i]);
  d[i + 2 * n] = __fma_rd(a[i], b[i], c[i]);
}

int main() {
  const int n = 4096;
  uint64_t *a, *b, *c, *d;
  cudaMallocManaged(&a, n * 8);
  cudaMallocManaged(&b, n * 8);
  cudaMallocManaged(&c, n * 8);
  cudaMallocManaged(&d, 3 * n * 8);
  for (int kind = 1; kind <= 6; kind++) {
    for (int i = 0; i < n; i++) {
      a[i] = number(kind);
      b[i] = number(kind);
      c[i] = number(kind);
      if (kind == 1) c[i] = near(a[i], b[i]);
      if (kind == 6 && draw(4) == 0) c[i] = 0;
      if (kind == 6 && draw(4) == 0) a[i] = (a[i] & 1ull << 63) | (2047 * draw(2)) << 52;
    }
    fused<<<n / 128, 128>>>((double *)a, (double *)b, (double *)c, (double *)d, n);
    if (cudaError_t error = cudaDeviceSynchronize()) printf("%s\n", cudaGetErrorString(error));
    for (int j = 1; j <= 3; j++) {
      uint64_t hash = 0;
      for (int i = 0; i < n; i++) hash = (hash << 5 | hash >> 59) ^ d[(j - 1) * n + i];
      printf("%d %d %016llX\n", kind, j, (unsigned long long)hash);
    }
  }
}
