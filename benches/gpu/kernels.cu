// The kernels of kernels.cuf in CUDA C++: same sizes, launch shapes and order of operations. Prints the median kernel time in
// milliseconds of REPEATS launches (the argument, or 41), after one that warms up.
//     nvcc -O3 -arch=native -std=c++17 kernels.cu -o kernels && ./kernels
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call)                                                       \
  do {                                                                    \
    cudaError_t error = (call);                                           \
    if (error != cudaSuccess) {                                           \
      fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error));      \
      exit(1);                                                            \
    }                                                                     \
  } while (0)

__global__ void product(int n, const float* a, const float* b, float* c) {
  __shared__ float left[16][16], right[16][16];
  int tx = threadIdx.x, ty = threadIdx.y, i = blockIdx.x * 16 + tx, j = blockIdx.y * 16 + ty;
  float sum = 0;
  for (int tile = 0; tile < n; tile += 16) {
    left[ty][tx] = a[i + (tile + ty) * n];
    right[ty][tx] = b[tile + tx + j * n];
    __syncthreads();
    for (int k = 0; k < 16; k++) sum += left[k][tx] * right[ty][k];
    __syncthreads();
  }
  c[i + j * n] = sum;
}

__global__ void axpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void total(int n, const int* x, unsigned long long* result) {
  __shared__ long long part[256];
  int me = threadIdx.x;
  part[me] = 0;
  for (int i = blockIdx.x * blockDim.x + me; i < n; i += blockDim.x * gridDim.x) part[me] += x[i];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (me < half) part[me] += part[me + half];
    __syncthreads();
  }
  if (me == 0) atomicAdd(result, (unsigned long long)part[0]);
}

__global__ void relax(int n, const double* a, double* b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i > 0 && i < n - 1 && j > 0 && j < n - 1)
    b[i + j * n] = 0.25 * (a[i - 1 + j * n] + a[i + 1 + j * n] + a[i + (j - 1) * n] + a[i + (j + 1) * n]);
}

__global__ void forces(int n, const float* body, float* force) {
  __shared__ float near_[256][4];
  int me = threadIdx.x, i = blockIdx.x * 256 + me;
  float x = body[4 * i], y = body[4 * i + 1], z = body[4 * i + 2], fx = 0, fy = 0, fz = 0;
  for (int first = 0; first < n; first += 256) {
    for (int k = 0; k < 4; k++) near_[me][k] = body[4 * (first + me) + k];
    __syncthreads();
    for (int k = 0; k < 256; k++) {
      float dx = near_[k][0] - x, dy = near_[k][1] - y, dz = near_[k][2] - z;
      float squared = dx * dx + dy * dy + dz * dz + 1.0e-4f, inverse = 1.0f / sqrtf(squared);
      float weight = near_[k][3] * inverse * inverse * inverse;
      fx += weight * dx;
      fy += weight * dy;
      fz += weight * dz;
    }
    __syncthreads();
  }
  force[3 * i] = fx;
  force[3 * i + 1] = fy;
  force[3 * i + 2] = fz;
}

__device__ float normal(float d) {
  float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float c = 0.39894228f * expf(-0.5f * d * d) *
            (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1.0f - c : c;
}

__global__ void price(int n, float rate, float volatility, const float* s, const float* x, const float* t, float* call, float* put) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float root = sqrtf(t[i]);
  float d1 = (logf(s[i] / x[i]) + (rate + 0.5f * volatility * volatility) * t[i]) / (volatility * root);
  float d2 = d1 - volatility * root, c1 = normal(d1), c2 = normal(d2), discount = expf(-rate * t[i]);
  call[i] = s[i] * c1 - x[i] * discount * c2;
  put[i] = x[i] * discount * (1.0f - c2) - s[i] * (1.0f - c1);
}

__global__ void chains(int last, unsigned long long* longest) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  if (i > last) return;
  long long number = i;
  int steps = 0;
  while (number != 1) {
    number = (number & 1) == 0 ? (long long)((unsigned long long)number >> 1) : 3 * number + 1;
    steps++;
  }
  atomicMax(longest, ((unsigned long long)steps << 32) + i);
}

__global__ void transpose(int n, const float* x, float* o) {
  __shared__ float tile[32][33];
  int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = x[i + (j + k) * n];
  __syncthreads();
  i = blockIdx.y * 32 + threadIdx.x;
  j = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) o[i + (j + k) * n] = tile[threadIdx.x][threadIdx.y + k];
}

