//! Puts kernels of PTX files into a module.
//!
//! For each kernel that the program declares ([`ir::Import`]) the files are searched for an `.entry` of that name. What it calls
//! and the variables that it uses come along. A parameter has the size of what the interface passes, and it is a real only
//! where that is one.

use crate::lines::Lines;
use crate::mangled::function_name;
use crate::read::{Fault, Unit, bits_of, ir_type, is_widened, routine};
use crate::syntax::{Initial, Kind, Operand, Parameter, Ptx, Routine, StateSpace, Variable, What, unreadable};
use diag::{Code, Diagnostic, Diagnostics};
use ir::{FuncId, FuncKind, Function, FunctionBuilder, Global, GlobalId, GlobalInit, Module, ParamKind, Space, Ty};
use source::Span;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Bytes of a variable, at most.
const MOST_BYTES: u64 = 1 << 32;

/// Reads the kernels that the module declares and does not define. What is wrong goes to `diags`.
pub fn link(module: &mut Module, files: &[Ptx], lines: &Lines<'_>, diags: &mut Diagnostics) {
    let mut linked: BTreeMap<usize, Linked> = BTreeMap::new();
    for import in std::mem::take(&mut module.imports) {
        let declared = module.func(import.func).clone();
        let is_kernel = declared.kind == FuncKind::Kernel;
        let is_it = |f: &&Routine| f.is_kernel == is_kernel && f.body.is_some() && *f.name == *import.symbol;
        let found = files.iter().enumerate().find_map(|(i, ptx)| Some((i, ptx, ptx.functions.iter().find(is_it)?)));
        // Without one the checker has said so, and the launch or call is refused.
        let Some((number, ptx, entry)) = found else { continue };
        if let Err(told) = fits(&declared, entry, &import.symbol, ptx, lines) {
            diags.push(*told);
            continue;
        }
        let known = linked.entry(number).or_default();
        let mut linker = Linker { module, ptx, lines, known, diags };
        linker.add(entry, import.func);
    }
}

/// What of a file is in the module.
#[derive(Default)]
struct Linked {
    globals: BTreeMap<Arc<str>, GlobalId>,
    functions: BTreeMap<Arc<str>, FuncId>,
}

/// Whether the parameters of a kernel or function, and the result, are those of its interface.
fn fits(
    declared: &Function,
    entry: &Routine,
    symbol: &str,
    ptx: &Ptx,
    lines: &Lines<'_>,
) -> Result<(), Box<Diagnostic>> {
    let file = lines.map.file(ptx.file).map_or("", |f| f.name());
    let told = |text: String| {
        let d = Diagnostic::new(Code::KernelParameters, declared.span, text).secondary(entry.span, "defined here");
        let help = "declare a pointer as an array with `device`, or as `type(c_devptr), value`; declare everything else \
                    with `value`";
        Err(Box::new(d.help(help)))
    };
    let what = if entry.is_kernel { "kernel" } else { "function" };
    let (has, wants) = (entry.params.len(), declared.params.len());
    if has != wants {
        return told(format!("{what} `{symbol}` has {} in `{file}`, its interface passes {wants}", parameters(has)));
    }
    let given = |results: &[(u64, bool)]| match results {
        [] => "nothing".to_owned(),
        [(bytes, is_real), ..] => {
            if *is_real {
                format!("a real of {bytes} bytes")
            } else {
                format!("{bytes} bytes")
            }
        }
    };
    let own: Vec<_> = entry.results.iter().map(|r| (r.bytes(), r.ty.kind == Kind::Real)).collect();
    let wanted: Vec<_> = declared.results.iter().map(|ty| (u64::from(ty.bytes()), ty.is_real())).collect();
    let is_bits = entry.results.iter().all(|r| r.ty.kind == Kind::Bits);
    let same_bytes = own.len() == wanted.len()
        && entry
            .results
            .iter()
            .zip(&declared.results)
            .all(|(own, ty)| own.bytes() == u64::from(ty.bytes()) || is_widened(own, *ty));
    if !same_bytes || !is_bits && own != wanted {
        let (own, wanted) = (given(&own), given(&wanted));
        return told(format!("{what} `{symbol}` gives {own} in `{file}`, and {wanted} by its interface"));
    }
    for (i, (param, dummy)) in entry.params.iter().zip(&declared.params).enumerate() {
        let ty = declared.ty(dummy.reg);
        let (passed, is_real) = match dummy.kind {
            ParamKind::Value => (u64::from(ty.bytes()), Some(ty.is_real())),
            ParamKind::Bytes { bytes, .. } => (bytes, None),
        };
        let differs = param.count.is_none()
            && is_real.is_some_and(|is| match param.ty.kind {
                Kind::Bits => false,
                kind => is != (kind == Kind::Real && param.ty.bits > 16),
            });
        let is_value = dummy.kind == ParamKind::Value;
        if !differs && (param.bytes() == passed || !entry.is_kernel && is_value && is_widened(param, ty)) {
            continue;
        }
        let (number, name, kind) = (i + 1, &dummy.name, what);
        let what = |bytes: u64, is_real: bool| {
            format!("{}{bytes} byte{}", if is_real { "a real of " } else { "" }, if bytes == 1 { "" } else { "s" })
        };
        let own = what(param.bytes(), differs && param.ty.kind == Kind::Real);
        let given = what(passed, differs && ty.is_real());
        return told(format!(
            "parameter {number} of {kind} `{symbol}` has {own} in `{file}`, its interface passes {given} for `{name}`"
        ));
    }
    Ok(())
}

