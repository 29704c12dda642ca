//! Atomics (PTX ISA 9.7.13.5, `atom` and `red`).
//!
//! What PTX has is one instruction. The rest (least and greatest of reals, counting as the CUDA Fortran guide's table 3.9
//! defines it, everything on 8 and 16 bits) is a loop of compare-and-swap; narrow values swap the aligned word around them.
//! All are relaxed at the scope that the instruction names, as CUDA's are.
//!
//! Counting compares as unsigned numbers. Sums of real(4) in global memory flush subnormals, as the hardware does; a difference is the sum of the negative.

use super::EmitError;
use super::body::{Body, Width, arithmetic, ins, unsigned};
use ir::op::{AtomOp, BinOp, UnOp};
use ir::{InstKind, Reg, Scope, Space, Ty, Val};

/// Where an atomic works.
struct Cell {
    /// `.relaxed.gpu.global` and kin.
    qualifiers: String,
    /// Register of the address.
    base: String,
    /// The address in brackets.
    at: String,
}

impl Body<'_, '_> {
    /// A read-modify-write operation.
    pub(super) fn atomic(&mut self, kind: &InstKind) -> Result<(), EmitError> {
        let &InstKind::Atomic { op, ty, space, scope, dst, addr, offset, a, b } = kind else { return Ok(()) };
        if !op.class().has(ty) {
            return self.refuse(format!("atomic `{op}` of type `{ty}`"));
        }
        match space {
            Space::Global | Space::Shared | Space::Generic => {}
            Space::Local => return self.refuse("an atomic operation on local memory"),
            Space::Const => return self.refuse("an atomic operation on constant memory"),
            Space::Host => return self.refuse("an atomic operation on host memory"),
        }
        let (window, base) = self.place(space, addr)?;
        if window == ".local" || window == ".const" {
            return self.refuse(format!("an atomic operation on `{window}` memory"));
        }
        let at = self.bracket(&base, offset);
        let scope = match scope {
            Scope::Block => "cta",
            Scope::Device => "gpu",
            Scope::System => "sys",
        };
        let base = if offset == 0 { base } else { self.address_of(&base, offset) };
        let cell = Cell { qualifiers: format!(".relaxed.{scope}{window}"), base, at };
        let b = b.unwrap_or(Val::Imm(0));
        if matches!(ty, Ty::I8 | Ty::I16) {
            self.narrow_loop(op, ty, &cell, dst, a, b);
        } else if let Some((name, operands)) = self.native(op, ty, a, b) {
            self.native_atomic(op, ty, &cell, dst, &name, &operands);
        } else {
            self.wide_loop(op, ty, &cell, dst, a, b);
        }
        Ok(())
    }

    fn address_of(&mut self, base: &str, offset: i64) -> String {
        let temp = self.temp(Width::W64);
        ins!(self, "add.s64 {temp}, {base}, {offset}");
        temp
    }

    /// The PTX operation with its type, and the operands; `None` where there is none.
    fn native(&mut self, op: AtomOp, ty: Ty, a: Val, b: Val) -> Option<(String, String)> {
        let (width, t) = (Width::of(ty), arithmetic(ty));
        let w = width.bits();
        Some(match op {
            AtomOp::Add => {
                let t = if ty.is_real() { t } else { unsigned(ty) };
                (format!("add.{t}"), self.value(ty, a))
            }
            AtomOp::Sub => {
                let a = self.value(ty, a);
                let negative = self.temp(width);
                ins!(self, "neg.{t} {negative}, {a}");
                let t = if ty.is_real() { t } else { unsigned(ty) };
                (format!("add.{t}"), negative)
            }
            AtomOp::Min | AtomOp::Max if ty.is_int() => (format!("{op}.{t}"), self.value(ty, a)),
            AtomOp::Min | AtomOp::Max | AtomOp::Inc | AtomOp::Dec => return None,
            AtomOp::And | AtomOp::Or | AtomOp::Xor | AtomOp::Exch => (format!("{op}.{w}"), self.raw(ty, a)),
            AtomOp::Cas => {
                let (a, b) = (self.raw(ty, a), self.raw(ty, b));
                (format!("cas.{w}"), format!("{a}, {b}"))
            }
        })
    }

    fn native_atomic(&mut self, op: AtomOp, ty: Ty, cell: &Cell, dst: Option<Reg>, name: &str, operands: &str) {
        let Cell { qualifiers, at, .. } = cell;
        let returns = dst.is_some() || matches!(op, AtomOp::Exch | AtomOp::Cas);
        if returns {
            let old = self.result(Width::of(ty), dst);
            ins!(self, "atom{qualifiers}.{name} {old}, {at}, {operands}");
        } else {
            ins!(self, "red{qualifiers}.{name} {at}, {operands}");
        }
    }

