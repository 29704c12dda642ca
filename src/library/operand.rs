//! Vectors, matrices, grids and integers of a call: where their elements are, and how they come and go.

use crate::element::Element;
use device::{Agreement, Bytes, CudaError, Number, Section, Spectrum, Strided, Written};
use std::marker::PhantomData;

/// What a routine is given of memory.
pub(crate) trait Operand {
    /// From its first element to its last, which has to be inside of one array.
    fn extent(&self) -> Section;

    /// Its elements.
    fn sections(&self) -> Vec<Section> {
        vec![self.extent()]
    }

    /// What numbers they are, and how far results agree with those of NVIDIA's library.
    fn numbers(&self) -> (Number, Agreement);

    /// It as a result.
    fn written(&self) -> Written {
        let (number, agreement) = self.numbers();
        let sections = self.sections();
        Written { known: sections.clone(), sections, number, agreement, spectrum: None }
    }
}

/// Rounding units, relative to the largest number of a result, in which results agree with those of NVIDIA's library.
const UNITS: f64 = 100.0;
/// The same for vectors of eigenvalues and singular values that are far from each other.
const UNITS_OF_VECTORS: f64 = 1000.0;

/// The numbers of elements, and how far results agree.
pub(crate) fn numbers<T: Element>() -> (Number, Agreement) {
    (T::NUMBER, Agreement::Units(UNITS))
}

impl<T: Element> Operand for Vector<T> {
    fn extent(&self) -> Section {
        self.section()
    }

    fn numbers(&self) -> (Number, Agreement) {
        numbers::<T>()
    }
}

impl<T: Element> Operand for Matrix<T> {
    fn extent(&self) -> Section {
        self.section()
    }

    fn numbers(&self) -> (Number, Agreement) {
        numbers::<T>()
    }
}

impl<T: Element> Operand for Grid<T> {
    fn extent(&self) -> Section {
        self.section()
    }

    fn numbers(&self) -> (Number, Agreement) {
        numbers::<T>()
    }
}

impl Operand for Integers {
    fn extent(&self) -> Section {
        self.section()
    }

    fn numbers(&self) -> (Number, Agreement) {
        (Number::Integer, Agreement::Bits)
    }
}

/// A vector of BLAS: `count` elements, `step` apart. With a negative step the first element is the last one in memory.
#[derive(Debug)]
pub(crate) struct Vector<T> {
    pub(crate) address: u64,
    pub(crate) count: usize,
    pub(crate) step: i64,
    element: PhantomData<T>,
}

/// A matrix in the order of Fortran: columns are `leading` elements apart.
#[derive(Debug)]
pub(crate) struct Matrix<T> {
    pub(crate) address: u64,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) leading: usize,
    element: PhantomData<T>,
}

/// Elements at the crossings of several steps: counts and steps in elements, the fastest first.
#[derive(Debug)]
pub(crate) struct Grid<T> {
    address: u64,
    dims: Vec<(usize, i64)>,
    element: PhantomData<T>,
}

/// Integers of 4 bytes next to each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Integers {
    pub(crate) address: u64,
    pub(crate) count: usize,
}

impl<T> Clone for Vector<T> {
    fn clone(&self) -> Vector<T> {
        *self
    }
}

impl<T> Copy for Vector<T> {}

impl<T> Clone for Matrix<T> {
    fn clone(&self) -> Matrix<T> {
        *self
    }
}

impl<T> Copy for Matrix<T> {}

type Done<T> = Result<T, CudaError>;

pub(crate) fn decode<T: Element>(bytes: &[u8]) -> impl Iterator<Item = T> + '_ {
    bytes.chunks_exact(T::BYTES).map(T::from_bytes)
}

pub(crate) fn encode<T: Element>(values: &[T]) -> Vec<u8> {
    let mut bytes = vec![0; values.len() * T::BYTES];
    encode_into(values, &mut bytes);
    bytes
}

fn encode_into<T: Element>(values: &[T], bytes: &mut [u8]) {
    for (value, bytes) in values.iter().zip(bytes.chunks_exact_mut(T::BYTES)) {
        value.to_bytes(bytes);
    }
}

/// Bytes that are converted at a time, which stay in a cache near the processor.
const PIECE: usize = 1 << 18;

/// Loads and stores elements that are next to each other in memory.
#[derive(Default)]
struct Runs {
    /// Those of a piece.
    bytes: Vec<u8>,
}

impl Runs {
    /// Room for so many bytes.
    fn room(&mut self, bytes: usize) -> &mut [u8] {
        if self.bytes.len() < bytes {
            self.bytes.resize(bytes, 0);
        }
        &mut self.bytes[..bytes]
    }

    /// Appends `count` elements from an address on.
    fn load<T: Element>(&mut self, memory: &mut dyn Bytes, address: u64, count: usize, out: &mut Vec<T>) -> Done<()> {
        let (mut address, mut rest) = (address, count);
        while rest > 0 {
            let now = (PIECE / T::BYTES).min(rest);
            let from = out.len();
            out.resize(from + now, T::ZERO);
            self.load_into(memory, address, &mut out[from..])?;
            (address, rest) = (address + (now * T::BYTES) as u64, rest - now);
        }
        Ok(())
    }

