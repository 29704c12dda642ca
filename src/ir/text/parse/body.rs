//! The blocks of a function in IR text.

use super::lex::{Cursor, Token};
use super::{ParseError, declare, func_name, reg, table, ty, ty_named};
use crate::op::{AtomOp, BarOp, BinOp, CmpOp, CvtOp, ShflOp, Special, TriOp, UnOp, VoteOp};
use crate::rt::Rt;
use crate::{
    Access, Bb, BlockData, FuncId, Function, Inst, InstKind, LaunchConfig, LocalId, Module, ParamKind, Reg, Scope,
    Term, Trap, Val,
};
use scalar::Ty;

/// Reads what follows the head of function `id`, up to its `}`.
pub(super) fn body(c: &mut Cursor<'_>, module: &mut Module, id: FuncId) -> Result<(), ParseError> {
    let mut f = module.funcs[id.index()].clone();
    while table::row_of_function(c, &mut f)? {}
    // Registers with a row keep the type of the row.
    let mut reader = Body { module, declared: vec![false; f.regs.len()], f: &mut f };
    for param in &reader.f.params {
        reader.declared[param.reg.index()] = true;
    }
    for (i, info) in reader.f.regs.iter().enumerate() {
        reader.declared[i] |= info.mutable || info.var.is_some();
    }
    while !c.is_mark("}") {
        let block = reader.block(c)?;
        reader.f.blocks.push(block);
    }
    module.funcs[id.index()] = f;
    Ok(())
}

/// A constant of type `ty` as written.
pub(crate) fn constant(text: &str, ty: Option<Ty>) -> Option<u64> {
    if let Some(digits) = text.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok();
    }
    let text = text.strip_prefix('+').unwrap_or(text);
    match ty? {
        Ty::F32 => text.parse::<f32>().ok().map(scalar::bits::from_f32),
        Ty::F64 => text.parse::<f64>().ok().map(scalar::bits::from_f64),
        Ty::Pred => None,
        ty => {
            let number: i64 = text.parse().ok()?;
            let bits = scalar::bits::from_signed(ty, number);
            let unsigned = i64::try_from(bits).ok();
            // A number out of the type's range, signed and unsigned, would silently become another.
            (scalar::bits::signed(ty, bits) == number || unsigned == Some(number)).then_some(bits)
        }
    }
}

fn block_id(c: &mut Cursor<'_>) -> Result<Bb, ParseError> {
    c.id("bb", "a block").map(Bb)
}

fn scope_named(name: &str) -> Option<Scope> {
    [Scope::Block, Scope::Device, Scope::System].into_iter().find(|&s| crate::print::scope_name(s) == name)
}

fn trap_named(name: &str) -> Option<Trap> {
    [Trap::ZeroStep, Trap::ZeroDivisor, Trap::Unreachable, Trap::Unsupported]
        .into_iter()
        .find(|&t| crate::print::trap_name(t) == name)
}

/// An operation and the type behind it: `shr.u.i32`.
fn op_ty<T>(text: &str, op: fn(&str) -> Option<T>) -> Option<(T, Ty)> {
    let (name, ty) = text.rsplit_once('.')?;
    Some((op(name)?, ty_named(ty)?))
}

/// An operand of type `ty`; without a type a constant has to be a raw word.
fn val(c: &mut Cursor<'_>, ty: Option<Ty>) -> Result<Val, ParseError> {
    if c.is_mark("%") {
        return reg(c).map(Val::Reg);
    }
    if ty == Some(Ty::Pred) {
        if c.take_word("true") {
            return Ok(Val::pred(true));
        }
        if c.take_word("false") {
            return Ok(Val::pred(false));
        }
    }
    let what = ty.map_or_else(
        || "a register or a raw constant".to_string(),
        |t| format!("a register or a constant of type `{t}`"),
    );
    let before = c.clone();
    let number = c.take_number().ok_or_else(|| before.expected(&what))?;
    constant(number, ty).map(Val::Imm).ok_or_else(|| before.expected(&what))
}

