//! The arguments of the program as the user writes them after `run`: words, quoted or not, and `< FILE`.
//!
//! Not here: reading the file (`session`).

use crate::command::parse::{ParseError, fail};

/// What `run` gives to the program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ProgramArguments {
    /// Its arguments.
    pub words: Vec<String>,
    /// The file that it reads as standard input, if it is not that of the debugger.
    pub input: Option<String>,
}

impl std::fmt::Display for ProgramArguments {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let words = self.words.iter().map(|w| quoted(w));
        let input = self.input.iter().map(|path| format!("< {}", quoted(path)));
        f.write_str(&words.chain(input).collect::<Vec<_>>().join(" "))
    }
}

/// A word as the user would have to write it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| !c.is_whitespace() && !"'\"\\<>|&;".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Reads the arguments, by the rules of a shell for quotes.
pub(crate) fn read(text: &str) -> Result<ProgramArguments, ParseError> {
    let mut arguments = ProgramArguments::default();
    let mut takes_input = false;
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        if first == '<' {
            takes_input = true;
            rest = rest[1..].trim_start();
            continue;
        }
        if matches!(first, '>' | '|' | '&' | ';') || rest.starts_with("2>") {
            return fail("Only the input can come from a file (\"< FILE\"): the output of the program is shown here.");
        }
        let (word, tail) = word(rest)?;
        rest = tail.trim_start();
        if std::mem::take(&mut takes_input) {
            arguments.input = Some(word);
        } else {
            arguments.words.push(word);
        }
    }
    if takes_input { fail("Argument required after \"<\" (a file).") } else { Ok(arguments) }
}

/// The first word, without its quotes, and what follows it.
fn word(text: &str) -> Result<(String, &str), ParseError> {
    let mut word = String::new();
    let mut quote = None;
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            ('\'' | '"', None) => quote = Some(c),
            ('\\', None | Some('"')) => word.extend(chars.next().map(|(_, c)| c)),
            (c, None) if c.is_whitespace() || "<>|&;".contains(c) => return Ok((word, &text[at..])),
            (c, _) => word.push(c),
        }
    }
    if quote.is_some() { fail("A quote of the arguments has no end.") } else { Ok((word, "")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_a_shell() {
        let read = |text| read(text).map(|a| (a.words, a.input)).map_err(|e| e.0);
        let words = |all: &[&str]| all.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
        assert_eq!(read("10  'a b' \"c\\\"d\"e ''"), Ok((words(&["10", "a b", "c\"de", ""]), None)));
        assert_eq!(read("1<in.txt 2"), Ok((words(&["1", "2"]), Some("in.txt".to_owned()))));
        assert_eq!(read("< 'my file'"), Ok((words(&[]), Some("my file".to_owned()))));
        assert!(read("1 > out").is_err_and(|e| e.contains("output")) && read("1 2>&1").is_err());
        assert!(read("'a").is_err() && read("1 <").is_err());
        assert_eq!(read("é 1"), Ok((words(&["é", "1"]), None)));
    }

    #[test]
    fn what_is_shown_can_be_typed_again() {
        for text in ["a 'b c' < in", "''", "'it'\\''s' 2"] {
            let arguments = read(text).expect("arguments");
            assert_eq!(arguments.to_string(), text);
        }
    }
}