    /// Loads as many elements as there is room for from an address on.
    fn load_into<T: Element>(&mut self, memory: &mut dyn Bytes, address: u64, out: &mut [T]) -> Done<()> {
        if let Some(bytes) = T::as_bytes_mut(out) {
            return memory.get(address, bytes);
        }
        let mut address = address;
        for out in out.chunks_mut(PIECE / T::BYTES) {
            let bytes = self.room(out.len() * T::BYTES);
            memory.get(address, bytes)?;
            for (value, read) in out.iter_mut().zip(decode::<T>(bytes)) {
                *value = read;
            }
            address += bytes.len() as u64;
        }
        Ok(())
    }

    /// Stores elements from an address on.
    fn store<T: Element>(&mut self, memory: &mut dyn Bytes, address: u64, values: &[T]) -> Done<()> {
        if let Some(bytes) = T::as_bytes(values) {
            return memory.put(address, bytes);
        }
        let mut address = address;
        for values in values.chunks(PIECE / T::BYTES) {
            let bytes = self.room(values.len() * T::BYTES);
            encode_into(values, bytes);
            memory.put(address, bytes)?;
            address += bytes.len() as u64;
        }
        Ok(())
    }
}

impl<T: Element> Vector<T> {
    pub(crate) fn new(address: u64, count: usize, step: i64) -> Vector<T> {
        Vector { address, count, step, element: PhantomData }
    }

    /// A vector of one element.
    pub(crate) fn scalar(address: u64) -> Vector<T> {
        Vector::new(address, 1, 1)
    }

    pub(crate) fn section(&self) -> Section {
        let bytes = T::BYTES as i64;
        let count = if self.count == 0 { 0 } else { self.count as i64 };
        let step = self.step.saturating_abs().saturating_mul(bytes);
        (Strided { base: self.address, dims: vec![(count, step)] }, T::BYTES as u64)
    }

    /// The address of element `i`.
    fn at(&self, i: usize) -> u64 {
        let from = if self.step < 0 { (self.count as i64 - 1) * -self.step } else { 0 };
        self.address.wrapping_add_signed((from + i as i64 * self.step) * T::BYTES as i64)
    }

    pub(crate) fn load(&self, memory: &mut dyn Bytes) -> Done<Vec<T>> {
        if self.step == 1 {
            let mut out = Vec::with_capacity(self.count);
            Runs::default().load(memory, self.address, self.count, &mut out)?;
            return Ok(out);
        }
        let mut bytes = vec![0; T::BYTES];
        let element = |i| {
            memory.get(self.at(i), &mut bytes)?;
            Ok(T::from_bytes(&bytes))
        };
        (0..self.count).map(element).collect()
    }

    pub(crate) fn store(&self, memory: &mut dyn Bytes, values: &[T]) -> Done<()> {
        if self.step == 1 {
            return Runs::default().store(memory, self.address, values);
        }
        let mut bytes = vec![0; T::BYTES];
        for (i, value) in values.iter().enumerate() {
            value.to_bytes(&mut bytes);
            memory.put(self.at(i), &bytes)?;
        }
        Ok(())
    }
}

impl<T: Element> Matrix<T> {
    pub(crate) fn new(address: u64, rows: usize, columns: usize, leading: usize) -> Matrix<T> {
        Matrix { address, rows, columns, leading, element: PhantomData }
    }

    pub(crate) fn section(&self) -> Section {
        let bytes = T::BYTES as i64;
        let dims = vec![(self.rows as i64, bytes), (self.columns as i64, self.leading as i64 * bytes)];
        (Strided { base: self.address, dims }, T::BYTES as u64)
    }

    fn column(&self, j: usize) -> u64 {
        self.address + (j * self.leading * T::BYTES) as u64
    }

    /// Its columns, or its rows, as results that are vectors of length 1 with any sign or phase, which belong to those values.
    pub(crate) fn vectors(&self, values: &Vector<T::Real>, is_by_rows: bool) -> Written {
        let parts = T::BYTES / <T::Real as Element>::BYTES;
        let spectrum = Spectrum { values: values.section(), rows: self.rows, is_by_rows };
        let written = self.written().within(Agreement::Magnitudes(UNITS_OF_VECTORS, parts));
        Written { spectrum: Some(spectrum), ..written }
    }

    /// The elements, column after column.
    pub(crate) fn load(&self, memory: &mut dyn Bytes) -> Done<Vec<T>> {
        let mut out = Vec::with_capacity(self.rows * self.columns);
        let mut runs = Runs::default();
        for j in 0..self.columns {
            runs.load(memory, self.column(j), self.rows, &mut out)?;
        }
        Ok(out)
    }

    pub(crate) fn store(&self, memory: &mut dyn Bytes, values: &[T]) -> Done<()> {
        let mut runs = Runs::default();
        for (j, column) in values.chunks_exact(self.rows.max(1)).enumerate().take(self.columns) {
            runs.store(memory, self.column(j), column)?;
        }
        Ok(())
    }

