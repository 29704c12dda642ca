//! What is written is read back: lines, functions, variables, in every version.

#![allow(clippy::unwrap_used)]

extern crate cufemu_debuginfo as debuginfo;

use debuginfo::{At, Chunk, Code, Info, LocOp, Options, Section, Target, VarPlace, write};
use ir::{FuncId, Module, VarId};
use source::{FileId, SourceMap, Span};

const SOURCE: &str =
    "attributes(global) subroutine axpy(x, n)\n  integer :: i\n  i = threadidx%x\n  x(i) = 2 * x(i)\nend\n";

const TEXT: &str = "
type t0 \"integer(4)\" bytes 4 integer
type t1 \"real(8)\" bytes 8 real
type t2 \"type(node)\" bytes 40 derived { \"value\" t1 at 0, \"next\" t2 at 8 described 0, \"w\" t0 at 32(1:2), }
kernel @axpy(%0: i64) !0:0-40 {
  reg %1 i32 mutable v1
  reg %2 i64 mutable
  local l0 \"p\" bytes 48 align 8
  var v0 \"x\" t1 array (1, 16, 8) (0, *, 128) at %0 source 1 dummy !0:36-37
  var v1 \"i\" t0 scalar reg %1 source 2 !0:54-55
  var v2 \"p\" t1 described 1 descriptor l0 source 3
  var v3 \"node\" t2 scalar constant source 4
  var v4 \"y\" t1 array (1, 4, 8) (1, %2, 32) at %0 source 5 dummy
  var v5 \"z\" t1 array (1, %2, 8) (1, 4, 32) at %0 source 6 dummy
bb0:
  stmt
  return
}
device @helper() !0:0-10 {
bb0:
  return
}
";

fn sources() -> SourceMap {
    let mut map = SourceMap::new();
    map.add("axpy.cuf", SOURCE);
    map
}

fn at(line: usize) -> Span {
    let start: usize = SOURCE.lines().take(line - 1).map(|l| l.len() + 1).sum();
    Span::new(FileId(0), start as u32 + 2, start as u32 + 3)
}

fn module() -> Module {
    ir::parse::module(TEXT).unwrap()
}

fn code() -> Vec<Code> {
    vec![
        Code {
            func: FuncId(0),
            begin: At::Label(0, 0),
            end: At::Label(0, 64),
            bytes: 64,
            rows: vec![(16, at(4)), (0, at(3)), (24, at(4)), (40, Span::NONE), (48, at(5)), (99, at(1))],
            places: vec![
                VarPlace {
                    var: VarId(0),
                    location: vec![LocOp::Address(At::Label(2, 8)), LocOp::Deref],
                    address_class: Some(5),
                    holds_address: false,
                },
                VarPlace {
                    var: VarId(1),
                    location: vec![LocOp::Frame(-4)],
                    address_class: Some(6),
                    holds_address: false,
                },
                VarPlace {
                    var: VarId(2),
                    location: vec![LocOp::Register(5)],
                    address_class: None,
                    holds_address: false,
                },
                VarPlace {
                    var: VarId(4),
                    location: vec![LocOp::Frame(8)],
                    address_class: Some(6),
                    holds_address: true,
                },
                VarPlace {
                    var: VarId(5),
                    location: vec![LocOp::Frame(8)],
                    address_class: Some(6),
                    holds_address: true,
                },
            ],
            pointer_class: Some(12),
            frame_base: vec![LocOp::Address(At::Label(2, 0)), LocOp::Plus(16)],
        },
        Code {
            func: FuncId(1),
            begin: At::Number(0x5000),
            end: At::Number(0x5010),
            bytes: 16,
            rows: vec![(0, at(1))],
            places: vec![],
            pointer_class: None,
            frame_base: vec![],
        },
    ]
}

fn options(version: u16) -> Options {
    Options { version, producer: "cufemu".into(), directory: "/home".into(), all_files: false }
}

fn read(sections: &[Section]) -> Info {
    let label = |number: u32| [0x1000, 0x2000, 0x3000][number as usize];
    Info::read(|name| sections.iter().find(|s| s.name == name).map(|s| s.resolved(label)).unwrap_or_default()).unwrap()
}

