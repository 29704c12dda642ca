//! Statements and procedures: which lines have code, and the code of a source location.
//!
//! Code of embedded modules is hidden: execution never stops in it, and its statements do not count as time.

use crate::command::Where;
use crate::eval::value::{Eval, fail};
use ir::{FuncId, FuncKind, InstKind};
use sema::checked::{self, ProcId};
use source::{FileId, SourceMap, Span};
use std::collections::BTreeMap;
use std::sync::Arc;
use vm::{Program, Site};

/// A statement of a function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StatementSite {
    pub(crate) site: Site,
    pub(crate) span: Span,
}

/// Functions and files of embedded modules, in which execution never stops. (Their code may be inlined elsewhere.)
#[derive(Clone, Default, Debug)]
pub(crate) struct Hidden {
    funcs: Vec<bool>,
    files: Vec<bool>,
}

impl Hidden {
    /// Nothing hidden, in a program of this many functions and files.
    #[cfg(test)]
    pub(crate) fn nothing(funcs: usize, files: usize) -> Hidden {
        Hidden { funcs: vec![false; funcs], files: vec![false; files] }
    }

    /// Whether a function is hidden.
    pub(crate) fn has_func(&self, func: FuncId) -> bool {
        self.funcs.get(func.index()).copied().unwrap_or(true)
    }

    /// Whether a place is hidden, or no place at all.
    pub(crate) fn has_span(&self, span: Span) -> bool {
        self.files.get(span.file.0 as usize).copied().unwrap_or(true)
    }
}

/// All statements of a program.
#[derive(Clone, Debug)]
pub(crate) struct Sites {
    by_line: BTreeMap<(FileId, usize), Vec<StatementSite>>,
    hidden: Arc<Hidden>,
    procs: Vec<Option<ProcId>>,
    /// The first statement of each function.
    firsts: Vec<Option<u32>>,
    barriers: Vec<Site>,
}

/// The code of a source location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Resolved {
    /// Places in the code.
    pub(crate) sites: Vec<Site>,
    /// The file.
    pub(crate) file: FileId,
    /// The line.
    pub(crate) line: usize,
    /// The requested line, if it has no statement.
    pub(crate) asked: Option<usize>,
}

impl Sites {
    /// The statements of a program.
    pub(crate) fn new(program: &Program, checked: &checked::Program, map: &SourceMap) -> Sites {
        let mut by_line: BTreeMap<(FileId, usize), Vec<StatementSite>> = BTreeMap::new();
        let files = map.files().map(|(_, f)| f.name().starts_with('<')).collect();
        let mut hidden = Hidden { funcs: Vec::new(), files };
        let mut procs = Vec::new();
        let mut firsts = Vec::new();
        let mut barriers = Vec::new();
        for (i, of) in program.module().funcs.iter().enumerate() {
            let func = FuncId(i as u32);
            hidden.funcs.push(hidden.has_span(of.span));
            procs.push(proc_of(checked, &of.name));
            let mut statement = None;
            let mut first = None;
            for site in program.sites(func) {
                let (span, kind) = (program.span(site), program.instruction(site));
                if matches!(kind, Some(InstKind::Stmt)) && !hidden.has_span(span) && !hidden.has_func(func) {
                    let line = map.file(span.file).map_or(0, |f| f.line_of(span.start));
                    by_line.entry((span.file, line)).or_default().push(StatementSite { site, span });
                    statement = Some(site);
                    first = first.or(Some(site.pc));
                }
                if matches!(kind, Some(InstKind::Barrier { .. }))
                    && let Some(site) = statement.take()
                {
                    barriers.push(site);
                }
            }
            firsts.push(first);
        }
        Sites { by_line, hidden: Arc::new(hidden), procs, firsts, barriers }
    }

    /// The place of a thread for the user: the first statement, while the function is still before it.
    pub(crate) fn standing(&self, site: Site) -> Site {
        let first = self.firsts.get(site.func.index()).copied().flatten();
        Site { pc: first.map_or(site.pc, |first| site.pc.max(first)), ..site }
    }

    /// Whether execution never stops in a function.
    pub(crate) fn is_hidden(&self, func: FuncId) -> bool {
        self.hidden.has_func(func)
    }

    /// The hidden code.
    pub(crate) fn hidden(&self) -> Arc<Hidden> {
        self.hidden.clone()
    }

    /// The procedure that a function was made from.
    pub(crate) fn proc(&self, func: FuncId) -> Option<ProcId> {
        self.procs.get(func.index()).copied().flatten()
    }

    /// The statements that wait at a barrier of the block.
    pub(crate) fn barriers(&self) -> &[Site] {
        &self.barriers
    }

    /// The statements of a function on later lines of a file.
    pub(crate) fn after(&self, file: FileId, line: usize, func: FuncId) -> Vec<Site> {
        let lines = self.by_line.range((file, line + 1)..=(file, usize::MAX)).flat_map(|(_, sites)| sites);
        lines.map(|s| s.site).filter(|s| s.func == func).collect()
    }

    /// The innermost statement of a function that contains a place.
    pub(crate) fn statement_around(&self, func: FuncId, place: Span) -> Option<Span> {
        let all = self.by_line.range((place.file, 0)..=(place.file, usize::MAX)).flat_map(|(_, sites)| sites);
        let around = |s: &&StatementSite| {
            s.site.func == func && s.span.start <= place.start && place.end <= s.span.end && s.span.file == place.file
        };
        all.filter(around).map(|s| s.span).min_by_key(|s| s.end - s.start)
    }

