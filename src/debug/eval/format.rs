//! Values as text, in the shapes that gdb has for Fortran: `(1, 2, 3 <repeats 10 times>, ...)`, `( x = 1, y = 2 )`.
//!
//! An array is read element by element and only as far as it is shown, so that `print` of a large array is quick.

use crate::command::Radix;
use crate::eval::compiled::constant_object;
use crate::eval::context::{Context, Object, Store};
use crate::eval::value::{Eval, Kind, Value, from_bytes};
use std::fmt::Write;

/// Elements shown of an array, unless the user wants more or fewer; a run of equal ones counts as one.
pub(crate) const MOST_SHOWN: u32 = 200;
/// Equal elements in a row that are shown as one.
const RUN: u64 = 10;
/// Elements read in search of the end of a repetition.
const MOST_READ: u64 = 1 << 16;
/// The same two for a line of a screen.
const FEW_SHOWN: u32 = 24;
const FEW_READ: u64 = 1 << 9;
/// Characters of a value in a frame's list of arguments.
const SHORT: usize = 40;

/// How far an array has been shown.
struct Progress {
    shown: u32,
    read: u64,
    most_shown: u32,
    most_read: u64,
    radix: Radix,
}

impl Context<'_> {
    /// The text of an object.
    pub(crate) fn show(&self, object: &Object, radix: Radix) -> Eval<String> {
        let (most_shown, most_read) = (self.most_shown, MOST_READ.max(self.most_shown.into()));
        self.show_within(object, Progress { shown: 0, read: 0, most_shown, most_read, radix })
    }

    /// The text of an object for a line of a screen: of an array the first elements.
    pub(crate) fn show_brief(&self, object: &Object) -> Eval<String> {
        let radix = Radix::Natural;
        let object = self.bounded(object.clone());
        self.show_within(&object, Progress { shown: 0, read: 0, most_shown: FEW_SHOWN, most_read: FEW_READ, radix })
    }

    fn show_within(&self, object: &Object, mut progress: Progress) -> Eval<String> {
        let mut text = String::new();
        if object.dims.is_empty() {
            let bytes = self.load_element(object, 0)?;
            self.scalar(object.kind, &bytes, object, &mut progress, &mut text)?;
        } else {
            // Asked first, because an unknown extent has a sentence of its own.
            object.count()?;
            self.dimension(object, object.dims.len(), 0, &mut progress, &mut text)?;
        }
        Ok(text)
    }

    /// The text of a value.
    pub(crate) fn show_value(&self, value: Value, radix: Radix) -> Eval<String> {
        self.show(&constant_object(value), radix)
    }

    /// The text of an object, cut for a list of arguments; an array is only hinted at, as gdb does.
    pub(crate) fn show_short(&self, object: &Object) -> String {
        if !object.dims.is_empty() || matches!(object.kind, Kind::Derived(..)) {
            return "...".to_owned();
        }
        match self.show(object, Radix::Natural) {
            Ok(text) if text.chars().count() > SHORT => text.chars().take(SHORT).collect::<String>() + "...",
            Ok(text) => text,
            Err(_) => "<not available>".to_owned(),
        }
    }

    /// One dimension of an array, the last one outermost; `first` is the number of its first element.
    fn dimension(&self, object: &Object, level: usize, first: u64, p: &mut Progress, out: &mut String) -> Eval<()> {
        let extents: Vec<u64> = object.dims.iter().map(|d| d.extent.unwrap_or(0).max(0) as u64).collect();
        let extent = extents.get(level - 1).copied().unwrap_or(0);
        out.push('(');
        if level > 1 {
            let step: u64 = extents[..level - 1].iter().product();
            for i in 0..extent {
                if i > 0 {
                    out.push(' ');
                }
                if p.shown >= p.most_shown || p.read >= p.most_read {
                    out.push_str("...");
                    break;
                }
                self.dimension(object, level - 1, first + i * step, p, out)?;
            }
        } else {
            self.row(object, first, extent, p, out)?;
        }
        out.push(')');
        Ok(())
    }

    /// The elements of a row.
    fn row(&self, object: &Object, first: u64, extent: u64, p: &mut Progress, out: &mut String) -> Eval<()> {
        let mut i = 0;
        while i < extent {
            if i > 0 {
                out.push_str(", ");
            }
            if p.shown >= p.most_shown || p.read >= p.most_read {
                out.push_str("...");
                break;
            }
            let bytes = self.load_element(object, first + i)?;
            let mut run = 1;
            while i + run < extent && p.read < p.most_read {
                p.read += 1;
                if self.load_element(object, first + i + run)? != bytes {
                    break;
                }
                run += 1;
            }
            let element = Object {
                kind: object.kind,
                dims: Vec::new(),
                lengths: object.lengths.clone(),
                store: match &object.store {
                    Store::Memory(address) => Store::Memory(address.wrapping_add_signed(object.offset_of(first + i))),
                    other => other.clone(),
                },
            };
            let mut one = String::new();
            self.scalar(object.kind, &bytes, &element, p, &mut one)?;
            if run >= RUN {
                let _ = write!(out, "{one} <repeats {run} times>");
                p.shown += 1;
            } else {
                let _ = write!(out, "{}", vec![one; run as usize].join(", "));
                p.shown += run as u32;
            }
            i += run;
        }
        Ok(())
    }

    fn scalar(&self, kind: Kind, bytes: &[u8], object: &Object, p: &mut Progress, out: &mut String) -> Eval<()> {
        if let Kind::Derived(id, _) = kind {
            out.push_str("( ");
            let fields = &self.checked.ty(id).fields;
            for (n, field) in fields.iter().enumerate() {
                if n > 0 {
                    out.push_str(", ");
                }
                let _ = write!(out, "{} = ", field.name);
                let whole = match &object.store {
                    Store::Value(_) => Object {
                        kind,
                        dims: Vec::new(),
                        lengths: object.lengths.clone(),
                        store: Store::Value(Value { kind, dims: Vec::new(), data: bytes.to_vec() }),
                    },
                    _ => object.clone(),
                };
                match self.field(&whole, n as u32) {
                    Ok(part) if part.dims.is_empty() => {
                        let bytes = self.load_element(&part, 0)?;
                        self.scalar(part.kind, &bytes, &part, p, out)?;
                    }
                    Ok(part) => self.dimension(&part, part.dims.len(), 0, p, out)?,
                    Err(why) => {
                        let _ = write!(out, "<{}>", why.0.trim_start_matches(&format!("`{}` is ", field.name)));
                    }
                }
            }
            out.push_str(" )");
            return Ok(());
        }
        out.push_str(&word(kind, bytes, p.radix));
        Ok(())
    }
}

