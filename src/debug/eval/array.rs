//! Arrays for a screen: a window as text, a map of means, and statistics.
//!
//! Not here: single values (`format`), drawing (`tui`).

use crate::command::Radix;
use crate::eval::compiled::{CompiledExpr, Evaluated, constant_object};
use crate::eval::context::{Context, Object, Store};
use crate::eval::value::{Eval, Kind, fail, from_bytes};
use crate::view::snapshot::{ArrayRequest, ArrayView, Statistics};
use mem::Region;
use mem::address::{SHARED_BASE, is_local, is_shared};

/// Most elements in the statistics; of larger arrays only the first ones count, so a screen stays fast.
const MOST_COUNTED: u64 = 1 << 18;
/// Most elements in the mean of a cell of a map.
const MOST_AVERAGED: u64 = 16;
/// A map uses every element of an array of up to so many.
const MOST_MAPPED: u64 = 1 << 16;

/// The word of shared memory that an object begins at.
pub(crate) fn shared_word(object: &Object) -> Option<u64> {
    match object.store {
        Store::Memory(address) if is_shared(address) => Some((address - SHARED_BASE) / 4),
        _ => None,
    }
}

fn space(object: &Object) -> &'static str {
    match object.store {
        Store::Memory(address) if is_shared(address) => "shared",
        Store::Memory(address) if is_local(address) => "local",
        Store::Memory(address) => match Region::of(address) {
            Some(Region::Device(_)) => "global",
            Some(Region::Managed) => "managed",
            Some(_) => "host",
            None => "unknown",
        },
        Store::Regs(..) => "register",
        // The value of an expression is in no memory.
        Store::Value(_) => "",
    }
}

/// The number that an element is, if it is one; complex ones count by their magnitude.
fn number(kind: Kind, bytes: &[u8]) -> Option<f64> {
    let bits = from_bytes(bytes);
    Some(match kind {
        Kind::Int(ty) => scalar::bits::signed(ty, bits) as f64,
        Kind::Real(ty) => text::real_value(ty, bits),
        Kind::Complex(ty) => {
            let (re, im) = bytes.split_at(bytes.len() / 2);
            text::real_value(ty, from_bytes(re)).hypot(text::real_value(ty, from_bytes(im)))
        }
        Kind::Logical(_) => (bits & 1) as f64,
        Kind::Char(_) | Kind::Derived(..) => return None,
    })
}

/// An array that is read through a context.
struct Reader<'a> {
    context: &'a Context<'a>,
    object: Object,
    extents: [u64; 2],
    /// Whether rows are made of one dimension.
    is_folded: bool,
    count: u64,
}

