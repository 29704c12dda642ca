//! A register file: rows that begin at a cache line.
//!
//! Vector loads and stores that cross a line cost twice; a `Vec` of rows begins wherever the allocator likes.
#![allow(unsafe_code)] // Lines of bytes are seen as rows of integers; the safety comments say why that may be.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

#[derive(Clone, Copy)]
#[repr(align(64))]
#[allow(dead_code)] // The bytes are read as rows.
struct Line([u8; 64]);

const _: () = assert!(align_of::<Line>() == 64 && size_of::<Line>() == 64);

/// A row of integers, of which any bytes are a value.
///
/// # Safety
///
/// The type is an array of integers.
pub(crate) unsafe trait Row: Copy {}

// SAFETY: it is an array of integers.
unsafe impl<const W: usize> Row for [u32; W] {}

// SAFETY: it is an array of integers.
unsafe impl<const W: usize> Row for [u64; W] {}

/// A fixed number of rows.
#[derive(Clone)]
pub(crate) struct RegisterFile<R> {
    lines: Vec<Line>,
    rows: usize,
    of: PhantomData<R>,
}

impl<R: Row> RegisterFile<R> {
    /// So many rows of zeros.
    pub(crate) fn new(rows: usize) -> RegisterFile<R> {
        RegisterFile { lines: vec![Line([0; 64]); (rows * size_of::<R>()).div_ceil(64)], rows, of: PhantomData }
    }
}

impl<R: Row> Deref for RegisterFile<R> {
    type Target = [R];

    #[inline(always)]
    fn deref(&self) -> &[R] {
        // SAFETY: the lines have at least the bytes of the rows, are aligned for integers, initialised, and any bytes are a
        // row.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast::<R>(), self.rows) }
    }
}

impl<R: Row> DerefMut for RegisterFile<R> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [R] {
        // SAFETY: as above, and the lines are borrowed for as long as the rows; any row is bytes.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast::<R>(), self.rows) }
    }
}

impl<R: Row> std::fmt::Debug for RegisterFile<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RegisterFile").field("rows", &self.rows).finish_non_exhaustive()
    }
}
