//! Sorting arrays of the device: module `sort` of nvfortran, and the procedures by whose names programs call Thrust.
//!
//! Such a program brings a file of CUDA C++ with Thrust in it, which only nvcc compiles. The procedures in it take an array and a number
//! of elements; they are called `sort_int_wrapper` in NVIDIA's examples, `thrust_int_sort_wrapper` in others, and so for `float` and
//! `double`.
//!
//! The order is that of the values, NaNs last; equal keys keep theirs.

use crate::call::{Call, Outcome, Routine, Statuses, Uses};
use crate::element::Element;
use crate::operand::{Integers, Operand, Vector, encode};
use crate::state::Home;
use device::{Agreement, Bytes, CudaError, Number, Section};
use std::cmp::Ordering;

pub(crate) const STATUSES: Statuses = Statuses { bad_handle: 1, bad_value: 1, failed: 1 };

/// Table: the routines.
pub(crate) static ROUTINES: &[Routine] = &[
    Routine { name: "sort_int_wrapper", run: wrapper::<i32> },
    Routine { name: "sort_float_wrapper", run: wrapper::<f32> },
    Routine { name: "sort_double_wrapper", run: wrapper::<f64> },
    Routine { name: "thrust_int_sort_wrapper", run: wrapper::<i32> },
    Routine { name: "thrust_float_sort_wrapper", run: wrapper::<f32> },
    Routine { name: "thrust_double_sort_wrapper", run: wrapper::<f64> },
    Routine { name: "fsort_integer4", run: keys::<i32> },
    Routine { name: "fsort_integer8", run: keys::<i64> },
    Routine { name: "fsort_real4", run: keys::<f32> },
    Routine { name: "fsort_real8", run: keys::<f64> },
    Routine { name: "fsort_by_integer4", run: pairs::<i32> },
    Routine { name: "fsort_by_integer8", run: pairs::<i64> },
    Routine { name: "fsort_by_real4", run: pairs::<f32> },
    Routine { name: "fsort_by_real8", run: pairs::<f64> },
];

/// A key.
trait Key: Copy + Send + Sync + 'static {
    /// A number with as many bytes, as which keys are in memory.
    type Stored: Element;

    fn of(stored: Self::Stored) -> Self;

    fn compared(self, other: Self) -> Ordering;
}

macro_rules! keys {
    ($($ty:ident $stored:ident |$x:ident| $of:expr, |$a:ident, $b:ident| $compare:expr;)*) => {$(
        impl Key for $ty {
            type Stored = $stored;

            fn of($x: $stored) -> $ty {
                $of
            }

            fn compared(self, other: $ty) -> Ordering {
                let ($a, $b) = (self, other);
                $compare
            }
        }
    )*};
}

keys! {
    i32 f32 |x| x.to_bits() as i32, |a, b| a.cmp(&b);
    i64 f64 |x| x.to_bits() as i64, |a, b| a.cmp(&b);
    f32 f32 |x| x, |a, b| a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()));
    f64 f64 |x| x, |a, b| a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()));
}

/// Keys in memory, as results.
struct Keys<T: Key>(Vector<T::Stored>);

impl<T: Key> Operand for Keys<T> {
    fn extent(&self) -> Section {
        self.0.section()
    }

    fn numbers(&self) -> (Number, Agreement) {
        (<T::Stored as Element>::NUMBER, Agreement::Bits)
    }
}

/// The order of keys: the place of the first, of the second …
fn order<T: Key>(keys: &[T::Stored]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by(|&a, &b| T::of(keys[a]).compared(T::of(keys[b])));
    order
}

/// Stores keys in an order.
fn store<T: Key>(
    memory: &mut dyn Bytes,
    array: &Vector<T::Stored>,
    (keys, order): (&[T::Stored], &[usize]),
) -> Result<(), CudaError> {
    let sorted: Vec<T::Stored> = order.iter().map(|&at| keys[at]).collect();
    memory.put(array.address, &encode(&sorted))
}

/// An array of the device and the number of its elements.
fn wrapper<T: Key>(call: &mut Call<'_>) -> Outcome {
    let address = call.word();
    let count = call.count("N")?;
    call.check_device(address, "data")?;
    sort::<T>(call, address, count)
}

/// An array of any memory and the number of its elements.
fn keys<T: Key>(call: &mut Call<'_>) -> Outcome {
    call.home = Home::Any;
    let address = call.word();
    let count = call.count("n")?;
    sort::<T>(call, address, count)
}

fn sort<T: Key>(call: &mut Call<'_>, address: u64, count: usize) -> Outcome {
    let array = Vector::<T::Stored>::new(address, count, 1);
    let uses = Uses::default().change(&Keys::<T>(array), true);
    call.perform(0, uses, true, move |memory| {
        let keys = array.load(memory)?;
        store::<T>(memory, &array, (&keys, &order::<T>(&keys)))
    })
}

/// The same with an array of integers that is put in the same order, and whether that is to be 1, 2, 3 … before.
fn pairs<T: Key>(call: &mut Call<'_>) -> Outcome {
    call.home = Home::Any;
    let (address, others) = (call.word(), call.word());
    let count = call.count("n")?;
    let begins = call.int() != 0;
    let array = Vector::<T::Stored>::new(address, count, 1);
    let indices = Integers { address: others, count };
    let uses = Uses::default().change(&Keys::<T>(array), true).change(&indices, !begins);
    call.perform(0, uses, true, move |memory| {
        let keys = array.load(memory)?;
        let order = order::<T>(&keys);
        let before = if begins { (1..=count as i32).collect() } else { indices.load(memory)? };
        let after: Vec<i32> = order.iter().map(|&at| before[at]).collect();
        store::<T>(memory, &array, (&keys, &order))?;
        indices.store(memory, &after)
    })
}
