//! The compiled code of functions, kept with their operations.
//!
//! Not here: how it is made and run (`native`).

use super::MemOp;
use ir::FuncId;
use jit::host::HostCode;
use jit::{Class, Entry, NativeCode, PatternKey};
use mem::Strided;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Block shapes that a function is compiled for at most.
const SHAPES: usize = 4;

/// A warp that was interrupted so often is long enough to be compiled before one has ended.
const LONG: u32 = 8;

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
    /// Of host code, its loops.
    pub(crate) host: Arc<OnceLock<Option<HostFunction>>>,
}

/// The compiled loops of a function of the host.
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
    /// How the lanes of each pattern differ, as the first warp found it.
    keys: OnceLock<Vec<PatternKey>>,
    interrupted: AtomicU32,
    function: OnceLock<Option<Arc<NativeFunction>>>,
    /// The code for observers of accesses; the outer level says whether it was made.
    telling: Mutex<Option<Option<Arc<NativeFunction>>>>,
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
    /// Those that are told, by the numbers that the code gives them.
    pub(crate) told: Vec<Told>,
    /// What the code changes of the registers that a frame begins with.
    pub(crate) restored: Vec<Restored>,
}

/// A load or store that compiled code tells an observer of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told {
    pub(crate) pc: u32,
    pub(crate) op: MemOp,
    pub(crate) is_store: bool,
    /// How the addresses of the lanes lie, wherever they begin.
    pub(crate) lanes: Strided<32>,
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
            keys: OnceLock::new(),
            interrupted: 0.into(),
            function: OnceLock::new(),
            telling: Mutex::default(),
        };
        self.shapes.iter().map(|slot| slot.get_or_init(fresh)).find(|shape| shape.block == block)
    }

    /// Notes how the lanes of each pattern differ, once a warp has ended or was interrupted often.
    pub(crate) fn note(&self, block: [u32; 3], has_ended: bool, keys: impl Iterator<Item = PatternKey>) {
        let Some(shape) = self.shape(block).filter(|shape| shape.keys.get().is_none()) else { return };
        let interrupted = shape.interrupted.fetch_add(1, Ordering::Relaxed);
        if has_ended || interrupted >= LONG {
            let _ = shape.keys.set(keys.collect());
        }
    }

    /// The compiled code for a block shape. It is made once it is known how lanes differ.
    pub(crate) fn get(
        &self,
        block: [u32; 3],
        make: impl FnOnce(&[PatternKey]) -> Option<NativeFunction>,
    ) -> Option<Arc<NativeFunction>> {
        let shape = self.shape(block)?;
        let keys = shape.keys.get()?;
        shape.function.get_or_init(|| make(keys).map(Arc::new)).clone()
    }

    /// The compiled code that tells an observer of the loads and stores that it wants. `make` is given those that the code has to
    /// tell: what this observer wants, and what others have wanted before.
    pub(crate) fn get_telling(
        &self,
        block: [u32; 3],
        wants: impl Fn(u32) -> bool,
        make: impl FnOnce(&[PatternKey], &dyn Fn(u32) -> bool) -> Option<NativeFunction>,
    ) -> Option<Arc<NativeFunction>> {
        let shape = self.shape(block)?;
        let keys = shape.keys.get()?;
        let mut kept = shape.telling.lock().unwrap_or_else(PoisonError::into_inner);
        let known: Vec<u32> = match &*kept {
            None => Vec::new(),
            Some(None) => return None,
            Some(Some(native)) if !native.untold.iter().any(|&pc| wants(pc)) => return Some(native.clone()),
            Some(Some(native)) => native.told.iter().map(|told| told.pc).collect(),
        };
        let made = make(keys, &|pc| wants(pc) || known.contains(&pc)).map(Arc::new);
        *kept = Some(made.clone());
        made
    }
}
