//! One function as PTX: its registers, local memory and basic blocks, and the small parts that all instructions share.
//!
//! Register `%5` of the IR is `%p5`, `%r5` or `%d5` by its width; `%q`, `%t` and `%u` with a number are temporaries of one
//! instruction. A sequence writes its destination with its last instruction only, because the destination may be one of its
//! operands.

use super::extended::Extended;
use super::library::Helper;
use super::space::{self, Home};
use super::unused::{self, CLASSES, Used};
use super::{EmitError, Unit, call, debug, dwarf, names, sign, vector};
use ir::analysis::{BitSet, Cfg, Dominators, Loops, Ranges, ReadOnly};
use ir::op::{BarOp, Special};
use ir::rt::Rt;
use ir::{Bb, FuncId, FuncKind, Function, InlineId, Inst, InstKind, ParamKind, Reg, SharedId, Term, Trap, Ty, Val};
use scalar::bits;
use source::Span;
use std::collections::BTreeSet;
use std::fmt::{Arguments, Write};

/// Appends one instruction line to a body.
macro_rules! ins {
    ($body:expr, $($format:tt)*) => { $body.line(format_args!($($format)*)) };
}
pub(super) use ins;

/// The local memory of a function: its slots, its own copies of parameters passed as bytes, its variables under debug.
pub(super) fn depot_symbol(id: Option<FuncId>) -> String {
    id.map_or_else(|| "depot".to_owned(), |id| format!("depot{}", id.0))
}

/// Width of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Width {
    /// A predicate.
    Pred,
    /// 32 bits; narrower integers too.
    W32,
    /// 64 bits.
    W64,
}

impl Width {
    /// The width of the register that holds a value of type `ty`.
    pub(super) fn of(ty: Ty) -> Width {
        match ty {
            Ty::Pred => Width::Pred,
            Ty::I8 | Ty::I16 | Ty::I32 | Ty::F32 => Width::W32,
            Ty::I64 | Ty::F64 => Width::W64,
        }
    }

    /// The untyped PTX type.
    pub(super) fn bits(self) -> &'static str {
        match self {
            Width::Pred => "pred",
            Width::W32 => "b32",
            Width::W64 => "b64",
        }
    }

    /// The PTX type as which such a value is passed to a function: predicates as 0 or 1.
    pub(super) fn passed(self) -> &'static str {
        match self {
            Width::Pred | Width::W32 => "b32",
            Width::W64 => "b64",
        }
    }
}

/// The PTX type of arithmetic: `s32`, `s64`, `f32`, `f64`. Narrow integers compute as `s32`.
pub(super) fn arithmetic(ty: Ty) -> &'static str {
    match ty {
        Ty::Pred | Ty::I8 | Ty::I16 | Ty::I32 => "s32",
        Ty::I64 => "s64",
        Ty::F32 => "f32",
        Ty::F64 => "f64",
    }
}

/// The PTX type of unsigned arithmetic.
pub(super) fn unsigned(ty: Ty) -> &'static str {
    if Width::of(ty) == Width::W64 { "u64" } else { "u32" }
}

/// Where the parts of a function's local memory lie.
pub(super) struct Depot {
    pub(super) slots: Vec<u64>,
    pub(super) params: Vec<Option<u64>>,
    bytes: u64,
    align: u64,
}

impl Depot {
    pub(super) fn new(func: &Function, debug: bool) -> Depot {
        let (mut end, mut largest) = (0u64, 8u64);
        let mut place = |bytes: u64, align: u64| {
            let align = align.max(1).checked_next_power_of_two().unwrap_or(16).min(256);
            largest = largest.max(align);
            let start = end.next_multiple_of(align);
            // A variable without bytes still has an address.
            end = start.saturating_add(bytes.max(1));
            start
        };
        let slots = func.locals.iter().map(|l| place(l.bytes, l.align)).collect();
        let mut copy = |kind| match kind {
            ParamKind::Bytes { bytes, align } => Some(place(bytes, align)),
            ParamKind::Value => None,
        };
        let params = func.params.iter().map(|p| copy(p.kind)).collect();
        if debug {
            end = debug::variable_slots(func).iter().map(|s| s.offset + u64::from(s.ty.bytes())).fold(end, u64::max);
        }
        Depot { slots, params, bytes: end, align: largest }
    }
}

