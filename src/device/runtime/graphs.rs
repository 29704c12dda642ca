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

mod capture;
mod topology;

use self::capture::Capture;
use self::topology::Topology;
use super::{AllocatedBy, Half, Outcome, Runtime, put};
use crate::{Api, Arg, Command, CudaError, Device, GraphCall, KernelLaunch, Order, OrderStep, Work};
use finding::{ApiFault, HandleLife};
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
/// `cudaGraphExecUpdateResult`: success.
const UPDATED: i32 = 0;

/// One call of a captured stream.
#[derive(Clone, Debug)]
enum Node {
    Launch { launch: KernelLaunch, kernel: String, is_cooperative: bool },
    Command(Command, &'static str),
    Record { event: u64, stream: u64 },
    Wait { stream: u64, event: u64 },
}

#[derive(Clone, Debug)]
struct Graph {
    origin: u64,
    calls: Vec<Node>,
    topology: Topology,
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
    /// Events that were recorded outside of captures.
    recorded: BTreeSet<u64>,
    /// Events that were recorded last in captures that have ended.
    lost: BTreeSet<u64>,
    /// Copies of values that captured launches have for arguments: they are there as long as the nodes.
    copies: BTreeSet<u64>,
}

impl Graphs {
    /// The places where graphs were made that were not destroyed, and those where instantiated graphs were.
    pub(super) fn leaks(&self) -> (impl Iterator<Item = Span>, impl Iterator<Item = Span>) {
        (self.made.values().map(|graph| graph.made_at), self.executables.values().map(|exec| exec.made_at))
    }

    /// Takes memory that the program gives back after a launch, if the launch was captured: the node keeps its arguments' values.
    pub(super) fn keep_copy(&mut self, address: u64) -> bool {
        let is_kept = self.captures.iter().any(|capture| reads(&capture.calls, address));
        if is_kept {
            self.copies.insert(address);
        }
        is_kept
    }

    /// The copies that no node has for an argument any more.
    fn unused_copies(&mut self) -> Vec<u64> {
        let calls = || {
            let captured = self.captures.iter().map(|capture| &capture.calls);
            let made = self.made.values().map(|graph| &graph.calls);
            captured.chain(made).chain(self.executables.values().map(|executable| &executable.graph.calls))
        };
        let unused = |&copy: &u64| !calls().any(|calls| reads(calls, copy));
        let unused: Vec<u64> = self.copies.iter().copied().filter(unused).collect();
        unused.iter().for_each(|copy| {
            self.copies.remove(copy);
        });
        unused
    }

    fn next_handle(&mut self) -> u64 {
        self.handles += 1;
        FIRST_GRAPH + self.handles
    }
}

/// Whether one of these launches has that address for an argument.
fn reads(calls: &[Node], address: u64) -> bool {
    let is_this = |arg: &Arg| matches!(arg, Arg::Bits(bits) if *bits == address);
    calls.iter().any(|call| matches!(call, Node::Launch { launch, .. } if launch.args.iter().any(is_this)))
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
        let result = self.call_of_graph(device, memory, call, span);
        let unused = self.graphs.unused_copies();
        if !unused.is_empty() {
            self.order(device, Order::HostWaitsForDevice);
        }
        for copy in unused {
            self.free(device, memory, copy, AllocatedBy::Allocate, "", span)?;
        }
        result
    }

