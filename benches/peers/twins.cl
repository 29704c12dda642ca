// OpenCL twins of three of the bench programs: the same work items, tiles and barriers.

kernel void saxpy(int count, float factor, global const float *from, global float *onto) {
  int at = get_global_id(0);
  if (at < count) onto[at] = onto[at] + factor * from[at];
}

kernel void reduce(int count, global const int *values, global int *total) {
  local long partial[256];
  int me = get_local_id(0);
  partial[me] = 0;
  for (int at = get_global_id(0); at < count; at += get_global_size(0)) partial[me] += values[at];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int width = 128; width > 0; width /= 2) {
    if (me < width) partial[me] += partial[me + width];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (me == 0) atomic_add(total, (int)partial[0]);
}

kernel void mm(int extent, global const float *left, global const float *right, global float *product) {
  local float left_tile[16][16], right_tile[16][16];
  int tx = get_local_id(0), ty = get_local_id(1);
  int row = get_global_id(0), column = get_global_id(1);
  float sum = 0;
  for (int tile = 0; tile < extent; tile += 16) {
    left_tile[ty][tx] = left[row + extent * (tile + ty)];
    right_tile[ty][tx] = right[tile + tx + extent * column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 16; k++) sum = fma(left_tile[k][tx], right_tile[ty][k], sum);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  product[row + extent * column] = sum;
}
