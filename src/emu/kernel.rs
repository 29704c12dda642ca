//! What is known of a kernel without running it, for the checks of launches and for inquiries.
//!
//! Not here: the checks (`device`).

use device::KernelInfo;
use ir::{FuncId, FuncKind, Space};
use vm::Program;

/// What is known of a function; `None` if it is no kernel.
pub fn kernel_info(program: &Program, func: FuncId) -> Option<KernelInfo> {
    let function = program.module().funcs.get(func.index()).filter(|f| f.kind == FuncKind::Kernel)?;
    let constant = program.module().globals.iter().filter(|g| g.space == Space::Const);
    // Half of the virtual registers are alive at one time, as a rule of thumb.
    let words = program.register_words(func);
    Some(KernelInfo {
        name: function.name.to_string(),
        shared_bytes: program.shared_bytes(func),
        local_bytes: program.local_bytes(func),
        constant_bytes: constant.map(|g| g.bytes).sum(),
        registers: (words / 2).clamp(16, 255),
        max_threads: function.max_threads,
        cluster: function.cluster,
        is_cooperative: function.cooperative,
    })
}
