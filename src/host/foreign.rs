//! Calls of procedures of libraries: what memory of the program they are given, and what becomes of it.
//!
//! A procedure sees the variables and allocations that its arguments point to, whole, at addresses of its own that stay the
//! same while an allocation lives. What earlier calls were given is there too, since the procedure may have kept the address: local
//! variables of procedures until those return. What it wrote is in the program's memory after the call.
//!
//! The call is a question to the world, so a run that is done again does not make it again. What a procedure reads is not known,
//! so no check looks at it; what it changed counts as written by the host. Where no run is done again and no check looks, calls are
//! made at once and procedures work on the program's memory itself (`service::direct`).
//!
//! A procedure may call procedures of the program that it has the addresses of. Then it waits, and its service gives 1: the code
//! behind the call asks what is called, does it, and lets the procedure go on (`lower::call::callback`). What the procedure has
//! written so far is seen then, and it sees what the program writes. References to memory of C become copies.
//!
//! Routines of CUDA's libraries are called by the same service; they are calls of the CUDA runtime.
//!
//! Not here: the service itself (`service::foreign`), how a call is made (crate `foreign`), what the routines do (`library`).

use crate::cuda::CArrays;
use crate::direct::Direct;
use crate::protocol::Halt;
use crate::storage;
use ir::c_descriptor::{self as layout, Class};
use ir::foreign::{CArg, CParam, CScalar, CValue, Callback, Contents, Entries, Piece, Signature, word_of};
use mem::{Memory, Region, Snapshot};
use source::Span;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What the run time knows of procedures of libraries.
#[derive(Clone, Debug)]
pub(crate) struct Foreign {
    /// Which are routines of CUDA's libraries.
    pub(crate) has_routine: fn(&str) -> bool,
    /// Whether such a routine gives a number, and no status.
    pub(crate) gives_result: fn(&str) -> bool,
    /// Names of such routines that the program's own libraries define.
    pub(crate) defined: Arc<[String]>,
    /// Signatures by the addresses of their texts.
    pub(crate) signatures: BTreeMap<u64, Arc<Signature>>,
    /// Whether the rank goes on before its turn, for which what could be called at once has to wait.
    pub(crate) is_ahead: bool,
    /// Whether a check wants to know what procedures change that are called at once.
    pub(crate) is_watched: bool,
    /// What calls that are made at once know.
    pub(crate) direct: Direct,
    /// First addresses and bytes of the variables and allocations that were passed.
    pub(crate) kept: BTreeMap<u64, u64>,
    /// Where pointers are in those: first addresses, bytes, offsets.
    pub(crate) pointers: BTreeMap<u64, (u64, BTreeSet<u64>)>,
    /// The procedures of the program that libraries may call.
    pub(crate) entries: Arc<Entries>,
    /// Where texts are that routines of CUDA's runtime have given.
    pub(crate) texts: BTreeMap<&'static str, u64>,
    /// The CUDA arrays that the C interface of CUDA's runtime has made.
    pub(crate) arrays: CArrays,
    /// The calls that wait for one of them, the last one last.
    pub(crate) waiting: Vec<Waiting>,
}

/// A call that waits for a procedure of the program.
#[derive(Clone, Debug)]
pub(crate) struct Waiting {
    /// The call, and its room.
    pub(crate) signature: Arc<Signature>,
    pub(crate) room: u64,
    /// The procedure, and what is passed to it.
    pub(crate) callee: Arc<Signature>,
    pub(crate) callback: Callback,
    /// Copies of memory of C: where they are, where they come from, and their bytes.
    pub(crate) copies: Vec<(u64, u64, u64)>,
    /// Whether what the call was given has pointers in it, which are to be translated whenever C runs.
    pub(crate) has_pointers: bool,
}

/// What the program has as the address of a procedure for libraries is this and what a procedure pointer to it holds, unless that
/// is an address already.
const ENTRIES: u64 = 3 << 40;

/// The address of a procedure for libraries, by what a procedure pointer to it holds.
pub(crate) fn entry_of(pointer: u64) -> u64 {
    if (1..1 << 40).contains(&pointer) { ENTRIES + pointer } else { pointer }
}

/// What a procedure pointer holds, by the address for libraries.
pub(crate) fn pointer_of(entry: u64) -> u64 {
    if entry >> 40 == ENTRIES >> 40 { entry - ENTRIES } else { entry }
}

