//! Local memory: each lane's own, at the same addresses for all.
//!
//! To a lane its local memory is a run of bytes. What is kept are rows: one word of four bytes of each lane, then the next
//! word of each, so that an access at one address by all lanes, as most are, is a row or two and not a search lane by lane.
//! A frame's local memory has the frame's number in [`crate::Warp`].
//!
//! Variables lie side by side in the rows and apart in the addresses ([`Layout`]), so that an access behind the end of one, or before
//! its beginning, is found and does not come to another. What is of calls in whose place a function stands shares rows with what is of other
//! calls as deep as they are.

use mem::Strided;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Bytes of addresses between two variables, at least.
const GAP: u64 = 256;

/// Where the variables of a frame are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    /// Those that have bytes, by address.
    parts: Vec<Part>,
    /// Bytes of addresses that they take, a multiple of [`GAP`].
    span: u64,
    /// Words of a lane.
    words: u32,
    /// The words of the function's own variables, which come first.
    own: u32,
}

/// Where a variable is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Part {
    /// How far its address is behind the first of the frame.
    pub(crate) start: u64,
    /// Its bytes.
    pub(crate) bytes: u64,
    /// Its first row.
    pub(crate) row: u32,
}

impl Layout {
    /// Places variables: bytes, alignment, and for those of inlined calls how deep the call is and which one it is.
    pub(crate) fn new(variables: impl Iterator<Item = (u64, u64, Option<(usize, u32)>)>) -> (Layout, Vec<Part>) {
        let mut of_all = Vec::new();
        let mut span = 0u64;
        // The words of each call, by depth; the function itself has depth 0.
        let mut used: BTreeMap<(usize, u32), u64> = BTreeMap::new();
        for (bytes, align, call) in variables {
            let call = call.unwrap_or_default();
            let start = span.next_multiple_of(align.max(GAP));
            span = (start + bytes + GAP).next_multiple_of(GAP);
            let words = used.entry(call).or_default();
            of_all.push((call, *words, start, bytes));
            *words += bytes.div_ceil(4);
        }
        let mut depths: BTreeMap<usize, u64> = BTreeMap::new();
        for (&(depth, _), &words) in &used {
            let most = depths.entry(depth).or_default();
            *most = words.max(*most);
        }
        let own = depths.get(&0).copied().unwrap_or(0);
        let mut words = 0;
        for most in depths.values_mut() {
            words += std::mem::replace(most, words);
        }
        let row = |depth: usize, within: u64| depths.get(&depth).copied().unwrap_or(0) + within;
        let part = |&((depth, _), within, start, bytes): &((usize, u32), u64, u64, u64)| Part {
            start,
            bytes,
            row: row(depth, within) as u32,
        };
        let all: Vec<Part> = of_all.iter().map(part).collect();
        let parts = all.iter().copied().filter(|part| part.bytes > 0).collect();
        (Layout { parts, span, words: words as u32, own: own as u32 }, all)
    }

    /// Bytes of addresses that a frame takes.
    pub(crate) fn span(&self) -> u64 {
        self.span
    }

    /// Which byte of the rows the first of so many bytes is that are so far behind the first address; `None` if they are not all of one
    /// variable.
    #[inline(always)]
    fn find(&self, offset: u64, bytes: u64) -> Option<usize> {
        let part = match &self.parts[..] {
            [part] => part,
            parts => parts.get(parts.partition_point(|part| part.start <= offset).checked_sub(1)?)?,
        };
        let within = offset.wrapping_sub(part.start);
        (within < part.bytes && bytes <= part.bytes - within).then_some(4 * part.row as usize + within as usize)
    }
}

/// Where the local memory of the first frame of a warp lies.
pub(crate) const FIRST: u64 = mem::address::LOCAL_BASE + 256;

/// The local memory of one frame, of all lanes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Local<const W: usize> {
    /// Address of the first byte.
    base: u64,
    /// Where its variables are.
    layout: Arc<Layout>,
    /// Whether the frame is there.
    is_live: bool,
    /// The words, and room that frames before this one had.
    rows: Vec<[u32; W]>,
}

/// A word that lies in rows.
pub(crate) trait InRows: Copy {
    /// How many rows it takes.
    const ROWS: usize;
    /// The words of all lanes from row `at` on.
    fn all<const W: usize>(rows: &[[u32; W]], at: usize) -> [Self; W];
    /// The word of one lane from row `at` on.
    fn one<const W: usize>(rows: &[[u32; W]], at: usize, lane: usize) -> Self;
    /// Sets the word of one lane from row `at` on.
    fn put<const W: usize>(self, rows: &mut [[u32; W]], at: usize, lane: usize);
    /// Sets the words of all lanes from row `at` on.
    fn put_all<const W: usize>(words: &[Self; W], rows: &mut [[u32; W]], at: usize);
}