impl Reader<'_> {
    /// The number in array element order of the element in a row and column.
    fn index(&self, row: u64, column: u64) -> Option<u64> {
        let inside = row < self.extents[0] && column < self.extents[1];
        let i = if self.is_folded { row * self.extents[1] + column } else { column * self.extents[0] + row };
        (inside && i < self.count).then_some(i)
    }

    fn number(&self, i: u64) -> Option<f64> {
        self.context.load_element(&self.object, i).ok().and_then(|bytes| number(self.object.kind, &bytes))
    }

    /// An element as text.
    fn text(&self, i: u64) -> String {
        let shown = self.context.element_text(&self.object, i, Radix::Natural);
        shown.unwrap_or_else(|why| format!("<{}>", why.0))
    }

    fn statistics(&self) -> Option<Statistics> {
        let count = self.count.min(MOST_COUNTED);
        number(self.object.kind, &vec![0; self.object.kind.bytes() as usize])?;
        let (mut least, mut greatest): (Option<(f64, u64)>, Option<(f64, u64)>) = (None, None);
        let mut nan_count = 0;
        let mut see = |i: u64, n: f64| {
            if n.is_nan() {
                nan_count += 1;
                return;
            }
            if least.is_none_or(|l| n < l.0) {
                least = Some((n, i));
            }
            if greatest.is_none_or(|g| n > g.0) {
                greatest = Some((n, i));
            }
        };
        let bytes = self.object.kind.bytes();
        let whole = match self.object.store {
            Store::Memory(address) if self.object.is_contiguous() => self.context.read(address, count * bytes).ok(),
            _ => None,
        };
        match whole {
            Some(data) => {
                for (i, element) in data.chunks_exact(bytes.max(1) as usize).enumerate() {
                    if let Some(n) = number(self.object.kind, element) {
                        see(i as u64, n);
                    }
                }
            }
            None => (0..count).for_each(|i| {
                if let Some(n) = self.number(i) {
                    see(i, n);
                }
            }),
        }
        let range = least.zip(greatest);
        Some(Statistics {
            range: range.map(|(l, g)| (l.0, g.0)),
            shown: range.map(|(l, g)| (self.text(l.1), self.text(g.1))),
            nan_count,
            count,
        })
    }

    /// The mean of the elements of a cell of a map of that size: that of no number if there is none among them, and `None` if
    /// the array ends before the cell.
    fn cell(&self, at: [u64; 2], size: [u64; 2]) -> Option<Option<f64>> {
        let bounds = |d: usize| {
            let from = at[d] * self.extents[d] / size[d];
            (from, ((at[d] + 1) * self.extents[d] / size[d]).max(from + 1))
        };
        let ((r0, r1), (c0, c1)) = (bounds(0), bounds(1));
        let total = (r1 - r0) * (c1 - c0);
        // All elements of a small array count, so no NaN is missed.
        let step = if self.count <= MOST_MAPPED { 1 } else { total.div_ceil(MOST_AVERAGED).max(1) };
        let (mut sum, mut count) = (0.0, 0u32);
        for n in (0..total).step_by(step as usize) {
            if let Some(i) = self.index(r0 + n % (r1 - r0), c0 + n / (r1 - r0)) {
                sum += self.number(i).unwrap_or(f64::NAN);
                count += 1;
            }
        }
        let mean = sum / f64::from(count);
        (count > 0).then(|| Some(mean).filter(|m| !m.is_nan()))
    }
}

/// The view of an array for a screen.
pub(crate) fn view(context: &Context<'_>, expr: &CompiledExpr, wanted: &ArrayRequest) -> Eval<ArrayView> {
    let object = match expr.evaluate(context)? {
        Evaluated::Object(object) => object,
        Evaluated::Value(value) => constant_object(value),
    };
    let [rows, columns] = wanted.size.map(|n| n.clamp(1, 1024));
    let object = context.bounded(object);
    let memory_space = space(&object);
    let dims: Vec<(i64, u64)> = object.dims.iter().map(|d| (d.lower, d.extent.unwrap_or(0).max(0) as u64)).collect();
    let count = object.count()?;
    let (extents, is_folded) = match dims.as_slice() {
        [] => return fail("this is a scalar; an array or a section of one is wanted"),
        [(_, n)] => {
            // A map folds a one-dimensional array to a square, a table folds it to the width of the window.
            let width = if wanted.as_map { ((*n as f64).sqrt().ceil() as u64).max(columns.min(*n)) } else { columns };
            let width = width.clamp(1, (*n).max(1));
            ([n.div_ceil(width), width], true)
        }
        [(_, m), (_, n)] => ([*m, *n], false),
        more => {
            return fail(format!(
                "an array of {} dimensions is shown in slices: give all but two a subscript, such as a(:,:,1)",
                more.len()
            ));
        }
    };
    let reader = Reader { context, object, extents, is_folded, count };
    let first = [
        wanted.first[0].min(extents[0].saturating_sub(1)),
        if is_folded { 0 } else { wanted.first[1].min(extents[1].saturating_sub(1)) },
    ];
    let (mut window, mut map) = (Vec::new(), Vec::new());
    if wanted.as_map {
        let size = [rows.min(extents[0]), columns.min(extents[1])];
        for row in 0..size[0] {
            map.push((0..size[1]).map_while(|column| reader.cell([row, column], size)).collect());
        }
    } else {
        for row in (first[0]..extents[0]).take(rows as usize) {
            let cells = (first[1]..extents[1]).take(columns as usize);
            window.push(cells.filter_map(|column| reader.index(row, column)).map(|i| reader.text(i)).collect());
        }
    }
    Ok(ArrayView {
        expression: wanted.expression.clone(),
        ty: reader.object.kind.name(context.checked),
        space: memory_space,
        dims,
        first,
        extents,
        window,
        map,
        statistics: reader.statistics(),
    })
}
