//! The effects that the screen asks for, and the way of a command line to the session.
//!
//! Not here: which key or line leads to a command (`act`, `update`), and what a command means (`debug`).

use crate::model::{MOST_QUEUED, Model, Running, SHOWN_AFTER, Voice};
use debug::{Command, Request, parse};

/// The answer to a program that reads its standard input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InputLine {
    /// A line without its end.
    Typed(String),
    /// The input is at its end.
    End,
    /// No answer now: the program stops before the statement that reads.
    Later,
}

/// What the outside must do.
#[derive(Clone, PartialEq, Debug)]
pub enum Effect {
    /// Ask the session.
    Ask(Request),
    /// Interrupt the program.
    Interrupt,
    /// Draw all of the screen anew.
    Redraw,
    /// Suspend the debugger.
    Suspend,
    /// Answer the program, which reads its standard input.
    Answer(InputLine),
    /// End.
    Quit,
}

/// Executes a command line, or keeps it until the session is idle and the screen is current: keys can come faster than
/// commands end.
pub(crate) fn execute(model: &mut Model, line: &str, effects: &mut Vec<Effect>) {
    let is_long = model.running.as_ref().is_some_and(|r| r.ticks > SHOWN_AFTER || r.interrupted);
    if is_long || model.queued.len() >= MOST_QUEUED {
        model.say("The program is running; Ctrl-C stops it.", true);
    } else if model.running.is_some() || model.snapshot_asked || model.snapshot_due {
        model.queued.push_back(line.to_owned());
    } else {
        begin(model, line, effects);
    }
}

/// Sends a command line to the session.
pub(crate) fn begin(model: &mut Model, line: &str, effects: &mut Vec<Effect>) {
    match parse::parse(line) {
        Ok(None) => {}
        Err(error) => {
            model.queued.clear();
            model.write(Voice::Error, &format!("{error}\n"));
            model.say(error.to_string(), true);
        }
        Ok(Some(command)) => send(model, line, command, effects),
    }
}

fn send(model: &mut Model, line: &str, command: Command, effects: &mut Vec<Effect>) {
    // Going on with a program that has not begun, or has ended, means to begin it; stepping means to its first statement.
    let begun = model.snapshot.as_ref().is_some_and(|s| s.program.started && s.program.exited.is_none());
    let ended = model.snapshot.as_ref().is_some_and(|s| s.program.exited.is_some());
    let command = match command {
        Command::Continue(_) if !begun => Command::Run(None),
        Command::Step(_) | Command::Next(_) if !begun && !ended => Command::Start(None),
        other => other,
    };
    model.message = None;
    model.running = Some(Running { line: line.to_owned(), ticks: 0, time: 0, blocks: None, interrupted: false });
    effects.push(Effect::Ask(Request::Do(command)));
}
