//! Choice buffers: a variable of any type and rank as a message's source or destination.
//!
//! A section with gaps counts as the array of its elements one after another, as if it were copied.

use crate::basic::{Basic, Class};
use crate::layout::Layout;
use crate::memory::{Outside, RankMemory};
use device::Strided;

/// Bytes that are read at once: what a core has at hand, so that they are not written to memory twice.
const CACHED: u64 = 1 << 17;

/// A variable that is passed as a buffer.
#[derive(Clone, Debug)]
pub(crate) struct Buffer {
    /// Its elements.
    array: Strided,
    element_bytes: u64,
    /// Bytes of a section with gaps, counted as if it had none, before those that are meant.
    skipped: i64,
    /// Whether its elements follow each other.
    is_dense: bool,
    /// The word that says the type of its elements (`lower::call::mpi`): class times 256 and bytes.
    tag: u64,
}

impl Buffer {
    /// A buffer of what is at an address.
    pub(crate) fn at(address: u64) -> Buffer {
        let array = Strided { base: address, dims: Vec::new() };
        Buffer { array, element_bytes: 1, skipped: 0, is_dense: true, tag: 0 }
    }

    /// A buffer by its descriptor's contents and the word that says its type.
    pub(crate) fn new(array: Strided, element_bytes: u64, tag: u64) -> Buffer {
        let mut step = element_bytes as i64;
        let mut is_dense = true;
        for &(extent, stride) in &array.dims {
            is_dense &= extent == 1 || stride == step;
            step = step.wrapping_mul(extent);
        }
        let is_dense = is_dense || array.count() == 0;
        Buffer { array, element_bytes, skipped: 0, is_dense, tag }
    }

    /// What its elements are, if they are of an intrinsic type.
    pub(crate) fn basic(&self) -> Option<Basic> {
        let class = match self.tag >> 8 {
            1 => Class::Integer,
            2 => Class::Real,
            3 => Class::Complex,
            4 => Class::Logical,
            5 => Class::Character,
            _ => return None,
        };
        Basic::of(class, self.tag & 0xff)
    }

    /// Its type as the source has it.
    pub(crate) fn type_name(&self) -> String {
        let bytes = self.tag & 0xff;
        match self.tag >> 8 {
            1 => format!("integer({bytes})"),
            2 => format!("real({bytes})"),
            3 => format!("complex({})", bytes / 2),
            4 => format!("logical({bytes})"),
            5 => "character".to_owned(),
            _ => "a derived type".to_owned(),
        }
    }

    /// The address of its first element.
    pub(crate) fn address(&self) -> u64 {
        self.array.base
    }

    /// Whether it is a scalar of 8 bytes of a derived type, such as `type(c_ptr)`.
    pub(crate) fn is_address(&self) -> bool {
        self.tag == 0 && self.element_bytes == 8 && self.array.dims.is_empty()
    }

    /// Bytes of one of its elements.
    pub(crate) fn element_bytes(&self) -> u64 {
        self.element_bytes
    }

    /// The same from an offset in bytes on.
    pub(crate) fn shifted(&self, bytes: i64) -> Buffer {
        if !self.is_dense {
            return Buffer { skipped: self.skipped.wrapping_add(bytes), ..self.clone() };
        }
        let base = self.array.base.wrapping_add_signed(bytes);
        Buffer { array: Strided { base, dims: Vec::new() }, ..self.clone() }
    }