impl InRows for u32 {
    const ROWS: usize = 1;

    #[inline(always)]
    fn all<const W: usize>(rows: &[[u32; W]], at: usize) -> [u32; W] {
        rows[at]
    }

    #[inline(always)]
    fn one<const W: usize>(rows: &[[u32; W]], at: usize, lane: usize) -> u32 {
        rows[at][lane]
    }

    #[inline(always)]
    fn put<const W: usize>(self, rows: &mut [[u32; W]], at: usize, lane: usize) {
        rows[at][lane] = self;
    }

    #[inline(always)]
    fn put_all<const W: usize>(words: &[u32; W], rows: &mut [[u32; W]], at: usize) {
        rows[at] = *words;
    }
}

impl InRows for u64 {
    const ROWS: usize = 2;

    #[inline(always)]
    fn all<const W: usize>(rows: &[[u32; W]], at: usize) -> [u64; W] {
        let (low, high) = (&rows[at], &rows[at + 1]);
        let mut out = [0; W];
        for i in 0..W {
            out[i] = u64::from(low[i]) | u64::from(high[i]) << 32;
        }
        out
    }

    #[inline(always)]
    fn one<const W: usize>(rows: &[[u32; W]], at: usize, lane: usize) -> u64 {
        u64::from(rows[at][lane]) | u64::from(rows[at + 1][lane]) << 32
    }

    #[inline(always)]
    fn put<const W: usize>(self, rows: &mut [[u32; W]], at: usize, lane: usize) {
        rows[at][lane] = self as u32;
        rows[at + 1][lane] = (self >> 32) as u32;
    }

    #[inline(always)]
    fn put_all<const W: usize>(words: &[u64; W], rows: &mut [[u32; W]], at: usize) {
        for i in 0..W {
            rows[at][i] = words[i] as u32;
        }
        for i in 0..W {
            rows[at + 1][i] = (words[i] >> 32) as u32;
        }
    }
}

impl<const W: usize> Local<W> {
    /// Makes it that of a new frame, whose own variables are zero.
    pub(crate) fn begin(&mut self, base: u64, layout: &Arc<Layout>) {
        (self.base, self.is_live) = (base, true);
        if !Arc::ptr_eq(&self.layout, layout) {
            self.layout = layout.clone();
        }
        if self.rows.len() < layout.words as usize {
            self.rows.resize(layout.words as usize, [0; W]);
        }
        if layout.own > 0 {
            self.rows[..layout.own as usize].fill([0; W]);
        }
    }

    /// The frame is gone.
    pub(crate) fn end(&mut self) {
        self.is_live = false;
    }

    /// Where the rows of the frame are, and how many are of the function's own variables.
    pub(crate) fn raw_rows(&mut self) -> (*mut u32, u64) {
        (self.rows.as_mut_ptr().cast(), if self.is_live { u64::from(self.layout.own) } else { 0 })
    }

    /// The rows that are the frame's.
    pub(crate) fn rows(&self) -> &[[u32; W]] {
        &self.rows[..if self.is_live { self.layout.words as usize } else { 0 }]
    }

    /// Which byte of the rows the first of so many bytes at an address is, if they are inside a variable.
    #[inline(always)]
    fn offset(&self, address: u64, bytes: u64) -> Option<usize> {
        let offset = address.wrapping_sub(self.base);
        if !self.is_live || offset >= self.layout.span { None } else { self.layout.find(offset, bytes) }
    }

    /// Copies bytes of a lane.
    #[inline(always)]
    pub(crate) fn read(&self, lane: usize, offset: usize, out: &mut [u8]) {
        if offset.is_multiple_of(4) && out.len().is_multiple_of(4) {
            for (row, word) in self.rows[offset / 4..].iter().zip(out.chunks_exact_mut(4)) {
                word.copy_from_slice(&row[lane].to_le_bytes());
            }
            return;
        }
        for (i, byte) in (offset..).zip(out) {
            *byte = (self.rows[i / 4][lane] >> (i % 4 * 8)) as u8;
        }
    }

