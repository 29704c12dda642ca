//! The code of procedures: `disassemble`, and single instructions for front ends that show code beside the source.
//!
//! Not here: what the source declares (`symbols`).

use crate::session::focus::Level;
use crate::session::{Session, SessionError, refuse};
use crate::view::inspect::{CodeAt, InstructionView};
use crate::view::reply::{Outcome, Reply};
use device::Device;
use ir::{FuncId, FuncKind};
use vm::Site;

impl Session {
    /// The command `disassemble`.
    pub(crate) fn disassemble(&self, name: Option<&str>, is_ptx: bool) -> Result<Outcome, SessionError> {
        let module = self.process.machine().program().module();
        let func = match name {
            Some(name) => {
                let name = name.replace("::", ".");
                let is_it =
                    |f: &FuncId| ir::unnumbered(&module.func(*f).name) == name || module.func(*f).short_name() == name;
                self.functions("").into_iter().find(is_it)
            }
            None => {
                self.need_running()?;
                self.levels(self.focus).get(self.level as usize).map(|l| l.site.func)
            }
        };
        match func {
            Some(func) if is_ptx => self.ptx(func),
            Some(func) => Ok(Outcome::Reply(Reply::Text(ir::print::function(module, module.func(func), false)))),
            None => refuse(format!("Procedure \"{}\" is not defined.", name.unwrap_or(""))),
        }
    }

    /// The PTX of a kernel, or of the focused kernel that has called a procedure.
    fn ptx(&self, func: FuncId) -> Result<Outcome, SessionError> {
        let module = self.process.machine().program().module();
        let stack = self.levels(self.focus);
        let callers = stack.iter().map(|l| l.site.func).skip_while(|f| *f != func);
        let mut kernels = std::iter::once(func).chain(callers);
        let Some(kernel) = kernels.find(|&f| module.func(f).kind == FuncKind::Kernel) else {
            return refuse("Only kernels have PTX, and procedures while a kernel has called them.");
        };
        let device = self.process.machine().devices().iter().find_map(machine::DeviceBox::emulator);
        let sm = gpu::ptx::target_for(device.map_or(0, |d| d.properties().sm));
        let options = gpu::ptx::PtxOptions { sm, ..gpu::ptx::PtxOptions::default() };
        match gpu::ptx::emit(module, &[kernel], &options) {
            Ok(text) => Ok(Outcome::Reply(Reply::Text(text))),
            Err(error) => refuse(format!("There is no PTX for `{}`: {}.", error.function, error.what)),
        }
    }

    /// Where each frame of the focused thread is in the code, innermost first.
    pub fn code_of_stack(&self) -> Vec<CodeAt> {
        if !self.is_running() {
            return Vec::new();
        }
        self.levels(self.focus).iter().map(|level: &Level| self.code_at(level.site)).collect()
    }

    fn code_at(&self, site: Site) -> CodeAt {
        let program = self.process.machine().program();
        // The end of a block, and what only serves the executor, come after an instruction.
        let before = (0..=site.pc).rev().find_map(|pc| Some((pc, program.instruction_index(Site { pc, ..site })?)));
        let number = before.map_or(0, |(pc, (block, index))| {
            let blocks = &program.module().func(site.func).blocks;
            let earlier: usize = blocks.iter().take(block.index()).map(|b| b.insts.len() + 1).sum();
            earlier + index + usize::from(pc != site.pc)
        });
        CodeAt { procedure: site.func.index() as u32, instruction: number as u32 }
    }

    /// The instructions of a procedure in order; `None` if there is none of that number.
    pub fn instructions(&self, procedure: u32) -> Option<Vec<InstructionView>> {
        let module = self.process.machine().program().module();
        let func = module.funcs.get(procedure as usize)?;
        let mut all = Vec::new();
        for (number, block) in func.blocks.iter().enumerate() {
            let mut label = match number {
                0 => Some(self.function_name(FuncId(procedure))),
                _ => Some(format!("bb{number}")),
            };
            let insts = block.insts.iter().map(|inst| (ir::print::inst(module, func, inst), inst.span));
            let end = std::iter::once((ir::print::term(func, &block.term), source::Span::NONE));
            for (text, span) in insts.chain(end) {
                all.push(InstructionView { label: label.take(), text, place: self.line_of(span) });
            }
        }
        Some(all)
    }
}
