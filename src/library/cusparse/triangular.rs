//! Triangular systems with a sparse matrix: for a vector (`SpSV`) and for the columns of a matrix (`SpSM`).
//!
//! A system is analysed, then solved any number of times. The analysis here only checks the matrix: rows are solved one after the
//! other, in the order of their numbers.
//!
//! Source: cuSPARSE, `cusparseSpSV` and `cusparseSpSM`.

use super::product::{BUFFER, for_type};
use crate::call::{Call, Outcome, Status};
use crate::cublas::Scalar;
use crate::element::Element;
use crate::handles::DESCRIPTOR;
use crate::sparse::{Analysed, Descriptor, Format, Sparse};
use crate::state::CublasHandle as Handle;
use crate::transpose::Operation;
use device::Written;

/// Which systems, and what the routines for them are called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Kind {
    has_matrix: bool,
    size: &'static str,
    analysis: &'static str,
}

const VECTOR: Kind = Kind { has_matrix: false, size: "cusparseSpSV_bufferSize", analysis: "cusparseSpSV_analysis" };
const MATRIX: Kind = Kind { has_matrix: true, size: "cusparseSpSM_bufferSize", analysis: "cusparseSpSM_analysis" };

/// Attributes of a sparse matrix (`cusparseSpMatAttribute_t`).
const FILL_MODE: i64 = 0;
const DIAG_TYPE: i64 = 1;

/// The arguments of a routine.
struct Request {
    handle: Handle,
    operations: [Operation; 2],
    alpha: u64,
    sparse: Sparse,
    operands: [Descriptor; 2],
    /// The descriptor of the system.
    system: u64,
    analysed: Option<Analysed>,
}

fn request(call: &mut Call<'_>, kind: Kind) -> Result<Request, Status> {
    // NVIDIA's analysis leaves something in its buffer, which is gone where its results are only compared.
    if call.device.vendor().is_some_and(|vendor| vendor.is_compared()) {
        call.notes = None;
    }
    let handle = call.sparse_handle()?;
    let first = call.operation("opA")?;
    let second = if kind.has_matrix { call.operation("opB")? } else { Operation::Plain };
    let alpha = call.word();
    let sparse = call.sparse()?;
    let operands = [call.descriptor()?, call.descriptor()?];
    let ty = call.data_type("computeType")?;
    // The algorithm: there is one.
    call.skip(1);
    let system = call.word();
    call.note_object(system);
    let analysed = match call.state.descriptors.get(system) {
        Some(Descriptor::System { has_matrix, analysed }) if *has_matrix == kind.has_matrix => analysed.clone(),
        Some(_) => return call.wrong("the last descriptor is none of such a system".to_owned()),
        None => return call.no_handle(&DESCRIPTOR, system),
    };
    call.check_types(ty, &sparse, [&operands[0], &operands[1]])?;
    if sparse.format == Format::Columns {
        return call
            .wrong("the matrix is one by columns; systems take those by rows and by pairs of indices".to_owned());
    }
    if sparse.rows != sparse.columns {
        let reason =
            format!("the matrix is one of {} x {}, and a system needs a square one", sparse.rows, sparse.columns);
        return call.wrong(reason);
    }
    Ok(Request { handle, operations: [first, second], alpha, sparse, operands, system, analysed })
}

fn size(call: &mut Call<'_>, kind: Kind) -> Outcome {
    let request = request(call, kind)?;
    call.note_scalar_at(request.sparse.ty, &request.handle, request.alpha, "alpha")?;
    let address = call.word();
    call.put(address, &BUFFER.to_le_bytes(), "bufferSize")?;
    call.answered()
}

fn analyse<T: Element>(call: &mut Call<'_>, request: &Request, kind: Kind) -> Outcome {
    let buffer = call.external_buffer(kind.size)?;
    let sparse = request.sparse.clone();
    let analysed =
        Analysed { ty: sparse.ty, values: sparse.values, operation: request.operations[0], buffer: buffer.clone() };
    if let Some(Descriptor::System { analysed: known, .. }) = call.state.descriptors.get(request.system) {
        *known = Some(analysed);
    }
    let reads = sparse.sections::<T>().to_vec();
    let writes = buffer.map(Written::undefined).into_iter().collect();
    call.submit(request.handle.stream, reads, writes, false, move |memory| sparse.load::<T>(memory).map(|_| ()))
}

fn solve<T: Element>(call: &mut Call<'_>, request: Request, kind: Kind) -> Outcome {
    let Request { handle, operations, alpha, sparse, operands, analysed, .. } = request;
    let analysis = kind.analysis;
    let Some(analysed) = analysed else {
        return call.wrong(format!("the system was not analysed: `{analysis}` comes first"));
    };
    if (analysed.ty, analysed.values, analysed.operation) != (sparse.ty, sparse.values, operations[0]) {
        return call.wrong(format!("`{analysis}` was called with another matrix or operation"));
    }
    let alpha: Scalar<T> = call.scalar_at(&handle, alpha, "alpha")?;
    let input = call.dense::<T>(&operands[0], operations[1])?;
    let output = call.dense::<T>(&operands[1], Operation::Plain)?;
    let (order, sizes, of_result) = (sparse.rows, input.sizes(), output.sizes());
    if sizes.0 != order || of_result != sizes {
        let reason = format!(
            "a system of {order} equations has no right sides of {} x {} and solutions of {} x {}",
            sizes.0, sizes.1, of_result.0, of_result.1
        );
        return call.wrong(reason);
    }
    let mut reads = sparse.sections::<T>().to_vec();
    reads.push(input.section());
    let needs = reads.clone();
    reads.extend(alpha.section());
    let writes = [output.written()].into_iter().chain(analysed.buffer.map(Written::undefined)).collect();
    call.submit_needing(handle.stream, (reads, needs), writes, false, move |memory| {
        let alpha = alpha.get(memory)?;
        let system = Triangle::of(&sparse, operations[0], sparse.load::<T>(memory)?);
        let mut values = input.load(memory)?;
        for column in values.chunks_exact_mut(order.max(1)) {
            system.solve(alpha, column);
        }
        output.store(memory, &values)
    })
}

