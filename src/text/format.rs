//! A parsed format and the walk through it (Fortran 2018, 13.3 and 13.4).
//!
//! A format is a flat list of nodes; a group is an opening and a closing node that know each other, so a position in it is a
//! few integers and a transfer can stop after any item and be copied. Reversion goes back to the last group of the outermost
//! level, with its repeat count, or to the start.
//!
//! Not here: the text of formats (`parse`), what descriptors do (`write`, `read`).

use crate::error::{FormatError, IoError};
use crate::field::Exponential;
use crate::modes::{Blank, Decimal, Round, Sign};
use std::fmt;
use std::str::FromStr;

/// A data edit descriptor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Edit {
    /// `Iw.m`, `Bw.m`, `Ow.m`, `Zw.m`.
    Integer {
        /// Bits a digit: 1, 3, 4, or 0 for decimal.
        radix_bits: u32,
        /// Width; `None` where it is left out.
        w: Option<usize>,
        /// Least number of digits.
        m: Option<usize>,
    },
    /// `Fw.d`.
    Fixed {
        /// Width.
        w: Option<usize>,
        /// Digits behind the point.
        d: usize,
    },
    /// `Ew.dEe`, `Dw.d`, `ESw.dEe`, `ENw.dEe`, `EXw.dEe`.
    Exponential {
        /// Which.
        form: Exponential,
        /// Width.
        w: Option<usize>,
        /// Digits behind the point.
        d: usize,
        /// Digits of the exponent.
        e: Option<usize>,
    },
    /// `Gw.dEe`, `G0`, `G0.d`.
    General {
        /// Width.
        w: Option<usize>,
        /// Significant digits.
        d: Option<usize>,
        /// Digits of the exponent.
        e: Option<usize>,
    },
    /// `Lw`.
    Logical {
        /// Width.
        w: Option<usize>,
    },
    /// `Aw`.
    Characters {
        /// Width.
        w: Option<usize>,
    },
    /// `Q`, an extension: how many characters of the record are still to be read.
    Remaining,
    /// `DT 'text' (values)`: an object is transferred by a procedure of the program, which gets both.
    Derived(DerivedEdit),
}

impl fmt::Display for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (letters, w, d, e) = match self {
            Edit::Integer { radix_bits, w, m } => {
                (["i", "b", "", "o", "z"].get(*radix_bits as usize).copied().unwrap_or("i"), *w, *m, None)
            }
            Edit::Fixed { w, d } => ("f", *w, Some(*d), None),
            Edit::Exponential { form, w, d, e } => {
                let letters = match form {
                    Exponential::E => "e",
                    Exponential::D => "d",
                    Exponential::Scientific => "es",
                    Exponential::Engineering => "en",
                    Exponential::Hexadecimal => "ex",
                };
                (letters, *w, Some(*d), *e)
            }
            Edit::General { w, d, e } => ("g", *w, *d, *e),
            Edit::Logical { w } => ("l", *w, None, None),
            Edit::Characters { w } => ("a", *w, None, None),
            Edit::Remaining => ("q", None, None, None),
            Edit::Derived(_) => ("dt", None, None, None),
        };
        f.write_str(letters)?;
        if let Some(w) = w {
            write!(f, "{w}")?;
            if let Some(d) = d {
                write!(f, ".{d}")?;
            }
            if let Some(e) = e {
                write!(f, "e{e}")?;
            }
        }
        Ok(())
    }
}

/// What a `DT` edit descriptor tells the procedure that transfers the object.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DerivedEdit {
    /// The characters behind `DT`.
    pub text: Box<[u8]>,
    /// The numbers behind them.
    pub values: Box<[i32]>,
}

/// A descriptor that transfers no item.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Control {
    /// A literal or Hollerith constant.
    Literal(Box<[u8]>),
    /// `nX`, `TRn`.
    Skip(usize),
    /// `Tn`, counted from 1.
    Tab(usize),
    /// `TLn`.
    TabLeft(usize),
    /// `/`.
    Slash,
    /// `:`.
    Colon,
    /// `kP`.
    Scale(i32),
    /// `S`, `SP`, `SS`.
    Sign(Sign),
    /// `BN`, `BZ`.
    Blank(Blank),
    /// `RU` to `RP`.
    Round(Round),
    /// `DC`, `DP`.
    Decimal(Decimal),
    /// `$`: no new record at the end.
    StayOnLine,
}

