//! Module variables: where each is on the GPU, and their text.
//!
//! Constant variables go to `.const`, in the order of the module, as long as they fit into its 64 KiB; the others go to
//! `.global`, where reading them is only slower. Managed variables are plain `.global` here: accesses of the host come as
//! copies. Variables are `.visible`, so the host finds their addresses by name. A caller that places them in its own memory
//! gives their addresses; then they are constants in the code.

use super::{Unit, names};
use ir::{Global, GlobalId, GlobalInit, Module, Space};
use std::fmt::Write;

/// Bytes of constant memory (PTX ISA 5.1.3).
const CONST_BYTES: u64 = 65536;

/// Where a global variable lives on the GPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bank {
    /// `.global`
    Global,
    /// `.const`
    Const,
    /// At an address that the caller chose.
    Fixed(u64),
    /// On the host only.
    Nowhere,
}

/// The banks of all global variables.
pub(super) struct Placement(Vec<Bank>);

impl Placement {
    /// Places all variables.
    pub(super) fn new(module: &Module, addresses: Option<&[u64]>) -> Placement {
        if let Some(addresses) = addresses {
            let bank = |(global, &address): (&Global, &u64)| match global.space {
                Space::Global | Space::Const => Bank::Fixed(address),
                Space::Host | Space::Shared | Space::Local | Space::Generic => Bank::Nowhere,
            };
            return Placement(module.globals.iter().zip(addresses).map(bank).collect());
        }
        let mut end = 0u64;
        let bank = |global: &Global| match global.space {
            Space::Global => Bank::Global,
            Space::Const => {
                let start = end.next_multiple_of(alignment(global));
                let Some(next) = start.checked_add(size(global)).filter(|&n| n <= CONST_BYTES) else {
                    return Bank::Global;
                };
                end = next;
                Bank::Const
            }
            Space::Host | Space::Shared | Space::Local | Space::Generic => Bank::Nowhere,
        };
        Placement(module.globals.iter().map(bank).collect())
    }

    /// The bank of a variable.
    pub(super) fn bank(&self, id: GlobalId) -> Bank {
        self.0.get(id.index()).copied().unwrap_or(Bank::Nowhere)
    }
}

/// Bytes to reserve: PTX has no empty variables.
fn size(global: &Global) -> u64 {
    global.bytes.max(1)
}

fn alignment(global: &Global) -> u64 {
    global.align.max(1).checked_next_power_of_two().unwrap_or(256).min(256)
}

/// Prints the declarations.
pub(super) fn print(out: &mut String, unit: &Unit<'_>) {
    let _ = writeln!(out, ".visible .global .align 8 .b64 {};\n", super::RECORDS_SYMBOL);
    let mut any = false;
    for (i, global) in unit.module.globals.iter().enumerate() {
        let id = GlobalId(i as u32);
        let space = match unit.placement.bank(id) {
            Bank::Global => ".global",
            Bank::Const => ".const",
            Bank::Fixed(_) | Bank::Nowhere => continue,
        };
        any = true;
        let symbol = names::global_symbol(unit.module, id);
        let _ = write!(out, ".visible {space} .align {} .b8 {symbol}[{}]", alignment(global), size(global));
        if let GlobalInit::Bytes(bytes) = &global.init {
            initializer(out, bytes, size(global));
        }
        out.push_str(";\n");
    }
    if any {
        out.push('\n');
    }
}

/// The first bytes up to the last that is not zero; PTX fills the rest with zeros.
fn initializer(out: &mut String, bytes: &[u8], size: u64) {
    let bytes = &bytes[..bytes.len().min(usize::try_from(size).unwrap_or(usize::MAX))];
    let Some(last) = bytes.iter().rposition(|&b| b != 0) else { return };
    out.push_str(" = {");
    for (i, byte) in bytes[..=last].iter().enumerate() {
        let separator = match i {
            0 => "",
            _ if i % 32 == 0 => ",\n\t",
            _ => ", ",
        };
        let _ = write!(out, "{separator}{byte}");
    }
    out.push('}');
}
