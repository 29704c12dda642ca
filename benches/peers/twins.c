/* Runs one of the kernels of twins.cl twice and prints nanoseconds an element of the second launch, since the first may compile
   the kernel: `twins saxpy|reduce|mm SIZE twins.cl`. An element is one of the vector, or of mm one inner step of the product.
   Results are checked. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void check(cl_int error, const char *what) {
  if (error == CL_SUCCESS) return;
  fprintf(stderr, "%s: error %d\n", what, error);
  exit(1);
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + 1e-9 * now.tv_nsec;
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  const char *name = argv[1];
  int n = atoi(argv[2]), is_mm = !strcmp(name, "mm"), is_reduce = !strcmp(name, "reduce");
  size_t elements = is_mm ? (size_t)n * n : (size_t)n, bytes = 4 * elements;
  cl_platform_id platform;
  cl_device_id device;
  cl_int error;
  check(clGetPlatformIDs(1, &platform, NULL), "platform");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  check(error, "context");
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
  check(error, "queue");
  FILE *file = fopen(argv[3], "r");
  if (!file) return 2;
  static char text[1 << 16];
  size_t length = fread(text, 1, sizeof text - 1, file);
  const char *source = text;
  cl_program program = clCreateProgramWithSource(context, 1, &source, &length, &error);
  check(error, "source");
  if (clBuildProgram(program, 1, &device, "", NULL, NULL) != CL_SUCCESS) {
    static char log[1 << 14];
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fputs(log, stderr);
    return 1;
  }
  cl_kernel kernel = clCreateKernel(program, name, &error);
  check(error, "kernel");
  float *first = malloc(bytes), *second = malloc(bytes), *out = calloc(elements, 4);
  int *values = malloc(bytes);
  for (size_t i = 0; i < elements; i++) {
    first[i] = (float)(i % 7) - 3;
    second[i] = (float)(i % 5) - 2;
    values[i] = (int)(i & 1023);
  }
  cl_mem_flags flags = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
  cl_mem a = clCreateBuffer(context, flags, bytes, is_reduce ? (void *)values : (void *)first, &error);
  cl_mem b = clCreateBuffer(context, flags, bytes, second, &error);
  cl_mem c = clCreateBuffer(context, flags, bytes, out, &error);
  check(error, "buffer");
  float factor = 0.25f;
  size_t global[2] = {elements, 1}, local[2] = {256, 1};
  cl_uint dimensions = 1;
  check(clSetKernelArg(kernel, 0, sizeof n, &n), "argument");
  if (is_mm) {
    check(clSetKernelArg(kernel, 1, sizeof a, &a) | clSetKernelArg(kernel, 2, sizeof b, &b), "argument");
    check(clSetKernelArg(kernel, 3, sizeof c, &c), "argument");
    dimensions = 2;
    global[0] = global[1] = (size_t)n;
    local[0] = local[1] = 16;
  } else if (is_reduce) {
    check(clSetKernelArg(kernel, 1, sizeof a, &a) | clSetKernelArg(kernel, 2, sizeof c, &c), "argument");
    /* As many threads as benches/programs/reduce.cuf has, or fewer for fewer values. */
    global[0] = elements / 16 < 1056 * 256 ? elements / 16 : 1056 * 256;
  } else {
    check(clSetKernelArg(kernel, 1, sizeof factor, &factor), "argument");
    check(clSetKernelArg(kernel, 2, sizeof a, &a) | clSetKernelArg(kernel, 3, sizeof b, &b), "argument");
  }
  double start = 0;
  for (int launch = 0; launch < 2; launch++) {
    start = seconds();
    check(clEnqueueNDRangeKernel(queue, kernel, dimensions, NULL, global, local, 0, NULL, NULL), "launch");
    check(clFinish(queue), "finish");
  }
  double steps = is_mm ? (double)n * n * n : (double)n;
  double taken = (seconds() - start) * 1e9 / steps;
  size_t wrong = 0;
  if (is_reduce) {
    int total = 0, expected = 0;
    check(clEnqueueReadBuffer(queue, c, CL_TRUE, 0, 4, &total, 0, NULL, NULL), "read");
    for (size_t i = 0; i < elements; i++) expected += 2 * values[i];
    wrong = total != expected;
  } else {
    check(clEnqueueReadBuffer(queue, is_mm ? c : b, CL_TRUE, 0, bytes, out, 0, NULL, NULL), "read");
    for (size_t i = 0; i < elements; i++) {
      float expected = second[i] + 2 * factor * first[i];
      if (is_mm) {
        expected = 0;
        for (int k = 0; k < n; k++) expected += first[i % n + (size_t)n * k] * second[k + (size_t)n * (i / n)];
      }
      wrong += out[i] != expected;
    }
  }
  if (wrong) {
    fprintf(stderr, "%s: %zu wrong results\n", name, wrong);
    return 1;
  }
  printf("%.4f\n", taken);
  return 0;
}
