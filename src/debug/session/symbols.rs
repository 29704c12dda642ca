//! What the program declares: lines, procedures, variables and types, for `info` and `ptype`.
//!
//! Not here: values (`values`), the state of the program (`info`), code (`code`).

use crate::command::parse::location;
use crate::eval::value::{Eval, Kind, fail};
use crate::process::watcher::Thread;
use crate::session::Session;
use device::Device;
use ir::{FuncId, FuncKind};
use sema::checked::{Attrs, Expr, ExprKind, ProcId, Shape, Storage, Type, TypeId, VarId};
use std::collections::BTreeMap;
use std::fmt::Write;

impl Session {
    /// The table `info line`.
    pub(crate) fn line_text(&self, text: &str) -> Eval<String> {
        let at = location(text).or_else(|e| fail(e.0))?;
        let program = self.process.machine().program();
        let found = self.sites.resolve(program, &self.setup.sources, &at, self.current_line())?;
        let file = self.setup.sources.file(found.file).map_or("", |f| f.name());
        let function = found.sites.first().map_or_else(String::new, |s| self.function_name(s.func));
        let places = match found.sites.len() {
            1 => String::new(),
            n => format!(", at {n} places in the code"),
        };
        Ok(match found.asked {
            Some(asked) => {
                format!(
                    "Line {asked} of \"{file}\" has no statement; the next one is on line {} of {function}.\n",
                    found.line
                )
            }
            None => format!("Line {} of \"{file}\" has a statement of {function}{places}.\n", found.line),
        })
    }

    /// The table `info scope`.
    pub(crate) fn scope_text(&self, text: &str) -> Eval<String> {
        let at = location(text).or_else(|e| fail(e.0))?;
        let program = self.process.machine().program();
        let found = self.sites.resolve(program, &self.setup.sources, &at, self.current_line())?;
        let Some(func) = found.sites.first().map(|s| s.func) else { return fail("No code is there.") };
        let vars = &program.module().func(func).vars;
        if vars.is_empty() {
            return Ok(format!("{} has no variables.\n", self.function_name(func)));
        }
        let mut text = format!("Variables of {}:\n", self.function_name(func));
        for v in vars {
            let dummy = if v.is_dummy { ", dummy argument" } else { "" };
            let _ = writeln!(text, "  {} :: {}{dummy}", self.declaration(VarId(v.source_id)), v.name);
        }
        Ok(text)
    }

    /// The type, shape and attributes of a variable as a declaration has them.
    fn declaration(&self, id: VarId) -> String {
        let var = self.setup.checked.var(id);
        self.declared(&var.ty, &var.shape, &var.attrs)
    }

    fn declared(&self, ty: &Type, shape: &Shape, attrs: &Attrs) -> String {
        let mut text = self.type_name(ty);
        if let Some(cuda) = attrs.cuda {
            let _ = write!(text, ", {}", format!("{cuda:?}").to_lowercase());
        }
        for (is_it, name) in [
            (attrs.allocatable, "allocatable"),
            (attrs.pointer, "pointer"),
            (attrs.value, "value"),
            (attrs.optional, "optional"),
        ] {
            if is_it {
                let _ = write!(text, ", {name}");
            }
        }
        if let Some(dims) = shape_text(shape) {
            let _ = write!(text, ", dimension({dims})");
        }
        text
    }

    fn type_name(&self, ty: &Type) -> String {
        match (Kind::of(&self.setup.checked, ty, None), ty) {
            (Ok(kind), _) => kind.name(&self.setup.checked),
            (Err(_), Type::Character(_)) => "character(*)".to_owned(),
            (Err(_), _) => "type(*)".to_owned(),
        }
    }

