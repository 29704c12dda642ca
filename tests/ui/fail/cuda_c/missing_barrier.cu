// The sum of each block, without the barrier that its steps need.
extern "C" __global__ void block_sum(const float *x, float *out)
{
    __shared__ float part[64];
    int t = threadIdx.x;
    part[t] = x[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int k = 32; k > 0; k /= 2) {
        if (t < k)
            part[t] = part[t] + part[t + k];
        // __syncthreads() is missing
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}
