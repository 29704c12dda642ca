//! List-directed input (Fortran 2018, 13.10.3): constants, null values, repeats, separators, `/`.
//!
//! A reader never waits: where it needs a record it says so, is fed, and is asked again; a character constant in quotes and
//! a complex constant may go on in the next record. A repeated constant is converted anew for each item, so that `3*1` fits
//! an integer and a real. A null value leaves its item as it is; after `/` all values are null.
//!
//! Not here: namelist input, which shares the constants (`Token`).

use crate::error::IoError;
use crate::modes::{Decimal, Modes};
use crate::number_in;
use crate::read::{Place, Progress};
use crate::value::{Datum, Want};
use scalar::Ty;

/// A constant of an input list, not yet of a type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Token {
    /// None: the item stays as it is.
    Null,
    /// As it stands.
    Plain(Vec<u8>),
    /// The characters between quotes, doubled ones made single.
    Quoted(Vec<u8>),
    /// What stands between the parentheses of a complex constant.
    Complex(Vec<u8>),
}

/// The parts of a complex constant, without its parentheses.
fn parts(text: &[u8], decimal: Decimal) -> Option<(&[u8], &[u8])> {
    let mut parts = text.split(|c| *c == decimal.separator()).map(<[u8]>::trim_ascii);
    Some((parts.next()?, parts.next()?)).filter(|_| parts.next().is_none())
}

impl Token {
    /// The value for an item. Beyond the standard, as in nvfortran's library, a number is converted to the item's type: a real
    /// constant is cut to an integer, of a complex one the real part counts, a number is a complex one without imaginary part,
    /// and an odd integer is true.
    pub(crate) fn convert(&self, want: Want, modes: Modes) -> Result<Option<Datum>, IoError> {
        let bad = |text: &[u8]| IoError::BadValue {
            item: want.type_name(),
            text: String::from_utf8_lossy(text).into_owned(),
        };
        let datum = match (self, want) {
            (Token::Null, _) => return Ok(None),
            (Token::Plain(text) | Token::Quoted(text), Want::Char(length)) => {
                Datum::Char(number_in::characters(text, length))
            }
            (Token::Plain(text), Want::Int(ty)) => Datum::Bits(number_in::whole(ty, text, modes)?),
            (Token::Plain(text), Want::Real(ty)) => Datum::Bits(number_in::real(ty, text, modes, 0, 0)?),
            (Token::Plain(text), Want::Complex(ty)) => Datum::Complex(number_in::real(ty, text, modes, 0, 0)?, 0),
            (Token::Plain(text), Want::Logical(_)) => {
                let number = |error| number_in::whole(Ty::I64, text, modes).map_err(|_| error);
                Datum::Bits(number_in::logical(text).or_else(|error| number(error).map(|value| value & 1))?)
            }
            (Token::Complex(text), Want::Complex(ty)) => {
                let (re, im) = parts(text, modes.decimal).ok_or_else(|| bad(text))?;
                Datum::Complex(number_in::real(ty, re, modes, 0, 0)?, number_in::real(ty, im, modes, 0, 0)?)
            }
            (Token::Complex(text), Want::Int(_) | Want::Real(_) | Want::Logical(_)) => {
                let (re, im) = parts(text, modes.decimal).ok_or_else(|| bad(text))?;
                number_in::real(Ty::F64, re, modes, 0, 0).map_err(|_| bad(text))?;
                number_in::real(Ty::F64, im, modes, 0, 0).map_err(|_| bad(text))?;
                return Token::Plain(re.to_vec()).convert(want, modes);
            }
            (Token::Plain(text) | Token::Quoted(text) | Token::Complex(text), _) => return Err(bad(text)),
        };
        Ok(Some(datum))
    }
}

/// Takes constants out of text that may end within one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scanner {
    /// A constant that the end of a record interrupted.
    open: Option<Open>,
}

#[derive(Clone, Debug)]
struct Open {
    repeat: u32,
    /// The closing character: a quote or a parenthesis.
    close: u8,
    text: Vec<u8>,
}