#[test]
fn what_is_written_is_read_back_in_every_version() {
    for version in 2..=4 {
        let sections = write(&module(), &code(), &sources(), &options(version)).unwrap();
        let info = read(&sections);
        let lines: Vec<(u64, u64, u64)> = info.rows.iter().map(|r| (r.begin, r.end, r.line)).collect();
        assert_eq!(lines, [(0x1000, 0x1010, 3), (0x1010, 0x1030, 4), (0x1030, 0x1040, 5), (0x5000, 0x5010, 1)]);
        assert_eq!(info.row_at(0x102f).map(|r| (&*r.file, r.line, r.column)), Some(("axpy.cuf", 4, 3)));
        assert_eq!(info.row_at(0x1040), None);
        assert_eq!(info.row_at(0xfff), None);
        assert_eq!(info.pcs_of("axpy.cuf", 4), [0x1010]);
        let f = info.function_at(0x103f).unwrap();
        assert_eq!((&*f.name, f.begin, f.end), ("axpy", 0x1000, 0x1040));
        let names: Vec<(&str, &str, bool, u64)> =
            f.variables.iter().map(|v| (&*v.name, &*v.ty, v.is_dummy, v.line)).collect();
        assert_eq!(
            names,
            [
                ("x", "real(8)", true, 1),
                ("i", "integer(4)", false, 2),
                ("p", "real(8)", false, 0),
                ("node", "type(node)", false, 0),
                ("y", "real(8)", true, 0),
                ("z", "real(8)", true, 0)
            ]
        );
        assert_eq!(f.variables[0].bounds, [(Some(1), Some(16)), (Some(0), None)]);
        assert_eq!(f.variables[2].bounds, [(None, None)]);
        // DW_OP_addr with the label's address and addend, DW_OP_deref.
        assert_eq!(f.variables[0].location, [0x03, 0x08, 0x30, 0, 0, 0, 0, 0, 0, 0x06]);
        assert_eq!(f.variables[1].location, [0x91, 0x7c]);
        assert_eq!(f.variables[2].location, [0x55]);
        assert_eq!(f.variables[3].location, []);
        let classes: Vec<_> = f.variables.iter().map(|v| v.address_class).collect();
        assert_eq!(classes, [Some(5), Some(6), None, None, Some(6), Some(6)]);
        // An extent that is not constant is the largest in the last dimension; elsewhere there is a pointer to an element.
        assert_eq!(f.variables[4].bounds, [(Some(1), Some(4)), (Some(1), Some(i64::from(i32::MAX)))]);
        assert_eq!(f.variables[5].bounds, []);
        let followed: Vec<_> = f.variables.iter().map(|v| v.follows).collect();
        assert_eq!(followed, [false, false, false, false, true, true]);
        assert_eq!(info.function_at(0x5000).map(|f| &*f.name), Some("helper"));
    }
}

#[test]
fn chunks_are_the_section_with_references_in_place() {
    let sections = write(&module(), &code(), &sources(), &options(2)).unwrap();
    let names: Vec<&str> = sections.iter().map(|s| s.name).collect();
    assert_eq!(names, [".debug_abbrev", ".debug_info", ".debug_line"]);
    for section in &sections {
        let mut size = 0;
        for chunk in section.chunks() {
            size += match chunk {
                Chunk::Bytes(bytes) => bytes.len(),
                Chunk::Reference(r) => {
                    assert_eq!(r.offset, size);
                    assert_eq!(r.size, if matches!(r.target, Target::Section(_)) { 4 } else { 8 });
                    usize::from(r.size)
                }
            };
        }
        assert_eq!(size, section.bytes.len());
    }
    let info = &sections[1];
    assert!(info.references.iter().any(|r| r.target == Target::Section(".debug_line")));
    assert!(info.references.iter().any(|r| r.target == Target::Section(".debug_abbrev")));
    assert!(info.references.iter().any(|r| (r.target, r.addend) == (Target::Label(0), 64)));
}

#[test]
fn broken_sections_are_errors_and_no_panics() {
    let sections = write(&module(), &code(), &sources(), &options(4)).unwrap();
    for at in 0..sections[1].bytes.len() {
        let broken = |name: &str| {
            let section = sections.iter().find(|s| s.name == name);
            let mut bytes = section.map(|s| s.resolved(|_| 0)).unwrap_or_default();
            if name == ".debug_info" {
                bytes[at] ^= 0xff;
            }
            bytes
        };
        let _ = Info::read(broken);
    }
    assert_eq!(Info::read(|_| Vec::new()).unwrap(), Info::default());
}
