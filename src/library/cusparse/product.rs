//! Products of a sparse matrix with a vector and with a matrix.

use crate::call::{Call, Outcome, Status};
use crate::cublas::Scalar;
use crate::element::Element;
use crate::operand::{Matrix, Operand, Vector};
use crate::sparse::{Descriptor, Sparse};
use crate::state::CublasHandle as Handle;
use crate::transpose::{Operation, transposed};
use device::{Bytes, CudaError, Section, Strided, Written};

/// Calls a function for the type of a number (`cudaDataType`), which was checked.
macro_rules! for_type {
    ($number:expr, $run:ident $args:tt) => {
        match $number {
            0 => $run::<f32> $args,
            1 => $run::<f64> $args,
            4 => $run::<num_complex::Complex32> $args,
            _ => $run::<num_complex::Complex64> $args,
        }
    };
}
pub(super) use for_type;

/// Bytes that a routine asks for; nothing is kept in them.
pub(super) const BUFFER: u64 = 8;

/// A dense matrix of a product as it is in memory, with the operation that makes it what it is used as.
#[derive(Clone, Copy)]
pub(super) struct Dense<T> {
    stored: Matrix<T>,
    operation: Operation,
}

impl<T: Element> Dense<T> {
    /// Its elements in the order of Fortran as they are used.
    pub(super) fn load(&self, memory: &mut dyn Bytes) -> Result<Vec<T>, CudaError> {
        Ok(self.operation.applied(self.stored.load(memory)?, self.stored.rows))
    }

    pub(super) fn store(&self, memory: &mut dyn Bytes, values: &[T]) -> Result<(), CudaError> {
        match self.operation {
            Operation::Plain => self.stored.store(memory, values),
            _ => self.stored.store(memory, &transposed(values, self.stored.columns, false)),
        }
    }

    /// Rows and columns as it is used.
    pub(super) fn sizes(&self) -> (usize, usize) {
        self.operation.stored(self.stored.rows, self.stored.columns)
    }

    pub(super) fn section(&self) -> Section {
        self.stored.section()
    }

    pub(super) fn written(&self) -> Written {
        self.stored.written()
    }
}

impl Call<'_> {
    /// The sparse matrix that is the next argument.
    pub(super) fn sparse(&mut self) -> Result<Sparse, Status> {
        match self.descriptor()? {
            Descriptor::Sparse(sparse) => Ok(sparse),
            _ => self.wrong("the first descriptor is none of a sparse matrix".to_owned()),
        }
    }

    /// A dense vector or matrix as a matrix, and its data type.
    pub(super) fn dense<T: Element>(
        &mut self,
        descriptor: &Descriptor,
        operation: Operation,
    ) -> Result<Dense<T>, Status> {
        match *descriptor {
            Descriptor::Vector { count, values, .. } => {
                let stored = Matrix::new(values, count, 1, count.max(1));
                Ok(Dense { stored, operation: Operation::Plain })
            }
            Descriptor::Matrix { rows, columns, leading, values, is_by_rows: false, .. } => {
                Ok(Dense { stored: Matrix::new(values, rows, columns, leading), operation })
            }
            Descriptor::Matrix { rows, columns, leading, values, .. } => match operation {
                Operation::Conjugated => self.wrong("a matrix by rows cannot be conjugated".to_owned()),
                _ => {
                    let is_plain = operation == Operation::Plain;
                    let operation = if is_plain { Operation::Transposed } else { Operation::Plain };
                    Ok(Dense { stored: Matrix::new(values, columns, rows, leading), operation })
                }
            },
            Descriptor::Sparse(_) | Descriptor::System { .. } => {
                self.wrong("the descriptor of a dense operand is that of something else".to_owned())
            }
        }
    }
}

impl Call<'_> {
    /// The memory that NVIDIA's function works in, the next argument; it must have the bytes that a routine tells, whose name may end
    /// so.
    pub(super) fn external_buffer(&mut self, told: &'static str) -> Result<Option<Section>, Status> {
        let bytes = self.work_size(told, None, 0, &[size_of::<usize>()])?;
        let address = self.word();
        if bytes == 0 {
            return Ok(None);
        }
        self.check_device(address, "externalBuffer")?;
        Ok(Some((Strided { base: address, dims: vec![(bytes as i64, 1)] }, 1)))
    }
}

/// The data type of a dense operand; -1 of what is none.
fn type_of(descriptor: &Descriptor) -> i64 {
    match descriptor {
        Descriptor::Vector { ty, .. } | Descriptor::Matrix { ty, .. } => *ty,
        Descriptor::Sparse(_) | Descriptor::System { .. } => -1,
    }
}

/// The arguments of a product.
struct Request {
    handle: Handle,
    operations: [Operation; 2],
    /// Where the factors are.
    factors: [u64; 2],
    sparse: Sparse,
    operands: [Descriptor; 2],
}

fn scalar<T: Element>(call: &mut Call<'_>, handle: &Handle, address: u64, what: &str) -> Result<(), Status> {
    call.scalar_at::<T>(handle, address, what).map(|_| ())
}

