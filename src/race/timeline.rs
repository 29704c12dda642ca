//! The order of whole commands: launches, copies, events, and what the host has waited for.
//!
//! A small vector clock has one entry for each stream. A command on a stream comes after all earlier ones of the stream, after
//! what the host had waited for when it submitted it, and after the events that the stream was told to wait for. The host comes after a command only once it has synchronised with it. The legacy default stream comes after the
//! work of all blocking streams of its device and before their later work (CUDA C++ Programming Guide, "Default Stream").
//! The accesses of a command are unordered with those of any command that is neither before nor after it. Two unordered
//! commands of one device conflict where one of them writes, unless both use atomic or volatile accesses of device scope and
//! of one width only. Of accesses of system scope by two devices nothing is known, so those count as conflicts.
//!
//! [`UseLog`] keeps what each command accessed, byte by byte: the last writes and the reads since, as far as they are unordered.

use crate::byteset::ByteSet;
use crate::used::UsedBytes;
use std::collections::{BTreeMap, BTreeSet};

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

/// Destroyed streams are forgotten so many at a time at least.
const FORGET_LEAST: usize = 16;

/// A vector clock over the streams.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaunchClock {
    ticks: BTreeMap<Stream, u64>,
}

impl LaunchClock {
    fn tick(&self, stream: Stream) -> u64 {
        self.ticks.get(&stream).copied().unwrap_or(0)
    }

    fn join(&mut self, other: &Self) {
        for (&stream, &tick) in &other.ticks {
            let mine = self.ticks.entry(stream).or_insert(0);
            *mine = (*mine).max(tick);
        }
    }
}

/// When a command took place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    stream: Stream,
    tick: u64,
    clock: LaunchClock,
}

impl Moment {
    /// The device of its stream.
    pub fn device(&self) -> u32 {
        self.stream.device
    }

    /// Whether this one is over, by the rules, when `later` begins. False for the same moment.
    pub fn is_before(&self, later: &Self) -> bool {
        (self.stream, self.tick) != (later.stream, later.tick) && later.clock.tick(self.stream) >= self.tick
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
    /// Streams that were destroyed, as long as clocks know them.
    gone: BTreeSet<Stream>,
    /// How many of them there must be until some are forgotten.
    forget_at: usize,
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
        let mut clock = self.past_of(stream);
        let tick = clock.tick(stream) + 1;
        clock.ticks.insert(stream, tick);
        self.streams.entry(stream).or_default().clock = clock.clone();
        Moment { stream, tick, clock }
    }

    /// A copy is put on the default stream of a device, with memory of `others` too: it comes behind all commands of the default streams of
    /// those devices, and before the next ones (CUDA C++ Programming Guide, "Peer-to-Peer Memory Copy").
    pub fn submit_between_devices(&mut self, stream: Stream, others: &[u32]) -> Moment {
        for &device in others {
            let clock = self.past_of(Stream { device, number: 0 });
            self.streams.entry(stream).or_default().clock.join(&clock);
        }
        let moment = self.submit(stream);
        for &device in others {
            self.streams.entry(Stream { device, number: 0 }).or_default().clock.join(&moment.clock);
        }
        moment
    }

    /// `cudaStreamDestroy`: no more commands are put on the stream.
    pub fn destroy_stream(&mut self, stream: Stream) {
        self.gone.insert(stream);
    }

    /// `cudaEventDestroy`.
    pub fn destroy_event(&mut self, event: u64) {
        self.events.remove(&event);
    }

    /// Forgets destroyed streams whose commands the host has waited for, so that clocks do not grow with the number of streams that there
    /// ever were. Moments of those streams must not be compared with later ones any more ([`UseLog::forget_over`]).
    pub fn forget_gone(&mut self) {
        if self.gone.len() < self.forget_at {
            return;
        }
        let Timeline { host, streams, events, gone, .. } = self;
        let is_over = |stream: &Stream| streams.get(stream).is_none_or(|s| host.tick(*stream) >= s.clock.tick(*stream));
        let over: BTreeSet<Stream> = gone.iter().filter(|stream| is_over(stream)).copied().collect();
        gone.retain(|stream| !over.contains(stream));
        streams.retain(|stream, _| !over.contains(stream));
        let clocks = streams.values_mut().map(|state| &mut state.clock).chain(events.values_mut());
        clocks.chain([host]).for_each(|clock| clock.ticks.retain(|stream, _| !over.contains(stream)));
        // What this takes grows with the clocks that there are.
        self.forget_at = FORGET_LEAST.max(2 * self.gone.len()).max((self.streams.len() + self.events.len()) / 4);
    }

