//! The C convention of 64-bit Unix on x86 (System V ABI, AMD64 supplement, 3.2.3): arguments in registers and on the stack.
//!
//! A function is called as one that takes six integers, eight reals and some words of the stack: the convention puts those into
//! the registers and places where the function looks for its own arguments, and what it does not take does no harm.
#![allow(unsafe_code)] // Calls code that nobody has checked.

use crate::frame::Frame;
use ir::foreign::{CScalar, CValue};

/// Why there is no call elsewhere.
pub(crate) const UNSUPPORTED: &str = "calls of C are supported on 64-bit x86 with Unix only";
/// Words of the stack that a call may have.
const STACK: usize = 64;

/// Where a value of up to 16 bytes goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    Integer,
    Real,
}

/// The classes of the words of a value; `None` if it goes through memory.
fn classes(value: &CValue) -> Option<Vec<Class>> {
    let of = |scalar: CScalar| if matches!(scalar, CScalar::Real(_)) { Class::Real } else { Class::Integer };
    match value {
        CValue::Scalar(scalar) => Some(vec![of(*scalar)]),
        CValue::Object { bytes, .. } if *bytes > 16 => None,
        CValue::Object { bytes, members } => {
            let word = |i: u64| {
                let mut inside = members.iter().filter(|(at, _)| at / 8 == i);
                if inside.all(|&(_, scalar)| of(scalar) == Class::Real) { Class::Real } else { Class::Integer }
            };
            Some((0..bytes.div_ceil(8)).map(word).collect())
        }
    }
}

/// The classes of the words of an argument that goes in registers when so many of those are taken; `None` if it does not.
fn in_registers(value: &CValue, integers: usize, reals: usize) -> Option<Vec<Class>> {
    let classes = classes(value)?;
    let wanted = classes.iter().filter(|class| **class == Class::Real).count();
    (integers + classes.len() - wanted <= 6 && reals + wanted <= 8).then_some(classes)
}

/// The arguments of a call, where they go.
#[derive(Default)]
pub(crate) struct Arguments {
    integers: Vec<u64>,
    reals: Vec<u64>,
    stack: Vec<u64>,
}

impl Arguments {
    /// Adds an argument: the words of its bytes.
    pub(crate) fn add(&mut self, value: &CValue, words: &[u64]) {
        let Some(classes) = in_registers(value, self.integers.len(), self.reals.len()) else {
            self.stack.extend(words);
            return;
        };
        for (class, &word) in classes.iter().zip(words) {
            match class {
                Class::Integer => self.integers.push(word),
                Class::Real => self.reals.push(word),
            }
        }
    }
}

/// The words of the arguments with which C has called an entry, in order.
pub(crate) struct Incoming<'a> {
    frame: &'a Frame,
    integers: usize,
    reals: usize,
    stack: usize,
}

