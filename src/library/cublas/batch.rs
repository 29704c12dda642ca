//! Batches: routines on several matrices, whose addresses are in an array of the device.

use super::level3::Gemm;
use super::level3_triangular::Triangular;
use crate::call::{Call, Outcome, Status, Uses};
use crate::element::Element;
use crate::operand::{Matrix, Operand};
use device::{Agreement, Bytes, CudaError, Number, Section, Strided};
use finding::What;
use mem::Region;
use std::marker::PhantomData;

/// Bytes of an address.
const ADDRESS: usize = 8;

/// Matrices of one shape, whose addresses are an array.
#[derive(Debug)]
pub(super) struct Batch<T> {
    addresses: u64,
    count: usize,
    rows: usize,
    columns: usize,
    leading: usize,
    /// What the addresses were when the routine was called.
    known: Vec<u64>,
    element: PhantomData<T>,
}

impl<T> Operand for Batch<T> {
    fn extent(&self) -> Section {
        (Strided { base: self.addresses, dims: vec![(self.count as i64, ADDRESS as i64)] }, ADDRESS as u64)
    }

    fn numbers(&self) -> (Number, Agreement) {
        (Number::Integer, Agreement::Bits)
    }
}

impl<T: Element> Batch<T> {
    fn matrix(&self, address: u64) -> Matrix<T> {
        Matrix::new(address, self.rows, self.columns, self.leading)
    }

    /// The matrices, by the addresses at the time of the call.
    pub(super) fn matrices(&self) -> impl Iterator<Item = Matrix<T>> + '_ {
        self.known.iter().map(|&address| self.matrix(address))
    }

    /// The matrices, by the addresses that are there now.
    pub(super) fn load(&self, memory: &mut dyn Bytes) -> Result<Vec<Matrix<T>>, CudaError> {
        let mut bytes = vec![0; self.count * ADDRESS];
        memory.get(self.addresses, &mut bytes)?;
        Ok(addresses(&bytes).map(|address| self.matrix(address)).collect())
    }
}

fn addresses(bytes: &[u8]) -> impl Iterator<Item = u64> + '_ {
    bytes.chunks_exact(ADDRESS).map(|word| word.try_into().map_or(0, u64::from_le_bytes))
}

impl Call<'_> {
    /// How many matrices there are: the last argument, while others are to come.
    pub(super) fn batch_count(&mut self, at: usize) -> Result<usize, Status> {
        let taken = std::mem::replace(&mut self.taken, at);
        let count = self.count("batchCount");
        self.taken = taken;
        count
    }

    /// The matrices of an argument: an array of so many addresses, and a leading dimension.
    pub(super) fn matrices_at<T: Element>(
        &mut self,
        count: usize,
        (rows, columns): (usize, usize),
        what: &str,
    ) -> Result<Batch<T>, Status> {
        let (array, leading) = self.strided();
        self.matrices_of(array, leading, count, (rows, columns), what)
    }

    /// The same of an address and a leading dimension.
    pub(super) fn matrices_of<T: Element>(
        &mut self,
        array: u64,
        leading: i64,
        count: usize,
        (rows, columns): (usize, usize),
        what: &str,
    ) -> Result<Batch<T>, Status> {
        self.matrix_at::<T>(array, leading, rows, columns, what)?;
        let leading = leading as usize;
        let mut batch =
            Batch { addresses: array, count, rows, columns, leading, known: Vec::new(), element: PhantomData };
        self.check_inside(&batch.extent(), What::Read)?;
        let mut bytes = vec![0; count * ADDRESS];
        if self.device.read(self.memory, array, &mut bytes).is_err() {
            return self.wrong(format!("`{what}` is no array of {count} addresses in device memory"));
        }
        let known: Vec<u64> = addresses(&bytes).collect();
        let memory = &*self.memory;
        let is_reached = |address: u64| {
            Region::of(address).is_some_and(|region| region.is_device_accessible() || memory.is_locked(address, 1))
        };
        let is_wrong = |address: &u64| !is_reached(*address);
        if rows * columns > 0
            && let Some(at) = known.iter().position(is_wrong)
        {
            let number = at + 1;
            return self.wrong(format!("address {number} in `{what}` is none of device memory"));
        }
        batch.known = known;
        Ok(batch)
    }
}

/// `c` = `alpha` · op(`a`) · op(`b`) + `beta` · `c` for each of several matrices
pub(super) fn gemm<T: Element>(call: &mut Call<'_>) -> Outcome {
    let handle = call.handle()?;
    let operations = (call.operation("transa")?, call.operation("transb")?);
    let (m, n, k) = (call.count("m")?, call.count("n")?, call.count("k")?);
    let alpha = call.scalar::<T>(&handle, "alpha")?;
    let count = call.batch_count(14)?;
    let a = call.matrices_at::<T>(count, operations.0.stored(m, k), "Aarray")?;
    let b = call.matrices_at::<T>(count, operations.1.stored(k, n), "Barray")?;
    let beta = call.scalar::<T>(&handle, "beta")?;
    let c = call.matrices_at::<T>(count, (m, n), "Carray")?;
    let gemm = Gemm { operations, sizes: (m, n, k), alpha, beta };
    let mut uses = Uses::default().with(alpha.section()).with(beta.section()).read(&a).read(&b).read(&c);
    for ((a, b), c) in a.matrices().zip(b.matrices()).zip(c.matrices()) {
        uses = gemm.uses(uses, &a, &b, &c);
    }
    call.perform(handle.stream, uses.apart(), false, move |memory| {
        let (a, b, c) = (a.load(memory)?, b.load(memory)?, c.load(memory)?);
        a.iter().zip(&b).zip(&c).try_for_each(|((a, b), c)| gemm.run(memory, a, b, c))
    })
}

/// Triangular systems with several right-hand sides, for each of several matrices
pub(super) fn trsm<T: Element>(call: &mut Call<'_>) -> Outcome {
    let handle = call.handle()?;
    let triangular = Triangular::<T>::new(call, &handle)?;
    let count = call.batch_count(12)?;
    let order = triangular.order();
    let a = call.matrices_at::<T>(count, (order, order), "A")?;
    let b = call.matrices_at::<T>(count, (triangular.m, triangular.n), "B")?;
    let mut uses = triangular.uses().read(&a).read(&b);
    for (a, b) in a.matrices().zip(b.matrices()) {
        uses = uses.read(&triangular.triangle(&a)).change(&b, true);
    }
    call.perform(handle.stream, uses.apart(), false, move |memory| {
        let (a, b) = (a.load(memory)?, b.load(memory)?);
        a.iter().zip(&b).try_for_each(|(a, b)| triangular.solve(memory, &triangular.triangle(a), b))
    })
}
