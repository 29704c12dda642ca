typedef double (*function)(double);
typedef struct {
    function f, g;
} two;

double apply(function f, double x) { return f ? f(x) : -1; }
double apply_two(two *t, double x) { return t->f(x) + 10 * t->g(x); }
function pick(int k, function a, function b) { return k ? a : b; }
static double cube(double x) { return x * x * x; }
function get_cube(void) { return cube; }
