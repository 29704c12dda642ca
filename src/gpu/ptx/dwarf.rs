//! The DWARF sections of a text, for debuggers of GPUs: functions, types, and where variables are.
//!
//! Lines come from `.loc`: ptxas makes the line table from them, and the sections only refer to it. A variable whose value or
//! storage is in the local memory of its function has a location (address class 6). Others, such as arrays passed by address,
//! are named without one.
//!
//! Source: PTX ISA 11.5 and 5.4.6 "Debugging Directives"; the form is that of LLVM's NVPTX back end.

use super::Unit;
use super::body::{Depot, depot_symbol};
use super::debug::variable_slots;
use debuginfo::{At, Chunk, Code, LocOp, Options, Section, Target, VarPlace};
use ir::{AddrBase, FuncId, Function, Reg, VarId, VarLoc};
use source::SourceMap;
use std::fmt::Write;

/// Local memory as `DW_AT_address_class` numbers it.
const LOCAL: u8 = 6;
/// Bytes of a line.
const LINE: usize = 24;

/// Which label a number stands for: three of each function.
const LABELS: u32 = 3;

/// The label at the beginning of a function.
pub(super) fn begin_label(id: FuncId) -> String {
    format!("$L__func_begin{}", id.0)
}

/// The label after its end.
pub(super) fn end_label(id: FuncId) -> String {
    format!("$L__func_end{}", id.0)
}

fn label(number: u32) -> String {
    let id = FuncId(number / LABELS);
    match number % LABELS {
        0 => begin_label(id),
        1 => end_label(id),
        _ => depot_symbol(Some(id)),
    }
}

/// The sections for the functions that the text has.
pub(super) fn sections(unit: &Unit<'_>, printed: &[FuncId], sources: &SourceMap) -> String {
    let code: Vec<Code> = printed.iter().map(|&id| code(unit.module.func(id), id)).collect();
    let options = Options { version: 2, producer: "cufemu".to_owned(), directory: ".".to_owned(), all_files: true };
    let mut out = String::new();
    // What gimli cannot encode is left out; the code is the same without it.
    for section in debuginfo::write(unit.module, &code, sources, &options).unwrap_or_default() {
        if section.name != ".debug_line" {
            print(&mut out, &section);
        }
    }
    out
}

fn code(func: &Function, id: FuncId) -> Code {
    let (slots, depot) = (variable_slots(func), Depot::new(func, true));
    // Of the label ptxas makes a place in the frame, but drops what is added to it.
    let at = |offset: u64| vec![LocOp::Address(At::Label(id.0 * LABELS + 2, 0)), LocOp::Plus(offset)];
    let slot = |reg: Reg| slots.iter().find(|s| s.reg == reg);
    let place = |loc: &VarLoc| -> Option<Vec<LocOp>> {
        match *loc {
            VarLoc::Reg(reg) => Some(at(slot(reg)?.offset)),
            VarLoc::Complex(re, im) => {
                let (re, im) = (slot(re)?, slot(im)?);
                let piece =
                    |s: &super::VariableSlot| [at(s.offset), vec![LocOp::Piece(u64::from(s.ty.bytes()))]].concat();
                Some([piece(re), piece(im)].concat())
            }
            VarLoc::Memory(AddrBase::Local(local)) => Some(at(*depot.slots.get(local.index())?)),
            VarLoc::Memory(_) | VarLoc::At(_) | VarLoc::Descriptor(_) | VarLoc::DescriptorAt(_) | VarLoc::Constant => {
                None
            }
        }
    };
    let places = func.vars.iter().enumerate().filter_map(|(i, var)| {
        Some(VarPlace { var: VarId(i as u32), location: place(&var.loc)?, address_class: Some(LOCAL) })
    });
    Code {
        func: id,
        begin: At::Label(id.0 * LABELS, 0),
        end: At::Label(id.0 * LABELS + 1, 0),
        bytes: 0,
        rows: Vec::new(),
        places: places.collect(),
        frame_base: vec![LocOp::CallFrame],
    }
}

fn print(out: &mut String, section: &Section) {
    let _ = writeln!(out, ".section {}\n{{", section.name);
    for chunk in section.chunks() {
        match chunk {
            Chunk::Bytes(bytes) => {
                for line in bytes.chunks(LINE) {
                    let line: Vec<String> = line.iter().map(u8::to_string).collect();
                    let _ = writeln!(out, ".b8 {}", line.join(","));
                }
            }
            Chunk::Reference(reference) => {
                let name = match reference.target {
                    Target::Section(name) => name.to_owned(),
                    Target::Label(number) => label(number),
                };
                let addend = if reference.addend == 0 { String::new() } else { format!("+{}", reference.addend) };
                let _ = writeln!(out, ".b{} {name}{addend}", u32::from(reference.size) * 8);
            }
        }
    }
    out.push_str("}\n");
}
