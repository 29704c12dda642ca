//! Any text as a source file: preprocessor, prescan, parser, rules, lowering, passes, and the words of what is wrong.
//!
//! The first byte chooses how: bit 0 fixed form, bit 1 preprocessing, bit 2 kinds of 8 bytes, bit 3 managed memory, bit 4
//! checks of bounds, bit 5 code to be debugged. The rest is the text, which may include itself.

#![no_main]

use compile::{Options, SourceForm};
use diag::{Diagnostics, Style};
use libfuzzer_sys::fuzz_target;
use source::SourceMap;

/// Diagnostics that are put into words; the rest have nothing new.
const WORDED: usize = 50;

fuzz_target!(|data: &[u8]| {
    let Some((&choice, text)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let bit = |n: u8| choice >> n & 1 == 1;
    let mut options = Options::default();
    options.parse.form = Some(if bit(0) { SourceForm::Fixed } else { SourceForm::Free });
    options.parse.preprocess = Some(bit(1));
    (options.sema.real8, options.sema.integer8) = (bit(2), bit(2));
    (options.sema.managed, options.lower.managed) = (bit(3), bit(3));
    (options.lower.check_bounds, options.lower.check_init) = (bit(4), bit(4));
    options.watched = bit(5);
    let mut map = SourceMap::new();
    let file = map.add("fuzz.cuf", text);
    let mut diags = Diagnostics::new();
    let mut include = |name: &str, _: &str| (name == "self").then(|| (name.to_owned(), text.to_owned()));
    let compiled = compile::compile(&mut map, &[file], &options, &mut include, &mut diags);
    if let Some(compiled) = &compiled {
        let wrong = ir::verify::module(&compiled.module);
        assert!(wrong.is_empty(), "what lowering made is not valid: {}", wrong[0]);
    } else {
        assert!(diags.has_errors(), "a program is refused without a reason");
    }
    for diagnostic in diags.into_sorted().iter().take(WORDED) {
        diag::full(diagnostic, &map, Style::PLAIN);
        diag::short(diagnostic, &map);
        diag::json(diagnostic, &map);
    }
});
