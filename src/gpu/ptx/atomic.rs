//! Atomics (PTX ISA 9.7.13.5, `atom` and `red`).
//!
//! An operation that PTX has is one instruction; a difference is the sum of the negative. The others (minimum and maximum of
//! reals, and the counters of table 3.9 of the CUDA Fortran guide, on unsigned numbers) are a loop of compare-and-swap. All are
//! relaxed at the scope that the instruction names, as in CUDA. Sums of real(4) in global memory flush subnormals, as the
//! hardware does.

use super::EmitError;
use super::body::{Body, Width, arithmetic, ins, unsigned};
use ir::op::AtomOp;
use ir::{InstKind, Reg, Scope, Space, Ty, Val};

/// Where an atomic works and where its old value goes.
struct Cell {
    ty: Ty,
    /// `.relaxed.gpu.global` and kin.
    qualifiers: String,
    /// The address in brackets.
    at: String,
    dst: Option<Reg>,
}

impl Body<'_, '_> {
    /// A read-modify-write operation.
    pub(super) fn atomic(&mut self, kind: &InstKind) -> Result<(), EmitError> {
        let &InstKind::Atomic { op, ty, space, scope, dst, addr, offset, a, b, .. } = kind else { return Ok(()) };
        let is_held = if op == AtomOp::AddHalf { matches!(ty, Ty::I16 | Ty::I32) } else { ty.bytes() >= 4 };
        if !op.class().has(ty) || !is_held {
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
        let scope = match scope {
            Scope::Block => "cta",
            Scope::Device => "gpu",
            Scope::System => "sys",
        };
        let at = self.bracket(&base, offset);
        let cell = Cell { ty, qualifiers: format!(".relaxed.{scope}{window}"), at, dst };
        let (t, u, w) = (arithmetic(ty), unsigned(ty), Width::of(ty).bits());
        // Integer sums are unsigned in PTX.
        let sum = if ty.is_real() { t } else { u };
        match op {
            AtomOp::Add => {
                let a = self.value(ty, a);
                self.reduce(&cell, &format!("add.{sum}"), &a);
            }
            AtomOp::AddHalf if ty == Ty::I16 => self.add_half(&cell, a),
            AtomOp::AddHalf => {
                // There are no constants of two numbers.
                let a = self.in_register(ty, a);
                self.reduce(&cell, "add.noftz.f16x2", &a);
            }
            AtomOp::Sub => {
                let (a, negative) = (self.value(ty, a), self.temp(Width::of(ty)));
                ins!(self, "neg.{t} {negative}, {a}");
                self.reduce(&cell, &format!("add.{sum}"), &negative);
            }
            AtomOp::Min | AtomOp::Max => {
                let a = self.value(ty, a);
                if ty.is_int() {
                    self.reduce(&cell, &format!("{op}.{t}"), &a);
                } else {
                    self.swap_loop(&cell, |body, old, new| ins!(body, "{op}.{t} {new}, {old}, {a}"));
                }
            }
            AtomOp::And | AtomOp::Or | AtomOp::Xor => {
                let a = self.raw(ty, a);
                self.reduce(&cell, &format!("{op}.{w}"), &a);
            }
            AtomOp::Exch => {
                let a = self.raw(ty, a);
                self.exchange(&cell, &format!("exch.{w}"), &a);
            }
            AtomOp::Cas => {
                let (a, b) = (self.raw(ty, a), self.raw(ty, b.unwrap_or(Val::Imm(0))));
                self.exchange(&cell, &format!("cas.{w}"), &format!("{a}, {b}"));
            }
            AtomOp::Inc | AtomOp::Dec if ty.is_real() => return self.refuse(format!("atomic `{op}` of type `{ty}`")),
            AtomOp::Inc => {
                let a = self.value(ty, a);
                self.swap_loop(&cell, |body, old, new| {
                    let below = body.temp(Width::Pred);
                    ins!(body, "setp.lt.{u} {below}, {old}, {a}");
                    ins!(body, "add.{t} {new}, {old}, 1");
                    ins!(body, "selp.{w} {new}, {new}, 0, {below}");
                });
            }
            AtomOp::Dec => {
                let a = self.value(ty, a);
                self.swap_loop(&cell, |body, old, new| {
                    // Less than 0 wraps to the greatest number.
                    ins!(body, "add.{t} {new}, {old}, -1");
                    ins!(body, "min.{u} {new}, {new}, {a}");
                });
            }
        }
        Ok(())
    }

    /// A sum of real(2), whose operands are in registers of 16 bits.
    fn add_half(&mut self, cell: &Cell, a: Val) {
        let a = self.value(cell.ty, a);
        let old = cell.dst.map(|dst| self.result(Width::of(cell.ty), Some(dst)));
        self.with_half(|body| {
            ins!(body, "cvt.u16.u32 half, {a}");
            match old {
                Some(old) => {
                    ins!(body, "atom{}.add.noftz.f16 half, {}, half", cell.qualifiers, cell.at);
                    ins!(body, "cvt.s32.s16 {old}, half");
                }
                None => ins!(body, "red{}.add.noftz.f16 {}, half", cell.qualifiers, cell.at),
            }
        });
    }

    /// One instruction that need not give the old value.
    fn reduce(&mut self, cell: &Cell, operation: &str, operand: &str) {
        if cell.dst.is_some() {
            self.exchange(cell, operation, operand);
        } else {
            ins!(self, "red{}.{operation} {}, {operand}", cell.qualifiers, cell.at);
        }
    }

    /// One instruction that gives the old value.
    fn exchange(&mut self, cell: &Cell, operation: &str, operands: &str) {
        let old = self.result(Width::of(cell.ty), cell.dst);
        ins!(self, "atom{}.{operation} {old}, {}, {operands}", cell.qualifiers, cell.at);
    }

    /// A loop of compare-and-swap; `replace` prints how the new value (its last operand) comes from the old one.
    fn swap_loop(&mut self, cell: &Cell, replace: impl FnOnce(&mut Self, &str, &str)) {
        let Cell { ty, qualifiers, at, dst } = cell;
        let width = Width::of(*ty);
        let w = width.bits();
        let [seen, expected, new] = std::array::from_fn(|_| self.temp(width));
        let (again, head) = (self.temp(Width::Pred), self.label());
        ins!(self, "ld{qualifiers}.{w} {seen}, {at}");
        self.place_label(&head);
        ins!(self, "mov.{w} {expected}, {seen}");
        replace(self, &expected, &new);
        ins!(self, "atom{qualifiers}.cas.{w} {seen}, {at}, {expected}, {new}");
        ins!(self, "setp.ne.{} {again}, {seen}, {expected}", unsigned(*ty));
        ins!(self, "@{again} bra {head}");
        if let Some(dst) = *dst {
            let d = self.reg(dst);
            ins!(self, "mov.{w} {d}, {expected}");
        }
    }
}
