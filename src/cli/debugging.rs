//! Starts the debugger: in line mode for `--debug`, `--batch` and `-ex`, with panes for `--tui`.
//!
//! Not here: the debugger itself (`debug`) and its screen (`tui`).

use crate::cli::breakpoints::Breakpoints;
use crate::cli::console::Console;
use crate::cli::libraries::Loaded;
use crate::cli::options::{Options, Theme};
use crate::cli::report::{output_lost, say};
use crate::cli::setup::Loader;
use crate::cli::solo::OneRank;
use crate::cli::{BUG, files, usage};
use compile::Compiled;
use debug::{LineMode, Session, Setup, Terminal};
use host::{Answer, Ask, Stream};
use machine::{RealWorld, World};
use source::SourceMap;
use std::path::Path;
use std::sync::Arc;
use tui::InputLine;

/// The first lines for a user who begins at a terminal.
const WELCOME: &str = "The program has not started. \"start\" stops at its first statement, \"run\" runs it.\n\
    \"help\" lists the commands, \"quit\" ends.\n";

/// Runs the scripts and then, with `--debug`, reads commands until `quit`. Returns the exit code: 1 if a script failed. If the
/// session is not interactive, it is that of the program.
pub(crate) fn run(options: &Options, compiled: &Compiled, map: &SourceMap, loader: Loader, libraries: &Loaded) -> u8 {
    let script = match script(options) {
        Ok(script) => script,
        Err(sentence) => return usage(&sentence),
    };
    let world = Box::new(libraries.world(RealWorld::new()));
    let one = OneRank::new(options, libraries);
    // If this fails, Ctrl-C ends the debugger, as it ends any program.
    let interrupt = one.as_ref().map_or_else(Arc::default, OneRank::interrupt);
    let raised = interrupt.clone();
    let _ = ctrlc::set_handler(move || raised.raise());
    let session = match session(compiled, map, loader, one, world) {
        Ok(session) => session,
        Err(error) => return usage(&error.to_string()),
    };
    interrupt.belongs_to(session.interrupt_flag());
    let mut console = Console::new();
    let mut line_mode = LineMode::new(session);
    let type_in = |line: &str, console: &mut Console, line_mode: &mut LineMode| {
        console.write(&format!("{}{line}\n", line_mode.prompt()));
        line_mode.line(line, console)
    };
    let mut has_failed = false;
    let mut goes_on = true;
    if options.debug
        && !options.no_init
        && console.is_interactive()
        && let Some(path) = files::user_file("XDG_CONFIG_HOME", ".config", "init").filter(|path| path.is_file())
    {
        goes_on = line_mode.line(&format!("source {}", path.display()), &mut console);
    }
    // What a script does must not depend on earlier sessions.
    let is_typed = options.debug && console.is_interactive() && script.is_empty() && !options.no_init;
    let kept = if is_typed { Breakpoints::of(&options.files) } else { Breakpoints::nowhere() };
    line_mode.restore(&kept.commands(), &mut console);
    for (number, line) in script.iter().enumerate() {
        goes_on = goes_on && type_in(line, &mut console, &mut line_mode);
        if line_mode.has_failed() {
            let path = options.batch.as_ref().and_then(Option::as_deref).unwrap_or(Path::new("")).display();
            say(&format!("cufemu: {path}:{}: this command failed; the rest of the script is skipped\n", number + 1));
            has_failed = true;
            break;
        }
    }
    for line in &options.ex {
        goes_on = goes_on && type_in(line, &mut console, &mut line_mode);
    }
    let reads_on = options.debug && options.batch != Some(None);
    if goes_on && reads_on {
        if console.is_interactive() && script.is_empty() && options.ex.is_empty() {
            console.write(WELCOME);
        }
        line_mode.run(&mut console);
    }
    kept.keep(&line_mode.session().breakpoint_script());
    match console.lost {
        Some(error) => output_lost(&error),
        None if has_failed => 1,
        None if reads_on => 0,
        None if line_mode.session().has_errors() => options.error_exitcode,
        // The code of STOP, if the program has ended.
        None => (line_mode.session().exit_code().unwrap_or(0) & 0xff) as u8,
    }
}

/// The lines of the script of `--batch`; the error is one sentence.
fn script(options: &Options) -> Result<Vec<String>, String> {
    let Some(Some(path)) = &options.batch else { return Ok(Vec::new()) };
    Ok(files::text_of(path)?.lines().map(str::to_owned).collect())
}

/// A session with a program that has not begun; `one` has the ranks, if there are several.
pub(crate) fn session(
    compiled: &Compiled,
    map: &SourceMap,
    loader: Loader,
    one: Option<OneRank>,
    world: Box<dyn World + Send>,
) -> Result<Session, debug::SessionError> {
    let interrupt = one.as_ref().map(OneRank::interrupt);
    let setup = Setup {
        checked: compiled.program.clone(),
        sources: Arc::new(map.clone()),
        arguments: loader.arguments(),
        rank: one.as_ref().map_or(0, OneRank::first),
        start: Box::new(move |arguments, rank| match &one {
            Some(one) => one.machine(&loader, arguments, rank),
            None => loader.machine(arguments),
        }),
    };
    let session = Session::new(setup, world)?;
    if let Some(interrupt) = interrupt {
        interrupt.belongs_to(session.interrupt_flag());
    }
    Ok(session)
}

/// The real world, except that standard input is typed on the screen of the debugger.
struct ScreenWorld {
    real: RealWorld,
    stdin: tui::StdinReader,
}

impl World for ScreenWorld {
    fn ask(&mut self, question: &Ask) -> Answer {
        match question {
            Ask::ReadLine => match self.stdin.read_line() {
                InputLine::Typed(line) => Answer::Line(Some(line.into_bytes())),
                InputLine::End => Answer::Line(None),
                InputLine::Later => Answer::Later,
            },
            other => self.real.ask(other),
        }
    }

    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        self.real.write(stream, bytes);
    }
}

/// Runs the debugger with panes until the user quits; returns the exit code.
pub(crate) fn screen(
    options: &Options,
    compiled: &Compiled,
    map: &SourceMap,
    loader: Loader,
    libraries: &Loaded,
) -> u8 {
    let (stdin, writer) = tui::stdin_channel();
    let world = ScreenWorld { real: libraries.world(RealWorld::new()), stdin };
    let mut session = match session(compiled, map, loader, OneRank::new(options, libraries), Box::new(world)) {
        Ok(session) => session,
        Err(error) => return usage(&error.to_string()),
    };
    let mut lines = match script(options) {
        Ok(lines) => lines,
        Err(sentence) => return usage(&sentence),
    };
    let kept =
        if lines.is_empty() && !options.no_init { Breakpoints::of(&options.files) } else { Breakpoints::nowhere() };
    let text = debug::restored(&mut session, &kept.commands());
    lines.extend(options.ex.iter().cloned());
    match tui::run(session, writer, look(options), &text, lines) {
        Ok(breakpoints) => {
            kept.keep(&breakpoints);
            0
        }
        Err(tui::Failure::Terminal(sentence)) => usage(&sentence),
        Err(tui::Failure::Session) => BUG,
    }
}

/// Colours and characters, from the options or else from the environment.
fn look(options: &Options) -> tui::Look {
    let variable = |name: &str| std::env::var(name).ok().filter(|v| !v.is_empty());
    let is_plain = variable("NO_COLOR").is_some() || variable("TERM").as_deref() == Some("dumb");
    // Some terminals give their colours as `text;background`; 7 and 15 are light.
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
