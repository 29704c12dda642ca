//! `cufemu dap` as an editor starts it: over standard input and output, and on a port.

#[allow(dead_code)] // The conversations themselves are tested beside the server.
#[path = "../../src/dap/tests/all/client.rs"]
mod client;

use crate::process::{cufemu, file, text};
use client::{Client, root};
use serde_json::json;
use std::io::{BufRead, BufReader, Read};
use std::net::TcpStream;
use std::process::Stdio;

const PROGRAM: &str = "\
program main
  use m
  character(8) :: word
  integer :: n
  call get_environment_variable('WORD', word)
  read *, n
  call get_command_argument(1, word(5:))
  print *, word, twice(n), N
end program main
";

const MODULE: &str =
    "module m\ncontains\n  integer function twice(i)\n    integer :: i\n    twice = 2*i\n  end function\nend module\n";

#[test]
fn an_editor_launches_a_program_with_options_arguments_environment_and_input() {
    let main = file("main.cuf", PROGRAM.as_bytes());
    file("m.cuf", MODULE.as_bytes());
    file("input.txt", b"21\n");
    let mut command = cufemu();
    let mut child = command
        .arg("dap")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut client = Client::of(child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
    assert_eq!(client.body("initialize", json!({}))["supportsStepBack"], true);
    let launch = json!({
        "program": ["m.cuf", "main.cuf"],
        "cwd": main.parent(),
        "args": ["--race", "-cpp", "-DN=7", "--", "last"],
        "env": { "WORD": "four" },
        "input": "input.txt",
    });
    assert_eq!(client.run("launch", launch)["event"], "initialized");
    assert_eq!(client.run("configurationDone", json!({}))["event"], "terminated");
    let output: String = client.heard.iter().filter_map(|m| m["body"]["output"].as_str()).collect();
    assert_eq!(output, " fourlast           42            7\n");
    client.disconnect();
    let ended = child.wait_with_output().expect("it ends");
    assert_eq!((ended.status.code(), text(&ended.stderr)), (Some(0), String::new()));
}

#[test]
fn what_is_wrong_with_a_launch_is_said() {
    let wrong = file("wrong.cuf", b"program main\n  integer :: n = trim('a')\n  m = 1\nend program\n");
    let mut child = cufemu().arg("dap").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it runs");
    let mut client = Client::of(child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
    for (arguments, what) in [
        (json!({ "program": wrong }), "the program has errors"),
        (json!({ "program": "nothing.cuf" }), "there is no such file"),
        (json!({ "program": wrong, "args": ["--jobs", "none"] }), "write a number"),
        (json!({ "program": wrong, "args": ["--device", "gpu"] }), "errors"),
        (json!({ "program": [] }), "no Fortran file"),
        (json!({ "program": wrong, "cwd": "/nowhere" }), "cannot run in"),
        (json!({ "program": wrong, "input": "/nowhere" }), "cannot read"),
        (json!({}), "missing field `program`"),
    ] {
        let answer = client.ask("launch", arguments);
        let message = answer["message"].as_str().unwrap_or_default();
        assert!(answer["success"] == false && message.contains(what), "{answer}");
        let said = client.heard.iter().any(|m| m["body"]["output"].as_str().is_some_and(|o| o.contains("error[E")));
        assert_eq!(said, what.contains("errors"), "{answer}");
    }
    client.disconnect();
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn an_editor_connects_to_a_port() {
    let mut child = cufemu().args(["dap", "--port", "0"]).stderr(Stdio::piped()).spawn().expect("it runs");
    let mut line = String::new();
    let mut err = BufReader::new(child.stderr.take().expect("a pipe"));
    err.read_line(&mut line).expect("a line");
    let port: u16 = line.trim().rsplit(' ').next().and_then(|n| n.parse().ok()).expect("a port");
    let stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    let mut client = Client::of(stream.try_clone().expect("a copy"), stream);
    client.body("initialize", json!({}));
    let program = root().join("examples/saxpy.cuf");
    assert_eq!(client.run("launch", json!({ "program": program, "stopOnEntry": true }))["event"], "initialized");
    assert_eq!(client.run("configurationDone", json!({}))["body"]["reason"], "entry");
    client.disconnect();
    let mut rest = String::new();
    err.read_to_string(&mut rest).expect("text");
    assert_eq!((child.wait().expect("it ends").code(), rest.as_str()), (Some(0), ""));
}

#[test]
fn an_editor_sees_the_other_ranks_as_threads() {
    let program = file("ranks_of_editor.cuf", crate::ranks::SUM.as_bytes());
    let mut child = cufemu()
        .arg("dap")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it runs");
    let mut client = Client::of(child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
    client.body("initialize", json!({}));
    let launch = json!({ "program": program, "args": ["--ranks", "3", "--rank", "1"], "stopOnEntry": true });
    assert_eq!(client.run("launch", launch)["event"], "initialized");
    let lines = json!([{ "line": 20 }]);
    client.body("setBreakpoints", json!({ "source": { "path": program }, "breakpoints": lines }));
    assert_eq!(client.run("configurationDone", json!({}))["body"]["reason"], "entry");
    assert_eq!(client.run("continue", json!({ "threadId": 1 }))["body"]["reason"], "breakpoint");
    let threads = client.body("threads", json!({}));
    let names: Vec<&str> =
        threads["threads"].as_array().into_iter().flatten().filter_map(|t| t["name"].as_str()).collect();
    assert_eq!(names[0], "rank 1: host");
    assert!(names[1].starts_with("rank 0 ") && names[2].starts_with("rank 2 "), "{names:?}");
    let rank_2 = threads["threads"][2]["id"].clone();
    let stack = client.body("stackTrace", json!({ "threadId": rank_2 }));
    assert_eq!(stack["totalFrames"], 1);
    assert_eq!(client.body("scopes", json!({ "frameId": stack["stackFrames"][0]["id"] }))["scopes"], json!([]));
    // A step of the thread chooses the rank first.
    client.run("next", json!({ "threadId": rank_2 }));
    assert_eq!(client.body("threads", json!({}))["threads"][0]["name"], "rank 2: host");
    let chosen = client.body("cufemu/focus", json!({ "rank": 0 }));
    assert_eq!(chosen["name"], "host");
    assert_eq!(client.body("threads", json!({}))["threads"][0]["name"], "rank 0: host");
    let value = client.body("evaluate", json!({ "expression": "rank 1", "context": "repl" }));
    assert!(value["result"].as_str().is_some_and(|text| text.starts_with("[Switching to rank 1")), "{value}");
    assert_eq!(client.ask("cufemu/focus", json!({ "rank": 9 }))["success"], false);
    client.disconnect();
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}
