//! The interface through which other crates see a program and a warp.
//!
//! Everything here speaks of the IR: a register is an [`ir::Reg`] of the function whose frame it is, a place is a [`Site`],
//! whose instruction [`Program::instruction`] gives. How values are stored, and which operations an instruction became, is
//! not visible, so that any engine behind [`Warp`] can answer.
//!
//! Not here: what a run reports while it goes on (`hooks`), and requests that end a run ([`crate::Stop`]).

use crate::code::InstructionSet;
use crate::code::{Engine, Program, Site};
use crate::frame::Frame;
use crate::warp::{RtRequest, Warp};
use crate::warp::{Split, State};
use ir::{FuncId, GlobalId, InlineId, InstKind, LocalId, Module, Reg, SharedId};
use mem::address::SHARED_BASE;
use source::Span;
use std::sync::Arc;

/// Programs: their module, sites and memory layout.
impl Program {
    /// The module that it was compiled from.
    pub fn module(&self) -> &Arc<Module> {
        &self.module
    }

    /// The addresses of the global variables, by [`GlobalId`].
    pub fn globals(&self) -> &[u64] {
        &self.globals
    }

    /// The address of a global variable.
    pub fn global_address(&self, id: GlobalId) -> Option<u64> {
        self.globals.get(id.index()).copied()
    }

    /// The source place of a site.
    pub fn span(&self, site: Site) -> Span {
        let spans = self.code.get(site.func.index()).map(|c| c.spans.as_slice());
        spans.and_then(|s| s.get(site.pc as usize)).copied().unwrap_or(Span::NONE)
    }

    /// The calls in whose place the code of a site stands, the innermost first: what is called, and where.
    pub fn inlined(&self, site: Site) -> impl Iterator<Item = (FuncId, Span)> {
        let func = self.module.funcs.get(site.func.index());
        let at = self.inlined_at(site);
        func.into_iter().flat_map(move |func| func.inlined(at)).map(|call| (call.func, call.span))
    }

    /// The innermost call in whose place the code of a site stands.
    pub fn inlined_at(&self, site: Site) -> InlineId {
        let of = self.code.get(site.func.index()).and_then(|code| code.inlined.get(site.pc as usize));
        of.copied().unwrap_or(InlineId::NONE)
    }

    /// The source place of a site, and those of the calls in whose place it stands, the innermost first.
    pub fn spans(&self, site: Site) -> impl Iterator<Item = Span> {
        std::iter::once(self.span(site)).chain(self.inlined(site).map(|(_, span)| span))
    }

    /// How many sites a function has; they are numbered from 0 in the order of its blocks.
    pub fn site_count(&self, func: FuncId) -> usize {
        self.code.get(func.index()).map_or(0, |c| c.spans.len())
    }

    /// The sites of a function.
    pub fn sites(&self, func: FuncId) -> impl Iterator<Item = Site> + use<> {
        (0..self.site_count(func) as u32).map(move |pc| Site { func, pc })
    }

    /// Block and index of the instruction at a site; `None` at terminators and at sites that only serve the executor.
    pub fn instruction_index(&self, site: Site) -> Option<(ir::Bb, usize)> {
        *self.code.get(site.func.index())?.insts.get(site.pc as usize)?
    }

    /// The instruction at a site; `None` where [`Program::instruction_index`] gives none.
    pub fn instruction(&self, site: Site) -> Option<&InstKind> {
        let (bb, index) = self.instruction_index(site)?;
        let block = self.module.funcs.get(site.func.index())?.blocks.get(bb.index())?;
        block.insts.get(index).map(|inst| &inst.kind)
    }

    /// Whether a source statement begins at a site.
    pub fn is_statement(&self, site: Site) -> bool {
        matches!(self.instruction(site), Some(InstKind::Stmt))
    }

    /// The sites of the loads, stores and atomics of a function, in the order of its blocks.
    pub fn access_sites(&self, func: FuncId) -> impl Iterator<Item = Site> {
        let sites = self.code.get(func.index()).map_or(&[][..], |c| c.accesses.as_slice());
        sites.iter().map(move |&pc| Site { func, pc })
    }

