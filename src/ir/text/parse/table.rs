//! The tables of IR text: source types, globals, and the registers, locals, shared memory and variables of a function.

use super::lex::{Cursor, Token};
use super::{ParseError, declare, reg, ty};
use crate::{
    AddrBase, DebugField, DebugType, DebugTypeId, DebugTypeKind, DebugVar, FuncId, Function, Global, GlobalId,
    GlobalInit, InlineId, Inlined, LocalId, LocalSlot, Module, SharedId, SharedSize, SharedVar, Space, Val, VarId,
    VarLengths, VarLoc, VarShape,
};
use std::sync::Arc;

/// The number in a table's row, which has to be the next one.
fn row(c: &mut Cursor<'_>, prefix: &str, next: usize) -> Result<(), ParseError> {
    let before = c.clone();
    let what = format!("`{prefix}{next}`");
    if c.id(prefix, &what)? as usize == next { Ok(()) } else { Err(before.expected(&what)) }
}

/// An `i64` value: a register or a number.
fn val(c: &mut Cursor<'_>) -> Result<Val, ParseError> {
    if c.is_mark("%") { reg(c).map(Val::Reg) } else { c.int("a register or an integer").map(Val::i64) }
}

fn debug_ty(c: &mut Cursor<'_>) -> Result<DebugTypeId, ParseError> {
    c.id("t", "a source type").map(DebugTypeId)
}

/// `(lower:extent)` as often as it stands there.
fn bounds(c: &mut Cursor<'_>) -> Result<Vec<(i64, i64)>, ParseError> {
    let mut bounds = Vec::new();
    while c.take_mark("(") {
        let lower = c.int("a lower bound")?;
        c.mark(":")?;
        bounds.push((lower, c.int("an extent")?));
        c.mark(")")?;
    }
    Ok(bounds)
}

/// `type t0 …`, behind the word `type`.
pub(super) fn debug_type(c: &mut Cursor<'_>, module: &mut Module) -> Result<(), ParseError> {
    row(c, "t", module.types.len())?;
    let name = c.text("the name of a type")?.into();
    c.expect_word("bytes")?;
    let bytes = c.int("a number of bytes")?;
    let before = c.clone();
    let kind = match c.word("the form of a type")? {
        "integer" => DebugTypeKind::Integer,
        "real" => DebugTypeKind::Real,
        "complex" => DebugTypeKind::Complex,
        "logical" => DebugTypeKind::Logical,
        "character" if c.take_mark("*") => DebugTypeKind::Character(None),
        "character" => DebugTypeKind::Character(Some(val(c)?)),
        "derived" => {
            c.mark("{")?;
            let mut fields = Vec::new();
            while !c.take_mark("}") {
                let name = c.text("the name of a component")?.into();
                let ty = debug_ty(c)?;
                c.expect_word("at")?;
                let offset = c.int("an offset")?;
                let bounds = bounds(c)?;
                let described = if c.take_word("described") { Some(c.int("a rank")?) } else { None };
                fields.push(DebugField { name, ty, offset, bounds, described });
                if !c.is_mark("}") {
                    c.mark(",")?;
                }
            }
            DebugTypeKind::Derived(fields)
        }
        _ => return Err(before.expected("the form of a type")),
    };
    module.types.push(DebugType { name, bytes, kind });
    c.end()
}

/// The space of that name.
pub(super) fn space_named(name: &str) -> Option<Space> {
    [Space::Host, Space::Global, Space::Shared, Space::Local, Space::Const, Space::Generic]
        .into_iter()
        .find(|&s| crate::print::space_name(s) == name)
}

fn hex(text: &str) -> Option<Arc<[u8]>> {
    let digits: Vec<u8> = text.chars().map(|c| c.to_digit(16).map(|d| d as u8)).collect::<Option<_>>()?;
    if digits.len().is_multiple_of(2) { Some(digits.chunks(2).map(|d| d[0] << 4 | d[1]).collect()) } else { None }
}

/// `global g0 …`, behind the word `global`.
pub(super) fn global(c: &mut Cursor<'_>, module: &mut Module) -> Result<(), ParseError> {
    row(c, "g", module.globals.len())?;
    let name = c.text("the name of a variable")?.into();
    let before = c.clone();
    let space = space_named(c.word("a space")?).ok_or_else(|| before.expected("a space"))?;
    c.expect_word("bytes")?;
    let bytes = c.int("a number of bytes")?;
    c.expect_word("align")?;
    let align = c.int("an alignment")?;
    let managed = c.take_word("managed");
    let read_only = c.take_word("read_only");
    c.expect_word("init")?;
    let before = c.clone();
    let init = match c.word("`none`, `zero` or `x\"…\"`")? {
        "none" => GlobalInit::None,
        "zero" => GlobalInit::Zero,
        "x" => {
            let before = c.clone();
            let bytes = hex(c.text("bytes in hexadecimal digits")?);
            GlobalInit::Bytes(bytes.ok_or_else(|| before.expected("bytes in hexadecimal digits"))?)
        }
        _ => return Err(before.expected("`none`, `zero` or `x\"…\"`")),
    };
    let mut holes = Vec::new();
    while c.take_word("hole") {
        holes.push((c.int("the first byte")?, c.int("a number of bytes")?));
    }
    let mut var = None;
    if c.take_word("var") {
        c.mark("{")?;
        let mut v = debug_var(c)?;
        v.span = c.span()?;
        c.mark("}")?;
        var = Some(v);
    }
    let span = c.span_end()?;
    module.globals.push(Global { name, space, managed, bytes, align, init, holes, read_only, var, span });
    Ok(())
}

