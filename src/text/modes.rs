//! The changeable modes of a connection or statement (Fortran 2018, 12.5.2): sign, rounding, decimal symbol, blanks,
//! delimiters, padding.
//!
//! The defaults are those of nvfortran. Note the rounding: where neither `ROUND=` nor an edit descriptor says otherwise,
//! ties go away from zero on output (`RC`), so `f4.1` shows 0.25 as ` 0.3`; compilers that leave this to C's library show
//! ` 0.2`. On input they go to even, as those of literals do.

/// Whether a plus sign is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Sign {
    /// `S`, `PROCESSOR_DEFINED`: none is written.
    #[default]
    Processor,
    /// `SP`, `PLUS`: written.
    Plus,
    /// `SS`, `SUPPRESS`: not written.
    Suppress,
}

/// How decimal text of a real is rounded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Round {
    /// `RU`: up.
    Up,
    /// `RD`: down.
    Down,
    /// `RZ`: toward zero.
    Zero,
    /// `RN`: to nearest, ties to even.
    Nearest,
    /// `RC`: to nearest, ties away from zero.
    Compatible,
    /// No mode was given: what is written is rounded as with `RC`, what is read as with `RN`.
    #[default]
    Unset,
    /// `RP`: as the processor's arithmetic rounds, to nearest even.
    Processor,
}

impl Round {
    /// The mode for input: a number that is read is that of the literal, if no mode was given.
    pub(crate) fn for_input(self) -> Round {
        if self == Round::Unset { Round::Nearest } else { self }
    }
}

/// The decimal symbol.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Decimal {
    /// `DP`, a point.
    #[default]
    Point,
    /// `DC`, a comma; values are then separated by semicolons.
    Comma,
}

impl Decimal {
    /// The symbol's character.
    pub fn symbol(self) -> u8 {
        match self {
            Decimal::Point => b'.',
            Decimal::Comma => b',',
        }
    }

    /// The character that separates values where the decimal symbol is this.
    pub fn separator(self) -> u8 {
        match self {
            Decimal::Point => b',',
            Decimal::Comma => b';',
        }
    }
}

/// What a blank within a numeric input field means.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Blank {
    /// `BN`, `NULL`: nothing.
    #[default]
    Null,
    /// `BZ`, `ZERO`: a zero.
    Zero,
}

/// What encloses characters in list-directed and namelist output.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Delim {
    /// Nothing.
    #[default]
    None,
    /// Apostrophes.
    Apostrophe,
    /// Quotation marks.
    Quote,
}

impl Delim {
    /// The character, if any.
    pub fn symbol(self) -> Option<u8> {
        match self {
            Delim::None => None,
            Delim::Apostrophe => Some(b'\''),
            Delim::Quote => Some(b'"'),
        }
    }
}

/// The modes in force when a statement begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Modes {
    /// Plus signs.
    pub sign: Sign,
    /// Rounding of reals.
    pub round: Round,
    /// Decimal symbol.
    pub decimal: Decimal,
    /// Blanks on input.
    pub blank: Blank,
    /// Delimiters of list-directed and namelist output.
    pub delim: Delim,
    /// Whether short input records count as padded with blanks.
    pub pad: bool,
}

impl Default for Modes {
    fn default() -> Modes {
        Modes {
            sign: Sign::default(),
            round: Round::default(),
            decimal: Decimal::default(),
            blank: Blank::default(),
            delim: Delim::default(),
            pad: true,
        }
    }
}
