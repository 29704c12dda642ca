//! The order of whole commands: launches, copies, events and the host's own accesses.
//!
//! A small vector clock has one entry for the host and one for each stream. A command on a stream comes after all earlier
//! ones of the stream, after what the host did before submitting it, and after the events that the stream was told to wait
//! for. The host comes after a command only once it has synchronised with it. The legacy default stream comes after the
//! work of all blocking streams of its device and before their later work (CUDA C++ Programming Guide, "Default Stream").
//! The accesses of a command are unordered with those of any command that is neither before nor after it.
//!
//! What each command touched is kept by [`RangeLog`], by stretches of addresses, with the same frontiers as everywhere: the
//! last write, and the reads since that are not before each other.

use std::collections::BTreeMap;

use crate::span::SpanMap;

/// A stream of a device, by the caller's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stream {
    /// The device.
    pub device: u32,
    /// The stream; 0 is the legacy default stream.
    pub number: u64,
}

impl Stream {
    fn is_default(self) -> bool {
        self.number == 0
    }
}

/// Who does things one after the other: the host or a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Actor {
    Host,
    Stream(Stream),
}

/// A vector clock over the host and the streams.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaunchClock {
    ticks: BTreeMap<Actor, u64>,
}

impl LaunchClock {
    fn tick(&self, actor: Actor) -> u64 {
        self.ticks.get(&actor).copied().unwrap_or(0)
    }

    fn join(&mut self, other: &Self) {
        for (&actor, &tick) in &other.ticks {
            let mine = self.ticks.entry(actor).or_insert(0);
            *mine = (*mine).max(tick);
        }
    }
}

/// When a command, or an access of the host, took place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    actor: Actor,
    tick: u64,
    clock: LaunchClock,
}

impl Moment {
    /// Whether this one is over, by the rules, when `later` begins. False for the same moment.
    pub fn is_before(&self, later: &Self) -> bool {
        (self.actor, self.tick) != (later.actor, later.tick) && later.clock.tick(self.actor) >= self.tick
    }

    /// Whether neither is before the other.
    pub fn is_concurrent_with(&self, other: &Self) -> bool {
        self != other && !self.is_before(other) && !other.is_before(self)
    }

    /// Whether it is the host's.
    pub fn is_of_host(&self) -> bool {
        self.actor == Actor::Host
    }
}

#[derive(Clone, Debug, Default)]
struct StreamState {
    clock: LaunchClock,
    is_non_blocking: bool,
}

/// The order of the commands of a program.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    host: LaunchClock,
    streams: BTreeMap<Stream, StreamState>,
    events: BTreeMap<u64, LaunchClock>,
}

impl Timeline {
    /// A stream that does not wait for the default stream (`cudaStreamNonBlocking`).
    pub fn create_non_blocking(&mut self, stream: Stream) {
        self.streams.entry(stream).or_default().is_non_blocking = true;
    }

    /// What is ordered before a command that is now put on the stream.
    fn past_of(&self, stream: Stream) -> LaunchClock {
        let mut clock = self.host.clone();
        let own = self.streams.get(&stream);
        if let Some(own) = own {
            clock.join(&own.clock);
        }
        if own.is_some_and(|own| own.is_non_blocking) {
            return clock;
        }
        for (other, state) in &self.streams {
            let is_linked = other.device == stream.device && !state.is_non_blocking;
            if is_linked && (stream.is_default() || other.is_default()) {
                clock.join(&state.clock);
            }
        }
        clock
    }

    /// A command (a launch, an asynchronous copy) is put on the stream.
    pub fn submit(&mut self, stream: Stream) -> Moment {
        self.advance_host();
        let actor = Actor::Stream(stream);
        let mut clock = self.past_of(stream);
        let tick = clock.tick(actor) + 1;
        clock.ticks.insert(actor, tick);
        self.streams.entry(stream).or_default().clock = clock.clone();
        Moment { actor, tick, clock }
    }

    /// The host accesses memory now.
    pub fn host_access(&mut self) -> Moment {
        self.advance_host();
        Moment { actor: Actor::Host, tick: self.host.tick(Actor::Host), clock: self.host.clone() }
    }

    /// A command ends before the host goes on (a blocking copy): as if submitted and waited for.
    pub fn submit_blocking(&mut self, stream: Stream) -> Moment {
        let moment = self.submit(stream);
        self.host.join(&moment.clock);
        moment
    }

    /// Each access and each submission of the host has its own tick, so that a command knows only what came before it.
    fn advance_host(&mut self) {
        *self.host.ticks.entry(Actor::Host).or_insert(0) += 1;
    }

    /// `cudaEventRecord`.
    pub fn record_event(&mut self, event: u64, stream: Stream) {
        let clock = self.past_of(stream);
        self.events.insert(event, clock);
    }

    /// `cudaStreamWaitEvent`; an event that was never recorded orders nothing.
    pub fn wait_event(&mut self, stream: Stream, event: u64) {
        if let Some(clock) = self.events.get(&event) {
            self.streams.entry(stream).or_default().clock.join(clock);
        }
    }

    /// `cudaEventSynchronize`, or a query that says that the event is complete.
    pub fn synchronize_event(&mut self, event: u64) {
        if let Some(clock) = self.events.get(&event) {
            self.host.join(clock);
        }
    }

    /// `cudaStreamSynchronize`, or a query that says that the stream is idle. The default stream waits for the others.
    pub fn synchronize_stream(&mut self, stream: Stream) {
        let clock = self.past_of(stream);
        self.host.join(&clock);
    }

    /// `cudaDeviceSynchronize`.
    pub fn synchronize_device(&mut self, device: u32) {
        for (stream, state) in &self.streams {
            if stream.device == device {
                self.host.join(&state.clock);
            }
        }
    }
}

