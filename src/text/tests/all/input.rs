//! Formatted and list-directed input against what another compiler read: `input.txt`, made by `record_input.f90`.

use cufemu_text::{Datum, Decimal, Format, FormatReader, IoError, ListReader, Modes, Place, Progress, Want};
use scalar::{Ty, bits};
use std::panic::catch_unwind;
use std::sync::Arc;

const TABLE: &str = include_str!("input.txt");

/// Recorded cases in which that compiler goes beyond the standard or against it, or nvfortran's library goes beyond it.
fn is_known_different(kind: &str, format: &str, text: &str, expected: &str) -> bool {
    match format {
        // It does not convert numbers to another type, and takes no blank logical value.
        "*" if expected == "error" && is_converted(kind, text) => true,
        "(l2)" | "(l4)" | "(l7)" if text.is_empty() || text == "  .f" => true,
        // It takes the rightmost characters of what the record has, not of the field padded with blanks.
        "(a8)" => text.len() < 8,
        // It ends a field with the record; the blanks that pad it count as zeros too (Fortran 2018, 12.6.4).
        "(bz,i5)" => text.len() < 5,
        "(bz,f8.2)" => text.len() < 8,
        // It refuses `g0` for characters.
        "(g0)" => true,
        // It lets a point be the decimal symbol besides the comma.
        "(dc,f8.3)" if text.contains('.') => true,
        // It takes signs in hexadecimal and octal numbers.
        "(z8)" | "(o6)" => text.starts_with(['-', '+']),
        // It lets a semicolon separate values besides the comma.
        "*" if text.contains(';') => true,
        // It reads a sign or a point without a digit as zero; its NaN has other bits.
        _ => (text == "-" || text == ".") || (kind == "r4" && text.to_ascii_lowercase().starts_with("nan")),
    }
}

/// Whether list-directed input has a number of another type than the item's.
fn is_converted(kind: &str, text: &str) -> bool {
    match kind {
        "li" => text == "1.5 2 3 4 5",
        "r4" | "r8" => text.starts_with('('),
        "c8" | "l4" => text.starts_with(|c: char| "+-.(0123456789".contains(c)) || matches!(text, "nan" | "inf"),
        _ => false,
    }
}

/// What is read from records, or `None` where that is an error or the records end.
fn read_formatted(format: &str, records: &[&str], want: Want) -> Option<Datum> {
    let mut records = records.iter();
    let format: Format = format.parse().unwrap();
    let mut reader = FormatReader::begin(Arc::new(format), Modes::default(), None);
    loop {
        match reader.item(want).ok()? {
            Progress::Ready(datum) => return Some(datum),
            Progress::NeedRecord => reader.feed(records.next()?.as_bytes().to_vec()),
        }
    }
}

fn read_listed(records: &[&str], wants: &[Want]) -> Option<Vec<Option<Datum>>> {
    let mut records = records.iter();
    let mut reader = ListReader::begin(Modes::default());
    let mut data = Vec::new();
    while data.len() < wants.len() {
        match reader.item(wants[data.len()]).ok()? {
            Progress::Ready(datum) => data.push(datum),
            Progress::NeedRecord => reader.feed(records.next()?.as_bytes().to_vec()),
        }
    }
    Some(data)
}

fn words(datum: Option<&Datum>, old: &str) -> String {
    match datum {
        None => old.to_string(),
        Some(Datum::Bits(word)) => format!("{word:X}"),
        Some(Datum::Complex(re, im)) => format!("{re:X} {im:X}"),
        Some(Datum::Char(text)) => text.iter().map(|c| format!("{c:X}")).collect::<Vec<_>>().join(" "),
    }
}

