//! The C convention of 64-bit Unix on x86 (System V ABI, AMD64 supplement, 3.2.3): arguments in registers and on the stack.
//!
//! Not here: who makes the call (`stack`).
#![allow(unsafe_code)] // Reads and writes memory that C has given addresses of.

use crate::frame::Frame;
use ir::foreign::{CScalar, CValue};

/// Where a value of up to 16 bytes goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    Integer,
    Real,
}

/// The classes of the words of a value, two at most.
#[derive(Clone, Copy)]
struct Classes([Class; 2], usize);

impl Classes {
    fn words(&self) -> &[Class] {
        &self.0[..self.1]
    }

    /// How many words go to integer registers, and how many to those for reals.
    fn counts(&self) -> (usize, usize) {
        let reals = self.words().iter().filter(|class| **class == Class::Real).count();
        (self.1 - reals, reals)
    }
}

/// The classes of the words of a value; `None` if it goes through memory.
fn classes(value: &CValue) -> Option<Classes> {
    match value {
        CValue::Scalar(scalar) => Some(Classes([class(*scalar), Class::Integer], 1)),
        CValue::Object { bytes, .. } if *bytes > 16 => None,
        CValue::Object { bytes, members } => {
            let word = |i: u64| {
                let mut inside = members.iter().filter(|(at, _)| at / 8 == i);
                if inside.all(|&(_, scalar)| class(scalar) == Class::Real) { Class::Real } else { Class::Integer }
            };
            Some(Classes([word(0), word(1)], bytes.div_ceil(8) as usize))
        }
    }
}

/// For scalars as arguments the class and the number of the register of each; `None` if they do not all have one.
pub(crate) fn registers(scalars: impl Iterator<Item = CScalar>) -> Option<Vec<(CScalar, Class, usize)>> {
    let (mut integers, mut reals) = (0..6, 0..8);
    let mut place = |scalar| {
        let class = class(scalar);
        let number = if class == Class::Real { reals.next() } else { integers.next() };
        Some((scalar, class, number?))
    };
    scalars.map(&mut place).collect()
}

fn class(scalar: CScalar) -> Class {
    if matches!(scalar, CScalar::Real(_)) { Class::Real } else { Class::Integer }
}

/// The classes of the words of an argument that goes in registers when so many of those are taken; `None` if it does not.
fn in_registers(value: &CValue, integers: usize, reals: usize) -> Option<Classes> {
    let classes = classes(value)?;
    let (more_integers, more_reals) = classes.counts();
    (integers + more_integers <= 6 && reals + more_reals <= 8).then_some(classes)
}

/// The arguments of a call, where they go, and its result.
#[derive(Default)]
pub(crate) struct Arguments {
    frame: Frame,
    integers: usize,
    reals: usize,
    stack: Vec<u64>,
    /// Where a large result goes.
    large: Vec<u64>,
}

impl Arguments {
    /// Begins anew, with those of a procedure that has this result.
    pub(crate) fn begin(&mut self, result: Option<&CValue>) {
        (self.integers, self.reals) = (0, 0);
        self.stack.clear();
        self.large.clear();
        if let Some(value) = result.filter(|value| classes(value).is_none()) {
            self.large.resize(value.bytes().div_ceil(8) as usize, 0);
            self.frame.integers[0] = self.large.as_mut_ptr() as u64;
            self.integers = 1;
        }
    }

    /// Adds an argument: the words of its bytes.
    pub(crate) fn add(&mut self, value: &CValue, words: &[u64]) {
        let Some(classes) = in_registers(value, self.integers, self.reals) else {
            self.stack.extend(words);
            return;
        };
        for (class, &word) in classes.words().iter().zip(words) {
            match class {
                Class::Integer => {
                    self.frame.integers[self.integers] = word;
                    self.integers += 1;
                }
                Class::Real => {
                    self.frame.reals[self.reals] = word;
                    self.reals += 1;
                }
            }
        }
    }

    /// The frame with which the call is made. It holds until an argument is added.
    pub(crate) fn frame(&mut self) -> &mut Frame {
        self.frame.stack = self.stack.as_ptr();
        self.frame.count = self.stack.len() as u64;
        &mut self.frame
    }

    /// Puts a word into a register.
    pub(crate) fn put(&mut self, class: Class, number: usize, word: u64) {
        match class {
            Class::Integer => self.frame.integers[number] = word,
            Class::Real => self.frame.reals[number] = word,
        }
    }

    /// A scalar that is the result, once the call is over.
    pub(crate) fn scalar_result(&self, scalar: CScalar) -> u64 {
        match class(scalar) {
            Class::Integer => self.frame.integer_results[0],
            Class::Real => self.frame.real_results[0],
        }
    }

    /// The word of that number of the result, once the call is over.
    pub(crate) fn result_word(&self, value: &CValue, number: usize) -> u64 {
        let Some(classes) = classes(value) else { return self.large.get(number).copied().unwrap_or(0) };
        let before = |class| classes.words()[..number].iter().filter(|c| **c == class).count();
        match classes.words().get(number) {
            Some(Class::Integer) => self.frame.integer_results[before(Class::Integer)],
            Some(Class::Real) => self.frame.real_results[before(Class::Real)],
            None => 0,
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

    /// The word of the next argument, which is a scalar.
    ///
    /// # Safety
    /// C has called the entry, which has not returned, and passes such an argument.
    pub(crate) unsafe fn take_scalar(&mut self, scalar: CScalar) -> u64 {
        let (from, at) = match class(scalar) {
            Class::Integer => (&self.frame.integers[..], &mut self.integers),
            Class::Real => (&self.frame.reals[..], &mut self.reals),
        };
        *at += 1;
        if let Some(&word) = from.get(*at - 1) {
            return word;
        }
        *at -= 1;
        self.stack += 1;
        // SAFETY: the caller says that C has put the argument there.
        unsafe { *self.frame.stack.add(self.stack - 1) }
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
            return classes.words().iter().map(&mut next).collect();
        }
        let words = value.bytes().div_ceil(8) as usize;
        let first = self.stack;
        self.stack += words;
        // SAFETY: the caller says that C has put the argument there.
        (first..first + words).map(|i| unsafe { *self.frame.stack.add(i) }).collect()
    }
}

/// Gives C the result of an entry that it has called, which is a scalar.
pub(crate) fn give_scalar(frame: &mut Frame, scalar: CScalar, word: u64) {
    match class(scalar) {
        Class::Integer => frame.integer_results[0] = word,
        Class::Real => frame.real_results[0] = word,
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
    for (class, &word) in classes.words().iter().zip(words) {
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

#[cfg(all(test, unix, target_arch = "x86_64"))]
mod tests {
    use super::*;

    const INT: CValue = CValue::Scalar(CScalar::Int(4));
    const REAL: CValue = CValue::Scalar(CScalar::Real(8));

    fn called(function: *const (), args: &[(CValue, &[u64])], result: &CValue) -> Vec<u8> {
        let mut arguments = Arguments::default();
        arguments.begin(Some(result));
        args.iter().for_each(|(value, words)| arguments.add(value, words));
        // SAFETY: the tests give functions with these parameters.
        unsafe { crate::frame::enter(function, arguments.frame()) };
        let words = (0..result.bytes().div_ceil(8) as usize).map(|i| arguments.result_word(result, i));
        words.flat_map(u64::to_le_bytes).take(result.bytes() as usize).collect()
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
