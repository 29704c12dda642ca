"""Makes the constants and polynomials of the mathematics module: coefficients.py FOLDER.

Writes math_head.cuf, math_polynomials4.cuf and math_polynomials8.cuf. The polynomials are minimax fits by the exchange algorithm
of Remez with a weight, in 60 digits; then every coefficient is rounded. Needs mpmath.
"""
import struct
import sys
from mpmath import mp, mpf, matrix, lu_solve
import mpmath as m

mp.dps = 60
NEAR = mpf(10) ** -12


def minimax(f, a, b, degree, weight=None):
    """Coefficients of the polynomial nearest to f on [a, b], its error multiplied by the weight being levelled; and the error."""
    a, b = mpf(a), mpf(b)
    points = max(160, 16 * (degree + 2))
    half, middle = (b - a) / 2, (a + b) / 2
    us = [-m.cos(m.pi * i / points) for i in range(points + 1)]
    xs = [middle + half * u for u in us]
    fs = [f(x) for x in xs]
    ws = [weight(x) if weight else mpf(1) for x in xs]
    least = max(ws) / 1000
    ws = [max(w, least) for w in ws]
    chosen = [round(points * i / (degree + 1)) for i in range(degree + 2)]
    best = None
    for _ in range(12):
        system, right = matrix(degree + 2, degree + 2), matrix(degree + 2, 1)
        for row, i in enumerate(chosen):
            t0, t1 = mpf(1), us[i]
            for k in range(degree + 1):
                system[row, k] = t0
                t0, t1 = t1, 2 * us[i] * t1 - t0
            system[row, degree + 1] = (-1) ** row / ws[i]
            right[row] = fs[i]
        series = [lu_solve(system, right)[k] for k in range(degree + 1)]
        errors = [(clenshaw(series, u) - v) * w for u, v, w in zip(us, fs, ws)]
        extrema = []
        for i, e in enumerate(errors):
            if extrema and (e > 0) == (errors[extrema[-1]] > 0):
                if abs(e) > abs(errors[extrema[-1]]):
                    extrema[-1] = i
            else:
                extrema.append(i)
        error = max(abs(e) for e in errors)
        if best is None or error < best[1]:
            best = (series, error)
        if len(extrema) < degree + 2:
            break
        while len(extrema) > degree + 2:
            extrema.pop(0 if abs(errors[extrema[0]]) < abs(errors[extrema[-1]]) else -1)
        if extrema == chosen:
            break
        chosen = extrema
    return monomials(best[0], middle, half), best[1]


def clenshaw(series, u):
    b1 = b2 = mpf(0)
    for c in reversed(series[1:]):
        b1, b2 = 2 * u * b1 - b2 + c, b1
    return u * b1 - b2 + series[0]


def monomials(series, middle, half):
    """The coefficients by powers of x of a Chebyshev series in (x - middle) / half."""
    n = len(series)
    chebyshev = [[mpf(1)], [mpf(0), mpf(1)]]
    while len(chebyshev) < n:
        nxt = [mpf(0)] + [2 * v for v in chebyshev[-1]]
        for i, v in enumerate(chebyshev[-2]):
            nxt[i] -= v
        chebyshev.append(nxt)
    powers = [sum((s * p[i] for s, p in zip(series, chebyshev) if i < len(p)), mpf(0)) for i in range(n)]
    out = [mpf(0)] * n
    for c in reversed(powers):
        shifted = [mpf(0)] * n
        for i, v in enumerate(out):
            shifted[i] -= v * middle / half
            if i + 1 < n:
                shifted[i + 1] += v / half
        shifted[0] += c
        out = shifted
    return out


def rounded(x, bits):
    """The nearest number with so many significant bits."""
    x = mpf(x)
    if x == 0:
        return x
    fraction, e = m.frexp(x)
    return m.ldexp(m.nint(m.ldexp(fraction, bits)), e - bits)


def literal(x, kind):
    """The shortest literal that reads back to the nearest number of that kind."""
    v = float(m.nstr(rounded(x, 24 if kind == 4 else 53), 30))
    if kind == 8:
        s = repr(v)
    else:
        short = (float(f"{v:.{d}g}") for d in range(1, 12))
        s = repr(next(s for s in short if struct.pack("f", s) == struct.pack("f", v)))
    return f"{s}_{kind}"


