//! `printf` in a kernel: calls of `vprintf` (CUDA C++ Programming Guide, "Formatted Output").
//!
//! The format is a literal, so that the types of the arguments are known here: they become items of an output statement in C's
//! form, whose first item is the format. The arguments stand in memory one after another, each aligned to its size.
//!
//! Not here: the text (`text::CWriter`).

use super::{Reader, Result, unsupported};
use crate::syntax::{Initial, Instruction, Number, Operand, Variable};
use ir::op::{BinOp, CmpOp};
use ir::rt::Rt;
use ir::{Access, Space, Ty, Val};

/// `io.begin` of a statement in C's form.
const C_FORM: i32 = 4;

/// What a conversion takes from the arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Taken {
    /// An integer of so many bytes.
    Integer(u64),
    Real,
    /// The address of characters up to a zero.
    Text,
}

/// What the conversions of a format take; `None` if one is none of C's.
fn taken(format: &[u8]) -> Option<Vec<Taken>> {
    let mut out = Vec::new();
    let mut rest = format.iter().copied();
    while let Some(c) = rest.next() {
        if c != b'%' {
            continue;
        }
        let mut long = 0;
        loop {
            match rest.next()? {
                b'-' | b'+' | b' ' | b'#' | b'0'..=b'9' | b'.' | b'h' => {}
                b'*' => out.push(Taken::Integer(4)),
                b'l' => long += 1,
                b'z' | b'j' | b't' => long = 1,
                b'd' | b'i' | b'u' | b'x' | b'X' | b'o' => {
                    break out.push(Taken::Integer(if long > 0 { 8 } else { 4 }));
                }
                b'c' => break out.push(Taken::Integer(4)),
                b'p' => break out.push(Taken::Integer(8)),
                b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => break out.push(Taken::Real),
                b's' => break out.push(Taken::Text),
                b'%' => break,
                _ => return None,
            }
        }
    }
    Some(out)
}

/// The characters of a variable up to its first zero.
fn characters(variable: &Variable, offset: usize) -> Option<Vec<u8>> {
    let byte = |initial: &Initial| match initial {
        Initial::Number(Number::Int(value)) => Some(*value as u8),
        _ => None,
    };
    let all: Option<Vec<u8>> = variable.init.iter().skip(offset).map(byte).collect();
    Some(all?.into_iter().take_while(|&c| c != 0).collect())
}

impl Reader<'_> {
    /// `vprintf(format, arguments)`
    pub(super) fn printf(&mut self, results: &[Operand], arguments: &[Operand]) -> Result<()> {
        let literal = arguments.first().and_then(|operand| self.literal(operand));
        let Some(format) = literal else { return unsupported("`printf` in CUDA C whose format is no literal") };
        let Some(items) = taken(&format) else {
            let text = String::from_utf8_lossy(&format).trim_end().to_owned();
            return unsupported(format!("`printf` in CUDA C with the format \"{text}\""));
        };
        let address = self.argument(arguments, 0, Ty::I64)?;
        let from = if items.is_empty() { Val::i64(0) } else { self.argument(arguments, 1, Ty::I64)? };
        self.b.rt(Rt::IoBegin, vec![Val::i32(0), Val::i32(C_FORM), Val::i64(-1), Val::i32(0)]);
        self.b.rt(Rt::IoPutChar, vec![address, Val::i64(format.len() as i64)]);
        let mut at = 0_u64;
        for &item in &items {
            let (ty, bytes) = match item {
                Taken::Integer(4) => (Ty::I32, 4),
                Taken::Real => (Ty::F64, 8),
                Taken::Integer(_) | Taken::Text => (Ty::I64, 8),
            };
            at = at.next_multiple_of(bytes);
            let value: Val = self.b.load(ty, Space::Generic, Access::Plain, from, at as i64).into();
            at += bytes;
            match item {
                Taken::Integer(bytes) => {
                    let wide = self.extended(value, ty, Ty::I64, true);
                    self.b.rt(Rt::IoPutInt, vec![wide, Val::i32(bytes as i32)]);
                }
                Taken::Real => {
                    self.b.rt(Rt::IoPutReal8, vec![value]);
                }
                Taken::Text => {
                    let length = self.length_of(value);
                    self.b.rt(Rt::IoPutChar, vec![value, length]);
                }
            }
        }
        self.b.rt(Rt::IoEnd, Vec::new());
        self.give(results, Val::i32(items.len() as i32), Ty::I32)
    }

    /// The literal that an argument is the address of.
    fn literal(&self, operand: &Operand) -> Option<Vec<u8>> {
        let name = operand.name()?;
        let stored = self.scopes.iter().rev().find_map(|scope| scope.given.get(name).copied());
        let mut operand = stored.unwrap_or(operand);
        // From the address to the variable, at most through a copy and a conversion and a few more.
        for _ in 0..8 {
            let Operand::Name(name, offset) = operand else { return None };
            if let Some(variable) = self.unit.ptx.variables.iter().find(|v| v.name == *name) {
                return characters(variable, usize::try_from(*offset).ok()?);
            }
            let Instruction { opcode, operands, guard: None } = self.definitions.get(name).copied().flatten()? else {
                return None;
            };
            if !opcode.starts_with("mov.") && !opcode.starts_with("cvta.") {
                return None;
            }
            operand = operands.get(1)?;
        }
        None
    }

    /// The number of characters before a zero: a loop that looks for it.
    fn length_of(&mut self, text: Val) -> Val {
        let length = self.b.mutable(Ty::I64);
        self.b.set(length, Val::i64(0));
        let (head, more, end) = (self.b.new_block(), self.b.new_block(), self.b.new_block());
        self.b.jump(head);
        self.b.switch_to(head);
        let at = self.b.bin(BinOp::Add, Ty::I64, text, length);
        let c = self.b.load(Ty::I8, Space::Generic, Access::Plain, at, 0);
        let is_end = self.b.cmp(CmpOp::Eq, Ty::I8, c, Val::Imm(0));
        self.b.branch(is_end, end, more);
        self.b.switch_to(more);
        let next = self.b.bin(BinOp::Add, Ty::I64, length, Val::i64(1));
        self.b.set(length, next);
        self.b.back_edge();
        self.b.jump(head);
        self.b.switch_to(end);
        length.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_say_what_they_take() {
        use Taken::{Integer, Real, Text};
        let of = |format: &str| taken(format.as_bytes());
        assert_eq!(of("A%d %s %5.2f%%\n"), Some(vec![Integer(4), Text, Real]));
        assert_eq!(of("%*ld %c %p %-08llx"), Some(vec![Integer(4), Integer(8), Integer(4), Integer(8), Integer(8)]));
        assert_eq!(of("no %n"), None);
        assert_eq!(of("cut %"), None);
    }
}
