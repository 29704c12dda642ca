//! Lines a second that the front end reads: prescan, parser and rules, without lowering.
//!
//! `cargo bench -p cufemu-compile --bench front_end -- PATH…` takes Fortran sources, and folders that it searches for them; a
//! number stands for a generated program of about so many lines. Each file is a program of its own; a file with errors, such as
//! one whose module is in another file, is left out. Only the lines of the files count. The time includes what is read of the
//! embedded modules that a file uses. The best of five runs of each file counts.

#![allow(clippy::print_stdout)] // What it prints is what it is for.

use compile::Options;
use diag::Diagnostics;
use source::SourceMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const ROUNDS: usize = 5;

/// What one file, or several, took.
#[derive(Clone, Copy, Default)]
struct Cost {
    lines: usize,
    parse: Duration,
    check: Duration,
}

/// Adds the Fortran sources below a path.
fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if let Ok(entries) = std::fs::read_dir(path) {
        let mut inner: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
        inner.sort();
        inner.iter().for_each(|p| collect(p, files));
    } else if path.extension().is_some_and(|e| ["cuf", "f90"].contains(&e.to_string_lossy().to_lowercase().as_str())) {
        files.push(path.to_owned());
    }
}

/// A program of kernels and of host procedures that launch them, each with its own USE statements.
fn made_up(lines: usize) -> String {
    let mut text = String::from("module steps\n  implicit none\ncontains\n");
    let mut procedures = 0;
    while procedures * 24 < lines {
        procedures += 1;
        text += &format!(
            "
  attributes(global) subroutine advance{procedures}(u, v, n, factor)
    real(8), intent(inout) :: u(n)
    real(8), intent(in) :: v(n)
    integer, value :: n
    real(8), value :: factor
    integer :: i ! The element of this thread.
    i = (blockidx%x - 1) * blockdim%x + threadidx%x
    if (i > 1 .and. i < n) then
      u(i) = u(i) + factor * (v(i - 1) - 2.0d0 * v(i) + v(i + 1)) / max(abs(v(i)), 1.0d-6)
    end if
  end subroutine

  subroutine step{procedures}(u_d, v_d, n, status)
    use cudafor
    use iso_c_binding
    integer, intent(in) :: n
    real(8), device :: u_d(n), v_d(n)
    integer, intent(out) :: status
    call advance{procedures}<<<(n + 255) / 256, 256>>>(u_d, v_d, n, {procedures}.5d-3)
    status = cudadevicesynchronize()
    if (status /= cudasuccess) print *, 'step {procedures}: ', trim(cudageterrorstring(status))
  end subroutine
"
        );
    }
    text + "end module\n"
}

/// Parses and checks one file; `None` if it has errors.
fn measure(path: &Path, text: &str) -> Option<Cost> {
    let mut options = Options::default();
    options.sema.needs_main = false;
    let (mut map, mut diags) = (SourceMap::new(), Diagnostics::new());
    let file = map.add(path.to_string_lossy(), text);
    let mut include = |name: &str, asking: &str| {
        let found = Path::new(asking).parent()?.join(name);
        Some((found.to_string_lossy().into_owned(), std::fs::read_to_string(&found).ok()?))
    };
    let before = Instant::now();
    let parsed = compile::parse(&mut map, &[file], &options.parse, &mut include, &mut diags);
    let between = Instant::now();
    let is_whole = !diags.has_errors();
    let checked = compile::check(parsed, &options, &mut map, &mut diags);
    let after = Instant::now();
    checked.filter(|_| is_whole)?;
    Some(Cost { lines: text.lines().count(), parse: between - before, check: after - between })
}

fn main() {
    let mut files = Vec::new();
    let mut sources: Vec<(PathBuf, String)> = Vec::new();
    for argument in std::env::args().skip(1).filter(|a| !a.starts_with('-')) {
        match argument.parse() {
            Ok(lines) => sources.push(("made_up.cuf".into(), made_up(lines))),
            Err(_) => collect(Path::new(&argument), &mut files),
        }
    }
    sources.extend(files.into_iter().filter_map(|f| Some((f.clone(), std::fs::read_to_string(&f).ok()?))));
    let (mut total, mut valid) = (Cost::default(), 0);
    for (path, text) in &sources {
        let costs: Vec<Cost> = (0..ROUNDS).map_while(|_| measure(path, text)).collect();
        let Some(best) = costs.into_iter().min_by_key(|c| c.parse + c.check) else { continue };
        valid += 1;
        total.lines += best.lines;
        total.parse += best.parse;
        total.check += best.check;
    }
    let (parse, check) = (total.parse.as_secs_f64(), total.check.as_secs_f64());
    println!(
        "{valid} of {} files have no errors: {} lines; parser {parse:.3} s, modules and rules {check:.3} s; {:.0} lines/s",
        sources.len(),
        total.lines,
        total.lines as f64 / (parse + check)
    );
}
