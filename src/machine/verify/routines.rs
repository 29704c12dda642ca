//! Results of a library's routine on the emulator and of NVIDIA's, compared within the bounds that the routine states.
//!
//! Not here: which arrays a routine writes, and how far they agree (`library`).

use device::{Agreement, Number, Section, Written};

/// What the largest value is divided by its distance from the next one, and by this, is how many times the bound of a vector is more.
const UNITS_OVER_DISTANCE: f64 = 10.0;

/// The first element that differs by more than its bound.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Difference {
    /// Where the number is.
    pub(super) address: u64,
    /// Its bytes.
    pub(super) bytes: u64,
    /// On the emulator and of NVIDIA's.
    pub(super) values: [String; 2],
    /// How far the two are apart, relative to the largest number, and the bound; empty where bits are compared.
    pub(super) bound: String,
    /// How many numbers differ so much.
    pub(super) count: u64,
}

/// Reads bytes of one of the two memories; `None` where there are none.
pub(super) type Read<'a> = &'a mut dyn FnMut(u64, &mut [u8]) -> Option<()>;

/// Compares all results of a routine.
pub(super) fn compare(results: &[Written], ours: Read<'_>, theirs: Read<'_>) -> Option<Difference> {
    let statuses = results.iter().filter(|result| result.agreement == Agreement::Status);
    for status in statuses {
        let difference = compare_one(status, ours, theirs);
        if difference.is_some() {
            return difference;
        }
        let is_failure = values(status, ours)?.iter().any(|number| number.bits != 0);
        if is_failure {
            return None;
        }
    }
    results.iter().find_map(|result| compare_one(result, ours, theirs))
}

/// A number in memory.
struct Value {
    address: u64,
    bits: u64,
}

/// Bytes of a number.
fn bytes_of(number: Number) -> usize {
    match number {
        Number::Real2 => 2,
        Number::Integer | Number::Real4 => 4,
        Number::Real8 => 8,
    }
}

/// The real that bits stand for.
fn real_of(number: Number, bits: u64) -> f64 {
    match number {
        Number::Integer => f64::from(bits as u32 as i32),
        Number::Real2 => f64::from(scalar::half::widen(bits as u16)),
        Number::Real4 => f64::from(f32::from_bits(bits as u32)),
        Number::Real8 => f64::from_bits(bits),
    }
}

/// One rounding unit.
fn unit(number: Number) -> f64 {
    match number {
        Number::Integer => 0.0,
        // Sums are rounded once.
        Number::Real2 => f64::from(2f32.powi(-10)) / 25.0,
        Number::Real4 => f64::from(f32::EPSILON),
        Number::Real8 => f64::EPSILON,
    }
}

/// The numbers of a result in the order of its sections.
fn values(result: &Written, read: Read<'_>) -> Option<Vec<Value>> {
    let size = bytes_of(result.number);
    let mut out = Vec::new();
    for (place, bytes) in &result.known {
        each_run(&(place.clone(), *bytes), &mut |address, length| {
            let mut run = vec![0; length as usize];
            read(address, &mut run)?;
            for (i, number) in run.chunks_exact(size).enumerate() {
                let mut word = [0; 8];
                word[..size].copy_from_slice(number);
                out.push(Value { address: address + (i * size) as u64, bits: u64::from_le_bytes(word) });
            }
            Some(())
        })?;
    }
    Some(out)
}

/// Calls `each` with the bytes of a section that lie together: an address and a length.
fn each_run(section: &Section, each: &mut dyn FnMut(u64, u64) -> Option<()>) -> Option<()> {
    let (place, bytes) = section;
    let mut run = *bytes;
    let mut rest = &place.dims[..];
    while let Some((&(count, stride), more)) = rest.split_first()
        && (count == 1 || stride == run as i64)
    {
        run *= count.max(0) as u64;
        rest = more;
    }
    visit(place.base, rest, run, each)
}

fn visit(base: u64, dims: &[(i64, i64)], run: u64, each: &mut dyn FnMut(u64, u64) -> Option<()>) -> Option<()> {
    let Some((&(count, stride), rest)) = dims.split_last() else {
        return if run == 0 { Some(()) } else { each(base, run) };
    };
    (0..count).try_for_each(|i| visit(base.wrapping_add_signed(i * stride), rest, run, each))
}

