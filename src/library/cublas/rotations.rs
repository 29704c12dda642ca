//! Level 1: rotations of two vectors, and what makes them.

use crate::call::{Call, Outcome, Status, Uses};
use crate::element::Element;
use crate::operand::Vector;
use crate::state::CublasHandle as Handle;

/// A power of two by which `rotmg` scales.
const GAMMA: f64 = 4096.0;

/// `x` = `c` · `x` + `s` · `y`, `y` = `c` · `y` - conjugate of `s` · `x`, for a real `c` and an `s` of type `S`.
fn rotated<T: Element, S: Element>(call: &mut Call<'_>, of: fn(S) -> T) -> Outcome {
    let handle = call.handle()?;
    let n = call.vector_count("n")?;
    let (x, y) = (call.vector::<T>(n, "x")?, call.vector::<T>(n, "y")?);
    let c = call.scalar::<T::Real>(&handle, "c")?;
    let s = call.scalar::<S>(&handle, "s")?;
    let uses = Uses::default().change(&x, true).change(&y, true).with(c.section()).with(s.section());
    call.perform(handle.stream, uses, false, move |memory| {
        let (c, s) = (T::from_real(c.get(memory)?), of(s.get(memory)?));
        let (mut of_x, mut of_y) = (x.load(memory)?, y.load(memory)?);
        for (x, y) in of_x.iter_mut().zip(&mut of_y) {
            (*x, *y) = (c * *x + s * *y, c * *y - s.conjugate() * *x);
        }
        x.store(memory, &of_x)?;
        y.store(memory, &of_y)
    })
}

pub(super) fn rot<T: Element>(call: &mut Call<'_>) -> Outcome {
    rotated::<T, T>(call, |s| s)
}

/// The same with a real `s`.
pub(super) fn rot_real<T: Element>(call: &mut Call<'_>) -> Outcome {
    rotated::<T, T::Real>(call, T::from_real)
}

impl Call<'_> {
    /// Elements that are read and written where a scalar would be, and whether they are the host's.
    fn scalars<T: Element>(&mut self, handle: &Handle, count: usize, what: &str) -> Result<(Vector<T>, bool), Status> {
        let address = self.word();
        let is_of_host = !self.is_on_device(handle, address);
        self.note_scalar(!is_of_host);
        if is_of_host {
            let bytes = self.host_bytes(address, count * T::BYTES, what)?;
            self.note_result(address, &bytes);
        } else {
            self.check_device(address, what)?;
        }
        Ok((Vector::new(address, count, 1), is_of_host))
    }
}

/// The rotation that makes the second of two numbers 0: `r` takes the place of `a`, and of a real `b` what LAPACK needs to make
/// the rotation again.
pub(super) fn rotg<T: Element>(call: &mut Call<'_>) -> Outcome {
    let handle = call.handle()?;
    let (a, waits) = call.scalars::<T>(&handle, 1, "a")?;
    let (b, _) = call.scalars::<T>(&handle, 1, "b")?;
    let (c, _) = call.scalars::<T::Real>(&handle, 1, "c")?;
    let (s, _) = call.scalars::<T>(&handle, 1, "s")?;
    let uses = Uses::default().change(&a, true).change(&b, true).write(&c).write(&s);
    call.perform(handle.stream, uses, waits, move |memory| {
        let (of_a, of_b) = (a.load(memory)?[0], b.load(memory)?[0]);
        let [r, z, sine, cosine] =
            if T::BYTES == T::Real::BYTES { real_rotation(of_a, of_b) } else { complex_rotation(of_a, of_b) };
        a.store(memory, &[r])?;
        b.store(memory, &[z])?;
        c.store(memory, &[cosine.real()])?;
        s.store(memory, &[sine])
    })
}

/// `r`, `z`, sine and cosine for real numbers.
fn real_rotation<T: Element>(a: T, b: T) -> [T; 4] {
    let of = |x: f64| T::from_real(T::real_of(x));
    let (a, b): (f64, f64) = (a.real().into(), b.real().into());
    if a == 0.0 && b == 0.0 {
        return [of(0.0), of(0.0), of(0.0), of(1.0)];
    }
    let r = a.hypot(b).copysign(if a.abs() > b.abs() { a } else { b });
    let (c, s) = (a / r, b / r);
    let z = if a.abs() > b.abs() {
        s
    } else if c == 0.0 {
        1.0
    } else {
        1.0 / c
    };
    [of(r), of(z), of(s), of(c)]
}

/// The same for complex numbers, of which the second stays.
fn complex_rotation<T: Element>(a: T, b: T) -> [T; 4] {
    let of = |x: f64| T::from_real(T::real_of(x));
    if a == T::ZERO {
        return [b, b, of(1.0), T::ZERO];
    }
    // Scaled, so that squares neither overflow nor vanish.
    let scale = Into::<f64>::into(a.magnitude()) + Into::<f64>::into(b.magnitude());
    let (p, q) = (a / of(scale), b / of(scale));
    let norm = (p.square() + q.square()).sqrt();
    let size = p.square().sqrt();
    let direction = p / of(size);
    [direction * of(scale * norm), b, direction * q.conjugate() / of(norm), of(size / norm)]
}

