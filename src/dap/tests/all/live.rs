//! What depends on time or on bytes: programs that run until they are stopped, requests that come meanwhile, bytes that are no
//! messages, large launches.

use crate::client::{Client, root};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::time::{Duration, Instant};

/// A kernel that does not end by itself.
const ENDLESS: &str = include_str!("../../../debug/tests/endless.cuf");

fn at_line(line: usize, more: &Value) -> (&'static str, Value) {
    let mut breakpoint = json!({ "line": line });
    more.as_object().into_iter().flatten().for_each(|(name, value)| breakpoint[name] = value.clone());
    ("setBreakpoints", json!({ "source": { "path": "/nowhere/p.cuf" }, "breakpoints": [breakpoint] }))
}

/// Begins a program that does not stop by itself.
fn running(configure: &[(&str, Value)]) -> Client {
    let mut client = Client::new(Some(ENDLESS));
    client.ask("initialize", json!({ "supportsProgressReporting": true }));
    client.run("launch", json!({ "program": "p.cuf", "cwd": "/nowhere" }));
    for (command, arguments) in configure {
        client.ask(command, arguments.clone());
    }
    client.body("configurationDone", json!({}));
    std::thread::sleep(Duration::from_millis(200));
    client
}

#[test]
fn a_running_program_is_paused_wherever_it_is() {
    // Also one that does nothing but reach a breakpoint whose condition is false.
    let never = at_line(8, &json!({ "condition": "i == -1" }));
    for configure in [&[][..], &[never]] {
        let mut client = running(configure);
        let stop = client.run("pause", json!({ "threadId": 1 }));
        assert_eq!(stop["body"]["reason"], "pause", "{stop}");
        let thread = &stop["body"]["threadId"];
        let stack = client.body("stackTrace", json!({ "threadId": thread }));
        assert!(stack["stackFrames"][0]["name"].as_str().is_some_and(|name| name.starts_with("spin")), "{stack}");
        assert_eq!(client.run("stepBack", json!({ "threadId": thread }))["body"]["reason"], "step");
        client.body("continue", json!({ "threadId": thread }));
        client.disconnect();
    }
}

#[test]
fn breakpoints_are_set_and_threads_are_listed_while_the_program_runs() {
    let mut client = running(&[]);
    let threads = client.body("threads", json!({}));
    assert_eq!(threads["threads"][0]["name"], "host");
    let refused = client.ask("stackTrace", json!({ "threadId": 1 }));
    assert_eq!(refused["message"], "notStopped");
    let (command, arguments) = at_line(10, &json!({ "hitCondition": "3" }));
    let stop = client.run(command, arguments);
    assert_eq!(stop["body"]["reason"], "breakpoint", "{stop}");
    client.hang_up();
}

#[test]
fn a_running_program_is_restarted_or_ended() {
    let mut client = running(&[]);
    client.body("restart", json!({}));
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(client.run("pause", json!({}))["body"]["reason"], "pause");
    client.body("continue", json!({}));
    assert_eq!(client.run("terminate", json!({}))["event"], "terminated");
    client.disconnect();
    running(&[]).hang_up();
}

#[test]
fn the_progress_of_a_long_run_is_told_until_it_ends() {
    let mut client = running(&[]);
    let begun = client.hear().expect("an event");
    assert_eq!((&begun["event"], &begun["body"]["message"]), (&json!("progressStart"), &json!("block 1 of 1")));
    assert_eq!(client.hear().expect("an event")["event"], "progressUpdate");
    client.run("pause", json!({}));
    let heard: Vec<&str> = client.heard.iter().filter_map(|m| m["event"].as_str()).collect();
    assert_eq!(heard.iter().rev().take(2).copied().collect::<Vec<_>>(), ["stopped", "progressEnd"]);
    client.disconnect();
}

#[test]
fn a_script_that_does_not_end_is_stopped() {
    let mut client = running(&[]);
    client.run("pause", json!({}));
    let looped = client.send("evaluate", json!({ "expression": "while 1\nset $n = 1\nend", "context": "repl" }));
    std::thread::sleep(Duration::from_millis(100));
    let paused = client.send("pause", json!({}));
    assert_eq!(client.response(looped)["success"], false);
    assert_eq!(client.response(paused)["success"], true);
    client.disconnect();
}

