//! Formatted output: items meet data edit descriptors, item by item (Fortran 2018, 13.3 and 13.7).
//!
//! A writer owns what it needs, can stop between any two items and be cloned. Which item suits which descriptor follows
//! nvfortran: `a` takes the bytes of any item, `l` and `i` take integers and logicals, `b`, `o` and `z` the bits of
//! anything, `g` all intrinsic types; any other pair is an error. Descriptors without a width use the widths of its
//! default: 7, 12 or 24 columns for integers, 15.7 and 25.16 for reals, 2 for logicals.
//!
//! Not here: list-directed output (`listed`), units and files.

use crate::error::IoError;
use crate::field::{self, RealField, Shape, bytes_of};
use crate::format::{Control, Cursor, DerivedEdit, Edit, Format, NextDerived, Step};
use crate::hexadecimal;
use crate::modes::Modes;
use crate::record::{Records, Written};
use crate::value::{Value, real_value};
use scalar::{Ty, bits};
use std::sync::Arc;

/// A formatted output statement in progress.
#[derive(Clone, Debug)]
pub struct FormatWriter {
    format: Arc<Format>,
    cursor: Cursor,
    modes: Modes,
    scale: i32,
    stay: bool,
    records: Records,
    reals: RealField,
}

impl FormatWriter {
    /// Begins a statement. `rest` is what a statement without advance left to the right of its position (usually nothing);
    /// records longer than `limit` are an error.
    pub fn begin(format: Arc<Format>, modes: Modes, rest: Vec<u8>, limit: Option<usize>) -> FormatWriter {
        FormatWriter::within(format, modes, Records::new(rest, limit))
    }

    /// Begins a statement in a record that another one lends.
    pub fn within(format: Arc<Format>, modes: Modes, records: Records) -> FormatWriter {
        FormatWriter {
            format,
            cursor: Cursor::default(),
            modes,
            scale: 0,
            stay: false,
            records,
            reals: RealField::default(),
        }
    }

    /// The modes in force.
    pub fn modes(&self) -> Modes {
        self.modes
    }

    /// Takes the descriptor for an object of derived type if it is a `DT`; another one is for its first component.
    pub fn derived(&mut self) -> Result<Option<DerivedEdit>, IoError> {
        let format = Arc::clone(&self.format);
        loop {
            match self.cursor.next_derived(&format)? {
                NextDerived::Derived(edit) => return Ok(Some(edit)),
                NextDerived::Other => return Ok(None),
                NextDerived::Control(control) => self.control(&control)?,
                NextDerived::End => {
                    self.cursor.revert(&format)?;
                    self.records.end_record();
                }
            }
        }
    }

    /// Lends the record to another statement, which goes on in it.
    pub fn lend(&mut self) -> Records {
        std::mem::take(&mut self.records)
    }

    /// Goes on in the record where the other statement has left it.
    pub fn regain(&mut self, records: Records) {
        self.records = records;
    }

    /// Ends a statement in a lent record, which it gives back without ending it.
    pub fn give_back(mut self) -> Result<Records, IoError> {
        self.finish_format()?;
        Ok(self.records)
    }

    /// Writes one item.
    pub fn item(&mut self, value: Value<'_>) -> Result<(), IoError> {
        if let Value::Complex { ty, re, im } = value {
            self.item(Value::Real { ty, bits: re })?;
            return self.item(Value::Real { ty, bits: im });
        }
        let format = Arc::clone(&self.format);
        loop {
            match self.cursor.next(&format)? {
                Step::Data(edit) => return self.transfer(edit, value),
                Step::Control(control) => {
                    self.control(control)?;
                }
                Step::End => {
                    self.cursor.revert(&format)?;
                    self.records.end_record();
                }
            }
        }
    }

