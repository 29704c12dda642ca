//! Tridiagonal systems by elimination with swapped rows.

use super::product::line;
use crate::call::{Call, Outcome};
use crate::element::Element;
use crate::operand::Operand;
use device::Written;

/// Bytes that a solution asks for; nothing is kept in them.
const BUFFER: u64 = 8;

/// Also for the routines without pivoting, which take the same arguments.
pub(super) fn size(call: &mut Call<'_>) -> Outcome {
    call.sparse_handle()?;
    // Sizes and arrays.
    call.skip(7);
    let address = call.word();
    call.put(address, &BUFFER.to_le_bytes(), "bufferSizeInBytes")?;
    call.answered()
}

/// Solves systems with one matrix: the diagonal below, which begins with nothing, the diagonal, the one above, which ends
/// with nothing, and the right sides.
pub(super) fn solve<T: Element>(call: &mut Call<'_>) -> Outcome {
    let handle = call.sparse_handle()?;
    let (m, n) = (call.count("m")?, call.count("n")?);
    let lower = line::<T>(call, m, "dl")?;
    let middle = line::<T>(call, m, "d")?;
    let upper = line::<T>(call, m, "du")?;
    let b = call.matrix::<T>(m, n, "B")?;
    // The first version of the routine finds its memory itself.
    let buffer = if call.name.contains("gtsv2") { call.external_buffer("_bufferSizeExt")? } else { None };
    let reads = vec![lower.section(), middle.section(), upper.section(), b.section()];
    let writes = [b.written()].into_iter().chain(buffer.map(Written::undefined)).collect();
    call.submit(handle.stream, reads, writes, false, move |memory| {
        let diagonals = [lower.load(memory)?, middle.load(memory)?, upper.load(memory)?];
        let mut values = b.load(memory)?;
        values.chunks_exact_mut(m.max(1)).for_each(|x| eliminate(&diagonals, x));
        b.store(memory, &values)
    })
}

/// Solves one system in place.
fn eliminate<T: Element>([lower, middle, upper]: &[Vec<T>; 3], x: &mut [T]) {
    let n = x.len();
    let (mut lower, mut middle, mut upper) = (lower.clone(), middle.clone(), upper.clone());
    // What swapped rows have beside the diagonal above.
    let mut beyond = vec![T::ZERO; n];
    for i in 0..n.saturating_sub(1) {
        if lower[i + 1].magnitude() > middle[i].magnitude() {
            std::mem::swap(&mut lower[i + 1], &mut middle[i]);
            (upper[i], middle[i + 1]) = (middle[i + 1], upper[i]);
            (beyond[i], upper[i + 1]) = (upper[i + 1], beyond[i]);
            x.swap(i, i + 1);
        }
        let factor = lower[i + 1] / middle[i];
        let (u, v, y) = (upper[i], beyond[i], x[i]);
        middle[i + 1] -= factor * u;
        upper[i + 1] -= factor * v;
        x[i + 1] -= factor * y;
    }
    for i in (0..n).rev() {
        if i + 1 < n {
            let next = x[i + 1];
            x[i] -= upper[i] * next;
        }
        if i + 2 < n {
            let next = x[i + 2];
            x[i] -= beyond[i] * next;
        }
        x[i] = x[i] / middle[i];
    }
}
