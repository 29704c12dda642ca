//! Makes all functions of a module, from a queue.
//!
//! The main program, all kernels and all host procedures of the program's units are roots. Procedures of the embedded
//! modules and device procedures follow as they are called.

use crate::module::{Instance, ModuleLowering};
use crate::procedure::entry;
use crate::types::Side;
use ir::Module;
use sema::checked::{ProcBody, ProcId, ProcKind};

/// Makes the main program, all other roots and what they call.
pub(crate) fn whole_program(mut module: ModuleLowering<'_>) -> Module {
    module.add_main();
    for index in 0..module.program().procs.len() {
        if let Some(instance) = root(&module, ProcId(index as u32)) {
            module.instance(instance);
        }
    }
    make_queued(module)
}

/// Makes the main program and what it calls.
pub(crate) fn main_only(mut module: ModuleLowering<'_>) -> Module {
    module.add_main();
    make_queued(module)
}

fn make_queued(mut module: ModuleLowering<'_>) -> Module {
    while let Some((instance, id)) = module.next_instance() {
        let made = entry::procedure(&mut module, &instance, id);
        module.set_function(id, made);
    }
    module.finish()
}

/// The instance of a procedure that is made even if nothing calls it.
fn root(module: &ModuleLowering<'_>, id: ProcId) -> Option<Instance> {
    let program = module.program();
    let proc = program.proc(id);
    let is_cloned =
        proc.params.iter().map(|&v| program.var(v)).any(|v| {
            (matches!(v.storage, sema::checked::Storage::Procedure) && !v.attrs.optional) || module.is_ranked(v)
        });
    if module.is_embedded(id) || is_cloned || !matches!(proc.body, ProcBody::Statements(_)) {
        return None;
    }
    match proc.kind {
        ProcKind::Kernel => Some(module.plain_instance(id, Side::Device)),
        ProcKind::Host | ProcKind::HostDevice => Some(module.plain_instance(id, Side::Host)),
        ProcKind::Device => None,
    }
}