    /// Bytes of static shared memory that a function and all that it calls need.
    pub fn shared_bytes(&self, func: FuncId) -> u64 {
        self.code.get(func.index()).map_or(0, |c| c.shared_bytes)
    }

    /// Where the dynamic shared memory of a kernel begins: bytes from the start of the block's shared memory.
    pub fn dynamic_shared_offset(&self, kernel: FuncId) -> u64 {
        self.shared_bytes(kernel).next_multiple_of(16)
    }

    /// The address of a static shared variable of a function; `None` for a dynamic one.
    pub fn shared_address(&self, func: FuncId, id: SharedId) -> Option<u64> {
        let offset = self.code.get(func.index())?.shared_offsets.get(id.index())?;
        offset.map(|offset| SHARED_BASE + offset)
    }

    /// Whether blocks of a kernel meet those of their cluster, or reach their shared memory.
    pub fn unites_cluster(&self, kernel: FuncId) -> bool {
        self.code.get(kernel.index()).is_some_and(|c| c.unites_cluster)
    }

    /// Whether a kernel launches others.
    pub fn launches(&self, kernel: FuncId) -> bool {
        self.code.get(kernel.index()).is_some_and(|c| c.launches)
    }

    /// Whether a warp that runs a kernel waits for no other warp.
    pub fn meets_nobody(&self, kernel: FuncId) -> bool {
        self.code.get(kernel.index()).is_some_and(|c| c.meets_nobody)
    }

    /// Whether a function declares dynamic shared memory.
    pub fn has_dynamic_shared(&self, func: FuncId) -> bool {
        self.code.get(func.index()).is_some_and(|c| c.shared_offsets.iter().any(Option::is_none))
    }

    /// Bytes of local memory that a frame of a function has.
    pub fn local_bytes(&self, func: FuncId) -> u64 {
        self.code.get(func.index()).map_or(0, |c| c.local_bytes)
    }

    /// The size of a function's virtual registers and constants in words of 32 bits, predicates not counted.
    pub fn register_words(&self, func: FuncId) -> u32 {
        self.code.get(func.index()).map_or(0, |c| c.register_words)
    }

    /// Rows of a frame of a function: predicates, words of 32 bits and of 64 bits; registers that are never live together
    /// share them.
    pub fn frame_rows(&self, func: FuncId) -> [u32; 3] {
        self.code.get(func.index()).map_or([0; 3], |c| c.files)
    }

    /// How many loops of a function only compute and load and are left by one lane after another.
    pub fn side_exit_loops(&self, func: FuncId) -> usize {
        self.code.get(func.index()).map_or(0, |code| code.side_exit_loops.len())
    }

    /// Whether loops of a function of the host have been compiled to machine code.
    pub fn has_compiled_loops(&self, func: FuncId) -> bool {
        self.code.get(func.index()).is_some_and(|code| code.native.host.is_made())
    }

    /// Chooses the instruction set that its warps run with. Results do not depend on it.
    pub fn set_instruction_set(&mut self, set: InstructionSet) {
        self.set = set;
    }

    /// Chooses what runs device code. Results do not depend on it.
    pub fn set_engine(&mut self, engine: Engine) {
        self.is_native = engine == Engine::Native && jit::is_available();
    }

    /// Keeps every register at what the source says in every lane, also where the program has no more use for it, as a
    /// debugger wants it. It costs time.
    pub fn set_materialise_all(&mut self, materialise_all: bool) {
        self.materialise_all = materialise_all;
    }
}

/// One activation of a call stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Activation {
    /// The number of its frame.
    pub frame: u32,
    /// Where it is; in callers, the call.
    pub site: Site,
}

/// Lanes of a warp at one place.
#[derive(Clone, Copy, Debug)]
pub struct SplitView<'a, const W: usize> {
    warp: &'a Warp<W>,
    split: &'a Split,
    func: FuncId,
    is_current: bool,
}

impl<'a, const W: usize> SplitView<'a, W> {
    /// Its lanes.
    pub fn mask(&self) -> u32 {
        self.split.mask
    }

