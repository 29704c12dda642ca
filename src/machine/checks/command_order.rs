//! Races between commands, between commands and the host, and of both with messages of MPI.
//!
//! Every command runs as soon as it is submitted, so the program always sees its effects in order. Clocks (`race::Timeline`)
//! decide here whether CUDA promises that order. The runtime reports what its calls order as `device::OrderStep`. The emulator
//! reports what a kernel touched when the launch is over; copies and fills say it themselves. Accesses of the host are watched
//! only while a command that the host has not waited for uses memory that the host can reach: a command that is submitted later
//! comes after them.
//!
//! A blocking copy counts as waited for, even from pageable memory to the device, where CUDA promises less; `host_waits` of the
//! CUDA runtime says which copies and fills do not block. A race is reported at the statements that submitted the commands,
//! since all accesses of a kernel count as one.
//!
//! Source: CUDA C++ Programming Guide, "Asynchronous Concurrent Execution" and "Default Stream"; CUDA Runtime API manual, "API
//! synchronization behavior" and "Stream synchronization behavior".

use crate::instances::variables;
use device::{Order, OrderStep, Section, Work};
use emu::{LaunchUse, UseWanted};
use finding::{Access, Actor, Finding, FindingKind, LaunchInfo, Place, RaceFlavour, RaceKind, What};
use ir::InstKind;
use ir::rt::Rt;
use mem::{Memory, Region};
use race::{ByteSet, Moment, Stream, Timeline, UseConflict, UseLog, UsedBytes};
use source::Span;
use std::collections::{BTreeMap, BTreeSet};
use vm::{AccessEvent, AccessKind, Hooks, Program, Site, Warp};

/// `cudaStreamLegacy`, another name of stream 0.
const LEGACY: u64 = 1;
/// Bytes of all address numbers of a region.
const REGION_BYTES: u64 = 1 << mem::address::REGION_BITS;
/// Bytes that are compared at a time.
const PIECE: usize = 1 << 16;

/// A command that was submitted.
#[derive(Clone, Debug)]
struct Submitted {
    actor: Actor,
    span: Span,
    /// What else than a write its writes are: where memory begins or ends.
    lifetime: Option<What>,
}

impl Submitted {
    fn what(&self, is_write: bool) -> What {
        if is_write { self.lifetime.unwrap_or(What::Write) } else { What::Read }
    }
}

/// The order of commands and host, and what each used.
#[derive(Clone, Debug)]
pub(crate) struct CommandOrder {
    timeline: Timeline,
    log: UseLog,
    /// By number, from 0; forgotten when nothing of them can be in conflict any more.
    commands: BTreeMap<u64, Submitted>,
    next: u64,
    /// Launches at work, by their number in the run.
    launches: BTreeMap<u64, (u64, Moment)>,
    /// Whether two commands, or a command and the host, may be unordered at all.
    is_armed: bool,
    /// Whether an access of the host may be in conflict now.
    is_host_watched: bool,
    findings: Vec<Finding>,
    /// Whether conflicts are reported.
    is_telling: bool,
    /// Conflicts, by command, the first one first; `None` is the host.
    conflicts: BTreeSet<(u64, Option<u64>)>,
    /// The streams of messages of MPI, by request.
    messages: BTreeMap<u32, u64>,
    /// The variables of which each device has an instance.
    instances: ByteSet,
}

/// So many launches that wait are not compared with each other.
const MANY: usize = 32;
/// What messages of MPI have in place of a device: they are in no order with its streams.
const MESSAGES: u32 = u32::MAX;
/// Instances of variables of the devices but the first count as memory from this bit on.
const INSTANCE_BITS: u32 = 56;
/// What accesses of other ranks to windows have in place of a stream: they are in order with each other.
const ACCESSES: u64 = u64::MAX;

