//! How the matrices of level 2 lie in memory: as a whole, as a band, or packed.

use crate::call::{Call, Status};
use crate::columns::Columns;
use crate::element::Element;

/// A way to store a triangle.
pub(super) trait Storage {
    /// How many diagonals beside the main one there are: an argument for bands, all of a matrix of order `n` otherwise.
    fn width(call: &mut Call<'_>, n: usize) -> Result<usize, Status>;

    /// The triangle that is the next argument.
    fn triangle<T: Element>(call: &mut Call<'_>, n: usize, width: usize, is_upper: bool) -> Result<Columns<T>, Status>;
}

/// In a matrix of which the other triangle is not looked at.
pub(super) struct Whole;
/// Diagonals as rows.
pub(super) struct Band;
/// Columns one after another.
pub(super) struct Packed;

impl Storage for Whole {
    fn width(_: &mut Call<'_>, n: usize) -> Result<usize, Status> {
        Ok(n)
    }

    fn triangle<T: Element>(call: &mut Call<'_>, n: usize, _: usize, is_upper: bool) -> Result<Columns<T>, Status> {
        call.triangle("a", n, is_upper)
    }
}

impl Storage for Band {
    fn width(call: &mut Call<'_>, _: usize) -> Result<usize, Status> {
        call.count("k")
    }

    fn triangle<T: Element>(call: &mut Call<'_>, n: usize, width: usize, is_upper: bool) -> Result<Columns<T>, Status> {
        call.band((n, n), if is_upper { (0, width) } else { (width, 0) })
    }
}

impl Storage for Packed {
    fn width(_: &mut Call<'_>, n: usize) -> Result<usize, Status> {
        Ok(n)
    }

    fn triangle<T: Element>(call: &mut Call<'_>, n: usize, _: usize, is_upper: bool) -> Result<Columns<T>, Status> {
        call.packed("ap", n, is_upper)
    }
}

impl Call<'_> {
    /// A triangle of a matrix of the device.
    pub(super) fn triangle<T: Element>(&mut self, what: &str, n: usize, is_upper: bool) -> Result<Columns<T>, Status> {
        let matrix = self.matrix::<T>(n, n, what)?;
        Ok(Columns::triangle(matrix.address, n, matrix.leading, is_upper))
    }

    /// A triangle whose columns follow each other.
    pub(super) fn packed<T: Element>(&mut self, what: &str, n: usize, is_upper: bool) -> Result<Columns<T>, Status> {
        let address = self.word();
        self.check_device(address, what)?;
        Ok(Columns::packed(address, n, is_upper))
    }

    /// A band of a matrix of these sizes, with so many diagonals below and above the main one.
    pub(super) fn band<T: Element>(
        &mut self,
        sizes: (usize, usize),
        (below, above): (usize, usize),
    ) -> Result<Columns<T>, Status> {
        let (address, leading) = self.strided();
        let rows = below + above + 1;
        if leading < rows as i64 {
            return self.wrong(format!("the leading dimension of `a` is {leading}, and the band has {rows} diagonals"));
        }
        self.check_device(address, "a")?;
        Ok(Columns::band(address, sizes, (below, above), leading as usize))
    }
}
