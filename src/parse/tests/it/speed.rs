//! How fast parsing is. Run with `cargo test --release -p cufemu-parse -- --ignored --nocapture speed`.

use cufemu_parse::{ParseOptions, parse};
use diag::Diagnostics;
use source::SourceMap;
use std::path::{Path, PathBuf};

/// A program of all sorts of statements, repeated.
fn sample(copies: usize) -> String {
    let unit = "
attributes(global) subroutine saxpy(x, y, a, n)
  real :: x(:), y(:)
  real, value :: a
  integer, value :: n
  integer :: i, j
  i = blockDim%x * (blockIdx%x - 1) + threadIdx%x
  ! every thread takes one element
  if (i <= n) y(i) = y(i) + a*x(i)
  do j = 1, n
    if (mod(j, 2) == 0 .and. x(j) > 0.5e0) then
      y(j) = sqrt(x(j)**2 + y(j)**2) / (1.0 + abs(x(j)))
    else
      call syncthreads()
    end if
  end do
end subroutine
";
    format!("module m\n  use cudafor\ncontains\n{}end module m\n", unit.repeat(copies))
}

/// The Fortran files below a folder, sorted.
fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut entries: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files_below(&path, found);
        } else if path.extension().is_some_and(|e| ["cuf", "f90"].iter().any(|s| e.eq_ignore_ascii_case(s))) {
            found.push(path);
        }
    }
}

/// The folder named by `CUFEMU_SPEED_SOURCES`, if any, else a made-up program: how many lines a second.
#[test]
#[ignore = "measures; meant for a release build"]
#[expect(clippy::print_stderr, reason = "the figure is what the test is for")]
fn speed_in_lines_a_second() {
    let texts: Vec<(String, String)> = match std::env::var_os("CUFEMU_SPEED_SOURCES") {
        None => vec![("sample.cuf".to_owned(), sample(2000))],
        Some(folder) => {
            let mut found = Vec::new();
            files_below(Path::new(&folder), &mut found);
            let read = |path: &PathBuf| Some((path.display().to_string(), std::fs::read_to_string(path).ok()?));
            found.iter().filter_map(read).collect()
        }
    };
    let lines: usize = texts.iter().map(|(_, text)| text.lines().count()).sum();
    let options = ParseOptions { preprocess: Some(true), ..ParseOptions::default() };
    let mut best = f64::MAX;
    for _ in 0..7 {
        let start = std::time::Instant::now();
        for (name, text) in &texts {
            let mut map = SourceMap::new();
            let file = map.add(name.clone(), text.as_str());
            let parsed = parse(&mut map, &[file], &options, &mut |_, _| None, &mut Diagnostics::new());
            std::hint::black_box(parsed);
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    eprintln!("{lines} lines in {:.1} ms: {:.0} lines a second", best * 1e3, lines as f64 / best);
}