__global__ void sparse(int n, const int* first, const int* column, const double* value, const double* x, double* y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  double sum = 0;
  for (int at = first[row]; at < first[row + 1]; at++) sum += value[at] * x[column[at]];
  y[row] = sum;
}

__global__ void histogram(int n, const int* x, int* bins) {
  __shared__ int part[256];
  part[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) atomicAdd(&part[x[i] & 255], 1);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], part[threadIdx.x]);
}

__global__ void butterflies(int n, int stage, const float* twiddle, float* re, float* im) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 2) return;
  int half = 1 << stage, k = i & (half - 1), low = ((i >> stage) << (stage + 1)) + k, high = low + half;
  int w = k * (n / 2 / half);
  float c = twiddle[2 * w], s = twiddle[2 * w + 1];
  float hr = re[high] * c - im[high] * s, hi = re[high] * s + im[high] * c, lr = re[low], li = im[low];
  re[low] = lr + hr;
  im[low] = li + hi;
  re[high] = lr - hr;
  im[high] = li - hi;
}

__constant__ int east[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, north[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ float weight[9] = {4.f / 9,  1.f / 9,  1.f / 9,  1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};

__global__ void lattice(int n, const float* from, float* onto) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n) return;
  float f[9], density = 0, u = 0, v = 0;
  for (int q = 0; q < 9; q++) {
    int x = (i - east[q] + n) % n, y = (j - north[q] + n) % n;
    f[q] = from[x + n * (y + n * q)];
    density += f[q];
    u += f[q] * east[q];
    v += f[q] * north[q];
  }
  u /= density;
  v /= density;
  float squared = 1.5f * (u * u + v * v);
  for (int q = 0; q < 9; q++) {
    float along = 3 * (east[q] * u + north[q] * v);
    float balance = weight[q] * density * (1 + along + 0.5f * along * along - squared);
    onto[i + n * (j + n * q)] = f[q] + 1.2f * (balance - f[q]);
  }
}

__global__ void bitonic(int* keys) {
  __shared__ int part[512];
  int me = threadIdx.x, base = blockIdx.x * 512;
  part[me] = keys[base + me];
  part[me + 256] = keys[base + me + 256];
  for (int size = 2; size <= 512; size *= 2)
    for (int step = size / 2; step > 0; step /= 2) {
      __syncthreads();
      int low = 2 * me - (me & (step - 1)), high = low + step;
      bool up = (low & size) == 0;
      int a = part[low], b = part[high];
      if ((a > b) == up) {
        part[low] = b;
        part[high] = a;
      }
    }
  __syncthreads();
  keys[base + me] = part[me];
  keys[base + me + 256] = part[me + 256];
}

__global__ void laplace4(int n, const float* a, float* b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, k = blockIdx.z;
  if (i < 2 || i >= n - 2 || j < 2 || j >= n - 2 || k < 2 || k >= n - 2) return;
  int at = i + n * (j + n * k);
  float sum = -7.5f * a[at];
  for (int d = 1; d <= 2; d++) {
    float c = d == 1 ? 1.3333334f : -0.083333336f;
    sum += c * (a[at - d] + a[at + d] + a[at - d * n] + a[at + d * n] + a[at - d * n * n] + a[at + d * n * n]);
  }
  b[at] = sum;
}

static int repeats = 41;

static void timed(const char* name, std::function<void()> launch) {
  cudaEvent_t from, to;
  CHECK(cudaEventCreate(&from));
  CHECK(cudaEventCreate(&to));
  launch();
  CHECK(cudaDeviceSynchronize());
  std::vector<float> times(repeats);
  for (float& ms : times) {
    CHECK(cudaEventRecord(from));
    launch();
    CHECK(cudaEventRecord(to));
    CHECK(cudaEventSynchronize(to));
    CHECK(cudaEventElapsedTime(&ms, from, to));
  }
  std::sort(times.begin(), times.end());
  printf("%-13s %9.5f\n", name, times[repeats / 2]);
}

