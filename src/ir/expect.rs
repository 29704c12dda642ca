//! Reads the expected results that stand in the comments of a `.cir` test text.
//!
//! ```text
//! ; run @add(1, 2) -> 3
//!
//! ; mem x: i32 1, 2, 3, 4
//! ; run @double<<<(2), (2)>>>(&x, 4)
//! ; out x: i32 2, 4, 6, 8
//! ```
//!
//! A `run` line is one case: a call with arguments and results of the function's own types, or a launch with grid and block
//! extents. `mem` lines before it make buffers, whose addresses are written `&name`; `out` lines after it say what they hold
//! at the end. `needs warp` before it says that the case means nothing for threads that run one after another. Constants
//! are written as in IR text. Any back end can run a case: [`run`] is the reference, with [`crate::lane`].

use crate::lane::{End, Fault, Lane, Place};
use crate::parse::{Cursor, ParseError, Token, constant, line_tokens, ty};
use crate::{FuncId, FuncKind, Module, ParamKind};
use scalar::Ty;

/// A row of values in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Buffer {
    /// Name.
    pub name: String,
    /// Type of the values.
    pub ty: Ty,
    /// The values, as words.
    pub values: Vec<u64>,
}

/// An argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arg {
    /// A value, as a word.
    Value(u64),
    /// The address of a buffer, by its index in [`Case::memory`].
    Buffer(usize),
}

/// One run of a function with what it has to give.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// Line of the `run`, counted from 1.
    pub line: u32,
    /// The function.
    pub func: FuncId,
    /// Grid and block extents of a launch.
    pub launch: Option<([u32; 3], [u32; 3])>,
    /// Whether threads have to run together as warps and blocks.
    pub needs_warp: bool,
    /// Buffers before the run.
    pub memory: Vec<Buffer>,
    /// Arguments.
    pub args: Vec<Arg>,
    /// Results.
    pub results: Vec<u64>,
    /// Buffers after the run: index in [`Case::memory`], type, values.
    pub out: Vec<(usize, Ty, Vec<u64>)>,
}

/// The cases in the comments of `text`, whose module is `module`.
pub fn cases(module: &Module, text: &str) -> Result<Vec<Case>, ParseError> {
    let mut cases: Vec<Case> = Vec::new();
    let (mut memory, mut needs_warp) = (Vec::new(), false);
    for (i, line) in text.lines().enumerate() {
        let Some(comment) = line.trim_start().strip_prefix(';') else { continue };
        let number = i as u32 + 1;
        let first = comment.trim_start().split(' ').next().unwrap_or("");
        if !["run", "mem", "out", "needs"].contains(&first) {
            continue;
        }
        let mut tokens = Vec::new();
        line_tokens(comment, number, &mut tokens)?;
        let mut c = Cursor::new(&tokens);
        match c.word("`run`, `mem`, `out` or `needs`")? {
            "mem" => memory.push(buffer(&mut c)?),
            "needs" => {
                c.expect_word("warp")?;
                needs_warp = true;
            }
            "out" => {
                let b = buffer(&mut c)?;
                let case = cases.last_mut().ok_or_else(|| c.error("`out` stands before any `run`"))?;
                let at = case.memory.iter().position(|m| m.name == b.name);
                let at = at.ok_or_else(|| c.error(format!("no buffer `{}`", b.name)))?;
                case.out.push((at, b.ty, b.values));
            }
            _ => {
                let (memory, needs_warp) = (std::mem::take(&mut memory), std::mem::take(&mut needs_warp));
                cases.push(case(&mut c, module, memory, needs_warp, number)?);
            }
        }
        c.end()?;
    }
    Ok(cases)
}

/// `name: type values`
fn buffer(c: &mut Cursor<'_>) -> Result<Buffer, ParseError> {
    let name = c.word("the name of a buffer")?.to_string();
    c.mark(":")?;
    let ty = ty(c)?;
    let mut values = vec![value(c, Some(ty))?];
    while c.take_mark(",") {
        values.push(value(c, Some(ty))?);
    }
    Ok(Buffer { name, ty, values })
}

fn value(c: &mut Cursor<'_>, ty: Option<Ty>) -> Result<u64, ParseError> {
    if ty == Some(Ty::Pred) {
        if c.take_word("true") {
            return Ok(1);
        }
        c.expect_word("false")?;
        return Ok(0);
    }
    let before = c.clone();
    let number = c.take_number().ok_or_else(|| before.expected("a constant"))?;
    constant(number, ty).ok_or_else(|| before.expected("a constant of the right type"))
}

