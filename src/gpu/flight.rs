//! What a GPU was given and has perhaps not finished: the streams and events of the program, and copies between page-locked memory of
//! the program and the GPU that run while the host goes on.
//!
//! The program's page-locked memory is in [`mem::Memory`], which no GPU can reach. So such a copy goes through a buffer that the
//! driver can: bytes for the GPU are in it before the copy is put on its stream, and bytes from the GPU *land* in the program's
//! memory once the host has waited for them. A program that touches the memory earlier has a race.
//!
//! The GPUs of one program share it: any of them may wait for a stream or an event of another.
//!
//! Not here: which commands go this way, and when the host waits (`gpu_device`).

use crate::driver::{Context, Event, PageLocked, Stream};
use crate::error::DriverError;
use crate::submission::{Submission, Work};
use mem::Memory;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Bytes of a buffer at most; a longer copy takes several.
const PIECE: u64 = 16 << 20;
/// Bytes of all buffers together, before a copy waits for the oldest.
const MOST_BYTES: usize = 256 << 20;
/// Handles of the program for streams that are always there (CUDA Runtime API, `cudaStreamLegacy`, `cudaStreamPerThread`).
const LEGACY: u64 = 1;
const PER_THREAD: u64 = 2;

/// A buffer and the event after which it is free.
#[derive(Debug)]
struct InUse {
    buffer: PageLocked,
    done: Event,
    /// Where its bytes land, and how many: for a copy from the GPU.
    lands: Option<(u64, u64)>,
}

/// Streams, events and copies in flight.
#[derive(Debug, Default)]
pub(crate) struct Flight {
    /// Ends before what it uses.
    submission: Submission,
    streams: BTreeMap<u64, Stream>,
    /// Streams whose handle is gone, and whose work may not be done.
    gone: Vec<Stream>,
    /// Whether anything was put on the stream of this thread.
    uses_per_thread: bool,
    events: BTreeMap<u64, Arc<Event>>,
    /// In the order in which they were begun.
    copies: VecDeque<InUse>,
    spare: Vec<(PageLocked, Event)>,
}

impl Flight {
    /// The stream that the program means.
    pub(crate) fn stream(&mut self, number: u64) -> Stream {
        match number {
            0 | LEGACY => Stream::Default,
            PER_THREAD => {
                self.uses_per_thread = true;
                Stream::PerThread
            }
            _ => self.streams.get(&number).cloned().unwrap_or_default(),
        }
    }

    /// Every stream of a GPU that work may be on.
    pub(crate) fn all_streams(&self, context: &Arc<Context>) -> Vec<Stream> {
        let made = self.streams.values().chain(&self.gone).filter(|s| is_in(s, context));
        let per_thread = self.uses_per_thread.then_some(Stream::PerThread);
        [Stream::Default].into_iter().chain(per_thread).chain(made.cloned()).collect()
    }

    /// All work of a GPU is done.
    pub(crate) fn all_is_done(&mut self, context: &Arc<Context>) {
        self.gone.retain(|s| !is_in(s, context));
    }

    /// The program has made a stream.
    pub(crate) fn make_stream(
        &mut self,
        context: &Arc<Context>,
        number: u64,
        blocking: bool,
        priority: i32,
    ) -> Result<(), DriverError> {
        self.streams.insert(number, Stream::new(context, blocking, priority)?);
        Ok(())
    }

    /// The program is done with a stream; its work goes on.
    pub(crate) fn drop_stream(&mut self, number: u64) {
        self.gone.extend(self.streams.remove(&number));
    }

    /// The program is done with an event.
    pub(crate) fn drop_event(&mut self, event: u64) {
        self.events.remove(&event);
    }

    /// Records an event after what is on the stream.
    pub(crate) fn record(&mut self, context: &Arc<Context>, event: u64, stream: u64) -> Result<(), DriverError> {
        let stream = self.stream(stream);
        let event = match self.events.get(&event) {
            Some(event) => event.clone(),
            None => {
                let new = Arc::new(Event::new(stream.context().unwrap_or(context))?);
                self.events.insert(event, new.clone());
                new
            }
        };
        self.put(Work::Record { event, stream })
    }

    /// Takes work for a stream.
    pub(crate) fn put(&mut self, work: Work) -> Result<(), DriverError> {
        self.submission.put(work)
    }

    /// Waits until all work is on its stream, for the driver to be asked about it.
    pub(crate) fn flush(&mut self, context: &Context) -> Result<(), DriverError> {
        self.submission.flush(context)
    }

    /// The same; an error stays for the next flush.
    pub(crate) fn drain(&self) {
        self.submission.drain();
    }

    /// What is put on the stream from now on comes after the event, if that was recorded.
    pub(crate) fn wait_for_event(
        &mut self,
        context: &Arc<Context>,
        stream: u64,
        event: u64,
    ) -> Result<(), DriverError> {
        let Some(event) = self.events.get(&event).cloned() else { return Ok(()) };
        let stream = self.stream(stream);
        self.put(Work::Wait { context: context.clone(), stream, event })
    }

