//! Captures of streams: which calls they take, which they forbid, and what becomes of events.
//!
//! Source: CUDA Runtime API manual, cudaStreamBeginCapture, cudaStreamEndCapture and cudaThreadExchangeStreamCaptureMode in "Stream
//! Management", and "Data types used by CUDA Runtime", cudaError; what they leave open is as driver 580 has it.
//!
//! Not here: what becomes of the calls (`super`).

use super::topology::{Kind, Topology};
use super::{Graphs, LEGACY, Node, Outcome, RELAXED};
use crate::{Api, Command, CudaError, KernelLaunch};
use source::Span;
use std::collections::BTreeMap;

/// A capture that has begun.
#[derive(Clone, Debug)]
pub(super) struct Capture {
    /// The stream that it began with.
    pub(super) origin: u64,
    mode: i32,
    pub(super) calls: Vec<Node>,
    pub(super) topology: Topology,
    /// The captured streams, with the nodes that the next one of each comes after.
    streams: BTreeMap<u64, Vec<usize>>,
    /// The events that were recorded in it, with the nodes that come before each.
    events: BTreeMap<u64, Vec<usize>>,
    pub(super) is_broken: bool,
    /// The call that has broken it.
    pub(super) broken_by: Option<(String, Span)>,
}

impl Capture {
    /// One that begins with a stream.
    pub(super) fn new(origin: u64, mode: i32) -> Capture {
        Capture {
            origin,
            mode,
            calls: Vec::new(),
            topology: Topology::default(),
            streams: BTreeMap::from([(origin, Vec::new())]),
            events: BTreeMap::new(),
            is_broken: false,
            broken_by: None,
        }
    }

    /// Whether it may go on.
    fn check(&self) -> Outcome<()> {
        if self.is_broken { Err(CudaError::StreamCaptureInvalidated) } else { Ok(()) }
    }

    /// Something was asked that a capture forbids: it fails, and so does the call.
    fn fail(&mut self, error: CudaError) -> Outcome<()> {
        self.is_broken = true;
        Err(error)
    }

    /// Whether the first stream has waited for all that was captured.
    pub(super) fn is_joined(&self) -> bool {
        self.streams.get(&self.origin).is_some_and(|last| self.topology.is_joined(last))
    }
}

impl Graphs {
    /// The capture of a stream.
    pub(super) fn capture_of(&mut self, stream: u64) -> Option<&mut Capture> {
        self.captures.iter_mut().find(|capture| capture.streams.contains_key(&stream))
    }

    /// The capture in which an event was recorded, if that has not failed.
    fn capture_with(&self, event: u64) -> Option<usize> {
        self.captures.iter().position(|capture| !capture.is_broken && capture.events.contains_key(&event))
    }

    /// Whether an event was recorded last in a capture that has ended or failed.
    fn is_lost(&self, event: u64) -> bool {
        self.lost.contains(&event)
            || self.captures.iter().any(|capture| capture.is_broken && capture.events.contains_key(&event))
    }

    /// A call has failed: it is what has broken the captures that are broken by now.
    pub(in super::super) fn note_broken(&mut self, call: &str, span: Span) {
        for capture in self.captures.iter_mut().filter(|capture| capture.is_broken) {
            capture.broken_by.get_or_insert_with(|| (call.to_owned(), span));
        }
    }

    /// Ends the capture of that place; nobody can use its events until they are recorded again.
    pub(super) fn end(&mut self, at: usize) -> Capture {
        let capture = self.captures.remove(at);
        self.lost.extend(capture.events.keys());
        capture
    }

    /// Takes a call of a stream into the graph if that is captured. A call of the default stream is an error beside captures.
    fn take(&mut self, stream: u64, kind: impl FnOnce() -> Kind, call: impl FnOnce() -> Node) -> Outcome<bool> {
        if let Some(capture) = self.capture_of(stream) {
            capture.check()?;
            let after = capture.streams.get(&stream).cloned().unwrap_or_default();
            let node = capture.topology.add(kind(), after);
            capture.streams.insert(stream, vec![node]);
            capture.calls.push(call());
            return Ok(true);
        }
        if stream <= LEGACY {
            self.forbid_default_stream()?;
        }
        Ok(false)
    }