    /// What is ordered before an event that is recorded on the stream, or waited for there. On the default stream it is a command like
    /// any other: those that come later on other streams wait for it, and so for all before it.
    fn pass(&mut self, stream: Stream) -> LaunchClock {
        let clock = self.past_of(stream);
        if stream.is_default() {
            self.streams.entry(stream).or_default().clock.join(&clock);
        }
        clock
    }

    /// `cudaEventRecord`.
    pub fn record_event(&mut self, event: u64, stream: Stream) {
        let clock = self.pass(stream);
        self.events.insert(event, clock);
    }

    /// `cudaStreamWaitEvent`; an event that was never recorded orders nothing.
    pub fn wait_event(&mut self, stream: Stream, event: u64) {
        self.pass(stream);
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

    /// Whether the host has waited for what happened at `moment`.
    pub fn is_over_for_host(&self, moment: &Moment) -> bool {
        // A stream that is forgotten was waited for.
        self.host.tick(moment.stream) >= moment.tick || !self.streams.contains_key(&moment.stream)
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

/// Two uses of the same bytes by commands that are not ordered, or by a command and the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UseConflict {
    /// The caller's number of the earlier command.
    pub first: u64,
    /// Whether the earlier command wrote the bytes; else it read them.
    pub is_first_write: bool,
    /// Whether the later one writes them.
    pub is_second_write: bool,
    /// The bytes.
    pub bytes: ByteSet,
    /// Whether one of the two may have seen what the other stored there, so that it matters even if both store the same.
    pub is_seen: bool,
}

/// What is left of one command's uses: bytes that no later, ordered command has taken over.
#[derive(Clone, Debug)]
struct Use {
    id: u64,
    moment: Moment,
    bytes: UsedBytes,
    /// The first byte and the last one that the command used.
    extent: (u64, u64),
}

impl Use {
    /// Whether it may have used one of the bytes from the first to the last.
    fn is_near(&self, (first, last): (u64, u64)) -> bool {
        self.extent.0 <= last && first <= self.extent.1
    }
}

/// Which commands last wrote and read which bytes.
///
/// A byte that a command used is forgotten when a later command that is ordered after it writes it, or reads what the
/// earlier one only read: whatever is unordered with the earlier one is then unordered with the later one too, or comes
/// after both. So the log stays short where streams are long. See [`UsedBytes`] for what atomics stand for.
#[derive(Clone, Debug, Default)]
pub struct UseLog {
    uses: Vec<Use>,
}

impl UseLog {
    /// Notes that the command `id` at `moment` uses these bytes; returns what it is in conflict with. A launch is noted when it has
    /// run, which may be after commands that come behind it: until then (`is_last` is false) these must not stand for others that
    /// the launch may be in conflict with.
    pub fn command(&mut self, id: u64, moment: &Moment, used: UsedBytes, is_last: bool) -> Vec<UseConflict> {
        let mut out = Vec::new();
        let Some(extent) = used.extent() else { return out };
        for earlier in self.uses.iter_mut().filter(|earlier| earlier.is_near(extent)) {
            if earlier.moment.is_before(moment) {
                if is_last {
                    earlier.bytes.supersede(&used);
                }
                continue;
            }
            if moment.is_before(&earlier.moment) {
                continue;
            }
            let is_same_device = earlier.moment.stream.device == moment.stream.device;
            let exempt = if is_same_device { earlier.bytes.common_strong(&used) } else { ByteSet::default() };
            for (theirs, is_first_write) in [(&earlier.bytes.written, true), (&earlier.bytes.read, false)] {
                for (ours, is_second_write) in [(&used.written, true), (&used.read, false)] {
                    let mut bytes =
                        if is_first_write || is_second_write { theirs.common(ours) } else { ByteSet::default() };
                    bytes.remove(&exempt);
                    if !bytes.is_empty() {
                        let is_in = |seen: &ByteSet| !seen.common(&bytes).is_empty();
                        let is_seen = is_in(&earlier.bytes.seen) || is_in(&used.seen);
                        out.push(UseConflict { first: earlier.id, is_first_write, is_second_write, bytes, is_seen });
                    }
                }
            }
        }
        self.uses.retain(|u| !u.bytes.is_empty());
        self.uses.push(Use { id, moment: moment.clone(), bytes: used, extent });
        out
    }

    /// The first command that an access of the host is in conflict with, and whether that command writes.
    pub fn host_conflict(&self, timeline: &Timeline, start: u64, len: u64, is_write: bool) -> Option<(u64, bool)> {
        let near = self.uses.iter().filter(|u| u.is_near((start, start.saturating_add(len.saturating_sub(1)))));
        let open = near.filter(|u| !timeline.is_over_for_host(&u.moment));
        open.into_iter().find_map(|u| {
            if u.bytes.written.is_touching(start, len) {
                Some((u.id, true))
            } else if is_write && u.bytes.read.is_touching(start, len) {
                Some((u.id, false))
            } else {
                None
            }
        })
    }

    /// Whether a command that the host has not waited for uses one of these bytes.
    pub fn is_open(&self, timeline: &Timeline, start: u64, len: u64) -> bool {
        let uses = |u: &Use| u.bytes.written.is_touching(start, len) || u.bytes.read.is_touching(start, len);
        let mut near = self.uses.iter().filter(|u| u.is_near((start, start.saturating_add(len.saturating_sub(1)))));
        near.any(|u| uses(u) && !timeline.is_over_for_host(&u.moment))
    }

    /// Whether a command at that moment is unordered with one that is noted.
    pub fn is_unordered(&self, moment: &Moment) -> bool {
        self.uses.iter().any(|u| !u.moment.is_before(moment) && !moment.is_before(&u.moment))
    }

    /// The commands of which anything that they used may still be in conflict.
    pub fn commands(&self) -> BTreeSet<u64> {
        self.uses.iter().map(|u| u.id).collect()
    }

    /// Forgets commands that the host has waited for: whatever comes is ordered after them.
    pub fn forget_over(&mut self, timeline: &Timeline) {
        self.uses.retain(|u| !timeline.is_over_for_host(&u.moment));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFAULT: Stream = Stream { device: 0, number: 0 };
    const A: Stream = Stream { device: 0, number: 1 };
    const B: Stream = Stream { device: 0, number: 2 };

    fn are_unordered(one: &Moment, other: &Moment) -> bool {
        one != other && !one.is_before(other) && !other.is_before(one)
    }

    #[test]
    fn one_stream_is_in_order_and_the_host_waits_for_it() {
        let mut t = Timeline::default();
        let (k1, k2) = (t.submit(A), t.submit(A));
        assert!(k1.is_before(&k2) && !k1.is_before(&k1) && !t.is_over_for_host(&k1));
        t.synchronize_stream(A);
        assert!(t.is_over_for_host(&k1) && t.is_over_for_host(&k2));
        // What the host has waited for is before all that it submits.
        assert!(k2.is_before(&t.submit(B)));
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
        assert!(are_unordered(&a1, &b1) && a1.is_before(&b2) && are_unordered(&a2, &b2));
        t.synchronize_event(7);
        assert!(t.is_over_for_host(&a1) && !t.is_over_for_host(&a2));
        t.synchronize_device(0);
        assert!(t.is_over_for_host(&a2) && t.is_over_for_host(&b2));
    }

    #[test]
    fn destroyed_streams_are_forgotten_once_the_host_has_waited() {
        let mut t = Timeline::default();
        let open = t.submit(B);
        t.destroy_stream(B);
        for number in 10..500 {
            let stream = Stream { device: 0, number };
            t.create_non_blocking(stream);
            let (command, last) = (t.submit(stream), t.submit(A));
            t.record_event(number, stream);
            t.wait_event(A, number);
            assert!(are_unordered(&command, &last) && command.is_before(&t.submit(A)));
            t.synchronize_stream(stream);
            t.destroy_stream(stream);
            t.destroy_event(number);
            t.forget_gone();
            assert!(t.is_over_for_host(&command) && !t.is_over_for_host(&open));
        }
        let sizes = t.streams.values().map(|state| state.clock.ticks.len());
        assert!(t.streams.len() < 40 && t.host.ticks.len() < 40 && sizes.max() < Some(40));
        t.synchronize_device(0);
        assert!(t.is_over_for_host(&open));
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
        assert!(are_unordered(&c, &d) && are_unordered(&d, &c2) && c.is_before(&c2));
        assert!(are_unordered(&o, &d));
        let copy = t.submit(DEFAULT);
        t.synchronize_stream(DEFAULT);
        assert!(t.is_over_for_host(&copy) && t.is_over_for_host(&b) && !t.is_over_for_host(&c2));
    }

    fn bytes(ranges: &[(u64, u64)]) -> ByteSet {
        let mut set = ByteSet::default();
        for &(start, len) in ranges {
            set.insert(start, len);
        }
        set
    }

    fn used(written: &[(u64, u64)], read: &[(u64, u64)]) -> UsedBytes {
        UsedBytes { written: bytes(written), read: bytes(read), seen: bytes(read), ..UsedBytes::default() }
    }

    #[test]
    fn bytes_that_are_also_read_are_known_to_be_seen() {
        for (first, second, is_seen) in [(&[][..], &[][..], false), (&[(4, 4)], &[], true), (&[], &[(0, 1)], true)] {
            let (mut t, mut log) = (Timeline::default(), UseLog::default());
            let of = |seen: &[(u64, u64)]| UsedBytes { seen: bytes(seen), ..used(&[(0, 8)], &[]) };
            assert!(log.command(1, &t.submit(A), of(first), true).is_empty());
            let found = log.command(2, &t.submit(B), of(second), true);
            assert_eq!(found.iter().map(|c| c.is_seen).collect::<Vec<_>>(), [is_seen]);
        }
    }

    #[test]
    fn atomics_of_two_streams_are_no_conflict() {
        let (mut t, mut log) = (Timeline::default(), UseLog::default());
        let atomic = || UsedBytes { strong: BTreeMap::from([(4, bytes(&[(0, 4)]))]), ..used(&[(0, 4)], &[]) };
        let other = Stream { device: 1, number: 1 };
        assert!(log.command(1, &t.submit(A), atomic(), true).is_empty());
        assert!(log.command(2, &t.submit(B), atomic(), true).is_empty());
        // The plain read meets both, and the atomic of another device meets all.
        let c = Stream { device: 0, number: 3 };
        assert_eq!(log.command(3, &t.submit(c), used(&[], &[(0, 4)]), true).len(), 2);
        assert_eq!(log.command(4, &t.submit(other), atomic(), true).len(), 3);
    }

    #[test]
    fn use_log_finds_the_bytes_in_conflict() {
        let mut t = Timeline::default();
        let mut log = UseLog::default();
        let (a, b) = (t.submit(A), t.submit(B));
        assert!(log.command(2, &a, used(&[], &[(0, 60)]), true).is_empty());
        assert!(log.command(3, &b, used(&[], &[(40, 60)]), true).is_empty());
        assert_eq!(log.host_conflict(&t, 50, 20, true), Some((2, false)));
        assert_eq!(log.host_conflict(&t, 50, 20, false), None);
        assert!(log.is_open(&t, 99, 1) && !log.is_open(&t, 100, 9));
        t.synchronize_device(0);
        assert_eq!(log.host_conflict(&t, 50, 20, true), None);
        log.forget_over(&t);
        assert!(log.uses.is_empty());
        let a = t.submit(A);
        let b = t.submit(B);
        assert!(log.command(6, &a, used(&[(0, 8)], &[]), true).is_empty());
        let found = log.command(7, &b, used(&[], &[(4, 8)]), true);
        let bytes = bytes(&[(4, 4)]);
        let conflict = UseConflict { first: 6, is_first_write: true, is_second_write: false, bytes, is_seen: true };
        assert_eq!(found, [conflict]);
    }

    #[test]
    fn use_log_keeps_only_the_last_of_a_stream() {
        let mut t = Timeline::default();
        let mut log = UseLog::default();
        for id in 0..100 {
            let k = t.submit(A);
            assert!(log.command(id, &k, used(&[(0, 64)], &[(64, 64)]), true).is_empty());
        }
        assert_eq!(log.uses.len(), 1);
        let b = t.submit(B);
        let found = log.command(100, &b, used(&[(60, 8)], &[]), true);
        assert_eq!(
            found.iter().map(|c| (c.first, c.bytes.ranges())).collect::<Vec<_>>(),
            [(99, vec![(60, 4)]), (99, vec![(64, 4)])]
        );
    }

    #[test]
    fn launches_that_are_noted_late_are_in_order_and_meet_what_they_race_with() {
        let mut t = Timeline::default();
        let mut log = UseLog::default();
        // Kernels on two streams, and a copy behind both, which is noted first.
        let (a, b) = (t.submit(A), t.submit(B));
        t.record_event(7, B);
        t.wait_event(A, 7);
        let copy = t.submit(A);
        assert!(log.command(3, &copy, used(&[], &[(0, 8)]), false).is_empty());
        assert!(!log.is_unordered(&a));
        assert!(log.command(2, &b, used(&[(0, 8)], &[]), false).is_empty());
        let found = log.command(1, &a, used(&[(4, 8)], &[]), true);
        assert_eq!(found.iter().map(|c| (c.first, c.bytes.ranges())).collect::<Vec<_>>(), [(2, vec![(4, 4)])]);
    }
}
