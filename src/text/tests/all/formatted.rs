//! Formatted output against the recorded output of another compiler: `formatted.txt`, made by `record_formatted.f90`.
//!
//! That compiler rounds ties to even where no mode is given, so these cases run with `round='nearest'`. The few cases where
//! it is known to be wrong are named in [`KNOWN_WRONG`].

use cufemu_text::{Format, FormatWriter, Modes, Round, Value};
use scalar::Ty;
use std::sync::Arc;

const TABLE: &str = include_str!("formatted.txt");
const WORDS: [&[u8]; 4] = [b"alpha", b"beta ", b"     ", b"x y z"];

/// Recorded cases that contradict the standard: tiny numbers that `ru` and `rd` left at zero, `g` that chose its form by
/// bounds in inexact arithmetic, `z8.0` of a number whose low half is zero.
const KNOWN_WRONG: [(&str, &str, u64); 5] = [
    ("r4", "(g15.7)", 0xbdcc_cccc),
    ("r4", "(1p,g15.7e2)", 0xbdcc_cccc),
    ("r8", "(g11.2)", 0x3fef_d70a_3d70_a3d7),
    ("i8", "(z8.0)", 0x1_0000_0000),
    ("i8", "(z8.0)", 1 << 63),
];

fn is_known_wrong(kind: &str, format: &str, bits: u64) -> bool {
    let magnitude = match kind {
        "r8" => f64::from_bits(bits).abs(),
        "r4" => f32::from_bits(bits as u32).abs().into(),
        _ => 1.0,
    };
    let directed = format.starts_with("(ru,f") || format.starts_with("(rd,f");
    KNOWN_WRONG.contains(&(kind, format, bits)) || (directed && magnitude < 1e-15)
}

fn write(format: &str, values: &[Value<'_>]) -> String {
    let modes = Modes { round: Round::Nearest, ..Modes::default() };
    let format = match Format::parse(format.as_bytes()) {
        Ok(format) => Arc::new(format),
        Err(error) => return format!("{error}"),
    };
    let mut writer = FormatWriter::begin(format, modes, Vec::new(), None);
    for value in values {
        if let Err(error) = writer.item(*value) {
            return format!("{error}");
        }
    }
    match writer.finish(true) {
        Ok(written) => {
            let records: Vec<_> = written.records.iter().map(|r| String::from_utf8_lossy(r).into_owned()).collect();
            records.join("^")
        }
        Err(error) => format!("{error}"),
    }
}

/// The parts of a line; the format may hold the separator in a literal, the output cannot start before the third one.
fn parts(line: &str) -> Option<(&str, &str, u64, &str)> {
    let (kind, rest) = line.split_once('|')?;
    let end = rest.find(")|")? + 1;
    let (bits, output) = rest[end + 1..].split_once('|')?;
    Some((kind, &rest[..end], u64::from_str_radix(bits, 16).ok()?, output.strip_suffix('|')?))
}

#[test]
fn formatted_output_equals_the_recorded_table() {
    let (mut cases, mut wrong) = (0, Vec::new());
    for line in TABLE.lines() {
        let Some((kind, format, bits, expected)) = parts(line) else { panic!("malformed line {line}") };
        let values: Vec<Value<'_>> = match kind {
            "r8" => vec![Value::Real { ty: Ty::F64, bits }],
            "r4" => vec![Value::Real { ty: Ty::F32, bits }],
            "i8" => vec![Value::Int { ty: Ty::I64, bits }],
            "i4" => vec![Value::Int { ty: Ty::I32, bits: bits & 0xffff_ffff }],
            "i2" => vec![Value::Int { ty: Ty::I16, bits: bits & 0xffff }],
            "i1" => vec![Value::Int { ty: Ty::I8, bits: bits & 0xff }],
            "l4" => vec![Value::Logical { ty: Ty::I32, bits }],
            "c5" => WORDS[..bits as usize].iter().map(|w| Value::Char(w)).collect(),
            _ => (1..=bits as i32).map(Value::int4).collect(),
        };
        let found = write(format, &values);
        cases += 1;
        if found != expected && !is_known_wrong(kind, format, bits) {
            wrong.push(format!("{line}\n   found |{found}|"));
        }
    }
    assert!(cases > 9000, "{cases} cases only");
    assert!(wrong.is_empty(), "{} of {cases} differ:\n{}", wrong.len(), wrong[..wrong.len().min(60)].join("\n"));
}