    /// Something is asked of the default stream: an error where a stream is captured that waits for it.
    fn forbid_default_stream(&mut self) -> Outcome<()> {
        let waits = |capture: &Capture| capture.streams.keys().any(|stream| self.blocking.contains(stream));
        let mut result = Ok(());
        for capture in self.captures.iter_mut().filter(|capture| waits(capture)) {
            result = capture.fail(CudaError::StreamCaptureImplicit);
        }
        result
    }

    /// Something is asked that may wait for work that is captured: only relaxed captures allow it.
    fn forbid_unsafe_call(&mut self) -> Outcome<()> {
        let mut result = Ok(());
        for capture in self.captures.iter_mut().filter(|capture| capture.mode != RELAXED) {
            result = capture.fail(CudaError::StreamCaptureUnsupported);
        }
        result
    }

    /// A stream is made; a blocking one waits for the default stream, and that for it.
    pub(in super::super) fn note_stream(&mut self, stream: u64, is_blocking: bool) {
        if is_blocking {
            self.blocking.insert(stream);
        }
    }

    /// Takes a launch into the graph if its stream is captured.
    pub(in super::super) fn take_launch(
        &mut self,
        launch: &KernelLaunch,
        kernel: &str,
        is_cooperative: bool,
    ) -> Outcome<bool> {
        let node = || Node::Launch { launch: launch.clone(), kernel: kernel.to_owned(), is_cooperative };
        self.take(launch.stream, || Kind::Kernel { is_cooperative }, node)
    }

    /// Takes another command into the graph if its stream is captured.
    pub(in super::super) fn take_command(&mut self, command: &Command, call: &'static str) -> Outcome<bool> {
        self.take(command.stream(), || Kind::of(command), || Node::Command(command.clone(), call))
    }

    /// Whether a stream is captured.
    pub(in super::super) fn has(&self, stream: u64) -> bool {
        self.captures.iter().any(|capture| capture.streams.contains_key(&stream))
    }

    /// The host waits for a stream, or for everything: an error where that is captured.
    pub(in super::super) fn forbid_waiting(&mut self, stream: Option<u64>) -> Outcome<()> {
        let is_meant = |capture: &&mut Capture| match stream {
            Some(stream) => capture.streams.contains_key(&stream),
            None => true,
        };
        let mut result = Ok(());
        for capture in self.captures.iter_mut().filter(is_meant) {
            result = capture.fail(CudaError::StreamCaptureUnsupported);
        }
        result
    }

