//! Which registers of the frame are kept in registers of the processor while a nest runs.
//!
//! Fixed: `rbx` the table of sites, `r12` words of 32 bits, `r13` words of 64 bits, `r14` the budget, `r15d` the polls, `rbp` the
//! writes. `rax`, `rcx`, `rdx` and `xmm0` to `xmm2` are free between any two operations.

use super::{Formula, Nest, Operand, Operation, Register, Terminator};
use crate::segment::Class;
use iced_x86::code_asm::{
    AsmRegister8, AsmRegister16, AsmRegister32, AsmRegister64, AsmRegisterXmm, al, ax, cl, cx, dl, dx, eax, ecx, edx,
    r8, r8b, r8d, r8w, r9, r9b, r9d, r9w, r10, r10b, r10d, r10w, r11, r11b, r11d, r11w, rax, rcx, rdi, rdx, rsi, xmm3,
    xmm4, xmm5, xmm6, xmm7, xmm8, xmm9, xmm10, xmm11, xmm12, xmm13, xmm14, xmm15,
};
use iced_x86::code_asm::{di, dil, edi, esi, si, sil};
use ir::Ty;
use std::collections::{BTreeMap, BTreeSet};

/// A general register by its sizes in bits.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Gpr {
    pub(super) q: AsmRegister64,
    pub(super) d: AsmRegister32,
    pub(super) w: AsmRegister16,
    pub(super) b: AsmRegister8,
}

/// Free between two operations.
pub(super) const RAX: Gpr = Gpr { q: rax, d: eax, w: ax, b: al };
/// See [`RAX`].
pub(super) const RCX: Gpr = Gpr { q: rcx, d: ecx, w: cx, b: cl };
/// See [`RAX`].
pub(super) const RDX: Gpr = Gpr { q: rdx, d: edx, w: dx, b: dl };

/// General registers that registers of the frame are kept in.
pub(super) const GPRS: [Gpr; 6] = [
    Gpr { q: rsi, d: esi, w: si, b: sil },
    Gpr { q: rdi, d: edi, w: di, b: dil },
    Gpr { q: r8, d: r8d, w: r8w, b: r8b },
    Gpr { q: r9, d: r9d, w: r9w, b: r9b },
    Gpr { q: r10, d: r10d, w: r10w, b: r10b },
    Gpr { q: r11, d: r11d, w: r11w, b: r11b },
];

/// Vector registers that registers of the frame are kept in.
pub(super) const XMMS: [AsmRegisterXmm; 13] =
    [xmm3, xmm4, xmm5, xmm6, xmm7, xmm8, xmm9, xmm10, xmm11, xmm12, xmm13, xmm14, xmm15];

/// Where a register of the frame is while the nest runs.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Home {
    /// In a general register.
    General(Gpr),
    /// In the lowest word of a vector register.
    Vector(AsmRegisterXmm),
    /// In the frame.
    Frame,
}

/// The homes of the registers of a nest.
#[derive(Default)]
pub(super) struct Homes {
    of: BTreeMap<Register, Home>,
    written: BTreeSet<Register>,
    /// Constants that are kept in vector registers.
    constants: Vec<(u64, AsmRegisterXmm)>,
}

/// How much a register is used.
#[derive(Clone, Copy, Default)]
struct Use {
    integer: u64,
    real: u64,
    other: u64,
}

/// Loops deeper than this weigh no more.
const DEEPEST: u32 = 6;