/// A piece of a format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Node {
    /// A data edit descriptor, so many times.
    Data(u32, Edit),
    /// Anything else, so many times.
    Control(u32, Control),
    /// The start of a group, so many times (at least once; `None`: without limit), and where it ends.
    Open(Option<u32>, usize),
    /// The end of a group and where it starts.
    Close(usize),
}

/// A parsed format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Format {
    pub(crate) nodes: Vec<Node>,
    pub(crate) reversion: usize,
}

impl Format {
    /// The data edit descriptors in order, without repeats, for a check against the items before any transfer.
    pub fn edits(&self) -> impl Iterator<Item = &Edit> {
        self.nodes.iter().filter_map(|node| match node {
            Node::Data(_, edit) => Some(edit),
            _ => None,
        })
    }
}

impl FromStr for Format {
    type Err = FormatError;
    fn from_str(text: &str) -> Result<Format, FormatError> {
        Format::parse(text.as_bytes())
    }
}

/// What comes next in a format.
#[derive(Debug)]
pub(crate) enum Step<'a> {
    /// A descriptor that takes an item.
    Data(&'a Edit),
    /// One that takes none.
    Control(&'a Control),
    /// The end of the format.
    End,
}

/// What [`Cursor::next_derived`] came to.
#[derive(Debug)]
pub(crate) enum NextDerived {
    /// A `DT`, which is taken.
    Derived(DerivedEdit),
    /// Another data edit descriptor, which is still to come.
    Other,
    /// A descriptor without an item, which is taken.
    Control(Control),
    /// The end of the format.
    End,
}

/// A position in a format.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cursor {
    at: usize,
    /// How many more times the node at `at` is due; 0 when it was not begun.
    again: u32,
    /// Open groups: where they open, and how many more times they are due (`None`: without limit).
    groups: Vec<(usize, Option<u32>)>,
    /// Steps since the last data edit descriptor.
    idle: u32,
    /// Whether a data edit descriptor was met since the start or the last reversion.
    met_data: bool,
}

/// Steps without a data edit descriptor after which a format is taken to be endless.
const IDLE_LIMIT: u32 = 10_000_000;

impl Cursor {
    /// Moves to the next descriptor.
    pub(crate) fn next<'a>(&mut self, format: &'a Format) -> Result<Step<'a>, IoError> {
        loop {
            self.idle += 1;
            if self.idle > IDLE_LIMIT {
                return Err(IoError::Endless);
            }
            match format.nodes.get(self.at) {
                None => return Ok(Step::End),
                Some(Node::Data(repeat, edit)) => {
                    self.count(*repeat);
                    self.idle = 0;
                    self.met_data = true;
                    return Ok(Step::Data(edit));
                }
                Some(Node::Control(repeat, control)) => {
                    self.count(*repeat);
                    return Ok(Step::Control(control));
                }
                Some(Node::Open(repeat, _)) => {
                    self.groups.push((self.at, repeat.map(|n| n - 1)));
                    self.at += 1;
                }
                Some(Node::Close(open)) => {
                    self.at += 1;
                    match self.groups.last_mut() {
                        Some((_, Some(0))) | None => {
                            self.groups.pop();
                        }
                        Some((_, left)) => {
                            *left = left.map(|n| n - 1);
                            self.at = open + 1;
                        }
                    }
                }
            }
        }
    }

    /// Takes the next descriptor if it is a `DT`, whose repetition and controls before it count as usual. Gives the control
    /// that stands before, or says that an item of another kind is due, or that the format is at its end.
    pub(crate) fn next_derived(&mut self, format: &Format) -> Result<NextDerived, IoError> {
        let before = self.clone();
        Ok(match self.next(format)? {
            Step::Data(Edit::Derived(edit)) => NextDerived::Derived(edit.clone()),
            Step::Data(_) => {
                *self = before;
                NextDerived::Other
            }
            Step::Control(control) => NextDerived::Control(control.clone()),
            Step::End => NextDerived::End,
        })
    }

    fn count(&mut self, repeat: u32) {
        let left = if self.again == 0 { repeat } else { self.again };
        self.again = left - 1;
        if self.again == 0 {
            self.at += 1;
        }
    }

    /// Goes back from the end to where the format repeats, for an item that remains.
    pub(crate) fn revert(&mut self, format: &Format) -> Result<(), IoError> {
        if !self.met_data {
            return Err(IoError::NoDataEdit);
        }
        *self = Cursor { at: format.reversion, groups: std::mem::take(&mut self.groups), ..Cursor::default() };
        self.groups.clear();
        Ok(())
    }
}
