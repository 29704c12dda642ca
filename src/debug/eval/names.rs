//! Names that only the debugger knows, in the text of an expression: `$1`, `$`, `$$2` and `$count` for kept values,
//! `module::name` and `procedure::name` for a variable that is not in scope, and `0x1f` for an integer.
//!
//! Not here: what the names mean (`session::kept`), and Fortran (`parse`).

use sema::checked::{Program, Storage, VarId, Variable};

/// A name found in an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Mentioned {
    /// A kept value, with its dollar sign.
    Kept(String),
    /// A variable of a module or a procedure.
    OfModule {
        /// The module or procedure.
        module: String,
        /// The variable.
        name: String,
        /// What stands for it in the rewritten text.
        here: String,
    },
}

/// The predefined variables of device code that have components.
const PREDEFINED: [&str; 4] = ["threadidx", "blockidx", "blockdim", "griddim"];

/// Whether a character is part of a name.
fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

/// The text with names that the parser can read, and those names.
pub(crate) fn scan(text: &str) -> (String, Vec<Mentioned>) {
    let mut out = String::with_capacity(text.len());
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let end = match c {
            '\'' | '"' => rest[1..].find(c).map_or(rest.len(), |i| i + 2),
            c if is_of_name(c) => rest.find(|c| !is_of_name(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        let (word, after) = rest.split_at(end);
        rest = after;
        let lower = word.to_ascii_lowercase();
        if c == '$' {
            found.push(Mentioned::Kept(lower.clone()));
            out.push_str(&lower);
        } else if let Some(digits) = lower.strip_prefix("0x").filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()))
            && !digits.is_empty()
        {
            out.push_str(&format!("int(z'{digits}', 8)"));
        } else if PREDEFINED.contains(&lower.as_str()) && [".x", ".y", ".z"].iter().any(|c| rest.starts_with(c)) {
            // As C has it.
            out.push_str(word);
            out.push('%');
            rest = &rest[1..];
        } else if let Some(member) = rest.strip_prefix("::").filter(|_| c.is_ascii_alphabetic())
            && member.starts_with(|c: char| c.is_ascii_alphabetic())
        {
            let end = member.find(|c| !is_of_name(c)).unwrap_or(member.len());
            let name = member[..end].to_ascii_lowercase();
            let here = format!("{lower}${name}");
            out.push_str(&here);
            found.push(Mentioned::OfModule { module: lower, name, here });
            rest = &member[end..];
        } else {
            out.push_str(word);
        }
    }
    found.dedup();
    (out, found)
}

/// The variable of that name in a module, or the static one in a procedure.
pub(crate) fn of_module(program: &Program, module: &str, name: &str) -> Option<VarId> {
    let is_of_procedure = |v: &Variable| {
        matches!(v.storage, Storage::Static) && v.owner.is_some_and(|p| &*program.proc(p).name == module)
    };
    let is_it = |v: &Variable| &*v.name == name && (v.module.as_deref() == Some(module) || is_of_procedure(v));
    program.vars.iter().position(is_it).map(|i| VarId(i as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_debugger_are_found_outside_of_literals() {
        let kept = |name: &str| Mentioned::Kept(name.to_owned());
        assert_eq!(scan("$1 + $Count*2"), ("$1 + $count*2".to_owned(), vec![kept("$1"), kept("$count")]));
        assert_eq!(scan("'$1' // \"a::b\""), ("'$1' // \"a::b\"".to_owned(), Vec::new()));
        assert_eq!(scan("0x1F + z'ff'").0, "int(z'1f', 8) + z'ff'");
        let (text, found) = scan("m::x(2:3)");
        assert_eq!(text, "m$x(2:3)");
        assert_eq!(found, [Mentioned::OfModule { module: "m".into(), name: "x".into(), here: "m$x".into() }]);
        assert_eq!(scan("threadIdx.x + a.x").0, "threadIdx%x + a.x");
        assert_eq!(scan("é$").0, "é$");
    }
}