#[test]
fn attaching_is_refused_with_what_to_do_instead() {
    let mut client = Client::new(None);
    let answer = client.ask("attach", json!({ "processId": 1 }));
    let text = answer["body"]["error"]["format"].as_str().unwrap_or_default();
    assert!(answer["success"] == false && text.contains("launch"), "{answer}");
    assert_eq!(answer["body"]["error"]["showUser"], true, "{answer}");
    client.disconnect();
}

#[test]
fn bytes_that_are_no_request_are_answered_with_an_error() {
    let mut client = Client::new(None);
    for (body, what) in [
        ("{", "not JSON"),
        ("[]", "not a request"),
        ("{\"seq\":7,\"type\":\"request\"}", "no command"),
        ("{\"seq\":7,\"type\":\"response\",\"command\":\"x\"}", "not a request"),
    ] {
        client.send_bytes(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
        let answer = client.hear().expect("an answer");
        let message = answer["message"].as_str().unwrap_or_default();
        assert!(answer["success"] == false && message.contains(what), "{body}: {answer}");
    }
    client.send_bytes(b"X-Header: 1\r\n\r\n");
    assert_eq!(client.hear().expect("an answer")["success"], false);
    for command in ["next", "variables", "nonsense", "restart", "evaluate", "cufemu/focus"] {
        assert_eq!(client.ask(command, json!({}))["success"], false, "{command}");
    }
    client.disconnect();
    let mut client = Client::new(None);
    client.send_bytes(b"Content-Length: 99\r\n\r\n{");
    client.hang_up();
}

#[test]
fn arguments_that_make_no_sense_are_refused() {
    let program = "program main\n  integer :: a(3)\n  a = 1\n  print *, a\nend program main\n";
    let entry = json!({ "stopOnEntry": true });
    let mut client = Client::stopped(program, &[], entry);
    let bad = [
        json!(null),
        json!(7),
        json!([]),
        json!({ "threadId": -1, "frameId": "x", "variablesReference": 1e300 }),
        json!({ "threadId": i64::MIN, "frameId": i64::MAX, "variablesReference": i64::MIN, "name": "(9)", "value": ")" }),
        json!({ "expression": "a(", "memoryReference": "0x", "count": u64::MAX, "context": "watch" }),
        json!({ "source": { "path": "\u{0}" }, "breakpoints": [{ "line": 0 }, { "line": u64::MAX }, {}], "line": 0 }),
        json!({ "source": { "path": "/nowhere/p.cuf" }, "breakpoints": [{ "line": u64::MAX, "condition": "a" }], "endLine": u64::MAX }),
        json!({ "breakpoints": [{ "name": "end; run" }, { "name": "" }, { "dataId": "x" }, { "name": "é" }], "filters": ["x"] }),
        json!({ "block": [0, 0, 0], "thread": [1, 1, u32::MAX], "lane": 99, "expression": "a", "first": [u64::MAX, 0], "size": [0, 0] }),
        json!({ "text": "é", "column": u64::MAX, "start": u64::MAX, "offset": i64::MIN, "memoryReference": "0xffffffffffffffff", "count": 9 }),
    ];
    let ends = ["launch", "terminate", "disconnect", "restart", "continue", "next", "stepIn", "stepBack", "stepOut"];
    for command in cufemu_dap::REQUESTS.iter().filter(|name| !ends.contains(name) && **name != "reverseContinue") {
        for arguments in &bad {
            let answer = client.ask(command, arguments.clone());
            assert_eq!(answer["type"], "response", "{command} {arguments}");
        }
    }
    let value = client.body("evaluate", json!({ "expression": "size(a)", "context": "watch" }));
    assert_eq!(value["result"], "3");
    client.disconnect();
}

/// Requests in an order that no editor has, with numbers that may be old.
#[test]
fn any_order_of_requests_leaves_a_session_that_answers() {
    let program = std::fs::read_to_string(root().join("tests/debug/shared.cuf")).expect("a program");
    let runs = ["continue", "next", "stepIn", "stepOut", "stepBack", "reverseContinue", "restart", "cufemu/focus"];
    let typed = [
        "next",
        "reverse-step",
        "watch s(5)",
        "thread 3",
        "host",
        "tbreak 16",
        "delete",
        "set var t = 3",
        "t",
        "up",
        "run",
    ];
    for seed in 1..=3u64 {
        let (entry, line) = (json!({ "stopOnEntry": true, "stopAtEnd": true }), 8 + seed as usize);
        let mut client = Client::stopped(&program, &[at_line(line, &json!({ "condition": "t > 30" }))], entry);
        let mut state = seed;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for _ in 0..40 {
            let thread = 1 + random(5);
            let reference = 1000 + random(60);
            let answer = match random(12) {
                0..=3 => {
                    let command = runs[random(runs.len() as u64) as usize];
                    let arguments = json!({ "threadId": thread, "lane": random(40), "warp": random(3) });
                    let end = client.run(command, if command == "restart" { json!({}) } else { arguments });
                    if end["event"] == "terminated" {
                        client.run("restart", json!({}));
                    }
                    continue;
                }
                4 => {
                    let expression = typed[random(typed.len() as u64) as usize];
                    client.ask("evaluate", json!({ "expression": expression, "context": "repl" }))
                }
                5 => client.ask("stackTrace", json!({ "threadId": thread })),
                6 => client.ask("scopes", json!({ "frameId": reference })),
                7 => client.ask("variables", json!({ "variablesReference": reference, "start": random(9) })),
                8 => client
                    .ask("setVariable", json!({ "variablesReference": reference, "name": "(2)", "value": "t + 1" })),
                9 => client.ask("evaluate", json!({ "expression": "s(t)", "frameId": reference, "context": "watch" })),
                10 => client.ask("dataBreakpointInfo", json!({ "variablesReference": reference, "name": "t" })),
                _ => {
                    let (command, arguments) = at_line(6 + random(14) as usize, &json!({ "hitCondition": "% 3" }));
                    client.ask(command, arguments)
                }
            };
            assert_eq!(answer["type"], "response", "seed {seed}");
        }
        assert_eq!(client.ask("threads", json!({}))["success"], true, "seed {seed}");
        client.disconnect();
    }
}

const READER: &str =
    "program main\n  integer :: n\n  print '(a)', 'how many?'\n  read *, n\n  print *, 2*n\nend program main\n";

#[test]
fn a_program_reads_and_writes_in_a_terminal_of_the_editor() {
    let mut client = Client::new(Some(READER));
    client.ask("initialize", json!({ "supportsRunInTerminalRequest": true }));
    let seq = client.send("launch", json!({ "program": "p.cuf", "cwd": "/nowhere", "console": "integratedTerminal" }));
    let asked = loop {
        let message = client.hear().expect("a request");
        if message["type"] == "request" {
            break message;
        }
    };
    let arguments = &asked["arguments"];
    assert_eq!((&asked["command"], &arguments["kind"]), (&json!("runInTerminal"), &json!("integrated")));
    let words: Vec<&str> = arguments["args"].as_array().expect("words").iter().filter_map(Value::as_str).collect();
    assert_eq!(words[1..3], ["dap", "--terminal"]);
    let port: u16 = words[3].parse().expect("a port");
    // The terminal: what is typed there and what it shows.
    let (typed, mut keys) = std::io::pipe().expect("a pipe");
    let (mut screen, shown) = std::io::pipe().expect("a pipe");
    let terminal = std::thread::spawn(move || cufemu_dap::relay(port, typed, shown));
    assert_eq!(client.response(seq)["success"], true);
    client.body("configurationDone", json!({}));
    // The program waits for a line, and can be looked at meanwhile.
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(client.body("threads", json!({}))["threads"][0]["name"], "host");
    keys.write_all(b"21\n").expect("it is read");
    assert_eq!(client.end_of_run()["event"], "terminated");
    terminal.join().expect("no panic").expect("no error");
    let mut text = String::new();
    screen.read_to_string(&mut text).expect("text");
    assert_eq!(text, "how many?\n           42\n");
    client.disconnect();
}

#[test]
fn a_terminal_that_cannot_be_opened_fails_the_launch() {
    let mut client = Client::new(Some(READER));
    client.ask("initialize", json!({ "supportsRunInTerminalRequest": true }));
    let seq = client.send("launch", json!({ "program": "p.cuf", "console": "externalTerminal" }));
    let asked = loop {
        let message = client.hear().expect("a request");
        if message["type"] == "request" {
            break message["seq"].clone();
        }
    };
    let refusal =
        json!({ "seq": 99, "type": "response", "request_seq": asked, "success": false, "message": "no window" });
    let body = refusal.to_string();
    client.send_bytes(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    let answer = client.response(seq);
    assert_eq!(answer["message"], "no terminal could be opened: no window");
    client.disconnect();
    // An editor without terminals is told that there is none.
    let client = Client::stopped(READER, &[], json!({ "console": "integratedTerminal" }));
    let stop = client.heard.iter().any(|m| m["body"]["description"] == "Waiting for input");
    assert!(stop, "{:?}", client.heard);
    client.disconnect();
}

#[test]
fn a_large_array_is_read_in_pages() {
    let program = "program main\n  integer :: a(1000000), b(3, 100000), i\n  a = [(i, i = 1, size(a))]\n  b = 0\n  \
                   b(2, 7) = 9\n  print *, a(1)\nend program main\n";
    let mut client = Client::stopped(program, &[at_line(6, &json!({}))], json!({}));
    let a = client.body("evaluate", json!({ "expression": "a", "context": "watch" }));
    assert_eq!((&a["indexedVariables"], &a["type"]), (&json!(1_000_000), &json!("integer(4), dimension(1:1000000)")));
    let begun = Instant::now();
    let reference = a["variablesReference"].clone();
    let page = json!({ "variablesReference": reference, "filter": "indexed", "start": 999_998, "count": 100 });
    let page = client.body("variables", page);
    let names: Vec<&Value> = page["variables"].as_array().expect("a list").iter().map(|v| &v["evaluateName"]).collect();
    assert_eq!(names, ["a(999999)", "a(1000000)"]);
    assert_eq!(page["variables"][1]["value"], "1000000");
    // A client that asks for no page gets the first elements only.
    let all = client.body("variables", json!({ "variablesReference": reference }));
    let all = all["variables"].as_array().expect("a list");
    assert_eq!((all.len(), &all[1000]["value"]), (1001, &json!("999000 more")));
    let b = client.body("evaluate", json!({ "expression": "b", "context": "watch" }));
    assert_eq!(b["indexedVariables"], 3);
    let row =
        client.body("variables", json!({ "variablesReference": b["variablesReference"], "start": 1, "count": 1 }));
    let row = &row["variables"][0];
    assert_eq!((&row["name"], &row["indexedVariables"]), (&json!("(2,:)"), &json!(100_000)));
    let cell = json!({ "variablesReference": row["variablesReference"], "start": 6, "count": 1 });
    assert_eq!(client.body("variables", cell)["variables"][0]["value"], "9");
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    client.disconnect();
}

#[test]
fn what_a_step_needs_in_a_launch_of_a_million_threads_is_answered_at_once() {
    let program = std::fs::read_to_string(root().join("tests/debug/million.cuf")).expect("a program");
    let condition = json!({ "condition": "threadidx%x == 5 .and. blockidx%x == 3000" });
    let mut client = Client::stopped(&program, &[at_line(16, &condition)], json!({}));
    let mut least = Duration::MAX;
    let mut thread = json!(2);
    for command in ["next", "stepBack", "stepIn", "stepBack", "next", "next", "stepBack"] {
        let begun = Instant::now();
        let stop = client.run(command, json!({ "threadId": thread }));
        assert_eq!(stop["body"]["reason"], "step", "{stop}");
        // What editors ask for after a stop.
        thread = stop["body"]["threadId"].clone();
        client.body("threads", json!({}));
        let stack = client.body("stackTrace", json!({ "threadId": thread, "levels": 20 }));
        let scopes = client.body("scopes", json!({ "frameId": stack["stackFrames"][0]["id"] }));
        for scope in scopes["scopes"].as_array().expect("a list") {
            client.body("variables", json!({ "variablesReference": scope["variablesReference"] }));
        }
        least = least.min(begun.elapsed());
    }
    // The computer may be busy with something else most of the time.
    assert!(least < Duration::from_millis(500), "{least:?}");
    client.disconnect();
}
