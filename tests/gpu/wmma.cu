// The products of tests/ui/pass/device/wmma.CUF in CUDA C++, on the tensor cores of a GPU. They are recorded on a Hopper GPU by
//
//     nvcc -arch=sm_90 -o target/wmma tests/gpu/wmma.cu && target/wmma > tests/ui/pass/device/wmma.stdout
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda_fp16.h>
#include <mma.h>
#include <string>
#include <type_traits>

using namespace nvcuda;

static uint64_t state = 88172645463325252;

// The next number of a xorshift generator, from 0 to below a limit.
static uint64_t draw(uint64_t limit) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (state >> 40) % limit;
}

// The bits of a number whose exponent and mantissa have these widths; for the modes see the program in Fortran.
static uint64_t number(int exponents, int mantissa, int mode) {
  const uint64_t bias = (1ull << (exponents - 1)) - 1;
  const uint64_t sign = draw(2);
  uint64_t e;
  switch (mode) {
  case 1: e = bias - 4 + draw(8); break;
  case 2: e = bias - 14 + draw(28); break;
  case 3: e = exponents == 5 ? draw(6) : bias - 48 + draw(28); break;
  default:
    e = draw(2 * bias + 1);
    if (draw(50) == 0) e = 2 * bias + 1;
  }
  uint64_t bits = ((sign << exponents | e) << mantissa) | draw(1ull << (mantissa < 23 ? mantissa : 23));
  if (mantissa > 23) bits ^= draw(1ull << 23) << (mantissa - 23);
  return bits;
}

// The widths of a type, and the integer of its size.
template <class T> struct Real;
template <> struct Real<half> { static constexpr int exponents = 5, mantissa = 10; using Bits = int16_t; };
template <> struct Real<float> { static constexpr int exponents = 8, mantissa = 23; using Bits = int32_t; };
template <> struct Real<double> { static constexpr int exponents = 11, mantissa = 52; using Bits = int64_t; };

template <class T> void fill(T *a, int n, int mode) {
  for (int i = 0; i < n; i++) {
    auto bits = static_cast<typename Real<T>::Bits>(number(Real<T>::exponents, Real<T>::mantissa, mode));
    memcpy(&a[i], &bits, sizeof bits);
  }
}

template <class T> uint64_t hash(const T *a, int n) {
  uint64_t h = 0;
  for (int i = 0; i < n; i++) {
    typename Real<T>::Bits bits;
    memcpy(&bits, &a[i], sizeof bits);
    h = (h << 5 | h >> 59) ^ static_cast<uint64_t>(static_cast<int64_t>(bits));
  }
  return h;
}

// `F` is the type of factors in memory, `P` that of the tensor core, which differs for TF32.
template <int M, int N, int K, class F, class P, class OfA, class OfB, class C, class D>
__global__ void multiply(const F *a, const F *b, const C *c, D *d) {
  wmma::fragment<wmma::matrix_a, M, N, K, P, OfA> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, P, OfB> fb;
  wmma::fragment<wmma::accumulator, M, N, K, C> fc;
  wmma::fragment<wmma::accumulator, M, N, K, D> fd;
  wmma::load_matrix_sync(fa, a, std::is_same<OfA, wmma::col_major>::value ? M : K);
  wmma::load_matrix_sync(fb, b, std::is_same<OfB, wmma::col_major>::value ? K : N);
  wmma::load_matrix_sync(fc, c, M, wmma::mem_col_major);
  wmma::mma_sync(fd, fa, fb, fc);
  wmma::store_matrix_sync(d, fd, M, wmma::mem_col_major);
}

template <int M, int N, int K, class F, class P, class OfA, class OfB, class C, class D>
void show(const std::string &name) {
  F *a, *b;
  C *c;
  D *d;
  cudaMallocManaged(&a, M * K * sizeof(F));
  cudaMallocManaged(&b, K * N * sizeof(F));
  cudaMallocManaged(&c, M * N * sizeof(C));
  cudaMallocManaged(&d, M * N * sizeof(D));
  for (int mode = 1; mode <= 4; mode++) {
    fill(a, M * K, mode);
    fill(b, K * N, mode);
    fill(c, M * N, mode);
    multiply<M, N, K, F, P, OfA, OfB, C, D><<<1, 32>>>(a, b, c, d);
    if (cudaError_t error = cudaDeviceSynchronize()) printf("%s\n", cudaGetErrorString(error));
    printf("%s %d %016llX\n", name.c_str(), mode, static_cast<unsigned long long>(hash(d, M * N)));
  }
}

template <int M, int N, int K, class F, class P, class C, class D>
void layouts(const std::string &shape, const std::string &kinds) {
  using Columns = wmma::col_major;
  using Rows = wmma::row_major;
  show<M, N, K, F, P, Columns, Columns, C, D>(shape + "_cc" + kinds);
  show<M, N, K, F, P, Columns, Rows, C, D>(shape + "_cr" + kinds);
  show<M, N, K, F, P, Rows, Columns, C, D>(shape + "_rc" + kinds);
  show<M, N, K, F, P, Rows, Rows, C, D>(shape + "_rr" + kinds);
}

template <int M, int N, int K> void kinds(const std::string &shape) {
  layouts<M, N, K, half, half, half, half>(shape, "22");
  layouts<M, N, K, half, half, float, half>(shape, "42");
  layouts<M, N, K, half, half, half, float>(shape, "24");
  layouts<M, N, K, half, half, float, float>(shape, "44");
}

int main() {
  kinds<16, 16, 16>("m16n16k16");
  kinds<32, 8, 16>("m32n8k16");
  kinds<8, 32, 16>("m8n32k16");
  layouts<16, 16, 8, float, wmma::precision::tf32, float, float>("m16n16k8", "44");
  layouts<8, 8, 4, double, double, double, double>("m8n8k4", "88");
}