def wrapped(text, indent):
    """Lines broken after commas."""
    out, line = [], indent
    for token in text.replace(", ", ",\0").split("\0"):
        piece = token + (" " if token.endswith(",") else "")
        if len(line) + len(piece.rstrip()) > 122:
            out.append(line.rstrip() + " &")
            line = indent + "  "
        line += piece
    return out + [line.rstrip()]


def by_square(f, at_zero):
    """f(r) as a function of z = r**2, with its beginning near 0."""
    return lambda z: f(m.sqrt(z)) if z > mpf(10) ** -14 else at_zero(z)


def erfc_factor(t):
    """(1 + 2 x) exp(x**2) erfc(x) with x = 3 (1 + t) / (1 - t)."""
    if t >= 1:
        return 2 / m.sqrt(m.pi)
    x = 3 * (1 + t) / (1 - t)
    if x > 30:
        total, term = mpf(0), mpf(1)
        for k in range(40):
            total += term
            term *= -mpf(2 * k + 1) / (2 * x * x)
            if abs(term) < mpf(10) ** -50:
                break
        return (1 + 2 * x) * total / (x * m.sqrt(m.pi))
    return (1 + 2 * x) * m.exp(x * x) * m.erfc(x)


def erfc_factor_slope(t):
    t = min(t, mpf("0.99"))
    return (erfc_factor(t + NEAR) - erfc_factor(t - NEAR)) / (2 * NEAR)


def stirling(w):
    if w < mpf(10) ** -8:
        return mpf(1) / 12 - w / 360 + w * w / 1260
    t = 1 / m.sqrt(w)
    return t * (m.loggamma(t) - (t - mpf(1) / 2) * m.log(t) + t - m.log(2 * m.pi) / 2)


def modulus(n):
    def f(w):
        if w < mpf(10) ** -9:
            return 1 + mpf(4 * n * n - 1) / 8 * w
        x = 1 / m.sqrt(w)
        return abs(m.hankel1(n, x)) * m.sqrt(m.pi * x / 2)
    return f


def phase(n):
    def f(w):
        if w < mpf(10) ** -9:
            return mpf(4 * n * n - 1) / 8
        x = 1 / m.sqrt(w)
        return x * m.arg(m.hankel1(n, x) * m.expj(-(x - n * m.pi / 2 - m.pi / 4)))
    return f


def bessel_series(n, terms):
    """J(n, x) / (x/2)**n as a series in z = x**2 without its first terms, divided by z**terms."""
    def f(z):
        total, term = mpf(0), 1 / m.factorial(n)
        for k in range(60):
            if k >= terms:
                total += term * z ** (k - terms)
            term *= -mpf(1) / (4 * (k + 1) * (k + 1 + n))
        return total
    return f


J0, J1, Y0, Y1 = (lambda x: m.besselj(0, x)), (lambda x: m.besselj(1, x)), (lambda x: m.bessely(0, x)), (lambda x: m.bessely(1, x))
ZERO = {
    "j0_b": m.besseljzero(0, 1), "j0_c": m.besseljzero(0, 2), "j0_d": m.besseljzero(0, 3),
    "j1_b": m.besseljzero(1, 1), "j1_c": m.besseljzero(1, 2),
    "y0_a": m.besselyzero(0, 1), "y0_b": m.besselyzero(0, 2), "y0_c": m.besselyzero(0, 3),
    "y1_a": m.besselyzero(1, 1), "y1_b": m.besselyzero(1, 2), "y1_c": m.besselyzero(1, 3),
}


def about_zero(name, f, slope, a, b, degrees, text):
    z = ZERO[name]
    quotient = lambda t: f(z + t) / t if abs(t) > NEAR else slope(z)
    fit(name, "t", quotient, (mpf(a) - z, mpf(b) - z), degrees, text)


def y0_regular(z):
    x, y = m.sqrt(max(z, mpf(10) ** -20)), ZERO["y0_a"]
    if abs(x - y) < mpf(10) ** -10:
        x = y + mpf(10) ** -10
    return (Y0(x) - 2 / m.pi * m.log(x / y) * J0(x)) / (x * x - y * y)