    /// The records completed so far, which the writer gives up: for long output lists.
    pub fn take_records(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.records.done)
    }

    /// Ends the statement: what remains of the format up to the next data edit descriptor is done, and the record is ended
    /// unless `advance` is false or the format says `$`.
    pub fn finish(mut self, advance: bool) -> Result<Written, IoError> {
        self.finish_format()?;
        self.records.finish(advance && !self.stay)
    }

    fn finish_format(&mut self) -> Result<(), IoError> {
        let format = Arc::clone(&self.format);
        while let Step::Control(control) = self.cursor.next(&format)? {
            if *control == Control::Colon {
                break;
            }
            self.control(control)?;
        }
        Ok(())
    }

    fn control(&mut self, control: &Control) -> Result<(), IoError> {
        match control {
            Control::Literal(text) => return self.records.put(text),
            Control::Skip(n) => self.records.skip(*n),
            Control::Tab(n) => self.records.go_to(n - 1),
            Control::TabLeft(n) => self.records.skip_back(*n),
            Control::Slash => self.records.end_record(),
            Control::Scale(k) => self.scale = *k,
            Control::Sign(sign) => self.modes.sign = *sign,
            Control::Round(round) => self.modes.round = *round,
            Control::Decimal(decimal) => self.modes.decimal = *decimal,
            Control::StayOnLine => self.stay = true,
            Control::Colon | Control::Blank(_) => {}
        }
        Ok(())
    }

    fn transfer(&mut self, edit: &Edit, value: Value<'_>) -> Result<(), IoError> {
        let mismatch = || IoError::Mismatch { edit: edit.to_string(), item: value.type_name() };
        let modes = self.modes;
        match (edit, value) {
            // Its item is passed over.
            (Edit::Remaining, _) => Ok(()),
            (Edit::Characters { w }, Value::Char(text)) => self.records.append(|out| field::characters(out, text, *w)),
            (
                Edit::Characters { w },
                Value::Int { ty, bits } | Value::Real { ty, bits } | Value::Logical { ty, bits },
            ) => {
                let mut bytes = bytes_of(ty, bits);
                bytes.reverse();
                self.records.append(|out| field::characters(out, &bytes, *w))
            }
            (Edit::Integer { radix_bits: 0, w, m }, Value::Int { ty, bits } | Value::Logical { ty, bits }) => {
                let (w, m) = (w.unwrap_or_else(|| integer_width(ty)), m.unwrap_or(1));
                self.records.append(|out| field::integer(out, bits::signed(ty, bits), w, m, modes))
            }
            (Edit::Integer { radix_bits, w, m }, value) if *radix_bits != 0 => {
                let (bytes, default) = match value {
                    Value::Char(text) => (text.to_vec(), text.len() * 8),
                    Value::Int { ty, bits } | Value::Real { ty, bits } | Value::Logical { ty, bits } => {
                        (bytes_of(ty, bits), radix_width(ty))
                    }
                    Value::Complex { .. } => return Err(mismatch()),
                };
                let (w, m) = (w.unwrap_or(default), m.unwrap_or(1));
                self.records.append(|out| field::radix(out, &bytes, *radix_bits, w, m))
            }
            (Edit::Logical { w }, Value::Logical { ty, bits } | Value::Int { ty, bits }) => {
                self.records.append(|out| field::logical(out, bits::canonical(ty, bits) != 0, w.unwrap_or(2)))
            }
            (Edit::Fixed { w, d }, Value::Real { ty, bits }) => {
                let shape = self.shape(ty, *w, Some(*d), None);
                let reals = &mut self.reals;
                self.records.append(|out| reals.fixed(out, real_value(ty, bits), shape, modes))
            }
            (Edit::Exponential { form, w, d, e }, Value::Real { ty, bits }) => {
                let shape = self.shape(ty, *w, Some(*d), *e);
                let (reals, value) = (&mut self.reals, real_value(ty, bits));
                self.records.append(|out| match form {
                    field::Exponential::Hexadecimal if value.is_finite() => {
                        hexadecimal::field(out, value, shape, modes);
                    }
                    _ => {
                        reals.exponential(out, value, *form, shape, modes);
                    }
                })
            }
            (Edit::General { w, d, e }, value) => self.general(*w, *d, *e, value),
            _ => Err(mismatch()),
        }
    }

    /// The shape of a real's field; without a width nvfortran's default for the kind.
    fn shape(&self, ty: Ty, w: Option<usize>, d: Option<usize>, e: Option<usize>) -> Shape {
        let (width, digits) = if ty == Ty::F64 { (25, 16) } else { (15, 7) };
        match w {
            Some(w) => Shape { w, d: d.unwrap_or(digits), e, k: self.scale },
            None => Shape { w: width, d: digits, e, k: self.scale },
        }
    }

    fn general(
        &mut self,
        w: Option<usize>,
        d: Option<usize>,
        e: Option<usize>,
        value: Value<'_>,
    ) -> Result<(), IoError> {
        let modes = self.modes;
        match value {
            Value::Char(text) => {
                let w = w.filter(|w| *w != 0);
                self.records.append(|out| field::characters(out, text, w))
            }
            Value::Int { ty, bits } => {
                let w = w.unwrap_or_else(|| integer_width(ty));
                self.records.append(|out| field::integer(out, bits::signed(ty, bits), w, 1, modes))
            }
            Value::Logical { ty, bits } => {
                self.records.append(|out| field::logical(out, bits::canonical(ty, bits) != 0, w.unwrap_or(2)))
            }
            Value::Real { ty, bits } if w == Some(0) => {
                let value = real_value(ty, bits);
                let text = self.minimal(ty, value, d);
                self.records.put(&text)
            }
            Value::Real { ty, bits } => {
                let shape = self.shape(ty, w, d, e);
                let reals = &mut self.reals;
                self.records.append(|out| {
                    if d == Some(0) {
                        reals.exponential(out, real_value(ty, bits), field::Exponential::E, shape, modes);
                    } else {
                        reals.general(out, real_value(ty, bits), shape, modes);
                    }
                })
            }
            Value::Complex { .. } => Err(IoError::Mismatch { edit: "g".to_string(), item: value.type_name() }),
        }
    }

    /// `G0` and `G0.d`: the general field without its blanks, an exponent of two digits or three.
    fn minimal(&mut self, ty: Ty, value: f64, d: Option<usize>) -> Vec<u8> {
        let default = if ty == Ty::F64 { 16 } else { 7 };
        let d = match d {
            None | Some(0) if value == 0.0 => 1,
            None | Some(0) => default,
            Some(d) => d,
        };
        let wide = value != 0.0 && !(1e-100..1e100).contains(&value.abs());
        let shape = Shape { w: d + 12, d, e: Some(if wide { 3 } else { 2 }), k: self.scale };
        let mut text = Vec::with_capacity(shape.w);
        self.reals.general(&mut text, value, shape, self.modes);
        text.trim_ascii().to_vec()
    }
}

/// Columns of an integer under a descriptor without width.
fn integer_width(ty: Ty) -> usize {
    match ty.bytes() {
        1 | 2 => 7,
        4 => 12,
        _ => 24,
    }
}

/// Columns of an item's bits under `o` or `z` without width.
fn radix_width(ty: Ty) -> usize {
    match ty.bytes() {
        1 | 2 => 7,
        4 => 12,
        _ => 23,
    }
}
