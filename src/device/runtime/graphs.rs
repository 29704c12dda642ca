//! Graphs of the CUDA runtime: streams are captured, graphs instantiated and launched.
//!
//! While a stream is captured, its commands do not run: they become nodes of a graph. A stream that waits for an event of a captured
//! stream is captured, too. An instantiated graph has streams and events of its own in the place of all captured ones but the first, so
//! that a launch of it repeats the calls in order: on the stream of the launch, and on those.
//!
//! Source: CUDA Runtime API manual, "Graph Management", and cudaStreamBeginCapture, cudaStreamEndCapture in "Stream Management";
//! CUDA C++ Programming Guide, "CUDA Graphs", "Creating a Graph Using Stream Capture".
//!
//! Not here: graphs that are made node by node.

use super::{Half, Outcome, Runtime, put};
use crate::{Api, Command, CudaError, Device, GraphCall, KernelLaunch, Order, OrderStep, Work};
use finding::ApiFault;
use mem::Memory;
use source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// Handles of graphs are greater than this number.
const FIRST_GRAPH: u64 = 0x100_0000;

/// The legacy default stream; 0 stands for it, too.
const LEGACY: u64 = 1;

/// `cudaStreamCaptureModeRelaxed`: other work may go on beside the capture.
const RELAXED: i32 = 2;
/// `cudaStreamCaptureStatus`: none, active, invalidated.
const STATUS: [i32; 3] = [0, 1, 2];
/// `cudaGraphExecUpdateResult`: success, and another structure.
const UPDATED: i32 = 0;
const OTHER_STRUCTURE: i32 = 2;

/// One call of a captured stream.
#[derive(Clone, Debug)]
enum Node {
    Launch(KernelLaunch, String),
    Command(Command, &'static str),
    Record { event: u64, stream: u64 },
    Wait { stream: u64, event: u64 },
}

/// What is known of a stream while it is captured.
#[derive(Clone, Copy, Debug, Default)]
struct Captured {
    /// How many calls it has got.
    calls: u64,
    /// Whether the first stream waits for all of them.
    is_joined: bool,
}

/// A capture that has begun.
#[derive(Clone, Debug)]
struct Capture {
    /// The stream that it began with.
    origin: u64,
    mode: i32,
    nodes: Vec<Node>,
    streams: BTreeMap<u64, Captured>,
    /// Where events were recorded: the stream, and the calls that it had got.
    events: BTreeMap<u64, (u64, u64)>,
    is_broken: bool,
}

impl Capture {
    /// Adds a call, unless the capture has failed.
    fn push(&mut self, node: Node) -> Outcome<()> {
        if self.is_broken {
            return Err(CudaError::StreamCaptureInvalidated);
        }
        self.nodes.push(node);
        Ok(())
    }

    /// Counts a call that a stream has got.
    fn count(&mut self, stream: u64, is_joined: bool) {
        let calls = self.streams.get(&stream).map_or(0, |state| state.calls) + 1;
        self.streams.insert(stream, Captured { calls, is_joined });
    }

    /// Something was asked that a capture forbids: it fails, and so does the call.
    fn fail(&mut self, error: CudaError) -> Outcome<()> {
        self.is_broken = true;
        Err(error)
    }
}

#[derive(Clone, Debug)]
struct Graph {
    origin: u64,
    nodes: Vec<Node>,
    made_at: Span,
}

/// A graph that can be launched.
#[derive(Clone, Debug)]
struct Executable {
    graph: Graph,
    /// Its own streams and events, by those that were captured.
    streams: BTreeMap<u64, u64>,
    events: BTreeMap<u64, u64>,
    /// The event that its last launch has recorded at its end: the next one comes after it, on whichever stream.
    done: u64,
    made_at: Span,
}

/// Captures, graphs and instantiated graphs of a process.
#[derive(Clone, Debug, Default)]
pub(super) struct Graphs {
    captures: Vec<Capture>,
    made: BTreeMap<u64, Graph>,
    executables: BTreeMap<u64, Executable>,
    /// Streams that wait for the default stream.
    blocking: BTreeSet<u64>,
    handles: u64,
}

impl Graphs {
    fn capture_of(&mut self, stream: u64) -> Option<&mut Capture> {
        self.captures.iter_mut().find(|capture| capture.streams.contains_key(&stream))
    }

    /// The capture in which an event was recorded.
    fn capture_with(&mut self, event: u64) -> Option<&mut Capture> {
        self.captures.iter_mut().find(|capture| capture.events.contains_key(&event))
    }

