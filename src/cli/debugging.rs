//! `--debug`, `--batch` and `-ex`: the debugger in line mode on this terminal; `--tui`: the debugger with panes.

use crate::cli::options::{Options, Theme};
use crate::cli::report::{output_lost, say};
use crate::cli::run::Loader;
use crate::cli::{BUG, usage};
use compile::Compiled;
use debug::{LineMode, Session, Setup, Terminal};
use host::{Answer, Ask, Stream};
use machine::{RealWorld, World};
use source::SourceMap;
use std::io::{BufRead, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Standard input and output as the debugger's terminal.
struct Console {
    /// Whether lines are shown as if they had been typed: input that is no terminal.
    echo: bool,
    /// What standard output said when it took no more.
    lost: Option<std::io::Error>,
}

impl Terminal for Console {
    fn read_line(&mut self, prompt: &str) -> Option<String> {
        self.write(prompt);
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line).unwrap_or(0);
        let line = (read > 0).then(|| line.trim_end_matches(['\n', '\r']).to_owned());
        match &line {
            Some(line) if self.echo => self.write(&format!("{line}\n")),
            None => self.write("\n"),
            Some(_) => {}
        }
        line
    }

    fn write(&mut self, text: &str) {
        self.write_output(text.as_bytes());
    }

    fn write_output(&mut self, bytes: &[u8]) {
        let mut out = std::io::stdout().lock();
        if let Err(error) = out.write_all(bytes).and_then(|()| out.flush()) {
            self.lost.get_or_insert(error);
        }
    }
}

/// Does scripts, then talks with the user if that is asked for, until `quit`; gives the exit code: 1 when a script has failed or,
/// nobody having looked on, the program has an error.
pub(crate) fn run(options: &Options, compiled: &Compiled, map: &SourceMap, loader: Loader) -> u8 {
    let mut script = Vec::new();
    if let Some(path) = &options.batch {
        match std::fs::read_to_string(path) {
            Ok(text) => script.extend(text.lines().map(str::to_owned)),
            Err(error) => return usage(&format!("cannot read `{}`: {error}", path.display())),
        }
    }
    let session = match session(compiled, map, loader, Box::new(RealWorld::new())) {
        Ok(session) => session,
        Err(error) => return usage(&error.to_string()),
    };
    let interrupt = session.interrupt_flag();
    // Without a handler Ctrl-C ends the debugger, as it ends any program.
    let _ = ctrlc::set_handler(move || interrupt.store(true, Ordering::Relaxed));
    let mut console = Console { echo: !std::io::stdin().is_terminal(), lost: None };
    let mut line_mode = LineMode::new(session);
    let type_in = |line: &str, console: &mut Console, line_mode: &mut LineMode| {
        console.write(&format!("{}{line}\n", debug::PROMPT));
        line_mode.line(line, console)
    };
    let mut has_failed = false;
    let mut goes_on = true;
    for (number, line) in script.iter().enumerate() {
        goes_on = goes_on && type_in(line, &mut console, &mut line_mode);
        if line_mode.has_failed() {
            let path = options.batch.as_deref().unwrap_or(Path::new("")).display();
            say(&format!("cufemu: {path}:{}: the script ends here, at a command that failed\n", number + 1));
            has_failed = true;
            break;
        }
    }
    for line in &options.ex {
        goes_on = goes_on && type_in(line, &mut console, &mut line_mode);
    }
    if goes_on && options.debug {
        line_mode.run(&mut console);
    }
    match console.lost {
        Some(error) => output_lost(&error),
        None => u8::from(has_failed || (!options.debug && line_mode.session().has_errors())),
    }
}

fn session(
    compiled: &Compiled,
    map: &SourceMap,
    loader: Loader,
    world: Box<dyn World + Send>,
) -> Result<Session, debug::SessionError> {
    let setup = Setup {
        checked: compiled.program.clone(),
        sources: Arc::new(map.clone()),
        start: Box::new(move || loader.machine()),
    };
    Session::new(setup, world)
}

/// This computer as a world whose standard input is typed on the debugger's screen.
struct ScreenWorld {
    real: RealWorld,
    keyboard: tui::Keyboard,
}

impl World for ScreenWorld {
    fn ask(&mut self, question: &Ask) -> Answer {
        match question {
            Ask::ReadLine => Answer::Line(self.keyboard.read_line()),
            other => self.real.ask(other),
        }
    }

    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        self.real.write(stream, bytes);
    }
}

/// Shows the debugger on this terminal until the user leaves it; gives the exit code.
pub(crate) fn screen(options: &Options, compiled: &Compiled, map: &SourceMap, loader: Loader) -> u8 {
    let (keyboard, desk) = tui::keyboard();
    let world = ScreenWorld { real: RealWorld::new(), keyboard };
    let session = match session(compiled, map, loader, Box::new(world)) {
        Ok(session) => session,
        Err(error) => return usage(&error.to_string()),
    };
    match tui::run(session, desk, look(options)) {
        Ok(()) => 0,
        Err(tui::Failure::Terminal(sentence)) => usage(&sentence),
        Err(tui::Failure::Session) => BUG,
    }
}

/// Colours and characters: what the options say, else what the environment tells of the terminal.
fn look(options: &Options) -> tui::Look {
    let variable = |name: &str| std::env::var(name).ok().filter(|v| !v.is_empty());
    let is_plain = variable("NO_COLOR").is_some() || variable("TERM").as_deref() == Some("dumb");
    // Some terminals tell their colours as `text;background`; 7 and 15 are the light ones.
    let is_light = variable("COLORFGBG").is_some_and(|c| matches!(c.rsplit(';').next(), Some("7" | "15")));
    let theme = match options.theme {
        Some(Theme::Dark) => tui::Theme::Dark,
        Some(Theme::Light) => tui::Theme::Light,
        Some(Theme::Plain) => tui::Theme::Plain,
        None if is_plain => tui::Theme::Plain,
        None if is_light => tui::Theme::Light,
        None => tui::Theme::Dark,
    };
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(variable).unwrap_or_default().to_ascii_lowercase();
    let is_unicode = locale.contains("utf-8") || locale.contains("utf8");
    tui::Look { theme, is_ascii: options.ascii || !is_unicode }
}