def y1_regular(z):
    x, y = m.sqrt(max(z, mpf(10) ** -16)), ZERO["y1_a"]
    if abs(x - y) < mpf(10) ** -10:
        x = y + mpf(10) ** -10
    return ((Y1(x) - 2 / m.pi * m.log(x / y) * J1(x)) / (x * x - y * y) - 2 / m.pi / (x * y * y)) / x


FITS = []


def fit(name, variable, f, bounds, degrees, text, weight=None):
    """A row: the function, where (for both kinds, or one pair for each), degrees for real(4) and real(8), what it is."""
    FITS.append((name, variable, f, bounds, degrees, text, weight))


R = m.log(2) / 2 * mpf("1.0001")
Z = R * R
fit("exp", "r", lambda r: (m.exp(r) - 1 - r) / r**2 if abs(r) > NEAR else mpf(1) / 2 + r / 6, (-R, R), (5, 10),
    "(exp(r) - 1 - r) / r**2 for abs(r) <= log(2)/2", lambda r: r * r)
fit("sinh", "z", by_square(lambda r: (m.sinh(r) / r - 1) / r**2, lambda z: mpf(1) / 6 + z / 120), (0, Z), (1, 4),
    "(sinh(r)/r - 1) / z with z = r**2, abs(r) <= log(2)/2", lambda z: z + Z / 50)
fit("cosh", "z", by_square(lambda r: (m.cosh(r) - 1 - r * r / 2) / r**4, lambda z: mpf(1) / 24 + z / 720), (0, Z), (1, 4),
    "(cosh(r) - 1 - z/2) / z**2", lambda z: z * z + Z * Z / 50)
S = ((m.sqrt(2) - 1) / (m.sqrt(2) + 1)) ** 2 * mpf("1.001")
fit("log", "z", by_square(lambda s: 2 * (m.atanh(s) / s - 1 - s * s / 3) / s**4, lambda z: mpf(2) / 5 + 2 * z / 7), (0, S), (2, 6),
    "(2 atanh(s)/s - 2 - 2 z/3) / z**2 with z = s**2, abs(s) <= (sqrt(2) - 1) / (sqrt(2) + 1)", lambda z: z * z + S * S / 50)
T = (m.pi / 4) ** 2 * mpf("1.001")
fit("sin", "z", by_square(lambda r: (m.sin(r) / r - 1) / r**2, lambda z: -mpf(1) / 6 + z / 120), (0, T), (2, 6),
    "(sin(r)/r - 1) / z with z = r**2, abs(r) <= pi/4", lambda z: z + T / 50)
fit("cos", "z", by_square(lambda r: (m.cos(r) - 1 + r * r / 2) / r**4, lambda z: mpf(1) / 24 - z / 720), (0, T), (2, 5),
    "(cos(r) - 1 + z/2) / z**2", lambda z: z * z + T * T / 50)
fit("asin", "z", by_square(lambda s: (m.asin(s) / s - 1) / s**2, lambda z: mpf(1) / 6 + 3 * z / 40), (0, mpf("0.2501")), (5, 13),
    "(asin(s)/s - 1) / z with z = s**2 <= 1/4", lambda z: z + mpf(1) / 100)
A = (m.sqrt(2) - 1) ** 2 * mpf("1.001")
fit("atan", "z", by_square(lambda s: (m.atan(s) / s - 1) / s**2, lambda z: -mpf(1) / 3 + z / 5), (0, A), (4, 11),
    "(atan(q)/q - 1) / z with z = q**2, abs(q) <= tan(pi/8)", lambda z: z + A / 50)
fit("erf", "z", by_square(lambda x: m.erf(x) / x - 1, lambda z: 2 / m.sqrt(m.pi) * (1 - z / 3) - 1), (0, 1), (6, 12),
    "erf(x)/x - 1 with z = x**2 <= 1")
E = -mpf(5) / 7
fit("erfc", "t", erfc_factor, (E, 1), (11, 25), "(1 + 2 x) exp(x**2) erfc(x) with t = (x - 3) / (x + 3), x >= 1/2",
    lambda t: 1 / erfc_factor(t))