fn compare_one(result: &Written, ours: Read<'_>, theirs: Read<'_>) -> Option<Difference> {
    let (a, b) = (values(result, ours)?, values(result, theirs)?);
    let number = result.number;
    let (units, parts) = match result.agreement {
        Agreement::Bits | Agreement::Status => return compare_bits(number, &a, &b),
        Agreement::Units(units) => (units, 1),
        Agreement::Magnitudes(units, parts) => (units, parts),
    };
    // Elements as one number, or as the absolute value of several.
    let amount = |values: &[Value]| -> Vec<f64> {
        let of = |element: &[Value]| match (result.agreement, element) {
            (Agreement::Units(_), [value]) => real_of(number, value.bits),
            _ => element.iter().map(|value| real_of(number, value.bits).powi(2)).sum::<f64>().sqrt(),
        };
        values.chunks_exact(parts).map(of).collect()
    };
    let (x, y) = (amount(&a), amount(&b));
    let largest = x.iter().chain(&y).filter(|x| x.is_finite()).fold(0.0, |largest: f64, x| largest.max(x.abs()));
    let bounds = bounds(result, units * unit(number), x.len(), ours);
    let bound = |at: usize| bounds.get(at).copied().unwrap_or(units * unit(number));
    let apart = |x: f64, y: f64| if largest > 0.0 { (x - y).abs() / largest } else { (x - y).abs() };
    let differs = |at: usize| {
        let (x, y) = (x[at], y[at]);
        let is_same = x == y || x.is_nan() && y.is_nan();
        let is_within = x.is_finite() && y.is_finite() && apart(x, y) <= bound(at);
        !(is_same || is_within)
    };
    let different: Vec<usize> = (0..x.len().min(y.len())).filter(|&at| differs(at)).collect();
    let (&at, count) = (different.first()?, different.len() as u64);
    let (apart, bound) = (apart(x[at], y[at]), bound(at));
    let bound = format!("{apart:.1e} of the largest number of the result, and the bound is {bound:.1e}");
    let address = a[at * parts].address;
    let bytes = (parts * bytes_of(number)) as u64;
    Some(Difference { address, bytes, values: [shown(number, x[at]), shown(number, y[at])], bound, count })
}

/// The bounds of elements of vectors: errors grow as the distance of the vector's value from the next one shrinks. Nothing for others.
fn bounds(result: &Written, least: f64, count: usize, read: Read<'_>) -> Vec<f64> {
    let Some(spectrum) = &result.spectrum else { return Vec::new() };
    let of_values = Written { known: vec![spectrum.values.clone()], spectrum: None, ..result.clone() };
    let Some(found) = values(&of_values, read) else { return Vec::new() };
    let found: Vec<f64> = found.iter().map(|value| real_of(result.number, value.bits)).collect();
    let largest = found.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
    let bound_of = |of: usize| {
        let Some(value) = found.get(of) else { return least };
        let others = found.iter().enumerate().filter(|(other, _)| *other != of);
        let distance = others.map(|(_, other)| (value - other).abs()).fold(f64::INFINITY, f64::min);
        least * (largest / distance / UNITS_OVER_DISTANCE).max(1.0)
    };
    let of_vectors: Vec<f64> = (0..found.len()).map(bound_of).collect();
    let vector = |at: usize| if spectrum.is_by_rows { at % spectrum.rows.max(1) } else { at / spectrum.rows.max(1) };
    (0..count).map(|at| of_vectors.get(vector(at)).copied().unwrap_or(least)).collect()
}

fn shown(number: Number, value: f64) -> String {
    match number {
        Number::Integer => format!("{value}"),
        Number::Real8 => format!("{value:?}"),
        _ => format!("{:?}", value as f32),
    }
}

fn compare_bits(number: Number, a: &[Value], b: &[Value]) -> Option<Difference> {
    let mut different = a.iter().zip(b).filter(|(a, b)| a.bits != b.bits);
    let (first, other) = different.next()?;
    let count = 1 + different.count() as u64;
    let show = |bits: u64| match number {
        Number::Integer => format!("{}", bits as u32 as i32),
        _ => format!("{} ({bits:#x})", shown(number, real_of(number, bits))),
    };
    let values = [show(first.bits), show(other.bits)];
    let bytes = bytes_of(number) as u64;
    Some(Difference { address: first.address, bytes, values, bound: String::new(), count })
}

#[cfg(test)]
mod tests {
    use super::*;
    use device::Strided;
    use mem::{Memory, Region};
    use source::Span;

    /// An array in two memories, and what a routine says of it.
    fn memories(ours: &[u8], theirs: &[u8]) -> (Memory, Memory, u64) {
        let mut memory = Memory::new();
        let base = memory.alloc(Region::Managed, ours.len() as u64, "x", Span::NONE).expect("room");
        let mut other = memory.clone();
        memory.write(base, ours).expect("inside");
        other.write(base, theirs).expect("inside");
        (memory, other, base)
    }

