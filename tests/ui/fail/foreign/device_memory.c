/* What device_memory.cuf calls. */
float first(const float *x) { return x[0]; }