/// What a scanner found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Scan {
    /// A constant, so many times.
    Token(u32, Token),
    /// The text ended within a constant.
    More,
}

/// Whether a character ends a plain constant.
pub(crate) fn ends_constant(c: u8, decimal: Decimal) -> bool {
    matches!(c, b' ' | b'\t' | b'\r' | b'\n' | b'/') || c == decimal.separator()
}

impl Scanner {
    /// Whether a constant waits for more text.
    pub(crate) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Reads the constant at `*at`, which is on a character that is no separator, or goes on with an interrupted one.
    /// `characters` says that a parenthesis does not begin a complex constant.
    pub(crate) fn scan(
        &mut self,
        text: &[u8],
        at: &mut usize,
        decimal: Decimal,
        characters: bool,
    ) -> Result<Scan, IoError> {
        if self.open.is_none() {
            let repeat = repeat_count(text, at)?;
            let (repeat, given) = repeat.map_or((1, false), |n| (n, true));
            match text.get(*at) {
                None => return Ok(Scan::Token(repeat, Token::Null)),
                Some(c) if given && ends_constant(*c, decimal) => return Ok(Scan::Token(repeat, Token::Null)),
                Some(c @ (b'\'' | b'"')) => {
                    self.open = Some(Open { repeat, close: *c, text: Vec::new() });
                    *at += 1;
                }
                Some(b'(') if !characters => {
                    self.open = Some(Open { repeat, close: b')', text: Vec::new() });
                    *at += 1;
                }
                Some(_) => {
                    let from = *at;
                    while text.get(*at).is_some_and(|c| !ends_constant(*c, decimal)) {
                        *at += 1;
                    }
                    return Ok(Scan::Token(repeat, Token::Plain(text[from..*at].to_vec())));
                }
            }
        }
        let Some(mut open) = self.open.take() else { return Ok(Scan::More) };
        while let Some(c) = text.get(*at) {
            *at += 1;
            // `NaN(...)` may be a part of a complex constant.
            let is_inner = open.close == b')' && open.text.contains(&b'(') && !open.text.contains(&b')');
            if *c != open.close || is_inner {
                open.text.push(*c);
            } else if open.close == b')' {
                return Ok(Scan::Token(open.repeat, Token::Complex(open.text)));
            } else if text.get(*at) == Some(c) {
                open.text.push(*c);
                *at += 1;
            } else {
                return Ok(Scan::Token(open.repeat, Token::Quoted(open.text)));
            }
        }
        if open.close == b')' {
            // The end of a record counts as a blank in a complex constant, as nothing in a character constant.
            open.text.push(b' ');
        }
        self.open = Some(open);
        Ok(Scan::More)
    }
}

/// `r*` at `*at`, which then stands behind it.
fn repeat_count(text: &[u8], at: &mut usize) -> Result<Option<u32>, IoError> {
    let digits = text[*at..].iter().take_while(|c| c.is_ascii_digit()).count();
    if digits == 0 || text.get(*at + digits) != Some(&b'*') {
        return Ok(None);
    }
    let shown = String::from_utf8_lossy(&text[*at..*at + digits]).into_owned();
    match shown.parse::<u32>() {
        Ok(n) if n > 0 => {
            *at += digits + 1;
            Ok(Some(n))
        }
        _ => Err(IoError::BadRepeat { text: shown }),
    }
}

/// A list-directed input statement in progress.
#[derive(Clone, Debug)]
pub struct ListReader {
    modes: Modes,
    record: Vec<u8>,
    at: usize,
    /// Left tab limit of the statement that lent the record.
    left: usize,
    fed: bool,
    /// The current constant and how many more items take it.
    repeat: (u32, Token),
    scanner: Scanner,
    /// A value was read and the comma that may follow it was not.
    after_value: bool,
    /// The last value was read by formatted statements that the record was lent to.
    lent: bool,
    ended: bool,
}

