//! Screens by script: each `tests/tui/NAME.keys` says a program, sizes and keys; what the screen shows at each `shot` is in
//! `NAME.screens`. With `CUFEMU_BLESS` in the environment the screens are written anew.

use crate::driver::{Driver, program, root};
use cufemu_tui::{Look, Theme};
use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

fn size(text: &str) -> (u16, u16) {
    let (w, h) = text.split_once('x').expect("a size");
    (w.parse().expect("a width"), h.parse().expect("a height"))
}

/// The screens of a script.
fn screens(script: &str) -> String {
    let lines = || script.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'));
    let setting = |name: &str| lines().find_map(|l| l.strip_prefix(name)).map(str::trim);
    let program = setting("program ").expect("a program");
    let look = Look { theme: Theme::Plain, is_ascii: setting("ascii").is_some() };
    let mut out = String::new();
    for shape in setting("sizes ").expect("sizes").split_whitespace() {
        let mut driver = Driver::new(program, setting("race").is_some(), size(shape), look);
        let mut since = Vec::new();
        for line in
            lines().filter(|l| !l.starts_with("program ") && !l.starts_with("sizes ") && *l != "ascii" && *l != "race")
        {
            if line == "shot" {
                let _ = write!(out, "== {shape}: {}\n{}", since.join(", "), driver.screen());
                since.clear();
            } else {
                driver.line(line);
                since.push(line);
            }
        }
    }
    out
}

#[test]
fn scripts_of_keys_give_their_screens() {
    let folder = root().join("tests/tui");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .expect("the folder of scripts")
        .map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|n| Path::new(n).extension().is_some_and(|e| e == "keys"))
        .collect();
    names.sort();
    assert!(!names.is_empty());
    let bless = std::env::var_os("CUFEMU_BLESS").is_some();
    let mut wrong = Vec::new();
    for name in names {
        let script = std::fs::read_to_string(folder.join(&name)).expect("a script");
        let actual = screens(&script);
        let golden = folder.join(name.replace(".keys", ".screens"));
        if bless {
            std::fs::write(&golden, &actual).expect("a file to write");
            continue;
        }
        let expected = std::fs::read_to_string(&golden).unwrap_or_default();
        if expected != actual {
            let first = expected.lines().zip(actual.lines()).position(|(e, a)| e != a).unwrap_or(0);
            let at = |text: &str| text.lines().skip(first.saturating_sub(2)).take(6).collect::<Vec<_>>().join("\n");
            wrong.push(format!("{name}: expected\n{}\nbut the screen is\n{}", at(&expected), at(&actual)));
        }
    }
    assert!(wrong.is_empty(), "{}\nCUFEMU_BLESS=1 writes the screens anew", wrong.join("\n"));
}

/// A screen in block `block` of `million.cuf`, with expressions to show.
fn in_block(program: &str, block: u32) -> Driver {
    let mut driver = Driver::of_text("million.cuf", program, false, (120, 40), Look::default());
    driver.line(&format!("type :break 16 if threadidx%x == 5 .and. blockidx%x == {block}"));
    driver.line("keys c 5");
    for text in ["t", "a(i)*2 + t", "sum(a(1:100))", "blockidx%x*1000 + j"] {
        driver.line(&format!("type :display {text}"));
    }
    driver
}

#[test]
fn a_step_in_a_million_threads_is_on_the_screen_as_soon_as_in_a_thousand() {
    let million = program("tests/debug/million.cuf");
    let thousand = million.replace("1048576", "1024").replace("<<<4096,", "<<<4,");
    let (mut million, mut thousand) = (in_block(&million, 3000), in_block(&thousand, 3));
    for key in ["n", "]", "N", "5"] {
        let took = |driver: &mut Driver| {
            let start = Instant::now();
            driver.key(key);
            let _ = driver.screen();
            start.elapsed()
        };
        // The machine may be busy: the best of some tries counts, and both launches take turns.
        let tries: Vec<(Duration, Duration)> = (0..5).map(|_| (took(&mut million), took(&mut thousand))).collect();
        let best = |which: fn(&(Duration, Duration)) -> Duration| tries.iter().map(which).min().unwrap_or_default();
        let (million, thousand) = (best(|t| t.0), best(|t| t.1));
        // The figures for a release build: cargo nextest run --release -p cufemu-tui -- as_soon_as --no-capture
        eprintln!("`{key}` is on the screen after {million:?}, in the small launch after {thousand:?}");
        let slack = Duration::from_millis(50);
        assert!(million < 10 * thousand + slack, "{key}: {million:?}, in the small launch {thousand:?}");
    }
}

#[test]
fn the_statement_that_comes_next_is_underlined_where_its_line_has_others() {
    let mut driver = Driver::new("tests/debug/lines.cuf", false, (80, 24), Look::default());
    driver.line("type :break 12");
    driver.line("keys c");
    for part in ["t = threadidx%x", "a(t) = 0", "", "a(t) = sum_to(2)", "call syncthreads()"] {
        assert_eq!(driver.underlined(), part);
        driver.key("n");
    }
}

#[test]
fn every_size_can_be_drawn() {
    let mut driver = Driver::new("examples/mmul.cuf", false, (80, 24), Look::default());
    driver.line("type :break mmul");
    driver.line("keys c 6 t 7 z ? ?");
    for (width, height) in [(1, 1), (39, 10), (40, 10), (41, 11), (80, 24), (109, 31), (110, 32), (200, 60), (300, 100)]
    {
        driver.feed(cufemu_tui::Input::Resize(width, height));
        driver.settle();
        for key in ["Tab", "z", "j", "PageDown", "G", "k", "g", "z", "?", "G", "j", "Escape", "l", "h"] {
            driver.key(key);
            assert_eq!(driver.screen().lines().count(), usize::from(height));
        }
    }
}

#[test]
fn keys_that_come_faster_than_commands_end_are_done_in_order() {
    let mut driver = Driver::new("examples/reduce_racy.cuf", false, (80, 24), Look::default());
    for c in ":break 13\rcnnN".chars() {
        driver.press(&if c == '\r' { "Enter".to_owned() } else { c.to_string() });
    }
    driver.settle();
    let screen = driver.screen();
    assert!(screen.contains("▶  14") && screen.contains("reduce #1  block 1  thread 1"), "{screen}");
}
