//! What the command line may say about parsing.

/// Free or fixed source form (Fortran 2018, 6.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SourceForm {
    /// Statements anywhere on the line, `&` for continuation.
    Free,
    /// Statements in columns 7 to 72, column 6 for continuation.
    Fixed,
}

impl SourceForm {
    /// The form that the lines behind a line of this form have, if it says so: `!dir$ free` or `!dir$ fixed`.
    pub(crate) fn set_by(self, line: &str) -> Option<SourceForm> {
        let comment = match self {
            SourceForm::Free => line.trim_start().strip_prefix('!'),
            SourceForm::Fixed => line.strip_prefix(['c', 'C', '*', '!']),
        }?;
        let word = comment.get(4..).filter(|_| comment[..4].eq_ignore_ascii_case("dir$"))?.trim();
        let forms = [("free", SourceForm::Free), ("fixed", SourceForm::Fixed)];
        forms.into_iter().find(|(known, _)| word.eq_ignore_ascii_case(known)).map(|(_, form)| form)
    }
}

/// `-D` or `-U`, in the order of the command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MacroOption {
    /// `-Dname` or `-Dname=text`: the text after `-D`.
    Define(String),
    /// `-Uname`: the name.
    Undefine(String),
}

/// Options of [`crate::parse`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseOptions {
    /// `-Mfree` or `-Mfixed`; absent: by the suffix (`.f`, `.for`, `.ftn`, `.F`, `.FOR` are fixed, all others free).
    pub form: Option<SourceForm>,
    /// `-Mpreprocess` and its opposite; absent: by the suffix (those with an upper-case letter are preprocessed).
    pub preprocess: Option<bool>,
    /// `-D` and `-U`.
    pub macros: Vec<MacroOption>,
    /// `-mp`: lines that begin with `!$` and a blank are statements.
    pub openmp: bool,
    /// Whether CUDA Fortran is on: `_CUDA` is 1, `!@cuf` lines are statements, `!$cuf` lines are directives.
    pub cuda: bool,
    /// `-Mextend`: fixed-form lines have 132 columns.
    pub extended_columns: bool,
    /// `-Mstandard`: forms that the standard does not have get a warning.
    pub standard: bool,
    /// How high the tree of one expression may be. Parser and later stages recurse over it, so that what is safe depends on
    /// the stack that they run on; the default is for one of 2 MiB.
    pub expression_height: u32,
}

/// What [`ParseOptions::expression_height`] is by default.
pub(crate) const EXPRESSION_HEIGHT: u32 = 500;

impl Default for ParseOptions {
    fn default() -> ParseOptions {
        ParseOptions {
            form: None,
            preprocess: None,
            macros: Vec::new(),
            openmp: false,
            cuda: true,
            extended_columns: false,
            standard: false,
            expression_height: EXPRESSION_HEIGHT,
        }
    }
}

impl ParseOptions {
    /// The form of a file of that name.
    pub(crate) fn form_of(&self, file_name: &str) -> SourceForm {
        let fixed = ["f", "for", "ftn", "f77", "fpp"];
        match self.form {
            Some(form) => form,
            None if fixed.contains(&suffix(file_name).to_ascii_lowercase().as_str()) => SourceForm::Fixed,
            None => SourceForm::Free,
        }
    }

    /// Whether a file of that name goes through the preprocessor.
    pub(crate) fn preprocesses(&self, file_name: &str) -> bool {
        let suffix = suffix(file_name);
        self.preprocess.unwrap_or_else(|| suffix.starts_with(|c: char| c.is_ascii_uppercase()) || suffix == "fpp")
    }
}

fn suffix(file_name: &str) -> &str {
    file_name.rsplit(['/', '\\']).next().and_then(|base| base.rsplit_once('.')).map_or("", |(_, suffix)| suffix)
}