    /// Sets bytes of a lane.
    #[inline(always)]
    pub(crate) fn write(&mut self, lane: usize, offset: usize, bytes: &[u8]) {
        if offset.is_multiple_of(4) && bytes.len().is_multiple_of(4) {
            for (row, word) in self.rows[offset / 4..].iter_mut().zip(bytes.as_chunks::<4>().0) {
                row[lane] = u32::from_le_bytes(*word);
            }
            return;
        }
        for (i, &byte) in (offset..).zip(bytes) {
            let (word, shift) = (&mut self.rows[i / 4][lane], i % 4 * 8);
            *word = *word & !(0xff << shift) | u32::from(byte) << shift;
        }
    }
}

/// Makes bytes of a frame zero in the lanes of `mask`: so many, from that byte of its rows on.
pub(crate) fn clear<const W: usize>(locals: &mut [Local<W>], frame: u32, (offset, bytes): (u64, u64), mask: u32) {
    let Some(local) = locals.get_mut(frame as usize) else { return };
    let (from, to) = (offset as usize, (offset + bytes) as usize);
    let is_whole = from.is_multiple_of(4) && to.is_multiple_of(4);
    let rows = local.rows.get_mut(from / 4..to.div_ceil(4)).unwrap_or_default();
    if is_whole && mask.count_ones() as usize == W {
        rows.fill([0; W]);
        return;
    }
    let is_wanted: [u32; W] = std::array::from_fn(|lane| if mask >> lane & 1 != 0 { u32::MAX } else { 0 });
    for (row, first) in rows.iter_mut().zip((from / 4 * 4..).step_by(4)) {
        let is_kept = |byte: usize| !(from..to).contains(&(first + byte));
        let kept = (0..4).filter(|&byte| is_kept(byte)).fold(0, |kept, byte| kept | 0xff << (8 * byte));
        for (word, wanted) in row.iter_mut().zip(is_wanted) {
            *word &= kept | !wanted;
        }
    }
}

/// The number of the frame that has so many bytes at an address in one variable, and which byte of its rows is the first. It is most
/// often the frame `guess`.
#[inline(always)]
pub(crate) fn find<const W: usize>(
    locals: &[Local<W>],
    guess: usize,
    address: u64,
    bytes: u64,
) -> Option<(usize, usize)> {
    if let Some(local) = locals.get(guess)
        && let Some(offset) = local.offset(address, bytes)
    {
        return Some((guess, offset));
    }
    for (n, local) in locals.iter().enumerate().rev() {
        if let Some(offset) = local.offset(address, bytes) {
            return Some((n, offset));
        }
    }
    None
}

/// Where the words of all lanes, active or not, are: the frame, and how many rows behind its first the first lane's is.
#[inline(always)]
fn place<T: InRows, const W: usize>(locals: &[Local<W>], own: usize, g: &Strided<W>) -> Option<(usize, usize)> {
    let bytes = 4 * T::ROWS;
    if !g.is_aligned(bytes) {
        return None;
    }
    let (frame, low) = find(locals, own, g.low(), g.span().saturating_add(bytes as u64))?;
    Some((frame, low.wrapping_add(g.first().wrapping_sub(g.low()) as usize) / 4))
}

/// How many rows behind the first lane's a lane's word is.
#[inline(always)]
fn rows_behind<const W: usize>(g: &Strided<W>, lane: usize) -> isize {
    (g.address(lane).wrapping_sub(g.first()) as i64 / 4) as isize
}

/// Reads one word for each lane of a rule, active or not; false if nothing was read. The lanes are in frame `own`.
#[inline(always)]
pub(crate) fn load<T: InRows, const W: usize>(locals: &[Local<W>], own: u32, g: &Strided<W>, out: &mut [T; W]) -> bool {
    let Some((frame, first)) = place::<T, W>(locals, own as usize, g) else { return false };
    let rows = locals[frame].rows();
    if g.is_uniform() {
        *out = T::all(rows, first);
    } else {
        for (lane, word) in out.iter_mut().enumerate() {
            *word = T::one(rows, first.wrapping_add_signed(rows_behind(g, lane)), lane);
        }
    }
    true
}

/// Writes one word for each lane of `mask`; false if nothing was written. The lanes are in frame `own`.
#[inline(always)]
pub(crate) fn store<T: InRows, const W: usize>(
    locals: &mut [Local<W>],
    own: u32,
    g: &Strided<W>,
    mask: u32,
    words: &[T; W],
) -> bool {
    let Some((frame, first)) = place::<T, W>(locals, own as usize, g) else { return false };
    let rows = &mut locals[frame].rows[..];
    if g.is_uniform() && mask.count_ones() as usize == W {
        T::put_all(words, rows, first);
        return true;
    }
    let mut rest = mask;
    while rest != 0 {
        let lane = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        words[lane].put(rows, first.wrapping_add_signed(rows_behind(g, lane)), lane);
    }
    true
}
