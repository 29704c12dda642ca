//! Names of the IR as PTX identifiers (PTX ISA 4.4: letters, digits, `_`, `$`).
//!
//! Two functions or variables of a module never get the same identifier, and the identifier follows from the module alone. A
//! point becomes `$`. Only names made here contain `$$`: those of variables, of helpers, and of functions whose name contains
//! anything but lower-case letters, digits, underscores and single points.

use ir::{FuncId, GlobalId, Module, SharedId};

/// Where dynamic shared memory starts.
pub(super) const DYNAMIC_SHARED: &str = "cufemu$$dynamic";

/// The identifier of a function.
pub fn func_symbol(module: &Module, id: FuncId) -> String {
    let name = module.funcs.get(id.index()).map_or("", |f| &f.name);
    if is_regular(name) { name.replace('.', "$") } else { format!("{}$$f{}", cleaned(name), id.0) }
}

/// The identifier of a static shared variable; with an owner, it differs from that of every other function.
pub(super) fn shared_symbol(owner: Option<FuncId>, id: SharedId) -> String {
    owner.map_or_else(|| format!("shared{}", id.0), |owner| format!("shared{}_{}", owner.0, id.0))
}

/// The identifier of a global variable.
pub fn global_symbol(module: &Module, id: GlobalId) -> String {
    let name = module.globals.get(id.index()).map_or("", |g| &g.name);
    format!("{}$$v{}", cleaned(name), id.0)
}

fn is_regular(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && !name.ends_with('.')
        && !name.contains("..")
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '.')
}

/// The name with `$` for points and `_` for what PTX does not take; what begins with a digit gets a letter before it.
fn cleaned(name: &str) -> String {
    let start = if name.starts_with(|c: char| c.is_ascii_alphabetic()) { "" } else { "v" };
    let rest = name.chars().map(|c| match c {
        '.' => '$',
        c if c.is_ascii_alphanumeric() || c == '_' => c,
        _ => '_',
    });
    start.chars().chain(rest).collect::<String>().replace("$$", "$_")
}

#[cfg(test)]
mod tests {
    use super::{cleaned, is_regular};

    #[test]
    fn fortran_names_are_regular_and_made_names_are_cleaned() {
        assert!(is_regular("m.saxpy_2"));
        assert!(!is_regular("m..x") && !is_regular("2x") && !is_regular("") && !is_regular("a$b") && !is_regular("A"));
        assert_eq!(cleaned("m.x"), "m$x");
        assert_eq!(cleaned(".str 0"), "v$str_0");
        assert_eq!(cleaned("a..b"), "a$_b");
    }
}
