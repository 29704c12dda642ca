//! Setting the breakpoints, watchpoints and displays of an earlier session again, from the commands of
//! [`Session::breakpoint_script`].
//!
//! Not here: where these commands are kept between sessions (the root package).

use crate::command::{Command, parse};
use crate::script;
use crate::session::{Session, SessionError};
use crate::view::render;
use crate::view::reply::{Outcome, Reply};

/// Executes the commands; what they say. One that fails, such as a breakpoint on a line that is gone, takes along what belongs
/// to it.
pub fn restored(session: &mut Session, lines: &[String]) -> String {
    let mut said = String::new();
    let mut say = |outcome: Result<Outcome, SessionError>| match outcome {
        Ok(outcome) => said.push_str(&render::outcome(&outcome)),
        Err(error) => said.push_str(&format!("{}\n", error.0)),
    };
    let (mut at, mut is_set) = (0, false);
    while let Some(line) = lines.get(at) {
        at += 1;
        if script::opener(line) == Some("commands") {
            let Some((block, next)) = script::block_at(lines, at - 1) else { break };
            at = next;
            if is_set {
                let command = Command::Commands(Vec::new(), block.lines);
                say(session.execute(&command, &mut |_: &[u8]| ()));
            }
            continue;
        }
        let is_of_last = line.contains("$bpnum");
        if is_of_last && !is_set || session.restore_display(line) {
            continue;
        }
        let outcome = match parse::parse(&line.replace("$bpnum", &session.latest_breakpoint().to_string())) {
            Ok(Some(command)) => session.execute(&command, &mut |_: &[u8]| ()),
            Ok(None) => continue,
            Err(error) => Err(SessionError(error.0)),
        };
        if !is_of_last {
            is_set = matches!(outcome, Ok(Outcome::Reply(Reply::Breakpoint(_))));
        }
        say(outcome);
    }
    said
}
