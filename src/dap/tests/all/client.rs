//! A small client: it sends requests, and collects what comes back.

use compile::Options;
use cufemu_dap::{Input, InputLine, Launch, Launcher, serve};
use debug::{Session, Setup};
use diag::Diagnostics;
use emu::Emulator;
use host::{Answer, Ask, HostOptions, Stream};
use machine::{ClockKind, DeviceBox, Machine, MachineOptions, World};
use serde_json::{Value, json};
use source::SourceMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    crates.filter(|folder| folder.join("tests/dap").is_dir()).last().expect("the repository").to_owned()
}

/// A world without files, whose standard input is that of the client.
struct Still(Input);

impl World for Still {
    fn ask(&mut self, question: &Ask) -> Answer {
        match question {
            Ask::ReadLine => match self.0.read_line() {
                InputLine::Typed(line) => Answer::Line(Some(line)),
                InputLine::End => Answer::Line(None),
                InputLine::Later => Answer::Later,
            },
            other => machine::ClosedWorld::answer(other),
        }
    }

    fn write(&mut self, _: Stream, _: &[u8]) {}
}

/// Compiles programs of the repository, or one that is given as text.
struct Compiler {
    text: Option<String>,
}

impl Launcher for Compiler {
    fn launch(&mut self, launch: &Launch, input: Input, say: &mut dyn FnMut(&str)) -> Result<Session, String> {
        let mut map = SourceMap::new();
        let mut ids = Vec::new();
        for name in &launch.files {
            let path = launch.directory.clone().unwrap_or_default().join(name);
            let text = match &self.text {
                Some(text) => text.clone(),
                None => std::fs::read_to_string(path).map_err(|e| format!("cannot read `{name}`: {e}"))?,
            };
            ids.push(map.add(name, text));
        }
        let mut diags = Diagnostics::new();
        let options = Options { level: 0, whole_modules: true, ..Options::default() };
        let compiled = compile::compile(&mut map, &ids, &options, &mut |_, _| None, &mut diags);
        diags.into_sorted().iter().for_each(|d| say(&diag::full(d, &map, diag::Style::PLAIN)));
        let compiled = compiled.ok_or("the program has errors")?;
        let module = compiled.module.clone();
        let race = launch.options.iter().any(|o| o == "--race");
        let start = move |_: &[String], _: u32| {
            let race = race.then(race::Rules::default);
            let options = emu::Options { race, rehearse: true, ..emu::Options::default() };
            let devices = vec![DeviceBox::Emulator(Box::new(Emulator::new(0, options)))];
            let host = HostOptions { stack_bytes: 1 << 20, ..HostOptions::default() };
            let options = MachineOptions { host, clock: ClockKind::Model, ..MachineOptions::default() };
            Machine::load(module.clone(), devices, &gpu::GpuOptions::default(), options)
        };
        let setup = Setup {
            checked: compiled.program,
            sources: Arc::new(map),
            start: Box::new(start),
            arguments: Vec::new(),
            rank: 0,
        };
        Session::new(setup, Box::new(Still(input))).map_err(|e| e.to_string())
    }
}

/// A message of the server.
pub(crate) fn read(input: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line).expect("readable") == 0 {
            return None;
        }
        match line.trim().split_once(": ") {
            Some((_, value)) => length = value.parse().expect("a length"),
            None => break,
        }
    }
    let mut body = vec![0; length];
    input.read_exact(&mut body).expect("a whole message");
    Some(serde_json::from_slice(&body).expect("JSON"))
}

/// Events that end the run of a program, or its launch.
const ENDS: [&str; 3] = ["stopped", "terminated", "initialized"];

/// A client with a server on a thread.
pub(crate) struct Client {
    to: Box<dyn Write>,
    from: Box<dyn BufRead>,
    seq: i64,
    server: Option<JoinHandle<std::io::Result<()>>>,
    /// The messages since the last request.
    pub(crate) heard: Vec<Value>,
}

