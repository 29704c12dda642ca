//! Small host programs made of service calls, and a world that remembers what they did.

use device::Reply;
use host::{Answer, Ask, FileKind, FileStatus, Host, HostOptions, HostYield, Stream};
use ir::rt::Rt;
use ir::{Access, AddrBase, FuncKind, FunctionBuilder, Global, GlobalId, GlobalInit, Module, Reg, Space, Ty, Val};
use mem::{Memory, Region};
use source::{FileId, Span};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use vm::Program;

/// A main program under construction.
pub(crate) struct Main {
    pub(crate) b: FunctionBuilder,
    globals: Vec<Global>,
}

fn global(name: &str, bytes: u64, init: GlobalInit) -> Global {
    Global {
        name: name.into(),
        space: Space::Host,
        managed: false,
        bytes,
        align: 8,
        init,
        holes: Vec::new(),
        read_only: false,
        var: None,
        span: Span::NONE,
    }
}

impl Main {
    pub(crate) fn new() -> Main {
        Main { b: FunctionBuilder::new("main", FuncKind::Host, Span::NONE), globals: Vec::new() }
    }

    /// The address of fresh zeros.
    pub(crate) fn space(&mut self, bytes: u64) -> Val {
        self.globals.push(global("data", bytes, GlobalInit::Zero));
        self.last()
    }

    /// Address and length of a text.
    pub(crate) fn text(&mut self, text: &str) -> (Val, Val) {
        self.globals.push(global("text", text.len() as u64, GlobalInit::Bytes(text.as_bytes().into())));
        (self.last(), Val::i64(text.len() as i64))
    }

    fn last(&mut self) -> Val {
        let id = GlobalId(self.globals.len() as u32 - 1);
        self.b.addr(AddrBase::Global(id)).into()
    }

    pub(crate) fn rt(&mut self, rt: Rt, args: &[Val]) -> Vec<Reg> {
        self.b.rt(rt, args.to_vec())
    }

    /// `print *`, or with a format; the items are between this and `end`.
    pub(crate) fn write(&mut self, unit: i64, format: Option<&str>) {
        self.begin(0, unit, format, 0);
    }

    pub(crate) fn begin(&mut self, direction: i32, unit: i64, format: Option<&str>, catch: i32) {
        let form = Val::i32(i32::from(format.is_some()));
        self.rt(Rt::IoBegin, &[Val::i32(direction), form, Val::i64(unit), Val::i32(catch)]);
        if let Some(format) = format {
            let (at, len) = self.text(format);
            self.rt(Rt::IoFormat, &[at, len]);
        }
    }

    pub(crate) fn int(&mut self, value: impl Into<Val>) {
        self.rt(Rt::IoPutInt, &[value.into(), Val::i32(4)]);
    }

    pub(crate) fn string(&mut self, text: &str) {
        let (at, len) = self.text(text);
        self.rt(Rt::IoPutChar, &[at, len]);
    }

    pub(crate) fn end(&mut self) -> Val {
        self.rt(Rt::IoEnd, &[])[0].into()
    }

    /// `print *, value`
    pub(crate) fn show(&mut self, value: impl Into<Val>) {
        self.write(-1, None);
        self.int(value);
        self.end();
    }

    /// Widens an `i32`, for [`Main::show`].
    pub(crate) fn wide(&mut self, value: impl Into<Val>) -> Val {
        self.b.cvt(ir::op::CvtOp::Cast, Ty::I32, Ty::I64, value).into()
    }

    /// Loads an `i32`.
    pub(crate) fn load(&mut self, at: impl Into<Val>, offset: i64) -> Val {
        self.b.load(Ty::I32, Space::Host, Access::Plain, at, offset).into()
    }

    pub(crate) fn store(&mut self, ty: Ty, at: Val, offset: i64, value: Val) {
        self.b.store(ty, Space::Host, Access::Plain, at, offset, value);
    }

    pub(crate) fn open(&mut self, unit: i64, options: &str) -> Val {
        let (at, len) = self.text(options);
        self.rt(Rt::IoOpen, &[Val::i64(unit), Val::i64(0), at, len])[0].into()
    }

    pub(crate) fn start(self, world: World) -> Run {
        let mut b = self.b;
        b.ret(Vec::new());
        let main = Some(ir::FuncId(0));
        let module =
            Module { funcs: vec![b.finish()], globals: self.globals, types: Vec::new(), main, ..Module::default() };
        assert!(ir::verify::module(&module).is_empty());
        let mut memory = Memory::new();
        let addresses: Vec<u64> = module
            .globals
            .iter()
            .map(|g| {
                let at = memory.alloc(Region::Host, g.bytes, &g.name, g.span).expect("room");
                if let GlobalInit::Bytes(bytes) = &g.init {
                    memory.write(at, bytes).expect("inside");
                }
                at
            })
            .collect();
        let program = vm::compile(Arc::new(module), addresses).expect("valid");
        let options = HostOptions {
            arguments: vec![b"prog".to_vec(), b"one".to_vec()],
            stack_bytes: 1 << 20,
            checks_restarts: true,
            ..HostOptions::default()
        };
        let run = |mut memory: Memory, options: &HostOptions, twin: Option<Box<Run>>| {
            let host = Host::new(&program, &mut memory, options).expect("a main program");
            Run { program: program.clone(), memory, host, world: world.clone(), found: Vec::new(), twin }
        };
        let at_once = HostOptions { checks_restarts: false, ..options.clone() };
        let twin = run(memory.clone(), &at_once, None);
        run(memory, &options, Some(Box::new(twin)))
    }