/// `(x, y, z)`, of which the last ones may be missing.
fn extents(c: &mut Cursor<'_>) -> Result<[u32; 3], ParseError> {
    let mut out = [1; 3];
    c.mark("(")?;
    for (i, extent) in out.iter_mut().enumerate() {
        if c.is_mark(")") {
            break;
        }
        if i != 0 {
            c.mark(",")?;
        }
        *extent = c.int("an extent")?;
    }
    c.mark(")")?;
    Ok(out)
}

fn case(
    c: &mut Cursor<'_>,
    module: &Module,
    memory: Vec<Buffer>,
    needs_warp: bool,
    line: u32,
) -> Result<Case, ParseError> {
    c.mark("@")?;
    let name = match c.peek() {
        Some(Token::Word(name) | Token::Text(name)) => name.clone(),
        _ => return Err(c.expected("the name of a function")),
    };
    c.skip();
    let func = module.find(&name).ok_or_else(|| c.error(format!("no function `{name}`")))?;
    let f = module.func(func);
    let mut launch = None;
    if c.take_mark("<<<") {
        let grid = extents(c)?;
        c.mark(",")?;
        launch = Some((grid, extents(c)?));
        c.mark(">>>")?;
    }
    if launch.is_some() != (f.kind == FuncKind::Kernel) {
        return Err(c.error(format!("`{name}` is called as what it is not")));
    }
    c.mark("(")?;
    let mut args = Vec::new();
    while !c.take_mark(")") {
        if !args.is_empty() {
            c.mark(",")?;
        }
        if c.take_mark("&") {
            let name = c.word("the name of a buffer")?;
            let at = memory.iter().position(|m| m.name == name);
            args.push(Arg::Buffer(at.ok_or_else(|| c.error(format!("no buffer `{name}`")))?));
        } else {
            let ty = f.params.get(args.len()).filter(|p| p.kind == ParamKind::Value).map(|p| f.ty(p.reg));
            args.push(Arg::Value(value(c, ty)?));
        }
    }
    let mut results = Vec::new();
    if c.take_mark("->") {
        for (i, &ty) in f.results.iter().enumerate() {
            if i != 0 {
                c.mark(",")?;
            }
            results.push(value(c, Some(ty))?);
        }
    }
    if args.len() != f.params.len() || results.len() != f.results.len() {
        return Err(c.error(format!(
            "`{name}` takes {} arguments and gives {} results",
            f.params.len(),
            f.results.len()
        )));
    }
    Ok(Case { line, func, launch, needs_warp, memory, args, results, out: Vec::new() })
}

/// Runs a case with the reference, the threads of a launch one after another, and says in what it differs.
pub fn run(module: &Module, case: &Case) -> Result<(), String> {
    let mut lane = Lane::new(module);
    let bases: Vec<u64> = case
        .memory
        .iter()
        .map(|b| {
            let size = u64::from(b.ty.bytes());
            let base = lane.memory.alloc(size * b.values.len() as u64, 256);
            for (i, &v) in b.values.iter().enumerate() {
                let _ = lane.memory.write(base + i as u64 * size, b.ty, v);
            }
            base
        })
        .collect();
    let args: Vec<u64> = case
        .args
        .iter()
        .map(|arg| match *arg {
            Arg::Value(v) => v,
            Arg::Buffer(i) => bases[i],
        })
        .collect();
    let fault = |f: Fault| format!("line {}: the run faulted: {f:?}", case.line);
    if let Some((grid, block)) = case.launch {
        let count = |e: [u32; 3]| e.iter().fold(1_u32, |n, &x| n.saturating_mul(x));
        let index = |i: u32, e: [u32; 3]| [i % e[0], i / e[0] % e[1], i / e[0] / e[1]];
        for (cta, thread) in (0..count(grid)).flat_map(|c| (0..count(block)).map(move |t| (c, t))) {
            let (tid, ctaid) = (index(thread, block), index(cta, grid));
            lane.place = Place { tid, ntid: block, ctaid, nctaid: grid };
            let _ = lane.run(case.func, &args).map_err(fault)?;
        }
    } else {
        let end = lane.run(case.func, &args).map_err(fault)?;
        if end != End::Returned(case.results.clone()) {
            return Err(format!("line {}: ended with {end:x?}, expected {:x?}", case.line, case.results));
        }
    }
    for (at, ty, values) in &case.out {
        for (i, &expected) in values.iter().enumerate() {
            let found = lane.memory.read(bases[*at] + i as u64 * u64::from(ty.bytes()), *ty);
            if found != Some(expected) {
                let name = &case.memory[*at].name;
                return Err(format!("line {}: `{name}` element {i} is {found:x?}, expected {expected:x}", case.line));
            }
        }
    }
    Ok(())
}
