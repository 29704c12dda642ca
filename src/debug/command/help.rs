//! Help texts and the commands chapter of the manual, all from the command table.

use crate::command::foreign::{self, FOREIGN};
use crate::command::parse;
use crate::command::table::{COMMANDS, Class, Row, TOPICS, Verb};
use std::fmt::Write;

/// The text of `help`, `help CHAPTER` or `help COMMAND`; an error message if there is none.
pub fn help(about: Option<&str>) -> Result<String, String> {
    let Some(about) = about.map(str::trim).filter(|a| !a.is_empty()) else { return Ok(overview()) };
    if let Some(class) = Class::ALL.into_iter().find(|c| c.name() == about) {
        return Ok(chapter(class));
    }
    let word = about.split_whitespace().next().unwrap_or(about);
    if word == "all" {
        return Ok(Class::ALL.map(chapter).join("\n"));
    }
    match foreign::find(&word.to_ascii_lowercase()) {
        Some(other) => Ok(format!("{word} is a command of gdb. {}\n", other.answer)),
        None => parse::lookup(word).map(command).map_err(|e| e.0),
    }
}

fn overview() -> String {
    let mut text = String::from("List of classes of commands:\n\n");
    for class in Class::ALL {
        let _ = writeln!(text, "{} -- {}.", class.name(), class.title());
    }
    text.push_str("\nType \"help\" followed by a class name for a list of commands in that class.\n");
    text.push_str("Type \"help\" followed by a command name for full documentation.\n");
    text.push_str("Type \"help all\" for the list of all commands.\n");
    text.push_str("Command names can be abbreviated if unambiguous. An empty line repeats a step.\n");
    text
}

fn chapter(class: Class) -> String {
    let mut text = format!("{}.\n\n", class.title());
    for row in COMMANDS.iter().filter(|r| r.class == class) {
        let _ = writeln!(text, "{} -- {}.", names(row), row.brief);
    }
    text
}

/// A name with its arguments.
fn usage(name: &str, arguments: &str) -> String {
    format!("{name} {arguments}").trim_end().to_owned()
}

/// The commands whose description contains a text.
pub(crate) fn apropos(word: &str) -> String {
    let word = word.to_lowercase();
    let has = |row: &&Row| {
        [row.brief, row.text]
            .into_iter()
            .chain(row.aliases.iter().copied())
            .chain([row.name])
            .any(|t| t.to_lowercase().contains(&word))
    };
    let rows = COMMANDS.iter().filter(has).map(|row| format!("{} -- {}.\n", names(row), row.brief));
    let topics = TOPICS.iter().filter(|t| t.name.contains(&word) || t.brief.to_lowercase().contains(&word));
    let text: String = rows.chain(topics.map(|t| format!("info {} -- {}.\n", t.name, t.brief))).collect();
    if text.is_empty() { format!("No command is about \"{word}\".\n") } else { text }
}

fn names(row: &Row) -> String {
    [row.name].iter().chain(row.aliases).copied().collect::<Vec<_>>().join(", ")
}

fn command(row: &Row) -> String {
    let mut text = format!("{}\n{}.\nUsage: {}\n", names(row), row.brief, usage(row.name, row.arguments));
    if !row.text.is_empty() {
        let _ = write!(text, "\n{}\n", row.text);
    }
    if row.verb == Verb::Info {
        text.push_str("\nList of tables:\n\n");
        for topic in TOPICS {
            let _ = writeln!(text, "info {} -- {}.", usage(topic.name, topic.arguments), topic.brief);
        }
    }
    text
}

/// The chapter of the manual: every command with its usage, as Markdown.
pub fn manual() -> String {
    let mut text = String::new();
    for class in Class::ALL {
        let _ = write!(text, "## {}\n\n", class.title());
        for row in COMMANDS.iter().filter(|r| r.class == class) {
            let _ = write!(text, "### `{}`\n\n", usage(row.name, row.arguments));
            if !row.aliases.is_empty() {
                let list: Vec<String> = row.aliases.iter().map(|a| format!("`{a}`")).collect();
                let _ = write!(text, "Also {}. ", list.join(", "));
            }
            let _ = write!(text, "{}.\n\n", row.brief);
            for line in row.text.lines() {
                text.push_str(line);
                text.push('\n');
            }
            if !row.text.is_empty() {
                text.push('\n');
            }
            if row.verb == Verb::Info {
                for topic in TOPICS {
                    let _ = writeln!(text, "- `info {}`: {}.", usage(topic.name, topic.arguments), topic.brief);
                }
                text.push('\n');
            }
        }
    }
    text.push_str("## Commands of gdb that are not here\n\nThey are answered with what to use instead.\n\n");
    for other in FOREIGN {
        let names: Vec<String> = other.names.iter().map(|n| format!("`{n}`")).collect();
        let _ = writeln!(text, "- {}: {}", names.join(", ").replace("`|`", "`\\|`"), other.answer);
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_covers_every_command_and_refuses_others() {
        for row in COMMANDS {
            let text = help(Some(row.name)).expect("help");
            assert!(text.contains(row.brief) && !row.brief.ends_with('.'), "{}", row.name);
        }
        assert_eq!(help(Some("nonsense")).expect_err("none"), "Undefined command: \"nonsense\".  Try \"help\".");
        assert!(help(None).expect("overview").starts_with("List of classes of commands:"));
        assert!(help(Some("focus")).expect("chapter").contains("thread, t -- Focus on a thread"));
        assert!(manual().contains("### `reverse-step [N]`"));
    }
}