impl<'a> Incoming<'a> {
    /// Those of a procedure with this result.
    pub(crate) fn new(frame: &'a Frame, result: Option<&CValue>) -> Incoming<'a> {
        // Where a large result goes comes first.
        let integers = usize::from(result.is_some_and(|value| classes(value).is_none()));
        Incoming { frame, integers, reals: 0, stack: 0 }
    }

    /// The words of the next argument.
    ///
    /// # Safety
    /// C has called the entry, which has not returned, and passes such an argument.
    pub(crate) unsafe fn take(&mut self, value: &CValue) -> Vec<u64> {
        if let Some(classes) = in_registers(value, self.integers, self.reals) {
            let mut next = |class: &Class| {
                let (from, at) = match class {
                    Class::Integer => (&self.frame.integers[..], &mut self.integers),
                    Class::Real => (&self.frame.reals[..], &mut self.reals),
                };
                *at += 1;
                from[*at - 1]
            };
            return classes.iter().map(&mut next).collect();
        }
        let words = value.bytes().div_ceil(8) as usize;
        let first = self.stack;
        self.stack += words;
        // SAFETY: the caller says that C has put the argument there.
        (first..first + words).map(|i| unsafe { *self.frame.stack.add(i) }).collect()
    }
}

/// Gives C the result of an entry that it has called: the words of its bytes.
///
/// # Safety
/// C has called the entry, which has not returned, as one with such a result.
pub(crate) unsafe fn give(frame: &mut Frame, value: &CValue, words: &[u64]) {
    let Some(classes) = classes(value) else {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let bytes = &bytes[..bytes.len().min(value.bytes() as usize)];
        frame.integer_results[0] = frame.integers[0];
        // SAFETY: C has passed the address of room for the result.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), frame.integers[0] as *mut u8, bytes.len()) };
        return;
    };
    let (mut integers, mut reals) = (0, 0);
    for (class, &word) in classes.iter().zip(words) {
        let (to, at) = match class {
            Class::Integer => (&mut frame.integer_results, &mut integers),
            Class::Real => (&mut frame.real_results, &mut reals),
        };
        if let Some(to) = to.get_mut(*at) {
            *to = word;
        }
        *at += 1;
    }
}

/// Calls the function at an address; the bytes of its result.
///
/// # Safety
/// A function with these parameters and this result is there, and all that it does is sound.
pub(crate) unsafe fn call(
    function: *const (),
    mut arguments: Arguments,
    result: Option<&CValue>,
) -> Result<Vec<u8>, String> {
    if !cfg!(all(unix, target_arch = "x86_64")) {
        return Err(UNSUPPORTED.to_owned());
    }
    let bytes = result.map_or(0, CValue::bytes) as usize;
    let classes = result.map_or(Some(Vec::new()), classes);
    // A large result goes where the caller says.
    let mut large = vec![0u64; if classes.is_none() { bytes.div_ceil(8) } else { 0 }];
    if classes.is_none() {
        arguments.integers.insert(0, large.as_mut_ptr() as u64);
        if arguments.integers.len() > 6 {
            arguments.stack.insert(0, arguments.integers.remove(6));
        }
    }
    if arguments.stack.len() > STACK {
        return Err(format!("its arguments take more than {STACK} words of the stack"));
    }
    arguments.integers.resize(6, 0);
    arguments.reals.resize(8, 0);
    use Class::{Integer, Real};
    // SAFETY: as the caller says.
    let words = unsafe {
        match classes.as_deref() {
            None => {
                enter::<Pair<u64, u64>>(function, &arguments);
                large
            }
            Some([] | [Integer] | [Integer, Integer]) => {
                let Pair(a, b) = enter::<Pair<u64, u64>>(function, &arguments);
                vec![a, b]
            }
            Some([Real] | [Real, Real]) => {
                let Pair(a, b) = enter::<Pair<f64, f64>>(function, &arguments);
                vec![a.to_bits(), b.to_bits()]
            }
            Some([Integer, Real]) => {
                let Pair(a, b) = enter::<Pair<u64, f64>>(function, &arguments);
                vec![a, b.to_bits()]
            }
            Some(_) => {
                let Pair(a, b) = enter::<Pair<f64, u64>>(function, &arguments);
                vec![a.to_bits(), b]
            }
        }
    };
    Ok(words.iter().flat_map(|word| word.to_le_bytes()).take(bytes).collect())
}

/// Two words of a result.
#[repr(C)]
struct Pair<A, B>(A, B);

/// Calls a function with as many words of the stack as are needed, or more.
///
/// # Safety
/// As `call` says; `R` is returned as the function returns its result.
unsafe fn enter<R>(function: *const (), arguments: &Arguments) -> R {
    macro_rules! with_stack {
        ($($word:ident $at:literal)*) => {{
            // SAFETY: a pointer to a function; the head of this file says why this type fits.
            let function: unsafe extern "C" fn(
                u64, u64, u64, u64, u64, u64, f64, f64, f64, f64, f64, f64, f64, f64, $($word),*
            ) -> R = unsafe { std::mem::transmute(function) };
            let integer = |i: usize| arguments.integers[i];
            let real = |i: usize| f64::from_bits(arguments.reals[i]);
            let _stack = |i: usize| arguments.stack.get(i).copied().unwrap_or(0);
            // SAFETY: as the caller says.
            unsafe {
                function(
                    integer(0), integer(1), integer(2), integer(3), integer(4), integer(5),
                    real(0), real(1), real(2), real(3), real(4), real(5), real(6), real(7), $(_stack($at)),*
                )
            }
        }};
    }
    match arguments.stack.len() {
        0 => with_stack!(),
        1..=8 => with_stack!(u64 0 u64 1 u64 2 u64 3 u64 4 u64 5 u64 6 u64 7),
        _ => with_stack!(
            u64 0 u64 1 u64 2 u64 3 u64 4 u64 5 u64 6 u64 7 u64 8 u64 9 u64 10 u64 11 u64 12 u64 13 u64 14 u64 15
            u64 16 u64 17 u64 18 u64 19 u64 20 u64 21 u64 22 u64 23 u64 24 u64 25 u64 26 u64 27 u64 28 u64 29 u64 30
            u64 31 u64 32 u64 33 u64 34 u64 35 u64 36 u64 37 u64 38 u64 39 u64 40 u64 41 u64 42 u64 43 u64 44 u64 45
            u64 46 u64 47 u64 48 u64 49 u64 50 u64 51 u64 52 u64 53 u64 54 u64 55 u64 56 u64 57 u64 58 u64 59 u64 60
            u64 61 u64 62 u64 63
        ),
    }
}

#[cfg(all(test, unix, target_arch = "x86_64"))]
mod tests {
    use super::*;

