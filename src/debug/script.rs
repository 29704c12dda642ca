//! Scripts of line mode as data: blocks of lines up to `end`, commands that the user defined, and their arguments.
//!
//! Not here: executing them (`line`).

use crate::command::Command;
use crate::command::parse;
use std::collections::BTreeMap;

/// Words that begin a block, which `end` ends.
const OPENERS: [&str; 5] = ["commands", "define", "document", "if", "while"];

/// The first word of a line and the rest of it.
pub(crate) fn words(line: &str) -> (&str, &str) {
    let line = line.trim();
    let end = line.find(|c: char| c.is_whitespace() || c == '(').unwrap_or(line.len());
    (&line[..end], line[end..].trim())
}

/// The word that begins a block, if the line does.
pub(crate) fn opener(line: &str) -> Option<&'static str> {
    match parse::parse(line) {
        Ok(Some(Command::Script(name))) => OPENERS.into_iter().find(|o| *o == name),
        _ => None,
    }
}

/// A block whose lines are being typed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Block {
    /// The line that begins it.
    pub(crate) head: String,
    /// Its lines.
    pub(crate) lines: Vec<String>,
    /// How many blocks are open within it.
    depth: usize,
}

impl Block {
    /// A block without lines.
    pub(crate) fn new(head: &str) -> Block {
        Block { head: head.trim().to_owned(), lines: Vec::new(), depth: 0 }
    }

    /// Takes a line; whether the block is complete.
    pub(crate) fn take(&mut self, line: &str) -> bool {
        let (word, _) = words(line);
        // The text of a description is no command.
        let is_text = opener(&self.head) == Some("document");
        if word == "end" && self.depth == 0 {
            return true;
        }
        if word == "end" {
            self.depth -= 1;
        } else if !is_text && opener(line).is_some() {
            self.depth += 1;
        }
        self.lines.push(if is_text { line.to_owned() } else { line.trim().to_owned() });
        false
    }
}

/// The block that begins at a line of a list, and the number of the line after its end; `None` if the end is missing.
pub(crate) fn block_at(lines: &[String], at: usize) -> Option<(Block, usize)> {
    let mut block = Block::new(lines.get(at)?);
    for (i, line) in lines.iter().enumerate().skip(at + 1) {
        if block.take(line) {
            return Some((block, i + 1));
        }
    }
    None
}

/// The lines of an `if` before and after its `else`.
pub(crate) fn branches(lines: &[String]) -> (&[String], &[String]) {
    let mut depth = 0usize;
    for (i, line) in lines.iter().enumerate() {
        match words(line).0 {
            "end" => depth = depth.saturating_sub(1),
            "else" if depth == 0 => return (&lines[..i], &lines[i + 1..]),
            _ if opener(line).is_some() => depth += 1,
            _ => {}
        }
    }
    (lines, &[])
}

/// A command that the user defined.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Definition {
    /// Its lines.
    pub(crate) lines: Vec<String>,
    /// Its description.
    pub(crate) text: String,
}

impl Definition {
    /// The lines with the words of a call in the places of `$arg0` and so on.
    pub(crate) fn with_arguments(&self, arguments: &str) -> Vec<String> {
        let words: Vec<&str> = arguments.split_whitespace().collect();
        let fill = |line: &String| {
            let mut line = line.replace("$argc", &words.len().to_string());
            // Longer numbers first, so that $arg1 is no part of $arg10.
            for (i, word) in words.iter().enumerate().rev() {
                line = line.replace(&format!("$arg{i}"), word);
            }
            line.replace("$*", arguments)
        };
        self.lines.iter().map(fill).collect()
    }
}

/// The commands that the user defined, by name.
pub(crate) type Definitions = BTreeMap<String, Definition>;

/// Whether a name can be given to a command: a word that no command has.
pub(crate) fn new_name(name: &str) -> Result<String, String> {
    let name = name.trim().to_ascii_lowercase();
    let is_word = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    if !is_word {
        return Err("Argument required (name of command to define: letters, digits, `-` and `_`).".to_owned());
    }
    match parse::lookup(&name) {
        Ok(row) if row.name == name || row.aliases.contains(&name.as_str()) => {
            Err(format!("\"{name}\" is a command of the debugger: choose another name."))
        }
        _ => Ok(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.split('/').map(str::to_owned).collect()
    }

    #[test]
    fn blocks_end_with_their_own_end() {
        let all = lines("if $i < 3/while 1/echo x/end/else/echo y/end/next");
        let (block, next) = block_at(&all, 0).expect("a block");
        assert_eq!((block.lines.len(), next), (5, 7));
        let (yes, no) = branches(&block.lines);
        assert_eq!((yes.len(), no), (3, &lines("echo y")[..]));
        assert!(block_at(&lines("while 1/echo"), 0).is_none());
        assert_eq!(opener("if(i>3)"), Some("if"));
        assert_eq!(opener("info locals"), None);
    }

    #[test]
    fn a_description_may_speak_of_commands() {
        let (block, next) = block_at(&lines("document x/if you want/end"), 0).expect("a block");
        assert_eq!((block.lines, next), (lines("if you want"), 3));
    }

    #[test]
    fn arguments_take_their_places() {
        let definition = Definition { lines: lines("p $arg0 + $arg1/p $argc"), text: String::new() };
        assert_eq!(definition.with_arguments("a(1) b"), lines("p a(1) + b/p 2"));
        assert!(new_name("run").is_err() && new_name("p").is_err() && new_name("1x").is_err());
        assert_eq!(new_name("Show-All"), Ok("show-all".to_owned()));
    }
}
