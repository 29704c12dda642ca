//! Formatted input: fields of records become values, item by item (Fortran 2018, 13.7).
//!
//! A reader never waits: where it needs a record it says so, is fed, and is asked again. A field that is short because its
//! record ends counts as padded with blanks when `pad` is in force, and [`FormatReader::ended_short`] tells a statement
//! without advance of it. As in other compilers, a comma (a semicolon under `dc`) ends a numeric or logical field early.
//!
//! Not here: list-directed input (`list_read`), end of file.

use crate::error::IoError;
use crate::format::{Control, Cursor, DerivedEdit, Edit, Format, NextDerived, Step};
use crate::modes::{Blank, Modes};
use crate::number_in;
use crate::value::{Datum, Want};
use scalar::Ty;
use std::sync::Arc;

/// Whether a reader could go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Progress<T> {
    /// Done.
    Ready(T),
    /// The next record is needed: feed it, then call again.
    NeedRecord,
}

/// Where a statement without advance leaves its record, or lends it to another statement.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Place {
    /// The record.
    pub record: Vec<u8>,
    /// How many characters of it are read.
    pub at: usize,
    /// Left tab limit of the statement that lends it.
    pub left: usize,
}

/// A formatted input statement in progress.
#[derive(Clone, Debug)]
pub struct FormatReader {
    format: Arc<Format>,
    cursor: Cursor,
    modes: Modes,
    scale: i32,
    record: Vec<u8>,
    at: usize,
    /// Left tab limit.
    left: usize,
    /// Records to be fetched before reading goes on.
    due: usize,
    real_part: Option<u64>,
    count: usize,
    short: bool,
    /// A list-directed statement has taken the last value of the record, whose end is the separator behind it.
    spent: bool,
}

impl FormatReader {
    /// Begins a statement, in the record that a statement without advance left or else in a new one.
    pub fn begin(format: Arc<Format>, modes: Modes, place: Option<Place>) -> FormatReader {
        let due = usize::from(place.is_none());
        let place = place.unwrap_or_default();
        let left = place.at;
        FormatReader { due, ..FormatReader::within(format, modes, Place { left, ..place }) }
    }

    /// Begins a statement in a record that another one lends.
    pub fn within(format: Arc<Format>, modes: Modes, place: Place) -> FormatReader {
        let Place { record, at, left } = place;
        FormatReader {
            format,
            cursor: Cursor::default(),
            modes,
            scale: 0,
            record,
            at,
            left,
            due: 0,
            real_part: None,
            count: 0,
            short: false,
            spent: false,
        }
    }

    /// The modes in force.
    pub fn modes(&self) -> Modes {
        self.modes
    }

    /// Takes the descriptor for an object of derived type if it is a `DT`; another one is for its first component.
    pub fn derived(&mut self) -> Result<Progress<Option<DerivedEdit>>, IoError> {
        let format = Arc::clone(&self.format);
        loop {
            if self.due > 0 {
                return Ok(Progress::NeedRecord);
            }
            match self.cursor.next_derived(&format)? {
                NextDerived::Derived(edit) => return Ok(Progress::Ready(Some(edit))),
                NextDerived::Other => return Ok(Progress::Ready(None)),
                NextDerived::Control(control) => self.control(&control)?,
                NextDerived::End => {
                    self.cursor.revert(&format)?;
                    self.due += 1;
                }
            }
        }
    }

    /// Lends the record to a formatted statement; none if it must be the next record.
    pub fn lend_to_format(&mut self) -> Progress<Place> {
        if std::mem::take(&mut self.spent) { Progress::NeedRecord } else { Progress::Ready(self.lend()) }
    }

    /// Goes on where a list-directed statement has left the record; `spent` says that it took the last value.
    pub fn regain_from_list(&mut self, place: Place, spent: bool) {
        self.spent = spent;
        self.regain(place);
    }

    /// Counts characters that another statement has read in this one's place.
    pub fn add_count(&mut self, count: usize) {
        self.count += count;
    }

    /// Lends the record to another statement, which goes on in it.
    pub fn lend(&mut self) -> Place {
        Place { record: std::mem::take(&mut self.record), at: self.at, left: self.left }
    }

    /// Goes on in the record where the other statement has left it.
    pub fn regain(&mut self, place: Place) {
        (self.record, self.at, self.left) = (place.record, place.at, place.left);
    }

    /// Gives the reader the record that it needs.
    pub fn feed(&mut self, record: Vec<u8>) {
        self.spent = false;
        self.record = record;
        (self.at, self.left) = (0, 0);
        self.due = self.due.saturating_sub(1);
    }