fn word(kind: Kind, bytes: &[u8], radix: Radix) -> String {
    let bits = from_bytes(bytes);
    match (kind, radix) {
        (Kind::Char(_) | Kind::Derived(..), _) => text::display(text::Value::Char(bytes)),
        (Kind::Complex(ty), Radix::Natural | Radix::Real) => {
            let (re, im) = bytes.split_at(bytes.len() / 2);
            text::display(text::Value::Complex { ty, re: from_bytes(re), im: from_bytes(im) })
        }
        (Kind::Int(ty), Radix::Natural | Radix::Decimal | Radix::Real) => text::display(text::Value::Int { ty, bits }),
        (Kind::Real(ty), Radix::Natural | Radix::Real) => text::display(text::Value::Real { ty, bits }),
        (Kind::Logical(_), Radix::Natural | Radix::Real) => if bits & 1 != 0 { ".true." } else { ".false." }.to_owned(),
        (Kind::Complex(ty), radix) => {
            let (re, im) = bytes.split_at(bytes.len() / 2);
            format!("({}, {})", word(Kind::Real(ty), re, radix), word(Kind::Real(ty), im, radix))
        }
        (Kind::Real(ty), Radix::Decimal | Radix::Unsigned | Radix::Character) => {
            (text::real_value(ty, bits) as i64).to_string()
        }
        (Kind::Logical(ty), Radix::Decimal) => scalar::bits::signed(ty, bits).to_string(),
        (_, Radix::Unsigned) => bits.to_string(),
        (_, Radix::Character) => match char::from_u32(bits as u32 & 0xff) {
            Some(c) if !c.is_control() => format!("{bits} '{c}'"),
            _ => bits.to_string(),
        },
        (_, Radix::Hex) => format!("z'{bits:x}'"),
        (_, Radix::Octal) => format!("o'{bits:o}'"),
        (_, Radix::Binary) => format!("b'{bits:b}'"),
    }
}