impl CommandOrder {
    /// The order of a program that has not begun. One stream alone, without memory that the host shares, is in order by
    /// itself; then nothing is kept.
    pub(crate) fn new(program: &Program, device_count: usize, is_telling: bool) -> CommandOrder {
        let makes_streams =
            |kind: &InstKind| matches!(kind, InstKind::Rt { rt: Rt::CudaStreamCreate | Rt::MpiCall, .. });
        let insts = program.module().funcs.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.insts);
        CommandOrder {
            timeline: Timeline::default(),
            log: UseLog::default(),
            commands: BTreeMap::new(),
            next: 0,
            launches: BTreeMap::new(),
            is_armed: device_count > 1 || insts.into_iter().any(|i| makes_streams(&i.kind)),
            is_host_watched: false,
            findings: Vec::new(),
            is_telling,
            conflicts: BTreeSet::new(),
            messages: BTreeMap::new(),
            instances: ByteSet::default(),
        }
        .with_instances(program, device_count)
    }

    fn with_instances(mut self, program: &Program, device_count: usize) -> CommandOrder {
        if device_count > 1 {
            variables(program).into_iter().for_each(|(address, bytes)| _ = self.instances.insert(address, bytes));
        }
        self
    }

    /// Whether the emulator has to say what launches use, and memory before and after: then values may decide whether two writes are
    /// in conflict.
    pub(crate) fn wants_use(&self) -> UseWanted {
        if !self.is_armed || !self.is_telling {
            return UseWanted::Nothing;
        }
        let waiting: Vec<&Moment> = self.launches.values().map(|(_, moment)| moment).collect();
        let meets = |(at, moment): (usize, &&Moment)| {
            let others = &waiting[..at];
            self.log.is_unordered(moment) || others.iter().any(|o| !o.is_before(moment) && !moment.is_before(o))
        };
        let may_meet = waiting.len() > MANY || waiting.iter().enumerate().any(meets);
        if may_meet { UseWanted::BytesAndMemory } else { UseWanted::Bytes }
    }

    /// The conflicts so far, by command, the first one first; `None` is the host.
    pub(crate) fn conflicts(&self) -> Vec<(u64, Option<u64>)> {
        self.conflicts.iter().copied().collect()
    }

    /// Whether the host has waited for a command.
    pub(crate) fn is_over_for_host(&self, moment: &Moment) -> bool {
        self.timeline.is_over_for_host(moment)
    }

    /// Whether the accesses of the host must be reported.
    pub(crate) fn watches_host(&self) -> bool {
        self.is_host_watched && self.is_telling
    }

    /// The findings since the last call.
    pub(crate) fn take_findings(&mut self) -> Vec<Finding> {
        let findings = std::mem::take(&mut self.findings);
        if self.is_telling { findings } else { Vec::new() }
    }

    /// Takes the steps of a call. Launches among them have not run yet. Gives the commands among them, by number.
    pub(crate) fn steps(&mut self, steps: Vec<OrderStep>, memory: &Memory) -> Vec<(u64, Moment)> {
        let mut submitted = Vec::new();
        for step in steps {
            match step {
                OrderStep::Submitted { work, device, stream, span } => {
                    submitted.extend(self.submitted(work, device, stream, span, memory));
                }
                OrderStep::Ordered { device, order } => self.ordered(device, order),
            }
        }
        self.watch_host();
        submitted
    }

    fn submitted(
        &mut self,
        work: Work,
        device: u32,
        stream: u64,
        span: Span,
        memory: &Memory,
    ) -> Option<(u64, Moment)> {
        self.is_armed |= memory.used(Region::Managed) + memory.used(Region::Pinned) > 0
            || memory.locked().next().is_some()
            || stream > LEGACY;
        let on = stream_of(device, stream);
        let others = match &work {
            Work::Transfer { written, read, .. } if on.number == 0 => other_devices(device, [written, read]),
            _ => Vec::new(),
        };
        let moment = self.timeline.submit_between_devices(on, &others);
        if !self.is_armed {
            return None;
        }
        let id = self.next;
        self.next += 1;
        let submitted = (id, moment.clone());
        match work {
            Work::Launch { number, kernel } => {
                let kernel = ir::short_name(&kernel).to_owned();
                let actor = Actor::Kernel(LaunchInfo { number, kernel, stream, by: None });
                self.commands.insert(id, Submitted { actor, span, lifetime: None });
                self.launches.insert(number, (id, moment));
            }
            Work::Transfer { call, written, read } => {
                let actor = Actor::Copy { call: call.to_owned(), stream };
                self.commands.insert(id, Submitted { actor, span, lifetime: None });
                let used = UsedBytes { written: bytes(&written), read: bytes(&read), ..UsedBytes::default() };
                self.used(id, &moment, used, None, memory);
            }
            Work::Lifetime { call, what, memory: (address, bytes) } => {
                let actor = Actor::Copy { call: call.to_owned(), stream };
                self.commands.insert(id, Submitted { actor, span, lifetime: Some(what) });
                let mut used = UsedBytes::default();
                used.written.insert(address, bytes);
                self.used(id, &moment, used, None, memory);
            }
        }
        Some(submitted)
    }

    fn ordered(&mut self, device: u32, order: Order) {
        match order {
            Order::StreamMade { stream, blocking: false, .. } => {
                self.timeline.create_non_blocking(stream_of(device, stream));
            }
            Order::StreamMade { .. } => {}
            Order::StreamGone(stream) => self.timeline.destroy_stream(stream_of(device, stream)),
            Order::EventGone(event) => self.timeline.destroy_event(event),
            Order::Recorded { event, stream } => self.timeline.record_event(event, stream_of(device, stream)),
            Order::StreamWaits { stream, event } => self.timeline.wait_event(stream_of(device, stream), event),
            Order::HostWaitsForDevice => self.timeline.synchronize_device(device),
            Order::HostWaitsForStream(stream) => self.timeline.synchronize_stream(stream_of(device, stream)),
            Order::HostWaitsForEvent(event) => self.timeline.synchronize_event(event),
        }
        if matches!(order, Order::HostWaitsForDevice | Order::HostWaitsForStream(_) | Order::HostWaitsForEvent(_)) {
            self.forget_over();
        }
    }

    /// A request of MPI uses memory: a command of a stream of its own.
    pub(crate) fn begin_message(&mut self, used: mpi::Use, memory: &Memory) {
        let most = self.messages.len() as u64 + 1;
        let free = (1..=most).find(|n| self.messages.values().all(|known| known != n)).unwrap_or(most);
        // Whether accesses of other ranks are in conflict with each other is known elsewhere (`mpi`).
        let number = if used.is_access { ACCESSES } else { free };
        self.messages.insert(used.request, number);
        let moment = self.timeline.submit(Stream { device: MESSAGES, number });
        let id = self.next;
        self.next += 1;
        let actor = Actor::Message { call: used.call.to_owned() };
        self.commands.insert(id, Submitted { actor, span: used.span, lifetime: None });
        let set = |places: Vec<(u64, u64)>| {
            let mut set = ByteSet::default();
            for (address, bytes) in places {
                set.insert(address, bytes);
            }
            set
        };
        let used = UsedBytes { written: set(used.written), read: set(used.read), ..UsedBytes::default() };
        self.used(id, &moment, used, None, memory);
        self.watch_host();
    }

    /// The rank knows that a request is done.
    pub(crate) fn end_message(&mut self, request: u32) {
        if let Some(number) = self.messages.remove(&request) {
            self.timeline.synchronize_stream(Stream { device: MESSAGES, number });
            self.forget_over();
        }
        self.watch_host();
    }

    /// Forgets commands that nothing can be in conflict with any more.
    fn forget_over(&mut self) {
        // A launch that has begun and not ended may be in conflict with what is over now.
        if self.launches.is_empty() {
            self.log.forget_over(&self.timeline);
            self.timeline.forget_gone();
        }
        let mut kept = self.log.commands();
        kept.extend(self.launches.values().map(|(at_work, _)| at_work));
        self.commands.retain(|id, _| kept.contains(id));
    }

    /// A launch is over and used these bytes.
    pub(crate) fn launch_used(&mut self, launch: LaunchUse, memory: &Memory) {
        if let Some((id, moment)) = self.launches.remove(&launch.number) {
            self.used(id, &moment, launch.bytes, launch.memory.as_ref(), memory);
            self.watch_host();
        }
    }

    /// Notes what a command used. `states` is memory before and after the command, if it is known.
    fn used(&mut self, id: u64, moment: &Moment, mut bytes: UsedBytes, states: Option<&[Memory; 2]>, memory: &Memory) {
        let device = moment.device();
        if device != MESSAGES {
            bytes.shift(&self.instances, u64::from(device) << INSTANCE_BITS);
        }
        let is_last = self.launches.values().all(|(pending, _)| *pending > id);
        for conflict in self.log.command(id, moment, bytes, is_last) {
            self.conflicts.insert((conflict.first, Some(id)));
            let is_write_write = conflict.is_first_write && conflict.is_second_write;
            let ends = [conflict.first, id].map(|end| self.commands.get(&end).and_then(|by| by.lifetime));
            let is_same_value = is_write_write
                && !conflict.is_seen
                && ends == [None, None]
                && states.is_some_and(|states| are_alike(states, &conflict.bytes));
            let flavour = if is_same_value { RaceFlavour::SameValue } else { RaceFlavour::Plain };
            if let Some(finding) = self.between_commands(id, &conflict, flavour, memory) {
                self.findings.push(finding);
            }
        }
    }

    fn between_commands(
        &self,
        id: u64,
        conflict: &UseConflict,
        flavour: RaceFlavour,
        memory: &Memory,
    ) -> Option<Finding> {
        let (first, second) = (self.commands.get(&conflict.first)?, self.commands.get(&id)?);
        let address = conflict.bytes.first()?;
        let access = |by: &Submitted, is_write: bool| {
            access(by.actor.clone(), by.what(is_write), by.span, memory, (address, conflict.bytes.len()))
        };
        let accesses = vec![access(first, conflict.is_first_write), access(second, conflict.is_second_write)];
        let between = kind([&first.actor, &second.actor], RaceKind::Streams);
        let found = race(between, flavour, accesses);
        Some(match common(memory, &conflict.bytes) {
            Some(note) => found.note(note),
            None => found,
        })
    }

    fn watch_host(&mut self) {
        let shared = [Region::Managed, Region::Pinned, Region::Host, Region::HostStack];
        self.is_host_watched = shared.iter().any(|r| self.log.is_open(&self.timeline, r.base(), REGION_BYTES));
    }

    /// What an access of the host is in conflict with.
    fn host_conflict(&self, address: u64, bytes: u64, is_write: bool) -> Option<(u64, bool)> {
        self.log.host_conflict(&self.timeline, address, bytes, is_write)
    }

    /// Takes the accesses of the host that conflict with commands.
    pub(crate) fn host_raced(&mut self, seen: Vec<HostConflict>, memory: &Memory) {
        for conflict in seen {
            self.conflicts.insert((conflict.first, None));
            let Some(first) = self.commands.get(&conflict.first) else { continue };
            let at = (conflict.address, conflict.bytes);
            let accesses = vec![
                access(first.actor.clone(), first.what(conflict.is_first_write), first.span, memory, at),
                access(
                    Actor::Host,
                    if conflict.is_write { What::Write } else { What::Read },
                    conflict.span,
                    memory,
                    at,
                ),
            ];
            let between = kind([&first.actor, &Actor::Host], RaceKind::HostDevice);
            let mut found = race(between, RaceFlavour::Plain, accesses);
            found.count = conflict.count;
            self.findings.push(found);
        }
    }
}