/// The end of local memory proper, a multiple of 8; `debug` places the variables after it.
pub(super) fn locals_end(func: &Function) -> u64 {
    Depot::new(func, false).bytes.next_multiple_of(8)
}

/// The printer of one function.
pub(super) struct Body<'a, 'n> {
    pub(super) unit: &'a Unit<'a>,
    pub(super) func: &'a Function,
    pub(super) needs: &'n mut BTreeSet<Helper>,
    homes: Vec<Home>,
    pub(super) hidden_nans: BitSet,
    pub(super) extended: Extended,
    pub(super) read_only: ReadOnly,
    ranges: Option<Ranges<'a>>,
    pub(super) depot: Depot,
    pub(super) depot_name: String,
    /// The function, if its local and shared variables are named after it, as DWARF needs it.
    pub(super) owner: Option<FuncId>,
    variables: Vec<debug::VariableSlot>,
    /// The block in hand, and whether it is in a loop.
    block: Bb,
    pub(super) is_in_loop: bool,
    pub(super) text: String,
    temps: [u32; 3],
    labels: u32,
    span: Span,
    /// The call in whose place the instruction in hand stands.
    inlined: InlineId,
    located: Span,
}

impl<'a, 'n> Body<'a, 'n> {
    /// The text of a function.
    pub(super) fn print(unit: &'a Unit<'a>, id: FuncId, needs: &'n mut BTreeSet<Helper>) -> Result<String, EmitError> {
        let func = unit.module.func(id);
        let debug = unit.options.debug;
        let variables = if debug { debug::variable_slots(func) } else { Vec::new() };
        let pinned = |reg| variables.iter().any(|v| v.reg == reg) || (debug && debug::is_named(func, reg));
        let homes = space::homes(func, &unit.placement, pinned);
        let cfg = Cfg::new(func);
        let dom = Dominators::new(&cfg);
        let mut body = Body {
            unit,
            func,
            needs,
            homes,
            hidden_nans: if debug { BitSet::new(func.regs.len()) } else { sign::hidden_nans(func) },
            extended: Extended::new(func),
            read_only: if debug { ReadOnly::nothing() } else { ReadOnly::new(func) },
            ranges: (!debug).then(|| Ranges::new(func, &cfg, &dom, unit.options.target.threads)),
            depot: Depot::new(func, debug),
            depot_name: depot_symbol(unit.options.dwarf().map(|_| id)),
            owner: unit.options.dwarf().map(|_| id),
            variables,
            block: Bb(0),
            is_in_loop: false,
            text: String::new(),
            temps: [0; 3],
            labels: 0,
            span: func.span,
            inlined: InlineId::NONE,
            located: Span::NONE,
        };
        body.params();
        let vectors = if debug { Vec::new() } else { vector::find(func, unit.options.target.aligned) };
        let loops = Loops::new(&cfg, &dom);
        for (i, block) in func.blocks.iter().enumerate() {
            body.block = Bb(i as u32);
            body.is_in_loop = loops.depth(body.block) > 0;
            let _ = writeln!(body.text, "BB{i}:");
            body.extended.enter();
            for (index, inst) in block.insts.iter().enumerate() {
                match vectors.get(i) {
                    Some(vectors) if vectors.is_done(index) => {}
                    Some(vectors) if let Some((operands, offset)) = vectors.at(index) => {
                        body.at(inst.span);
                        body.access_vector(&inst.kind, operands, offset)?;
                    }
                    _ => body.inst(inst)?,
                }
                body.extended.pass(&inst.kind);
            }
            body.at(block.term_span);
            body.terminator(&block.term, i)?;
        }
        Ok(body.finish(id))
    }

    /// Whether an integer of the block in hand is known not to be zero.
    pub(super) fn is_not_zero(&self, ty: Ty, val: Val) -> bool {
        self.ranges.as_ref().is_some_and(|ranges| !ranges.at(self.block, ty, val).has(0))
    }