template <class T> static T* filled(size_t n, std::function<T(size_t)> value) {
  std::vector<T> host(n);
  for (size_t i = 0; i < n; i++) host[i] = value(i);
  T* device;
  CHECK(cudaMalloc(&device, n * sizeof(T)));
  CHECK(cudaMemcpy(device, host.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  return device;
}

__global__ void empty() {}

int main(int argc, char** argv) {
  if (argc > 1) repeats = atoi(argv[1]);
  timed("empty", [] { empty<<<1, 32>>>(); });
  {
    int n = 1024;
    auto g = [](size_t i) { return float(i % 17) - 8; };
    auto a = filled<float>(n * n, g), b = filled<float>(n * n, g), c = filled<float>(n * n, g);
    timed("mm", [=] { product<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(n, a, b, c); });
  }
  {
    int n = 1 << 24;
    auto x = filled<float>(n, [](size_t) { return 1.5f; }), y = filled<float>(n, [](size_t) { return 2.f; });
    timed("saxpy", [=] { axpy<<<n / 256, 256>>>(n, 0.5f, x, y); });
    auto k = filled<int>(n, [](size_t i) { return int(i % 1000); });
    auto sum = filled<unsigned long long>(1, [](size_t) { return 0ull; });
    timed("reduce", [=] { total<<<1056, 256>>>(n, k, sum); });
    auto bins = filled<int>(256, [](size_t) { return 0; });
    timed("histogram", [=] { histogram<<<1056, 256>>>(n, k, bins); });
  }
  {
    int n = 2048;
    auto g = [](size_t i) { return double(i % 31); };
    auto a = filled<double>(n * n, g), b = filled<double>(n * n, g);
    timed("stencil", [=] { relax<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(n, a, b); });
  }
  {
    int n = 8192;
    auto p = filled<float>(4 * n, [](size_t i) { return float((i * 7) % 1000) * 0.001f; });
    auto f = filled<float>(3 * n, [](size_t) { return 0.f; });
    timed("nbody", [=] { forces<<<n / 256, 256>>>(n, p, f); });
  }
  {
    int n = 1 << 22;
    auto s = filled<float>(n, [](size_t i) { return 5.f + (i % 251) * 0.1f; });
    auto x = filled<float>(n, [](size_t i) { return 1.f + (i % 997) * 0.1f; });
    auto t = filled<float>(n, [](size_t i) { return 0.25f + (i % 39) * 0.25f; });
    auto c = filled<float>(n, [](size_t) { return 0.f; }), q = filled<float>(n, [](size_t) { return 0.f; });
    timed("blackscholes", [=] { price<<<n / 256, 256>>>(n, 0.02f, 0.30f, s, x, t, c, q); });
  }
  {
    int n = (1 << 21) - 1;
    auto b = filled<unsigned long long>(1, [](size_t) { return 0ull; });
    timed("collatz", [=] { chains<<<(n + 255) / 256, 256>>>(n, b); });
  }
  {
    int n = 4096;
    auto a = filled<float>((size_t)n * n, [](size_t i) { return float(i % 977); });
    auto b = filled<float>((size_t)n * n, [](size_t) { return 0.f; });
    timed("transpose", [=] { transpose<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(n, a, b); });
  }
  {
    int n = 1 << 20;
    std::vector<int> first(n + 1, 0);
    for (int row = 0; row < n; row++) first[row + 1] = first[row] + 1 + (row * 7) % 31;
    int entries = first[n];
    auto f = filled<int>(n + 1, [&](size_t i) { return first[i]; });
    auto c = filled<int>(entries, [n](size_t i) { return int((i * 97) % n); });
    auto v = filled<double>(entries, [](size_t i) { return double(i % 13); }), x = filled<double>(n, [](size_t i) { return double(i % 7); });
    auto y = filled<double>(n, [](size_t) { return 0.; });
    timed("csr", [=] { sparse<<<n / 256, 256>>>(n, f, c, v, x, y); });
  }
  {
    int n = 1 << 22, stage = 9;
    auto w = filled<float>(n, [n](size_t i) { double a = 6.283185307179586 * (i / 2) / n; return float(i % 2 ? sin(a) : cos(a)); });
    auto re = filled<float>(n, [](size_t i) { return float(i % 5); }), im = filled<float>(n, [](size_t) { return 0.f; });
    timed("fft", [=] { butterflies<<<n / 512, 256>>>(n, stage, w, re, im); });
  }
  {
    int n = 1024;
    auto a = filled<float>(9 * n * n, [](size_t i) { return 0.1f + (i % 11) * 0.001f; }), b = filled<float>(9 * n * n, [](size_t) { return 0.f; });
    timed("lattice", [=] { lattice<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(n, a, b); });
  }
  {
    int n = 1 << 22;
    auto k = filled<int>(n, [](size_t i) { return int((i * 7919) % 1000003); });
    timed("bitonic", [=] { bitonic<<<n / 512, 256>>>(k); });
  }
  {
    int n = 256;
    auto g = [](size_t i) { return float(i % 23); };
    auto a = filled<float>(n * n * n, g), b = filled<float>(n * n * n, g);
    timed("laplace4", [=] { laplace4<<<dim3(n / 32, n / 8, n), dim3(32, 8)>>>(n, a, b); });
  }
  return 0;
}
