//! Namelist input and output.

use cufemu_text::{
    Datum, Delim, Designator, IoError, Modes, NamelistReader, NamelistTarget, NamelistWriter, Progress, Subscript,
    Value, Want,
};
use scalar::{Ty, bits};

/// An integer `n`, a real(8) array `x(4)`, a character `name`, a logical `on`, a component `t%i`.
#[derive(Default, Debug, PartialEq)]
struct Group {
    n: i32,
    x: [f64; 4],
    name: String,
    on: bool,
    component: i32,
}

impl NamelistTarget for Group {
    fn locate(&mut self, designator: &Designator) -> Result<Vec<Want>, IoError> {
        let first = &designator.parts[0];
        Ok(match (first.name.as_str(), designator.parts.get(1)) {
            ("n", None) => vec![Want::Int(Ty::I32)],
            ("x", None) => vec![Want::Real(Ty::F64); 4 - offset(designator)],
            ("name", None) => vec![Want::Char(8)],
            ("on", None) => vec![Want::Logical(Ty::I32)],
            ("t", Some(part)) if part.name == "i" => vec![Want::Int(Ty::I32)],
            _ => return Err(IoError::NoSuchVariable { name: designator.to_string() }),
        })
    }

    fn store(&mut self, designator: &Designator, element: usize, datum: Datum) -> Result<(), IoError> {
        match (designator.parts[0].name.as_str(), datum) {
            ("n", Datum::Bits(word)) => self.n = word as i32,
            ("x", Datum::Bits(word)) => self.x[offset(designator) + element] = f64::from_bits(word),
            ("name", Datum::Char(text)) => self.name = String::from_utf8_lossy(&text).into_owned(),
            ("on", Datum::Bits(word)) => self.on = word != 0,
            (_, Datum::Bits(word)) => self.component = word as i32,
            _ => {}
        }
        Ok(())
    }
}

fn offset(designator: &Designator) -> usize {
    match designator.parts[0].selectors.first().and_then(|s| s.first()) {
        Some(Subscript::Index(n) | Subscript::Range(Some(n), _, _)) => *n as usize - 1,
        _ => 0,
    }
}

fn read(records: &[&str]) -> Result<Group, IoError> {
    let mut reader = NamelistReader::begin("PAR", Modes::default());
    for record in records {
        if reader.feed(record.as_bytes()) == Progress::Ready(()) {
            let mut group = Group::default();
            return reader.apply(&mut group).map(|_| group);
        }
    }
    Err(IoError::BadNamelist { message: "not complete".to_string() })
}

#[test]
fn group_is_found_and_its_variables_are_set() {
    let group = read(&[
        "a title",
        "&other n=1 /",
        " &par n = 3, x = 1.5 2*2.5,,  ! a comment / with a slash",
        " name = 'it''s /', ON=.true.",
        " t%i = 7 /  what follows is not read",
    ]);
    let expected = Group { n: 3, x: [1.5, 2.5, 2.5, 0.0], name: "it's /  ".to_string(), on: true, component: 7 };
    assert_eq!(group, Ok(expected));
}

#[test]
fn elements_and_null_values_leave_the_others_alone() {
    assert_eq!(read(&["&par x(2)=5, 6 n=2", "&end"]).map(|g| (g.x, g.n)), Ok(([0.0, 5.0, 6.0, 0.0], 2)));
    assert_eq!(read(&["$par x=,7 2*, n=", "1 $end"]).map(|g| (g.x, g.n)), Ok(([0.0, 7.0, 0.0, 0.0], 1)));
    assert_eq!(read(&["&par on = T n = 4/"]).map(|g| (g.on, g.n)), Ok((true, 4)));
    assert_eq!(read(&["&par name='a", "b' /"]).map(|g| g.name), Ok("ab      ".to_string()));
}

#[test]
fn malformed_groups_are_errors() {
    let error = |records: &[&str]| read(records).map_or_else(|e| e.to_string(), |_| String::new());
    assert_eq!(error(&["&par q=1 /"]), "`q` is not in the namelist group");
    assert_eq!(error(&["&par n=1 2 /"]), "more values than `n` has elements");
    assert_eq!(error(&["&par n 1 /"]), "`=` expected after `n`");
    assert_eq!(error(&["&par n=1x5 /"]), "`1x5` is not a valid integer value");
    assert_eq!(error(&["&par x(=1 /"]), "a subscript is missing");
    assert_eq!(error(&["&par 5 /"]), "a name expected at `5`");
    assert_eq!(error(&["&par x(1:2:3,4)%q = 1 /"]), "`x(1:2:3,4)%q` is not in the namelist group");
}

#[test]
fn written_group_has_a_line_for_each_value() {
    let modes = Modes { delim: Delim::Apostrophe, ..Modes::default() };
    let mut writer = NamelistWriter::begin("par", modes);
    writer.variable("n");
    writer.item(Value::int4(5));
    writer.variable("x");
    writer.item(Value::real8(1.5));
    writer.item(Value::real8(2.5));
    writer.variable("name");
    writer.item(Value::Char(b"it's"));
    writer.variable("z");
    writer.item(Value::Complex { ty: Ty::F32, re: bits::from_f32(1.0), im: bits::from_f32(-1.0) });
    writer.variable("on");
    writer.item(Value::logical4(true));
    let lines: Vec<String> = writer.finish().iter().map(|l| String::from_utf8_lossy(l).into_owned()).collect();
    assert_eq!(
        lines,
        [
            " &PAR",
            " N =            5,",
            " X =    1.500000000000000     ,",
            "        2.500000000000000     ,",
            " NAME = 'it''s',",
            " Z = (1.000000,-1.000000),",
            " ON =  T",
            " /",
        ]
    );
}