    fn finish(self, id: FuncId) -> String {
        // For a debugger the code stays as it is written.
        let Used { text, counts } = if self.unit.options.debug {
            let of =
                |width| self.func.regs.iter().rposition(|r| Width::of(r.ty) == width).map_or(0, |last| last as u32 + 1);
            let [q, t, u] = self.temps;
            Used { text: self.text.clone(), counts: [of(Width::Pred), of(Width::W32), of(Width::W64), q, t, u] }
        } else {
            unused::used(&self.text)
        };
        // What DWARF refers to by its name is declared outside.
        let mut out = self.owner.map_or_else(String::new, |_| self.shared_variables(""));
        out.push_str(&call::signature(self.unit.module, id, self.unit.has_clusters()));
        out.push_str("\n{\n");
        if self.depot.bytes > 0 && text.contains(&self.depot_name) {
            let _ =
                writeln!(out, "\t.local .align {} .b8 {}[{}];", self.depot.align, self.depot_name, self.depot.bytes);
        }
        if self.owner.is_none() {
            out.push_str(&self.shared_variables("\t"));
        }
        for ((letter, class), count) in CLASSES.iter().zip(counts).filter(|(_, count)| *count > 0) {
            let _ = writeln!(out, "\t.reg .{class} %{letter}<{count}>;");
        }
        let has_labels = self.unit.options.dwarf().is_some();
        if has_labels {
            let _ = writeln!(out, "{}:", dwarf::begin_label(id));
        }
        out.push_str(&text);
        if has_labels {
            let _ = writeln!(out, "{}:", dwarf::end_label(id));
        }
        out.push_str("}\n");
        out
    }

    /// The declarations of the static shared variables, each in a line that begins with `indent`.
    fn shared_variables(&self, indent: &str) -> String {
        let mut out = String::new();
        for (i, var) in self.func.shared.iter().enumerate() {
            if let ir::SharedSize::Static(bytes) = var.size {
                let align = vector::shared_align(var.align, bytes);
                let name = names::shared_symbol(self.owner, SharedId(i as u32));
                let _ = writeln!(out, "{indent}.shared .align {align} .b8 {name}[{}];", bytes.max(1));
            }
        }
        out
    }

    /// Adds a line.
    pub(super) fn line(&mut self, line: Arguments<'_>) {
        let _ = writeln!(self.text, "\t{line};");
    }

    /// A fresh temporary.
    pub(super) fn temp(&mut self, width: Width) -> String {
        let (index, name) = match width {
            Width::Pred => (0, 'q'),
            Width::W32 => (1, 't'),
            Width::W64 => (2, 'u'),
        };
        let number = self.temps[index];
        self.temps[index] += 1;
        format!("%{name}{number}")
    }

    /// A fresh label.
    pub(super) fn label(&mut self) -> String {
        self.labels += 1;
        format!("L{}", self.labels - 1)
    }

    /// Puts a label here.
    pub(super) fn place_label(&mut self, label: &str) {
        let _ = writeln!(self.text, "{label}:");
    }

    /// An error at the instruction in hand.
    pub(super) fn refuse<T>(&self, what: impl Into<String>) -> Result<T, EmitError> {
        // Code of an embedded module stands for the call that led there.
        let embedded = &self.unit.module.embedded_files;
        let calls = std::iter::successors(self.func.inlined.get(self.inlined.index()), |call| {
            self.func.inlined.get(call.outer.index())
        });
        let mut spans = std::iter::once(self.span).chain(calls.map(|call| call.span));
        let span = spans.find(|span| !embedded.contains(&span.file)).unwrap_or(self.span);
        Err(EmitError { function: self.func.name.to_string(), what: what.into(), span })
    }

    /// The span of the instruction in hand.
    pub(super) fn span(&self) -> Span {
        self.span
    }

    /// The home of the address in `value`.
    pub(super) fn home(&self, value: Val) -> Home {
        match value {
            Val::Reg(reg) => self.homes.get(reg.index()).copied().unwrap_or(Home::Generic),
            Val::Imm(_) => Home::Generic,
        }
    }

    /// The PTX name of a register.
    pub(super) fn reg(&self, reg: Reg) -> String {
        let prefix = match self.func.regs.get(reg.index()).map(|r| Width::of(r.ty)) {
            Some(Width::Pred) => 'p',
            Some(Width::W32) | None => 'r',
            Some(Width::W64) => 'd',
        };
        format!("%{prefix}{}", reg.0)
    }

