//! Files that were cut off or damaged are read to an end: an error or a module that the verifier takes, never a panic.

use diag::Diagnostics;
use ir::{FuncKind, FunctionBuilder, Import, Module, Ty, Val};
use ptx::{Lines, link, parse};
use source::{FileId, SourceMap, Span};
use std::collections::BTreeMap;

const FILES: &[&str] = &[
    include_str!("../../../tests/ui/pass/cuda_c/guide.ptx"),
    include_str!("../../../tests/ui/pass/cuda_c/operations.ptx"),
    include_str!("../../../tests/ui/fail/cuda_c/missing_barrier.ptx"),
];

/// A module that declares the kernels of an undamaged file as they are.
fn declaring(text: &str) -> Module {
    let mut module = Module::default();
    for entry in text.split(".entry ").skip(1) {
        let Some((head, _)) = entry.split_once(')') else { continue };
        let Some((symbol, params)) = head.split_once('(') else { continue };
        let mut b = FunctionBuilder::new(symbol, FuncKind::Kernel, Span::NONE);
        for param in params.split(',').filter(|p| p.contains(".param")) {
            let name = param.split_whitespace().last().unwrap_or("");
            match name.split_once('[').and_then(|(_, count)| count.trim_end_matches(']').parse().ok()) {
                Some(bytes) => drop(b.bytes_param(bytes, 8, name)),
                None => {
                    let types = [(".u64", Ty::I64), (".u32", Ty::I32), (".f32", Ty::F32), (".f64", Ty::F64)];
                    let ty = types.iter().find(|(written, _)| param.contains(written)).map_or(Ty::I64, |(_, ty)| *ty);
                    b.param(ty, name);
                }
            }
        }
        let func = ir::FuncId(module.funcs.len() as u32);
        module.funcs.push(b.finish());
        module.imports.push(Import { func, symbol: symbol.into() });
    }
    module
}

/// Reads a text into a module that declares kernels; what was wrong with it.
fn read(text: &str, mut module: Module) -> usize {
    let ptx = match parse(FileId(0), text) {
        Ok(ptx) => ptx,
        Err(told) => {
            assert!(told.message.starts_with("this is not PTX: "), "{}", told.message);
            return 1;
        }
    };
    let (map, mut diags) = (SourceMap::new(), Diagnostics::new());
    link(&mut module, std::slice::from_ref(&ptx), &Lines::new(&map, BTreeMap::new()), &mut diags);
    let errors = ir::verify::module(&module);
    assert!(errors.is_empty(), "{errors:?}");
    diags.error_count()
}

#[test]
fn a_file_that_ends_early_is_an_error() {
    for text in FILES {
        let end = text.len();
        let cuts: Vec<usize> = (0..end).step_by(end / 150).filter(|&at| text.is_char_boundary(at)).collect();
        for at in cuts {
            read(&text[..at], declaring(text));
        }
        assert_eq!(read(text, declaring(text)), 0);
    }
    assert!(read("", Module::default()) > 0);
}

#[test]
fn damaged_files_are_read_to_an_end() {
    let mut random = fastrand::Rng::with_seed(7);
    for text in FILES {
        let lines: Vec<&str> = text.lines().collect();
        for _ in 0..150 {
            let mut changed: Vec<String> = lines.iter().map(|&line| line.to_owned()).collect();
            for _ in 0..random.usize(1..6) {
                let at = random.usize(..changed.len());
                match random.u8(..5) {
                    0 => drop(changed.remove(at)),
                    1 => changed[at] = lines[random.usize(..lines.len())].to_owned(),
                    2 => {
                        let words: Vec<&str> = changed[at].split_whitespace().collect();
                        let kept = random.usize(..=words.len());
                        changed[at] = words[..kept].join(" ") + ";";
                    }
                    3 => {
                        let other =
                            lines[random.usize(..lines.len())].split_whitespace().next().unwrap_or("").to_owned();
                        let rest =
                            changed[at].trim_start().split_once(char::is_whitespace).map_or("", |(_, r)| r).to_owned();
                        changed[at] = format!("{other} {rest}");
                    }
                    _ => {
                        changed[at] = changed[at].chars().map(|c| if random.u8(..9) == 0 { '1' } else { c }).collect();
                    }
                }
            }
            read(&changed.join("\n"), declaring(text));
        }
    }
}

#[test]
fn a_kernel_of_hand_becomes_code() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n\
        .visible .entry twice(.param .u64 p) {\n.reg .b64 %rd<3>;\n.reg .b32 %r<3>;\n\
        ld.param.u64 %rd1, [p];\nld.global.u32 %r1, [%rd1+4];\nadd.s32 %r2, %r1, %r1;\nst.global.u32 [%rd1+4], %r2;\nret;\n}";
    let ptx = parse(FileId(0), text).expect("PTX");
    let (map, mut diags) = (SourceMap::new(), Diagnostics::new());
    let mut module = declaring(text);
    link(&mut module, &[ptx], &Lines::new(&map, BTreeMap::new()), &mut diags);
    assert!(diags.is_empty());
    let insts = &module.funcs[0].blocks[0].insts;
    let store = insts.iter().find_map(|i| match i.kind {
        ir::InstKind::Store { ty, offset, value, .. } => Some((ty, offset, matches!(value, Val::Reg(_)))),
        _ => None,
    });
    assert_eq!(store, Some((Ty::I32, 4, true)));
}