    /// Writes the elements of one triangle only, the diagonal included.
    pub(crate) fn store_triangle(&self, memory: &mut dyn Bytes, values: &[T], is_upper: bool) -> Done<()> {
        let mut runs = Runs::default();
        for (j, column) in values.chunks_exact(self.rows.max(1)).enumerate().take(self.columns) {
            let (from, to) = if is_upper { (0, (j + 1).min(self.rows)) } else { (j.min(self.rows), self.rows) };
            runs.store(memory, self.column(j) + (from * T::BYTES) as u64, &column[from..to])?;
        }
        Ok(())
    }
}

impl<T: Element> Grid<T> {
    pub(crate) fn new(address: u64, dims: Vec<(usize, i64)>) -> Grid<T> {
        Grid { address, dims, element: PhantomData }
    }

    pub(crate) fn section(&self) -> Section {
        let dims = self.dims.iter().map(|&(count, step)| (count as i64, step.saturating_mul(T::BYTES as i64)));
        (Strided { base: self.address, dims: dims.collect() }, T::BYTES as u64)
    }

    /// How many elements are next to each other in memory, and the dimensions beyond them.
    fn runs(&self) -> (usize, &[(usize, i64)]) {
        let mut run = 1;
        let mut is_next = |&(count, step): &(usize, i64)| {
            let is_next = count == 1 || step == run as i64;
            run *= if is_next { count } else { 1 };
            is_next
        };
        let merged = self.dims.iter().take_while(|dim| is_next(dim)).count();
        (run, &self.dims[merged..])
    }

    /// Calls `each` with the address of each run, in the order of the elements.
    fn each_run(dims: &[(usize, i64)], address: u64, each: &mut dyn FnMut(u64) -> Done<()>) -> Done<()> {
        let Some((&(count, step), rest)) = dims.split_last() else { return each(address) };
        for i in 0..count as i64 {
            let offset = i.wrapping_mul(step).wrapping_mul(T::BYTES as i64);
            Grid::<T>::each_run(rest, address.wrapping_add_signed(offset), each)?;
        }
        Ok(())
    }

    /// The elements, the first dimension fastest, in a vector that there may be already.
    pub(crate) fn load(&self, memory: &mut dyn Bytes, mut out: Vec<T>) -> Done<Vec<T>> {
        let (run, rest) = self.runs();
        let count = self.dims.iter().map(|(count, _)| count).product();
        let mut runs = Runs::default();
        if out.len() == count {
            let mut of_runs = out.chunks_mut(run.max(1));
            Grid::<T>::each_run(rest, self.address, &mut |address| match of_runs.next() {
                Some(run) => runs.load_into(memory, address, run),
                None => Ok(()),
            })?;
            return Ok(out);
        }
        out.clear();
        out.try_reserve_exact(count).map_err(|_| CudaError::MemoryAllocation)?;
        Grid::<T>::each_run(rest, self.address, &mut |address| runs.load(memory, address, run, &mut out))?;
        Ok(out)
    }

    pub(crate) fn store(&self, memory: &mut dyn Bytes, values: &[T]) -> Done<()> {
        let (run, rest) = self.runs();
        let (mut of_runs, mut runs) = (values.chunks(run.max(1)), Runs::default());
        Grid::<T>::each_run(rest, self.address, &mut |address| match of_runs.next() {
            Some(run) => runs.store(memory, address, run),
            None => Ok(()),
        })
    }
}

impl Integers {
    /// It as the word that says how a routine ended.
    pub(crate) fn status(&self) -> Written {
        self.written().within(Agreement::Status)
    }

    pub(crate) fn section(&self) -> Section {
        (Strided { base: self.address, dims: vec![(self.count as i64, 4)] }, 4)
    }

    pub(crate) fn load(&self, memory: &mut dyn Bytes) -> Done<Vec<i32>> {
        let mut bytes = vec![0; 4 * self.count];
        memory.get(self.address, &mut bytes)?;
        Ok(bytes.chunks_exact(4).map(|word| word.try_into().map_or(0, i32::from_le_bytes)).collect())
    }

    /// The exchanges of rows of a matrix of order `n`. Those of rows that it has not are refused.
    pub(crate) fn load_swaps(&self, memory: &mut dyn Bytes, n: usize, what: &str) -> Done<Vec<i32>> {
        let swaps = self.load(memory)?;
        let is_wrong = |row: &i32| !usize::try_from(*row).is_ok_and(|row| (1..=n).contains(&row));
        match swaps.iter().position(is_wrong) {
            Some(at) => {
                let (number, row) = (at + 1, swaps[at]);
                Err(memory.refuse(format!("element {number} of {what} is {row}, and the matrix has rows 1 to {n}")))
            }
            None => Ok(swaps),
        }
    }

    pub(crate) fn store(&self, memory: &mut dyn Bytes, values: &[i32]) -> Done<()> {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        memory.put(self.address, &bytes)
    }
}