    /// The register of a result, or a temporary if the result is not used.
    pub(super) fn result(&mut self, width: Width, dst: Option<Reg>) -> String {
        match dst {
            Some(dst) => self.reg(dst),
            None => self.temp(width),
        }
    }

    /// An operand of arithmetic: a register, or a constant in the form of its type.
    pub(super) fn value(&mut self, ty: Ty, value: Val) -> String {
        match (value, ty) {
            (Val::Imm(word), Ty::F32) => format!("0f{:08X}", word as u32),
            (Val::Imm(word), Ty::F64) => format!("0d{word:016X}"),
            _ => self.raw(ty, value),
        }
    }

    /// An operand of an untyped instruction: a register, or the bits of a constant.
    pub(super) fn raw(&mut self, ty: Ty, value: Val) -> String {
        match value {
            Val::Reg(reg) => self.reg(reg),
            Val::Imm(word) => match ty {
                Ty::Pred => {
                    let temp = self.temp(Width::Pred);
                    let truth = if word & 1 == 0 { "0" } else { "-1" };
                    ins!(self, "mov.pred {temp}, {truth}");
                    temp
                }
                Ty::F32 => format!("0x{:08x}", word as u32),
                Ty::F64 => format!("0x{word:016x}"),
                Ty::I8 | Ty::I16 | Ty::I32 | Ty::I64 => bits::signed(ty, word).to_string(),
            },
        }
    }

    /// An operand as a register of its own width.
    pub(super) fn in_register(&mut self, ty: Ty, value: Val) -> String {
        let text = self.raw(ty, value);
        if matches!(value, Val::Reg(_)) || ty == Ty::Pred {
            return text;
        }
        let width = Width::of(ty);
        let temp = self.temp(width);
        ins!(self, "mov.{} {temp}, {text}", width.bits());
        temp
    }

    /// An operand of 32 or 64 bits zero-extended to 64, in a register; reals by their bits.
    pub(super) fn word(&mut self, ty: Ty, value: Val) -> String {
        let text = self.in_register(ty, value);
        match Width::of(ty) {
            Width::W64 => text,
            Width::W32 => {
                let temp = self.temp(Width::W64);
                ins!(self, "cvt.u64.u32 {temp}, {text}");
                temp
            }
            Width::Pred => {
                let temp = self.temp(Width::W64);
                ins!(self, "selp.b64 {temp}, 1, 0, {text}");
                temp
            }
        }
    }

    /// Where an instruction puts a 32-bit result that may not be a value of the narrow type `ty`: the destination itself, or
    /// a temporary that [`Body::settle`] brings there.
    pub(super) fn wide(&mut self, ty: Ty, dst: Reg) -> String {
        if matches!(ty, Ty::I8 | Ty::I16) { self.temp(Width::W32) } else { self.reg(dst) }
    }

    /// Sign-extends from the width of `ty` into the destination, if that is narrow.
    pub(super) fn settle(&mut self, ty: Ty, dst: Reg, wide: &str) {
        let dst = self.reg(dst);
        match ty {
            Ty::I8 => ins!(self, "cvt.s32.s8 {dst}, {wide}"),
            Ty::I16 => ins!(self, "cvt.s32.s16 {dst}, {wide}"),
            _ if dst != wide => ins!(self, "mov.{} {dst}, {wide}", Width::of(ty).bits()),
            _ => {}
        }
    }

    /// `dst = a` by its bits.
    pub(super) fn mov(&mut self, ty: Ty, dst: Reg, a: Val) {
        let (dst, width) = (self.reg(dst), Width::of(ty));
        match a {
            Val::Imm(word) if width == Width::Pred => {
                ins!(self, "mov.pred {dst}, {}", if word & 1 == 0 { "0" } else { "-1" });
            }
            _ => {
                let a = self.raw(ty, a);
                ins!(self, "mov.{} {dst}, {a}", width.bits());
            }
        }
    }

    fn at(&mut self, span: Span) {
        self.span = span;
        if span == self.located || span.is_none() {
            return;
        }
        self.located = span;
        if let Some(line) = self.unit.options.sources.and_then(|s| debug::location(s, span)) {
            let _ = writeln!(self.text, "\t{line}");
        }
    }