#[test]
fn input_equals_the_recorded_table() {
    let (mut cases, mut wrong) = (0, Vec::new());
    for line in TABLE.lines() {
        let parts: Vec<&str> = line.split('|').collect();
        let [kind, format, text, expected, ""] = parts[..] else { panic!("malformed line {line}") };
        let (want, old) = match kind {
            "li" | "i4" => (Want::Int(Ty::I32), "FFFFFF9D"),
            "r8" => (Want::Real(Ty::F64), "C058C00000000000"),
            "r4" => (Want::Real(Ty::F32), "C2C60000"),
            "c8" => (Want::Complex(Ty::F64), "C058C00000000000 0"),
            "l4" => (Want::Logical(Ty::I32), "0"),
            _ => (Want::Char(5), "23 23 23 23 23"),
        };
        let records: Vec<&str> = text.split('^').collect();
        let found = if format == "*" {
            let count = if kind == "li" { 5 } else { 1 };
            read_listed(&records, &vec![want; count])
                .map(|data| data.iter().map(|d| words(d.as_ref(), old)).collect::<Vec<_>>().join(" "))
        } else {
            read_formatted(format, &records, want).map(|datum| words(Some(&datum), old))
        };
        let found = found.unwrap_or_else(|| "error".to_string());
        cases += 1;
        if found != expected && !is_known_different(kind, format, text, expected) {
            wrong.push(format!("{line}   found |{found}|"));
        }
    }
    assert!(cases > 2000, "{cases} cases only");
    assert!(wrong.is_empty(), "{} of {cases} differ:\n{}", wrong.len(), wrong.join("\n"));
}

fn reader(format: &str, place: Option<Place>, modes: Modes) -> FormatReader {
    FormatReader::begin(Arc::new(format.parse().unwrap()), modes, place)
}

#[test]
fn reader_asks_for_a_record_whenever_it_needs_one() {
    let mut r = reader("(i2,/,2(f4.1,:,i1))", None, Modes::default());
    let (int, real) = (Want::Int(Ty::I32), Want::Real(Ty::F64));
    assert_eq!(r.item(int), Ok(Progress::NeedRecord));
    r.feed(b" 7 and more".to_vec());
    assert_eq!(r.item(int), Ok(Progress::Ready(Datum::Bits(7))));
    assert_eq!(r.item(real), Ok(Progress::NeedRecord));
    assert_eq!(r.item(real), Ok(Progress::NeedRecord));
    r.feed(b" 1.53 2.54".to_vec());
    assert_eq!(r.item(real), Ok(Progress::Ready(Datum::Bits(bits::from_f64(1.5)))));
    assert_eq!(r.item(int), Ok(Progress::Ready(Datum::Bits(3))));
    assert_eq!(r.item(real), Ok(Progress::Ready(Datum::Bits(bits::from_f64(2.5)))));
    assert_eq!(r.item(int), Ok(Progress::Ready(Datum::Bits(4))));
    // Reversion begins a record.
    assert_eq!(r.item(real), Ok(Progress::NeedRecord));
    r.feed(b"0.125".to_vec());
    assert_eq!(r.item(real), Ok(Progress::Ready(Datum::Bits(bits::from_f64(0.12)))));
    assert_eq!(r.finish(true), Ok(Progress::Ready(None)));
}

#[test]
fn slashes_behind_the_last_item_pass_records() {
    let mut r = reader("(i2,//)", None, Modes::default());
    r.feed(b"12".to_vec());
    assert_eq!(r.item(Want::Int(Ty::I8)), Ok(Progress::Ready(Datum::Bits(12))));
    assert_eq!(r.finish(true), Ok(Progress::NeedRecord));
    r.feed(Vec::new());
    assert_eq!(r.finish(true), Ok(Progress::NeedRecord));
    r.feed(Vec::new());
    assert_eq!(r.finish(true), Ok(Progress::Ready(None)));
    assert_eq!(r.finish(true), Ok(Progress::Ready(None)));
}

#[test]
fn statement_without_advance_gets_back_its_place() {
    let mut r = reader("(a3,1x)", None, Modes::default());
    r.feed(b"abc-defg".to_vec());
    assert_eq!(r.item(Want::Char(3)), Ok(Progress::Ready(Datum::Char(b"abc".to_vec()))));
    assert_eq!(r.count(), 3);
    let Ok(Progress::Ready(Some(place))) = r.finish(false) else { panic!("no place") };
    assert_eq!(place, Place { record: b"abc-defg".to_vec(), at: 4, left: 0 });
    let mut r = reader("(t2,a6)", Some(place), Modes::default());
    assert_eq!(r.item(Want::Char(6)), Ok(Progress::Ready(Datum::Char(b"efg   ".to_vec()))));
    assert!(r.ended_short());
    assert_eq!(r.count(), 3);
}