/// The triangle of a matrix, as it is used.
struct Triangle<T> {
    /// The elements beside the diagonal of each row, with their columns.
    rows: Vec<Vec<(usize, T)>>,
    /// The diagonal; `None` if it is of ones.
    diagonal: Option<Vec<T>>,
    is_upper: bool,
}

impl<T: Element> Triangle<T> {
    fn of(sparse: &Sparse, operation: Operation, entries: Vec<(usize, usize, T)>) -> Triangle<T> {
        let mut rows = vec![Vec::new(); sparse.rows];
        let mut diagonal = (!sparse.has_unit_diagonal).then(|| vec![T::ZERO; sparse.rows]);
        for (row, column, value) in entries {
            let value = if operation == Operation::Conjugated { value.conjugate() } else { value };
            if row == column {
                // Of several elements at one place the sum counts.
                diagonal.iter_mut().for_each(|diagonal| diagonal[row] += value);
            } else if (row < column) == sparse.is_upper {
                let (row, column) = operation.stored(row, column);
                rows[row].push((column, value));
            }
        }
        Triangle { rows, diagonal, is_upper: sparse.is_upper == (operation == Operation::Plain) }
    }

    /// Puts the solution in place of the right side, which counts with a factor.
    fn solve(&self, alpha: T, values: &mut [T]) {
        let count = self.rows.len();
        for i in 0..count {
            let row = if self.is_upper { count - 1 - i } else { i };
            let mut value = alpha * values[row];
            for &(column, element) in &self.rows[row] {
                value -= element * values[column];
            }
            if let Some(diagonal) = &self.diagonal {
                value = value / diagonal[row];
            }
            values[row] = value;
        }
    }
}

fn analysis(call: &mut Call<'_>, kind: Kind) -> Outcome {
    let request = request(call, kind)?;
    call.note_scalar_at(request.sparse.ty, &request.handle, request.alpha, "alpha")?;
    for_type!(request.sparse.ty, analyse(call, &request, kind))
}

fn solution(call: &mut Call<'_>, kind: Kind) -> Outcome {
    let request = request(call, kind)?;
    for_type!(request.sparse.ty, solve(call, request, kind))
}

fn create(call: &mut Call<'_>, has_matrix: bool) -> Outcome {
    let address = call.word();
    call.add_descriptor(address, Descriptor::System { has_matrix, analysed: None })
}

pub(super) fn create_for_vector(call: &mut Call<'_>) -> Outcome {
    create(call, false)
}

pub(super) fn create_for_matrix(call: &mut Call<'_>) -> Outcome {
    create(call, true)
}

pub(super) fn size_for_vector(call: &mut Call<'_>) -> Outcome {
    size(call, VECTOR)
}

pub(super) fn size_for_matrix(call: &mut Call<'_>) -> Outcome {
    size(call, MATRIX)
}

pub(super) fn analyse_for_vector(call: &mut Call<'_>) -> Outcome {
    analysis(call, VECTOR)
}

pub(super) fn analyse_for_matrix(call: &mut Call<'_>) -> Outcome {
    analysis(call, MATRIX)
}

pub(super) fn solve_for_vector(call: &mut Call<'_>) -> Outcome {
    solution(call, VECTOR)
}

pub(super) fn solve_for_matrix(call: &mut Call<'_>) -> Outcome {
    solution(call, MATRIX)
}

/// Sets which triangle of a sparse matrix counts, or what its diagonal is.
pub(super) fn set_attribute(call: &mut Call<'_>) -> Outcome {
    let number = call.word();
    let attribute = call.int();
    let address = call.word();
    let bytes = call.wide_count("dataSize")?;
    if bytes != 4 {
        return call.wrong(format!("`dataSize` is {bytes}, and the data have 4 bytes"));
    }
    let value = match call.host_bytes(address, 4, "data")?[..] {
        [0, 0, 0, 0] => false,
        [1, 0, 0, 0] => true,
        _ => return call.wrong("`data` must be 0 or 1".to_owned()),
    };
    let sparse = match call.state.descriptors.get(number) {
        Some(Descriptor::Sparse(sparse)) => sparse,
        Some(_) => return call.wrong("the descriptor is none of a sparse matrix".to_owned()),
        None => return call.no_handle(&DESCRIPTOR, number),
    };
    match attribute {
        FILL_MODE => sparse.is_upper = value,
        DIAG_TYPE => sparse.has_unit_diagonal = value,
        _ => return call.wrong(format!("`attribute` is {attribute}, which is none of a matrix")),
    }
    call.has_made_more(number);
    call.done()
}
