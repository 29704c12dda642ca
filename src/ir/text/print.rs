//! Prints a module as IR text (`.cir`), which [`crate::parse`] reads back.
//!
//! # The text form
//!
//! One item a line; `;` begins a comment. Registers, blocks and tables are written by number (`%3`, `bb2`, `l0`, `s1`,
//! `g4`, `t7`, `v2`), functions by name (`@axpy`, or `@"odd name"`). Spans stand last on a line as `!file:start-end`; the
//! printer leaves them out unless asked, and a line without one has none.
//!
//! ```text
//! type t0 "integer(4)" bytes 4 integer
//! global g0 "m.a" global bytes 4096 align 256 init none
//! main @prog
//! kernel @axpy(%0: i64 "x", %1: f32 "a", %2: bytes 12 align 4 "shape") max_threads 256 {
//!   reg %4 i32 mutable v0
//!   shared s0 "tile" bytes 1024 align 4 element 4 bounds (1:256)
//!   var v0 "i" t0 scalar reg %4 source 12
//! bb0:
//!   stmt
//!   %3 = special.tid.x
//!   %4 = add.i32 %3, 1
//!   %5 = cmp.lt.i32 %4, 100
//!   branch %5, bb1, bb2
//! bb1:
//!   %6 = load.global.f32 [%0+8]
//!   %7 = cvt.cast.f64.f32 %6
//!   store.global.f64.volatile [%0], %7
//!   jump bb2
//! bb2:
//!   return
//! }
//! ```
//!
//! A conversion names the new type first, as PTX does. A temporary gets its type from the instruction that sets it (the
//! result of a call is written `%3:i32`); a `reg` line says the type of every other register. Constants are written by
//! type: integers in decimal, `true` and `false`, reals in the shortest decimal form that gives the same bits; NaNs,
//! infinities and words with stray bits as `0x…`, which is the raw word for any type.

use crate::{
    Access, AddrBase, DebugTypeKind, DebugVar, FuncId, FuncKind, Function, Global, GlobalInit, InlineId, Inst,
    InstKind, Module, ParamKind, Reg, Scope, SharedSize, Space, Term, Trap, Val, VarLengths, VarLoc, VarShape,
};
use scalar::Ty;
use source::Span;
use std::fmt::Write;

/// The text of a module.
pub fn module(module: &Module, spans: bool) -> String {
    let mut p = Printer { module, spans, out: String::new() };
    for i in 0..module.types.len() {
        p.debug_type(i);
    }
    for (i, global) in module.globals.iter().enumerate() {
        p.global(i, global);
    }
    if let Some(main) = module.main {
        p.line(&format!("main {}", func_name(module, main)), Span::NONE);
    }
    for f in &module.funcs {
        p.function(f);
    }
    p.out
}

/// The text of one function of `module`.
pub fn function(module: &Module, f: &Function, spans: bool) -> String {
    let mut p = Printer { module, spans, out: String::new() };
    p.function(f);
    p.out
}

/// The text of one instruction of a function of `module`, without indentation and line end.
pub fn inst(module: &Module, f: &Function, inst: &Inst) -> String {
    inst_text(module, f, &inst.kind)
}

/// The text of a terminator of a function of `module`, without indentation and line end.
pub fn term(f: &Function, term: &Term) -> String {
    term_text(f, term)
}

/// The text of a constant or register of type `ty`; without a type a constant is printed as its raw word.
pub fn value(val: Val, ty: Option<Ty>) -> String {
    match val {
        Val::Reg(reg) => reg.to_string(),
        Val::Imm(bits) => constant(bits, ty),
    }
}

fn constant(bits: u64, ty: Option<Ty>) -> String {
    let raw = || format!("{bits:#x}");
    let Some(ty) = ty else { return raw() };
    if scalar::bits::canonical(ty, bits) != bits {
        return raw();
    }
    match ty {
        Ty::Pred => (bits == 1).to_string(),
        Ty::I8 | Ty::I16 | Ty::I32 | Ty::I64 => scalar::bits::signed(ty, bits).to_string(),
        Ty::F32 => match f32::from_bits(bits as u32) {
            x if x.is_finite() => format!("{x:?}"),
            _ => raw(),
        },
        Ty::F64 => match f64::from_bits(bits) {
            x if x.is_finite() => format!("{x:?}"),
            _ => raw(),
        },
    }
}