    /// The functions of the user whose names contain a text.
    pub(crate) fn functions(&self, text: &str) -> Vec<FuncId> {
        let module = self.process.machine().program().module();
        let all = (0..module.funcs.len()).map(|i| FuncId(i as u32));
        let fits = |f: &FuncId| {
            !self.sites.is_hidden(*f) && ir::unnumbered(&module.func(*f).name).contains(&text.to_ascii_lowercase())
        };
        all.filter(fits).collect()
    }

    /// The table `info functions`.
    pub(crate) fn functions_text(&self, filter: &str) -> String {
        let module = self.process.machine().program().module();
        let mut files: BTreeMap<String, BTreeMap<(usize, String), &'static str>> = BTreeMap::new();
        for id in self.functions(filter) {
            let func = module.func(id);
            let Some((file, line)) = self.line_of(func.span) else { continue };
            let file = self.setup.sources.file(file).map_or_else(String::new, |f| f.name().to_owned());
            let kind = match func.kind {
                FuncKind::Kernel => "kernel",
                FuncKind::Device => "device",
                FuncKind::Host => "host",
            };
            files.entry(file).or_default().insert((line, ir::unnumbered(&func.name).to_owned()), kind);
        }
        if files.is_empty() {
            return "No procedures.\n".to_owned();
        }
        let mut text = String::new();
        for (file, rows) in files {
            let _ = writeln!(text, "File {file}:");
            for ((line, name), kind) in rows {
                let _ = writeln!(text, "{line}:\t{name} ({kind})");
            }
        }
        text
    }

    /// The table `info variables`.
    pub(crate) fn variables_text(&self, filter: &str) -> String {
        let checked = &self.setup.checked;
        let filter = filter.to_ascii_lowercase();
        let mut rows: Vec<String> = Vec::new();
        for (i, var) in checked.vars.iter().enumerate() {
            let is_static = matches!(var.storage, Storage::Static) && !self.sites.hidden().has_span(var.span);
            if !is_static || !var.name.contains(&filter) {
                continue;
            }
            let owner = var.module.as_deref().map(|m| format!("{m}::"));
            let owner = owner.or(var.owner.map(|p| format!("{}::", checked.proc(p).name))).unwrap_or_default();
            rows.push(format!("{} :: {owner}{}\n", self.declaration(VarId(i as u32)), var.name));
        }
        rows.sort();
        if rows.is_empty() { "No static variables.\n".to_owned() } else { rows.concat() }
    }

    /// The table `info types`.
    pub(crate) fn types_text(&self, filter: &str) -> String {
        let filter = filter.to_ascii_lowercase();
        let fits = |t: &&sema::checked::DerivedType| !self.sites.hidden().has_span(t.span) && t.name.contains(&filter);
        let rows = self.setup.checked.types.iter().filter(fits).map(|t| {
            let line = self.line_of(t.span).map_or(0, |l| l.1);
            format!("{line}:\ttype({}), {} bytes\n", t.name, t.bytes)
        });
        let text: String = rows.collect();
        if text.is_empty() { "No derived types.\n".to_owned() } else { text }
    }

    /// What device code knows of its thread.
    pub(crate) fn registers(&self) -> Eval<Vec<(&'static str, String)>> {
        let Thread::Device { launch, block, warp, lane } = self.focus else {
            return fail("The focus is on the host; device threads have `threadidx` and the like.");
        };
        let Some(at) = self.process.block(launch, block) else { return fail("The focused block has ended.") };
        let (index, thread) = crate::session::focus::coordinates(at, warp, lane);
        let triple = |[x, y, z]: [u32; 3]| format!("({x}, {y}, {z})");
        Ok(vec![
            ("threadidx", triple(thread)),
            ("blockidx", triple(index)),
            ("blockdim", triple(at.geometry.block)),
            ("griddim", triple(at.geometry.grid)),
            ("warpsize", "32".to_owned()),
            ("warp", warp.to_string()),
            ("lane", lane.to_string()),
        ])
    }