    /// Reads one item.
    pub fn item(&mut self, want: Want) -> Result<Progress<Datum>, IoError> {
        let Want::Complex(ty) = want else {
            return self.part(want);
        };
        loop {
            match (self.part(Want::Real(ty))?, self.real_part) {
                (Progress::NeedRecord, _) => return Ok(Progress::NeedRecord),
                (Progress::Ready(Datum::Bits(re)), None) => self.real_part = Some(re),
                (Progress::Ready(Datum::Bits(im)), Some(re)) => {
                    self.real_part = None;
                    return Ok(Progress::Ready(Datum::Complex(re, im)));
                }
                (Progress::Ready(other), _) => return Ok(Progress::Ready(other)),
            }
        }
    }

    fn part(&mut self, want: Want) -> Result<Progress<Datum>, IoError> {
        let format = Arc::clone(&self.format);
        loop {
            if self.due > 0 {
                return Ok(Progress::NeedRecord);
            }
            match self.cursor.next(&format)? {
                Step::Data(edit) => return self.transfer(edit, want).map(Progress::Ready),
                Step::Control(control) => self.control(control)?,
                Step::End => {
                    self.cursor.revert(&format)?;
                    self.due += 1;
                }
            }
        }
    }

    /// Ends the statement: records that slashes name are still passed. A statement without advance gets back its place.
    pub fn finish(&mut self, advance: bool) -> Result<Progress<Option<Place>>, IoError> {
        let format = Arc::clone(&self.format);
        loop {
            if self.due > 0 {
                return Ok(Progress::NeedRecord);
            }
            match self.cursor.next(&format)? {
                Step::Control(Control::Colon) | Step::Data(_) | Step::End => break,
                Step::Control(control) => self.control(control)?,
            }
        }
        // Asked again, the walk must end at once.
        self.format = Arc::new(Format { nodes: Vec::new(), reversion: 0 });
        self.cursor = Cursor::default();
        let place = self.lend();
        Ok(Progress::Ready(if advance { None } else { Some(place) }))
    }

    /// How many characters data edit descriptors have read: `size=`.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether the last item's field went beyond the end of its record: the end-of-record condition without advance.
    pub fn ended_short(&self) -> bool {
        self.short
    }

    fn control(&mut self, control: &Control) -> Result<(), IoError> {
        match control {
            Control::Skip(n) => self.at = self.at.saturating_add(*n),
            Control::Tab(n) => self.at = self.left + n - 1,
            Control::TabLeft(n) => self.at = self.at.saturating_sub(*n).max(self.left),
            Control::Slash => self.due += 1,
            Control::Scale(k) => self.scale = *k,
            Control::Blank(blank) => self.modes.blank = *blank,
            Control::Decimal(decimal) => self.modes.decimal = *decimal,
            Control::Literal(_) => return Err(IoError::Unsupported { edit: "literal in an input format".to_string() }),
            Control::Round(round) => self.modes.round = *round,
            Control::Colon | Control::Sign(_) | Control::StayOnLine => {}
        }
        Ok(())
    }

    /// The characters of a field, as many as there are up to `w`; `stops` is the character that ends it early.
    fn field(&mut self, w: usize, stops: Option<u8>) -> Result<Vec<u8>, IoError> {
        let from = self.at.min(self.record.len());
        let to = self.at.saturating_add(w).min(self.record.len());
        let mut text = self.record[from..to.max(from)].to_vec();
        self.short = false;
        if let Some(end) = stops.and_then(|c| text.iter().position(|x| *x == c)) {
            text.truncate(end);
            self.at = from + end + 1;
        } else {
            if text.len() < w {
                if !self.modes.pad {
                    return Err(IoError::EndOfRecord);
                }
                self.short = true;
            }
            self.at = self.at.saturating_add(w);
        }
        self.count += text.len();
        Ok(text)
    }

    /// A numeric field without blanks, or with zeros for those that are not leading; in one of a real, blanks behind an infinity or NaN
    /// and between the letter and the sign of an exponent are none (Fortran 2018, 13.7.2.3.2).
    fn number(&mut self, w: usize, is_real: bool) -> Result<Vec<u8>, IoError> {
        let mut text = self.field(w, Some(self.modes.decimal.separator()))?;
        if self.short && self.modes.blank == Blank::Zero {
            // The blanks that pad a record count as those that are in it.
            text.resize(w, b' ');
        }
        let start = text.iter().take_while(|c| matches!(c, b' ' | b'\t')).count();
        let mut text = text.split_off(start);
        let is_blank = |c: &u8| matches!(c, b' ' | b'\t');
        if self.modes.blank == Blank::Null {
            text.retain(|c| !is_blank(c));
            return Ok(text);
        }
        let first = text.iter().find(|c| !matches!(c, b'+' | b'-')).map(u8::to_ascii_lowercase);
        if is_real && matches!(first, Some(b'i' | b'n')) {
            text.truncate(text.trim_ascii_end().len());
        } else if is_real && let Some(letter) = text.iter().position(|c| b"eEdDqQ".contains(c)) {
            let blanks = text[letter + 1..].iter().take_while(|c| is_blank(c)).count();
            if matches!(text.get(letter + 1 + blanks), Some(b'+' | b'-')) {
                text.drain(letter + 1..=letter + blanks);
            }
        }
        Ok(text.into_iter().map(|c| if c == b' ' { b'0' } else { c }).collect())
    }

