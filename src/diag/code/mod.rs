//! The codes of diagnostics: id, title, usual severity and family of each, and the macro that makes the enum.
//!
//! Not here: the rows (`table.rs`) and the explanations (`explain/`).

mod table;

use crate::severity::Severity;
use std::fmt;
pub use table::Code;

/// Makes the enum [`Code`] and its constant list of rows from the table.
macro_rules! codes {
    ($($id:ident $severity:ident $name:ident $title:literal;)*) => {
        /// The code of a diagnostic. Its id is public and never changes its meaning.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Code {
            $(
                #[doc = concat!(stringify!($id), ": ", $title)]
                $name,
            )*
        }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Code] = &[$(Code::$name),*];

            pub(crate) fn row(self) -> $crate::code::Row {
                match self {
                    $(Code::$name => $crate::code::Row {
                        id: stringify!($id),
                        severity: $crate::severity::Severity::$severity,
                        title: $title,
                    },)*
                }
            }
        }
    };
}
pub(crate) use codes;

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) id: &'static str,
    pub(crate) severity: Severity,
    pub(crate) title: &'static str,
}

impl Code {
    /// The id as users see it, such as `E0101`.
    pub fn id(self) -> &'static str {
        self.row().id
    }

    /// The code in a few words, for lists.
    pub fn title(self) -> &'static str {
        self.row().title
    }

    /// The severity of a diagnostic of this code, unless the code that raises it chooses another.
    pub fn severity(self) -> Severity {
        self.row().severity
    }

    /// The code with this id, in upper or lower case.
    ///
    /// ```
    /// assert_eq!(diag::Code::from_id("e0101"), Some(diag::Code::UnterminatedLiteral));
    /// ```
    pub fn from_id(id: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|code| code.id().eq_ignore_ascii_case(id))
    }

    /// Letter and first two digits, such as `E05`: the family that the code belongs to.
    pub fn family(self) -> &'static str {
        &self.id()[..3]
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn ids_are_unique_sorted_within_a_family_and_well_formed() {
        let mut seen = BTreeSet::new();
        for pair in Code::ALL.windows(2) {
            let (a, b) = (pair[0].id(), pair[1].id());
            assert!(a[..3] != b[..3] || a < b, "{b} must come after {a} in the table");
        }
        for code in Code::ALL {
            let id = code.id();
            assert!(seen.insert(id), "{id} is given twice");
            assert_eq!(id.len(), 5, "{id}");
            assert!(matches!(id.as_bytes()[0], b'E' | b'W' | b'R'), "{id}");
            assert!(id[1..].bytes().all(|b| b.is_ascii_digit()), "{id}");
            assert!(!code.title().is_empty() && !code.title().ends_with('.'), "{id}");
            match id.as_bytes()[0] {
                b'E' => assert_eq!(code.severity(), Severity::Error, "{id}"),
                b'W' => assert_eq!(code.severity(), Severity::Warning, "{id}"),
                _ => {}
            }
        }
    }

    #[test]
    fn every_numbered_cuda_rule_has_a_code() {
        // Rule 29 has the code of rule 28; coarrays (39) are not supported at all.
        for rule in (1..=51).filter(|rule| !matches!(rule, 29 | 39)) {
            assert!(
                Code::from_id(&format!("E05{rule:02}")).or(Code::from_id(&format!("W05{rule:02}"))).is_some(),
                "rule {rule}"
            );
        }
    }
}
