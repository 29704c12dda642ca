//! Places a module's variables in memory.
//!
//! Host data and constants go to host memory; device, constant and managed data go to memory that the first device allocates.

use crate::devices::DeviceBox;
use finding::DEFAULT_VALUES;
use ir::rt::Rt;
use ir::{Global, GlobalInit, InstKind, Module, Space};
use mem::{Memory, Region};
use source::Span;
use std::fmt;

/// Why a program cannot be loaded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoadError {
    /// One sentence.
    pub sentence: String,
    /// The declaration that is to blame, or [`Span::NONE`].
    pub span: Span,
}

impl LoadError {
    /// An error of the program as a whole.
    pub fn new(sentence: impl Into<String>) -> LoadError {
        LoadError { sentence: sentence.into(), span: Span::NONE }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl std::error::Error for LoadError {}

/// The name that findings use for a variable.
fn shown(global: &Global) -> &str {
    match &global.var {
        Some(var) => &var.name,
        None if !global.holes.is_empty() => DEFAULT_VALUES,
        None => "",
    }
}

fn region(global: &Global) -> Region {
    match global.space {
        _ if global.managed => Region::Managed,
        Space::Global | Space::Const => Region::Device(0),
        Space::Host | Space::Shared | Space::Local | Space::Generic => Region::Host,
    }
}

/// Allocates every global and gives it its first contents; the addresses by number.
pub(crate) fn place_globals(
    module: &Module,
    memory: &mut Memory,
    device: &mut DeviceBox,
) -> Result<Vec<u64>, LoadError> {
    let mut addresses = Vec::with_capacity(module.globals.len());
    for global in &module.globals {
        let region = region(global);
        // Sizes that cannot be counted are the largest number.
        let bytes = match global.bytes {
            n if n >= i64::MAX as u64 => "more bytes than can be addressed".to_owned(),
            n => format!("{n} bytes"),
        };
        let at = |sentence| LoadError { sentence, span: global.span };
        let no_room = || at(format!("there is no memory for `{}`, which has {bytes}", global.name));
        let address = if region == Region::Host {
            memory.alloc(region, global.bytes, shown(global), global.span).map_err(|_| no_room())?
        } else {
            let device = device.as_device();
            device.alloc(memory, region, global.bytes, 1, shown(global), global.span).map_err(|_| no_room())?
        };
        if let GlobalInit::Bytes(bytes) = &global.init {
            let bytes = &bytes[..bytes.len().min(global.bytes as usize)];
            let done = match region {
                Region::Device(_) => device.as_device().write(memory, address, bytes).is_ok(),
                _ => memory.write(address, bytes).is_some(),
            };
            if !done {
                return Err(at(format!("there is no memory for the first value of `{}`", global.name)));
            }
        }
        if matches!(global.init, GlobalInit::Zero) {
            memory.mark_initialised(address, global.bytes);
        }
        global.holes.iter().for_each(|&(first, len)| memory.mark_uninitialised(address + first, len));
        addresses.push(address);
    }
    Ok(addresses)
}

/// Whether the program gives C code descriptors, or has variables of C code.
pub(crate) fn shares_with_c(module: &Module) -> bool {
    let of_c = [Rt::ForeignNative, Rt::ForeignPlace, Rt::ForeignVariable];
    let insts = module.funcs.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.insts);
    insts.into_iter().any(|inst| matches!(&inst.kind, InstKind::Rt { rt, .. } if of_c.contains(rt)))
}
