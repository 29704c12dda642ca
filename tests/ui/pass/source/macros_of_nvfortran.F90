! The macros by which programs know nvfortran and its system.
program macros_of_nvfortran
  implicit none
#if defined(__NVCOMPILER) && __NVCOMPILER_MAJOR__ > 20 && defined(__NVCOMPILER_LLVM__)
  print *, 'nvfortran', __NVCOMPILER_MAJOR__, __NVCOMPILER_MINOR__, __NVCOMPILER_PATCHLEVEL__
#endif
#if defined(__PGI) || defined(__PGIC__)
  print *, 'PGI'
#endif
#if defined(__linux__) && defined(__unix__) && defined(__x86_64__) && defined(__LP64__)
  print *, 'Linux'
#endif
#if defined(__GFORTRAN__) || defined(__INTEL_COMPILER) || defined(_WIN32)
  print *, 'another one'
#endif
#undef __PGI
#ifndef __PGI
  print *, 'undefined'
#endif
end program