/// A string in quotes; everything but plain ASCII is escaped as Rust does, so that it stays on one line.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.escape_default())
}

fn is_plain(name: &str) -> bool {
    let begins = name.bytes().next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
    begins && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$'))
}

fn name_text(name: &str) -> String {
    if is_plain(name) { format!("@{name}") } else { format!("@{}", quoted(name)) }
}

fn func_name(module: &Module, id: FuncId) -> String {
    module.funcs.get(id.index()).map_or_else(|| id.to_string(), |f| name_text(&f.name))
}

/// The name of a space in IR text.
pub fn space_name(space: Space) -> &'static str {
    match space {
        Space::Host => "host",
        Space::Global => "global",
        Space::Shared => "shared",
        Space::Local => "local",
        Space::Const => "const",
        Space::Generic => "generic",
    }
}

/// The name of a scope in IR text.
pub fn scope_name(scope: Scope) -> &'static str {
    match scope {
        Scope::Block => "block",
        Scope::Device => "device",
        Scope::System => "system",
    }
}

/// The name of a trap in IR text.
pub fn trap_name(trap: Trap) -> &'static str {
    match trap {
        Trap::ZeroStep => "zero_step",
        Trap::ZeroDivisor => "zero_divisor",
        Trap::Unreachable => "unreachable",
        Trap::Unsupported => "unsupported",
    }
}

pub(crate) fn base_text(base: AddrBase) -> String {
    match base {
        AddrBase::Local(id) => id.to_string(),
        AddrBase::Shared(id) => id.to_string(),
        AddrBase::Global(id) => id.to_string(),
    }
}

fn place(addr: Val, offset: i64) -> String {
    let addr = value(addr, Some(Ty::I64));
    if offset == 0 { format!("[{addr}]") } else { format!("[{addr}{offset:+}]") }
}

fn list(vals: &[(Val, Option<Ty>)]) -> String {
    vals.iter().map(|&(v, ty)| value(v, ty)).collect::<Vec<_>>().join(", ")
}