    fn written(base: u64, dims: &[(i64, i64)], bytes: u64, number: Number, agreement: Agreement) -> Written {
        let section = (Strided { base, dims: dims.to_vec() }, bytes);
        Written { known: vec![section.clone()], sections: vec![section], number, agreement, spectrum: None }
    }

    fn difference(ours: &[u8], theirs: &[u8], results: impl Fn(u64) -> Vec<Written>) -> Option<(u64, Difference)> {
        let (a, b, base) = memories(ours, theirs);
        let found = compare(&results(base), &mut |at, out| a.read(at, out), &mut |at, out| b.read(at, out))?;
        Some((found.address - base, found))
    }

    fn bytes(values: &[f64]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    #[test]
    fn a_difference_counts_relative_to_the_largest_number() {
        let of = |dims: &'static [(i64, i64)]| {
            move |base| vec![written(base, dims, 8, Number::Real8, Agreement::Units(100.0))]
        };
        let ours = bytes(&[1000.0, 1.0, 2.0, 3.0]);
        assert_eq!(difference(&ours, &bytes(&[1000.0, 1.0 + 1e-12, 2.0, 3.0]), of(&[(4, 8)])), None);
        let (at, found) = difference(&ours, &bytes(&[1000.0, 1.0, 2.5, 3.5]), of(&[(4, 8)])).expect("they differ");
        assert_eq!((at, found.count, found.values), (16, 2, ["2.0".to_owned(), "2.5".to_owned()]));
        assert_eq!(found.bound, "5.0e-4 of the largest number of the result, and the bound is 2.2e-14");
        // Between the columns nothing is compared.
        assert_eq!(difference(&ours, &bytes(&[1000.0, 7.0, 2.0, 7.0]), of(&[(1, 8), (2, 16)])), None);
        // A NaN on one side is a difference, and on both none.
        let with_nan = bytes(&[1000.0, f64::NAN, 2.0, 3.0]);
        assert!(difference(&ours, &with_nan, of(&[(4, 8)])).is_some());
        assert_eq!(difference(&with_nan, &with_nan, of(&[(4, 8)])), None);
    }

    #[test]
    fn vectors_have_any_sign_or_phase() {
        let of = |base| vec![written(base, &[(2, 16)], 16, Number::Real8, Agreement::Magnitudes(1000.0, 2))];
        let ours = bytes(&[0.6, 0.8, 1.0, 0.0]);
        assert_eq!(difference(&ours, &bytes(&[-0.8, 0.6, 0.0, -1.0]), of), None);
        let (at, _) = difference(&ours, &bytes(&[0.6, 0.8, 0.5, 0.0]), of).expect("they differ");
        assert_eq!(at, 16);
    }

    #[test]
    fn vectors_of_close_values_are_known_less() {
        // Two values, and two columns of two.
        let of = |base: u64| {
            let values = (Strided { base, dims: vec![(2, 8)] }, 8);
            let spectrum = Some(device::Spectrum { values, rows: 2, is_by_rows: false });
            let columns = written(base + 16, &[(4, 8)], 8, Number::Real8, Agreement::Magnitudes(1000.0, 1));
            vec![Written { spectrum, ..columns }]
        };
        let with = |close: f64, error: f64| {
            let ours = bytes(&[1.0, 1.0 + close, 0.6, 0.8, 0.8, 0.6]);
            let theirs = bytes(&[1.0, 1.0 + close, 0.6, -0.8 - error, 0.8, 0.6]);
            difference(&ours, &theirs, of)
        };
        assert!(with(1.0, 1e-9).is_some());
        assert_eq!(with(1e-6, 1e-9), None);
        assert_eq!(with(0.0, 0.1), None, "any two vectors of the plane are right");
    }

    #[test]
    fn bits_and_failures() {
        let word = |x: i32| x.to_le_bytes();
        let of = |base| {
            let status = written(base, &[(1, 4)], 4, Number::Integer, Agreement::Status);
            vec![written(base + 4, &[(1, 4)], 4, Number::Integer, Agreement::Bits), status]
        };
        let pair = |a, b| [word(a), word(b)].concat();
        let (at, found) = difference(&pair(0, 3), &pair(0, 4), of).expect("they differ");
        assert_eq!((at, found.values), (4, ["3".to_owned(), "4".to_owned()]));
        // What a routine leaves that has failed is not compared, but how it ended is.
        assert_eq!(difference(&pair(2, 3), &pair(2, 4), of), None);
        assert_eq!(difference(&pair(2, 3), &pair(0, 3), of).expect("they differ").0, 0);
    }
}
