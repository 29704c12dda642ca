//! The compiled code of functions, kept with their operations.
//!
//! Not here: how it is made and run (`native`).

use super::MemOp;
use ir::FuncId;
use jit::host::HostCode;
use jit::{Class, Entry, NativeCode, PatternKey};
use mem::Strided;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Block shapes that a function is compiled for at most.
const SHAPES: usize = 4;

/// Code that was left so often where it was entered is looked at.
const MISSES: u32 = 256;

/// So many schedule points that warps have passed by the interpreter are enough to compile what they have come to, before one has
/// ended: that takes the interpreter one or more milliseconds, about as long as a compilation.
const LONG: u64 = 8192;

/// The interpreter notes what it has found out so often on its way through loops, in back edges.
pub(crate) const BACK_EDGES: u32 = 128;

/// So many warps that have ended are enough to go by, even if patterns of addresses have not been seen in all lanes: the first warps
/// may have nothing to do at the edge of an array.
const ENOUGH: u32 = 2;

/// What runs device code. Results do not depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Engine {
    /// The interpreter alone.
    Interpreter,
    /// Machine code where there is some, and the interpreter for the rest. Without AVX2 it is the interpreter alone.
    #[default]
    Native,
}

/// The compiled code of a function, by block shape. Clones of a program share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct NativeCache {
    shapes: Arc<[OnceLock<Shape>; SHAPES]>,
    pub(crate) host: Arc<HostCache>,
}

/// The compiled code of a function of the host.
#[derive(Debug, Default)]
pub(crate) struct HostCache {
    /// Its loops.
    pub(crate) loops: OnceLock<Option<HostFunction>>,
    /// All of it, which replaces that where it is called often.
    pub(crate) whole: OnceLock<Option<HostFunction>>,
    /// How often it has been called, at least.
    calls: AtomicU32,
}

impl HostCache {
    /// Counts a call. Of two that happen at once one may be lost.
    #[inline(always)]
    pub(crate) fn count_call(&self) {
        self.calls.store(self.calls.load(Ordering::Relaxed).saturating_add(1), Ordering::Relaxed);
    }

    /// Calls so far.
    #[inline(always)]
    pub(crate) fn calls(&self) -> u32 {
        self.calls.load(Ordering::Relaxed)
    }

    /// Whether there is compiled code.
    pub(crate) fn is_made(&self) -> bool {
        [&self.loops, &self.whole].into_iter().any(|made| matches!(made.get(), Some(Some(_))))
    }
}

/// The compiled loops of a function of the host, or all of it.
#[derive(Debug)]
pub(crate) struct HostFunction {
    pub(crate) code: HostCode,
    /// Where the code may be entered at each operation.
    pub(crate) entries: Vec<Option<Entry>>,
    /// The loads and stores that are compiled.
    pub(crate) accesses: Vec<u32>,
}

impl HostFunction {
    /// Where the code may be entered at an operation.
    #[inline(always)]
    pub(crate) fn entry(&self, pc: u32) -> Option<Entry> {
        self.entries.get(pc as usize).copied().flatten()
    }
}

#[derive(Debug)]
struct Shape {
    block: [u32; 3],
    /// Schedule points that warps have passed by the interpreter.
    points: AtomicU64,
    /// Whether there is something to go by: how lanes differ is known, or where warps have come to by now.
    is_begun: AtomicBool,
    /// Whether it is known how lanes differ.
    is_known: AtomicBool,
    /// Whether the function cannot be compiled.
    is_refused: AtomicBool,
    made: Mutex<Made>,
}

/// What was made for a block shape.
#[derive(Debug, Default)]
struct Made {
    /// How the lanes of each pattern differ, as the first warps found it, and then as others did.
    keys: Vec<PatternKey>,
    /// The most lanes that each pattern was seen in, and the warps that have ended.
    lanes: Vec<u32>,
    ended: u32,
    function: Option<Arc<NativeFunction>>,
    /// The code for observers of accesses, and that for those who want values; the outer level says whether it was made.
    telling: [Option<Option<Arc<NativeFunction>>>; 2],
}

/// The compiled code of a function for a block shape.
#[derive(Debug)]
pub(crate) struct NativeFunction {
    pub(crate) func: FuncId,
    pub(crate) block: [u32; 3],
    pub(crate) code: NativeCode,
    /// Where the code may be entered at each operation, by all lanes or by some.
    pub(crate) entries: Vec<[Option<Entry>; 2]>,
    /// The loads and stores that are compiled and not told to an observer.
    pub(crate) untold: Vec<u32>,
    /// Whether it does atomics, of which it tells nobody.
    pub(crate) has_atomics: bool,
    /// Those that are told, by the numbers that the code gives them.
    pub(crate) told: Vec<Told>,
    /// Whether it leaves them to the interpreter.
    pub(crate) calls: bool,
    /// What the code changes of the registers that a frame begins with.
    pub(crate) restored: Vec<Restored>,
    /// How the lanes of each pattern differ in the code; nothing of those that no warp had come to.
    pub(crate) keys: Vec<Option<PatternKey>>,
    /// How the warps of the block follow one another.
    pub(crate) line: Line,
    /// How often it was left where it was entered.
    pub(crate) misses: AtomicU32,
    /// Whether other code has been made since.
    pub(crate) is_stale: AtomicBool,
    /// Whether it was made before a warp had ended: of accesses that none has come to it has nothing.
    pub(crate) is_early: AtomicBool,
}