    /// A loop of compare-and-swap over a cell of 32 or 64 bits.
    fn wide_loop(&mut self, op: AtomOp, ty: Ty, cell: &Cell, dst: Option<Reg>, a: Val, b: Val) {
        let Cell { qualifiers, at, .. } = cell;
        let width = Width::of(ty);
        let w = width.bits();
        let (a, b) = (self.in_register(ty, a), self.in_register(ty, b));
        let (seen, expected, again) = (self.temp(width), self.temp(width), self.temp(Width::Pred));
        let head = self.label();
        ins!(self, "ld{qualifiers}.{w} {seen}, {at}");
        self.place_label(&head);
        ins!(self, "mov.{w} {expected}, {seen}");
        let new = self.replaced(op, ty, &expected, &a, &b);
        ins!(self, "atom{qualifiers}.cas.{w} {seen}, {at}, {expected}, {new}");
        ins!(self, "setp.ne.{} {again}, {seen}, {expected}", unsigned(ty));
        ins!(self, "@{again} bra {head}");
        if let Some(dst) = dst {
            let d = self.reg(dst);
            ins!(self, "mov.{w} {d}, {expected}");
        }
    }

    /// A loop of compare-and-swap over the aligned word around a cell of 8 or 16 bits.
    fn narrow_loop(&mut self, op: AtomOp, ty: Ty, cell: &Cell, dst: Option<Reg>, a: Val, b: Val) {
        let Cell { qualifiers, base, .. } = cell;
        let mask = if ty == Ty::I8 { 0xff } else { 0xffff };
        let signed = if ty == Ty::I8 { "s8" } else { "s16" };
        let (a, b) = (self.in_register(ty, a), self.in_register(ty, b));
        let word = self.temp(Width::W64);
        let [shift, keep, seen, expected, old, new, rest] = std::array::from_fn(|_| self.temp(Width::W32));
        let again = self.temp(Width::Pred);
        let head = self.label();
        ins!(self, "and.b64 {word}, {base}, -4");
        ins!(self, "cvt.u32.u64 {shift}, {base}");
        ins!(self, "and.b32 {shift}, {shift}, 3");
        ins!(self, "shl.b32 {shift}, {shift}, 3");
        ins!(self, "mov.b32 {keep}, {mask}");
        ins!(self, "shl.b32 {keep}, {keep}, {shift}");
        ins!(self, "not.b32 {keep}, {keep}");
        ins!(self, "ld{qualifiers}.b32 {seen}, [{word}]");
        self.place_label(&head);
        ins!(self, "mov.b32 {expected}, {seen}");
        ins!(self, "shr.u32 {old}, {expected}, {shift}");
        ins!(self, "cvt.s32.{signed} {old}, {old}");
        let replaced = self.replaced(op, ty, &old, &a, &b);
        ins!(self, "and.b32 {new}, {replaced}, {mask}");
        ins!(self, "shl.b32 {new}, {new}, {shift}");
        ins!(self, "and.b32 {rest}, {expected}, {keep}");
        ins!(self, "or.b32 {new}, {new}, {rest}");
        ins!(self, "atom{qualifiers}.cas.b32 {seen}, [{word}], {expected}, {new}");
        ins!(self, "setp.ne.u32 {again}, {seen}, {expected}");
        ins!(self, "@{again} bra {head}");
        if let Some(dst) = dst {
            let d = self.reg(dst);
            ins!(self, "mov.b32 {d}, {old}");
        }
    }

    /// A temporary with what the operation leaves in memory where it finds `old`. A narrow result may have more bits than
    /// its type.
    fn replaced(&mut self, op: AtomOp, ty: Ty, old: &str, a: &str, b: &str) -> String {
        let (width, t, u) = (Width::of(ty), arithmetic(ty), unsigned(ty));
        let w = width.bits();
        let new = self.temp(width);
        let rounding = if ty.is_real() { ".rn" } else { "" };
        match op {
            AtomOp::Add => ins!(self, "{}{rounding}.{t} {new}, {old}, {a}", BinOp::Add.ptx()),
            AtomOp::Sub => ins!(self, "{}{rounding}.{t} {new}, {old}, {a}", BinOp::Sub.ptx()),
            AtomOp::Min => ins!(self, "{}.{t} {new}, {old}, {a}", BinOp::Min.ptx()),
            AtomOp::Max => ins!(self, "{}.{t} {new}, {old}, {a}", BinOp::Max.ptx()),
            AtomOp::And | AtomOp::Or | AtomOp::Xor => ins!(self, "{op}.{w} {new}, {old}, {a}"),
            AtomOp::Exch => ins!(self, "{}.{w} {new}, {a}", UnOp::Mov.ptx()),
            AtomOp::Cas => {
                let equal = self.temp(Width::Pred);
                ins!(self, "setp.eq.{} {equal}, {old}, {a}", unsigned(ty));
                ins!(self, "selp.{w} {new}, {b}, {old}, {equal}");
            }
            AtomOp::Inc => {
                let below = self.temp(Width::Pred);
                ins!(self, "setp.lt.{u} {below}, {old}, {a}");
                ins!(self, "add.{t} {new}, {old}, 1");
                ins!(self, "selp.{w} {new}, {new}, 0, {below}");
            }
            AtomOp::Dec => {
                let (below, above) = (self.temp(Width::Pred), self.temp(Width::Pred));
                ins!(self, "setp.lt.{u} {below}, {old}, {a}");
                ins!(self, "setp.ne.{u} {above}, {old}, 0");
                ins!(self, "and.pred {below}, {below}, {above}");
                ins!(self, "add.{t} {new}, {old}, -1");
                ins!(self, "selp.{w} {new}, {new}, {a}, {below}");
            }
        }
        new
    }
}