    /// The site that comes next.
    pub fn site(&self) -> Site {
        Site { func: self.func, pc: self.split.pc }
    }

    /// The number of its innermost frame.
    pub fn frame_number(&self) -> u32 {
        self.split.frame
    }

    /// Its innermost frame.
    pub fn frame(&self) -> Option<&'a Frame<W>> {
        self.warp.frame(self.split.frame)
    }

    /// What it is doing.
    pub fn state(&self) -> &'a State {
        &self.split.state
    }

    /// Whether it is the one that runs.
    pub fn is_current(&self) -> bool {
        self.is_current
    }

    /// Whether it was stopped before the statement at its site and goes on past it.
    pub fn is_stopped(&self) -> bool {
        self.split.resume
    }

    /// Its call stack, innermost first.
    pub fn call_stack(&self) -> Vec<Site> {
        self.warp.call_stack(self.split.frame, self.split.pc)
    }

    /// Its call stack with the frames, innermost first.
    pub fn activations(&self) -> Vec<Activation> {
        self.warp.activations(self.split.frame, self.split.pc)
    }

    /// Whether both have the same call stack.
    pub fn is_where(&self, other: &SplitView<'_, W>) -> bool {
        let mut here = self.warp.callers(self.split.frame, self.split.pc);
        let mut there = other.warp.callers(other.split.frame, other.split.pc);
        loop {
            match (here.next(), there.next()) {
                (None, None) => return true,
                (Some(a), Some(b)) if a.site == b.site => {}
                _ => return false,
            }
        }
    }
}

/// Warps: their lanes, where these are, and the registers of their frames.
impl<const W: usize> Warp<W> {
    /// The number of the warp in its block.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The lanes that have not exited.
    pub fn live(&self) -> u32 {
        self.live
    }

    /// Whether all lanes have exited.
    pub fn is_done(&self) -> bool {
        self.splits.is_empty()
    }

    /// Schedule points that it has passed.
    pub fn points(&self) -> u64 {
        self.points
    }

    /// How many stores, and atomics that changed something, it has done since the last call.
    pub fn take_writes(&mut self) -> u64 {
        std::mem::take(&mut self.writes)
    }

    /// Sets what the order of lanes is drawn from where it is free: in an atomic, and of the two sides of a branch. 0 is their
    /// natural order.
    pub fn set_seed(&mut self, seed: u64) {
        self.seed = seed;
    }

    /// Frames at most, against endless recursion.
    pub fn depth_limit(&self) -> u32 {
        self.depth_limit
    }

    /// How many frames it has.
    pub fn frame_count(&self) -> usize {
        self.frames.iter().flatten().count()
    }