impl Call<'_> {
    /// Checks that the operands are of the type that a routine computes in.
    pub(super) fn check_types(&mut self, ty: i64, sparse: &Sparse, operands: [&Descriptor; 2]) -> Result<(), Status> {
        let types = [sparse.ty, type_of(operands[0]), type_of(operands[1])];
        if types.iter().all(|&other| other == ty) {
            return Ok(());
        }
        self.wrong(format!("`computeType` is {ty}, and the operands are of types {types:?}; they must all be the same"))
    }

    /// Takes a scalar before its time, for NVIDIA's library to see it.
    pub(super) fn note_scalar_at(&mut self, ty: i64, handle: &Handle, address: u64, what: &str) -> Result<(), Status> {
        if self.notes.is_none() {
            return Ok(());
        }
        for_type!(ty, scalar(self, handle, address, what))
    }
}

/// Takes the arguments; those of a product with a matrix have a second operation.
fn request(call: &mut Call<'_>, has_matrix: bool) -> Result<Request, Status> {
    let handle = call.sparse_handle()?;
    let first = call.operation("opA")?;
    let second = if has_matrix { call.operation("opB")? } else { Operation::Plain };
    let alpha = call.word();
    let sparse = call.sparse()?;
    let input = call.descriptor()?;
    let beta = call.word();
    let output = call.descriptor()?;
    let ty = call.data_type("computeType")?;
    // The algorithm: there is one.
    call.skip(1);
    call.check_types(ty, &sparse, [&input, &output])?;
    call.note_scalar_at(ty, &handle, alpha, "alpha")?;
    call.note_scalar_at(ty, &handle, beta, "beta")?;
    Ok(Request { handle, operations: [first, second], factors: [alpha, beta], sparse, operands: [input, output] })
}

/// Puts a product on the stream.
fn run<T: Element>(call: &mut Call<'_>, request: Request) -> Outcome {
    let Request { handle, operations, factors, sparse, operands } = request;
    let alpha: Scalar<T> = call.scalar_at(&handle, factors[0], "alpha")?;
    let beta: Scalar<T> = call.scalar_at(&handle, factors[1], "beta")?;
    let input = call.dense::<T>(&operands[0], operations[1])?;
    let output = call.dense::<T>(&operands[1], Operation::Plain)?;
    let (m, k) = operations[0].stored(sparse.rows, sparse.columns);
    let (sizes, of_result) = (input.sizes(), output.sizes());
    if sizes.0 != k || of_result != (m, sizes.1) {
        let reason = format!(
            "a matrix of {m} x {k} times one of {} x {} does not give one of {} x {}",
            sizes.0, sizes.1, of_result.0, of_result.1
        );
        return call.wrong(reason);
    }
    let buffer = call.external_buffer("_bufferSize")?;
    let mut needs = sparse.sections::<T>().to_vec();
    needs.extend(alpha.counts().then(|| input.section()));
    let mut reads = sparse.sections::<T>().to_vec();
    reads.extend([input.section(), output.section()]);
    reads.extend(alpha.section().into_iter().chain(beta.section()));
    let writes = [output.written()].into_iter().chain(buffer.map(Written::undefined)).collect();
    call.submit_needing(handle.stream, (reads, needs), writes, false, move |memory| {
        let (alpha, beta) = (alpha.get(memory)?, beta.get(memory)?);
        let entries = sparse.load::<T>(memory)?;
        let values = input.load(memory)?;
        let mut sums = vec![T::ZERO; m * sizes.1];
        for (sums, column) in sums.chunks_exact_mut(m.max(1)).zip(values.chunks_exact(k.max(1))) {
            for &(row, place, value) in &entries {
                match operations[0] {
                    Operation::Plain => sums[row] += value * column[place],
                    Operation::Transposed => sums[place] += value * column[row],
                    Operation::Conjugated => sums[place] += value.conjugate() * column[row],
                }
            }
        }
        // With a factor of zero the old values do not count, whatever they are.
        let old = if beta == T::ZERO { vec![T::ZERO; sums.len()] } else { output.load(memory)? };
        let values: Vec<T> = sums.into_iter().zip(old).map(|(sum, old)| alpha * sum + beta * old).collect();
        output.store(memory, &values)
    })
}

fn product(call: &mut Call<'_>, has_matrix: bool) -> Outcome {
    let request = request(call, has_matrix)?;
    for_type!(request.sparse.ty, run(call, request))
}

fn size(call: &mut Call<'_>, has_matrix: bool) -> Outcome {
    request(call, has_matrix)?;
    let address = call.word();
    call.put(address, &BUFFER.to_le_bytes(), "bufferSize")?;
    call.answered()
}

pub(super) fn with_vector(call: &mut Call<'_>) -> Outcome {
    product(call, false)
}

pub(super) fn with_vector_size(call: &mut Call<'_>) -> Outcome {
    size(call, false)
}

pub(super) fn with_matrix(call: &mut Call<'_>) -> Outcome {
    product(call, true)
}

pub(super) fn with_matrix_size(call: &mut Call<'_>) -> Outcome {
    size(call, true)
}

/// A vector of so many elements, for the arrays of tridiagonal systems.
pub(super) fn line<T: Element>(call: &mut Call<'_>, count: usize, what: &str) -> Result<Vector<T>, Status> {
    let address = call.word();
    call.check_device(address, what)?;
    Ok(Vector::new(address, count, 1))
}