    /// Whether a statement that begins on a line is not the only one there.
    pub(crate) fn shares_line(&self, file: FileId, line: usize, span: Span) -> bool {
        let all = self.by_line.get(&(file, line)).map_or(&[][..], Vec::as_slice);
        all.iter().any(|s| s.span == span) && all.iter().any(|s| s.span.start != span.start)
    }

    /// Whether a statement begins on a line.
    pub(crate) fn has_statement(&self, file: FileId, line: usize) -> bool {
        self.by_line.contains_key(&(file, line))
    }

    /// The code of a source location; `here` is the file in focus and its current line.
    pub(crate) fn resolve(
        &self,
        program: &Program,
        map: &SourceMap,
        at: &Where,
        here: Option<(FileId, usize)>,
    ) -> Eval<Resolved> {
        match at {
            Where::Here => match here {
                Some((file, line)) => self.line(map, file, line),
                None => fail("No default breakpoint location: the program is not being run."),
            },
            Where::Offset(by) => match here {
                Some((file, line)) => self.line(map, file, line.saturating_add_signed(*by as isize).max(1)),
                None => fail("No default breakpoint location: the program is not being run."),
            },
            Where::Line(line) => match here.map(|h| h.0).or_else(|| self.by_line.keys().next().map(|k| k.0)) {
                Some(file) => self.line(map, file, *line),
                None => fail("The program has no statements."),
            },
            Where::FileLine(name, line) => self.line(map, find_file(map, name)?, *line),
            Where::Name(name) => self.named(program, map, name),
        }
    }

    fn line(&self, map: &SourceMap, file: FileId, line: usize) -> Eval<Resolved> {
        let next = self.by_line.range((file, line)..).next().filter(|((f, _), _)| *f == file);
        let Some((&(_, found), all)) = next else {
            let name = map.file(file).map_or("", |f| f.name());
            return fail(format!("No statement at or after line {line} in file \"{name}\"."));
        };
        // On a line with several statements, take all code of the first one.
        let first = all.iter().map(|s| s.span.start).min().unwrap_or(0);
        let sites = all.iter().filter(|s| s.span.start == first).map(|s| s.site).collect();
        Ok(Resolved { sites, file, line: found, asked: (found != line).then_some(line) })
    }

    /// The first statements of the procedures of that name, qualified or not.
    fn named(&self, program: &Program, map: &SourceMap, name: &str) -> Eval<Resolved> {
        let mut found: Option<Resolved> = None;
        for (i, func) in program.module().funcs.iter().enumerate() {
            let qualified = ir::unnumbered(&func.name);
            let fits = qualified == name || func.short_name() == name;
            if !fits || self.hidden.has_func(FuncId(i as u32)) {
                continue;
            }
            let Some(pc) = self.firsts[i] else { continue };
            let site = Site { func: FuncId(i as u32), pc };
            let span = program.span(site);
            let line = || map.file(span.file).map_or(0, |f| f.line_of(span.start));
            let first = || Resolved { sites: Vec::new(), file: span.file, line: line(), asked: None };
            found.get_or_insert_with(first).sites.push(site);
        }
        match found {
            Some(resolved) => Ok(resolved),
            None => fail(self.unknown(program, name)),
        }
    }

    fn unknown(&self, program: &Program, name: &str) -> String {
        let names = self.procedures(program);
        match diag::nearest_name(name, names.iter().map(String::as_str)) {
            Some(near) => format!("Procedure \"{name}\" is not defined; did you mean \"{near}\"?"),
            None => format!("Procedure \"{name}\" is not defined."),
        }
    }

    /// The first and the last line with a statement of each procedure.
    pub(crate) fn extents(&self) -> BTreeMap<FuncId, (FileId, usize, usize)> {
        let mut all = BTreeMap::new();
        for ((file, line), statements) in &self.by_line {
            for statement in statements {
                // Lines come in order.
                all.entry(statement.site.func).or_insert((*file, *line, *line)).2 = *line;
            }
        }
        all
    }

    /// Names of all procedures in which execution can stop, sorted.
    pub(crate) fn procedures(&self, program: &Program) -> Vec<String> {
        let funcs = program.module().funcs.iter().zip(&self.hidden.funcs).filter(|(_, hidden)| !**hidden);
        let mut names: Vec<String> = funcs.map(|(f, _)| f.short_name().to_owned()).collect();
        names.sort();
        names.dedup();
        names
    }
}

/// The file of that name or path ending.
pub(crate) fn find_file(map: &SourceMap, name: &str) -> Eval<FileId> {
    let ends = |full: &str| full.strip_suffix(name).is_some_and(|head| head.is_empty() || head.ends_with(['/', '\\']));
    let files = || map.files().filter(|(_, f)| !f.name().starts_with('<'));
    match files().find(|(_, f)| f.name() == name).or_else(|| files().find(|(_, f)| ends(f.name()))) {
        Some((id, _)) => Ok(id),
        None => fail(format!("No source file named {name}.")),
    }
}

/// The procedure that a function was made from: that of its name, or the one that the name begins with.
fn proc_of(checked: &checked::Program, name: &str) -> Option<ProcId> {
    let mut name = name;
    loop {
        if let Some(i) = checked.procs.iter().position(|p| &*p.qualified == name) {
            return Some(ProcId(i as u32));
        }
        name = name.rsplit_once('.')?.0;
    }
}

/// Whether a function is a kernel.
pub(crate) fn is_kernel(program: &Program, func: FuncId) -> bool {
    program.module().func(func).kind == FuncKind::Kernel
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_name_or_path_ending() {
        let mut map = SourceMap::new();
        let id = map.add("dir/a.cuf", "x");
        assert_eq!(find_file(&map, "a.cuf"), Ok(id));
        assert!(find_file(&map, ".cuf").is_err());
        assert!(find_file(&map, "b.cuf").is_err());
    }
}
