//! Changes of variables and registers that the user makes.

use crate::eval::context::Change;
use crate::process::Process;
use crate::process::history::Edit;
use crate::process::watcher::Thread;
use emu::Emulator;
use mem::address::{SHARED_BASE, is_local, is_shared};

impl Process {
    /// Changes memory or registers for the debugger, and records the change.
    pub(crate) fn change(&mut self, thread: Thread, changes: Vec<Change>) -> bool {
        let edit = Edit { time: self.time, thread, changes };
        if !self.apply(&edit) {
            return false;
        }
        self.history.edit(edit);
        self.world.diverge();
        self.begun.retain(|_, begun| begun.time <= self.time);
        self.trace.forget_after(self.time);
        self.blocks.forget_after(self.time);
        // The statement that comes next has not made its calls.
        self.timeline.forget_after(self.time.saturating_sub(1));
        self.recorded.retain(|_, time| *time < self.time);
        self.scanned = self.machine.findings().len();
        self.latest = self.time;
        self.keep(self.time);
        true
    }

    pub(super) fn apply(&mut self, edit: &Edit) -> bool {
        edit.changes.iter().all(|c| self.apply_one(edit.thread, c).is_some())
    }

    pub(super) fn apply_one(&mut self, thread: Thread, change: &Change) -> Option<()> {
        let program = self.machine.program().clone();
        if let Change::Bytes(address, data) = change
            && !is_shared(*address)
            && !is_local(*address)
        {
            return self.machine.memory_mut().write(*address, data);
        }
        let Thread::Device { launch, block, warp, lane } = thread else {
            let Change::Register(frame, reg, bits) = change else { return None };
            return self.machine.host_mut().warp_mut().write_reg(&program, *frame, *reg, 0, *bits);
        };
        let emulators = self.machine.devices_mut().iter_mut().filter_map(|d| d.emulator_mut());
        let mut runnings = emulators.flat_map(Emulator::grids_mut);
        let running = runnings.find(|r| r.launch.number == launch)?;
        let block = running.active.iter_mut().find(|b| b.linear == block)?;
        match change {
            Change::Bytes(address, data) if is_shared(*address) => {
                let at = (address - SHARED_BASE) as usize;
                block.shared.get_mut(at..at.checked_add(data.len())?)?.copy_from_slice(data);
            }
            Change::Bytes(address, data) => {
                block.warps.get_mut(warp as usize)?.write_local(lane as usize, *address, data)?;
            }
            Change::Register(frame, reg, bits) => {
                let warp = block.warps.get_mut(warp as usize)?;
                warp.write_reg(&program, *frame, *reg, lane as usize, *bits)?;
            }
        }
        Some(())
    }
}