    /// The places where graphs were made that were not destroyed, and those where instantiated graphs were.
    pub(super) fn leaks(&self) -> (impl Iterator<Item = Span>, impl Iterator<Item = Span>) {
        (self.made.values().map(|graph| graph.made_at), self.executables.values().map(|exec| exec.made_at))
    }

    /// Takes a call of a stream into the graph if that is captured. A call of the default stream is an error beside captures.
    fn take(&mut self, stream: u64, node: impl FnOnce() -> Node) -> Outcome<bool> {
        if let Some(capture) = self.capture_of(stream) {
            capture.push(node())?;
            capture.count(stream, false);
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

    /// A stream is made; a blocking one waits for the default stream, and that for it.
    pub(super) fn note_stream(&mut self, stream: u64, is_blocking: bool) {
        if is_blocking {
            self.blocking.insert(stream);
        }
    }

    /// Takes a launch into the graph if its stream is captured.
    pub(super) fn take_launch(&mut self, launch: &KernelLaunch, kernel: &str) -> Outcome<bool> {
        self.take(launch.stream, || Node::Launch(launch.clone(), kernel.to_owned()))
    }

    /// Takes another command into the graph if its stream is captured.
    pub(super) fn take_command(&mut self, command: &Command, call: &'static str) -> Outcome<bool> {
        self.take(command.stream(), || Node::Command(command.clone(), call))
    }

    /// Whether a stream is captured.
    pub(super) fn has(&self, stream: u64) -> bool {
        self.captures.iter().any(|capture| capture.streams.contains_key(&stream))
    }

    /// The host waits for a stream, or for everything: an error where that is captured.
    pub(super) fn forbid_waiting(&mut self, stream: Option<u64>) -> Outcome<()> {
        let is_meant = |capture: &&mut Capture| match stream {
            Some(stream) => capture.streams.contains_key(&stream),
            None => true,
        };
        let capture = self.captures.iter_mut().find(is_meant);
        capture.map_or(Ok(()), |capture| capture.fail(CudaError::StreamCaptureUnsupported))
    }

    /// What a call on streams and events means while streams are captured; `None` if it is not concerned.
    pub(super) fn captured_call(&mut self, api: &Api) -> Option<Outcome<()>> {
        match *api {
            // What was recorded in a capture before is no longer what the event stands for.
            Api::EventRecord { event, stream } if !self.has(stream) => {
                self.forget_event(event);
                None
            }
            Api::EventDestroy { event } => {
                self.forget_event(event);
                None
            }
            Api::StreamDestroy { stream } => {
                self.captures.retain(|capture| !capture.streams.contains_key(&stream));
                self.blocking.remove(&stream);
                None
            }
            Api::EventRecord { event, stream } => {
                let capture = self.capture_of(stream)?;
                let recorded = capture.push(Node::Record { event, stream });
                if recorded.is_ok() {
                    let calls = capture.streams.get(&stream).map_or(0, |state| state.calls);
                    capture.events.insert(event, (stream, calls));
                }
                Some(recorded)
            }
            Api::StreamWaitEvent { stream, event } => {
                let Some(capture) = self.capture_with(event) else {
                    // What is captured cannot wait for what is not.
                    return Some(self.capture_of(stream)?.fail(CudaError::StreamCaptureIsolation));
                };
                if let Err(error) = capture.push(Node::Wait { stream, event }) {
                    return Some(Err(error));
                }
                let (of, calls) = capture.events.get(&event).copied()?;
                if let Some(state) = capture.streams.get_mut(&of)
                    && state.calls == calls
                {
                    state.is_joined = true;
                }
                capture.count(stream, stream == capture.origin);
                Some(Ok(()))
            }
            Api::EventSynchronize { event } | Api::EventQuery { event } => {
                Some(self.capture_with(event)?.fail(CudaError::CapturedEvent))
            }
            Api::StreamSynchronize { stream } | Api::StreamQuery { stream } if self.has(stream) => {
                Some(self.forbid_waiting(Some(stream)))
            }
            Api::StreamSynchronize { stream } | Api::StreamQuery { stream } if stream <= LEGACY => {
                if let Err(error) = self.forbid_default_stream() {
                    return Some(Err(error));
                }
                let capture = self.captures.iter_mut().find(|capture| capture.mode != RELAXED)?;
                Some(capture.fail(CudaError::StreamCaptureUnsupported))
            }
            _ => None,
        }
    }

    fn forget_event(&mut self, event: u64) {
        for capture in &mut self.captures {
            capture.events.remove(&event);
        }
    }

    fn next_handle(&mut self) -> u64 {
        self.handles += 1;
        FIRST_GRAPH + self.handles
    }
}

impl Node {
    /// Whether a node of the same structure may take its place in an instantiated graph.
    fn is_like(&self, other: &Node) -> bool {
        match (self, other) {
            (Node::Launch(a, _), Node::Launch(b, _)) => a.func == b.func && a.stream == b.stream,
            (Node::Command(a, _), Node::Command(b, _)) => {
                std::mem::discriminant(a) == std::mem::discriminant(b) && a.stream() == b.stream()
            }
            (Node::Record { event, stream }, Node::Record { event: e, stream: s })
            | (Node::Wait { event, stream }, Node::Wait { event: e, stream: s }) => (event, stream) == (e, s),
            _ => false,
        }
    }
}

impl Runtime {
    /// The calls that concern graphs.
    pub(super) fn graph_call(
        &mut self,
        device: &mut dyn Device,
        memory: &mut Memory,
        call: &GraphCall,
        span: Span,
    ) -> Outcome<Option<Half>> {
        match *call {
            GraphCall::BeginCapture { stream, mode } => {
                self.stream(stream, call.name(), span)?;
                if !(0..=RELAXED).contains(&mode) {
                    return Err(CudaError::InvalidValue);
                }
                if stream <= LEGACY {
                    return Err(CudaError::StreamCaptureUnsupported);
                }
                if self.graphs.has(stream) {
                    return Err(CudaError::IllegalState);
                }
                self.graphs.captures.push(Capture {
                    origin: stream,
                    mode,
                    nodes: Vec::new(),
                    streams: BTreeMap::from([(stream, Captured { calls: 0, is_joined: true })]),
                    events: BTreeMap::new(),
                    is_broken: false,
                });
                Ok(None)
            }
            GraphCall::EndCapture { stream, at } => {
                self.stream(stream, call.name(), span)?;
                put(memory, at, &0u64.to_le_bytes())?;
                let capture = self.end_capture(stream)?;
                let handle = self.graphs.next_handle();
                put(memory, at, &handle.to_le_bytes())?;
                let graph = Graph { origin: capture.origin, nodes: capture.nodes, made_at: span };
                self.graphs.made.insert(handle, graph);
                Ok(None)
            }
            GraphCall::IsCapturing { stream, at } => {
                self.stream(stream, call.name(), span)?;
                let [none, active, invalidated] = STATUS;
                let status = match self.graphs.capture_of(stream) {
                    None => none,
                    Some(capture) if capture.is_broken => invalidated,
                    Some(_) => active,
                };
                put(memory, at, &status.to_le_bytes()).map(|()| None)
            }
            GraphCall::Instantiate { at, graph } => {
                let graph = self.graph(graph, call.name(), span)?;
                let executable = self.instantiate(device, graph, span);
                let handle = self.graphs.next_handle();
                put(memory, at, &handle.to_le_bytes())?;
                self.graphs.executables.insert(handle, executable);
                Ok(None)
            }
            GraphCall::Launch { executable, stream } => {
                self.stream(stream, call.name(), span)?;
                let executable = self.executable(executable, call.name(), span)?;
                self.launch_graph(device, memory, &executable, stream)?;
                Ok(Some(Half::Launch))
            }
            GraphCall::Update { executable, graph, at } => {
                let graph = self.graph(graph, call.name(), span)?;
                let old = self.executable(executable, call.name(), span)?.graph;
                let is_alike = old.origin == graph.origin
                    && old.nodes.len() == graph.nodes.len()
                    && old.nodes.iter().zip(&graph.nodes).all(|(old, new)| old.is_like(new));
                let result = if is_alike { UPDATED } else { OTHER_STRUCTURE };
                put(memory, at, &result.to_le_bytes())?;
                if !is_alike {
                    return Err(CudaError::GraphExecUpdateFailure);
                }
                if let Some(executable) = self.graphs.executables.get_mut(&executable) {
                    executable.graph = graph;
                }
                Ok(None)
            }
            GraphCall::DestroyExecutable { executable } => {
                let gone = self.executable(executable, call.name(), span)?;
                self.graphs.executables.remove(&executable);
                for &event in gone.events.values().chain([&gone.done]) {
                    self.order(device, Order::EventGone(event));
                }
                for &stream in gone.streams.values() {
                    self.order(device, Order::StreamGone(stream));
                }
                Ok(None)
            }
            GraphCall::Destroy { graph } => {
                self.graph(graph, call.name(), span)?;
                self.graphs.made.remove(&graph);
                Ok(None)
            }
        }
    }

    fn graph(&mut self, graph: u64, call: &str, span: Span) -> Outcome<Graph> {
        let found = self.graphs.made.get(&graph).cloned();
        found.ok_or_else(|| self.no_such_graph("graph", call, span))
    }

    fn executable(&mut self, executable: u64, call: &str, span: Span) -> Outcome<Executable> {
        let found = self.graphs.executables.get(&executable).cloned();
        found.ok_or_else(|| self.no_such_graph("executable graph", call, span))
    }

    fn no_such_graph(&mut self, what: &str, call: &str, span: Span) -> CudaError {
        self.report(call, ApiFault::InvalidHandle { what: what.to_owned() }, span);
        CudaError::InvalidValue
    }

    /// Ends the capture of a stream, if it is whole.
    fn end_capture(&mut self, stream: u64) -> Outcome<Capture> {
        let captures = &mut self.graphs.captures;
        let at = captures.iter().position(|capture| capture.streams.contains_key(&stream));
        let at = at.ok_or(CudaError::IllegalState)?;
        if captures[at].origin != stream {
            captures[at].is_broken = true;
            return Err(CudaError::StreamCaptureUnmatched);
        }
        let capture = captures.remove(at);
        if capture.is_broken {
            return Err(CudaError::StreamCaptureInvalidated);
        }
        let is_joined = |(of, state): (&u64, &Captured)| *of == stream || state.is_joined;
        if !capture.streams.iter().all(is_joined) {
            return Err(CudaError::StreamCaptureUnjoined);
        }
        Ok(capture)
    }

    fn instantiate(&mut self, device: &mut dyn Device, graph: Graph, made_at: Span) -> Executable {
        let (mut streams, mut events) = (BTreeMap::new(), BTreeMap::new());
        for node in &graph.nodes {
            let (stream, event) = match node {
                Node::Launch(launch, _) => (launch.stream, None),
                Node::Command(command, _) => (command.stream(), None),
                Node::Record { event, stream } | Node::Wait { stream, event } => (*stream, Some(*event)),
            };
            if stream != graph.origin && !streams.contains_key(&stream) {
                let own = self.next_stream;
                self.next_stream += 1;
                streams.insert(stream, own);
                self.order(device, Order::StreamMade { stream: own, blocking: false, priority: 0 });
            }
            if let Some(event) = event
                && !events.contains_key(&event)
            {
                events.insert(event, self.next_event);
                self.next_event += 1;
            }
        }
        let done = self.next_event;
        self.next_event += 1;
        Executable { graph, streams, events, done, made_at }
    }

    /// Makes all calls of an instantiated graph, those of the first stream on `stream`.
    fn launch_graph(
        &mut self,
        device: &mut dyn Device,
        memory: &mut Memory,
        executable: &Executable,
        stream: u64,
    ) -> Outcome<()> {
        let on = if stream == 0 { self.default_stream } else { stream };
        let stream_of = |stream: u64| executable.streams.get(&stream).copied().unwrap_or(on);
        let event_of = |event: u64| executable.events.get(&event).copied().unwrap_or(event);
        let is_captured = self.graphs.has(on);
        if !is_captured {
            self.order(device, Order::StreamWaits { stream: on, event: executable.done });
        }
        for node in executable.graph.nodes.iter().cloned() {
            match node {
                Node::Launch(launch, kernel) => {
                    let stream = stream_of(launch.stream);
                    let launch = KernelLaunch { stream, number: self.launches + 1, ..launch };
                    self.last_launch = Some((kernel.clone(), launch.span));
                    if self.graphs.take_launch(&launch, &kernel)? {
                        continue;
                    }
                    let (number, span) = (launch.number, launch.span);
                    device.submit(memory, Command::Launch(launch))?;
                    self.launches += 1;
                    let work = Work::Launch { number, kernel };
                    self.steps.push(OrderStep::Submitted { work, device: self.current, stream, span });
                }
                Node::Command(command, call) => {
                    let stream = stream_of(command.stream());
                    self.submit(device, memory, command.on(stream), call)?;
                }
                Node::Record { event, stream } => {
                    let recorded = Api::EventRecord { event: event_of(event), stream: stream_of(stream) };
                    if self.graphs.captured_call(&recorded).is_none() {
                        self.order(device, Order::Recorded { event: event_of(event), stream: stream_of(stream) });
                    }
                }
                Node::Wait { stream, event } => {
                    let (stream, event) = (stream_of(stream), event_of(event));
                    if self.graphs.captured_call(&Api::StreamWaitEvent { stream, event }).is_none() {
                        self.order(device, Order::StreamWaits { stream, event });
                    }
                }
            }
        }
        if !is_captured {
            self.order(device, Order::Recorded { event: executable.done, stream: on });
        }
        Ok(())
    }
}