fn inst_text(module: &Module, f: &Function, kind: &InstKind) -> String {
    let vals = kind.operands(module);
    let ops = || list(&vals);
    match kind {
        InstKind::Un { op, ty, dst, .. } => format!("{dst} = {op}.{ty} {}", ops()),
        InstKind::Bin { op, ty, dst, .. } => format!("{dst} = {op}.{ty} {}", ops()),
        InstKind::Tri { op, ty, dst, .. } => format!("{dst} = {op}.{ty} {}", ops()),
        InstKind::Cmp { op, ty, dst, .. } => format!("{dst} = cmp.{op}.{ty} {}", ops()),
        InstKind::Select { ty, dst, .. } => format!("{dst} = select.{ty} {}", ops()),
        InstKind::Cvt { op, from, to, dst, .. } => format!("{dst} = cvt.{op}.{to}.{from} {}", ops()),
        InstKind::Addr { dst, base } => format!("{dst} = addr {}", base_text(*base)),
        InstKind::Load { ty, space, access, dst, addr, offset } => {
            format!("{dst} = load.{}.{ty}{} {}", space_name(*space), volatile(*access), place(*addr, *offset))
        }
        InstKind::Store { ty, space, access, addr, offset, value: v } => {
            let (space, place) = (space_name(*space), place(*addr, *offset));
            format!("store.{space}.{ty}{} {place}, {}", volatile(*access), value(*v, Some(*ty)))
        }
        InstKind::Atomic { op, ty, space, scope, dst, used, addr, offset, a, b } => {
            let head = if *used { "atom" } else { "red" };
            let dst = dst.map_or_else(String::new, |d| format!("{d} = "));
            let (space, scope, place) = (space_name(*space), scope_name(*scope), place(*addr, *offset));
            let b = b.map_or_else(String::new, |b| format!(", {}", value(b, Some(*ty))));
            format!("{dst}{head}.{op}.{ty}.{space}.{scope} {place}, {}{b}", value(*a, Some(*ty)))
        }
        InstKind::Fence { scope } => format!("fence.{}", scope_name(*scope)),
        InstKind::Barrier { op, dst, a } => {
            let dst = dst.map_or_else(String::new, |d| format!("{d} = "));
            let a = a.map_or_else(String::new, |a| format!(" {}", value(a, Some(Ty::Pred))));
            format!("{dst}barrier.{op}{a}")
        }
        InstKind::SyncWarp { .. } => format!("syncwarp {}", ops()),
        InstKind::Vote { op, ty, dst, mask, a } => {
            let a = value(*a, Some(if op.is_match() { *ty } else { Ty::Pred }));
            let mask = mask.map_or_else(String::new, |m| format!(", {}", value(m, Some(Ty::I32))));
            format!("{dst} = vote.{op}.{ty} {a}{mask}")
        }
        InstKind::Shuffle { op, ty, dst, .. } => format!("{dst} = shfl.{op}.{ty} {}", ops()),
        InstKind::Special { reg, dst } => format!("{dst} = special.{reg}"),
        InstKind::Call { func, results, .. } => {
            let regs: Vec<_> = results.iter().map(|&r| format!("{r}:{}", reg_ty(f, r))).collect();
            let dst = if regs.is_empty() { String::new() } else { format!("{} = ", regs.join(", ")) };
            format!("{dst}call {}({})", func_name(module, *func), ops())
        }
        InstKind::Rt { rt, results, .. } => {
            let regs: Vec<_> = results.iter().map(Reg::to_string).collect();
            let dst = if regs.is_empty() { String::new() } else { format!("{} = ", regs.join(", ")) };
            format!("{dst}rt.{rt}({})", ops())
        }
        InstKind::Launch { func, .. } => {
            let part = |range: std::ops::Range<usize>| list(vals.get(range).unwrap_or(&[]));
            let (grid, block, rest) = (part(0..3), part(3..6), part(6..8));
            let args = part(8..vals.len());
            format!("launch {}<<<({grid}), ({block}), {rest}>>>({args})", func_name(module, *func))
        }
        InstKind::Stmt => "stmt".to_string(),
        InstKind::BackEdge => "backedge".to_string(),
        InstKind::Clear { local } => format!("clear {local}"),
    }
}

fn volatile(access: Access) -> &'static str {
    match access {
        Access::Plain => "",
        Access::Volatile => ".volatile",
    }
}

fn reg_ty(f: &Function, reg: Reg) -> Ty {
    f.regs.get(reg.index()).map_or(Ty::I64, |r| r.ty)
}

fn term_text(f: &Function, term: &Term) -> String {
    match term {
        Term::Jump(bb) => format!("jump {bb}"),
        Term::Branch { cond, then_bb, else_bb } => {
            format!("branch {}, {then_bb}, {else_bb}", value(*cond, Some(Ty::Pred)))
        }
        Term::Switch { ty, value: v, arms, default } => {
            let arms: Vec<_> = arms.iter().map(|(n, bb)| format!("{n}: {bb}")).collect();
            format!("switch.{ty} {} [{}] else {default}", value(*v, Some(*ty)), arms.join(", "))
        }
        Term::Return(values) if values.is_empty() => "return".to_string(),
        Term::Return(values) => {
            let typed: Vec<_> = values.iter().enumerate().map(|(i, &v)| (v, f.results.get(i).copied())).collect();
            format!("return {}", list(&typed))
        }
        Term::Exit => "exit".to_string(),
        Term::Trap(trap) => format!("trap {}", trap_name(*trap)),
    }
}

fn shape_text(shape: &VarShape) -> String {
    let v = |v: Val| value(v, Some(Ty::I64));
    match shape {
        VarShape::Scalar => "scalar".to_string(),
        VarShape::Array(dims) => {
            let mut text = "array".to_string();
            for &(lower, extent, stride) in dims {
                let extent = extent.map_or_else(|| "*".to_string(), v);
                let _ = write!(text, " ({}, {extent}, {})", v(lower), v(stride));
            }
            text
        }
        VarShape::Described(rank) => format!("described {rank}"),
    }
}