impl Homes {
    /// Gives homes to what the nest uses most. `skipped` are predicates that are compared for where they are used.
    pub(super) fn new(nest: &Nest, skipped: &BTreeSet<(u32, usize)>) -> Homes {
        let mut uses: BTreeMap<Register, Use> = BTreeMap::new();
        let mut written = BTreeSet::new();
        let mut constants: BTreeMap<u64, u64> = BTreeMap::new();
        for block in &nest.blocks {
            let weight = 8u64.pow(block.depth.min(DEEPEST));
            let mut skips_condition = false;
            for (i, instruction) in block.body.iter().enumerate() {
                let is_skipped = skipped.contains(&(block.pc, i));
                skips_condition |= is_skipped;
                let mut note = |register: Register, ty: Option<Ty>| {
                    let of = uses.entry(register).or_default();
                    match ty {
                        Some(ty) if ty.is_real() => of.real += weight,
                        Some(_) => of.integer += weight,
                        None => of.other += weight,
                    }
                };
                // An exit writes the predicate of a comparison that is skipped.
                written.extend(super::emit::written(&instruction.operation));
                match &instruction.operation {
                    Operation::Compute { formula, result, operands } => {
                        let (to, from) = types(*formula);
                        if !is_skipped {
                            note(*result, to);
                        }
                        for operand in operands {
                            match operand {
                                Operand::Register(register) => {
                                    note(*register, if register.class == Class::Pred { None } else { from });
                                }
                                Operand::Constant(bits) if from.is_some_and(Ty::is_real) && *bits != 0 => {
                                    *constants.entry(*bits).or_default() += weight;
                                }
                                Operand::Constant(_) => {}
                            }
                        }
                    }
                    Operation::Load { result, address, .. } => {
                        note(*result, None);
                        address.terms.iter().for_each(|term| note(term.register, Some(Ty::I64)));
                    }
                    Operation::Store { value, address, .. } => {
                        if let Operand::Register(register) = value {
                            note(*register, None);
                        }
                        address.terms.iter().for_each(|term| note(term.register, Some(Ty::I64)));
                    }
                    Operation::Serve { result, operands } => {
                        let of_operands = operands.iter().filter_map(|operand| match operand {
                            Operand::Register(register) => Some(*register),
                            Operand::Constant(_) => None,
                        });
                        of_operands.chain(*result).for_each(|register| note(register, None));
                    }
                    Operation::Statement | Operation::BackEdge => {}
                }
            }
            let read = match &block.end {
                Terminator::Jump(_) => None,
                Terminator::Branch { condition, .. } if !skips_condition => Some(condition),
                Terminator::Branch { .. } => None,
                Terminator::Switch { value, .. } => Some(value),
            };
            if let Some(Operand::Register(register)) = read {
                uses.entry(*register).or_default().integer += weight;
            }
        }
        let mut order: Vec<(u64, Register, bool)> = uses
            .iter()
            .map(|(&register, of)| {
                let is_real = register.class != Class::Pred && of.real >= of.integer && of.real > 0;
                (of.integer + of.real + of.other, register, is_real)
            })
            .collect();
        order.sort_by_key(|&(weight, register, _)| (std::cmp::Reverse(weight), register));
        let (mut general, mut vector) = (GPRS.iter(), XMMS.iter());
        let mut of = BTreeMap::new();
        for (_, register, is_real) in order {
            let home = if is_real {
                vector.next().map(|&x| Home::Vector(x))
            } else {
                general.next().map(|&r| Home::General(r))
            };
            of.extend(home.map(|home| (register, home)));
        }
        let mut constants: Vec<(u64, u64)> = constants.into_iter().collect();
        constants.sort_by_key(|&(bits, weight)| (std::cmp::Reverse(weight), bits));
        let constants = constants.into_iter().zip(vector).map(|((bits, _), &xmm)| (bits, xmm)).collect();
        Homes { of, written, constants }
    }

    /// Where a register is.
    pub(super) fn of(&self, register: Register) -> Home {
        self.of.get(&register).copied().unwrap_or(Home::Frame)
    }

    /// The constants that are kept, and where.
    pub(super) fn constants(&self) -> &[(u64, AsmRegisterXmm)] {
        &self.constants
    }

    /// The registers that have a home of their own, and whether the nest writes each.
    pub(super) fn kept(&self) -> impl Iterator<Item = (Register, Home, bool)> {
        self.of.iter().map(|(&register, &home)| (register, home, self.written.contains(&register)))
    }

    /// The vector registers that are homes, and their numbers in [`XMMS`].
    pub(super) fn vectors(&self) -> Vec<(usize, AsmRegisterXmm)> {
        let is_home = |&(_, xmm): &(usize, AsmRegisterXmm)| {
            self.of.values().any(|home| *home == Home::Vector(xmm)) || self.constants.iter().any(|c| c.1 == xmm)
        };
        XMMS.into_iter().enumerate().filter(is_home).collect()
    }

    /// General registers that are nobody's home.
    pub(super) fn free(&self) -> impl Iterator<Item = Gpr> {
        GPRS.into_iter().filter(|gpr| !self.of.values().any(|home| *home == Home::General(*gpr)))
    }
}

/// The types of the result and of the operands of a formula, if they ask for a kind of register.
fn types(formula: Formula) -> (Option<Ty>, Option<Ty>) {
    match formula {
        Formula::Move | Formula::Select => (None, None),
        Formula::Un(_, ty) | Formula::Bin(_, ty) | Formula::Tri(_, ty) => (Some(ty), Some(ty)),
        Formula::Cmp(_, ty) => (Some(Ty::Pred), Some(ty)),
        Formula::Cvt(_, from, to) => (Some(to), Some(from)),
        Formula::LocalAddress => (Some(Ty::I64), Some(Ty::I64)),
    }
}