impl ListReader {
    /// Begins a statement.
    pub fn begin(modes: Modes) -> ListReader {
        ListReader {
            modes,
            record: Vec::new(),
            at: 0,
            left: 0,
            fed: false,
            repeat: (0, Token::Null),
            scanner: Scanner::default(),
            after_value: false,
            lent: false,
            ended: false,
        }
    }

    /// Begins a statement in a record that a formatted one lends.
    pub fn within(modes: Modes, place: Place) -> ListReader {
        let Place { record, at, left } = place;
        ListReader { record, at, left, fed: true, ..ListReader::begin(modes) }
    }

    /// Begins a statement that goes on where another list-directed one is.
    pub fn after(other: ListReader, modes: Modes) -> ListReader {
        ListReader { modes, ..other }
    }

    /// The modes in force.
    pub fn modes(&self) -> Modes {
        self.modes
    }

    /// Lends the record to a formatted statement, behind the separator that follows the last value.
    pub fn lend(&mut self) -> Progress<Place> {
        if !self.fed {
            return Progress::NeedRecord;
        }
        for _ in 0..2 {
            while self.record.get(self.at).is_some_and(|c| matches!(c, b' ' | b'\t' | b'\r')) {
                self.at += 1;
            }
            let separator = self.record.get(self.at) == Some(&self.modes.decimal.separator());
            self.at += usize::from(separator && std::mem::take(&mut self.after_value));
        }
        if self.is_spent() {
            self.after_value = false;
            return Progress::NeedRecord;
        }
        Progress::Ready(self.place())
    }

    /// Whether a value was the last of its record, whose end counts as the separator behind it.
    pub fn is_spent(&self) -> bool {
        self.after_value && !self.lent && self.record.get(self.at..).unwrap_or_default().trim_ascii().is_empty()
    }

    /// Goes on in the record where the other statement has left it.
    pub fn regain(&mut self, place: Place) {
        (self.record, self.at, self.left) = (place.record, place.at, place.left);
        (self.after_value, self.lent) = (true, true);
    }

    /// Where it is: what a statement in a lent record gives back.
    pub fn place(&mut self) -> Place {
        Place { record: std::mem::take(&mut self.record), at: self.at, left: self.left }
    }

    /// Gives the reader the record that it needs.
    pub fn feed(&mut self, record: Vec<u8>) {
        self.record = record;
        self.left = 0;
        self.at = 0;
        self.fed = true;
    }

    /// Reads one item; `None` is a null value, which leaves the item as it is.
    pub fn item(&mut self, want: Want) -> Result<Progress<Option<Datum>>, IoError> {
        let decimal = self.modes.decimal;
        loop {
            if self.ended {
                return Ok(Progress::Ready(None));
            }
            if self.repeat.0 > 0 {
                self.repeat.0 -= 1;
                return self.repeat.1.convert(want, self.modes).map(Progress::Ready);
            }
            if !self.scanner.is_open() {
                while self.record.get(self.at).is_some_and(|c| matches!(c, b' ' | b'\t' | b'\r')) {
                    self.at += 1;
                }
            }
            let Some(c) = self.record.get(self.at) else { return Ok(Progress::NeedRecord) };
            if !self.scanner.is_open() {
                if *c == decimal.separator() {
                    self.at += 1;
                    if !std::mem::take(&mut self.after_value) {
                        return Ok(Progress::Ready(None));
                    }
                    continue;
                }
                if *c == b'/' {
                    self.ended = true;
                    continue;
                }
            }
            let characters = matches!(want, Want::Char(_));
            match self.scanner.scan(&self.record, &mut self.at, decimal, characters)? {
                Scan::More => {}
                Scan::Token(repeat, token) => {
                    (self.after_value, self.lent) = (true, false);
                    self.repeat = (repeat, token);
                }
            }
        }
    }

    /// Ends the statement; even one without items passes a record.
    pub fn finish(&mut self) -> Progress<()> {
        if self.fed { Progress::Ready(()) } else { Progress::NeedRecord }
    }
}
