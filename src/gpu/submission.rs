//! Launches and events are put on streams by a thread of their own, in the order in which the program gave them: while the driver
//! takes one, the host makes the next, so that neither waits for the other.
//!
//! The thread puts an event on its stream together with what comes right behind it: an event that a GPU takes at once would be
//! earlier than the launch by the time that the host needs to make that, and the time between two events would be longer than in a
//! compiled program. An event that nothing follows waits for a few microseconds ([`MOST_HELD`]), or until somebody waits for it.
//!
//! The thread looks for work for a while ([`MOST_LOOKS`]) after the last piece and then sleeps. Work that comes while it sleeps is done by
//! the thread that brings it, because waking another takes longer. [`Submission::flush`] comes before every other call of the
//! driver that depends on what was put on streams.
//!
//! Not here: which work that is (`flight`, `gpu_device`).

use crate::driver::{Context, Event, Kernel, Stream};
use crate::error::DriverError;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// How often the thread looks for more work before it sleeps: for less than a millisecond or so.
const MOST_LOOKS: u32 = 1 << 14;
/// How often the thread looks for what follows an event before it puts that on its stream.
const MOST_HELD: u32 = 256;
/// How often those who wait for it look before they give way to other threads.
const LOOKS: u32 = 64;
/// Pieces of work that may wait.
const MOST_WAITING: usize = 1024;

/// A piece of work.
#[derive(Debug)]
pub(crate) enum Work {
    /// A launch; the last is its parameter memory.
    Launch { kernel: Arc<Kernel>, stream: Stream, shape: Shape, params: Vec<u8> },
    /// An event, after what is on the stream.
    Record { event: Arc<Event>, stream: Stream },
    /// What comes on the stream waits for the event.
    Wait { context: Arc<Context>, stream: Stream, event: Arc<Event> },
}

/// The shape of a launch as the driver takes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared_bytes: u32,
    pub(crate) cooperative: bool,
}

impl Work {
    fn stream(&self) -> &Stream {
        match self {
            Work::Launch { stream, .. } | Work::Record { stream, .. } | Work::Wait { stream, .. } => stream,
        }
    }

    fn context(&self) -> &Context {
        match self {
            Work::Launch { kernel, .. } => kernel.context(),
            Work::Record { event, .. } => event.context(),
            Work::Wait { context, .. } => context,
        }
    }

    /// Does another piece and then this one in this thread. What a launch needs is fetched before the other piece is given to the
    /// driver, so that it follows at once.
    fn run_behind(&self, first: &Work) -> [Result<(), DriverError>; 2] {
        match self {
            Work::Launch { kernel, stream, shape, params } => {
                let ready = kernel.prepare(params, shape.shared_bytes);
                let done = first.run();
                [done, ready.and_then(|launch| launch.launch(stream, shape.grid, shape.block, shape.cooperative))]
            }
            _ => [first.run(), self.run()],
        }
    }

    /// Does it in this thread.
    pub(crate) fn run(&self) -> Result<(), DriverError> {
        match self {
            Work::Launch { kernel, stream, shape, params } => {
                kernel.prepare(params, shape.shared_bytes)?.launch(stream, shape.grid, shape.block, shape.cooperative)
            }
            Work::Record { event, stream } => event.record(stream),
            Work::Wait { context, stream, event } => context.wait_for_event(stream, event),
        }
    }
}

/// What the thread and those who give it work share.
#[derive(Debug, Default)]
struct Shared {
    /// Whether the thread looks for work.
    is_awake: AtomicBool,
    /// Pieces that are done.
    done: AtomicU64,
    /// Whether somebody waits until all is done.
    is_awaited: AtomicBool,
    /// The first error of each context since its last flush, by the context's number.
    errors: Mutex<BTreeMap<u64, DriverError>>,
}

/// The thread, as those see it who give it work.
#[derive(Debug)]
struct Worker {
    queue: SyncSender<Work>,
    thread: JoinHandle<()>,
}

/// The way of work to the driver.
#[derive(Debug, Default)]
pub(crate) struct Submission {
    shared: Arc<Shared>,
    worker: Option<Worker>,
    /// Pieces that were given to the thread.
    given: u64,
    /// Whether a thread of its own cannot be had.
    is_alone: bool,
}

impl Submission {
    /// Takes a piece of work. An error is that of this piece if it is done at once; others come from [`Submission::flush`].
    pub(crate) fn put(&mut self, work: Work) -> Result<(), DriverError> {
        // The driver knows the stream of a thread by who asks.
        if matches!(work.stream(), Stream::PerThread) {
            self.drain();
            return work.run();
        }
        let is_awake = self.shared.is_awake.load(Ordering::SeqCst);
        if !is_awake && self.is_flushed() {
            let result = work.run();
            self.wake();
            return result;
        }
        match &self.worker {
            Some(worker) => {
                self.given += 1;
                if let Err(refused) = worker.queue.send(work) {
                    self.given -= 1;
                    return refused.0.run();
                }
                // The thread may have gone to sleep between the look at it and the work.
                fence(Ordering::SeqCst);
                if !self.shared.is_awake.load(Ordering::SeqCst) {
                    worker.thread.thread().unpark();
                }
                Ok(())
            }
            None => work.run(),
        }
    }