    fn call_of_graph(
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
                self.graphs.captures.push(Capture::new(stream, mode));
                Ok(None)
            }
            GraphCall::EndCapture { stream, at } => {
                self.stream(stream, call.name(), span)?;
                put(memory, at, &0u64.to_le_bytes())?;
                let capture = self.end_capture(stream, call.name(), span)?;
                let handle = self.graphs.next_handle();
                put(memory, at, &handle.to_le_bytes())?;
                let graph =
                    Graph { origin: capture.origin, calls: capture.calls, topology: capture.topology, made_at: span };
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
                let old = self.executable(executable, call.name(), span)?;
                let change = old.graph.topology.change_to(&graph.topology);
                put(memory, at, &change.map_or(UPDATED, |change| change as i32).to_le_bytes())?;
                if change.is_some() {
                    return Err(CudaError::GraphExecUpdateFailure);
                }
                let updated = self.renewed(device, old, graph);
                self.graphs.executables.insert(executable, updated);
                Ok(None)
            }
            GraphCall::DestroyExecutable { executable } => {
                let gone = self.executable(executable, call.name(), span)?;
                self.graphs.executables.remove(&executable);
                for &event in gone.events.values().chain([&gone.done]) {
                    self.order(device, Order::EventGone(event));
                    let _ = self.graphs.captured_call(&Api::EventDestroy { event });
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
        found.ok_or_else(|| self.no_such_graph("graph", "cudaGraphCreate", call, span))
    }

    fn executable(&mut self, executable: u64, call: &str, span: Span) -> Outcome<Executable> {
        let found = self.graphs.executables.get(&executable).cloned();
        found.ok_or_else(|| self.no_such_graph("executable graph", "cudaGraphInstantiate", call, span))
    }

    fn no_such_graph(&mut self, what: &str, made_by: &str, call: &str, span: Span) -> CudaError {
        self.report(
            call,
            ApiFault::InvalidHandle { what: what.to_owned(), made_by: made_by.to_owned(), life: HandleLife::Unknown },
            span,
        );
        CudaError::InvalidValue
    }

    /// Ends the capture of a stream, if it is whole.
    fn end_capture(&mut self, stream: u64, call: &str, span: Span) -> Outcome<Capture> {
        let graphs = &mut self.graphs;
        let capture = graphs.capture_of(stream).ok_or(CudaError::IllegalState)?;
        if capture.origin != stream {
            capture.is_broken = true;
            return Err(CudaError::StreamCaptureUnmatched);
        }
        let at = graphs.captures.iter().position(|capture| capture.origin == stream).ok_or(CudaError::IllegalState)?;
        let capture = graphs.end(at);
        if capture.is_broken {
            if let Some((by, at)) = capture.broken_by {
                self.report(call, ApiFault::CaptureBroken { by, at }, span);
            }
            return Err(CudaError::StreamCaptureInvalidated);
        }
        if capture.is_joined() { Ok(capture) } else { Err(CudaError::StreamCaptureUnjoined) }
    }

    fn instantiate(&mut self, device: &mut dyn Device, graph: Graph, made_at: Span) -> Executable {
        let done = self.next_event;
        self.next_event += 1;
        let empty = Graph { calls: Vec::new(), topology: Topology::default(), ..graph };
        let bare = Executable { graph: empty, streams: BTreeMap::new(), events: BTreeMap::new(), done, made_at };
        self.renewed(device, bare, graph)
    }

    /// An instantiated graph with another graph in the place of its own; its streams and events are used again, and more made if they are
    /// not enough.
    fn renewed(&mut self, device: &mut dyn Device, old: Executable, graph: Graph) -> Executable {
        let (mut spare_streams, mut spare_events) = (old.streams.into_values(), old.events.into_values());
        let (mut streams, mut events) = (BTreeMap::new(), BTreeMap::new());
        for call in &graph.calls {
            let (stream, event) = match call {
                Node::Launch { launch, .. } => (launch.stream, None),
                Node::Command(command, _) => (command.stream(), None),
                Node::Record { event, stream } | Node::Wait { stream, event } => (*stream, Some(*event)),
            };
            if stream != graph.origin && !streams.contains_key(&stream) {
                let own = spare_streams.next().unwrap_or_else(|| {
                    let own = self.next_stream;
                    self.next_stream += 1;
                    self.order(device, Order::StreamMade { stream: own, blocking: false, priority: 0 });
                    own
                });
                streams.insert(stream, own);
            }
            if let Some(event) = event
                && !events.contains_key(&event)
            {
                let own = spare_events.next().unwrap_or_else(|| {
                    self.next_event += 1;
                    self.next_event - 1
                });
                events.insert(event, own);
            }
        }
        spare_events.for_each(|event| self.order(device, Order::EventGone(event)));
        spare_streams.for_each(|stream| self.order(device, Order::StreamGone(stream)));
        Executable { graph, streams, events, done: old.done, made_at: old.made_at }
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
        for node in executable.graph.calls.iter().cloned() {
            match node {
                Node::Launch { launch, kernel, is_cooperative } => {
                    let stream = stream_of(launch.stream);
                    let launch = KernelLaunch { stream, number: self.launches + 1, ..launch };
                    self.last_launch = Some((kernel.clone(), launch.span));
                    if self.graphs.take_launch(&launch, &kernel, is_cooperative)? {
                        continue;
                    }
                    let (number, span) = (launch.number, launch.span);
                    device.submit(memory, Command::Launch(launch))?;
                    self.launches += 1;
                    let (work, device) = (Work::Launch { number, kernel }, self.device_of(stream));
                    self.steps.push(OrderStep::Submitted { work, device, stream, span });
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