fn stream_of(device: u32, stream: u64) -> Stream {
    Stream { device, number: if stream == LEGACY { 0 } else { stream } }
}

/// The devices but for `device` in whose memory elements lie.
fn other_devices(device: u32, sections: [&Vec<Section>; 2]) -> Vec<u32> {
    let region = |(array, _): &Section| Region::of(array.base);
    let devices = sections.into_iter().flatten().filter_map(|section| match region(section) {
        Some(Region::Device(number)) => Some(u32::from(number)).filter(|number| *number != device),
        _ => None,
    });
    devices.collect()
}

fn bytes(sections: &[Section]) -> ByteSet {
    let mut set = ByteSet::default();
    for (address, bytes) in sections.iter().flat_map(|(array, element_bytes)| array.runs(*element_bytes)) {
        set.insert(address, bytes);
    }
    set
}

/// An access to an array by its name, at the first of the bytes.
fn access(actor: Actor, what: What, span: Span, memory: &Memory, (address, bytes): (u64, u64)) -> Access {
    let address = home(address);
    let mut access = Access::new(actor, what, device::space_of(address), span).address(address, bytes);
    let home = memory.find(address).or_else(|| memory.dead_at(address));
    let name = home.map(|id| memory.info(id).name.clone()).filter(|name| !name.is_empty());
    access.place = name.map(|name| Place::variable(&*name));
    access
}