fn parameters(count: usize) -> String {
    format!("{count} parameter{}", if count == 1 { "" } else { "s" })
}

struct Linker<'a> {
    module: &'a mut Module,
    ptx: &'a Ptx,
    lines: &'a Lines<'a>,
    known: &'a mut Linked,
    diags: &'a mut Diagnostics,
}

impl<'a> Linker<'a> {
    /// Reads a kernel, and what it uses.
    fn add(&mut self, entry: &'a Routine, func: FuncId) {
        let mut todo = vec![(entry, func)];
        let mut used = BTreeSet::new();
        let mut next = 0;
        let numbers = self.ptx.taken();
        while let Some(&(routine, _)) = todo.get(next) {
            next += 1;
            let (mut wanted, is_indirect) = names(routine);
            if is_indirect {
                wanted.extend(numbers.keys());
            }
            for name in wanted {
                if let Some(callee) = self.ptx.functions.iter().find(|f| f.name == *name) {
                    let is_new = !self.known.functions.contains_key(name);
                    if callee.body.is_some() && !callee.is_kernel && is_new {
                        todo.push((callee, self.declare(callee)));
                    }
                } else {
                    used.insert(name.clone());
                }
            }
        }
        self.variables(used, &numbers);
        let unit = Unit {
            ptx: self.ptx,
            lines: self.lines,
            globals: self.known.globals.clone(),
            functions: self.known.functions.clone(),
            numbers,
        };
        for (body, func) in todo {
            let declared = self.module.func(func).clone();
            let made = routine(&unit, body, &declared);
            for (span, fault) in made.faults {
                self.tell(span, fault);
            }
            self.module.funcs[func.index()] = made.function;
        }
    }

    /// A function without its body yet.
    fn declare(&mut self, callee: &Routine) -> FuncId {
        let name = self.unique(function_name(&callee.name));
        let id = FuncId(self.module.funcs.len() as u32);
        self.module.funcs.push(FunctionBuilder::new(name, FuncKind::Device, callee.span).finish());
        self.known.functions.insert(callee.name.clone(), id);
        id
    }