    /// `dst` = the address of a place in local memory, as its home wants it.
    pub(super) fn depot_address(&mut self, dst: Reg, offset: u64) {
        self.window_address(dst, Home::Local, &format!("{}+{offset}", self.depot_name));
    }

    /// The offset of a slot of local memory.
    pub(super) fn slot_offset(&self, slot: ir::LocalId) -> Option<u64> {
        self.depot.slots.get(slot.index()).copied()
    }

    /// `dst` = the address of a symbol in a window: within it where the register is at home there, else generic.
    pub(super) fn window_address(&mut self, dst: Reg, window: Home, symbol: &str) {
        let (home, dst) = (self.home(Val::Reg(dst)), self.reg(dst));
        if home == window {
            ins!(self, "mov.b64 {dst}, {symbol}");
        } else {
            let temp = self.temp(Width::W64);
            ins!(self, "mov.b64 {temp}, {symbol}");
            ins!(self, "cvta{}.u64 {dst}, {temp}", window.suffix());
        }
    }

    /// Stores a register of a source variable into the variable's place in local memory, for the debugger.
    pub(super) fn keep_variable(&mut self, reg: Reg) {
        let Some(slot) = self.variables.iter().find(|v| v.reg == reg).copied() else { return };
        let name = self.reg(reg);
        let at = format!("[{}+{}]", self.depot_name, slot.offset);
        match slot.ty {
            Ty::Pred => {
                let temp = self.temp(Width::W32);
                ins!(self, "selp.b32 {temp}, 1, 0, {name}");
                ins!(self, "st.local.b8 {at}, {temp}");
            }
            ty => ins!(self, "st.local.b{} {at}, {name}", ty.bytes() * 8),
        }
    }

    fn inst(&mut self, inst: &Inst) -> Result<(), EmitError> {
        self.inlined = inst.inlined;
        // Addresses are taken where the function begins. A breakpoint at the line that uses one must not stop there.
        if self.unit.options.debug && matches!(inst.kind, InstKind::Addr { .. }) {
            self.span = inst.span;
        } else {
            self.at(inst.span);
        }
        match &inst.kind {
            InstKind::Un { op, ty, dst, a } => self.un(*op, *ty, *dst, *a)?,
            InstKind::Barrier { op: BarOp::Cluster, .. }
            | InstKind::Special {
                reg: Special::ClusterNctaidX | Special::ClusterNctaidY | Special::ClusterNctaidZ,
                ..
            }
            | InstKind::Rt { rt: Rt::ClusterMap, .. }
                if !self.unit.has_clusters() =>
            {
                return self.refuse("clusters on a GPU of compute capability below 9.0");
            }
            InstKind::Rt {
                rt:
                    Rt::BarrierInit
                    | Rt::BarrierExpect
                    | Rt::BarrierArrive
                    | Rt::BarrierTry
                    | Rt::ProxyFence
                    | Rt::BulkLoad
                    | Rt::BulkStore
                    | Rt::BulkCommit
                    | Rt::BulkWait,
                ..
            } if self.unit.options.sm < 90 => {
                return self
                    .refuse("barriers and bulk copies in shared memory on a GPU of compute capability below 9.0");
            }
            InstKind::Rt { rt: Rt::PipelineCopy | Rt::PipelineCommit | Rt::PipelineWait, .. }
                if self.unit.options.sm < 80 =>
            {
                return self.refuse("copies that are waited for on a GPU of compute capability below 8.0");
            }
            InstKind::Bin { op, ty, dst, a, b } => self.bin(*op, *ty, *dst, *a, *b)?,
            InstKind::Tri { op, ty, dst, a, b, c } => self.tri(*op, *ty, *dst, *a, *b, *c)?,
            InstKind::Cmp { op, ty, dst, a, b } => self.cmp(*op, *ty, *dst, *a, *b)?,
            InstKind::Select { ty, dst, cond, a, b } => self.select(*ty, *dst, *cond, *a, *b),
            InstKind::Cvt { op, from, to, dst, a } => self.cvt(*op, *from, *to, *dst, *a)?,
            InstKind::Addr { dst, base } => self.addr(*dst, *base)?,
            InstKind::Load { ty, space, access, dst, addr, offset } => {
                self.load(*ty, *space, *access, *dst, *addr, *offset)?;
            }
            InstKind::Store { ty, space, access, addr, offset, value } => {
                self.store(*ty, *space, *access, *addr, *offset, *value)?;
            }
            InstKind::Atomic { .. } => self.atomic(&inst.kind)?,
            InstKind::Fence { scope } => self.fence(*scope),
            InstKind::Barrier { op, dst, a } => self.barrier(*op, *dst, *a),
            InstKind::SyncWarp { mask } => self.sync_warp(*mask),
            InstKind::Vote { op, ty, dst, mask, a } => self.vote(*op, *ty, *dst, *mask, *a),
            InstKind::Shuffle { op, ty, dst, a, lane, width } => self.shuffle(*op, *ty, *dst, *a, *lane, *width)?,
            InstKind::Special { reg, dst } => self.special(*reg, *dst),
            InstKind::Call { func, args, results } => self.call_procedure(*func, args, results)?,
            InstKind::Rt { rt, args, results } => self.service(*rt, args, results)?,
            InstKind::Launch { func, config, args } => self.launch(*func, config, args)?,
            InstKind::Stmt | InstKind::BackEdge | InstKind::Clear { .. } => {}
        }
        if !self.variables.is_empty() {
            let mut written = Vec::new();
            inst.kind.each_def(|reg| written.push(reg));
            for reg in written {
                self.keep_variable(reg);
            }
        }
        Ok(())
    }

