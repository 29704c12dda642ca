//! Recorded conversations: each `tests/dap/NAME.txt` holds what a client sends and what comes back.
//!
//! The first line names the program and options. A line that begins with `> ` is a request; with `>> `, the client also waits
//! until the program stops. What comes back follows: `< ` before a response, `! ` before an event. In a request, `"@NAME"` stands
//! for the number that the server gave last to what has that name (`Names`). With `CUFEMU_BLESS` in the environment the
//! conversations are renewed.

use crate::client::{Client, root};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// A message in one line, without numbers that only count messages. A list has a line for each of its items.
fn line(message: &Value) -> String {
    let body = match &message["body"] {
        Value::Null => String::new(),
        Value::Object(all) if all.is_empty() => String::new(),
        Value::Object(all) if all.values().any(|v| v.as_array().is_some_and(|items| items.len() > 1)) => {
            let item = |item: &Value| format!("\n    {item}");
            let entry = |(name, value): (&String, &Value)| match value {
                Value::Array(items) => format!("\n  {name}:{}", items.iter().map(item).collect::<String>()),
                value => format!("\n  {name}: {value}"),
            };
            all.iter().map(entry).collect()
        }
        body => format!(" {body}"),
    };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    if message["type"] == "event" {
        return format!("! {}{body}\n", text(&message["event"]));
    }
    if message["success"] == true {
        return format!("< {}{body}\n", text(&message["command"]));
    }
    format!("< {} refused: {}\n", text(&message["command"]), text(&message["message"]))
}

/// What the server has given last by name: `thread` of a stop, `frame` and `code` of a call stack, scopes and variables that can be opened,
/// `result` of an expression, `data` that can be watched.
#[derive(Default)]
struct Names(BTreeMap<String, Value>);

impl Names {
    fn learn(&mut self, message: &Value) {
        let body = &message["body"];
        let mut add = |name: &str, value: &Value| _ = self.0.insert(name.to_owned(), value.clone());
        match (message["event"].as_str(), message["command"].as_str()) {
            (Some("stopped"), _) => add("thread", &body["threadId"]),
            (_, Some("stackTrace")) => {
                add("frame", &body["stackFrames"][0]["id"]);
                add("code", &body["stackFrames"][0]["instructionPointerReference"]);
            }
            (_, Some("evaluate")) => add("result", &body["variablesReference"]),
            (_, Some("dataBreakpointInfo")) => add("data", &body["dataId"]),
            _ => {}
        }
        for named in ["scopes", "variables"].iter().filter_map(|list| body[list].as_array()).flatten() {
            if named["variablesReference"] != 0 {
                add(named["name"].as_str().unwrap_or_default(), &named["variablesReference"]);
            }
        }
    }

    /// Puts numbers in the place of names.
    fn fill(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Some(known) = text.strip_prefix('@').and_then(|name| self.0.get(name)) {
                    *value = known.clone();
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.fill(item)),
            Value::Object(entries) => entries.values_mut().for_each(|entry| self.fill(entry)),
            _ => {}
        }
    }
}

/// Holds the conversation of a file again.
fn converse(recorded: &str) -> String {
    let place = root().to_string_lossy().into_owned();
    let mut client = Client::new(None);
    let mut said = String::new();
    let mut names = Names::default();
    for request in recorded.lines().filter(|l| l.starts_with(['>', '#'])) {
        if request.starts_with('#') {
            said.push_str(&format!("{request}\n"));
            continue;
        }
        let (mark, rest) = request.split_once(' ').expect("a request");
        let (command, arguments) = rest.split_once(' ').unwrap_or((rest, "null"));
        let arguments = arguments.replace("$/", &format!("{place}/"));
        let mut arguments: Value = serde_json::from_str(&arguments).unwrap_or_else(|e| panic!("{e}: {arguments}"));
        names.fill(&mut arguments);
        if mark == ">" {
            client.ask(command, arguments);
        } else {
            client.run(command, arguments);
        }
        let empty = if said.is_empty() { "" } else { "\n" };
        said.push_str(&format!("{empty}{request}\n"));
        said.extend(client.heard.iter().map(line));
        client.heard.iter().for_each(|message| names.learn(message));
    }
    client.disconnect();
    said.replace(&place, "$")
}

#[test]
fn recorded_conversations_are_held_again() {
    let folder = root().join("tests/dap");
    let entries = std::fs::read_dir(&folder).expect("the folder of conversations");
    let names = entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| Path::new(name).extension().is_some_and(|e| e == "txt")).collect();
    names.sort();
    assert!(!names.is_empty());
    let mut wrong = Vec::new();
    for name in names {
        let expected = std::fs::read_to_string(folder.join(&name)).expect("a conversation");
        let actual = converse(&expected);
        if actual == expected {
            continue;
        }
        if std::env::var_os("CUFEMU_BLESS").is_some() {
            std::fs::write(folder.join(&name), &actual).expect("written");
        } else {
            let at = actual.lines().zip(expected.lines()).position(|(a, b)| a != b).unwrap_or(0);
            wrong.push(format!(
                "{name}, from line {}:\n{}",
                at + 1,
                actual.lines().skip(at).take(8).collect::<Vec<_>>().join("\n")
            ));
        }
    }
    assert!(wrong.is_empty(), "these conversations differ; what was said:\n\n{}", wrong.join("\n\n"));
}