    /// What a call on streams and events, or one that allocates or frees memory, means while streams are captured; `None` if it is not
    /// concerned.
    pub(in super::super) fn captured_call(&mut self, api: &Api) -> Option<Outcome<()>> {
        match *api {
            // What was recorded in a capture before is no longer what the event stands for.
            Api::EventRecord { event, stream } if !self.has(stream) => {
                self.forget_event(event);
                self.recorded.insert(event);
                None
            }
            Api::EventDestroy { event } => {
                self.forget_event(event);
                self.recorded.remove(&event);
                None
            }
            Api::StreamDestroy { stream } => {
                self.forget_stream(stream);
                None
            }
            Api::EventRecord { event, stream } => {
                let at = self.captures.iter().position(|capture| capture.streams.contains_key(&stream))?;
                if let Err(error) = self.captures[at].check() {
                    return Some(Err(error));
                }
                self.forget_event(event);
                let capture = &mut self.captures[at];
                let before = capture.streams.get(&stream).cloned().unwrap_or_default();
                capture.events.insert(event, before);
                capture.calls.push(Node::Record { event, stream });
                Some(Ok(()))
            }
            Api::StreamWaitEvent { stream, event } => self.captured_wait(stream, event),
            Api::EventElapsedTime { start, end, .. } => {
                let is_captured = [start, end].into_iter().any(|event| self.capture_with(event).is_some());
                is_captured.then_some(Err(CudaError::CapturedEvent))
            }
            Api::EventSynchronize { event } | Api::EventQuery { event } => {
                if let Some(at) = self.capture_with(event) {
                    return Some(self.captures[at].fail(CudaError::CapturedEvent));
                }
                if self.is_lost(event) {
                    return Some(Err(CudaError::InvalidValue));
                }
                self.forbid_unsafe_call().err().map(Err)
            }
            Api::StreamSynchronize { stream } | Api::StreamQuery { stream } => {
                let waits_for = |graphs: &mut Graphs| {
                    if stream <= LEGACY { graphs.forbid_default_stream() } else { graphs.forbid_waiting(Some(stream)) }
                };
                waits_for(self).and_then(|()| self.forbid_unsafe_call()).err().map(Err)
            }
            Api::MallocAsync { stream, .. } | Api::FreeAsync { stream, .. } if self.has(stream) => {
                self.forbid_waiting(Some(stream)).err().map(Err)
            }
            Api::Malloc { .. } | Api::MallocPitch { .. } | Api::CudaFree { .. } => {
                self.forbid_unsafe_call().err().map(Err)
            }
            // Variables have names. What has none is a copy that is made for a launch, or ends with its scope.
            Api::Alloc { ref name, .. } | Api::Free { ref name, .. } if !name.is_empty() => {
                self.forbid_unsafe_call().err().map(Err)
            }
            _ => None,
        }
    }

    /// A stream waits for an event: it is captured where the event is.
    fn captured_wait(&mut self, stream: u64, event: u64) -> Option<Outcome<()>> {
        let own = self.captures.iter().position(|capture| capture.streams.contains_key(&stream));
        let Some(at) = self.capture_with(event) else {
            let is_lost = self.is_lost(event);
            let is_recorded = self.recorded.contains(&event);
            return match own.map(|own| &mut self.captures[own]) {
                Some(capture) if is_lost => Some(capture.fail(CudaError::InvalidValue)),
                None if is_lost => Some(Err(CudaError::InvalidValue)),
                // What is captured cannot wait for what is not; there is nothing to wait for if there was no record.
                Some(capture) if is_recorded => Some(capture.fail(CudaError::StreamCaptureIsolation)),
                Some(capture) => Some(capture.check()),
                None => None,
            };
        };
        if let Some(own) = own.filter(|own| *own != at) {
            if let Err(error) = self.captures[own].check() {
                return Some(Err(error));
            }
            self.captures[own].is_broken = true;
            return Some(self.captures[at].fail(CudaError::StreamCaptureMerge));
        }
        let capture = &mut self.captures[at];
        let before = capture.events.get(&event).cloned().unwrap_or_default();
        let after = capture.streams.entry(stream).or_default();
        let news: Vec<usize> = before.into_iter().filter(|node| !after.contains(node)).collect();
        after.extend(news);
        capture.calls.push(Node::Wait { stream, event });
        Some(Ok(()))
    }

    /// A stream is no more. The capture that began with it has ended; what another captured stream has got is left unjoined.
    fn forget_stream(&mut self, stream: u64) {
        self.blocking.remove(&stream);
        if let Some(at) = self.captures.iter().position(|capture| capture.origin == stream) {
            self.end(at);
        }
        for capture in &mut self.captures {
            capture.streams.remove(&stream);
        }
    }

    /// An event stands no longer for what was recorded in a capture.
    pub(super) fn forget_event(&mut self, event: u64) {
        self.lost.remove(&event);
        for capture in &mut self.captures {
            capture.events.remove(&event);
        }
    }
}