    /// The pieces of memory that `count` elements of a layout occupy, in the order in which they are sent.
    fn pieces(
        &self,
        layout: &Layout,
        count: u64,
        each: &mut dyn FnMut(u64, u64) -> Result<(), Outside>,
    ) -> Result<(), Outside> {
        if layout.size == 0 || count == 0 {
            return Ok(());
        }
        if self.is_dense {
            if layout.is_dense() {
                return each(self.array.base, layout.size.saturating_mul(count));
            }
            for i in 0..count {
                let start = self.array.base.wrapping_add_signed(layout.extent.wrapping_mul(i as i64));
                for run in &*layout.runs {
                    each(start.wrapping_add_signed(run.at), run.bytes())?;
                }
            }
            return Ok(());
        }
        let runs: Vec<(u64, u64)> = self.array.runs(self.element_bytes).collect();
        let length = runs.first().map_or(1, |run| run.1).max(1);
        for i in 0..count {
            for run in &*layout.runs {
                let mut at =
                    self.skipped.wrapping_add(layout.extent.wrapping_mul(i as i64)).wrapping_add(run.at) as u64;
                let mut rest = run.bytes();
                while rest > 0 {
                    let outside = Outside { address: self.array.base, bytes: rest };
                    let &(start, _) = runs.get((at / length) as usize).ok_or(outside)?;
                    let skipped = at % length;
                    let taken = (length - skipped).min(rest);
                    each(start + skipped, taken)?;
                    (at, rest) = (at + taken, rest - taken);
                }
            }
        }
        Ok(())
    }

    /// The places of `count` elements: addresses and bytes.
    pub(crate) fn places(&self, layout: &Layout, count: u64) -> Vec<(u64, u64)> {
        let mut out = Vec::new();
        // What is outside of the section is found when it is read or written.
        let _ = self.pieces(layout, count, &mut |address, bytes| {
            out.push((address, bytes));
            Ok(())
        });
        out
    }

    /// The bytes of `count` elements, one after another.
    pub(crate) fn gather(&self, layout: &Layout, count: u64, memory: &mut dyn RankMemory) -> Result<Vec<u8>, Outside> {
        let bytes = layout.size.saturating_mul(count);
        let outside = Outside { address: self.array.base, bytes };
        self.check(layout, count, memory)?;
        let mut out = Vec::new();
        out.try_reserve_exact(usize::try_from(bytes).map_err(|_| outside)?).map_err(|_| outside)?;
        self.pieces(layout, count, &mut |address, bytes| {
            let mut done = 0;
            while done < bytes {
                let (at, now) = (out.len(), (bytes - done).min(CACHED));
                out.resize(at + now as usize, 0);
                memory.read(address + done, &mut out[at..])?;
                done += now;
            }
            Ok(())
        })?;
        Ok(out)
    }

    /// Puts bytes, as many as there are, to the places of `count` elements.
    pub(crate) fn scatter(
        &self,
        layout: &Layout,
        count: u64,
        bytes: &[u8],
        memory: &mut dyn RankMemory,
    ) -> Result<(), Outside> {
        let mut rest = bytes;
        self.pieces(layout, count, &mut |address, bytes| {
            let (now, later) = rest.split_at((bytes as usize).min(rest.len()));
            rest = later;
            if now.is_empty() {
                return Ok(());
            }
            memory.write(address, now)
        })
    }

    /// Checks that `count` elements are inside of what the program has allocated: in one variable, or, where
    /// places are differences of addresses, each of their pieces in one.
    pub(crate) fn check(&self, layout: &Layout, count: u64, memory: &dyn RankMemory) -> Result<(), Outside> {
        if layout.size == 0 || count == 0 {
            return Ok(());
        }
        let everything = Outside { address: self.array.base, bytes: layout.size.saturating_mul(count) };
        let (low, high) = layout.hull(count).ok_or(everything)?;
        if !self.is_dense {
            let bytes = self.array.count().saturating_mul(self.element_bytes);
            let is_inside =
                |at: i64| self.skipped.checked_add(at).is_some_and(|at| u64::try_from(at).is_ok_and(|at| at <= bytes));
            return if is_inside(low) && is_inside(high) { Ok(()) } else { Err(everything) };
        }
        let has_room = |address, bytes| memory.has_room(address, bytes);
        if has_room(self.array.base.wrapping_add_signed(low), high.wrapping_sub(low) as u64) {
            return Ok(());
        }
        let outside = Outside { address: self.array.base, bytes: high.wrapping_sub(low.min(0)) as u64 };
        if !layout.is_by_address {
            return Err(outside);
        }
        self.pieces(layout, count, &mut |address, bytes| if has_room(address, bytes) { Ok(()) } else { Err(outside) })
    }
}