fn loc_text(loc: &VarLoc) -> String {
    match loc {
        VarLoc::Reg(reg) => format!("reg {reg}"),
        VarLoc::Complex(re, im) => format!("complex {re} {im}"),
        VarLoc::Memory(base) => format!("memory {}", base_text(*base)),
        VarLoc::At(reg) => format!("at {reg}"),
        VarLoc::Descriptor(base) => format!("descriptor {}", base_text(*base)),
        VarLoc::DescriptorAt(reg) => format!("descriptor_at {reg}"),
        VarLoc::Constant => "constant".to_string(),
    }
}

fn lengths_text(lengths: &VarLengths) -> String {
    match lengths {
        VarLengths::Values(values) if values.is_empty() => String::new(),
        VarLengths::Values(values) => {
            let values: Vec<String> = values.iter().map(|&v| value(v, Some(Ty::I64))).collect();
            format!(" lengths ({})", values.join(", "))
        }
        VarLengths::Memory(base) => format!(" lengths {}", base_text(*base)),
        VarLengths::At(reg) => format!(" lengths_at {reg}"),
    }
}

fn var_text(var: &DebugVar) -> String {
    let lengths = lengths_text(&var.lengths);
    let dummy = if var.is_dummy { " dummy" } else { "" };
    let (name, shape, loc) = (quoted(&var.name), shape_text(&var.shape), loc_text(&var.loc));
    format!("{name} {} {shape} {loc}{lengths} source {}{dummy}{}", var.ty, var.source_id, inlined_text(var.inlined))
}

/// The call that something is a part of.
fn inlined_text(at: InlineId) -> String {
    if at == InlineId::NONE { String::new() } else { format!(" {at}") }
}

fn bounds_text(bounds: &[(i64, i64)]) -> String {
    bounds.iter().fold(String::new(), |mut text, (lower, extent)| {
        let _ = write!(text, "({lower}:{extent})");
        text
    })
}

struct Printer<'a> {
    module: &'a Module,
    spans: bool,
    out: String,
}