/// Warps of a block shape each of which differs from the one before in one thread index alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Line {
    /// Which index, and by how much.
    pub(crate) row: usize,
    pub(crate) step: u32,
    /// How many there are in a line, the first of the block first.
    warps: u32,
    /// Whether the block has nothing but such lines.
    is_all: bool,
}

impl Line {
    /// The lines of a block shape.
    pub(crate) fn of([x, y, z]: [u32; 3]) -> Line {
        match x {
            0 => Line::default(),
            // A warp has whole rows: those of a plane.
            _ if 32 % x == 0 && y.is_multiple_of(32 / x) => {
                Line { row: 1, step: 32 / x, warps: y / (32 / x), is_all: y > 0 && z > 0 }
            }
            // A row has whole warps, the first one at least.
            _ => Line { row: 0, step: 32, warps: x / 32, is_all: x.is_multiple_of(32) },
        }
    }

    /// How many warps follow that of a number in its line.
    pub(crate) fn behind(&self, number: u32) -> u32 {
        // Most blocks have one line, and a remainder takes long.
        let at = match number < self.warps {
            true => number,
            false if self.is_all && self.warps > 0 => number % self.warps,
            false => return 0,
        };
        self.warps - 1 - at
    }

    /// Whether every warp of the block is in such a line.
    pub(crate) fn is_all(&self) -> bool {
        self.is_all
    }

    /// Whether these are all warps of a block of so many.
    pub(crate) fn has_all(&self, warps: u32) -> bool {
        self.is_all && self.warps == warps
    }
}

/// A load or store that compiled code tells an observer of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told {
    pub(crate) pc: u32,
    pub(crate) op: MemOp,
    pub(crate) is_store: bool,
    /// How the addresses of the lanes lie, wherever they begin; `None` if that is not known before.
    pub(crate) lanes: Option<Strided<32>>,
}

/// A register that has a value when a frame begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Restored {
    pub(crate) class: Class,
    /// Its place in the file of that class.
    pub(crate) slot: u32,
    /// The parameter that it is; none is zero.
    pub(crate) param: Option<usize>,
}

impl NativeFunction {
    /// Whether it is the code of a function for a block shape, and no other was made since.
    #[inline(always)]
    pub(crate) fn is_of(&self, func: FuncId, block: [u32; 3]) -> bool {
        self.func == func && self.block == block && !self.is_stale.load(Ordering::Relaxed)
    }

    /// Whether it was made before a warp had ended.
    #[inline(always)]
    pub(crate) fn is_early(&self) -> bool {
        self.is_early.load(Ordering::Relaxed)
    }

    /// How the lanes of a pattern differ in the code.
    #[inline(always)]
    pub(crate) fn key(&self, pattern: u32) -> PatternKey {
        self.keys.get(pattern as usize).copied().flatten().unwrap_or(PatternKey::IRREGULAR)
    }

    /// Notes that it was left where it was entered; whether that has happened often.
    pub(crate) fn miss(&self) -> bool {
        self.misses.fetch_add(1, Ordering::Relaxed) + 1 == MISSES
    }

    /// Where the code may be entered at an operation.
    #[inline(always)]
    pub(crate) fn entry(&self, pc: u32, is_full: bool) -> Option<Entry> {
        self.entries.get(pc as usize).and_then(|of| of[usize::from(!is_full)])
    }
}

impl NativeCache {
    fn shape(&self, block: [u32; 3]) -> Option<&Shape> {
        let fresh = || Shape {
            block,
            points: 0.into(),
            is_begun: false.into(),
            is_known: false.into(),
            is_refused: false.into(),
            made: Mutex::default(),
        };
        self.shapes.iter().map(|slot| slot.get_or_init(fresh)).find(|shape| shape.block == block)
    }

    /// Notes how the lanes of each pattern differ, with their number, when a warp has ended, and from time to time where warps go on for
    /// long; `points` have passed by the interpreter since it was last told. Whether there is now more to go by than before.
    pub(crate) fn note(
        &self,
        block: [u32; 3],
        has_ended: bool,
        points: u64,
        seen: impl Iterator<Item = (u32, PatternKey)>,
    ) -> bool {
        let shape = self.shape(block).filter(|shape| !shape.is_known.load(Ordering::Relaxed));
        let Some(shape) = shape else { return false };
        let before = shape.points.fetch_add(points, Ordering::Relaxed);
        let passed = before + points;
        if !has_ended && passed / LONG == before / LONG {
            return false;
        }
        let mut made = shape.made();
        if shape.is_known.load(Ordering::Relaxed) {
            return false;
        }
        made.ended += u32::from(has_ended);
        let Added { all_whole, has_new } = made.add(seen);
        let is_known = has_ended && (all_whole || made.ended >= ENOUGH);
        let is_new = has_new || !shape.is_begun.load(Ordering::Relaxed);
        let has_more = is_known || is_new && passed >= LONG;
        if has_more {
            // What was made of less is made anew, unless it is what would be made.
            match made.function.as_ref().filter(|function| function.keys == made.keys(!is_known)) {
                Some(function) => function.is_early.store(!is_known, Ordering::Relaxed),
                None => made.drop_function(),
            }
            shape.is_refused.store(false, Ordering::Relaxed);
            shape.is_known.store(is_known, Ordering::Relaxed);
            shape.is_begun.store(true, Ordering::Release);
        }
        has_more
    }

