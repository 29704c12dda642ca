//! The DWARF sections of a text, for debuggers of GPUs: functions, types, and where variables are.
//!
//! Lines come from `.loc`: ptxas makes the line table from them, and the sections only refer to it. A variable has a location in
//! local, shared, global or constant memory. One that is passed by address is a reference, whose value is in local memory. What is
//! in dynamic shared memory, and a dummy with a descriptor, is named without a location.
//!
//! Source: PTX ISA 11.5 and 5.4.6 "Debugging Directives"; the form is that of LLVM's NVPTX back end.

use super::body::{Depot, depot_symbol};
use super::debug::variable_slots;
use super::globals::Bank;
use super::{Unit, names};
use debuginfo::{At, Chunk, Code, LocOp, Options, Section, Target, VarPlace};
use ir::{AddrBase, FuncId, Reg, SharedSize, VarId, VarLoc};
use source::SourceMap;
use std::fmt::Write;

/// Spaces as `DW_AT_address_class` numbers them (PTX ISA 11.5).
const CONST: u8 = 4;
const GLOBAL: u8 = 5;
const LOCAL: u8 = 6;
const SHARED: u8 = 8;
const GENERIC: u8 = 12;
/// Bytes of a line.
const LINE: usize = 24;

/// The names that the sections refer to; a label's number is its place here.
#[derive(Default)]
struct Labels(Vec<String>);

impl Labels {
    fn at(&mut self, name: String) -> At {
        let known = self.0.iter().position(|n| *n == name);
        let number = known.unwrap_or_else(|| {
            self.0.push(name);
            self.0.len() - 1
        });
        At::Label(number as u32, 0)
    }
}

/// The label at the beginning of a function.
pub(super) fn begin_label(id: FuncId) -> String {
    format!("$L__func_begin{}", id.0)
}

/// The label after its end.
pub(super) fn end_label(id: FuncId) -> String {
    format!("$L__func_end{}", id.0)
}

/// The sections for the functions that the text has.
pub(super) fn sections(unit: &Unit<'_>, printed: &[FuncId], sources: &SourceMap) -> String {
    let mut labels = Labels::default();
    let code: Vec<Code> = printed.iter().map(|&id| code(unit, id, &mut labels)).collect();
    let options = Options { version: 2, producer: "cufemu".to_owned(), directory: ".".to_owned(), all_files: true };
    let mut out = String::new();
    // What gimli cannot encode is left out; the code is the same without it.
    for section in debuginfo::write(unit.module, &code, sources, &options).unwrap_or_default() {
        if section.name != ".debug_line" {
            print(&mut out, &section, &labels);
        }
    }
    out
}

fn code(unit: &Unit<'_>, id: FuncId, labels: &mut Labels) -> Code {
    let func = unit.module.func(id);
    let (slots, depot) = (variable_slots(func), Depot::new(func, true));
    let frame = labels.at(depot_symbol(Some(id)));
    // Of the label ptxas makes a place in the frame, but drops what is added to it.
    let at = |offset: u64| vec![LocOp::Address(frame), LocOp::Plus(offset)];
    let slot = |reg: Reg| slots.iter().find(|s| s.reg == reg);
    let object = |location, address_class| VarPlace { var: VarId(0), location, address_class, holds_address: false };
    let mut in_memory = |base: AddrBase| -> Option<VarPlace> {
        Some(match base {
            AddrBase::Local(local) => object(at(*depot.slots.get(local.index())?), Some(LOCAL)),
            AddrBase::Shared(shared) => match func.shared.get(shared.index())?.size {
                SharedSize::Static(_) => {
                    object(vec![LocOp::Address(labels.at(names::shared_symbol(Some(id), shared)))], Some(SHARED))
                }
                SharedSize::Dynamic => return None,
            },
            AddrBase::Global(global) => match unit.placement.bank(global) {
                Bank::Fixed(address) => object(vec![LocOp::Address(At::Number(address))], Some(GLOBAL)),
                bank @ (Bank::Global | Bank::Const) => {
                    let class = if bank == Bank::Const { CONST } else { GLOBAL };
                    let symbol = names::global_symbol(unit.module, global);
                    object(vec![LocOp::Address(labels.at(symbol))], Some(class))
                }
                Bank::Nowhere => return None,
            },
        })
    };
    let mut place = |loc: &VarLoc| -> Option<VarPlace> {
        match *loc {
            VarLoc::Reg(reg) => Some(object(at(slot(reg)?.offset), Some(LOCAL))),
            VarLoc::Complex(re, im) => {
                let (re, im) = (slot(re)?, slot(im)?);
                let piece =
                    |s: &super::VariableSlot| [at(s.offset), vec![LocOp::Piece(u64::from(s.ty.bytes()))]].concat();
                Some(object([piece(re), piece(im)].concat(), Some(LOCAL)))
            }
            VarLoc::Memory(base) | VarLoc::Descriptor(base) => in_memory(base),
            VarLoc::At(reg) => Some(VarPlace { holds_address: true, ..object(at(slot(reg)?.offset), Some(LOCAL)) }),
            // cuda-gdb 13.0 does not follow a reference to a type whose bounds are in memory.
            VarLoc::DescriptorAt(_) | VarLoc::Constant => None,
        }
    };
    let places = func.vars.iter().enumerate();
    let places = places.filter_map(|(i, var)| Some(VarPlace { var: VarId(i as u32), ..place(&var.loc)? })).collect();
    Code {
        func: id,
        begin: labels.at(begin_label(id)),
        end: labels.at(end_label(id)),
        bytes: 0,
        rows: Vec::new(),
        places,
        pointer_class: Some(GENERIC),
        frame_base: vec![LocOp::CallFrame],
    }
}

fn print(out: &mut String, section: &Section, labels: &Labels) {
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
                    Target::Label(number) => labels.0.get(number as usize).cloned().unwrap_or_default(),
                };
                let addend = if reference.addend == 0 { String::new() } else { format!("+{}", reference.addend) };
                let _ = writeln!(out, ".b{} {name}{addend}", u32::from(reference.size) * 8);
            }
        }
    }
    out.push_str("}\n");
}