impl Printer<'_> {
    fn span(&self, span: Span) -> String {
        if self.spans && !span.is_none() {
            format!(" !{}:{}-{}", span.file.0, span.start, span.end)
        } else {
            String::new()
        }
    }

    fn line(&mut self, text: &str, span: Span) {
        self.out.push_str(text);
        self.out.push_str(&self.span(span));
        self.out.push('\n');
    }

    fn debug_type(&mut self, index: usize) {
        let ty = &self.module.types[index];
        let mut text = format!("type t{index} {} bytes {} ", quoted(&ty.name), ty.bytes);
        match &ty.kind {
            DebugTypeKind::Integer => text.push_str("integer"),
            DebugTypeKind::Real => text.push_str("real"),
            DebugTypeKind::Complex => text.push_str("complex"),
            DebugTypeKind::Logical => text.push_str("logical"),
            DebugTypeKind::Character(None) => text.push_str("character *"),
            DebugTypeKind::Character(Some(len)) => {
                let _ = write!(text, "character {}", value(*len, Some(Ty::I64)));
            }
            DebugTypeKind::Derived(fields) => {
                text.push_str("derived {");
                for field in fields {
                    let _ = write!(text, " {} {} at {}", quoted(&field.name), field.ty, field.offset);
                    text.push_str(&bounds_text(&field.bounds));
                    if let Some(rank) = field.described {
                        let _ = write!(text, " described {rank}");
                    }
                    text.push(',');
                }
                text.push_str(" }");
            }
        }
        self.line(&text, Span::NONE);
    }

    fn global(&mut self, index: usize, g: &Global) {
        let space = space_name(g.space);
        let mut text = format!("global g{index} {} {space} bytes {} align {}", quoted(&g.name), g.bytes, g.align);
        if g.managed {
            text.push_str(" managed");
        }
        if g.read_only {
            text.push_str(" read_only");
        }
        match &g.init {
            GlobalInit::None => text.push_str(" init none"),
            GlobalInit::Zero => text.push_str(" init zero"),
            GlobalInit::Bytes(bytes) => {
                text.push_str(" init x\"");
                for byte in bytes.iter() {
                    let _ = write!(text, "{byte:02x}");
                }
                text.push('"');
            }
        }
        for (first, len) in &g.holes {
            let _ = write!(text, " hole {first} {len}");
        }
        if let Some(var) = &g.var {
            let _ = write!(text, " var {{ {}{} }}", var_text(var), self.span(var.span));
        }
        self.line(&text, g.span);
    }

    fn function(&mut self, f: &Function) {
        let kind = match f.kind {
            FuncKind::Host => "host",
            FuncKind::Kernel => "kernel",
            FuncKind::Device => "device",
        };
        let params: Vec<_> = f
            .params
            .iter()
            .map(|p| {
                let unaliased = if p.unaliased { " unaliased" } else { "" };
                match p.kind {
                    ParamKind::Value => format!("{}: {} {}{unaliased}", p.reg, reg_ty(f, p.reg), quoted(&p.name)),
                    ParamKind::Bytes { bytes, align } => {
                        format!("{}: bytes {bytes} align {align} {}{unaliased}", p.reg, quoted(&p.name))
                    }
                }
            })
            .collect();
        let mut text = format!("{kind} {}({})", name_text(&f.name), params.join(", "));
        if !f.results.is_empty() {
            let results: Vec<_> = f.results.iter().map(Ty::to_string).collect();
            let _ = write!(text, " -> {}", results.join(", "));
        }
        if let Some(max) = f.max_threads {
            let _ = write!(text, " max_threads {max}");
        }
        if let Some([x, y, z]) = f.cluster {
            let _ = write!(text, " cluster {x} {y} {z}");
        }
        if f.cooperative {
            text.push_str(" cooperative");
        }
        let _ = write!(text, "{} {{", self.span(f.span));
        self.line(&text, Span::NONE);
        self.tables(f);
        for (i, block) in f.blocks.iter().enumerate() {
            self.line(&format!("bb{i}:"), Span::NONE);
            for inst in &block.insts {
                let text = inst_text(self.module, f, &inst.kind);
                self.line(&format!("  {text}{}", inlined_text(inst.inlined)), inst.span);
            }
            let text = term_text(f, &block.term);
            self.line(&format!("  {text}{}", inlined_text(block.term_inlined)), block.term_span);
        }
        self.line("}", Span::NONE);
    }

    fn tables(&mut self, f: &Function) {
        let mut typed = vec![false; f.regs.len()];
        let mut mark = |reg: Reg| {
            if let Some(slot) = typed.get_mut(reg.index()) {
                *slot = true;
            }
        };
        f.params.iter().for_each(|p| mark(p.reg));
        for inst in f.blocks.iter().flat_map(|b| &b.insts) {
            inst.kind.each_def(&mut mark);
        }
        for (i, reg) in f.regs.iter().enumerate() {
            if typed[i] && reg.var.is_none() && !reg.mutable {
                continue;
            }
            let mutable = if reg.mutable { " mutable" } else { "" };
            let var = reg.var.map_or_else(String::new, |v| format!(" {v}"));
            self.line(&format!("  reg %{i} {}{mutable}{var}", reg.ty), Span::NONE);
        }
        for (i, l) in f.locals.iter().enumerate() {
            let of = inlined_text(l.inlined);
            let text = format!("  local l{i} {} bytes {} align {}{of}", quoted(&l.name), l.bytes, l.align);
            self.line(&text, l.span);
        }
        for (i, s) in f.shared.iter().enumerate() {
            let size = match s.size {
                SharedSize::Static(bytes) => format!("bytes {bytes}"),
                SharedSize::Dynamic => "dynamic".to_string(),
            };
            let mut text =
                format!("  shared s{i} {} {size} align {} element {}", quoted(&s.name), s.align, s.element_bytes);
            if !s.bounds.is_empty() {
                let _ = write!(text, " bounds {}", bounds_text(&s.bounds));
            }
            self.line(&text, s.span);
        }
        for (i, v) in f.vars.iter().enumerate() {
            self.line(&format!("  var v{i} {}", var_text(v)), v.span);
        }
        for (i, of) in f.inlined.iter().enumerate() {
            self.line(&format!("  inlined in{i} {}{}", of.func, inlined_text(of.outer)), of.span);
        }
    }
}
