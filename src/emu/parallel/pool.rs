//! The threads that run blocks, and what they share.

use crate::block::Block;
use crate::schedule::{make_block, mix};
use device::KernelLaunch;
use mem::WriteBuffer;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use vm::{Arg, Program};

/// The threads of a device and of its clones. They start with the first launch that is worth them.
#[derive(Clone, Debug)]
pub(crate) struct Pool {
    jobs: usize,
    /// Whether this process has lost the threads.
    is_lost: fn() -> bool,
    threads: Arc<OnceLock<Option<rayon::ThreadPool>>>,
    /// Write buffers that are free for reuse.
    buffers: Arc<Stack<WriteBuffer>>,
}

impl Pool {
    /// So many threads, none of which has started. A process that `is_lost` knows has none.
    pub(crate) fn new(jobs: usize, is_lost: fn() -> bool) -> Pool {
        Pool { jobs, is_lost, threads: Arc::default(), buffers: Arc::default() }
    }

    /// Write buffers that are free for reuse.
    pub(crate) fn buffers(&self) -> &Stack<WriteBuffer> {
        &self.buffers
    }

    /// How many threads there are.
    pub(crate) fn jobs(&self) -> usize {
        if (self.is_lost)() { 1 } else { self.jobs }
    }

    /// The threads; `None` if the system gives none: then blocks run one after another, with the same result.
    pub(crate) fn threads(&self) -> Option<&rayon::ThreadPool> {
        if (self.is_lost)() {
            return None;
        }
        let builder = || rayon::ThreadPoolBuilder::new().num_threads(self.jobs).thread_name(|i| format!("blocks-{i}"));
        self.threads.get_or_init(|| builder().build().ok()).as_ref()
    }
}

/// The threads, for what else runs side by side.
#[derive(Clone, Debug)]
pub struct Threads(pub(crate) Pool);

impl Threads {
    /// The threads; `None` if there is one only, or the system gives none.
    pub fn get(&self) -> Option<&rayon::ThreadPool> {
        if self.0.jobs() > 1 { self.0.threads() } else { None }
    }
}

/// A collection that threads take from and add to; the order does not matter to them.
#[derive(Debug)]
pub(crate) struct Stack<T>(Mutex<Vec<T>>);

impl<T> Stack<T> {
    pub(crate) fn push(&self, item: T) {
        self.items().push(item);
    }

    pub(crate) fn pop(&self) -> Option<T> {
        self.items().pop()
    }

    /// Removes all items.
    pub(crate) fn take_all(&self) -> Vec<T> {
        std::mem::take(&mut *self.items())
    }

    fn items(&self) -> MutexGuard<'_, Vec<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Default for Stack<T> {
    fn default() -> Stack<T> {
        Stack(Mutex::default())
    }
}

impl<T: Clone> Clone for Stack<T> {
    fn clone(&self) -> Stack<T> {
        Stack(Mutex::new(self.items().clone()))
    }
}

/// Makes the blocks of a launch for the threads that run them.
#[derive(Clone, Copy)]
pub(crate) struct BlockSource<'a> {
    pub(crate) program: &'a Program,
    pub(crate) launch: &'a KernelLaunch,
    pub(crate) args: &'a Arc<[Arg]>,
    pub(crate) seed: u64,
    /// Not 0: wait before each block for a time that depends on this number.
    pub(crate) jitter: u64,
    /// Finished blocks that are free for reuse.
    pub(crate) spare: &'a Stack<Block>,
}

impl BlockSource<'_> {
    /// The block that the launch runs at `position`; a lazy one is run at once, by hooks that want no values. It takes the place of
    /// `finished`, if there is one at hand: then threads do not wait for each other.
    pub(crate) fn make(&self, position: u64, is_lazy: bool, finished: Option<Block>) -> Block {
        if self.jitter != 0 {
            (0..mix(self.jitter ^ (position + 1)) % 4096).for_each(|_| std::hint::spin_loop());
        }
        let spare = finished.or_else(|| self.spare.pop());
        make_block(self.program, self.launch, self.args, (self.seed, position), spare, is_lazy)
    }

    /// Whether blocks may follow one another in the place of one ([`Block::lead`]).
    pub(crate) fn is_natural(&self) -> bool {
        self.seed == 0 && self.jitter == 0
    }

    /// Takes back a finished block.
    pub(crate) fn recycle(&self, block: Block) {
        self.spare.push(block);
    }
}