/// Two accesses of the same bytes by commands that are not ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RangeConflict {
    /// The first byte.
    pub start: u64,
    /// The first byte after.
    pub end: u64,
    /// The caller's number of the earlier command.
    pub first: u64,
    /// Whether the earlier command wrote the bytes.
    pub is_first_write: bool,
}

#[derive(Clone, Debug, Default)]
struct RangeState {
    write: Option<(u64, Moment)>,
    reads: Vec<(u64, Moment)>,
}

/// Who last wrote and read which bytes, command by command.
#[derive(Clone, Debug, Default)]
pub struct RangeLog {
    spans: SpanMap<RangeState>,
}

impl RangeLog {
    /// Notes that the command `id` at `moment` reads or writes `len` bytes; returns what it is in conflict with.
    pub fn access(&mut self, start: u64, len: u64, is_write: bool, id: u64, moment: &Moment) -> Vec<RangeConflict> {
        let mut starts = Vec::new();
        self.spans.cover(start, start.saturating_add(len), &mut starts);
        let mut out: Vec<RangeConflict> = Vec::new();
        for start in starts {
            let Some((end, state)) = self.spans.get_mut(start) else { continue };
            let mut note = |first: u64, is_first_write: bool| match out.last_mut() {
                Some(last) if (last.end, last.first, last.is_first_write) == (start, first, is_first_write) => {
                    last.end = end;
                }
                _ => out.push(RangeConflict { start, end, first, is_first_write }),
            };
            if let Some((first, write)) = &state.write
                && *first != id
                && !write.is_before(moment)
            {
                note(*first, true);
            }
            if is_write {
                for (first, read) in &state.reads {
                    if *first != id && !read.is_before(moment) {
                        note(*first, false);
                    }
                }
                state.write = Some((id, moment.clone()));
                state.reads.clear();
            } else {
                state.reads.retain(|(first, read)| *first != id && !read.is_before(moment));
                state.reads.push((id, moment.clone()));
            }
        }
        out
    }

    /// Forgets everything, as when all that may be in conflict is over.
    pub fn clear(&mut self) {
        self.spans.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFAULT: Stream = Stream { device: 0, number: 0 };
    const A: Stream = Stream { device: 0, number: 1 };
    const B: Stream = Stream { device: 0, number: 2 };

    #[test]
    fn one_stream_is_in_order_and_the_host_waits_for_it() {
        let mut t = Timeline::default();
        let init = t.host_access();
        let k1 = t.submit(A);
        let early = t.host_access();
        let k2 = t.submit(A);
        t.synchronize_stream(A);
        let late = t.host_access();
        assert!(init.is_before(&k1) && k1.is_before(&k2) && k2.is_before(&late) && early.is_before(&k2));
        assert!(k1.is_concurrent_with(&early) && !k1.is_before(&k1));
        assert!(init.is_of_host() && !k1.is_of_host());
    }

    #[test]
    fn streams_are_ordered_by_events_only() {
        let mut t = Timeline::default();
        let a1 = t.submit(A);
        t.record_event(7, A);
        let a2 = t.submit(A);
        let b1 = t.submit(B);
        t.wait_event(B, 7);
        t.wait_event(B, 99);
        let b2 = t.submit(B);
        assert!(a1.is_concurrent_with(&b1) && a1.is_before(&b2) && a2.is_concurrent_with(&b2));
        t.synchronize_event(7);
        let host = t.host_access();
        assert!(a1.is_before(&host) && a2.is_concurrent_with(&host));
        t.synchronize_device(0);
        let host = t.host_access();
        assert!(a2.is_before(&host) && b2.is_before(&host));
    }

    #[test]
    fn default_stream_meets_blocking_streams_only() {
        let n = Stream { device: 0, number: 3 };
        let other = Stream { device: 1, number: 0 };
        let mut t = Timeline::default();
        t.create_non_blocking(n);
        let (a, c) = (t.submit(A), t.submit(n));
        let d = t.submit(DEFAULT);
        let (b, c2, o) = (t.submit(B), t.submit(n), t.submit(other));
        assert!(a.is_before(&d) && d.is_before(&b) && a.is_before(&b));
        assert!(c.is_concurrent_with(&d) && d.is_concurrent_with(&c2) && c.is_before(&c2));
        assert!(o.is_concurrent_with(&d));
        let copy = t.submit_blocking(DEFAULT);
        let host = t.host_access();
        assert!(copy.is_before(&host) && b.is_before(&host) && c2.is_concurrent_with(&host));
    }

    #[test]
    fn range_log_finds_the_bytes_in_conflict() {
        let mut t = Timeline::default();
        let mut log = RangeLog::default();
        let init = t.host_access();
        assert!(log.access(0, 100, true, 1, &init).is_empty());
        let (a, b) = (t.submit(A), t.submit(B));
        assert!(log.access(0, 60, false, 2, &a).is_empty());
        assert!(log.access(40, 60, false, 3, &b).is_empty());
        let host = t.host_access();
        let found = log.access(50, 20, true, 4, &host);
        let want = [(50, 60, 2), (50, 70, 3)];
        assert_eq!(found.iter().map(|c| (c.start, c.end, c.first)).collect::<Vec<_>>(), want);
        assert!(found.iter().all(|c| !c.is_first_write));
        t.synchronize_device(0);
        let host = t.host_access();
        assert!(log.access(0, 100, true, 5, &host).is_empty());
        let a = t.submit(A);
        let b = t.submit(B);
        assert!(log.access(0, 8, true, 6, &a).is_empty());
        let found = log.access(4, 8, false, 7, &b);
        assert_eq!(found, [RangeConflict { start: 4, end: 8, first: 6, is_first_write: true }]);
    }
}
