//! Level 1: vectors.

use crate::call::{Call, Outcome, Status, Uses};
use crate::element::Element;
use crate::operand::{Integers, Vector};
use device::Bytes;

/// The index of the first element with the largest magnitude, from 1.
pub(super) fn amax<T: Element>(call: &mut Call<'_>) -> Outcome {
    extreme::<T>(call, |new, old| new > old)
}

/// The index of the first element with the smallest magnitude, from 1.
pub(super) fn amin<T: Element>(call: &mut Call<'_>) -> Outcome {
    extreme::<T>(call, |new, old| new < old)
}

fn extreme<T: Element>(call: &mut Call<'_>, is_better: fn(T::Real, T::Real) -> bool) -> Outcome {
    let handle = call.handle()?;
    let x = read_forwards::<T>(call)?;
    let (address, waits) = call.result(&handle, size_of::<i32>())?;
    let uses = Uses::default().read(&x).write(&Integers { address, count: 1 });
    call.perform(handle.stream, uses, waits, move |memory| {
        let mut best: Option<(usize, T::Real)> = None;
        for (i, value) in x.load(memory)?.into_iter().enumerate() {
            let value = value.magnitude();
            if best.is_none_or(|(_, old)| is_better(value, old)) {
                best = Some((i + 1, value));
            }
        }
        memory.put(address, &best.map_or(0, |(i, _)| i as i32).to_le_bytes())
    })
}

/// The vector of a routine with one: without elements where its increment is not positive (cuBLAS, "cublasI<t>amax()", result).
fn read_forwards<T: Element>(call: &mut Call<'_>) -> Result<Vector<T>, Status> {
    let n = call.vector_count("n")?;
    let x = call.vector::<T>(n, "x")?;
    Ok(if x.step > 0 { x } else { Vector::new(x.address, 0, 1) })
}

/// A result that is a number made of the elements.
fn reduced<T: Element, R: Element>(call: &mut Call<'_>, reduce: fn(Vec<T>) -> R) -> Outcome {
    let handle = call.handle()?;
    let x = read_forwards::<T>(call)?;
    let (address, waits) = call.result(&handle, R::BYTES)?;
    let result = Vector::<R>::scalar(address);
    call.perform(handle.stream, Uses::default().read(&x).write(&result), waits, move |memory| {
        let value = reduce(x.load(memory)?);
        result.store(memory, &[value])
    })
}

/// The sum of the magnitudes.
pub(super) fn asum<T: Element>(call: &mut Call<'_>) -> Outcome {
    reduced::<T, T::Real>(call, |x| x.into_iter().fold(T::Real::ZERO, |sum, x| sum + x.magnitude()))
}

/// The Euclidean norm.
pub(super) fn nrm2<T: Element>(call: &mut Call<'_>) -> Outcome {
    reduced::<T, T::Real>(call, |x| {
        // Scaled by the power of two at the largest magnitude, so that squares neither overflow nor vanish.
        if x.iter().any(|x| x.magnitude().into().is_nan()) {
            return T::real_of(f64::NAN);
        }
        let largest = x.iter().fold(0.0f64, |largest, x| largest.max(x.magnitude().into()));
        if largest == 0.0 || !largest.is_finite() {
            return T::real_of(largest);
        }
        let power = 2f64.powi((largest.log2().floor() as i32).max(if T::Real::BYTES == 4 { -126 } else { -1022 }));
        let scale = T::from_real(T::real_of(power));
        let sum: f64 = x.into_iter().map(|x| (x / scale).square()).sum();
        T::real_of(power * sum.sqrt())
    })
}

/// `y` += `alpha` · `x`
pub(super) fn axpy<T: Element>(call: &mut Call<'_>) -> Outcome {
    let handle = call.handle()?;
    let n = call.vector_count("n")?;
    let alpha = call.scalar::<T>(&handle, "alpha")?;
    let (x, y) = (call.vector::<T>(n, "x")?, call.vector::<T>(n, "y")?);
    let uses = Uses::default().read_if(&x, alpha.counts()).change(&y, true).with(alpha.section());
    call.perform(handle.stream, uses, false, move |memory| {
        let alpha = alpha.get(memory)?;
        if alpha == T::ZERO {
            return Ok(());
        }
        let mut values = y.load(memory)?;
        values.iter_mut().zip(x.load(memory)?).for_each(|(y, x)| *y += alpha * x);
        y.store(memory, &values)
    })
}

/// `y` = `x`
pub(super) fn copy<T: Element>(call: &mut Call<'_>) -> Outcome {
    let handle = call.handle()?;
    let n = call.vector_count("n")?;
    let (x, y) = (call.vector::<T>(n, "x")?, call.vector::<T>(n, "y")?);
    // A copy does not use values.
    call.perform(handle.stream, Uses::default().read_if(&x, false).write(&y), false, move |memory| {
        let values = x.load(memory)?;
        y.store(memory, &values)
    })
}

/// `x` and `y` change places.
pub(super) fn swap<T: Element>(call: &mut Call<'_>) -> Outcome {
    let handle = call.handle()?;
    let n = call.vector_count("n")?;
    let (x, y) = (call.vector::<T>(n, "x")?, call.vector::<T>(n, "y")?);
    let uses = Uses::default().read_if(&x, false).read_if(&y, false).write(&x).write(&y);
    call.perform(handle.stream, uses, false, move |memory: &mut dyn Bytes| {
        let (old_x, old_y) = (x.load(memory)?, y.load(memory)?);
        x.store(memory, &old_y)?;
        y.store(memory, &old_x)
    })
}

/// The sum of the products, of the conjugates of `x` if wanted.
pub(super) fn dot<T: Element, const CONJUGATES: bool>(call: &mut Call<'_>) -> Outcome {
    let handle = call.handle()?;
    let n = call.vector_count("n")?;
    let (x, y) = (call.vector::<T>(n, "x")?, call.vector::<T>(n, "y")?);
    let (address, waits) = call.result(&handle, T::BYTES)?;
    let result = Vector::<T>::scalar(address);
    let uses = Uses::default().read(&x).read(&y).write(&result);
    call.perform(handle.stream, uses, waits, move |memory| {
        let (x, y) = (x.load(memory)?, y.load(memory)?);
        let product = |(x, y): (T, T)| if CONJUGATES { x.conjugate() * y } else { x * y };
        let sum = x.into_iter().zip(y).map(product).fold(T::ZERO, |sum, x| sum + x);
        result.store(memory, &[sum])
    })
}

/// `x` is multiplied by a number.
pub(super) fn scal<T: Element>(call: &mut Call<'_>) -> Outcome {
    scaled::<T, T>(call, |value| value)
}

/// `x` is multiplied by a real number.
pub(super) fn scal_real<T: Element>(call: &mut Call<'_>) -> Outcome {
    scaled::<T, T::Real>(call, T::from_real)
}

fn scaled<T: Element, S: Element>(call: &mut Call<'_>, of: fn(S) -> T) -> Outcome {
    let handle = call.handle()?;
    let n = call.vector_count("n")?;
    let alpha = call.scalar::<S>(&handle, "alpha")?;
    let x = call.vector::<T>(n, "x")?;
    let uses = Uses::default().change(&x, alpha.counts()).with(alpha.section());
    call.perform(handle.stream, uses, false, move |memory| {
        let alpha = of(alpha.get(memory)?);
        let values: Vec<T> = x.load(memory)?.into_iter().map(|x| alpha * x).collect();
        x.store(memory, &values)
    })
}