    fn terminator(&mut self, term: &Term, block: usize) -> Result<(), EmitError> {
        let falls_to = |bb: Bb| bb.index() == block + 1;
        match term {
            Term::Jump(bb) if falls_to(*bb) => {}
            Term::Jump(bb) => ins!(self, "bra BB{}", bb.0),
            Term::Branch { cond, then_bb, else_bb } => {
                let cond = self.raw(Ty::Pred, *cond);
                if falls_to(*then_bb) {
                    ins!(self, "@!{cond} bra BB{}", else_bb.0);
                } else {
                    ins!(self, "@{cond} bra BB{}", then_bb.0);
                    if !falls_to(*else_bb) {
                        ins!(self, "bra BB{}", else_bb.0);
                    }
                }
            }
            Term::Switch { ty, value, arms, default } => {
                if !ty.is_int() {
                    return self.refuse(format!("a choice by a value of type `{ty}`"));
                }
                let value = self.in_register(*ty, *value);
                let (least, greatest) = range(*ty);
                for &(arm, bb) in arms.iter().filter(|&&(arm, _)| arm >= least && arm <= greatest) {
                    let temp = self.temp(Width::Pred);
                    ins!(self, "setp.eq.{} {temp}, {value}, {arm}", arithmetic(*ty));
                    ins!(self, "@{temp} bra BB{}", bb.0);
                }
                if !falls_to(*default) {
                    ins!(self, "bra BB{}", default.0);
                }
            }
            Term::Return(values) => {
                if self.func.kind != FuncKind::Kernel {
                    for (i, (&value, &ty)) in values.iter().zip(&self.func.results).enumerate() {
                        self.store_passed(ty, value, "result", i * 8);
                    }
                }
                ins!(self, "ret");
            }
            Term::Exit => ins!(self, "exit"),
            Term::Trap(Trap::Unreachable) => ins!(self, "trap"),
            Term::Trap(trap @ (Trap::ZeroStep | Trap::ZeroDivisor | Trap::Unsupported)) => self.record_trap(*trap),
        }
        Ok(())
    }
}

/// The values of an integer type.
fn range(ty: Ty) -> (i64, i64) {
    let bits = ty.bytes() * 8;
    (i64::MIN >> (64 - bits), i64::MAX >> (64 - bits))
}

#[cfg(test)]
mod tests {
    use super::range;
    use ir::Ty;

    #[test]
    fn range_of_a_type_is_its_least_and_greatest_value() {
        assert_eq!(range(Ty::I8), (-128, 127));
        assert_eq!(range(Ty::I64), (i64::MIN, i64::MAX));
    }
}
