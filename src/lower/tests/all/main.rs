//! Lowering of small programs from source text: the IR is valid, and reads as expected where that matters.

mod device;
mod host;
mod refused;

use cufemu_lower::LowerOptions;
use diag::Diagnostics;
use ir::{FuncKind, Function, InstKind, Module};
use parse::ParseOptions;
use sema::SemaOptions;
use source::SourceMap;

/// The module of a program, which must be valid.
fn module_with(text: &str, options: LowerOptions) -> Module {
    let mut map = SourceMap::new();
    let file = map.add("test.cuf", text);
    let mut diags = Diagnostics::new();
    let parsed = parse::parse(&mut map, &[file], &ParseOptions::default(), &mut |_, _| None, &mut diags);
    let program = sema::check(&parsed.program, &SemaOptions::default(), &mut diags);
    let said: Vec<String> = diags.iter().map(|d| diag::short(d, &map)).collect();
    let program = program.unwrap_or_else(|| panic!("{}", said.join("\n")));
    let module = cufemu_lower::lower(&program, &options, &map);
    let errors: Vec<String> = ir::verify::module(&module).iter().map(ToString::to_string).collect();
    assert!(errors.is_empty(), "{}\n{}", errors.join("\n"), ir::print::module(&module, false));
    module
}

fn module(text: &str) -> Module {
    module_with(text, LowerOptions::default())
}

/// The function of that name.
fn function<'m>(module: &'m Module, name: &str) -> &'m Function {
    let id = module.find(name).unwrap_or_else(|| panic!("there is no function `{name}`"));
    module.func(id)
}

/// The IR text of one function, without its tables.
fn code(module: &Module, name: &str) -> String {
    let text = ir::print::module(module, false);
    let kind = match function(module, name).kind {
        FuncKind::Host => "host",
        FuncKind::Kernel => "kernel",
        FuncKind::Device => "device",
    };
    let start = text.find(&format!("\n{kind} @{name}(")).expect("the function is in the text") + 1;
    let body = &text[start..];
    let end = body.find("\n}").expect("the function ends");
    let is_code = |l: &&str| !["reg ", "var "].iter().any(|table| l.trim_start().starts_with(table));
    body[..end].lines().filter(is_code).flat_map(|l| [l, "\n"]).collect()
}

/// How many instructions of a function are of a kind.
fn count(f: &Function, is: impl Fn(&InstKind) -> bool) -> usize {
    f.blocks.iter().flat_map(|b| &b.insts).filter(|i| is(&i.kind)).count()
}
