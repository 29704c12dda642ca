//! Routines whose types are arguments (`cublasGemmEx` and its batches, `cublasDotEx` …).

use super::level3::{product, shifted, used};
use super::rotations;
use crate::call::{Call, Outcome, Status, Uses};
use crate::element::Element;
use crate::half::Half;
use crate::operand::Matrix;
use crate::state::CublasHandle as Handle;
use crate::transpose::Operation;
use device::{Bytes, CudaError, VendorArg};
use finding::What;
use num_complex::{Complex32, Complex64};

/// Which matrices there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Matrices {
    One,
    /// Several, so many elements apart.
    Strided,
    /// Several, whose addresses are an array.
    Addressed,
}

/// A matrix as it is given: a word for its address, its type, leading dimension and stride.
#[derive(Clone, Copy)]
struct Given {
    address: u64,
    ty: i64,
    leading: i64,
    stride: i64,
}

/// The arguments, whose types are not known yet.
struct Arguments {
    handle: Handle,
    operations: (Operation, Operation),
    sizes: (usize, usize, usize),
    alpha: u64,
    a: Given,
    b: Given,
    beta: u64,
    c: Given,
    matrices: Matrices,
    count: usize,
}

/// The numbers of types (`cudaDataType_t`).
const R_32F: i64 = 0;
const R_64F: i64 = 1;
const R_16F: i64 = 2;
const C_32F: i64 = 4;
const C_64F: i64 = 5;

/// `c` = `alpha` · op(`a`) · op(`b`) + `beta` · `c`
pub(super) fn gemm(call: &mut Call<'_>, matrices: Matrices) -> Outcome {
    let handle = call.handle()?;
    let operations = (call.operation("transa")?, call.operation("transb")?);
    let sizes = (call.count("m")?, call.count("n")?, call.count("k")?);
    let given = |call: &mut Call<'_>| Given {
        address: call.word(),
        ty: call.int(),
        leading: call.int(),
        stride: if matrices == Matrices::Strided { call.word() as i64 } else { 0 },
    };
    let alpha = call.word();
    let (a, b) = (given(call), given(call));
    let beta = call.word();
    let c = given(call);
    let count = if matrices == Matrices::One { 1 } else { call.count("batchCount")? };
    let compute = call.int();
    // NVIDIA's library has the numbers of today only.
    let of_today = match compute {
        R_16F => 64,
        R_32F | C_32F => 68,
        R_64F | C_64F => 70,
        compute => compute,
    };
    call.note(VendorArg::Word(of_today as u64));
    let arguments = Arguments { handle, operations, sizes, alpha, a, b, beta, c, matrices, count };
    // Sums of numbers of 2 bytes have 4 bytes in all modes. Before version 11, the type of the sums was an argument.
    let (half, single, double) = match compute {
        64 | 65 | R_16F => (true, false, false),
        68 | 69 | 74 | 75 | 77 | R_32F | C_32F => (false, true, false),
        70 | 71 | R_64F | C_64F => (false, false, true),
        _ => (false, false, false),
    };
    match (a.ty, b.ty, c.ty) {
        (R_16F, R_16F, R_16F) if half => run::<Half, Half, Half>(call, arguments),
        (R_16F, R_16F, R_16F) if single => run::<Half, Half, f32>(call, arguments),
        (R_16F, R_16F, R_32F) if single => run::<Half, f32, f32>(call, arguments),
        (R_32F, R_32F, R_32F) if single => run::<f32, f32, f32>(call, arguments),
        (R_64F, R_64F, R_64F) if double => run::<f64, f64, f64>(call, arguments),
        (C_32F, C_32F, C_32F) if single => run::<Complex32, Complex32, Complex32>(call, arguments),
        (C_64F, C_64F, C_64F) if double => run::<Complex64, Complex64, Complex64>(call, arguments),
        (a, b, c) => {
            call.not_supported(format!("types {a}, {b} and {c} with computation type {compute} are not supported"))
        }
    }
}

