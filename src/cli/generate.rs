//! `--generate`: what is made from the table of options: a manual page, completions of shells, the reference in `docs/cli.md`.

use crate::cli::options::{Generated, Options};
use crate::cli::{report, usage};
use clap::builder::StyledStr;
use clap::{Arg, Command, CommandFactory};
use clap_complete::{Shell, generate};
use std::fmt::Write as _;

/// The heading of options without one of their own.
const MAIN: &str = "Options";

/// Prints it; gives the exit code.
pub(crate) fn print(what: Generated) -> u8 {
    let mut out = Vec::new();
    let mut command = visible();
    let shell = match what {
        Generated::Bash => Shell::Bash,
        Generated::Elvish => Shell::Elvish,
        Generated::Fish => Shell::Fish,
        Generated::Powershell => Shell::PowerShell,
        Generated::Zsh => Shell::Zsh,
        Generated::Man => {
            if let Err(error) = clap_mangen::Man::new(command).render(&mut out) {
                return usage(&format!("the manual page cannot be made: {error}"));
            }
            return report::print(&out);
        }
        Generated::Markdown => return report::print(reference()),
    };
    generate(shell, &mut command, "cufemu", &mut out);
    report::print(&out)
}

/// The options that users type.
fn visible() -> Command {
    let all = Options::command();
    let mut command = Command::new("cufemu").version(env!("CARGO_PKG_VERSION"));
    if let Some(about) = all.get_about() {
        command = command.about(about.clone());
    }
    if let Some(after) = all.get_after_long_help() {
        command = command.after_long_help(after.clone());
    }
    command.args(all.get_arguments().filter(|a| !a.is_hide_set()).cloned())
}

/// The page `docs/cli.md`.
fn reference() -> String {
    let mut command = Options::command();
    command.build();
    let mut out = format!(
        "# The command line\n\nMade from the table of options (`cufemu --generate markdown`); `cufemu --help` says the same.\n\n\
         ```text\n{}\n```\n",
        command.render_usage().to_string().trim_start_matches("Usage:").trim()
    );
    let mut headings = vec![MAIN];
    for arg in command.get_arguments() {
        let heading = arg.get_help_heading().unwrap_or(MAIN);
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    for heading in headings {
        let _ = write!(out, "\n## {heading}\n\n| option | meaning |\n|---|---|\n");
        let shown =
            |a: &&Arg| !a.is_hide_set() && !a.is_positional() && a.get_help_heading().unwrap_or(MAIN) == heading;
        for arg in command.get_arguments().filter(shown) {
            let _ = writeln!(out, "| {} | {} |", spelling(arg), meaning(arg));
        }
    }
    let after = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    for paragraph in after.split("\n\n") {
        let _ = write!(out, "\n{}\n", paragraph.trim());
    }
    out
}

/// The option as it is typed.
fn spelling(arg: &Arg) -> String {
    let short = arg.get_short().map(|c| format!("`-{c}` ")).unwrap_or_default();
    let long = arg.get_long().unwrap_or_default();
    let takes_value = arg.get_action().takes_values();
    let value = arg.get_value_names().and_then(|n| n.first()).filter(|_| takes_value);
    let value = value.map(ToString::to_string).unwrap_or_default();
    let is_optional = arg.get_num_args().is_some_and(|n| n.min_values() == 0);
    let text = match (takes_value, is_optional) {
        (false, _) => format!("--{long}"),
        (true, true) => format!("--{long}[={value}]"),
        (true, false) => format!("--{long} {value}"),
    };
    format!("{short}`{text}`").replace('|', "\\|")
}

/// What the option means: its two paragraphs, its values, its default.
fn meaning(arg: &Arg) -> String {
    let plain = |text: Option<&StyledStr>| text.map(ToString::to_string).unwrap_or_default();
    let long = plain(arg.get_long_help().or_else(|| arg.get_help()));
    let mut text = long.split("\n\n").map(|p| p.trim().trim_end_matches('.')).collect::<Vec<_>>().join(". ");
    let values: Vec<String> = arg
        .get_possible_values()
        .iter()
        .filter(|v| !v.is_hide_set() && arg.get_action().takes_values())
        .map(|v| match v.get_help() {
            Some(help) => format!("`{}`: {}", v.get_name(), help.to_string().trim_end_matches('.')),
            None => format!("`{}`", v.get_name()),
        })
        .collect();
    if !values.is_empty() {
        let _ = write!(text, ". {}", values.join("; "));
    }
    let defaults = arg.get_default_values().iter().filter(|_| arg.get_action().takes_values());
    let defaults: Vec<_> = defaults.map(|v| format!("`{}`", v.to_string_lossy())).collect();
    if !defaults.is_empty() {
        let _ = write!(text, ". Default: {}", defaults.join(", "));
    }
    text.replace('\n', " ").replace('|', "\\|")
}