#[test]
fn short_record_without_padding_is_an_error() {
    let mut r = reader("(i5)", None, Modes { pad: false, ..Modes::default() });
    r.feed(b"12".to_vec());
    assert_eq!(r.item(Want::Int(Ty::I32)), Err(IoError::EndOfRecord));
}

#[test]
fn complex_item_takes_two_fields_and_may_wait_between_them() {
    let mut r = reader("(f4.0,/,f4.0)", None, Modes::default());
    r.feed(b"1.5".to_vec());
    assert_eq!(r.item(Want::Complex(Ty::F32)), Ok(Progress::NeedRecord));
    r.feed(b"-2.".to_vec());
    assert_eq!(
        r.item(Want::Complex(Ty::F32)),
        Ok(Progress::Ready(Datum::Complex(bits::from_f32(1.5), bits::from_f32(-2.0))))
    );
}

#[test]
fn descriptors_without_width_read_the_default_field() {
    let read = |format, text, want| read_formatted(format, &[text], want);
    assert_eq!(read("(i)", "1024            ", Want::Int(Ty::I32)), Some(Datum::Bits(1024)));
    assert_eq!(read("(f)", "2.5", Want::Real(Ty::F32)), Some(Datum::Bits(bits::from_f32(2.5))));
    assert_eq!(read("(l)", "T", Want::Logical(Ty::I32)), Some(Datum::Bits(1)));
    assert_eq!(read("(a4)", "ABCD", Want::Int(Ty::I32)), Some(Datum::Bits(0x4443_4241)));
    assert_eq!(read("(i0)", "12", Want::Int(Ty::I32)), None);
    assert_eq!(read("(i5)", "12", Want::Real(Ty::F32)), None);
}

#[test]
fn list_in_decimal_comma_separates_with_semicolons() {
    let mut r = ListReader::begin(Modes { decimal: Decimal::Comma, ..Modes::default() });
    assert_eq!(r.finish(), Progress::NeedRecord);
    r.feed(b"1,5;2,25; (1,5;2)".to_vec());
    let real = Want::Real(Ty::F64);
    assert_eq!(r.item(real), Ok(Progress::Ready(Some(Datum::Bits(bits::from_f64(1.5))))));
    assert_eq!(r.item(real), Ok(Progress::Ready(Some(Datum::Bits(bits::from_f64(2.25))))));
    assert_eq!(
        r.item(Want::Complex(Ty::F64)),
        Ok(Progress::Ready(Some(Datum::Complex(bits::from_f64(1.5), bits::from_f64(2.0)))))
    );
    assert_eq!(r.finish(), Progress::Ready(()));
}

/// Takes a text for a list of values, and, between parentheses, for a format with the text as its record.
fn read_and_write(text: &[u8]) {
    let wants = [Want::Int(Ty::I8), Want::Real(Ty::F32), Want::Complex(Ty::F64), Want::Logical(Ty::I64), Want::Char(3)];
    let mut r = ListReader::begin(Modes::default());
    r.feed(text.to_vec());
    for want in wants {
        let _ = r.item(want);
    }
    let text = [b"(", text, b")"].concat();
    let Ok(format) = Format::parse(&text) else { return };
    let format = Arc::new(format);
    let mut r = FormatReader::begin(Arc::clone(&format), Modes::default(), None);
    let mut w = cufemu_text::FormatWriter::begin(format, Modes::default(), Vec::new(), Some(1 << 20));
    for want in wants {
        r.feed(text.clone());
        let _ = r.item(want);
        let _ = w.item(cufemu_text::Value::real8(1.5));
        let _ = w.item(cufemu_text::Value::int4(-3));
        let _ = w.item(cufemu_text::Value::Char(b"x"));
    }
    let _ = w.finish(true);
}

#[test]
fn any_bytes_end_in_a_value_or_an_error() {
    let alphabet = b"()0123456789,.*/:'\"iIfFeEgGaAlLxXtTrRpPsSbBzZdD +-$&%=!hnN\x80";
    for seed in 0..30_000 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let text: Vec<u8> = (0..rng.usize(..24)).map(|_| alphabet[rng.usize(..alphabet.len())]).collect();
        assert!(catch_unwind(|| read_and_write(&text)).is_ok(), "seed {seed}: {}", text.escape_ascii());
    }
}