impl Client {
    /// A client of a server that compiles programs of the repository, or this one whatever the name.
    pub(crate) fn new(text: Option<&str>) -> Client {
        let ((server_in, to), (from, server_out)) =
            (std::io::pipe().expect("a pipe"), std::io::pipe().expect("a pipe"));
        let compiler = Compiler { text: text.map(str::to_owned) };
        let work = move || serve(BufReader::new(server_in), server_out, compiler);
        let builder = std::thread::Builder::new().stack_size(64 << 20);
        let server = builder.spawn(work).expect("a thread");
        Client { server: Some(server), ..Client::of(to, from) }
    }

    /// A client of a server somewhere else.
    pub(crate) fn of(to: impl Write + 'static, from: impl Read + 'static) -> Client {
        let (to, from) = (Box::new(to), Box::new(BufReader::new(from)));
        Client { to, from, seq: 0, server: None, heard: Vec::new() }
    }

    /// A client whose program has begun and stopped for the first time.
    pub(crate) fn stopped(text: &str, configure: &[(&str, Value)], launch: Value) -> Client {
        let mut client = Client::new(Some(text));
        client.ask("initialize", json!({ "supportsInvalidatedEvent": true }));
        let mut arguments = json!({ "program": "p.cuf", "cwd": "/nowhere" });
        launch.as_object().into_iter().flatten().for_each(|(name, value)| arguments[name] = value.clone());
        client.run("launch", arguments);
        for (command, arguments) in configure {
            client.ask(command, arguments.clone());
        }
        client.run("configurationDone", json!({}));
        client
    }

    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        self.to.write_all(bytes).expect("writable");
    }

    /// Sends a request.
    pub(crate) fn send(&mut self, command: &str, arguments: Value) -> i64 {
        self.seq += 1;
        let message = json!({ "seq": self.seq, "type": "request", "command": command, "arguments": arguments });
        let body = message.to_string();
        self.send_bytes(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
        self.seq
    }

    /// The next message.
    pub(crate) fn hear(&mut self) -> Option<Value> {
        let message = read(&mut self.from)?;
        self.heard.push(message.clone());
        Some(message)
    }

    /// Waits for the response to a request.
    pub(crate) fn response(&mut self, seq: i64) -> Value {
        loop {
            let message = self.hear().expect("a response");
            if message["type"] == "response" && message["request_seq"] == seq {
                return message;
            }
        }
    }

    /// Waits for the event that ends a run.
    pub(crate) fn end_of_run(&mut self) -> Value {
        let is_end = |m: &Value| m["type"] == "event" && ENDS.iter().any(|name| m["event"] == *name);
        if let Some(heard) = self.heard.iter().find(|m| is_end(m)) {
            return heard.clone();
        }
        loop {
            let message = self.hear().expect("an event");
            if is_end(&message) {
                return message;
            }
        }
    }

    /// Sends a request and waits for its response.
    pub(crate) fn ask(&mut self, command: &str, arguments: Value) -> Value {
        self.heard.clear();
        let seq = self.send(command, arguments);
        self.response(seq)
    }

    /// The body of the answer to a request that must succeed.
    pub(crate) fn body(&mut self, command: &str, arguments: Value) -> Value {
        let response = self.ask(command, arguments);
        assert_eq!(response["success"], true, "{response}");
        response["body"].clone()
    }

    /// Sends a request and waits for the end of the run that it begins; the event.
    pub(crate) fn run(&mut self, command: &str, arguments: Value) -> Value {
        let response = self.ask(command, arguments);
        if response["success"] == false && command != "launch" {
            return response;
        }
        self.end_of_run()
    }

    /// Disconnects; the server must end without an error.
    pub(crate) fn disconnect(mut self) {
        self.ask("disconnect", json!({}));
        if let Some(server) = self.server.take() {
            server.join().expect("no panic").expect("no error");
        }
    }

    /// Closes the connection without a word; the server must end.
    pub(crate) fn hang_up(mut self) {
        let server = self.server.take().expect("a server");
        let Client { to, mut from, .. } = self;
        drop(to);
        while read(&mut from).is_some() {}
        server.join().expect("no panic").expect("no error");
    }
}