/// The same for matrices of type `A` and results of type `C`, computed as `S`.
fn run<A: Element + Into<S>, C: Element + Into<S> + From<S>, S: Element>(
    call: &mut Call<'_>,
    arguments: Arguments,
) -> Outcome {
    let Arguments { handle, operations, sizes: (m, n, k), alpha, a, b, beta, c, matrices, count } = arguments;
    let alpha = call.scalar_at::<S>(&handle, alpha, "alpha")?;
    let a = several::<A>(call, (a, matrices, count), operations.0.stored(m, k), "a")?;
    let b = several::<A>(call, (b, matrices, count), operations.1.stored(k, n), "b")?;
    let beta = call.scalar_at::<S>(&handle, beta, "beta")?;
    let c = several::<C>(call, (c, matrices, count), (m, n), "c")?;
    let mut uses = Uses::default().with(alpha.section()).with(beta.section());
    for one in [a.addresses(), b.addresses(), c.addresses()].into_iter().flatten() {
        uses = uses.with(Some(one));
    }
    for ((a, b), c) in a.known().iter().zip(&b.known()).zip(&c.known()) {
        uses = uses.read_if(a, alpha.counts()).read_if(b, alpha.counts()).change(c, beta.counts());
    }
    call.perform(handle.stream, uses.apart(), false, move |memory| {
        let factors = (alpha.get(memory)?, beta.get(memory)?);
        let (a, b, c) = (a.load(memory)?, b.load(memory)?, c.load(memory)?);
        a.iter().zip(&b).zip(&c).try_for_each(|((a, b), c)| one::<A, C, S>(memory, factors, operations, (a, b, c)))
    })
}

/// One of the products.
fn one<A: Element + Into<S>, C: Element + Into<S> + From<S>, S: Element>(
    memory: &mut dyn Bytes,
    (alpha, beta): (S, S),
    operations: (Operation, Operation),
    (a, b, c): (&Matrix<A>, &Matrix<A>, &Matrix<C>),
) -> Result<(), CudaError> {
    let wide = |elements: Vec<A>| elements.into_iter().map(Into::into).collect::<Vec<S>>();
    let k = operations.0.stored(a.rows, a.columns).1;
    let (a, b) = (wide(used(memory, a, operations.0)?), wide(used(memory, b, operations.1)?));
    let mut sums = product(alpha, (&a, &b), (c.rows, c.columns, k));
    if beta != S::ZERO {
        sums.iter_mut().zip(c.load(memory)?).for_each(|(sum, old)| *sum += beta * old.into());
    }
    c.store(memory, &sums.into_iter().map(C::from).collect::<Vec<C>>())
}

/// The matrices of an argument.
enum Several<T> {
    Known(Vec<Matrix<T>>),
    Addressed(super::batch::Batch<T>),
}

fn several<T: Element>(
    call: &mut Call<'_>,
    (given, matrices, count): (Given, Matrices, usize),
    (rows, columns): (usize, usize),
    what: &str,
) -> Result<Several<T>, Status> {
    if matrices == Matrices::Addressed {
        let batch = call.matrices_of(given.address, given.leading, count, (rows, columns), what)?;
        return Ok(Several::Addressed(batch));
    }
    let first = call.matrix_at::<T>(given.address, given.leading, rows, columns, what)?;
    call.stride(what, given.stride, what == "c" && count > 1)?;
    if count > 1 {
        // Before there is a list of all.
        call.check_inside(&shifted(&first, given.stride.wrapping_mul(count as i64 - 1)).section(), What::Read)?;
    }
    Ok(Several::Known((0..count).map(|i| shifted(&first, given.stride.wrapping_mul(i as i64))).collect()))
}

impl<T: Element> Several<T> {
    /// The array of addresses, if there is one.
    fn addresses(&self) -> Option<device::Section> {
        match self {
            Several::Known(_) => None,
            Several::Addressed(batch) => Some(crate::operand::Operand::extent(batch)),
        }
    }

