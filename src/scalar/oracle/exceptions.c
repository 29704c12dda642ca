/* Makes exceptions.txt: operations on random reals in each direction of rounding, with what the processor signals.
   gcc -O0 -frounding-math exceptions.c -lm -o exceptions && ./exceptions > exceptions.txt
   A line: operation, bytes of the type, direction (0 nearest, 1 to zero, 2 up, 3 down), three operands, result, flags
   (1 invalid, 2 overflow, 4 division by zero, 8 underflow, 16 inexact). */
#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint64_t state = 88172645463325252u;
static uint64_t next(void) {
  state ^= state << 13; state ^= state >> 7; state ^= state << 17;
  return state;
}

/* Words near the ends of the range, near one, short ones, special ones. */
static uint64_t word(int bytes) {
  int p = bytes == 4 ? 23 : 52, e = bytes == 4 ? 8 : 11;
  uint64_t bias = (1u << (e - 1)) - 1, sign = (next() >> 40 & 1) << (p + e);
  uint64_t fraction = next() & ((1ull << p) - 1), exponent;
  if (next() % 3 == 0) fraction &= ~((1ull << (p - 4)) - 1);
  switch (next() % 8) {
  case 0: exponent = 0; break;
  case 1: exponent = next() % 4; break;
  case 2: exponent = 2 * bias - next() % 3; break;
  case 3: exponent = bias / 2 + next() % 3; break;
  case 4: if (next() % 3 == 0) { fraction = next() % 4 == 0 ? 1ull << (p - 1) : 0; exponent = next() % 2 ? 2 * bias + 1 : 0; break; }
  default: exponent = bias - 6 + next() % 12;
  }
  return sign | exponent << p | fraction;
}

static volatile double a8, b8, c8, r8;
static volatile float a4, b4, c4, r4;

int main(void) {
  static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};
  static const char *names[] = {"add", "sub", "mul", "div", "sqrt", "fma", "narrow", "integer"};
  for (int i = 0; i < 2600; i++) {
    int name = i % 8, bytes = i / 8 % 2 ? 4 : 8, mode = next() % 4;
    if (name == 6) bytes = 8;
    uint64_t w[3] = {word(bytes), word(bytes), word(bytes)}, result = 0;
    if (name == 7) w[0] = next() >> next() % 64, w[0] = next() % 2 ? w[0] : -w[0];
    if (name == 6 && next() % 2)
      w[0] = (w[0] & 0x800fffffffffffffull) | (1023 - 126 - 30 + next() % 60 + (next() % 2 ? 240 : 0)) << 52;
    fesetround(modes[mode]);
    feclearexcept(FE_ALL_EXCEPT);
    if (bytes == 8) {
      memcpy((void *)&a8, &w[0], 8); memcpy((void *)&b8, &w[1], 8); memcpy((void *)&c8, &w[2], 8);
      feclearexcept(FE_ALL_EXCEPT);
      switch (name) {
      case 0: r8 = a8 + b8; break;
      case 1: r8 = a8 - b8; break;
      case 2: r8 = a8 * b8; break;
      case 3: r8 = a8 / b8; break;
      case 4: r8 = sqrt(a8); break;
      case 5: r8 = fma(a8, b8, c8); break;
      case 6: r4 = (float)a8; break;
      case 7: { volatile int64_t n = (int64_t)w[0]; r8 = (double)n; }
      }
    } else {
      uint32_t v[3] = {(uint32_t)w[0], (uint32_t)w[1], (uint32_t)w[2]};
      memcpy((void *)&a4, &v[0], 4); memcpy((void *)&b4, &v[1], 4); memcpy((void *)&c4, &v[2], 4);
      feclearexcept(FE_ALL_EXCEPT);
      switch (name) {
      case 0: r4 = a4 + b4; break;
      case 1: r4 = a4 - b4; break;
      case 2: r4 = a4 * b4; break;
      case 3: r4 = a4 / b4; break;
      case 4: r4 = sqrtf(a4); break;
      case 5: r4 = fmaf(a4, b4, c4); break;
      case 7: { volatile int64_t n = (int64_t)w[0]; r4 = (float)n; }
      }
    }
    int raised = fetestexcept(FE_ALL_EXCEPT);
    fesetround(FE_TONEAREST);
    if (bytes == 8 && name != 6) memcpy(&result, (void *)&r8, 8);
    else { uint32_t v; memcpy(&v, (void *)&r4, 4); result = v; }
    int flags = (raised & FE_INVALID ? 1 : 0) | (raised & FE_OVERFLOW ? 2 : 0) | (raised & FE_DIVBYZERO ? 4 : 0)
      | (raised & FE_UNDERFLOW ? 8 : 0) | (raised & FE_INEXACT ? 16 : 0);
    printf("%s %d %d %llx %llx %llx %llx %x\n", names[name], bytes, mode, (unsigned long long)w[0], (unsigned long long)w[1],
      (unsigned long long)w[2], (unsigned long long)result, flags);
  }
}
