//! Goldens of every renderer, and a property test: no span and no text makes one panic.

// The goldens are rewritten by `UPDATE_EXPECT=1 cargo test`, which always writes these hashes.
#![allow(clippy::needless_raw_string_hashes)]

use diag::{Code, Diagnostic, Style, explain, full, json, sarif, short};
use expect_test::{Expect, expect};
use proptest::prelude::{Just, Strategy, any, prop, prop_oneof, proptest};
use source::{FileId, SourceMap, Span};

const REDUCE: &str = "\
module m
contains
attributes(global) subroutine reduce(x, r, n)
  integer, value :: n
  real :: x(n), r(*)
  real, shared :: s(64)
  integer :: t, i
  t = threadidx%x
  i = (blockidx%x - 1) * blockdim%x + t

    s(t) = x(i)

    if (t <= 16) then
    s(t) = s(t) + s(t+16)
    end if
end subroutine
end module
";

fn files() -> SourceMap {
    let mut map = SourceMap::new();
    map.add("reduce.cuf", REDUCE);
    map.add("dir/other file.cuf", "call f(1)\r\n\tcall\tg(2)\r\nend");
    map
}

/// The span of the `n`th occurrence of `text`, counted from 0.
fn find(map: &SourceMap, file: u32, text: &str, n: usize) -> Span {
    let source = map.file(FileId(file)).expect("the file").text();
    let start = source.match_indices(text).nth(n).expect("the text").0;
    Span::new(FileId(file), start as u32, (start + text.len()) as u32)
}

fn race(map: &SourceMap) -> Diagnostic {
    Diagnostic::new(
        Code::SharedRace,
        find(map, 0, "s(t+16)", 0),
        "data race on shared `s(17)` between two threads of block (1,1,1)",
    )
    .label("(2) thread (1,1,1) reads it here, no barrier in between")
    .secondary(find(map, 0, "s(t) = x(i)", 0), "(1) thread (17,1,1) wrote it here")
    .help("put `call syncthreads()` between the two")
    .note("launch 1 of `reduce`, 96 more like this; replay with --schedule seed:0")
}

fn check(actual: &str, expected: &Expect) {
    expected.assert_eq(actual);
}