    /// The matrices at the time of the call.
    fn known(&self) -> Vec<Matrix<T>> {
        match self {
            Several::Known(matrices) => matrices.clone(),
            Several::Addressed(batch) => batch.matrices().collect(),
        }
    }

    /// The matrices now.
    fn load(&self, memory: &mut dyn Bytes) -> Result<Vec<Matrix<T>>, CudaError> {
        match self {
            Several::Known(matrices) => Ok(matrices.clone()),
            Several::Addressed(batch) => batch.load(memory),
        }
    }
}

/// A routine of level 1 for the four types.
pub(super) type OfTypes = [fn(&mut Call<'_>) -> Outcome; 4];

/// Where the type of the first vector is, among arguments counted from the handle on; where those are that must be the same, and
/// those that must only have the same precision.
pub(super) struct Types {
    pub(super) of_x: usize,
    pub(super) same: &'static [usize],
    pub(super) alike: &'static [usize],
}

/// Does what the routine for a type does, which is given the arguments without their types.
pub(super) fn vectors(call: &mut Call<'_>, types: &Types, routines: OfTypes) -> Outcome {
    let ty = |at: usize| call.args.get(at).map_or(-1, |&word| i64::from(word as i32));
    let of_x = ty(types.of_x);
    let is_double = |ty: i64| match ty {
        R_32F | C_32F => Some(false),
        R_64F | C_64F => Some(true),
        _ => None,
    };
    let is_same = types.same.iter().all(|&at| ty(at) == of_x);
    let is_alike = types.alike.iter().all(|&at| is_double(ty(at)) == is_double(of_x));
    let at = [R_32F, R_64F, C_32F, C_64F].iter().position(|&known| known == of_x);
    let Some(routine) = at.map(|at| routines[at]).filter(|_| is_same && is_alike) else {
        let given: Vec<String> =
            [types.of_x].iter().chain(types.same).chain(types.alike).map(|&at| ty(at).to_string()).collect();
        return call.not_supported(format!("types {} together are not supported", given.join(", ")));
    };
    let is_type = |at: &usize| *at == types.of_x || types.same.contains(at) || types.alike.contains(at);
    let hidden: Vec<usize> = (0..call.args.len()).filter(is_type).collect();
    let mut without = Call {
        name: call.name,
        statuses: call.statuses,
        args: call.args,
        notes: call.notes.take(),
        hidden: &hidden,
        is_of_module: call.is_of_module,
        is_legacy: call.is_legacy,
        home: call.home,
        is_wide: call.is_wide,
        taken: 0,
        state: &mut *call.state,
        runtime: &mut *call.runtime,
        device: &mut *call.device,
        memory: &mut *call.memory,
        span: call.span,
    };
    routine(&mut without)
}

/// A rotation by real numbers.
pub(super) fn rot(call: &mut Call<'_>) -> Outcome {
    /// Where the type of the two numbers is.
    const OF_FACTORS: usize = 10;
    let ty = call.args.get(OF_FACTORS).map_or(-1, |&word| i64::from(word as i32));
    if ![R_32F, R_64F].contains(&ty) {
        return call.not_supported(format!("rotations by numbers of type {ty} are not supported"));
    }
    let routines: OfTypes = [
        rotations::rot::<f32>,
        rotations::rot::<f64>,
        rotations::rot_real::<Complex32>,
        rotations::rot_real::<Complex64>,
    ];
    vectors(call, &Types { of_x: 3, same: &[6], alike: &[OF_FACTORS, 11] }, routines)
}

impl Call<'_> {
    /// Reports what the library does not do.
    fn not_supported<T>(&mut self, reason: String) -> Result<T, Status> {
        self.wrong::<T>(reason).map_err(|_| Status(super::NOT_SUPPORTED))
    }
}
