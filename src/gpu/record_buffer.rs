//! Reads the record buffer: what kernels printed, and why threads ended the program.
//!
//! Records come in the order launch, block, thread, and within a thread in the order in which it wrote them. As long as the
//! buffer has not overflowed, this order does not depend on how the GPU scheduled the threads. The number of lost records is
//! reported.
//!
//! Not here: formatting (`text`), what the host does about a fault (`machine`).

use crate::ptx::record::{
    A, B, BLOCK, CAPACITY, EXTRA, FAULTS, GRID, HEADER_BYTES, KIND, Kind, NEXT, RECORD_BYTES, THREAD, extents,
};
use source::{FileId, Span};

/// Something that one thread did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PrintRecord {
    /// Which launch: a number that grows from launch to launch.
    pub grid: u64,
    /// Number of the block in the grid, from 0, x fastest.
    pub block: u64,
    /// Number of the thread in the block, from 0, x fastest.
    pub thread: u32,
    /// What it did.
    pub item: PrintItem,
}

/// What a thread printed or ended with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PrintItem {
    /// A transfer statement begins.
    Begin {
        /// 0 list-directed, 1 formatted, 2 unformatted, 3 namelist, 4 C's `printf`.
        form: u32,
        /// The unit; -1 is `*`.
        unit: i64,
    },
    /// The transfer statement ends.
    End,
    /// An integer of that kind.
    Int(i64, u32),
    /// The bits of a real(4).
    Real4(u32),
    /// The bits of a real(8).
    Real8(u64),
    /// The bits of a complex(4): real and imaginary part.
    Complex4(u32, u32),
    /// The bits of a complex(8): real and imaginary part.
    Complex8(u64, u64),
    /// A logical of that kind; its bits.
    Logical(i64, u32),
    /// A character value.
    Char(Vec<u8>),
    /// The thread ended the program.
    Fault(Fault),
}

/// Why a thread ended the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// What happened.
    pub kind: FaultKind,
    /// The message of a STOP, or the name of the array.
    pub text: Vec<u8>,
    /// Where.
    pub span: Span,
    /// Extents of its grid and its block, where kernels launch others.
    pub extents: Option<[[u32; 3]; 2]>,
}

/// The reasons of a [`Fault`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// STOP, or ERROR STOP.
    Stop {
        /// Whether it is an ERROR STOP.
        error: bool,
        /// The code.
        code: i32,
    },
    /// A subscript out of its declared bounds.
    Bounds {
        /// The subscript.
        subscript: i64,
        /// Lower bound.
        lower: i64,
        /// Upper bound.
        upper: i64,
        /// Which dimension, from 1.
        dim: u32,
    },
    /// Arrays of different shape in one operation.
    Shape {
        /// Which dimension, from 1.
        dim: u32,
        /// The extent of the first.
        left: i64,
        /// The extent of the second.
        right: i64,
    },
    /// Use of an array that is not allocated.
    Unallocated,
    /// ALLOCATE of what is allocated.
    Allocated,
    /// An allocation failed: so many bytes.
    NoMemory(u64),
    /// The step of a DO loop is zero.
    ZeroStep,
    /// An integer is divided by zero.
    ZeroDivisor,
    /// A feature that this version refuses was reached.
    Unsupported,
}

/// What a buffer held.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Drained {
    /// In order.
    pub records: Vec<PrintRecord>,
    /// How many raw records did not fit.
    pub lost: u64,
    /// How many threads ended the program, those included whose records were lost.
    pub faults: u64,
}

/// A word of the header.
pub(crate) fn header_word(header: &[u8], offset: usize) -> u64 {
    header.get(offset..offset + 8).and_then(|b| b.try_into().ok()).map_or(0, u64::from_le_bytes)
}

/// How many records a buffer with this header holds.
pub(crate) fn held(header: &[u8]) -> u64 {
    header_word(header, NEXT).min(header_word(header, CAPACITY))
}

struct Raw {
    grid: u64,
    block: u64,
    thread: u32,
    kind: u32,
    extra: u32,
    a: u64,
    b: u64,
}