fit("erfc_slope", "t", erfc_factor_slope, (E, 1), (4, 4), "The derivative of that by t, roughly.")
fit("stirling", "w", stirling, {4: (0, mpf(1) / 25), 8: (0, mpf(1) / 100)}, (2, 6),
    "x (log(gamma(x)) - (x - 1/2) log(x) + x - log(2 pi)/2) with w = 1/x**2, x >= stirling_least")
fit("lgamma", "t", lambda t: m.loggamma(2 + t) / t if abs(t) > NEAR else (1 - m.euler) + t * (m.pi**2 / 6 - 1) / 2,
    (mpf("-0.7501"), mpf("0.5001")), (10, 21), "log(gamma(2 + t)) / t for -3/4 <= t <= 1/2")
fit("j0_a", "z", bessel_series(0, 2), (0, mpf("1.7") ** 2), (3, 7), "(J0(x) - 1 + z/4) / z**2 with z = x**2, x <= 1.7")
about_zero("j0_b", J0, lambda z: -J1(z), "1.7", "3.96", (8, 15), "J0(j + t) / t for 1.7 <= j + t <= 3.96, j the first zero")
about_zero("j0_c", J0, lambda z: -J1(z), "3.96", "7", (9, 16), "J0(j + t) / t for 3.96 <= j + t <= 7, j the second zero")
about_zero("j0_d", J0, lambda z: -J1(z), "7", "8", (6, 12), "J0(j + t) / t for 7 <= j + t <= 8, j the third zero")
fit("j1_a", "z", lambda z: bessel_series(1, 1)(z) / 2, (0, 4), (4, 8), "(J1(x)/x - 1/2) / z with z = x**2, x <= 2")
about_zero("j1_b", J1, J0, "2", "5.4", (10, 17), "J1(j + t) / t for 2 <= j + t <= 5.4, j the first positive zero")
about_zero("j1_c", J1, J0, "5.4", "8", (8, 16), "J1(j + t) / t for 5.4 <= j + t <= 8, j the second positive zero")
fit("y0_a", "z", y0_regular, (0, 4), (4, 8), "(Y0(x) - (2/pi) log(x/y) J0(x)) / (z - y**2) with z = x**2, x <= 2, y the first zero")
about_zero("y0_b", Y0, lambda z: -Y1(z), "2", "5.5", (11, 26), "Y0(y + t) / t for 2 <= y + t <= 5.5, y the second zero")
about_zero("y0_c", Y0, lambda z: -Y1(z), "5.5", "8", (8, 15), "Y0(y + t) / t for 5.5 <= y + t <= 8, y the third zero")
fit("y1_a", "z", y1_regular, (0, 9), (5, 9),
    "((Y1(x) - (2/pi) log(x/y) J1(x)) / (z - y**2) - (2/pi) / (x y**2)) / x with z = x**2, x <= 3, y the first zero")
about_zero("y1_b", Y1, Y0, "3", "6.5", (10, 23), "Y1(y + t) / t for 3 <= y + t <= 6.5, y the second zero")
about_zero("y1_c", Y1, Y0, "6.5", "8", (7, 13), "Y1(y + t) / t for 6.5 <= y + t <= 8, y the third zero")
for order in (0, 1):
    quarters = "pi/4" if order == 0 else "3 pi/4"
    fit(f"modulus{order}", "w", modulus(order), (0, mpf(1) / 64), (4, 13),
        f"sqrt(pi x/2) abs(J{order}(x) + i Y{order}(x)) with w = 1/x**2, x >= 8")
    fit(f"phase{order}", "w", phase(order), (0, mpf(1) / 64), (3, 13),
        f"x (T - x + {quarters}), where J{order}(x) + i Y{order}(x) has the angle T")


