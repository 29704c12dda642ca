/* Numbers of half precision, by value and by reference, alone and in objects. */
typedef struct {
    _Float16 x, y;
} pair;

typedef struct {
    float a;
    _Float16 b;
    int n;
} mixed;

_Float16 twice(_Float16 x) { return x + x; }

float blend(_Float16 a, float b, _Float16 c, int n, _Float16 *out) {
    *out = a * c;
    return a + b + c + n;
}

pair turned(pair p) {
    pair q = {-p.y, p.x};
    return q;
}

mixed grown(mixed m) {
    m.a += 1;
    m.b *= 2;
    m.n += 3;
    return m;
}

_Float16 called(_Float16 (*f)(_Float16), _Float16 x) { return f(x) + 1; }