    /// The name, with a number behind it if it is taken.
    fn unique(&self, name: &str) -> String {
        let is_taken = |name: &str| self.module.find(name).is_some();
        let numbered = (2..).map(|n| format!("{name}.{n}"));
        std::iter::once(name.to_owned()).chain(numbered).find(|name| !is_taken(name)).unwrap_or_default()
    }

    /// Adds variables.
    fn variables(&mut self, mut names: BTreeSet<Arc<str>>, numbers: &BTreeMap<Arc<str>, u64>) {
        while let Some(name) = names.pop_first() {
            let Some(variable) = self.ptx.variables.iter().find(|v| v.name == name) else { continue };
            let space = match variable.space {
                StateSpace::Global => Space::Global,
                StateSpace::Const => Space::Const,
                StateSpace::Shared | StateSpace::Cluster | StateSpace::Local | StateSpace::Param => continue,
            };
            // A use of one whose first value is an address is refused where it stands.
            if self.known.globals.contains_key(&name) || variable.is_extern || variable.holds_address(numbers) {
                continue;
            }
            let bytes = variable.bytes();
            if bytes > MOST_BYTES || variable.init.len() as u64 * variable.ty.bytes() > bytes {
                self.tell(variable.span, Fault::Wrong(format!("the extent of `{name}` does not fit its first value")));
                continue;
            }
            let id = GlobalId(self.module.globals.len() as u32);
            self.module.globals.push(Global {
                name: name.clone(),
                space,
                managed: variable.managed,
                bytes,
                align: variable.align,
                init: first_value(variable, numbers).map_or(GlobalInit::Zero, |bytes| GlobalInit::Bytes(bytes.into())),
                holes: Vec::new(),
                read_only: name.starts_with("$str"),
                var: None,
                span: variable.span,
            });
            self.known.globals.insert(name, id);
        }
    }

    fn tell(&mut self, span: Span, fault: Fault) {
        match fault {
            Fault::Unsupported(what) => {
                self.module.refusals.entry(span).or_insert_with(|| what.as_str().into());
                let d = Diagnostic::new(Code::UnsupportedIfReached, span, format!("{what} is not supported"));
                self.diags.push(d.note("the program stops with an error if execution reaches it"));
            }
            Fault::Wrong(what) => {
                self.diags.push(unreadable(span, &what));
            }
        }
    }
}

/// The bytes of a first value; elements without one are zero.
fn first_value(variable: &Variable, numbers: &BTreeMap<Arc<str>, u64>) -> Option<Vec<u8>> {
    if variable.init.is_empty() {
        return None;
    }
    let size = variable.ty.bytes() as usize;
    let ty = ir_type(variable.ty).unwrap_or(Ty::I64);
    let mut bytes = vec![0; variable.bytes() as usize];
    for (slot, initial) in bytes.chunks_exact_mut(size).zip(&variable.init) {
        let bits = match initial {
            Initial::Number(number) => bits_of(*number, ty),
            Initial::Address(name, _) => numbers.get(name).copied().unwrap_or(0),
        };
        let word = bits.to_le_bytes();
        let length = size.min(word.len());
        slot[..length].copy_from_slice(&word[..length]);
    }
    Some(bytes)
}

/// The names in a function that no declaration there explains, and whether it calls through a pointer.
fn names(routine: &Routine) -> (BTreeSet<&Arc<str>>, bool) {
    let mut out = BTreeSet::new();
    let mut is_indirect = false;
    for statement in routine.body.iter().flatten() {
        if let What::Instruction(instruction) = &statement.what {
            instruction.operands.iter().for_each(|operand| operand.names(&mut out));
            let is_register = |operand: &Operand| operand.name().is_some_and(|name| name.starts_with('%'));
            is_indirect |= instruction.stem() == "call" && instruction.operands.iter().any(is_register);
        }
    }
    let is_parameter = |name: &Arc<str>| routine.params.iter().any(|p: &Parameter| p.name == *name);
    out.retain(|name| !is_parameter(name));
    (out, is_indirect)
}