/// The modified rotation: a matrix of which a flag says which elements it has.
pub(super) fn rotm<T: Element>(call: &mut Call<'_>) -> Outcome {
    let handle = call.handle()?;
    let n = call.vector_count("n")?;
    let (x, y) = (call.vector::<T>(n, "x")?, call.vector::<T>(n, "y")?);
    let (place, is_of_host) = call.scalars::<T>(&handle, 5, "param")?;
    let mut uses = Uses::default().change(&x, true).change(&y, true);
    let mut known = None;
    if is_of_host {
        known = Some(place.load(call.memory).map_err(|_| Status(call.statuses.failed))?);
    } else {
        uses = uses.with(Some(place.section()));
    }
    call.perform(handle.stream, uses, false, move |memory| {
        let param = match &known {
            Some(known) => known.clone(),
            None => place.load(memory)?,
        };
        let one = T::from_real(T::real_of(1.0));
        let flag: f64 = param[0].real().into();
        let [h11, h21, h12, h22] = if flag == -2.0 {
            return Ok(());
        } else if flag == 0.0 {
            [one, param[2], param[3], one]
        } else if flag == 1.0 {
            [param[1], -one, one, param[4]]
        } else {
            [param[1], param[2], param[3], param[4]]
        };
        let (mut of_x, mut of_y) = (x.load(memory)?, y.load(memory)?);
        for (x, y) in of_x.iter_mut().zip(&mut of_y) {
            (*x, *y) = (*x * h11 + *y * h12, *x * h21 + *y * h22);
        }
        x.store(memory, &of_x)?;
        y.store(memory, &of_y)
    })
}

/// Makes a modified rotation for the vector (√d1 · x1, √d2 · y1).
pub(super) fn rotmg<T: Element>(call: &mut Call<'_>) -> Outcome {
    let handle = call.handle()?;
    let (d1, waits) = call.scalars::<T>(&handle, 1, "d1")?;
    let (d2, _) = call.scalars::<T>(&handle, 1, "d2")?;
    let (x1, _) = call.scalars::<T>(&handle, 1, "x1")?;
    let (y1, _) = call.scalars::<T>(&handle, 1, "y1")?;
    let (param, _) = call.scalars::<T>(&handle, 5, "param")?;
    let uses = Uses::default().change(&d1, true).change(&d2, true).change(&x1, true).read(&y1).write(&param);
    call.perform(handle.stream, uses, waits, move |memory| {
        let mut one = |place: Vector<T>| Ok(place.load(memory)?[0].real().into());
        let mut made = Modified { d: [one(d1)?, one(d2)?], x: one(x1)?, flag: 0.0, h: [0.0; 4] };
        made.make(one(y1)?);
        let of = |x: f64| T::from_real(T::real_of(x));
        let values = [made.flag, made.h[0], made.h[1], made.h[2], made.h[3]];
        // What the flag says is neither read nor written.
        let kept: &[usize] = match made.flag {
            -2.0 => &[0],
            0.0 => &[0, 2, 3],
            1.0 => &[0, 1, 4],
            _ => &[0, 1, 2, 3, 4],
        };
        for &i in kept {
            Vector::<T>::scalar(param.address + (i * T::BYTES) as u64).store(memory, &[of(values[i])])?;
        }
        d1.store(memory, &[of(made.d[0])])?;
        d2.store(memory, &[of(made.d[1])])?;
        x1.store(memory, &[of(made.x)])
    })
}

/// A modified rotation while it is made; `h` is column after column.
struct Modified {
    d: [f64; 2],
    x: f64,
    flag: f64,
    h: [f64; 4],
}

impl Modified {
    fn make(&mut self, y: f64) {
        let [d1, d2] = self.d;
        let (p1, p2) = (d1 * self.x, d2 * y);
        let (q1, q2) = (p1 * self.x, p2 * y);
        if d1 < 0.0 || p2 != 0.0 && q1.abs() <= q2.abs() && q2 < 0.0 {
            return self.vanish();
        }
        if p2 == 0.0 {
            self.flag = -2.0;
            return;
        }
        if q1.abs() > q2.abs() {
            (self.h[1], self.h[2]) = (-y / self.x, p2 / p1);
            let u = 1.0 - self.h[2] * self.h[1];
            if u <= 0.0 {
                return self.vanish();
            }
            self.d = [d1 / u, d2 / u];
            self.x *= u;
            self.flag = 0.0;
        } else {
            (self.h[0], self.h[3]) = (p1 / p2, self.x / y);
            let u = 1.0 + self.h[0] * self.h[3];
            self.d = [d2 / u, d1 / u];
            self.x = y * u;
            self.flag = 1.0;
        }
        self.scale(0);
        self.scale(1);
    }

    /// Nothing can be made of these numbers.
    fn vanish(&mut self) {
        *self = Modified { d: [0.0; 2], x: 0.0, flag: -1.0, h: [0.0; 4] };
    }

    /// Brings a factor near 1, and a row of the matrix with it.
    fn scale(&mut self, row: usize) {
        let square = GAMMA * GAMMA;
        while self.d[row] != 0.0 && self.d[row].is_finite() {
            let size = self.d[row].abs();
            let factor = if size <= 1.0 / square {
                1.0 / GAMMA
            } else if size >= square {
                GAMMA
            } else {
                return;
            };
            if self.flag == 0.0 {
                (self.h[0], self.h[3]) = (1.0, 1.0);
            } else if self.flag == 1.0 {
                (self.h[1], self.h[2]) = (-1.0, 1.0);
            }
            self.flag = -1.0;
            self.d[row] /= factor * factor;
            self.x *= if row == 0 { factor } else { 1.0 };
            self.h[row] *= factor;
            self.h[row + 2] *= factor;
        }
    }
}