impl Raw {
    fn read(bytes: &[u8]) -> Raw {
        let small = |at: usize| header_word(bytes, at) as u32;
        Raw {
            grid: header_word(bytes, GRID),
            block: header_word(bytes, BLOCK),
            thread: small(THREAD),
            kind: small(KIND),
            extra: small(EXTRA),
            a: header_word(bytes, A),
            b: header_word(bytes, B),
        }
    }

    fn place(&self) -> (u64, u64, u32) {
        (self.grid, self.block, self.thread)
    }
}

/// Reads a buffer: its header, and as many records as it says.
pub fn decode(header: &[u8], records: &[u8]) -> Drained {
    debug_assert!(header.len() >= HEADER_BYTES);
    let mut raw: Vec<Raw> = records.chunks_exact(RECORD_BYTES).map(Raw::read).collect();
    raw.sort_by_key(Raw::place);
    let mut out: Vec<PrintRecord> = Vec::new();
    // Bytes of the character value at the end of `out` that are still to come.
    let mut missing = 0u64;
    for record in raw {
        let (grid, block, thread) = record.place();
        let last = out.last_mut().filter(|l| (l.grid, l.block, l.thread) == (grid, block, thread)).map(|l| &mut l.item);
        if let Some(item) = continue_item(&record, last, &mut missing) {
            out.push(PrintRecord { grid, block, thread, item });
        }
    }
    let (wanted, capacity) = (header_word(header, NEXT), header_word(header, CAPACITY));
    Drained { records: out, lost: wanted.saturating_sub(capacity), faults: header_word(header, FAULTS) }
}