/// A word that names a part of memory: `l0`, `s1`, `g4`.
pub(super) fn base(c: &mut Cursor<'_>) -> Result<AddrBase, ParseError> {
    let what = "a local slot, a shared variable or a global";
    let before = c.clone();
    let word = c.word(what)?;
    let (prefix, number) = word.split_at_checked(1).ok_or_else(|| before.expected(what))?;
    let number = number.parse().map_err(|_| before.expected(what))?;
    match prefix {
        "l" => Ok(AddrBase::Local(LocalId(number))),
        "s" => Ok(AddrBase::Shared(SharedId(number))),
        "g" => Ok(AddrBase::Global(GlobalId(number))),
        _ => Err(before.expected(what)),
    }
}

fn debug_var(c: &mut Cursor<'_>) -> Result<DebugVar, ParseError> {
    let name = c.text("the name of a variable")?.into();
    let ty = debug_ty(c)?;
    let before = c.clone();
    let shape = match c.word("a shape")? {
        "scalar" => VarShape::Scalar,
        "array" => {
            let mut dims = Vec::new();
            while c.take_mark("(") {
                let lower = val(c)?;
                c.mark(",")?;
                let extent = if c.take_mark("*") { None } else { Some(val(c)?) };
                c.mark(",")?;
                dims.push((lower, extent, val(c)?));
                c.mark(")")?;
            }
            VarShape::Array(dims)
        }
        "described" => VarShape::Described(c.int("a rank")?),
        _ => return Err(before.expected("a shape")),
    };
    let before = c.clone();
    let loc = match c.word("a place")? {
        "reg" => VarLoc::Reg(reg(c)?),
        "complex" => VarLoc::Complex(reg(c)?, reg(c)?),
        "memory" => VarLoc::Memory(base(c)?),
        "at" => VarLoc::At(reg(c)?),
        "descriptor" => VarLoc::Descriptor(base(c)?),
        "descriptor_at" => VarLoc::DescriptorAt(reg(c)?),
        "constant" => VarLoc::Constant,
        _ => return Err(before.expected("a place")),
    };
    let lengths = lengths(c)?;
    c.expect_word("source")?;
    let source_id = c.int("the number of a variable")?;
    let is_dummy = c.take_word("dummy");
    let inlined = inlined(c)?;
    Ok(DebugVar { name, ty, shape, loc, lengths, source_id, is_dummy, inlined, span: source::Span::NONE })
}

/// The length parameters of a variable, if they stand here.
fn lengths(c: &mut Cursor<'_>) -> Result<VarLengths, ParseError> {
    if c.take_word("lengths_at") {
        return Ok(VarLengths::At(reg(c)?));
    }
    if !c.take_word("lengths") {
        return Ok(VarLengths::default());
    }
    if !c.take_mark("(") {
        return Ok(VarLengths::Memory(base(c)?));
    }
    let mut values = vec![val(c)?];
    while c.take_mark(",") {
        values.push(val(c)?);
    }
    c.mark(")")?;
    Ok(VarLengths::Values(values))
}

/// The call that something is a part of, if one stands here.
pub(super) fn inlined(c: &mut Cursor<'_>) -> Result<InlineId, ParseError> {
    let is_there = matches!(c.peek(), Some(Token::Word(_)));
    if is_there { Ok(InlineId(c.id("in", "an inlined call")?)) } else { Ok(InlineId::NONE) }
}

/// A row of a function's tables, if one stands here.
pub(super) fn row_of_function(c: &mut Cursor<'_>, f: &mut Function) -> Result<bool, ParseError> {
    let Some(Token::Word(word)) = c.peek() else { return Ok(false) };
    match word.as_str() {
        "reg" => {
            c.skip();
            let reg = reg(c)?;
            let ty = ty(c)?;
            let mutable = c.take_word("mutable");
            let var =
                if matches!(c.peek(), Some(Token::Word(_))) { Some(VarId(c.id("v", "a variable")?)) } else { None };
            let info = declare(f, reg, ty);
            info.mutable = mutable;
            info.var = var;
            c.end()?;
        }
        "local" => {
            c.skip();
            row(c, "l", f.locals.len())?;
            let name = c.text("a name")?.into();
            c.expect_word("bytes")?;
            let bytes = c.int("a number of bytes")?;
            c.expect_word("align")?;
            let align = c.int("an alignment")?;
            let inlined = inlined(c)?;
            let span = c.span_end()?;
            f.locals.push(LocalSlot { bytes, align, name, span, inlined });
        }
        "shared" => {
            c.skip();
            row(c, "s", f.shared.len())?;
            let name = c.text("a name")?.into();
            let size = if c.take_word("dynamic") {
                SharedSize::Dynamic
            } else {
                c.expect_word("bytes")?;
                SharedSize::Static(c.int("a number of bytes")?)
            };
            c.expect_word("align")?;
            let align = c.int("an alignment")?;
            c.expect_word("element")?;
            let element_bytes = c.int("a number of bytes")?;
            let bounds = if c.take_word("bounds") { bounds(c)? } else { Vec::new() };
            let span = c.span_end()?;
            f.shared.push(SharedVar { name, size, align, element_bytes, bounds, span });
        }
        "var" => {
            c.skip();
            row(c, "v", f.vars.len())?;
            let mut var = debug_var(c)?;
            var.span = c.span_end()?;
            f.vars.push(var);
        }
        "inlined" => {
            c.skip();
            row(c, "in", f.inlined.len())?;
            let func = FuncId(c.id("fn", "the number of a function")?);
            let outer = inlined(c)?;
            let span = c.span_end()?;
            f.inlined.push(Inlined { func, outer, span });
        }
        _ => return Ok(false),
    }
    Ok(true)
}