/// Operands with commas between them.
fn vals<const N: usize>(c: &mut Cursor<'_>, types: [Ty; N]) -> Result<[Val; N], ParseError> {
    let mut out = [Val::Imm(0); N];
    for (i, ty) in types.into_iter().enumerate() {
        if i != 0 {
            c.mark(",")?;
        }
        out[i] = val(c, Some(ty))?;
    }
    Ok(out)
}

/// `(a, b, …)` with the types of `types`.
fn args(c: &mut Cursor<'_>, types: &[Ty]) -> Result<Vec<Val>, ParseError> {
    c.mark("(")?;
    let mut args = Vec::new();
    while !c.take_mark(")") {
        args.push(val(c, types.get(args.len()).copied())?);
        if !c.is_mark(")") {
            c.mark(",")?;
        }
    }
    Ok(args)
}

/// `[addr+offset]`
fn place(c: &mut Cursor<'_>) -> Result<(Val, i64), ParseError> {
    c.mark("[")?;
    let addr = val(c, Some(Ty::I64))?;
    let offset = if c.is_mark("]") { 0 } else { c.int("an offset with its sign")? };
    c.mark("]")?;
    Ok((addr, offset))
}

struct Body<'a> {
    module: &'a Module,
    f: &'a mut Function,
    declared: Vec<bool>,
}

