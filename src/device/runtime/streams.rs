//! Streams and events of the CUDA runtime: their handles, and how their calls order host and commands.
//!
//! Source: CUDA Runtime API manual, "Stream Management" and "Event Management".

use super::{Event, Half, Handle, Outcome, Runtime, put};
use crate::{Api, CudaError, Device, Order};
use finding::{ApiFault, HandleLife};
use mem::{Memory, Region};
use source::Span;

/// The least time between two different events, in milliseconds: the resolution that CUDA states.
const RESOLUTION_MS: f64 = 0.0005;

/// Priorities of streams: the lowest and the highest, which is the smaller number. Others are clamped.
const LEAST_PRIORITY: i32 = 0;
const GREATEST_PRIORITY: i32 = -5;

/// Flags of `cudaStreamAttachMemAsync`; without any (0) it is the last.
const ATTACH_GLOBAL: i32 = 1;
const ATTACH_HOST: i32 = 2;
const ATTACH_SINGLE: i32 = 4;

impl Runtime {
    /// The calls that concern streams and events; the others are passed to `memory`.
    pub(super) fn stream_call(
        &mut self,
        device: &mut dyn Device,
        memory: &mut Memory,
        api: Api,
        name: &'static str,
        span: Span,
    ) -> Outcome<Option<Half>> {
        if let Api::EventRecord { event, stream } | Api::StreamWaitEvent { stream, event } = api {
            self.stream(stream, name, span)?;
            let of = self.event(event, name, span)?.device;
            if matches!(api, Api::EventRecord { .. }) {
                self.fit_device(("event", of), self.device_of(stream), name, span)?;
            }
        }
        match self.graphs.captured_call(&api) {
            Some(Ok(())) => return Ok(None),
            Some(Err(error)) => return Err(error),
            None => {}
        }
        match api {
            Api::StreamCreate { at, flags, priority } => {
                self.stream_create(device, memory, at, flags, Handle { made_at: span, device: self.current, priority })
            }
            Api::StreamGetPriority { stream, at } => self.stream(stream, name, span).and_then(|()| {
                let priority = self.streams.get(&stream).map_or(0, |s| s.priority);
                put(memory, at, &priority.to_le_bytes())?;
                Ok(None)
            }),
            Api::StreamAttachMem { stream, address, bytes, flags } => {
                self.stream(stream, name, span).and_then(|()| self.stream_attach(memory, stream, address, bytes, flags))
            }
            Api::StreamDestroy { stream } => self.stream_destroy(device, stream, name, span),
            Api::StreamSynchronize { stream } => self.stream(stream, name, span).map(|()| {
                self.order(device, Order::HostWaitsForStream(stream));
                Some(Half::Report)
            }),
            // What was submitted is done when the query is answered, and the answer says so.
            Api::StreamQuery { stream } => self.stream(stream, name, span).map(|()| {
                self.order(device, Order::HostWaitsForStream(stream));
                Some(Half::Report)
            }),
            Api::SetArrayStream { address, stream } => self.stream(stream, name, span).map(|()| {
                self.array_streams.insert(address, stream);
                None
            }),
            Api::StreamWaitEvent { stream, event } => {
                self.stream(stream, name, span).and_then(|()| self.event(event, name, span)).map(|_| {
                    self.order(device, Order::StreamWaits { stream, event });
                    None
                })
            }
            Api::SetDefaultStream { stream } => self.stream(stream, name, span).map(|()| {
                self.default_stream = stream;
                None
            }),
            Api::EventCreate { at, flags } => self.event_create(memory, at, flags, span),
            Api::EventDestroy { event } => self.event(event, name, span).map(|_| {
                self.events.remove(&event);
                self.order(device, Order::EventGone(event));
                None
            }),
            Api::EventRecord { event, stream } => {
                let known = self.stream(stream, name, span).and_then(|()| self.event(event, name, span));
                known.map(|_| {
                    self.order(device, Order::Recorded { event, stream });
                    Some(Half::Record(event))
                })
            }
            Api::EventSynchronize { event } => self.event(event, name, span).map(|_| {
                self.order(device, Order::HostWaitsForEvent(event));
                Some(Half::Report)
            }),
            Api::EventQuery { event } => self.event(event, name, span).map(|_| {
                self.order(device, Order::HostWaitsForEvent(event));
                Some(Half::Report)
            }),
            Api::EventElapsedTime { at, start, end } => self.event_elapsed(device, memory, at, (start, end), span),
            other => self.memory_call(device, memory, other, name, span),
        }
    }

    /// The stream on which an implicit operation goes that concerns these addresses.
    pub(crate) fn implicit_stream(&self, memory: &Memory, addresses: impl IntoIterator<Item = u64>) -> u64 {
        if self.array_streams.is_empty() {
            return self.default_stream;
        }
        let own = |address: u64| {
            let base = memory.find(address).map(|id| memory.info(id).base)?;
            self.array_streams.get(&base).copied()
        };
        addresses.into_iter().find_map(own).unwrap_or(self.default_stream)
    }

    /// Checks that a stream exists; 0 to 2 are CUDA's own (default, legacy, per thread).
    pub(crate) fn stream(&mut self, stream: u64, call: &str, span: Span) -> Outcome<()> {
        if stream <= 2 || self.streams.contains_key(&stream) {
            return Ok(());
        }
        self.report(call, unknown("stream", "cudaStreamCreate"), span);
        Err(CudaError::InvalidResourceHandle)
    }

