//! Valid programs have no findings under the checks of bounds and of values that nothing has set, and print the same. A program that
//! really uses what nothing has set says so by a head line `! checked: CODE`. Programs that choose their checks themselves are
//! left out, and those with files of C.

use crate::annotated::{Program, programs, read, root};
use crate::trial;
use crate::ui::{needs_compiler, run};
use libtest_mimic::Trial;

/// What these checks do not follow: memory of C code.
const NOT_FOLLOWED: &str = "R0901";

pub(crate) fn trials() -> Vec<Trial> {
    let one = |program: Program| trial(format!("checked/ui/{}", program.name), move || check(&program));
    programs("tests/ui/pass").into_iter().map(one).collect()
}

fn check(program: &Program) -> Vec<String> {
    let expected = read(program);
    if needs_compiler(program) || expected.options.iter().any(|option| option.starts_with("--check")) {
        return Vec::new();
    }
    let output = run(program, &expected, "short", &["--check", "bounds,init"]);
    let said = String::from_utf8_lossy(&output.stderr);
    let allowed = expected.notes.get("checked").map_or("", String::as_str);
    let is_found = |line: &&str| ["[R02", "[R03", "[R08"].iter().any(|code| line.contains(code));
    let wrong: Vec<String> = said
        .lines()
        .filter(is_found)
        .filter(|line| allowed.is_empty() || !line.contains(allowed))
        .map(str::to_owned)
        .collect();
    let printed = std::fs::read(root().join(program.path.with_extension("stdout"))).unwrap_or_default();
    if wrong.is_empty() && output.stdout != printed && !said.contains(NOT_FOLLOWED) {
        return vec![format!("other output under the checks\n{}{said}", String::from_utf8_lossy(&output.stdout))];
    }
    wrong
}