    pub(crate) fn run(self, world: World) -> Run {
        let mut run = self.start(world);
        run.finish();
        run
    }
}

/// A span to tell places apart.
pub(crate) fn span(start: u32) -> Span {
    Span::new(FileId(0), start, start + 1)
}

#[derive(Clone, Debug, Default)]
pub(crate) struct World {
    pub(crate) input: VecDeque<&'static str>,
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    pub(crate) out: Vec<u8>,
    pub(crate) err: Vec<u8>,
    pub(crate) clock: u64,
    /// Bytes that were written to files.
    pub(crate) written: usize,
}

impl World {
    fn answer(&mut self, ask: &Ask) -> Answer {
        match ask {
            Ask::ReadLine => Answer::Line(self.input.pop_front().map(|l| l.as_bytes().to_vec())),
            Ask::Foreign(_) | Ask::ReadPieces { .. } | Ask::WritePieces { .. } => {
                Answer::Foreign(Err("there are no libraries".to_owned()))
            }
            Ask::ReadFile { path } => Answer::File(Ok(self.files.get(path).cloned())),
            Ask::FileStatus { path } => {
                let name = path.trim_start_matches("./").to_owned();
                let kind = match path.as_str() {
                    "pipe" => Some(FileKind::Stream),
                    _ => self.files.contains_key(&name).then_some(FileKind::Regular),
                };
                let bytes = self.files.get(&name).map_or(0, |f| f.len() as u64);
                Answer::Status(FileStatus { path: name, kind, bytes })
            }
            Ask::WriteFile { path, bytes, .. } if path == "full" && !bytes.is_empty() => {
                Answer::Done(Err("there is no room".to_owned()))
            }
            Ask::WriteFile { path, offset, bytes, length } => {
                self.written += bytes.len();
                let file = self.files.entry(path.clone()).or_default();
                let (from, to) = (*offset as usize, *offset as usize + bytes.len());
                file.resize(file.len().max(to), 0);
                file[from..to].copy_from_slice(bytes);
                file.resize(length.map_or(file.len(), |length| length as usize), 0);
                Answer::Done(Ok(()))
            }
            Ask::DeleteFile { path } => {
                self.files.remove(path);
                Answer::Done(Ok(()))
            }
            Ask::Clock | Ask::CpuClock => {
                self.clock += 1_000_000_000;
                Answer::Nanoseconds(self.clock)
            }
            Ask::Date => Answer::Date([2024, 2, 29, 0, 12, 34, 56, 789]),
            Ask::Environment { name } => Answer::Text((name == "HOME").then(|| b"/home".to_vec())),
            Ask::Command { .. } => Answer::Command(None),
            Ask::Sleep { .. } | Ask::Turn => Answer::Done(Ok(())),
        }
    }
}

/// A program on its way.
#[derive(Clone)]
pub(crate) struct Run {
    pub(crate) program: Program,
    pub(crate) memory: Memory,
    pub(crate) host: Host,
    pub(crate) world: World,
    pub(crate) found: Vec<finding::Finding>,
    /// The same program, from its beginning, where services are served at once if they can be.
    twin: Option<Box<Run>>,
}

impl Run {
    /// Runs on until the program is over; gives the exit code. Its twin has to come to the same.
    pub(crate) fn finish(&mut self) -> i32 {
        let code = loop {
            if let Some(code) = self.step(u64::MAX) {
                break code;
            }
        };
        if let Some(mut twin) = self.twin.take() {
            assert_eq!(twin.finish(), code, "the exit code where services are served at once");
            assert_eq!(twin.result(), self.result(), "the result where services are served at once");
        }
        code
    }

    /// Output, files, findings and memory.
    fn result(&self) -> String {
        let World { out, err, files, written, .. } = &self.world;
        let found: Vec<String> = self.found.iter().map(|finding| finding.diagnostic().message).collect();
        let contents = |alloc: &mem::Alloc| {
            let mut bytes = vec![0; alloc.bytes as usize];
            self.memory.read(alloc.base, &mut bytes).map(|()| bytes)
        };
        let small = self.memory.live().filter(|(_, alloc)| alloc.bytes < 1 << 16);
        let memory: Vec<_> = small.map(|(_, alloc)| (alloc.base, contents(alloc))).collect();
        format!("{out:?} {err:?} {files:?} {written} {found:?} {memory:?}")
    }

    /// Runs until one yield is served; gives the exit code at the end.
    pub(crate) fn step(&mut self, budget: u64) -> Option<i32> {
        let mut budget = budget;
        match self.host.advance(&self.program, &mut self.memory, &mut budget, None, None) {
            HostYield::Budget | HostYield::Statement(_) => {}
            HostYield::Output { stream: Stream::Stdout, bytes } => self.world.out.extend(bytes),
            HostYield::Output { stream: Stream::Stderr, bytes } => self.world.err.extend(bytes),
            HostYield::Ask(ask) => {
                let answer = self.world.answer(&ask);
                self.host.answer(answer);
            }
            HostYield::Api(call) => panic!("{call:?}"),
            HostYield::Mpi(call) => panic!("{call:?}"),
            HostYield::Fault(finding) => self.found.push(*finding),
            HostYield::Done { code } => {
                assert!(self.host.restart_violations().is_empty(), "{:?}", self.host.restart_violations());
                return Some(code);
            }
        }
        let _ = Reply::default();
        None
    }

    pub(crate) fn out(&self) -> String {
        String::from_utf8(self.world.out.clone()).expect("text")
    }

    /// The words of the one finding.
    pub(crate) fn finding(&self) -> String {
        assert_eq!(self.found.len(), 1, "{:?}", self.found);
        self.found[0].diagnostic().message
    }
}