    /// Its splits: the lanes that are at one place together.
    pub fn splits(&self) -> impl Iterator<Item = SplitView<'_, W>> {
        self.splits.iter().enumerate().filter_map(|(i, split)| {
            let func = self.frame(split.frame)?.func;
            Some(SplitView { warp: self, split, func, is_current: i == self.current })
        })
    }

    /// The split that holds a lane.
    pub fn split_of(&self, lane: u32) -> Option<SplitView<'_, W>> {
        self.splits().find(|s| s.mask() >> lane & 1 != 0)
    }

    /// The frame of that number.
    pub fn frame(&self, number: u32) -> Option<&Frame<W>> {
        self.frames.get(number as usize)?.as_deref()
    }

    /// The call stack of a frame that is at `pc`, innermost first.
    pub fn activations(&self, frame: u32, pc: u32) -> Vec<Activation> {
        self.callers(frame, pc).collect()
    }

    /// The frame that is at `pc`, its caller, and so on.
    fn callers(&self, frame: u32, pc: u32) -> impl Iterator<Item = Activation> {
        let mut at = Some((frame, pc));
        std::iter::from_fn(move || {
            let (number, pc) = at?;
            let frame = self.frame(number)?;
            at = frame.caller.as_ref().map(|c| (c.frame, c.pc));
            Some(Activation { frame: number, site: Site { func: frame.func, pc } })
        })
    }

    /// The sites of the call stack of a frame that is at `pc`, innermost first.
    pub fn call_stack(&self, frame: u32, pc: u32) -> Vec<Site> {
        self.callers(frame, pc).map(|a| a.site).collect()
    }

    /// The bits of a register of a frame in one lane.
    pub fn read_reg(&self, program: &Program, frame: u32, reg: Reg, lane: usize) -> Option<u64> {
        self.frame(frame)?.read_reg(program, reg, lane)
    }

    /// Sets a register of a frame in one lane.
    pub fn write_reg(&mut self, program: &Program, frame: u32, reg: Reg, lane: usize, bits: u64) -> Option<()> {
        let frame = self.frame_mut(frame)?;
        let place = *program.code.get(frame.func.index())?.slots.get(reg.index())?;
        frame.set(place, lane, bits);
        Some(())
    }

    /// The function and the slot of local memory that hold an address of local memory.
    pub fn local_slot_at(&self, program: &Program, address: u64) -> Option<(FuncId, LocalId)> {
        let holds = |f: &&Frame<W>| address >= f.local_base && address - f.local_base < f.local_span;
        let frame = self.frames.iter().filter_map(Option::as_deref).find(holds)?;
        let offset = address - frame.local_base;
        let parts = &program.code.get(frame.func.index())?.local_parts;
        let at = parts.iter().position(|part| offset >= part.start && offset - part.start < part.bytes)?;
        Some((frame.func, LocalId(at as u32)))
    }

    /// The address of the copy that its kernel has of an object passed as the argument at `index`, and the bytes of it.
    pub fn passed_object(&self, program: &Program, index: usize) -> Option<(u64, u64)> {
        let kernel = self.frame(0)?;
        let part = program.code.get(kernel.func.index())?.param_parts.get(index).copied().flatten()?;
        Some((kernel.local_base + part.start, part.bytes))
    }

    /// The address and the bytes of the slot of local memory that holds an address.
    pub fn local_extent_at(&self, program: &Program, address: u64) -> Option<(u64, u64)> {
        let holds = |f: &&Frame<W>| address >= f.local_base && address - f.local_base < f.local_span;
        let frame = self.frames.iter().filter_map(Option::as_deref).find(holds)?;
        let (func, slot) = self.local_slot_at(program, address)?;
        let bytes = program.code.get(func.index())?.local_parts.get(slot.index())?.bytes;
        Some((frame.local_address(program, slot), bytes))
    }

    /// The first free address of its stack, if it is the host.
    pub fn stack_top(&self) -> Option<u64> {
        Some(self.stack?.top)
    }

    /// The argument of a request of the current split in one lane.
    pub fn arg(&self, request: &RtRequest, index: usize, lane: usize) -> u64 {
        let frame = self.splits.get(self.current).and_then(|f| self.frame(f.frame));
        match (frame, request.args.get(index)) {
            (Some(frame), Some(&slot)) => frame.get(slot, lane),
            _ => 0,
        }
    }
}

/// Frames: the registers and the local memory of one activation.
impl<const W: usize> Frame<W> {
    /// The function.
    pub fn func(&self) -> FuncId {
        self.func
    }

    /// The frame that it returns to.
    pub fn caller(&self) -> Option<u32> {
        self.caller.as_ref().map(|c| c.frame)
    }

    /// The bits of a register in one lane; `None` if the function has no such register. Registers of variables can be read
    /// anywhere, others where they are live.
    pub fn read_reg(&self, program: &Program, reg: Reg, lane: usize) -> Option<u64> {
        let place = *program.code.get(self.func.index())?.slots.get(reg.index())?;
        Some(self.get(place, lane))
    }

    /// The address of a slot of its local memory.
    pub fn local_address(&self, program: &Program, id: LocalId) -> u64 {
        let parts = program.code.get(self.func.index()).map(|c| c.local_parts.as_slice());
        self.local_base + parts.and_then(|parts| parts.get(id.index())).map_or(0, |part| part.start)
    }
}

impl RtRequest {
    /// How many arguments it has; [`Warp::arg`] gives them.
    pub fn arg_count(&self) -> usize {
        self.args.len()
    }
}
