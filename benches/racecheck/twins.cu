// The kernels of benches/programs in CUDA C++, same sizes and launch shapes, for compute-sanitizer on a GPU.
//
//     nvcc -O3 -arch=sm_90 twins.cu -o twins && compute-sanitizer --tool racecheck ./twins
//
// Prints each kernel's name and the milliseconds of one launch: the best of REPEATS (the first argument, default 1).
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(status));
  exit(1);
}

__global__ void multiply(const float *a, const float *b, float *c, int n) {
  __shared__ float as[16][16], bs[16][16];
  int tx = threadIdx.x, ty = threadIdx.y, i = blockIdx.x * 16 + tx, j = blockIdx.y * 16 + ty;
  float sum = 0;
  for (int tile = 0; tile < n; tile += 16) {
    as[ty][tx] = a[i + (tile + ty) * n];
    bs[ty][tx] = b[tile + tx + j * n];
    __syncthreads();
    for (int k = 0; k < 16; k++) sum += as[k][tx] * bs[ty][k];
    __syncthreads();
  }
  c[i + j * n] = sum;
}

__global__ void forces(const float4 *bodies, float *force, int n) {
  __shared__ float4 tile[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  float4 me = bodies[i];
  float fx = 0, fy = 0, fz = 0;
  for (int from = 0; from < n; from += 256) {
    tile[t] = bodies[from + t];
    __syncthreads();
    for (int k = 0; k < 256; k++) {
      float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
      float inverse = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + 1.0e-4f);
      float weight = tile[k].w * inverse * inverse * inverse;
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

__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void sweep(const double *a, double *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i > 0 && i < n - 1 && j > 0 && j < n - 1)
    b[i + j * n] = 0.25 * (a[i - 1 + j * n] + a[i + 1 + j * n] + a[i + (j - 1) * n] + a[i + (j + 1) * n]);
}

__global__ void total(const int *x, int n, unsigned long long *result) {
  __shared__ long long s[256];
  int t = threadIdx.x;
  s[t] = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += blockDim.x * gridDim.x) s[t] += x[i];
  __syncthreads();
  for (int half = 128; half >= 1; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) atomicAdd(result, (unsigned long long)s[0]);
}

__global__ void transposed(float *out, const float *in, int n) {
  __shared__ float tile[32][33];
  int tx = threadIdx.x, ty = threadIdx.y, i = blockIdx.x * 32, j = blockIdx.y * 32;
  for (int k = 0; k < 32; k += 8) tile[ty + k][tx] = in[i + tx + (j + ty + k) * n];
  __syncthreads();
  for (int k = 0; k < 32; k += 8) out[j + tx + (i + ty + k) * n] = tile[tx][ty + k];
}

__device__ float normal(float d) {
  float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float p = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  float tail = 0.39894228f * expf(-0.5f * d * d) * p;
  return d > 0 ? 1.0f - tail : tail;
}

__global__ void prices(const float *s, const float *x, const float *t, float *call, float *put, float r, float v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float root = sqrtf(t[i]);
  float d1 = (logf(s[i] / x[i]) + (r + 0.5f * v * v) * t[i]) / (v * root), d2 = d1 - v * root;
  float n1 = normal(d1), n2 = normal(d2), e = expf(-r * t[i]);
  call[i] = s[i] * n1 - x[i] * e * n2;
  put[i] = x[i] * e * (1.0f - n2) - s[i] * (1.0f - n1);
}

__global__ void chains(long long *best, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  if (i > n) return;
  long long v = i;
  int steps = 0;
  for (; v != 1; steps++) v = v & 1 ? 3 * v + 1 : (long long)((unsigned long long)v >> 1);
  atomicMax(best, ((long long)steps << 32) + i);
}

// Device memory of n items, item i being value(i).
template <class T, class F> static T *device(size_t n, F value) {
  std::vector<T> host(n);
  for (size_t i = 0; i < n; i++) host[i] = value(i);
  T *items;
  check(cudaMalloc(&items, n * sizeof(T)));
  check(cudaMemcpy(items, host.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  return items;
}

template <class F> static void timed(const char *name, int repeats, F launch) {
  cudaEvent_t from, to;
  check(cudaEventCreate(&from));
  check(cudaEventCreate(&to));
  float best = 0;
  for (int i = 0; i < repeats; i++) {
    check(cudaEventRecord(from));
    launch();
    check(cudaEventRecord(to));
    check(cudaEventSynchronize(to));
    check(cudaGetLastError());
    float ms;
    check(cudaEventElapsedTime(&ms, from, to));
    if (i == 0 || ms < best) best = ms;
  }
  printf("%s %.4f\n", name, best);
  fflush(stdout);
}

int main(int argc, char **argv) {
  int repeats = argc > 1 ? atoi(argv[1]) : 1;
  auto zero = [](size_t) { return 0; };
  {
    int n = 1024;
    auto value = [](size_t i) { return float(i % 17) - 8; };
    float *a = device<float>(n * n, value), *b = device<float>(n * n, value), *c = device<float>(n * n, zero);
    timed("mm", repeats, [=] { multiply<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n); });
  }
  {
    int n = 8192;
    float4 *p = device<float4>(n, [](size_t i) { return make_float4(i % 97, i % 89, i % 83, 1 + i % 3); });
    float *f = device<float>(3 * n, zero);
    timed("nbody", repeats, [=] { forces<<<n / 256, 256>>>(p, f, n); });
  }
  {
    int n = 16777216;
    float *x = device<float>(n, [](size_t) { return 1.5f; }), *y = device<float>(n, [](size_t) { return 2.0f; });
    timed("saxpy", repeats, [=] { saxpy<<<(n + 255) / 256, 256>>>(n, 0.5f, x, y); });
  }
  {
    int n = 2048;
    double *a = device<double>(n * n, [](size_t i) { return double(i % 31); }), *b = device<double>(n * n, zero);
    timed("stencil", repeats, [=] { sweep<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, b, n); });
  }
  {
    int n = 16777216;
    int *x = device<int>(n, [](size_t i) { return int(i % 1000); });
    unsigned long long *result = device<unsigned long long>(1, zero);
    timed("reduce", repeats, [=] { total<<<1056, 256>>>(x, n, result); });
  }
  {
    int n = 4096;
    float *in = device<float>(size_t(n) * n, [](size_t i) { return float(i % 977); });
    float *out = device<float>(size_t(n) * n, zero);
    timed("transpose", repeats, [=] { transposed<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(out, in, n); });
  }
  {
    int n = 4194304;
    float *s = device<float>(n, [](size_t i) { return 5 + (i % 251) * 0.1f; });
    float *x = device<float>(n, [](size_t i) { return 1 + (i % 997) * 0.1f; });
    float *t = device<float>(n, [](size_t i) { return 0.25f + (i % 39) * 0.25f; });
    float *call = device<float>(n, zero), *put = device<float>(n, zero);
    timed("blackscholes", repeats, [=] { prices<<<(n + 255) / 256, 256>>>(s, x, t, call, put, 0.02f, 0.30f, n); });
  }
  {
    int n = 2097151;
    long long *best = device<long long>(1, zero);
    timed("collatz", repeats, [=] { chains<<<(n + 255) / 256, 256>>>(best, n); });
  }
  return 0;
}