/// The kind of a race: another one if one of the two is a message.
fn kind(actors: [&Actor; 2], other: RaceKind) -> RaceKind {
    if actors.into_iter().any(|actor| matches!(actor, Actor::Message { .. })) { RaceKind::Message } else { other }
}

fn race(between: RaceKind, flavour: RaceFlavour, accesses: Vec<Access>) -> Finding {
    Finding::new(FindingKind::Race { between, flavour, is_in_loop: false }, accesses)
}

/// The address in memory of one that may be that of another device's instance.
fn home(address: u64) -> u64 {
    address & !(u64::MAX << INSTANCE_BITS)
}

/// Whether the bytes have the same values in both.
fn are_alike(states: &[Memory; 2], bytes: &ByteSet) -> bool {
    bytes.ranges().into_iter().map(|(start, len)| (home(start), len)).all(|(start, len)| {
        (start..start + len).step_by(PIECE).all(|at| {
            let len = (start + len - at).min(PIECE as u64) as usize;
            let [before, after] = states.each_ref().map(|memory| {
                let mut bytes = vec![0; len];
                memory.read(at, &mut bytes).map(|()| bytes)
            });
            before.is_some() && before == after
        })
    })
}

/// Which part of an array the bytes are, if they are not all of it.
fn common(memory: &Memory, bytes: &ByteSet) -> Option<String> {
    let first = home(bytes.first()?);
    let info = memory.info(memory.find(first).or_else(|| memory.dead_at(first))?);
    let offset = first - info.base;
    (bytes.len() < info.bytes).then(|| {
        let count = bytes.len();
        let name = if info.name.is_empty() { "the array".to_owned() } else { format!("`{}`", info.name) };
        format!("both use {count} byte{} of {name}, from byte {offset} on", if count == 1 { "" } else { "s" })
    })
}

