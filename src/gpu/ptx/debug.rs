//! What a debugger needs in the text: places in the source, and variables in memory.
//!
//! With debug information, every register that belongs to a source variable or holds its address is stored to its own
//! slot after each assignment, so it has one address (in `.local`, DWARF address class 6) while its function runs. A debugger reads
//! the variable there; what it writes there has no effect.
//!
//! Not here: the DWARF sections (`dwarf`).

use super::body;
use ir::{Function, Reg, Ty, Val, VarLoc, VarShape};
use source::{SourceMap, Span};
use std::fmt::Write;

/// Where a register that a debugger reads is kept under debug.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VariableSlot {
    /// The register.
    pub reg: Reg,
    /// Its type; a predicate takes one byte.
    pub ty: Ty,
    /// Offset in bytes in the function's local array `depot`.
    pub offset: u64,
}

/// The places of all registers of source variables and of their addresses, in the order of the registers.
pub fn variable_slots(func: &Function) -> Vec<VariableSlot> {
    let is_address = |reg| func.vars.iter().any(|var| matches!(var.loc, VarLoc::At(r) if r == reg));
    let mut offset = body::locals_end(func);
    let mut slots = Vec::new();
    for (i, info) in func.regs.iter().enumerate() {
        let reg = Reg(i as u32);
        if info.var.is_some() || is_address(reg) {
            slots.push(VariableSlot { reg, ty: info.ty, offset });
            offset += 8;
        }
    }
    slots
}

/// Whether the place or the shape of a variable names that register.
pub(super) fn is_named(func: &Function, reg: Reg) -> bool {
    let is_it = |value: &Val| *value == Val::Reg(reg);
    func.vars.iter().any(|var| {
        let place = match var.loc {
            VarLoc::Reg(r) | VarLoc::At(r) | VarLoc::DescriptorAt(r) => r == reg,
            VarLoc::Complex(re, im) => re == reg || im == reg,
            VarLoc::Memory(_) | VarLoc::Descriptor(_) | VarLoc::Constant => false,
        };
        let shape = match &var.shape {
            VarShape::Array(dims) => dims
                .iter()
                .any(|(lower, extent, stride)| is_it(lower) || extent.as_ref().is_some_and(is_it) || is_it(stride)),
            VarShape::Scalar | VarShape::Described(_) => false,
        };
        place || shape
    })
}

/// Prints the table of files; PTX counts them from 1.
pub(super) fn print_files(out: &mut String, sources: &SourceMap) {
    for (id, file) in sources.files() {
        let name = file.name().replace(['"', '\\', '\n'], "_");
        let _ = writeln!(out, ".file {} \"{name}\"", id.0 + 1);
    }
    out.push('\n');
}

/// The `.loc` line of a span.
pub(super) fn location(sources: &SourceMap, span: Span) -> Option<String> {
    let at = sources.location(span)?;
    Some(format!(".loc {} {} {}", span.file.0 + 1, at.line, at.column))
}
