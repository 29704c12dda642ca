//! List-directed output against lines recorded from programs compiled by nvfortran 25.1.

use cufemu_text::{Decimal, Delim, IoError, ListWriter, Modes, Sign, Target, Value};
use scalar::Ty;

fn print_with(modes: Modes, target: Target, values: &[Value<'_>]) -> Result<Vec<String>, IoError> {
    let mut writer = ListWriter::begin(modes, target);
    for value in values {
        writer.item(*value)?;
    }
    Ok(writer.finish().into_iter().map(|r| String::from_utf8_lossy(&r).into_owned()).collect())
}

fn print(values: &[Value<'_>]) -> Vec<String> {
    print_with(Modes::default(), Target::Stream, values).unwrap()
}

fn text(s: &str) -> Value<'_> {
    Value::Char(s.as_bytes())
}

#[test]
fn lines_equal_those_recorded() {
    let (i, r, d) = (Value::int4, Value::real4, Value::real8);
    let cases: [(&[Value<'_>], &[&str]); 23] = [
        (&[text("Errors: "), i(0)], &[" Errors:             0"]),
        (&[text("float(N) = "), r(20000.0)], &[" float(N) =     20000.00    "]),
        (&[r(1.0), r(2.0), r(2.0)], &["    1.000000        2.000000        2.000000    "]),
        (&[i(1000)], &["         1000"]),
        (&[text("Size of arrays: "), i(1000)], &[" Size of arrays:          1000"]),
        (&[text("Grid             : "), i(4)], &[" Grid             :             4"]),
        (&[text("Constant A:"), r(2.0)], &[" Constant A:    2.000000    "]),
        (&[i(100_000)], &["       100000"]),
        (&[r(7.0)], &["    7.000000    "]),
        (&[Value::logical4(true)], &["  T"]),
        (&[text("GPU sum passed? "), Value::logical4(true)], &[" GPU sum passed?   T"]),
        (&[text("Time with    textures"), r(1.739_385_5e-5)], &[" Time with    textures   1.7393855E-05"]),
        (&[text("Speedup with textures"), r(0.941_952_9)], &[" Speedup with textures   0.9419529    "]),
        (&[text("test PASSED")], &[" test PASSED"]),
        (&[i(565)], &["          565"]),
        (&[r(0.577_956), r(0.998_798_9), r(0.651_353_4)], &["   0.5779560       0.9987989       0.6513534    "]),
        (
            &[text("Running with "), i(5), text(" threads, each section = "), i(2000)],
            &[" Running with             5  threads, each section =          2000"],
        ),
        (&[text("Number of Errors:"), i(80_000_000)], &[" Number of Errors:     80000000"]),
        (&[text("HostSerial"), d(2_489.612_915_315_794)], &[" HostSerial    2489.612915315794     "]),
        (
            &[text("Device, 3 ways:"), d(2_489.612_915_315_794), d(1_226.804_297_426_552), d(0.0)],
            &[" Device, 3 ways:    2489.612915315794         1226.804297426552      ", "    0.000000000000000     "],
        ),
        (&[d(1_226.804_297_426_552)], &["    1226.804297426552     "]),
        (&[], &[" "]),
        (&[text("")], &[" "]),
    ];
    for (values, expected) in cases {
        assert_eq!(print(values), expected);
    }
}

#[test]
fn long_list_wraps_after_the_separator() {
    let lines = print(&[Value::real4(4000.0); 12]);
    let row = "    4000.000        4000.000        4000.000        4000.000    ";
    assert_eq!(lines, [format!("{row} "), format!("{row} "), row.to_string()]);
}

#[test]
fn kinds_have_their_own_widths() {
    let int = |ty, bits| Value::Int { ty, bits };
    assert_eq!(
        print(&[int(Ty::I8, 0xff), int(Ty::I16, 300), int(Ty::I64, 1 << 40)]),
        ["    -1     300            1099511627776"]
    );
    assert_eq!(print(&[int(Ty::I32, 0x8000_0000)]), ["  -2147483648"]);
    assert_eq!(print(&[Value::Logical { ty: Ty::I8, bits: 0 }, Value::logical4(true)]), ["  F  T"]);
}

#[test]
fn reals_take_an_exponent_outside_of_their_range() {
    let (r, d) = (Value::real4, Value::real8);
    for (value, expected) in [
        (r(0.0), "    0.000000    "),
        (r(-0.0), "   -0.000000    "),
        (r(0.1), "   0.1000000    "),
        (r(0.099_999_994), "   9.9999994E-02"),
        (r(9_999_999.0), "    9999999.    "),
        (r(10_000_000.0), "   1.0000000E+07"),
        (r(-1_234_567.0), "   -1234567.    "),
        (r(f32::MIN_POSITIVE), "   1.1754944E-38"),
        (r(f32::INFINITY), "             Inf"),
        (r(f32::NEG_INFINITY), "            -Inf"),
        (r(f32::NAN), "             NaN"),
        (d(0.1), "   0.1000000000000000     "),
        (d(1e15), "    1000000000000000.     "),
        (d(1e16), "   1.0000000000000000E+016"),
        (d(1e-300), "   1.0000000000000000E-300"),
        (d(-0.05), "  -5.0000000000000003E-002"),
    ] {
        assert_eq!(print(&[value]), [expected]);
    }
}

#[test]
fn complex_numbers_have_no_inner_blanks() {
    let z = Value::Complex { ty: Ty::F32, re: 0x3f80_0000, im: 0xc000_0000 };
    assert_eq!(print(&[z, z]), [" (1.000000,-2.000000)  (1.000000,-2.000000)"]);
    let comma = Modes { decimal: Decimal::Comma, ..Modes::default() };
    assert_eq!(print_with(comma, Target::Stream, &[z]).unwrap(), [" (1,000000;-2,000000)"]);
}

#[test]
fn character_values_stand_side_by_side_and_are_never_split() {
    assert_eq!(print(&[text("ab"), text("cd"), Value::int4(1), text("e")]), [" abcd            1 e"]);
    let long = "x".repeat(100);
    assert_eq!(print(&[text(&long)]), [format!(" {long}")]);
    assert_eq!(print(&[text("a"), text(&long), text("b")]), [" a".to_string(), format!(" {long}"), " b".to_string()]);
    let quoted = Modes { delim: Delim::Apostrophe, ..Modes::default() };
    assert_eq!(print_with(quoted, Target::Stream, &[text("it's"), text("so")]).unwrap(), [" 'it''s' 'so'"]);
}

#[test]
fn internal_file_limits_the_record() {
    let to = |n, values: &[Value<'_>]| print_with(Modes::default(), Target::Internal(n), values);
    assert_eq!(to(20, &[Value::int4(1), text("abc")]).unwrap(), ["            1 abc"]);
    assert_eq!(to(15, &[Value::int4(1), text("abc")]).unwrap(), ["            1 ", " abc"]);
    assert_eq!(to(10, &[Value::int4(1)]), Err(IoError::RecordTooLong { limit: 10 }));
    let plus = Modes { sign: Sign::Plus, ..Modes::default() };
    assert_eq!(print_with(plus, Target::RecordLength(200), &[Value::int4(1)]).unwrap(), ["           +1"]);
}