impl Foreign {
    pub(crate) fn new(
        has_routine: fn(&str) -> bool,
        gives_result: fn(&str) -> bool,
        defined: Arc<[String]>,
    ) -> Foreign {
        Foreign {
            has_routine,
            gives_result,
            defined,
            signatures: BTreeMap::new(),
            is_ahead: false,
            is_watched: false,
            direct: Direct::default(),
            kept: BTreeMap::new(),
            pointers: BTreeMap::new(),
            entries: Arc::default(),
            texts: BTreeMap::new(),
            arrays: CArrays::new(),
            waiting: Vec::new(),
        }
    }

    /// Keeps what a call was given for the next ones, which may have its address. What the program has no more is forgotten.
    pub(crate) fn keep(&mut self, memory: &Memory, locals: LocalExtent<'_>, passed: impl Iterator<Item = (u64, u64)>) {
        self.kept.retain(|&base, &mut bytes| extent_at(memory, locals, base) == Some((base, bytes)));
        self.kept.extend(passed);
    }

    /// Keeps where pointers are in what a call is given, so that they are translated whenever C runs.
    pub(crate) fn keep_pointers(&mut self, passed: &Pieces<'_>) {
        let is_there = |base: u64, bytes: u64| extent_at(passed.memory, passed.locals, base) == Some((base, bytes));
        self.pointers.retain(|&base, (bytes, _)| is_there(base, *bytes));
        for (&base, extent) in passed.extents.iter().filter(|(_, extent)| !extent.pointers.is_empty()) {
            let known = self.pointers.entry(base).or_insert_with(|| (extent.bytes, BTreeSet::new()));
            known.1.extend(&extent.pointers);
        }
        let of_c = &mut self.direct.objects;
        of_c.retain(|&first, offsets| offsets.iter().any(|at| passed.has_address(first + at)));
        of_c.extend(passed.of_c.iter().cloned());
    }

    /// Notes that a call waits for a procedure of the program; the reason if that is none.
    pub(crate) fn wait_for(&mut self, signature: &Arc<Signature>, room: u64, callback: Callback) -> Result<(), String> {
        let callee = self.entries.get(&callback.entry).cloned();
        let callee = callee.ok_or("it has called a procedure of the program that is not there")?;
        let (signature, has_pointers) = (signature.clone(), signature.passes_pointers());
        self.waiting.push(Waiting { signature, room, callee, callback, copies: Vec::new(), has_pointers });
        Ok(())
    }
}

/// Where a service is called.
pub(crate) struct CallSite<'a> {
    pub(crate) locals: LocalExtent<'a>,
    /// The first free address of the stack.
    pub(crate) top: u64,
    pub(crate) span: Span,
}

/// Address and bytes of the local variable at an address of the stack.
pub(crate) type LocalExtent<'a> = &'a dyn Fn(u64) -> Option<(u64, u64)>;

/// First address and bytes of the variable or allocation of the host at an address.
fn extent_at(memory: &Memory, locals: LocalExtent<'_>, address: u64) -> Option<(u64, u64)> {
    let region = Region::of(address).filter(|region| region.is_host_accessible())?;
    let info = memory.info(memory.find(address)?);
    if region == Region::HostStack { locals(address) } else { Some((info.base, info.bytes)) }
}

/// The arguments.
pub(crate) fn args(memory: &Memory, signature: &Signature, room: u64) -> Result<Vec<CArg>, Halt> {
    let words = words(memory, signature, room)?;
    let mut args = Vec::with_capacity(words.len());
    for (param, word) in signature.params.iter().zip(words) {
        args.push(match param {
            CParam::Value(CValue::Object { bytes, .. }) => CArg::Object(peek(memory, word, *bytes)?),
            CParam::Value(CValue::Scalar(scalar)) => CArg::Word(scalar.extended(word)),
            CParam::Reference { .. } | CParam::Descriptor { .. } => CArg::Word(word),
        });
    }
    Ok(args)
}

/// The words of the arguments.
fn words(memory: &Memory, signature: &Signature, room: u64) -> Result<Vec<u64>, Halt> {
    let bytes = peek(memory, room + signature.result_bytes(), 8 * signature.params.len() as u64)?;
    Ok(bytes.chunks_exact(8).map(word_of).collect())
}

/// Reads bytes of host memory that no check shall see.
pub(crate) fn peek(memory: &Memory, address: u64, bytes: u64) -> Result<Vec<u8>, Halt> {
    let outside = storage::Outside { address, bytes, write: false };
    if bytes > 0 && !storage::is_host(address) {
        return Err(outside.into());
    }
    if bytes > 0 && !memory.contains(address, address.saturating_add(bytes)) {
        return Err(outside.into());
    }
    let mut out = vec![0; bytes as usize];
    memory.peek(address, &mut out).ok_or(outside)?;
    Ok(out)
}