    /// Waits until all work is on its streams. The error is that of work of the context since the last call.
    pub(crate) fn flush(&mut self, context: &Context) -> Result<(), DriverError> {
        self.drain();
        if !self.is_flushed() {
            // The thread has ended by a panic.
            self.worker = None;
            self.is_alone = true;
            self.given = self.shared.done.load(Ordering::SeqCst);
            return Err(DriverError::Invalid("thread for launches"));
        }
        let mut errors = self.shared.errors.lock().unwrap_or_else(PoisonError::into_inner);
        errors.remove(&context.number()).map_or(Ok(()), Err)
    }

    /// The same; an error stays for the next flush.
    pub(crate) fn drain(&self) {
        if self.is_flushed() {
            return;
        }
        self.shared.is_awaited.store(true, Ordering::SeqCst);
        let mut looks = 0u32;
        while !self.is_flushed() {
            looks += 1;
            match &self.worker {
                Some(worker) if looks.is_multiple_of(LOOKS) => {
                    if worker.thread.is_finished() {
                        break;
                    }
                    worker.thread.thread().unpark();
                    std::thread::yield_now();
                }
                Some(_) => std::hint::spin_loop(),
                None => break,
            }
        }
        self.shared.is_awaited.store(false, Ordering::SeqCst);
    }

    fn is_flushed(&self) -> bool {
        self.shared.done.load(Ordering::SeqCst) == self.given
    }

    /// Wakes the thread, or starts it, where there is a processor for it.
    fn wake(&mut self) {
        if let Some(worker) = &self.worker {
            worker.thread.thread().unpark();
            return;
        }
        if self.is_alone || std::thread::available_parallelism().map_or(1, usize::from) < 2 {
            self.is_alone = true;
            return;
        }
        let (queue, work) = sync_channel(MOST_WAITING);
        let shared = self.shared.clone();
        let builder = std::thread::Builder::new().name("submission".to_owned());
        // Without a thread all work is done at once.
        self.worker = builder.spawn(move || shared.serve(&work)).ok().map(|thread| Worker { queue, thread });
        self.is_alone = self.worker.is_none();
    }
}

impl Drop for Submission {
    fn drop(&mut self) {
        if let Some(Worker { queue, thread }) = self.worker.take() {
            drop(queue);
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

impl Shared {
    /// Does all work that comes, until there is nobody to give any.
    fn serve(&self, work: &Receiver<Work>) {
        loop {
            self.is_awake.store(true, Ordering::SeqCst);
            if !self.serve_awake(work) {
                return;
            }
            self.is_awake.store(false, Ordering::SeqCst);
            fence(Ordering::SeqCst);
            match work.try_recv() {
                Ok(piece) => self.do_piece(&piece),
                Err(TryRecvError::Empty) => std::thread::park(),
                Err(TryRecvError::Disconnected) => return,
            }
        }
    }

    /// Does what comes until nothing has come for a while; `false` if nothing will.
    fn serve_awake(&self, work: &Receiver<Work>) -> bool {
        let mut looks = 0;
        while looks < MOST_LOOKS {
            match work.try_recv() {
                Ok(piece) => {
                    self.do_with_next(work, piece);
                    looks = 0;
                }
                Err(TryRecvError::Empty) => {
                    std::hint::spin_loop();
                    looks += 1;
                }
                Err(TryRecvError::Disconnected) => return false,
            }
        }
        true
    }

    /// Does a piece. An event waits for what follows it, for a while.
    fn do_with_next(&self, work: &Receiver<Work>, mut piece: Work) {
        let mut looks = 0;
        while matches!(piece, Work::Record { .. }) && looks < MOST_HELD && !self.is_awaited.load(Ordering::SeqCst) {
            match work.try_recv() {
                Ok(next) if matches!(next, Work::Record { .. }) => {
                    self.do_piece(&std::mem::replace(&mut piece, next));
                    looks = 0;
                }
                Ok(next) => {
                    let [first, second] = next.run_behind(&piece);
                    self.note_done(&piece, first);
                    self.note_done(&next, second);
                    return;
                }
                Err(_) => {
                    std::hint::spin_loop();
                    looks += 1;
                }
            }
        }
        self.do_piece(&piece);
    }

    fn do_piece(&self, piece: &Work) {
        self.note_done(piece, piece.run());
    }

    fn note_done(&self, piece: &Work, result: Result<(), DriverError>) {
        if let Err(error) = result {
            let mut errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
            errors.entry(piece.context().number()).or_insert(error);
        }
        self.done.fetch_add(1, Ordering::SeqCst);
    }
}