    /// The table `info registers`.
    pub(crate) fn registers_text(&self) -> Eval<String> {
        let rows = self.registers()?;
        let rows: Vec<String> = rows.iter().map(|(name, value)| format!("{name:<10} {value}\n")).collect();
        Ok(rows.concat())
    }

    /// The table `info devices`.
    pub(crate) fn devices_text(&self) -> String {
        let mut text = String::new();
        for (i, device) in self.process.machine().devices().iter().enumerate() {
            let Some(emulator) = device.emulator() else { continue };
            let p = emulator.properties();
            let _ = writeln!(
                text,
                "Device {i}: {}, compute capability {}.{}, {} multiprocessors, {} MiB",
                p.name,
                p.sm / 10,
                p.sm % 10,
                p.multiprocessors,
                p.total_global_mem >> 20
            );
        }
        text
    }

    /// `ptype` of a derived type or a procedure by its name; `None` if there is none.
    pub(crate) fn declared_name(&self, text: &str) -> Option<String> {
        let lower = text.trim().to_ascii_lowercase();
        let inner =
            ["type(", "class("].iter().find_map(|p| lower.strip_prefix(p)?.strip_suffix(')')).unwrap_or(&lower).trim();
        let checked = &self.setup.checked;
        if let Some(i) = checked.types.iter().rposition(|t| &*t.name == inner) {
            return Some(self.components(TypeId(i as u32)));
        }
        let is_it = |p: &sema::checked::Procedure| {
            (&*p.name == inner || *p.qualified == *inner.replace("::", ".")) && !self.sites.hidden().has_span(p.span)
        };
        let id = ProcId(checked.procs.iter().position(is_it)? as u32);
        let proc = checked.proc(id);
        let names: Vec<&str> = proc.params.iter().map(|p| &*checked.var(*p).name).collect();
        let what = if proc.result.is_some() { "function" } else { "subroutine" };
        let mut text = format!("{what} {}({})\n", proc.name, names.join(", "));
        for id in &proc.params {
            let _ = writeln!(text, "  {} :: {}", self.declaration(*id), checked.var(*id).name);
        }
        if let Some(result) = proc.result {
            let _ = writeln!(text, "  {} :: result", self.declaration(result));
        }
        Some(text)
    }

    /// A derived type with its components.
    pub(crate) fn components(&self, id: TypeId) -> String {
        let def = self.setup.checked.ty(id);
        let mut text = format!("type {}\n", def.name);
        for field in &def.fields {
            let (allocatable, pointer, cuda) = (field.is_allocatable(), field.pointer, field.cuda);
            let attrs = Attrs { allocatable, pointer, cuda, ..Attrs::default() };
            let declared = self.declared(&field.ty, &field.shape, &attrs);
            let _ = writeln!(text, "  {declared}{} :: {}", if field.is_parameter { ", len" } else { "" }, field.name);
        }
        let _ = writeln!(text, "end type {}", def.name);
        text
    }
}

/// The dimensions of a shape; those that are no constants are colons.
fn shape_text(shape: &Shape) -> Option<String> {
    let constant = |e: &Expr| match &e.kind {
        ExprKind::Const(sema::checked::Const::Int(n)) => Some(*n),
        _ => None,
    };
    let dim = |d: &sema::checked::Dim| match (constant(&d.lower), constant(&d.upper)) {
        (Some(1), Some(hi)) => hi.to_string(),
        (Some(lo), Some(hi)) => format!("{lo}:{hi}"),
        _ => ":".to_owned(),
    };
    let dims: Vec<String> = match shape {
        Shape::Scalar | Shape::AssumedRank => return None,
        Shape::Explicit(dims) => dims.iter().map(dim).collect(),
        Shape::AssumedSize(dims, _) => dims.iter().map(dim).chain(["*".to_owned()]).collect(),
        Shape::AssumedShape(lower) => vec![":".to_owned(); lower.len()],
        Shape::Deferred(rank) => vec![":".to_owned(); usize::from(*rank)],
    };
    Some(dims.join(","))
}