#[test]
fn default_modes_are_those_of_nvfortran() {
    let show = |format: &str, values: &[Value<'_>]| {
        let Ok(format) = format.parse::<Format>() else { panic!("{format}") };
        let mut writer = FormatWriter::begin(Arc::new(format), Modes::default(), Vec::new(), None);
        for value in values {
            writer.item(*value).unwrap();
        }
        String::from_utf8(writer.finish(true).unwrap().records.concat()).unwrap()
    };
    let (r4, r8) = (Value::real4, Value::real8);
    // Ties go away from zero.
    assert_eq!(show("(f4.1)", &[r8(0.25)]), " 0.3");
    assert_eq!(show("(e9.2)", &[r8(0.125)]), " 0.13E+00");
    // A zero stands before the point where there is room.
    assert_eq!(show("(f0.3,1x,f0.2,1x,f0.0)", &[r8(0.5), r8(-0.25), r8(1e20)]), "0.500 -0.25 100000000000000000000.");
    assert_eq!(show("(e13.7)", &[r8(-0.888_178_4e-15)]), "-.8881784E-15");
    assert_eq!(show("(e13.7)", &[r8(0.133_226_8e-14)]), "0.1332268E-14");
    // Infinities and NaNs.
    assert_eq!(
        show("(f8.2,f10.1,sp,f6.1,f2.0)", &[r8(f64::INFINITY), r8(f64::NEG_INFINITY), r8(f64::INFINITY), r8(f64::NAN)]),
        "     Inf      -Inf  +Inf**"
    );
    // Descriptors without width.
    assert_eq!(show("('<',i,'>')", &[Value::int4(-42)]), "<         -42>");
    assert_eq!(show("('<',i,'>')", &[Value::int8(7)]), "<                       7>");
    assert_eq!(show("('<',f,'>')", &[r4(1.5)]), "<      1.5000000>");
    assert_eq!(show("('<',f,'>')", &[r8(1.5)]), "<       1.5000000000000000>");
    assert_eq!(show("('<',l,'><',l0,'><',l1,'>')", &[Value::logical4(true); 3]), "< T><T><T>");
    assert_eq!(show("('<',g,'><',z,'>')", &[r4(0.5), Value::int4(255)]), "<  0.5000000    ><          FF>");
    // `g0`.
    assert_eq!(
        show("(g0,1x,g0,1x,g0,1x,g0)", &[r4(0.5), r8(0.1), Value::int4(3), Value::logical4(false)]),
        "0.5000000 0.1000000000000000 3 F"
    );
    assert_eq!(
        show("(g0,1x,g0,1x,g0.3,1x,g0)", &[r4(1e-10), r8(1e120), r8(12.345), r8(0.0)]),
        "0.1000000E-09 0.1000000000000000E+121 12.3 0."
    );
    // Items of another type.
    assert_eq!(show("(a4,a2)", &[Value::int4(0x4443_4241), Value::Char(b"xyz")]), "ABCDxy");
    assert_eq!(show("(z16,z0,o0)", &[r8(1.0), Value::Char(b"AB"), Value::int4(-1)]), "3FF0000000000000414237777777777");
}

#[test]
fn items_that_do_not_suit_their_descriptor_are_errors() {
    let error = |format: &str, value| write(format, &[value]);
    assert_eq!(error("(i5)", Value::real4(1.0)), "edit descriptor `i5` does not suit an item of type real");
    assert_eq!(error("(f8.3)", Value::int4(1)), "edit descriptor `f8.3` does not suit an item of type integer");
    assert_eq!(error("(f8.3)", Value::Char(b"x")), "edit descriptor `f8.3` does not suit an item of type character");
    assert_eq!(
        error("(es10.3e2)", Value::logical4(true)),
        "edit descriptor `es10.3e2` does not suit an item of type logical"
    );
    assert_eq!(
        error("('x')", Value::int4(1)),
        "data items remain but the format has no data edit descriptor left for them"
    );
    assert_eq!(error("(dt)", Value::int4(1)), "edit descriptor `dt` does not suit an item of type integer");
}

#[test]
fn statement_without_advance_leaves_its_record_open() {
    let begin = |format: &str, rest: Vec<u8>| {
        FormatWriter::begin(Arc::new(format.parse().unwrap()), Modes::default(), rest, None)
    };
    let mut writer = begin("(a,3x)", Vec::new());
    writer.item(Value::Char(b"y")).unwrap();
    let partial = writer.finish(false).unwrap().partial.unwrap();
    assert_eq!((&partial.left[..], &partial.right[..]), (&b"y   "[..], &b""[..]));
    let mut writer = begin("('abcdef',tl3,$)", Vec::new());
    assert_eq!(writer.take_records().len(), 0);
    let partial = writer.finish(true).unwrap().partial.unwrap();
    assert_eq!((&partial.left[..], &partial.right[..]), (&b"abc"[..], &b"def"[..]));
    let mut writer = begin("(a1)", partial.right);
    writer.item(Value::Char(b"X")).unwrap();
    assert_eq!(writer.finish(true).unwrap().records, [b"Xef"]);
}

#[test]
fn records_longer_than_their_unit_are_errors() {
    let mut writer = FormatWriter::begin(Arc::new("(i5,i6)".parse().unwrap()), Modes::default(), Vec::new(), Some(10));
    writer.item(Value::int4(1)).unwrap();
    assert_eq!(writer.item(Value::int4(1)).unwrap_err().to_string(), "the record exceeds 10 characters");
}

#[test]
fn complex_items_take_two_descriptors() {
    let z = Value::Complex { ty: Ty::F32, re: 0x3f80_0000, im: 0xc000_0000 };
    assert_eq!(write("('(',f5.2,',',f5.2,')')", &[z]), "( 1.00,-2.00)");
}

/// Run in a release build.
#[test]
#[ignore = "measures time"]
fn many_internal_writes_are_fast() {
    let format = Arc::new("(i0,a,f8.3)".parse::<Format>().unwrap());
    let start = std::time::Instant::now();
    let mut total = 0;
    for i in 0..100_000 {
        let mut writer = FormatWriter::begin(Arc::clone(&format), Modes::default(), Vec::new(), Some(80));
        writer.item(Value::int4(i)).unwrap();
        writer.item(Value::Char(b" value ")).unwrap();
        writer.item(Value::real8(f64::from(i) * 0.37)).unwrap();
        total += writer.finish(true).unwrap().records[0].len();
    }
    let elapsed = start.elapsed();
    assert!(total > 0 && elapsed.as_millis() < 100, "{elapsed:?}");
}
