//! Memory by address: `x`, `print &VARIABLE`, `info symbol`.
//!
//! Not here: values of expressions (`values`).

use crate::command::{ExamineRequest, Radix};
use crate::eval::compiled::Evaluated;
use crate::eval::context::{Context, Object, Store};
use crate::eval::value::{Eval, Kind, Value, fail};
use crate::session::{Session, SessionError};
use crate::view::reply::{Outcome, Reply};
use mem::Region;
use mem::address::{is_local, is_shared};
use scalar::Ty;
use std::fmt::Write;

/// Where `x` ended, and how it showed memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Examined {
    address: u64,
    radix: Radix,
    bytes: u64,
}

/// The memory that an address is in.
fn space(address: u64) -> &'static str {
    match Region::of(address) {
        _ if is_shared(address) => "shared",
        _ if is_local(address) => "local",
        Some(Region::Device(_)) => "global",
        Some(Region::Managed) => "managed",
        Some(_) => "host",
        None => "no",
    }
}

/// The address of an object.
fn address_of(object: &Object, text: &str) -> Eval<u64> {
    match object.store {
        Store::Memory(address) => Ok(address),
        Store::Regs(..) => fail(format!("`{text}` is in a register, which has no address.")),
        Store::Value(_) => fail(format!("`{text}` is a value, which has no address.")),
    }
}

impl Session {
    /// The object that an expression designates, after an optional `&`.
    fn designated(&self, text: &str) -> Eval<Evaluated> {
        self.compile(text)?.evaluate(&self.here()?)
    }

    /// The command `print &VARIABLE`.
    pub(crate) fn print_address(&mut self, text: &str) -> Result<Outcome, SessionError> {
        let address = match self.designated(text)? {
            Evaluated::Object(object) => address_of(&object, text)?,
            Evaluated::Value(_) => fail(format!("`{text}` is a value, which has no address."))?,
        };
        let number = self.kept.add(Ok(Value::word(Kind::Int(Ty::integer(8)), address)));
        let text = format!("{address:#x}{} in {} memory", self.symbol(address), space(address));
        Ok(Outcome::Reply(Reply::Value { number, text }))
    }

    /// An address, and the object there if a variable was named.
    fn place_of_text(&self, text: &str) -> Eval<(u64, Option<Object>)> {
        let (name, is_address) = text.strip_prefix('&').map_or((text, false), |rest| (rest.trim(), true));
        match self.designated(name)? {
            Evaluated::Object(object) => Ok((address_of(&object, name)?, Some(object))),
            Evaluated::Value(value) => match value.kind {
                Kind::Int(_) if value.dims.is_empty() && !is_address => Ok((value.word_at(0), None)),
                _ => fail("An address is expected: `&VARIABLE`, a variable or an integer."),
            },
        }
    }

    /// `<a+8>`: what is at an address.
    fn symbol(&self, address: u64) -> String {
        let Ok(context) = self.here() else { return String::new() };
        let memory = context.memory;
        let of_shared = || {
            let all = self.shared_variables();
            let found = all.iter().find(|v| {
                let at = address - mem::address::SHARED_BASE;
                (v.offset..v.offset + v.bytes).contains(&at)
            })?;
            Some((found.name.clone(), address - mem::address::SHARED_BASE - found.offset))
        };
        let found = if is_shared(address) {
            of_shared()
        } else {
            self.variable_at(&context, address).or_else(|| {
                let info = memory.info(memory.find(address)?);
                (!info.name.is_empty()).then(|| (info.name.to_string(), address - info.base))
            })
        };
        match found {
            Some((name, 0)) => format!(" <{name}>"),
            Some((name, offset)) => format!(" <{name}+{offset}>"),
            None => String::new(),
        }
    }

    /// The variable of the focused frame that is at an address, and how many bytes after its beginning.
    fn variable_at(&self, context: &Context<'_>, address: u64) -> Option<(String, u64)> {
        let at = |v: &ir::DebugVar| {
            let object = context.variable(sema::checked::VarId(v.source_id)).ok()?;
            let Store::Memory(_) = object.store else { return None };
            let (first, bytes) = context.bounded(object).range();
            (first..first.saturating_add(bytes)).contains(&address).then(|| (v.name.to_string(), address - first))
        };
        self.here_vars().iter().find_map(at)
    }

    /// The table `info symbol`.
    pub(crate) fn symbol_text(&self, text: &str) -> Eval<String> {
        let (address, _) = self.place_of_text(text)?;
        let symbol = self.symbol(address);
        Ok(match symbol.trim().strip_prefix('<').and_then(|s| s.strip_suffix('>')) {
            Some(name) => format!("{name} in {} memory\n", space(address)),
            None => format!("No variable is at {address:#x}.\n"),
        })
    }

    /// The command `x`.
    pub(crate) fn examine(&mut self, request: &ExamineRequest) -> Result<Outcome, SessionError> {
        let before = self.examined;
        let (address, object) = match &request.at {
            Some(text) => self.place_of_text(text)?,
            None => match before {
                Some(before) => (before.address, None),
                None => return Ok(fail("Argument required (starting display address).")?),
            },
        };
        let natural = object.as_ref().map(|o| o.kind);
        let radix = request.radix.unwrap_or(match (natural, before) {
            (Some(Kind::Real(_) | Kind::Complex(_)), _) => Radix::Real,
            (Some(_), _) => Radix::Decimal,
            (None, Some(before)) => before.radix,
            (None, None) => Radix::Hex,
        });
        let element = match natural {
            Some(Kind::Int(ty) | Kind::Real(ty) | Kind::Logical(ty) | Kind::Complex(ty)) => Some(u64::from(ty.bytes())),
            Some(Kind::Char(_)) => Some(1),
            _ => None,
        };
        let bytes = request.bytes.or(element).or(before.map(|b| b.bytes)).unwrap_or(4);
        let kind = match (radix, bytes) {
            (Radix::Real, 2 | 4 | 8) => Kind::Real(text::real_type(bytes)),
            _ => Kind::Int(Ty::integer(bytes)),
        };
        let per_line = match bytes {
            1 | 2 => 8,
            4 => 4,
            _ => 2,
        };
        let context = self.here()?;
        let mut text = String::new();
        for i in 0..request.count {
            let at = address.wrapping_add(i * bytes);
            if i % per_line == 0 {
                let _ = write!(text, "{}{at:#x}{}:", if i > 0 { "\n" } else { "" }, self.symbol(at));
            }
            match context.read(at, bytes) {
                Ok(data) => {
                    let value = Value { kind, dims: Vec::new(), data };
                    let _ = write!(text, "\t{}", context.show_value(value, radix)?);
                }
                Err(why) if i == 0 => return Err(why.into()),
                Err(why) => {
                    let _ = write!(text, "\t<{}>", why.0);
                    break;
                }
            }
        }
        text.push('\n');
        // As in gdb: where the last unit is.
        let last = address.wrapping_add(request.count.saturating_sub(1) * bytes);
        self.kept.give("$_", Value::word(Kind::Int(Ty::integer(8)), last));
        self.examined = Some(Examined { address: address.wrapping_add(request.count * bytes), radix, bytes });
        Ok(Outcome::Reply(Reply::Text(text)))
    }
}
