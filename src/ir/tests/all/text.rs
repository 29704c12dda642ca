//! Print → parse → print gives the same text, and random modules are valid.

use crate::generate;
use std::panic::catch_unwind;

fn same_after_a_round(module: &ir::Module, what: &str) {
    for spans in [false, true] {
        let text = ir::print::module(module, spans);
        let again = ir::parse::module(&text).unwrap_or_else(|e| panic!("{what}: {e}\n{text}"));
        assert_eq!(ir::print::module(&again, spans), text, "{what}");
        assert_eq!(ir::verify::module(&again), ir::verify::module(module), "{what}");
        if spans {
            assert_eq!(format!("{again:?}"), format!("{module:?}"), "{what}");
        }
    }
}

#[test]
fn random_modules_are_valid_and_print_as_they_parse() {
    for seed in 0..400 {
        let module = generate::module(seed);
        let errors = ir::verify::module(&module);
        assert!(errors.is_empty(), "seed {seed}: {}\n{}", errors[0], ir::print::module(&module, false));
        same_after_a_round(&module, &format!("seed {seed}"));
    }
}

#[test]
fn every_table_and_format_survives_a_round() {
    let text = include_str!("every.cir");
    let module = ir::parse::module(text).unwrap_or_else(|e| panic!("{e}"));
    let errors = ir::verify::module(&module);
    assert!(errors.is_empty(), "{errors:#?}");
    assert_eq!(ir::print::module(&module, true), text);
    same_after_a_round(&module, "every.cir");
}

#[test]
fn broken_texts_give_errors_and_no_panics() {
    let text = include_str!("every.cir");
    for seed in 0..3000 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..=rng.usize(..3) {
            let at = rng.usize(..bytes.len());
            match rng.usize(..3) {
                0 => bytes[at] = *rng.choice(b"%@!:,.-+()[]{}<>= 0129axb\"\\\n").unwrap(),
                1 if bytes.len() > 1 => drop(bytes.remove(at)),
                _ => bytes.truncate(at + 1),
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        let ended = catch_unwind(|| {
            if let Ok(module) = ir::parse::module(&text) {
                let _ = ir::verify::module(&module);
                let _ = ir::print::module(&module, true);
            }
        });
        assert!(ended.is_ok(), "seed {seed}\n{text}");
    }
}