impl Body<'_> {
    fn block(&mut self, c: &mut Cursor<'_>) -> Result<BlockData, ParseError> {
        let before = c.clone();
        let id = block_id(c)?;
        if id.index() != self.f.blocks.len() {
            return Err(before.expected(&format!("`bb{}`", self.f.blocks.len())));
        }
        c.mark(":")?;
        c.end()?;
        let mut insts = Vec::new();
        loop {
            if let Some(term) = self.term(c)? {
                let term_inlined = table::inlined(c)?;
                return Ok(BlockData { insts, term, term_span: c.span_end()?, term_inlined });
            }
            if c.is_mark("}") || matches!(c.peek(), Some(Token::Word(w)) if w.starts_with("bb")) {
                return Err(c.error(format!("block `{id}` has no terminator")));
            }
            let kind = self.inst(c)?;
            let inlined = table::inlined(c)?;
            insts.push(Inst { kind, span: c.span_end()?, inlined });
        }
    }

    /// Gives a temporary its type.
    fn define(&mut self, reg: Reg, ty: Ty) {
        if !self.declared.get(reg.index()).copied().unwrap_or(false) {
            declare(self.f, reg, ty);
        }
    }

    fn callee(&self, c: &mut Cursor<'_>) -> Result<(FuncId, Vec<Ty>), ParseError> {
        let before = c.clone();
        let name = func_name(c)?;
        let id = self.module.find(&name).ok_or_else(|| before.error(format!("no function `{name}`")))?;
        let f = self.module.func(id);
        let types = f.params.iter().map(|p| match p.kind {
            ParamKind::Bytes { .. } => Ty::I64,
            ParamKind::Value => f.ty(p.reg),
        });
        Ok((id, types.collect()))
    }

    fn term(&mut self, c: &mut Cursor<'_>) -> Result<Option<Term>, ParseError> {
        let Some(Token::Word(word)) = c.peek() else { return Ok(None) };
        let before = c.clone();
        c.skip();
        let term = match word.as_str() {
            "jump" => Term::Jump(block_id(c)?),
            "branch" => {
                let cond = val(c, Some(Ty::Pred))?;
                c.mark(",")?;
                let then_bb = block_id(c)?;
                c.mark(",")?;
                Term::Branch { cond, then_bb, else_bb: block_id(c)? }
            }
            "return" => {
                let mut values = Vec::new();
                if !matches!(c.peek(), Some(Token::End) | None) && !c.is_mark("!") {
                    loop {
                        values.push(val(c, self.f.results.get(values.len()).copied())?);
                        if !c.take_mark(",") {
                            break;
                        }
                    }
                }
                Term::Return(values)
            }
            "exit" => Term::Exit,
            "trap" => {
                let before = c.clone();
                Term::Trap(trap_named(c.word("a trap")?).ok_or_else(|| before.expected("a trap"))?)
            }
            word => {
                let Some(ty) = word.strip_prefix("switch.").and_then(ty_named) else {
                    *c = before;
                    return Ok(None);
                };
                let value = val(c, Some(ty))?;
                c.mark("[")?;
                let mut arms = Vec::new();
                while !c.take_mark("]") {
                    let number = c.int("an integer")?;
                    c.mark(":")?;
                    arms.push((number, block_id(c)?));
                    if !c.is_mark("]") {
                        c.mark(",")?;
                    }
                }
                c.expect_word("else")?;
                Term::Switch { ty, value, arms, default: block_id(c)? }
            }
        };
        Ok(Some(term))
    }

    fn inst(&mut self, c: &mut Cursor<'_>) -> Result<InstKind, ParseError> {
        let mut dsts: Vec<(Reg, Option<Ty>)> = Vec::new();
        if c.is_mark("%") {
            loop {
                let reg = reg(c)?;
                dsts.push((reg, if c.take_mark(":") { Some(ty(c)?) } else { None }));
                if !c.take_mark(",") {
                    break;
                }
            }
            c.mark("=")?;
        }
        let before = c.clone();
        let word = c.word("an instruction")?;
        let dst = || match dsts[..] {
            [(reg, _)] => Ok(reg),
            _ => Err(before.error(format!("`{word}` has one result"))),
        };
        let no_dst =
            |kind| if dsts.is_empty() { Ok(kind) } else { Err(before.error(format!("`{word}` has no result"))) };
        let kind = self.inst_named(c, word, &dsts, &dst, &no_dst)?;
        let Some(kind) = kind else { return Err(before.error(format!("`{word}` is no instruction"))) };
        for (i, (reg, ty)) in kind.result_types(self.module).into_iter().enumerate() {
            if let Some(ty) = dsts.get(i).and_then(|d| d.1).or(ty) {
                self.define(reg, ty);
            }
        }
        Ok(kind)
    }

    fn inst_named(
        &self,
        c: &mut Cursor<'_>,
        word: &str,
        dsts: &[(Reg, Option<Ty>)],
        dst: &dyn Fn() -> Result<Reg, ParseError>,
        no_dst: &dyn Fn(InstKind) -> Result<InstKind, ParseError>,
    ) -> Result<Option<InstKind>, ParseError> {
        let one = || match dsts {
            [] => Ok(None),
            _ => dst().map(Some),
        };
        let (head, rest) = word.split_once('.').unwrap_or((word, ""));
        let kind = match head {
            "stmt" => no_dst(InstKind::Stmt)?,
            "backedge" => no_dst(InstKind::BackEdge)?,
            "clear" => no_dst(InstKind::Clear { local: LocalId(c.id("l", "a slot of local memory")?) })?,
            "fence" => {
                let Some(scope) = scope_named(rest) else { return Ok(None) };
                no_dst(InstKind::Fence { scope })?
            }
            "syncwarp" => {
                let [mask] = vals(c, [Ty::I32])?;
                no_dst(InstKind::SyncWarp { mask })?
            }
            "addr" => InstKind::Addr { dst: dst()?, base: table::base(c)? },
            "special" => {
                let Some(reg) = Special::from_mnemonic(rest) else { return Ok(None) };
                InstKind::Special { reg, dst: dst()? }
            }
            "select" => {
                let Some(ty) = ty_named(rest) else { return Ok(None) };
                let [cond, a, b] = vals(c, [Ty::Pred, ty, ty])?;
                InstKind::Select { ty, dst: dst()?, cond, a, b }
            }
            "cmp" => {
                let Some((op, ty)) = op_ty(rest, CmpOp::from_mnemonic) else { return Ok(None) };
                let [a, b] = vals(c, [ty, ty])?;
                InstKind::Cmp { op, ty, dst: dst()?, a, b }
            }
            "cvt" => {
                let Some((front, from)) = rest.rsplit_once('.') else { return Ok(None) };
                let (Some(from), Some((op, to))) = (ty_named(from), op_ty(front, CvtOp::from_mnemonic)) else {
                    return Ok(None);
                };
                let [a] = vals(c, [from])?;
                InstKind::Cvt { op, from, to, dst: dst()?, a }
            }
            "load" | "store" => {
                let (rest, access) = match rest.strip_suffix(".volatile") {
                    Some(rest) => (rest, Access::Volatile),
                    None => (rest, Access::Plain),
                };
                let Some((space, ty)) = op_ty(rest, table::space_named) else { return Ok(None) };
                let (addr, offset) = place(c)?;
                if head == "load" {
                    InstKind::Load { ty, space, access, dst: dst()?, addr, offset }
                } else {
                    c.mark(",")?;
                    let value = val(c, Some(ty))?;
                    no_dst(InstKind::Store { ty, space, access, addr, offset, value })?
                }
            }
            "atom" | "red" => {
                let mut parts = rest.rsplitn(3, '.');
                let (Some(scope), Some(space), Some(front)) =
                    (parts.next().and_then(scope_named), parts.next().and_then(table::space_named), parts.next())
                else {
                    return Ok(None);
                };
                let Some((op, ty)) = op_ty(front, AtomOp::from_mnemonic) else { return Ok(None) };
                let (addr, offset) = place(c)?;
                c.mark(",")?;
                let a = val(c, Some(ty))?;
                let b = if c.take_mark(",") { Some(val(c, Some(ty))?) } else { None };
                let used = head == "atom";
                let dst = if used { Some(dst()?) } else { one()? };
                InstKind::Atomic { op, ty, space, scope, dst, used, addr, offset, a, b }
            }
            "barrier" => {
                let Some(op) = BarOp::from_mnemonic(rest) else { return Ok(None) };
                let bare = matches!(c.peek(), Some(Token::End) | None) || c.is_mark("!");
                let a = if bare { None } else { Some(val(c, Some(Ty::Pred))?) };
                InstKind::Barrier { op, dst: one()?, a }
            }
            "vote" => {
                let Some((op, ty)) = op_ty(rest, VoteOp::from_mnemonic) else { return Ok(None) };
                let a = val(c, Some(if op.is_match() { ty } else { Ty::Pred }))?;
                let mask = if c.take_mark(",") { Some(val(c, Some(Ty::I32))?) } else { None };
                InstKind::Vote { op, ty, dst: dst()?, mask, a }
            }
            "shfl" => {
                let Some((op, ty)) = op_ty(rest, ShflOp::from_mnemonic) else { return Ok(None) };
                let [a, lane, width] = vals(c, [ty, Ty::I32, Ty::I32])?;
                InstKind::Shuffle { op, ty, dst: dst()?, a, lane, width }
            }
            "call" => {
                let (func, types) = self.callee(c)?;
                let args = args(c, &types)?;
                InstKind::Call { func, args, results: dsts.iter().map(|d| d.0).collect() }
            }
            "rt" => {
                let Some(rt) = Rt::from_mnemonic(rest) else { return Ok(None) };
                let args = args(c, rt.params())?;
                InstKind::Rt { rt, args, results: dsts.iter().map(|d| d.0).collect() }
            }
            "launch" => {
                let (func, types) = self.callee(c)?;
                c.mark("<<<")?;
                c.mark("(")?;
                let grid = vals(c, [Ty::I32; 3])?;
                c.mark(")")?;
                c.mark(",")?;
                c.mark("(")?;
                let block = vals(c, [Ty::I32; 3])?;
                c.mark(")")?;
                c.mark(",")?;
                let [bytes, stream] = vals(c, [Ty::I64; 2])?;
                c.mark(">>>")?;
                let args = args(c, &types)?;
                no_dst(InstKind::Launch { func, config: LaunchConfig { grid, block, bytes, stream }, args })?
            }
            _ => {
                if let Some((op, ty)) = op_ty(word, UnOp::from_mnemonic) {
                    let [a] = vals(c, [ty])?;
                    InstKind::Un { op, ty, dst: dst()?, a }
                } else if let Some((op, ty)) = op_ty(word, BinOp::from_mnemonic) {
                    let [a, b] = vals(c, [ty, ty])?;
                    InstKind::Bin { op, ty, dst: dst()?, a, b }
                } else if let Some((op, ty)) = op_ty(word, TriOp::from_mnemonic) {
                    let [a, b, d] = vals(c, [ty, ty, ty])?;
                    InstKind::Tri { op, ty, dst: dst()?, a, b, c: d }
                } else {
                    return Ok(None);
                }
            }
        };
        Ok(Some(kind))
    }
}
