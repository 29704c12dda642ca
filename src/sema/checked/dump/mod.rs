//! The text of a checked program, for tests: pseudo-Fortran with every conversion written out.
//!
//! Modules of the embedded sources and what belongs to them are left out. A conversion is `integer(8)<x>`, a variable
//! is its name, a procedure its qualified name; spans are left out.

mod expr;
mod stmt;

use super::{ProcBody, ProcId, ProcKind, Procedure, Program, Storage, VarId, Variable};
use expr::constant;
use std::fmt::Write as _;

/// The program as text.
pub fn dump(program: &Program) -> String {
    let mut d = Dump { p: program, out: String::new(), depth: 0 };
    let is_embedded = |name: &str| program.modules.iter().any(|m| m.embedded && &*m.name == name);
    for m in program.modules.iter().filter(|m| !m.embedded) {
        d.line(&format!("module {}", m.name));
        d.depth += 1;
        for v in program.vars.iter().filter(|v| v.owner.is_none() && v.module.as_ref() == Some(&m.name)) {
            d.variable(v);
        }
        d.depth -= 1;
    }
    for t in &program.types {
        if t.span.is_none()
            || t.fields.is_empty()
            || program.modules.iter().any(|m| m.embedded && m.scope.names.contains_key(&t.name))
        {
            continue;
        }
        d.line(&format!("type {} bytes={} align={}", t.name, t.bytes, t.align));
        d.depth += 1;
        for f in &t.fields {
            let mut text = format!("{} :: {}{} @{}", d.ty(&f.ty), f.name, d.shape(&f.shape), f.offset);
            if f.allocatable {
                text += " allocatable";
            }
            if f.pointer {
                text += " pointer";
            }
            if let Some(c) = f.cuda {
                let _ = write!(text, " {}", format!("{c:?}").to_lowercase());
            }
            if let Some(c) = &f.init {
                let _ = write!(text, " = {}", constant(c));
            }
            d.line(&text);
        }
        d.depth -= 1;
    }
    for (i, p) in program.procs.iter().enumerate() {
        let module = p.qualified.split('.').next().unwrap_or("");
        if is_embedded(module) || matches!(p.body, ProcBody::Service(_)) {
            continue;
        }
        d.procedure(ProcId(i as u32), p);
    }
    d.out
}

struct Dump<'p> {
    p: &'p Program,
    out: String,
    depth: usize,
}

impl Dump<'_> {
    fn line(&mut self, text: &str) {
        for _ in 0..self.depth {
            self.out.push_str("  ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn name(&self, id: VarId) -> &str {
        &self.p.var(id).name
    }

    fn procedure(&mut self, id: ProcId, p: &Procedure) {
        let kind = match p.kind {
            ProcKind::Host => "host",
            ProcKind::Kernel => "kernel",
            ProcKind::Device => "device",
            ProcKind::HostDevice => "host device",
        };
        let word = if p.is_function { "function" } else { "subroutine" };
        let word = if self.p.main == Some(id) { "program" } else { word };
        let mut text = format!("{kind} {word} {}", p.qualified);
        let params: Vec<&str> = p.params.iter().map(|v| self.name(*v)).collect();
        if self.p.main != Some(id) {
            let _ = write!(text, "({})", params.join(", "));
        }
        if let Some(r) = p.result {
            let _ = write!(text, " result({})", self.name(r));
        }
        for (on, word) in
            [(p.elemental, "elemental"), (p.pure, "pure"), (p.recursive, "recursive"), (p.cooperative, "cooperative")]
        {
            if on {
                let _ = write!(text, " {word}");
            }
        }
        if let Some(n) = p.max_threads {
            let _ = write!(text, " max_threads={n}");
        }
        if let Some([x, y, z]) = p.cluster {
            let _ = write!(text, " cluster=({x},{y},{z})");
        }
        self.line(&text);
        self.depth += 1;
        for v in &p.vars {
            self.variable(self.p.var(*v));
        }
        match &p.body {
            ProcBody::Statements(body) => self.block(body),
            ProcBody::Service(name) => self.line(&format!("service {name}")),
            ProcBody::Dispatch { ty, name, object, nopass } => {
                let word = if *nopass { " nopass" } else { "" };
                self.line(&format!("dispatch type({})%{name} by argument {object}{word}", self.p.ty(*ty).name));
            }
            ProcBody::Pointer => self.line("through a pointer"),
            ProcBody::Foreign { symbol, .. } => self.line(&format!("foreign {symbol}")),
            ProcBody::Missing => self.line("missing"),
        }
        self.depth -= 1;
    }

    fn variable(&mut self, v: &Variable) {
        let storage = match &v.storage {
            Storage::Dummy(i) => format!("dummy {i}"),
            Storage::Result => "result".into(),
            Storage::Local => "local".into(),
            Storage::Static => "static".into(),
            Storage::Parameter => "parameter".into(),
            Storage::Alias(e) => format!("alias {}", self.expr(e)),
            Storage::Procedure => "procedure".into(),
            Storage::Pointee(p) => format!("pointee of {}", self.name(*p)),
            Storage::Associated { base, offset } => format!("byte {offset} of {}", self.name(*base)),
        };
        let mut text = format!("{} {}{} [{storage}]", self.ty(&v.ty), v.name, self.shape(&v.shape));
        if let Some(c) = v.attrs.cuda {
            let _ = write!(text, " {}", format!("{c:?}").to_lowercase());
        }
        let a = &v.attrs;
        for (on, word) in [
            (a.allocatable, "allocatable"),
            (a.pointer, "pointer"),
            (a.target, "target"),
            (a.value, "value"),
            (a.optional, "optional"),
        ] {
            if on {
                let _ = write!(text, " {word}");
            }
        }
        if let Some(i) = a.intent {
            let _ = write!(text, " intent({})", format!("{i:?}").to_lowercase());
        }
        if let Some(c) = &v.init {
            let _ = write!(text, " = {}", constant(c));
        }
        self.line(&text);
    }
}
