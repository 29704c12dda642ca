//! Level 3: products with a transpose, of which one triangle is wanted.

use super::Scalar;
use super::level3::{product, used};
use crate::call::{Call, Outcome, Status, Uses};
use crate::element::Element;
use crate::operand::Matrix;
use crate::state::CublasHandle as Handle;
use crate::transpose::{Operation, transposed};

/// The arguments that all have at their beginning.
struct Start {
    handle: Handle,
    is_upper: bool,
    is_transposed: bool,
    n: usize,
    k: usize,
}

impl Start {
    /// `is_hermitian` says whether the transpose is conjugated.
    fn new<T: Element>(call: &mut Call<'_>, is_hermitian: bool) -> Result<Start, Status> {
        let handle = call.handle()?;
        let is_upper = call.choice("uplo")?;
        let operation = call.operation("trans")?;
        // For real numbers the two transposes are the same.
        let is_complex = T::BYTES != T::Real::BYTES;
        let (unfit, name) = if is_hermitian {
            (Operation::Transposed, "`CUBLAS_OP_T`")
        } else {
            (Operation::Conjugated, "`CUBLAS_OP_C`")
        };
        if is_complex && operation == unfit {
            return call.wrong(format!("`trans` is {name}, which this routine does not have"));
        }
        let (n, k) = (call.count("n")?, call.count("k")?);
        Ok(Start { handle, is_upper, is_transposed: operation != Operation::Plain, n, k })
    }

    /// The next argument, a matrix of `n` rows and `k` columns as it is used.
    fn matrix<T: Element>(&self, call: &mut Call<'_>, what: &str) -> Result<Matrix<T>, Status> {
        let (rows, columns) = if self.is_transposed { (self.k, self.n) } else { (self.n, self.k) };
        call.matrix(rows, columns, what)
    }
}

/// What `alpha` and `beta` are, as numbers of the matrices.
struct Factors<A, B, T> {
    alpha: (Scalar<A>, fn(A) -> T),
    beta: (Scalar<B>, fn(B) -> T),
    is_hermitian: bool,
    /// Whether what a product lacks to be symmetric is added.
    is_twofold: bool,
}

/// `c` = `alpha` · op(`a`) · transpose of op(`b`) + `beta` · `c`, of which one triangle is there; `is_twofold` adds the same with
/// `a` and `b` exchanged. Without `b` it is `a`.
fn rank<A: Element, B: Element, T: Element>(
    call: &mut Call<'_>,
    start: Start,
    (a, b): (Matrix<T>, Option<Matrix<T>>),
    factors: Factors<A, B, T>,
) -> Outcome {
    let Start { handle, is_upper, is_transposed, n, k } = start;
    let Factors { alpha: (alpha, of_alpha), beta: (beta, of_beta), is_hermitian, is_twofold } = factors;
    let c = call.triangle::<T>("c", n, is_upper)?;
    let mut uses = Uses::default().read_if(&a, alpha.counts());
    if let Some(b) = &b {
        uses = uses.read_if(b, alpha.counts());
    }
    uses = uses.change(&c, beta.counts()).with(alpha.section()).with(beta.section());
    let turned = match (is_transposed, is_hermitian) {
        (false, _) => Operation::Plain,
        (true, false) => Operation::Transposed,
        (true, true) => Operation::Conjugated,
    };
    call.perform(handle.stream, uses.apart(), false, move |memory| {
        let (alpha, beta) = (of_alpha(alpha.get(memory)?), of_beta(beta.get(memory)?));
        let left = used(memory, &a, turned)?;
        let other = b.map(|b| used(memory, &b, turned)).transpose()?;
        let right = other.as_ref().unwrap_or(&left);
        let mut sums = product(alpha, (&left, &transposed(right, n, is_hermitian)), (n, n, k));
        if is_twofold {
            let alpha = if is_hermitian { alpha.conjugate() } else { alpha };
            let more = product(alpha, (right, &transposed(&left, n, is_hermitian)), (n, n, k));
            sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
        let mut elements = c.cut(&sums);
        if beta != T::ZERO {
            for ((_, column), (_, old)) in elements.iter_mut().zip(c.load(memory)?) {
                column.iter_mut().zip(old).for_each(|(c, old)| *c += beta * old);
            }
        }
        for (j, (from, column)) in elements.iter_mut().enumerate().filter(|_| is_hermitian) {
            column[j - *from] = T::from_real(column[j - *from].real());
        }
        c.store(memory, &elements)
    })
}

pub(super) fn syrk<T: Element>(call: &mut Call<'_>) -> Outcome {
    let start = Start::new::<T>(call, false)?;
    let alpha = call.scalar::<T>(&start.handle, "alpha")?;
    let a = start.matrix(call, "a")?;
    let beta = call.scalar::<T>(&start.handle, "beta")?;
    let factors = Factors { alpha: (alpha, |x| x), beta: (beta, |x| x), is_hermitian: false, is_twofold: false };
    rank::<T, T, T>(call, start, (a, None), factors)
}

pub(super) fn herk<T: Element>(call: &mut Call<'_>) -> Outcome {
    let start = Start::new::<T>(call, true)?;
    let alpha = call.scalar::<T::Real>(&start.handle, "alpha")?;
    let a = start.matrix(call, "a")?;
    let beta = call.scalar::<T::Real>(&start.handle, "beta")?;
    let (alpha, beta) = ((alpha, T::from_real as fn(T::Real) -> T), (beta, T::from_real as fn(T::Real) -> T));
    rank::<T::Real, T::Real, T>(call, start, (a, None), Factors { alpha, beta, is_hermitian: true, is_twofold: false })
}

/// `syr2k`, or `syrkx`, which trusts that the product is symmetric.
pub(super) fn syr2k<T: Element, const TWOFOLD: bool>(call: &mut Call<'_>) -> Outcome {
    let start = Start::new::<T>(call, false)?;
    let alpha = call.scalar::<T>(&start.handle, "alpha")?;
    let (a, b) = (start.matrix(call, "a")?, start.matrix(call, "b")?);
    let beta = call.scalar::<T>(&start.handle, "beta")?;
    let factors = Factors { alpha: (alpha, |x| x), beta: (beta, |x| x), is_hermitian: false, is_twofold: TWOFOLD };
    rank::<T, T, T>(call, start, (a, Some(b)), factors)
}

/// `her2k`, or `herkx`.
pub(super) fn her2k<T: Element, const TWOFOLD: bool>(call: &mut Call<'_>) -> Outcome {
    let start = Start::new::<T>(call, true)?;
    let alpha = call.scalar::<T>(&start.handle, "alpha")?;
    let (a, b) = (start.matrix(call, "a")?, start.matrix(call, "b")?);
    let beta = call.scalar::<T::Real>(&start.handle, "beta")?;
    let factors =
        Factors { alpha: (alpha, |x| x), beta: (beta, T::from_real), is_hermitian: true, is_twofold: TWOFOLD };
    rank::<T, T::Real, T>(call, start, (a, Some(b)), factors)
}
