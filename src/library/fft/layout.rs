//! What a plan transforms: types, sizes, and where elements are.

use crate::element::Element;
use crate::operand::Grid;

/// Which numbers become which (`cufftType`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Complex,
    FromReal,
    ToReal,
}

/// A type of transforms: which numbers, and the bytes of a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Type {
    pub(crate) kind: Kind,
    pub(crate) part: u64,
}

impl Type {
    /// Table: the numbers and names of the types.
    const ALL: [(i64, &str, Type); 6] = [
        (0x29, "CUFFT_C2C", Type { kind: Kind::Complex, part: 4 }),
        (0x2a, "CUFFT_R2C", Type { kind: Kind::FromReal, part: 4 }),
        (0x2c, "CUFFT_C2R", Type { kind: Kind::ToReal, part: 4 }),
        (0x69, "CUFFT_Z2Z", Type { kind: Kind::Complex, part: 8 }),
        (0x6a, "CUFFT_D2Z", Type { kind: Kind::FromReal, part: 8 }),
        (0x6c, "CUFFT_Z2D", Type { kind: Kind::ToReal, part: 8 }),
    ];

    pub(crate) fn of(number: i64) -> Option<Type> {
        Type::ALL.iter().find(|(n, ..)| *n == number).map(|(.., ty)| *ty)
    }

    pub(crate) fn number(self) -> i64 {
        Type::ALL.iter().find(|(.., ty)| *ty == self).map_or(0, |(number, ..)| *number)
    }

    pub(crate) fn name(self) -> &'static str {
        Type::ALL.iter().find(|(.., ty)| *ty == self).map_or("", |(_, name, _)| name)
    }
}

/// Where the elements of the input or the output are, in elements of their type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Layout {
    /// The sizes of the array that the elements are in, in the order of C. The first counts for nothing.
    pub(crate) embed: Vec<u64>,
    /// Between neighbours in the last dimension.
    pub(crate) stride: u64,
    /// Between transforms.
    pub(crate) distance: u64,
}

/// What a plan transforms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Shape {
    pub(crate) ty: Type,
    /// The sizes in the order of C.
    pub(crate) sizes: Vec<u64>,
    pub(crate) batch: u64,
    /// Input and output, if the program says where elements are.
    pub(crate) layouts: Option<[Layout; 2]>,
}

/// The sizes of the half that says all about the transform of reals.
fn half(sizes: &[u64]) -> Vec<u64> {
    let mut half = sizes.to_vec();
    if let Some(last) = half.last_mut() {
        *last = *last / 2 + 1;
    }
    half
}

/// The number of elements of an array; `None` if there are too many to count.
fn count(sizes: &[u64]) -> Option<u64> {
    sizes.iter().try_fold(1u64, |product, &size| product.checked_mul(size))
}

impl Shape {
    /// The sizes of the input and of the output.
    fn extents(&self) -> [Vec<u64>; 2] {
        let all = || self.sizes.clone();
        match self.ty.kind {
            Kind::Complex => [all(), all()],
            Kind::FromReal => [all(), half(&self.sizes)],
            Kind::ToReal => [half(&self.sizes), all()],
        }
    }

    /// The bytes of all complex elements, the size of the work area; `None` if they are too many to count.
    pub(crate) fn bytes(&self) -> Option<u64> {
        let elements = count(&self.sizes)?.checked_mul(self.batch)?;
        elements.checked_mul(2 * self.ty.part).filter(|&bytes| bytes < 1 << 62)
    }

    /// The layouts, where the transform is in place or is not: reals in place have room for the complex numbers.
    fn layouts(&self, is_in_place: bool) -> [Layout; 2] {
        if let Some(layouts) = &self.layouts {
            return layouts.clone();
        }
        let [mut input, mut output] = self.extents();
        let reals = match self.ty.kind {
            Kind::Complex => None,
            Kind::FromReal => Some(&mut input),
            Kind::ToReal => Some(&mut output),
        };
        if let Some(last) = reals.filter(|_| is_in_place).and_then(|reals| reals.last_mut()) {
            *last = 2 * (*last / 2 + 1);
        }
        [input, output].map(|embed| {
            let distance = embed.iter().product();
            Layout { embed, stride: 1, distance }
        })
    }

    /// Whether all elements, in place and not, have addresses.
    pub(crate) fn is_addressable(&self) -> bool {
        let elements = [false, true].map(|is_in_place| self.dims(is_in_place));
        elements.iter().flatten().all(|dims| {
            let reach = |&(count, step): &(u64, u128)| step.saturating_mul(u128::from(count));
            dims.iter().map(reach).fold(0, u128::saturating_add) < 1 << 56
        })
    }

    /// Input and output at these addresses.
    pub(crate) fn grids<I: Element, O: Element>(&self, input: u64, output: u64) -> (Grid<I>, Grid<O>) {
        let [from, to] = self.dims(input == output).map(|dims| {
            let narrow = |(count, step): (u64, u128)| (count as usize, step as i64);
            dims.into_iter().map(narrow).collect()
        });
        (Grid::new(input, from), Grid::new(output, to))
    }

    /// Counts and steps of all dimensions of input and output, the last one of C first, the batch last.
    fn dims(&self, is_in_place: bool) -> [Vec<(u64, u128)>; 2] {
        let [input, output] = self.layouts(is_in_place);
        let [from, to] = self.extents();
        [(from, input), (to, output)].map(|(extents, layout)| {
            let mut step = u128::from(layout.stride);
            let mut dims = Vec::with_capacity(extents.len() + 1);
            for (&extent, &embed) in extents.iter().zip(&layout.embed).rev() {
                dims.push((extent, step));
                step = step.saturating_mul(u128::from(embed));
            }
            dims.push((self.batch, u128::from(layout.distance)));
            dims
        })
    }
}