    /// Checks that a stream or an event belongs to a device (CUDA C++ Programming Guide, "Stream and Event Behavior").
    pub(crate) fn fit_device(&mut self, (what, of): (&str, u32), wanted: u32, call: &str, span: Span) -> Outcome<()> {
        if of == wanted {
            return Ok(());
        }
        self.report(call, ApiFault::OtherDevice { what: what.to_owned(), of, wanted }, span);
        Err(CudaError::InvalidResourceHandle)
    }

    /// The same for a library.
    pub fn check_stream(&mut self, stream: u64, call: &str, span: Span) -> Result<(), CudaError> {
        self.stream(stream, call, span)
    }

    fn event(&mut self, event: u64, call: &str, span: Span) -> Outcome<Event> {
        if let Some(&event) = self.events.get(&event) {
            return Ok(event);
        }
        self.report(call, unknown("event", "cudaEventCreate"), span);
        Err(CudaError::InvalidResourceHandle)
    }

    fn stream_create(
        &mut self,
        device: &mut dyn Device,
        memory: &mut Memory,
        at: u64,
        flags: i32,
        made: Handle,
    ) -> Outcome<Option<Half>> {
        if !matches!(flags, 0 | 1) {
            return Err(CudaError::InvalidValue);
        }
        let stream = self.next_stream;
        put(memory, at, &stream.to_le_bytes())?;
        self.next_stream += 1;
        let priority = made.priority.clamp(GREATEST_PRIORITY, LEAST_PRIORITY);
        self.streams.insert(stream, Handle { priority, ..made });
        self.graphs.note_stream(stream, flags == 0);
        self.order(device, Order::StreamMade { stream, blocking: flags == 0, priority });
        Ok(None)
    }

    /// Managed memory, as a whole, may be attached to all streams, to the host or to one stream that is not the null stream.
    fn stream_attach(
        &mut self,
        memory: &Memory,
        stream: u64,
        address: u64,
        bytes: u64,
        flags: i32,
    ) -> Outcome<Option<Half>> {
        let whole = memory.find(address).map(|id| memory.info(id)).filter(|a| a.region == Region::Managed);
        let is_whole = whole.is_some_and(|a| a.base == address && (bytes == 0 || bytes == a.bytes));
        match flags {
            ATTACH_GLOBAL | ATTACH_HOST if is_whole => Ok(None),
            0 | ATTACH_SINGLE if is_whole && stream != 0 => Ok(None),
            _ => Err(CudaError::InvalidValue),
        }
    }

    fn stream_destroy(
        &mut self,
        device: &mut dyn Device,
        stream: u64,
        call: &str,
        span: Span,
    ) -> Outcome<Option<Half>> {
        self.stream(stream, call, span)?;
        if stream <= 2 {
            return Err(CudaError::InvalidResourceHandle);
        }
        self.array_streams.retain(|_, own| *own != stream);
        if self.default_stream == stream {
            self.default_stream = 0;
        }
        self.order(device, Order::StreamGone(stream));
        self.streams.remove(&stream);
        Ok(Some(Half::Hold))
    }

    fn event_create(&mut self, memory: &mut Memory, at: u64, flags: i32, span: Span) -> Outcome<Option<Half>> {
        // cudaEventInterprocess (4) is valid only with cudaEventDisableTiming (2).
        if !(0..8).contains(&flags) || flags & 6 == 4 {
            return Err(CudaError::InvalidValue);
        }
        let event = self.next_event;
        put(memory, at, &event.to_le_bytes())?;
        self.next_event += 1;
        self.events
            .insert(event, Event { made_at: span, device: self.current, recorded_ms: None, timed: flags & 2 == 0 });
        Ok(None)
    }

    fn event_elapsed(
        &mut self,
        device: &mut dyn Device,
        memory: &mut Memory,
        at: u64,
        (start, end): (u64, u64),
        span: Span,
    ) -> Outcome<Option<Half>> {
        const CALL: &str = "cudaEventElapsedTime";
        let (a, b) = (self.event(start, CALL, span)?, self.event(end, CALL, span)?);
        self.fit_device(("event", b.device), a.device, CALL, span)?;
        if !(a.timed && b.timed) {
            return Err(CudaError::InvalidResourceHandle);
        }
        let (Some(from), Some(to)) = (a.recorded_ms, b.recorded_ms) else {
            self.report(CALL, ApiFault::EventNotRecorded, span);
            return Err(CudaError::InvalidResourceHandle);
        };
        let between = device.elapsed_ms(start, end).unwrap_or(to - from);
        let shown = if start == end {
            0.0
        } else if between.abs() < RESOLUTION_MS {
            RESOLUTION_MS.copysign(between)
        } else {
            between
        };
        put(memory, at, &(shown as f32).to_le_bytes())?;
        Ok(Some(Half::Report))
    }
}

/// A stream or event that does not exist.
fn unknown(what: &str, made_by: &str) -> ApiFault {
    ApiFault::InvalidHandle { what: what.to_owned(), made_by: made_by.to_owned(), life: HandleLife::Unknown }
}