    fn transfer(&mut self, edit: &Edit, want: Want) -> Result<Datum, IoError> {
        let mismatch = || IoError::Mismatch { edit: edit.to_string(), item: want.type_name() };
        match (edit, want) {
            (Edit::Remaining, Want::Int(_)) => Ok(Datum::Bits(self.record.len().saturating_sub(self.at) as u64)),
            (Edit::Characters { w }, _) => self.characters(*w, want).ok_or_else(mismatch)?,
            (Edit::General { w, .. }, Want::Char(_)) => {
                let w = w.filter(|w| *w != 0);
                self.characters(w, want).ok_or_else(mismatch)?
            }
            (Edit::Integer { radix_bits: 0, w, .. } | Edit::General { w, .. }, Want::Int(ty)) => {
                let text = self.number(width(edit, *w, ty)?, false)?;
                let word = if text.is_empty() { 0 } else { number_in::integer(ty, &text)? };
                Ok(Datum::Bits(word))
            }
            (Edit::Integer { radix_bits, w, .. }, Want::Int(ty) | Want::Real(ty) | Want::Logical(ty))
                if *radix_bits != 0 =>
            {
                let text = self.number(width(edit, *w, ty)?, false)?;
                let word = if text.is_empty() { 0 } else { number_in::radix(ty, &text, *radix_bits)? };
                Ok(Datum::Bits(word))
            }
            (Edit::Fixed { w, d } | Edit::Exponential { w, d, .. }, Want::Real(ty)) => self.real(edit, *w, *d, ty),
            (Edit::General { w, d, .. }, Want::Real(ty)) => self.real(edit, *w, d.unwrap_or(0), ty),
            (Edit::Logical { w } | Edit::General { w, .. }, Want::Logical(_)) => {
                let w =
                    if *edit == (Edit::Logical { w: Some(0) }) { 1 } else { width(edit, (*w).or(Some(2)), Ty::I32)? };
                let text = self.field(w, Some(self.modes.decimal.separator()))?;
                match text.trim_ascii() {
                    // As in nvfortran's library.
                    [] => Ok(Datum::Bits(0)),
                    text => number_in::logical(text).map(Datum::Bits),
                }
            }
            _ => Err(mismatch()),
        }
    }

    fn real(&mut self, edit: &Edit, w: Option<usize>, d: usize, ty: Ty) -> Result<Datum, IoError> {
        let text = self.number(width(edit, w, ty)?, true)?;
        if text.is_empty() {
            return Ok(Datum::Bits(0));
        }
        let implied = if w.is_some() { d } else { 0 };
        number_in::real_field(ty, &text, self.modes, implied, self.scale).map(Datum::Bits)
    }

    /// `Aw`: the rightmost characters of the field, or all of it with blanks. Items that are no characters take the bytes.
    fn characters(&mut self, w: Option<usize>, want: Want) -> Option<Result<Datum, IoError>> {
        let length = match want {
            Want::Char(length) => length,
            Want::Int(ty) | Want::Real(ty) | Want::Logical(ty) => ty.bytes() as usize,
            Want::Complex(_) | Want::Defined => return None,
        };
        let w = w.unwrap_or(length);
        let mut text = match self.field(w, None) {
            Ok(text) => text,
            Err(error) => return Some(Err(error)),
        };
        text.resize(w, b' ');
        let value = number_in::characters(&text[w.saturating_sub(length)..], length);
        Some(Ok(match want {
            Want::Char(_) => Datum::Char(value),
            _ => Datum::Bits(value.iter().rev().fold(0, |word, byte| (word << 8) | u64::from(*byte))),
        }))
    }
}

/// The width of an input field; without one, nvfortran's default for the type.
fn width(edit: &Edit, w: Option<usize>, ty: Ty) -> Result<usize, IoError> {
    match w {
        Some(0) => Err(IoError::ZeroWidth { edit: edit.to_string() }),
        Some(w) => Ok(w),
        None => Ok(match ty {
            Ty::F32 => 15,
            Ty::F64 => 25,
            Ty::I64 => 24,
            Ty::I32 => 12,
            _ => 7,
        }),
    }
}