def polynomials(kind):
    out = ["", f"! The polynomials for real({kind})."]
    for name, variable, f, bounds, degrees, text, weight in FITS:
        a, b = bounds[kind] if isinstance(bounds, dict) else bounds
        c, error = minimax(f, a, b, degrees[0 if kind == 4 else 1], weight)
        print(f"{name} real({kind}) degree {len(c) - 1} error 2**{float(m.log(error, 2)):.1f}", flush=True)
        # Statements of at most 11 levels, of even length.
        rest = list(reversed(c[:-1]))
        each = -(-len(rest) // -(-len(rest) // 11))
        statements, nested, depth = [], literal(c[-1], kind), 0
        for v in rest:
            if depth == each:
                statements.append(nested)
                nested, depth = "p", 0
            nested, depth = f"fma({nested}, {variable}, {literal(v, kind)})", depth + 1
        procedure = f"{name}_r{kind}" if name == "erfc_slope" else f"{name}_poly_r{kind}"
        out += ["", f"attributes(host,device) real({kind}) function {procedure}({variable}) result(p)", f"  ! {text}",
                f"  real({kind}), value :: {variable}"]
        for s in statements + [nested]:
            out += wrapped("p = " + s, "  ")
        out += ["end function"]
    return out


def constants(kind):
    """The declarations of the constants of a kind. Heads and tails are what a number is and what it lacks of the true one."""
    double = kind == 8
    digits, bias = (53, 1023) if double else (24, 127)
    fraction = digits - 1
    out = []

    def integer(name, v):
        out.append(f"  integer({kind}), parameter :: {name}_r{kind} = {v}_{kind}")

    def real(name, v):
        out.append(f"  real({kind}), parameter :: {name}_r{kind} = {literal(v, kind)}")

    def bits(name, v):
        out.append(f"  real({kind}), parameter :: {name}_r{kind} = real(z'{v}', {kind})")

    def pair(name, v):
        head = rounded(v, digits)
        real(f"{name}_head", head)
        real(f"{name}_tail", v - head)

    def short(name, v):
        """A head so short that its multiples by exponents are exact."""
        head = rounded(v, 41 if double else 14)
        real(f"{name}_short", head)
        real(f"{name}_rest", v - head)

    def word(x):
        return struct.unpack("<q" if double else "<i", struct.pack("<d" if double else "<f", float(x)))[0]

    def power(single_, double_):
        return mpf(2) ** (double_ if double else single_)

    ln2, ln10 = m.log(2), m.log(10)
    integer("fraction_bits", fraction)
    integer("bias", bias)
    integer("fraction_mask", 2**fraction - 1)
    # Adding it rounds to an integer, which stands in the lowest bits.
    magic = mpf(3) * 2 ** (fraction - 1)
    real("magic", magic)
    integer("magic_bits", word(magic))
    integer("sqrt_half_bits", word(m.sqrt(mpf(1) / 2)))
    # What makes subnormal numbers normal.
    normalizer = 54 if double else 24
    integer("normalizer_bits", normalizer)
    real("normalizer", mpf(2) ** normalizer)
    real("root_normalizer", mpf(2) ** (normalizer // 2))
    bits("inf", "7ff0000000000000" if double else "7f800000")
    bits("nan", "7ff8000000000000" if double else "7fffffff")
    huge = (2 - mpf(2) ** -fraction) * mpf(2) ** bias
    least = mpf(2) ** (1 - bias - fraction)
    over = huge * (1 + mpf(2) ** (-digits - 1))
    real("huge", huge)
    real("tiny", mpf(2) ** (1 - bias))
    real("epsilon", mpf(2) ** -fraction)
    real("tiny_root", power(-27, -60))
    # Scales that keep squares in range, and where they are needed.
    real("up", power(100, 650))
    real("down", power(-100, -650))
    real("up_bits", 650 if double else 100)
    real("sqrt_least", power(-50, -450))
    real("sqrt_greatest", power(50, 450))
    real("root_least", power(-100, -1000))
    real("root_up_squared", power(60, 108))
    real("root_down", power(-30, -54))
    real("large", power(13, 28))
    real("large_quotient", power(30, 62))
    real("large_modulus", power(40, 400))
    real("rescale", power(60, 500))
    real("log2_e", 1 / ln2)
    real("log2_e_tail", 1 / ln2 - rounded(1 / ln2, digits))
    pair("ln2", ln2)
    short("ln2", ln2)
    pair("log10_2", ln2 / ln10)
    short("log10_2", ln2 / ln10)
    pair("log10_e", 1 / ln10)
    real("log2_10", ln10 / ln2)
    pair("ln10", ln10)
    # Beyond these the results are infinite or zero.
    real("exp_greatest", m.log(over))
    real("exp_least", m.log(least / 2))
    real("exp_clamp", 1400 if double else 170)
    real("exp2_greatest", bias + 1)
    real("exp2_least", -bias - fraction)
    real("exp10_greatest", m.log(over, 10))
    real("exp10_least", m.log(least / 2, 10))
    real("expm1_least", 40 if double else 20)
    real("sinh_greatest", m.log(over) + ln2)
    real("sinh_large", 40)
    real("tanh_one", 20 if double else 10)
    real("two_thirds", mpf(2) / 3)
    third = mpf(1) / 3
    real("third", third)
    real("third_tail", third - rounded(third, digits))
    real("two_over_pi", 2 / m.pi)
    rest = m.pi / 2
    for part in (1, 2, 3):
        real(f"half_pi_{part}", rest)
        rest -= rounded(rest, digits)
    real("trig_limit", power(15, 28))
    pair("pi", m.pi)
    pair("quarter_pi", m.pi / 4)
    real("tan_pi_8", m.sqrt(2) - 1)
    real("erfc_zero", 28 if double else 11)
    real("stirling_least", 10 if double else 5)
    real("gamma_zero", 190 if double else 45)
    half_log = m.log(2 * m.pi) / 2
    real("half_log_2pi", half_log)
    real("half_log_2pi_tail", half_log - rounded(half_log, digits))
    real("root_two_over_pi", m.sqrt(2 / m.pi))
    for name, zero in ZERO.items():
        pair(name, zero)
    real("y1_a_pole", 2 / m.pi / ZERO["y1_a"] ** 2)
    return out


def words(base, zeros, count):
    """The bits of 2/pi after some zeros, cut into words."""
    with m.workprec(base * count + 200):
        v = int(m.floor(2 / m.pi * mpf(2) ** (base * count - zeros)))
    return [(v >> (base * (count - 1 - i))) & (2**base - 1) for i in range(count)]


def table(name, values, text):
    row = f"integer(8), parameter :: {name}(0:{len(values) - 1}) = [" + ", ".join(f"{v}_8" for v in values) + "]"
    return [f"  ! {text}"] + wrapped(row, "  ")


HEAD = """! Mathematical functions of host and device code: one source, so that every processor computes the same bits.
!
! A function of real(4), real(8), complex(4) or complex(8) arguments is named with its type: sin_r4, sin_r8, sin_c4, sin_c8. They are
!
!   exp exp2 exp10 expm1 log log2 log10 log1p pow sqrt(complex only) cbrt rsqrt hypot
!   sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh sincos(subroutine)
!   erf erfc erfc_scaled gamma log_gamma bessel_j0 bessel_j1 bessel_jn bessel_y0 bessel_y1 bessel_yn
!
! and of complex arguments abs exp log pow sqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh.
!
! Invariants. Every fused operation is written as fma, and no sum has a bare product as an operand unless the product is exact,
! so that contraction changes no result. real(4) functions use no real(8). Outside a domain the result is a NaN, at a pole an
! infinity, and no argument traps. Polynomials are minimax fits made for this module; constants come as head and tail (a
! number and what it lacks of the true one) where one number is not enough.
!
! The sources for real(8) are instantiated for both kinds: every r8, i8, c8 in them becomes r4, i4, c4. Errors as measured are in
! docs/mathematics.md.
module cufemu_math
  implicit none
  integer(4), parameter :: r4 = 4, r8 = 8, i4 = 4, i8 = 8"""


def main(folder):
    head = HEAD.split("\n") + constants(8) + constants(4)
    head += table("two_over_pi_27", words(27, 27, 46), "The bits of 2/pi, 27 in a word, after one word of zeros.")
    head += table("two_over_pi_32", words(32, 16, 8), "The bits of 2/pi, 32 in a word, after 16 zeros.")
    files = {"math_head.cuf": head + ["contains"]}
    for kind in (8, 4):
        files[f"math_polynomials{kind}.cuf"] = polynomials(kind)
    for name, lines in files.items():
        with open(f"{folder}/{name}", "w", encoding="ascii") as f:
            f.write("\n".join(lines) + "\n")


main(sys.argv[1])