/// The item that a record begins; `None` if it belongs to the one before it.
// An optional reference is consumed by each arm that uses it.
#[allow(clippy::needless_pass_by_value)]
fn continue_item(record: &Raw, last: Option<&mut PrintItem>, missing: &mut u64) -> Option<PrintItem> {
    let fault = |kind| Some(PrintItem::Fault(Fault { kind, text: Vec::new(), span: Span::NONE, extents: None }));
    let Raw { extra, a, b, .. } = *record;
    match Kind::from_number(record.kind)? {
        Kind::Begin => Some(PrintItem::Begin { form: extra, unit: a as i64 }),
        Kind::End => Some(PrintItem::End),
        Kind::Int => Some(PrintItem::Int(a as i64, extra)),
        Kind::Real4 => Some(PrintItem::Real4(a as u32)),
        Kind::Real8 => Some(PrintItem::Real8(a)),
        Kind::Complex4 => Some(PrintItem::Complex4(a as u32, b as u32)),
        Kind::Complex8 => Some(PrintItem::Complex8(a, b)),
        Kind::Logical => Some(PrintItem::Logical(a as i64, extra)),
        Kind::Char => {
            *missing = a;
            match last {
                // The name or message of the fault.
                Some(PrintItem::Fault(_)) => None,
                _ => Some(PrintItem::Char(Vec::new())),
            }
        }
        Kind::Text => {
            if let Some(PrintItem::Char(text) | PrintItem::Fault(Fault { text, .. })) = last {
                let bytes: Vec<u8> = a.to_le_bytes().into_iter().chain(b.to_le_bytes()).collect();
                let count = u64::from(extra).min(16).min(*missing);
                text.extend_from_slice(&bytes[..count as usize]);
                *missing -= count;
            }
            None
        }
        Kind::Place => {
            if let Some(PrintItem::Fault(fault)) = last {
                fault.span = Span { file: FileId(extra), start: a as u32, end: b as u32 };
            }
            None
        }
        Kind::Extents => {
            if let Some(PrintItem::Fault(fault)) = last {
                fault.extents = Some([a, b].map(extents));
            }
            None
        }
        Kind::Upper => {
            if let Some(PrintItem::Fault(Fault { kind: FaultKind::Bounds { upper, .. }, .. })) = last {
                *upper = a as i64;
            }
            None
        }
        Kind::Stop => fault(FaultKind::Stop { error: extra & 1 != 0, code: a as i32 }),
        Kind::Bounds => fault(FaultKind::Bounds { subscript: a as i64, lower: b as i64, upper: 0, dim: extra }),
        Kind::Shape => fault(FaultKind::Shape { dim: extra, left: a as i64, right: b as i64 }),
        Kind::Unallocated => fault(FaultKind::Unallocated),
        Kind::Allocated => fault(FaultKind::Allocated),
        Kind::NoMemory => fault(FaultKind::NoMemory(a)),
        Kind::Trap => fault(match extra {
            0 => FaultKind::ZeroStep,
            2 => FaultKind::ZeroDivisor,
            _ => FaultKind::Unsupported,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(block: u64, thread: u32, kind: Kind, extra: u32, a: u64, b: u64) -> Vec<u8> {
        let mut bytes = vec![0; RECORD_BYTES];
        bytes[GRID..GRID + 8].copy_from_slice(&7u64.to_le_bytes());
        bytes[BLOCK..BLOCK + 8].copy_from_slice(&block.to_le_bytes());
        bytes[THREAD..THREAD + 4].copy_from_slice(&thread.to_le_bytes());
        bytes[KIND..KIND + 4].copy_from_slice(&(kind as u32).to_le_bytes());
        bytes[EXTRA..EXTRA + 4].copy_from_slice(&extra.to_le_bytes());
        bytes[A..A + 8].copy_from_slice(&a.to_le_bytes());
        bytes[B..B + 8].copy_from_slice(&b.to_le_bytes());
        bytes
    }

    fn header(capacity: u64, next: u64, faults: u64) -> Vec<u8> {
        let mut bytes = vec![0; HEADER_BYTES];
        bytes[CAPACITY..CAPACITY + 8].copy_from_slice(&capacity.to_le_bytes());
        bytes[NEXT..NEXT + 8].copy_from_slice(&next.to_le_bytes());
        bytes[FAULTS..FAULTS + 8].copy_from_slice(&faults.to_le_bytes());
        bytes
    }

    #[test]
    fn records_of_mixed_threads_come_out_thread_by_thread() {
        let word = |s: &[u8; 8]| u64::from_le_bytes(*s);
        let records = [
            raw(1, 0, Kind::Int, 4, 5, 0),
            raw(0, 3, Kind::Char, 0, 10, 0),
            raw(0, 1, Kind::Real4, 4, 0x3f80_0000, 0),
            raw(0, 3, Kind::Text, 10, word(b"thread t"), word(b"wo......")),
            raw(0, 1, Kind::Int, 8, u64::MAX, 0),
        ]
        .concat();
        let drained = decode(&header(8, 5, 0), &records);
        let got: Vec<_> = drained.records.iter().map(|r| (r.block, r.thread, r.item.clone())).collect();
        assert_eq!(
            got,
            [
                (0, 1, PrintItem::Real4(0x3f80_0000)),
                (0, 1, PrintItem::Int(-1, 8)),
                (0, 3, PrintItem::Char(b"thread two".to_vec())),
                (1, 0, PrintItem::Int(5, 4)),
            ]
        );
        assert_eq!((drained.lost, drained.faults), (0, 0));
    }

    #[test]
    fn fault_gathers_its_parts_and_losses_are_counted() {
        let records = [
            raw(0, 0, Kind::Bounds, 2, 11, 1),
            raw(0, 0, Kind::Upper, 0, 10, 0),
            raw(0, 0, Kind::Place, 0, 40, 44),
            raw(0, 0, Kind::Char, 0, 1, 0),
            raw(0, 0, Kind::Text, 1, u64::from(b'a'), 0),
        ]
        .concat();
        let drained = decode(&header(5, 9, 3), &records);
        let kind = FaultKind::Bounds { subscript: 11, lower: 1, upper: 10, dim: 2 };
        let fault = Fault { kind, text: b"a".to_vec(), span: Span::new(FileId(0), 40, 44), extents: None };
        assert_eq!(drained.records.iter().map(|r| &r.item).collect::<Vec<_>>(), [&PrintItem::Fault(fault)]);
        assert_eq!((drained.lost, drained.faults), (4, 3));
    }

    #[test]
    fn nonsense_is_skipped() {
        let drained = decode(&header(1, 1, 0), &[0xff; RECORD_BYTES + 5]);
        assert!(drained.records.is_empty());
    }
}