    /// Whether an event has happened; one that was not recorded here has.
    pub(crate) fn is_event_done(&self, event: u64) -> Result<bool, DriverError> {
        self.events.get(&event).map_or(Ok(true), |event| event.is_done())
    }

    /// Milliseconds between two events that have happened; `None` if one was not recorded here.
    pub(crate) fn milliseconds(&self, start: u64, end: u64) -> Option<f32> {
        self.events.get(&end)?.elapsed_since(self.events.get(&start)?).ok()
    }

    /// Whether bytes are on their way that land in this range.
    pub(crate) fn is_landing_in(&self, address: u64, bytes: u64) -> bool {
        let range = address..address.saturating_add(bytes);
        self.copies.iter().filter_map(|c| c.lands).any(|(at, n)| at < range.end && range.start < at.saturating_add(n))
    }

    /// Whether bytes are on their way to the program's memory.
    pub(crate) fn is_landing(&self) -> bool {
        self.copies.iter().any(|c| c.lands.is_some())
    }

    /// Puts a copy to the GPU on a stream. `None` if the range is not in the program's memory.
    pub(crate) fn copy_in(
        &mut self,
        context: &Arc<Context>,
        stream: u64,
        memory: &mut Memory,
        (to, from, bytes): (u64, u64, u64),
    ) -> Result<Option<()>, DriverError> {
        let stream = self.stream(stream);
        for (at, n) in pieces(bytes) {
            let (mut buffer, done) = self.buffer(context, n, memory)?;
            if memory.read(from + at, &mut buffer.bytes_mut()[..n as usize]).is_none() {
                self.spare.push((buffer, done));
                return Ok(None);
            }
            buffer.copy_to(&stream, to + at, n as usize)?;
            done.record(&stream)?;
            self.copies.push_back(InUse { buffer, done, lands: None });
        }
        Ok(Some(()))
    }

    /// Puts a copy from the GPU on a stream; its bytes land later.
    pub(crate) fn copy_out(
        &mut self,
        context: &Arc<Context>,
        stream: u64,
        memory: &mut Memory,
        (to, from, bytes): (u64, u64, u64),
    ) -> Result<(), DriverError> {
        let stream = self.stream(stream);
        for (at, n) in pieces(bytes) {
            let (buffer, done) = self.buffer(context, n, memory)?;
            buffer.copy_from(&stream, from + at, n as usize)?;
            done.record(&stream)?;
            self.copies.push_back(InUse { buffer, done, lands: Some((to + at, n)) });
        }
        Ok(())
    }

    /// Takes back the buffers of copies that are done; their bytes land, in the order of the copies. `None` if memory of the
    /// program is gone.
    pub(crate) fn land(&mut self, memory: &mut Memory) -> Result<Option<()>, DriverError> {
        let mut landed = Some(());
        let mut still = VecDeque::new();
        for copy in std::mem::take(&mut self.copies) {
            if !copy.done.is_done()? {
                still.push_back(copy);
                continue;
            }
            if let Some((address, bytes)) = copy.lands
                && memory.write(address, &copy.buffer.bytes()[..bytes as usize]).is_none()
            {
                landed = None;
            }
            self.spare.push((copy.buffer, copy.done));
        }
        self.copies = still;
        Ok(landed)
    }

    /// A buffer of at least so many bytes with its event.
    fn buffer(
        &mut self,
        context: &Arc<Context>,
        bytes: u64,
        memory: &mut Memory,
    ) -> Result<(PageLocked, Event), DriverError> {
        let used: usize = self.copies.iter().map(|c| c.buffer.len()).sum();
        if used >= MOST_BYTES {
            while self.copies.front().is_some_and(|c| matches!(c.done.is_done(), Ok(false))) {
                std::thread::yield_now();
            }
            self.land(memory)?;
        }
        // The smallest that is large enough; what is much larger stays for those that need it.
        let wanted = usize::try_from(bytes).unwrap_or(usize::MAX).next_power_of_two().max(4096);
        let fits = |(buffer, done): &(PageLocked, Event)| {
            done.is_of(context) && buffer.len() >= wanted && buffer.len() / 4 <= wanted
        };
        match self.spare.iter().position(fits) {
            Some(at) => Ok(self.spare.swap_remove(at)),
            None => Ok((PageLocked::new(context, wanted)?, Event::new(context)?)),
        }
    }
}

fn is_in(stream: &Stream, context: &Arc<Context>) -> bool {
    stream.context().is_some_and(|own| Arc::ptr_eq(own, context))
}

/// Offsets and sizes of the pieces of a copy.
fn pieces(bytes: u64) -> impl Iterator<Item = (u64, u64)> {
    (0..bytes.div_ceil(PIECE)).map(move |i| (i * PIECE, (bytes - i * PIECE).min(PIECE)))
}

#[cfg(test)]
mod tests {
    use super::{PIECE, pieces};

    #[test]
    fn pieces_cover_a_copy() {
        assert_eq!(pieces(0).collect::<Vec<_>>(), []);
        assert_eq!(pieces(PIECE).collect::<Vec<_>>(), [(0, PIECE)]);
        assert_eq!(pieces(PIECE + 1).collect::<Vec<_>>(), [(0, PIECE), (PIECE, 1)]);
    }
}