/// Accesses of the host, at one place of the source, that conflict with one command.
#[derive(Clone, Debug)]
pub(crate) struct HostConflict {
    first: u64,
    is_first_write: bool,
    is_write: bool,
    address: u64,
    bytes: u64,
    span: Span,
    count: u64,
}

/// Hooks of the executor that check the accesses of the host.
pub(crate) struct OrderHooks<'a> {
    order: &'a CommandOrder,
    program: &'a Program,
    /// What was seen, one entry for each place and command.
    pub(crate) seen: Vec<HostConflict>,
}

impl<'a> OrderHooks<'a> {
    pub(crate) fn new(order: &'a CommandOrder, program: &'a Program) -> OrderHooks<'a> {
        OrderHooks { order, program, seen: Vec::new() }
    }

    fn look(&mut self, site: Site, address: u64, bytes: u64, is_write: bool) {
        let Some((first, is_first_write)) = self.order.host_conflict(address, bytes, is_write) else { return };
        let span = self.program.span(site);
        match self.seen.iter_mut().find(|c| (c.first, c.span, c.is_write) == (first, span, is_write)) {
            Some(known) => known.count += 1,
            None => {
                self.seen.push(HostConflict { first, is_first_write, is_write, address, bytes, span, count: 1 });
            }
        }
    }
}

impl Hooks<1> for OrderHooks<'_> {
    fn wants_accesses(&self) -> bool {
        true
    }

    fn on_access(&mut self, _: &Warp<1>, event: &AccessEvent<'_, 1>) {
        let address = event.lanes.address(0);
        let is_write = !matches!(event.kind, AccessKind::Read(_));
        self.look(event.site, address, event.bytes as u64, is_write);
    }

    fn on_bulk(&mut self, site: Site, address: u64, bytes: u64, is_write: bool) {
        self.look(site, address, bytes, is_write);
    }

    fn on_passed(&mut self, site: Site, address: u64, bytes: u64) {
        self.look(site, address, bytes, false);
    }
}