#[test]
fn two_places_show_both_lines_help_and_note() {
    let map = files();
    check(
        &full(&race(&map), &map, Style::PLAIN),
        &expect![[r#"
            error[R0101]: data race on shared `s(17)` between two threads of block (1,1,1)
              --> reduce.cuf:14:19
               |
            11 |     s(t) = x(i)
               |     ----------- (1) thread (17,1,1) wrote it here
            ...
            14 |     s(t) = s(t) + s(t+16)
               |                   ^^^^^^^ (2) thread (1,1,1) reads it here, no barrier in between
               |
               = help: put `call syncthreads()` between the two
               = note: launch 1 of `reduce`, 96 more like this; replay with --schedule seed:0
        "#]],
    );
}

#[test]
fn colour_adds_escape_sequences_and_nothing_else() {
    let map = files();
    let coloured = full(&race(&map), &map, Style { colour: true, width: 140 });
    assert!(coloured.contains("\u{1b}["));
    let mut plain = String::new();
    let mut rest = coloured.as_str();
    while let Some(i) = rest.find('\u{1b}') {
        plain.push_str(&rest[..i]);
        rest = rest[i..].split_once('m').map_or("", |(_, after)| after);
    }
    plain.push_str(rest);
    assert_eq!(plain, full(&race(&map), &map, Style::PLAIN));
}

#[test]
fn places_in_two_files_tabs_crlf_and_a_call_stack() {
    let map = files();
    let d = Diagnostic::new(Code::ArgumentType, find(&map, 1, "2", 0), "argument is integer(4), `x` is real(4)")
        .secondary(find(&map, 0, "integer, value :: n", 0), "declared here")
        .frame("(1)", "g", find(&map, 1, "call\tg(2)", 0))
        .frame("", "main", Span::NONE);
    check(
        &full(&d, &map, Style::PLAIN),
        &expect![[r#"
        error[E0402]: argument is integer(4), `x` is real(4)
         --> dir/other file.cuf:2:9
          |
        2 |     call    g(2)
          |               ^
          |
         ::: reduce.cuf:4:3
          |
        4 |   integer, value :: n
          |   ------------------- declared here
          |
          = note: (1) in `g`, called at dir/other file.cuf:2:2
          = note: in `main`
    "#]],
    );
}

#[test]
fn a_diagnostic_without_a_place_has_no_lines() {
    let map = files();
    let d = Diagnostic::new(Code::NoMainProgram, Span::NONE, "the given files have no main program")
        .help("add a file with a `program` unit");
    check(
        &full(&d, &map, Style::PLAIN),
        &expect![[r#"
        error[E0213]: the given files have no main program
         |
         = help: add a file with a `program` unit
    "#]],
    );
    check(
        &short(&d, &map),
        &expect![[r#"
        error[E0213]: the given files have no main program
    "#]],
    );
    check(
        &json(&d, &map),
        &expect![[r#"
        {"severity":"error","code":"E0213","title":"no main program in the given files","message":"the given files have no main program","place":null,"label":"","related":[],"helps":["add a file with a `program` unit"],"notes":[],"stack":[]}
    "#]],
    );
}

#[test]
fn the_end_of_the_file_is_shown_behind_its_last_line() {
    let map = files();
    let end = REDUCE.len() as u32;
    let d = Diagnostic::new(Code::UnterminatedBlock, Span::new(FileId(0), end, end), "`end module` is missing")
        .label("expected here")
        .secondary(find(&map, 0, "module m", 0), "the module begins here");
    check(
        &full(&d, &map, Style::PLAIN),
        &expect![[r#"
        error[E0102]: `end module` is missing
          --> reduce.cuf:17:11
           |
         1 | module m
           | -------- the module begins here
        ...
        17 | end module
           |           ^ expected here
    "#]],
    );
}

#[test]
fn a_label_over_many_lines_is_drawn_on_its_first() {
    let map = files();
    let whole = Span::new(FileId(0), 0, REDUCE.len() as u32);
    let d = Diagnostic::new(Code::NestingTooDeep, whole, "too deep").label("this module");
    check(
        &full(&d, &map, Style::PLAIN),
        &expect![[r#"
        error[E0104]: too deep
         --> reduce.cuf:1:1
          |
        1 | module m
          | ^^^^^^^^ this module
    "#]],
    );
    let two = find(&map, 0, "module m\ncontains", 0);
    let d = Diagnostic::new(Code::SyntaxError, two, "two lines").label("these");
    check(
        &full(&d, &map, Style::PLAIN),
        &expect![[r#"
        error[E0111]: two lines
         --> reduce.cuf:1:1
          |
        1 | / module m
        2 | | contains
          | |________^ these
    "#]],
    );
}

#[test]
fn a_long_line_is_clipped_around_its_label() {
    let mut map = SourceMap::new();
    let line = format!("x = {}wrong + {}", "a + ".repeat(500), "b + ".repeat(500));
    map.add("long.cuf", line);
    let d =
        Diagnostic::new(Code::UndeclaredName, find(&map, 0, "wrong", 0), "`wrong` has no declaration").label("here");
    let text = full(&d, &map, Style { colour: false, width: 60 });
    assert!(text.lines().all(|l| l.chars().count() <= 64), "{text}");
    check(
        &text,
        &expect![[r#"
        error[E0201]: `wrong` has no declaration
         --> long.cuf:1:2005
          |
        1 | ...a + a + a + a + a + wrong + b + b + b + b + b + b ...
          |                        ^^^^^ here
    "#]],
    );
}

#[test]
fn short_is_one_line() {
    let map = files();
    check(
        &short(&race(&map), &map),
        &expect![[r#"
        reduce.cuf:14:19: error[R0101]: data race on shared `s(17)` between two threads of block (1,1,1)
    "#]],
    );
    let mut two_lines = race(&map);
    two_lines.message = "first\nsecond".to_owned();
    check(
        &short(&two_lines, &map),
        &expect![[r#"
        reduce.cuf:14:19: error[R0101]: first second
    "#]],
    );
}

#[test]
fn json_is_one_object_a_line() {
    let map = files();
    let d = race(&map).frame("(2)", "reduce", find(&map, 1, "call f(1)", 0));
    check(
        &json(&d, &map),
        &expect![[r#"
        {"severity":"error","code":"R0101","title":"data race on shared memory between threads of a block","message":"data race on shared `s(17)` between two threads of block (1,1,1)","place":{"file":"reduce.cuf","line":14,"column":19,"end_line":14,"end_column":26,"start":265,"end":272},"label":"(2) thread (1,1,1) reads it here, no barrier in between","related":[{"place":{"file":"reduce.cuf","line":11,"column":5,"end_line":11,"end_column":16,"start":212,"end":223},"label":"(1) thread (17,1,1) wrote it here"}],"helps":["put `call syncthreads()` between the two"],"notes":["launch 1 of `reduce`, 96 more like this; replay with --schedule seed:0"],"stack":[{"of":"(2)","procedure":"reduce","called_at":{"file":"dir/other file.cuf","line":1,"column":1,"end_line":1,"end_column":10,"start":0,"end":9},"text":"(2) in `reduce`, called at dir/other file.cuf:1:1"}]}
    "#]],
    );
}

#[test]
fn sarif_is_one_document() {
    let map = files();
    let mut d = race(&map).frame("(2)", "reduce", find(&map, 1, "call f(1)", 0));
    let none = Diagnostic::new(Code::NoMainProgram, Span::NONE, "the given files have no main program");
    let document = sarif(&[d.clone(), none, d.clone()], &map, "0.1.0");
    let rules = document.matches("\"shortDescription\"").count();
    assert_eq!(rules, 2, "one rule for each code that occurs");
    d.helps.clear();
    let lines: String =
        sarif(&[d], &map, "0.1.0").lines().filter(|l| !l.contains("\"text\": \"R0101")).collect::<Vec<_>>().join("\n");
    check(
        &lines,
        &expect![[r#"
            {
              "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
              "runs": [
                {
                  "columnKind": "unicodeCodePoints",
                  "results": [
                    {
                      "level": "error",
                      "locations": [
                        {
                          "physicalLocation": {
                            "artifactLocation": {
                              "uri": "reduce.cuf"
                            },
                            "region": {
                              "endColumn": 26,
                              "endLine": 14,
                              "startColumn": 19,
                              "startLine": 14
                            }
                          }
                        }
                      ],
                      "message": {
                        "text": "data race on shared `s(17)` between two threads of block (1,1,1): (2) thread (1,1,1) reads it here, no barrier in between\nnote: launch 1 of `reduce`, 96 more like this; replay with --schedule seed:0"
                      },
                      "partialFingerprints": {
                        "primaryLocationLineHash": "1a637bc51010f2cf:1"
                      },
                      "relatedLocations": [
                        {
                          "id": 1,
                          "message": {
                            "text": "(1) thread (17,1,1) wrote it here"
                          },
                          "physicalLocation": {
                            "artifactLocation": {
                              "uri": "reduce.cuf"
                            },
                            "region": {
                              "endColumn": 16,
                              "endLine": 11,
                              "startColumn": 5,
                              "startLine": 11
                            }
                          }
                        }
                      ],
                      "ruleId": "R0101",
                      "ruleIndex": 0,
                      "stacks": [
                        {
                          "frames": [
                            {
                              "location": {
                                "message": {
                                  "text": "(2) in `reduce`, called at dir/other file.cuf:1:1"
                                },
                                "physicalLocation": {
                                  "artifactLocation": {
                                    "uri": "dir/other%20file.cuf"
                                  },
                                  "region": {
                                    "endColumn": 10,
                                    "endLine": 1,
                                    "startColumn": 1,
                                    "startLine": 1
                                  }
                                }
                              }
                            }
                          ]
                        }
                      ]
                    }
                  ],
                  "tool": {
                    "driver": {
                      "informationUri": "https://github.com/cufemu/cufemu",
                      "name": "cufemu",
                      "rules": [
                        {
                          "defaultConfiguration": {
                            "level": "error"
                          },
                          "fullDescription": {
                            "text": "Two threads of a block access the same element of shared memory, at least one of them writes it, and nothing orders the two accesses. Put `call syncthreads()` between them: every thread of the block sees after the barrier what any thread of the block did before it. All threads of the block must reach the barrier, so do not put it in an `if`."
                          },
                          "help": {
                            "markdown": "R0101: data race on shared memory between threads of a block\n\nTwo threads of a block access the same element of shared memory, at least one of\nthem writes it, and nothing orders the two accesses. Put `call syncthreads()` between\nthem: every thread of the block sees after the barrier what any thread of the block\ndid before it. All threads of the block must reach the barrier, so do not put it in\nan `if`.\n\nwrong:\n\n    s(t) = a(i)\n    if (t <= 16) s(t) = s(t) + s(t + 16)\n\nright:\n\n    s(t) = a(i)\n    call syncthreads()\n    if (t <= 16) s(t) = s(t) + s(t + 16)\n\nA race is reported whether or not this run computed the right value. On a GPU the\norder of the accesses can differ from run to run.\n",
                          },
                          "id": "R0101",
                          "name": "SharedRace",
                          "shortDescription": {
                            "text": "data race on shared memory between threads of a block"
                          }
                        }
                      ],
                      "version": "0.1.0"
                    }
                  }
                }
              ],
              "version": "2.1.0"
            }"#]],
    );
}

#[test]
fn explanation_reads_well_in_a_terminal() {
    check(
        &explain("e0523").expect("the code"),
        &expect![[r#"
            E0523: kernel called without chevrons, or another procedure called with them

            A kernel must be launched with `<<<grid, block>>>`, and other procedures must be
            called without. An interface with `bind(c)` and no attributes is that of a kernel of
            CUDA C where it is launched.

            wrong:

                call saxpy(x, y, a)

            right:

                call saxpy<<<blocks, threads>>>(x, y, a)
        "#]],
    );
}

/// Texts with what is awkward to draw: line ends of both kinds, tabs, wide and combining characters, controls.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("x = 1".to_owned()),
        Just("\n".to_owned()),
        Just("\r\n".to_owned()),
        Just("\r".to_owned()),
        Just("\t".to_owned()),
        Just("é".to_owned()),
        Just("漢字".to_owned()),
        Just("e\u{301}".to_owned()),
        Just("\u{0}\u{1b}[31m\u{7f}\u{202e}".to_owned()),
        Just("a + ".repeat(80)),
        any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn span() -> impl Strategy<Value = Span> {
    prop_oneof![
        8 => (0..3u32, 0..500u32, 0..500u32).prop_map(|(f, a, b)| Span::new(FileId(f), a, b)),
        2 => (0..3u32, 0..40u32, 0..6u32).prop_map(|(f, a, n)| Span::new(FileId(f), a, a + n)),
        1 => Just(Span::NONE),
        1 => any::<(u32, u32, u32)>().prop_map(|(f, a, b)| Span::new(FileId(f), a, b)),
    ]
}

proptest! {
    #[test]
    fn random_spans_render_without_panic(
        first in text(),
        second in text(),
        spans in prop::collection::vec((span(), text()), 1..5),
        message in text(),
        width in 0..200usize,
    ) {
        let mut map = SourceMap::new();
        map.add("a.cuf", first);
        map.add("b.cuf", second);
        let mut d = Diagnostic::new(Code::SyntaxError, spans[0].0, message).label(spans[0].1.clone());
        for (span, text) in &spans[1..] {
            d = d.secondary(*span, text.clone()).frame("", "p", *span);
        }
        d = d.help(spans[0].1.clone()).note("");
        for colour in [false, true] {
            assert!(full(&d, &map, Style { colour, width }).ends_with('\n'));
        }
        assert_eq!(short(&d, &map).matches('\n').count(), 1);
        let line = json(&d, &map);
        assert!(serde_json::from_str::<serde_json::Value>(&line).is_ok());
        assert!(serde_json::from_str::<serde_json::Value>(&sarif(&[d], &map, "0")).is_ok());
    }
}
