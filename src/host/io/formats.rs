//! Formats by their text: a statement in a loop has the same one each time, which is parsed once.
//!
//! Not here: what a format means (`text`).

use std::sync::Arc;
use text::{Format, FormatError};

/// Formats that are kept at most.
const MOST: usize = 16;

/// Bytes of a text that is kept at most.
const LONGEST: usize = 256;

/// The formats that statements had last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Formats(Vec<(Box<[u8]>, Arc<Format>)>);

impl Formats {
    /// The format of a text.
    pub(crate) fn get(&mut self, text: &[u8]) -> Result<Arc<Format>, FormatError> {
        if let Some((_, format)) = self.0.iter().find(|(of, _)| **of == *text) {
            return Ok(Arc::clone(format));
        }
        let format = Arc::new(Format::parse(text)?);
        if text.len() <= LONGEST {
            if self.0.len() == MOST {
                self.0.remove(0);
            }
            self.0.push((text.into(), Arc::clone(&format)));
        }
        Ok(format)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_parsed_once_while_it_is_kept() {
        let mut formats = Formats::default();
        let first = formats.get(b"(i5)").expect("a format");
        assert!(Arc::ptr_eq(&first, &formats.get(b"(i5)").expect("a format")));
        for width in 1..=MOST {
            formats.get(format!("(f{}.1)", width + 4).as_bytes()).expect("a format");
        }
        assert!(!Arc::ptr_eq(&first, &formats.get(b"(i5)").expect("a format")));
        assert_eq!(formats.0.len(), MOST);
        assert!(formats.get(b"(i").is_err());
    }
}
