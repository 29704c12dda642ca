// The kernels that are whole in the guides of ../shared/reference, and saxpy. Compiled by NVRTC to guide.ptx.
#define Mij(M , srow , i , j) (*((M) + (i) * (srow) + (j)))
#define BLOCK_SIZE 16

extern "C" __global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

// CUDA C Programming Guide 8.0, 3.2.2
extern "C" __global__ void MyKernel(float* devPtr, size_t pitch, int width, int height, float* sum)
{
    float all = 0;
    for (int r = 0; r < height; ++r) {
        float* row = (float*)((char*)devPtr + r * pitch);
        for (int c = 0; c < width; ++c) {
            float element = row[c];
            all += element;
        }
    }
    *sum = all;
}

extern "C" __global__ void MyKernel3D(cudaPitchedPtr devPitchedPtr, int width, int height, int depth, float* sum)
{
    char* devPtr = (char*)devPitchedPtr.ptr;
    size_t pitch = devPitchedPtr.pitch;
    size_t slicePitch = pitch * height;
    float all = 0;
    for (int z = 0; z < depth; ++z) {
        char* slice = devPtr + z * slicePitch;
        for (int y = 0; y < height; ++y) {
            float* row = (float*)(slice + y * pitch);
            for (int x = 0; x < width; ++x) {
                float element = row[x];
                all += element;
            }
        }
    }
    *sum = all;
}

// 3.2.3, without and with shared memory
typedef struct { int width; int height; float* elements; } Matrix;

extern "C" __global__ void MatMulKernel(Matrix A, Matrix B, Matrix C)
{
    // Each thread computes one element of C
    // by accumulating results into Cvalue
    float Cvalue = 0;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    for (int e = 0; e < A.width; ++e)
        Cvalue += A.elements[row * A.width + e] * B.elements[e * B.width + col];
    C.elements[row * C.width + col] = Cvalue;
}

typedef struct { int width; int height; int stride; float* elements; } StridedMatrix;

__device__ float GetElement(const StridedMatrix A, int row, int col)
{
    return A.elements[row * A.stride + col];
}

__device__ void SetElement(StridedMatrix A, int row, int col, float value)
{
    A.elements[row * A.stride + col] = value;
}

// Not inlined, so that there is a call.
__device__ __noinline__ StridedMatrix GetSubMatrix(StridedMatrix A, int row, int col)
{
    StridedMatrix Asub;
    Asub.width = BLOCK_SIZE;
    Asub.height = BLOCK_SIZE;
    Asub.stride = A.stride;
    Asub.elements = &A.elements[A.stride * BLOCK_SIZE * row + BLOCK_SIZE * col];
    return Asub;
}

extern "C" __global__ void MatMulShared(StridedMatrix A, StridedMatrix B, StridedMatrix C)
{
    int blockRow = blockIdx.y;
    int blockCol = blockIdx.x;
    StridedMatrix Csub = GetSubMatrix(C, blockRow, blockCol);
    float Cvalue = 0;
    int row = threadIdx.y;
    int col = threadIdx.x;
    for (int m = 0; m < (A.width / BLOCK_SIZE); ++m) {
        StridedMatrix Asub = GetSubMatrix(A, blockRow, m);
        StridedMatrix Bsub = GetSubMatrix(B, m, blockCol);
        __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
        __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];
        As[row][col] = GetElement(Asub, row, col);
        Bs[row][col] = GetElement(Bsub, row, col);
        __syncthreads();
        for (int e = 0; e < BLOCK_SIZE; ++e)
            Cvalue += As[row][e] * Bs[e][col];
        __syncthreads();
    }
    SetElement(Csub, row, col, Cvalue);
}

// CUDA C interface, slides: examples
extern "C" __global__ void kernel_pol_vect(double *Y , double *X , double *A , int n , int p , int nB)
{
    int iB = blockIdx.x; int i0 = iB * n / nB , i1 = (iB + 1) * n / nB; int i = i0 + threadIdx.x;
    int k;

    if (i < i1)
    {
        double y = A[p] , x = X[i];
        for (k = p - 1 ; k >= 0 ; k--)
            y = y * x + A[k];
        Y[i] = y;
    }
}

extern "C" __global__ void kernel_filter_image(double *Y , double *X , int n , int nB)
{
    int iB = blockIdx.x;   int i0 = iB * n / nB , i1 = (iB + 1) * n / nB;   int i = i0 + threadIdx.x;
    int jB = blockIdx.y;   int j0 = jB * n / nB , j1 = (jB + 1) * n / nB;   int j = j0 + threadIdx.y;
    int ii , ii0 , ii1 , jj , jj0 , jj1;   int q;

    if (i < i1 && j < j1)
    {
        Mij(Y , n , i , j) = 0;   q = 0;

        ii0 = max(i - 1 , 0);   ii1 = min(i + 1 , n - 1);
        jj0 = max(j - 1 , 0);   jj1 = min(j + 1 , n - 1);
        for (ii = ii0 ; ii <= ii1 ; ii++) for (jj = jj0 ; jj <= jj1 ; jj++)
        { Mij(Y , n , i , j) += Mij(X , n , ii , jj);   q++; }

        Mij(Y , n , i , j) /= q;
    }
}

extern "C" __global__ void kernel_mul_mat( double *C , double *A , double *B , int n , int m , int p
                               , int nB, int mB , int k0 , int k1)
{
  int iB = blockIdx.x;   int i0 = iB * n / nB , i1 = (iB + 1) * n / nB;   int i = i0 + threadIdx.x;
  int jB = blockIdx.y;   int j0 = jB * m / mB , j1 = (jB + 1) * m / mB;   int j = j0 + threadIdx.y;
  int k;

  if (i < i1 && j < j1)
  {
    for (k = k0 ; k < k1 ; k++)
      Mij(C , m , i , j) += Mij(A , p , i , k) * Mij(B , m , k , j);
  }
}

extern "C" __global__ void kernel_counter_threads(int *C , int n , int nB)
{
    int iB = blockIdx.x;  int i0 = iB * n / nB , i1 = (iB + 1) * n / nB;  int i = i0 + threadIdx.x;

    if (i < i1)
    {
        atomicAdd(C , 1);    // and NOT *C += 1; !!!
    }
}

extern "C" __global__ void kernel_A(int n , int nB)
{
    int iB = blockIdx.x;  int i0 = iB * n / nB , i1 = (iB + 1) * n / nB;  int i = i0 + threadIdx.x;
    if (i < i1)
        printf("A");
}

extern "C" __global__ void kernel_B(int n , int nB)
{
    int iB = blockIdx.x;  int i0 = iB * n / nB , i1 = (iB + 1) * n / nB;  int i = i0 + threadIdx.x;
    if (i < i1)
        printf("B");
}
