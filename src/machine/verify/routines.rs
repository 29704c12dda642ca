//! Results of a library's routine on the emulator and of NVIDIA's, compared within the bounds that the routine states.
//!
//! Not here: which arrays a routine writes, and how far they agree (`library`).

use device::{Agreement, Number, Section, Written};

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
    let bound = units * unit(number);
    let apart = |x: f64, y: f64| if largest > 0.0 { (x - y).abs() / largest } else { (x - y).abs() };
    let differs = |x: f64, y: f64| {
        let is_same = x == y || x.is_nan() && y.is_nan();
        !is_same && !(x.is_finite() && y.is_finite() && apart(x, y) <= bound)
    };
    let count = x.iter().zip(&y).filter(|(x, y)| differs(**x, **y)).count() as u64;
    let at = x.iter().zip(&y).position(|(x, y)| differs(*x, *y))?;
    let bound =
        format!("{:.1e} of the largest number of the result, and the bound is {bound:.1e}", apart(x[at], y[at]));
    let address = a[at * parts].address;
    let bytes = (parts * bytes_of(number)) as u64;
    Some(Difference { address, bytes, values: [shown(number, x[at]), shown(number, y[at])], bound, count })
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
        Written { known: vec![section.clone()], sections: vec![section], number, agreement }
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