    /// The compiled code for a block shape. It is made once it is known how lanes differ, or, as far as warps have come, once they have
    /// gone on for long: of patterns that were not seen yet `make` is given nothing.
    pub(crate) fn get(
        &self,
        block: [u32; 3],
        make: impl FnOnce(&[Option<PatternKey>]) -> Option<NativeFunction>,
    ) -> Option<Arc<NativeFunction>> {
        let shape = self.shape(block)?;
        if !shape.is_begun.load(Ordering::Acquire) || shape.is_refused.load(Ordering::Relaxed) {
            return None;
        }
        let mut made = shape.made();
        if made.function.is_none() {
            let is_early = !shape.is_known.load(Ordering::Relaxed);
            made.function =
                make(&made.keys(is_early)).map(|of| Arc::new(NativeFunction { is_early: is_early.into(), ..of }));
            shape.is_refused.store(made.function.is_none(), Ordering::Relaxed);
        }
        made.function.clone()
    }

    /// The compiled code that tells an observer of the loads and stores that it wants, or has the interpreter do these if it takes
    /// values. `make` is given those that the code has to tell: what this observer wants, and what others have wanted before.
    pub(crate) fn get_telling(
        &self,
        block: [u32; 3],
        takes_values: bool,
        wants: impl Fn(u32) -> bool,
        make: impl FnOnce(&[Option<PatternKey>], &dyn Fn(u32) -> bool) -> Option<NativeFunction>,
    ) -> Option<Arc<NativeFunction>> {
        let shape = self.shape(block).filter(|shape| shape.is_known.load(Ordering::Acquire))?;
        let mut made = shape.made();
        let known: Vec<u32> = match &made.telling[usize::from(takes_values)] {
            None => Vec::new(),
            Some(None) => return None,
            Some(Some(native)) if !native.untold.iter().any(|&pc| wants(pc)) => return Some(native.clone()),
            Some(Some(native)) => native.told.iter().map(|told| told.pc).collect(),
        };
        let telling = make(&made.keys(false), &|pc| wants(pc) || known.contains(&pc)).map(Arc::new);
        made.telling[usize::from(takes_values)] = Some(telling.clone());
        telling
    }

    /// Warps have found lanes that differ in other ways than those that code was made for: it is made anew, and takes them as they
    /// are. `now` has how they differ, where it is known.
    pub(crate) fn reconsider(&self, native: &NativeFunction, now: impl Iterator<Item = Option<PatternKey>>) {
        let Some(shape) = self.shape(native.block) else { return };
        let mut made = shape.made();
        let mut has_changed = false;
        for (key, now) in made.keys.iter_mut().zip(now) {
            if now.is_some_and(|now| now != *key) && *key != PatternKey::IRREGULAR {
                *key = PatternKey::IRREGULAR;
                has_changed = true;
            }
        }
        if has_changed {
            made.drop_function();
        }
        native.misses.store(0, Ordering::Relaxed);
    }
}

/// What a warp has added to what is known of patterns.
struct Added {
    /// Whether all patterns have been seen in all lanes.
    all_whole: bool,
    /// Whether one has been seen for the first time.
    has_new: bool,
}

impl Made {
    /// Takes the patterns over that were seen in more lanes than before.
    fn add(&mut self, seen: impl Iterator<Item = (u32, PatternKey)>) -> Added {
        let mut added = Added { all_whole: true, has_new: false };
        for (i, (lanes, key)) in seen.enumerate() {
            if i == self.keys.len() {
                self.keys.push(PatternKey::IRREGULAR);
                self.lanes.push(0);
            }
            if lanes > self.lanes[i] {
                added.has_new |= self.lanes[i] == 0;
                (self.keys[i], self.lanes[i]) = (key, lanes);
            }
            added.all_whole &= self.lanes[i] == u32::BITS;
        }
        added
    }

    /// How the lanes of each pattern differ. In early code a pattern that was not seen is left out; later it is irregular.
    fn keys(&self, is_early: bool) -> Vec<Option<PatternKey>> {
        let seen = self.keys.iter().zip(&self.lanes);
        seen.map(|(&key, &lanes)| (lanes > 0 || !is_early).then_some(key)).collect()
    }

    /// Drops what was made: who has it finds out that it is stale.
    fn drop_function(&mut self) {
        for old in self.function.take().into_iter().chain(self.telling.iter_mut().filter_map(|of| of.take().flatten()))
        {
            old.is_stale.store(true, Ordering::Relaxed);
        }
    }
}

impl Shape {
    fn made(&self) -> MutexGuard<'_, Made> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