    const INT: CValue = CValue::Scalar(CScalar::Int(4));
    const REAL: CValue = CValue::Scalar(CScalar::Real(8));

    fn called(function: *const (), args: &[(CValue, &[u64])], result: &CValue) -> Vec<u8> {
        let mut arguments = Arguments::default();
        args.iter().for_each(|(value, words)| arguments.add(value, words));
        // SAFETY: the tests give functions with these parameters.
        unsafe { call(function, arguments, Some(result)) }.expect("a call")
    }

    #[repr(C)]
    struct Mixed {
        x: f64,
        n: i32,
    }

    #[repr(C)]
    struct Large([f64; 3]);

    extern "C" fn many(a: i32, b: f64, c: i32, d: i32, e: i32, f: i32, g: i32, h: i32, i: f64, j: i32) -> f64 {
        f64::from(a + 2 * c + 3 * d + 4 * e + 5 * f + 6 * g + 7 * h + 8 * j) + b * i
    }

    extern "C" fn swap(m: Mixed) -> Mixed {
        Mixed { x: f64::from(m.n), n: m.x as i32 }
    }

    extern "C" fn scaled(v: Large, s: f64, n: i32) -> Large {
        Large(v.0.map(|x| x * s + f64::from(n)))
    }

    #[test]
    fn arguments_go_to_registers_and_to_the_stack() {
        let ints = [[1], [2], [3], [4], [5], [6], [7], [8]];
        let b = [2.5f64.to_bits()];
        let i = [4.0f64.to_bits()];
        let mut args: Vec<(CValue, &[u64])> = ints.iter().map(|n| (INT, &n[..])).collect();
        args.insert(1, (REAL, &b));
        args.insert(8, (REAL, &i));
        let sum = called(many as *const (), &args, &REAL);
        assert_eq!(sum, (1.0 + 4.0 + 9.0 + 16.0 + 25.0 + 36.0 + 49.0 + 64.0 + 10.0f64).to_le_bytes());
    }

    #[test]
    fn objects_are_passed_and_returned() {
        let mixed = CValue::Object { bytes: 16, members: vec![(0, CScalar::Real(8)), (8, CScalar::Int(4))] };
        let end = called(swap as *const (), &[(mixed.clone(), &[7.0f64.to_bits(), 3])], &mixed);
        assert_eq!((&end[..8], &end[8..12]), (&3.0f64.to_le_bytes()[..], &7i32.to_le_bytes()[..]));
        let members = (0..3).map(|i| (8 * i, CScalar::Real(8))).collect();
        let large = CValue::Object { bytes: 24, members };
        let v = [1.0f64, 2.0, 3.0].map(f64::to_bits);
        let end = called(scaled as *const (), &[(large.clone(), &v), (REAL, &[2.0f64.to_bits()]), (INT, &[1])], &large);
        assert_eq!(end, [3.0f64, 5.0, 7.0].map(f64::to_le_bytes).concat());
    }
}