/// Stretches of memory by their first addresses.
pub(crate) struct Pieces<'a> {
    memory: &'a Memory,
    locals: LocalExtent<'a>,
    pub(crate) extents: BTreeMap<u64, Extent>,
    /// Where pointers are in memory of C: addresses, and offsets from there.
    pub(crate) of_c: Vec<(u64, Vec<u64>)>,
}

/// A stretch of memory that is passed.
pub(crate) struct Extent {
    pub(crate) bytes: u64,
    pub(crate) reads_only: bool,
    pub(crate) pointers: Vec<u64>,
}

/// An allocation that is passed.
#[derive(Debug)]
struct Passed(Snapshot);

impl Contents for Passed {
    fn bytes(&self) -> usize {
        self.0.bytes()
    }

    fn read(&self, offset: usize, out: &mut [u8]) {
        let is_there = self.0.read(offset, out).is_some();
        debug_assert!(is_there, "who reads knows how many bytes there are");
    }

    fn pages(&self) -> Option<(usize, Vec<usize>)> {
        Some((Snapshot::PAGE, self.0.pages()))
    }
}

impl<'a> Pieces<'a> {
    /// What the arguments point to.
    pub(crate) fn of(
        memory: &'a Memory,
        signature: &Signature,
        room: u64,
        locals: LocalExtent<'a>,
    ) -> Result<Pieces<'a>, Halt> {
        let mut out = Pieces { memory, locals, extents: BTreeMap::new(), of_c: Vec::new() };
        out.add_arguments(signature, room)?;
        Ok(out)
    }

    /// Adds what the arguments of a call point to.
    pub(crate) fn add_arguments(&mut self, signature: &Signature, room: u64) -> Result<(), Halt> {
        for (param, &word) in signature.params.iter().zip(&words(self.memory, signature, room)?) {
            match param {
                CParam::Reference { reads_only, element, .. } => {
                    match self.add(word, *reads_only) {
                        Some(base) => self.add_pointed(base, word - base, element)?,
                        // How many elements there are is not known.
                        None => self.add_pointed_of_c(word, &element.1),
                    }
                }
                CParam::Descriptor { element } => {
                    self.add(word, false);
                    self.add_described(word, element)?;
                }
                CParam::Value(CValue::Scalar(CScalar::Pointer)) => {
                    self.add(word, false);
                }
                CParam::Value(value) => {
                    for at in value.pointers() {
                        let bytes = peek(self.memory, word + at, 8)?;
                        self.add(word_of(&bytes), false);
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds what is at an address, if that is memory of the host, and gives its first address.
    pub(crate) fn add(&mut self, address: u64, reads_only: bool) -> Option<u64> {
        let (base, bytes) = extent_at(self.memory, self.locals, address)?;
        let new = Extent { bytes, reads_only, pointers: Vec::new() };
        let piece = self.extents.entry(base).or_insert(new);
        piece.reads_only &= reads_only;
        Some(base)
    }

    /// Adds what earlier calls were given, as far as the program still has it.
    pub(crate) fn add_kept(&mut self, kept: &BTreeMap<u64, u64>) {
        for (&base, &bytes) in kept {
            if extent_at(self.memory, self.locals, base) == Some((base, bytes)) {
                self.add(base, false);
            }
        }
    }

    /// Adds what pointers at those places point to, as far as the program still has them.
    pub(crate) fn add_pointers(&mut self, pointers: &BTreeMap<u64, (u64, BTreeSet<u64>)>) -> Result<(), Halt> {
        for (&base, (bytes, offsets)) in pointers {
            if extent_at(self.memory, self.locals, base) != Some((base, *bytes)) {
                continue;
            }
            self.add(base, false);
            for &at in offsets {
                self.add(word_of(&peek(self.memory, base + at, 8)?), false);
                if let Some(piece) = self.extents.get_mut(&base).filter(|piece| !piece.pointers.contains(&at)) {
                    piece.pointers.push(at);
                }
            }
        }
        Ok(())
    }

    /// Whether a word of memory of C is an address of the program.
    fn has_address(&self, place: u64) -> bool {
        let mut word = [0; 8];
        let word = self.memory.peek(place, &mut word).map(|()| u64::from_le_bytes(word));
        word.is_some_and(|word| word >> 40 == ENTRIES >> 40 || extent_at(self.memory, self.locals, word).is_some())
    }

    /// Adds what the pointers among the elements from `first` on point to.
    fn add_pointed(&mut self, base: u64, first: u64, (element, offsets): &(u64, Vec<u64>)) -> Result<(), Halt> {
        let bytes = self.extents.get(&base).map_or(0, |piece| piece.bytes);
        if offsets.is_empty() {
            return Ok(());
        }
        for start in (first..bytes).step_by(*element as usize) {
            for at in offsets.iter().map(|offset| start + offset).filter(|at| at + 8 <= bytes) {
                let word = word_of(&peek(self.memory, base + at, 8)?);
                self.add(word, false);
                if let Some(piece) = self.extents.get_mut(&base) {
                    piece.pointers.push(at);
                }
            }
        }
        Ok(())
    }

    /// Adds what pointers in memory of C point to.
    pub(crate) fn add_pointed_of_c(&mut self, first: u64, pointers: &[u64]) {
        if pointers.is_empty() || Region::of(first) != Some(Region::OfC) {
            return;
        }
        for at in pointers {
            let mut word = [0; 8];
            if self.memory.peek(first + at, &mut word).is_some() {
                self.add(u64::from_le_bytes(word), false);
            }
        }
        self.of_c.push((first, pointers.to_vec()));
    }

    /// Adds the data of a descriptor of C, and what the pointers among them point to.
    fn add_described(&mut self, c: u64, (element, offsets): &(u64, Vec<u64>)) -> Result<(), Halt> {
        if c == 0 {
            return Ok(());
        }
        let head = peek(self.memory, c - layout::IN_FRONT as u64, layout::IN_FRONT as u64 + layout::bytes(0))?;
        let base = self.add(word_of(&head[..8]), false);
        let field = |at: i64, bytes: usize| {
            let first = (layout::IN_FRONT + at) as usize;
            word_of(&head[first..first + bytes])
        };
        let pointers = [Class::DataPointer, Class::ProcedurePointer].map(|class| layout::type_number(class, 0) as u64);
        let has_pointers = !offsets.is_empty() && (*element > 0 || pointers.contains(&field(layout::TYPE, 2)));
        let Some(base) = base.filter(|_| has_pointers) else { return Ok(()) };
        let rank = field(layout::RANK, 1) as u8;
        let mut places = vec![word_of(&head[..8])];
        let bytes = self.extents.get(&base).map_or(0, |piece| piece.bytes);
        let behind_first = bytes.saturating_sub(places[0].wrapping_sub(base));
        for dim in 0..usize::from(rank.min(layout::MOST_DIMENSIONS)) {
            let words = peek(self.memory, c + layout::lower(dim) as u64, 24)?;
            let (extent, stride) = (word_of(&words[8..16]) as i64, word_of(&words[16..]));
            // The extent of an assumed-size array is not known: it reaches as far as the memory.
            let unknown = behind_first.checked_div(stride).unwrap_or(0);
            let steps = 0..u64::try_from(extent).unwrap_or(unknown);
            places = steps.flat_map(|i| places.iter().map(move |at| at.wrapping_add(i.wrapping_mul(stride)))).collect();
        }
        for at in places.iter().flat_map(|place| offsets.iter().map(move |offset| place.wrapping_add(*offset))) {
            let offset = at.wrapping_sub(base);
            if offset.checked_add(8).is_none_or(|end| end > bytes) {
                continue;
            }
            self.add(word_of(&peek(self.memory, at, 8)?), false);
            if let Some(piece) = self.extents.get_mut(&base) {
                piece.pointers.push(offset);
            }
        }
        Ok(())
    }

    /// With what they hold: large allocations share their pages, of others there are copies.
    pub(crate) fn read(self) -> Result<Vec<Piece>, Halt> {
        let mut out = Vec::with_capacity(self.extents.len());
        for (base, piece) in self.extents {
            let is_large = piece.bytes >= Snapshot::PAGE as u64;
            let snapshot = is_large.then(|| self.memory.snapshot(base)).flatten();
            let whole = snapshot.filter(|whole| whole.bytes() as u64 == piece.bytes);
            let contents: Arc<dyn Contents> = match whole {
                Some(whole) => Arc::new(Passed(whole)),
                None => Arc::new(peek(self.memory, base, piece.bytes)?),
            };
            let align = self
                .memory
                .find(base)
                .map(|id| self.memory.info(id))
                .filter(|info| info.base == base)
                .map_or(1, |info| info.align);
            out.push(Piece { base, align, contents, reads_only: piece.reads_only, pointers: piece.pointers });
        }
        Ok(out)
    }
}
