//! The module `hdf5`: interfaces of C functions and routines that call them, made of `tables`, beside those written out.
//!
//! Where ranks of MPI have opened a file together, a routine that changes it is done by the first of them, and the others learn what
//! came of it (`hdf5_ranks.cuf`).
//!
//! Not here: which library it is and when it is loaded (`foreign`).

mod tables;

use self::tables::{IDENTIFIERS, NUMBERS, ROUTINES};
use std::fmt::Write;
use std::sync::LazyLock;

/// What a parameter of a C function is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// A number of so many bytes.
    Number(u32),
    /// A number of 8 bytes that is 0 where the function fails.
    NotZero,
    /// A logical in Fortran, an `int` in C.
    Logical,
    Text,
}

/// A parameter of a row.
#[derive(Debug)]
struct Parameter<'r> {
    name: &'r str,
    form: Form,
    /// C gets its address.
    is_set: bool,
    is_result: bool,
    /// Its place among the optional dummies.
    optional: Option<u32>,
    only_in_fortran: bool,
}

impl<'r> Parameter<'r> {
    fn new(word: &'r str, number: u32) -> Parameter<'r> {
        let (is_set, is_result, only_in_fortran) =
            (word.starts_with('>'), word.starts_with('='), word.starts_with('-'));
        let word = word.trim_start_matches(['>', '=', '-']);
        let (word, optional) = match word.split_once('?') {
            Some((word, place)) => (word, Some(place.parse().unwrap_or(number))),
            None => (word, None),
        };
        let (name, form) = match word.split_once(':') {
            Some((name, "4")) => (name, Form::Number(4)),
            Some((name, "l")) => (name, Form::Logical),
            Some((name, "s")) => (name, Form::Text),
            Some((name, "z")) => (name, Form::NotZero),
            Some((name, _)) => (name, Form::Number(8)),
            None => (word, Form::Number(8)),
        };
        Parameter { name, form, is_set, is_result, optional, only_in_fortran }
    }

    /// The type of the dummy in Fortran.
    fn dummy_type(&self) -> &'static str {
        match self.form {
            Form::Number(4) => "integer(4)",
            Form::Number(_) | Form::NotZero => "integer(8)",
            Form::Logical => "logical(4)",
            Form::Text => "character(len=*)",
        }
    }

    /// The same in the interface of the C function.
    fn c_type(&self) -> &'static str {
        match self.form {
            Form::Number(4) | Form::Logical => "integer(4)",
            Form::Number(_) | Form::NotZero => "integer(8)",
            Form::Text => "character(1)",
        }
    }

    /// The argument that the C function gets.
    fn argument(&self) -> String {
        let name = self.name;
        match self.form {
            Form::Text => format!("trim({name})//char(0)"),
            Form::Logical => format!("merge(1, 0, {name})"),
            _ if self.optional.is_some() => format!("cufemu_given({name})"),
            _ => name.to_owned(),
        }
    }
}

/// A row of the table.
struct Row<'r> {
    name: &'r str,
    function: &'r str,
    changes_file: bool,
    parameters: Vec<Parameter<'r>>,
}

impl<'r> Row<'r> {
    fn new(row: &'r str) -> Row<'r> {
        let mut words = row.split(' ');
        let name = words.next().unwrap_or_default();
        let function = words.next().unwrap_or_default();
        let parameters = words.zip(1..).map(|(word, number)| Parameter::new(word, number)).collect();
        Row { name: name.trim_start_matches('!'), function, changes_file: name.starts_with('!'), parameters }
    }

    fn result(&self) -> Option<&Parameter<'r>> {
        self.parameters.iter().find(|p| p.is_result)
    }

    fn passed(&self) -> impl Iterator<Item = &Parameter<'r>> {
        self.parameters.iter().filter(|p| !p.is_result && !p.only_in_fortran)
    }

    /// The interface of the C function.
    fn interface(&self) -> String {
        let names: Vec<&str> = self.passed().map(|p| p.name).collect();
        let result = self.result().map_or("integer(4)", Parameter::c_type);
        let function = self.function;
        let mut out = format!(
            "    {result} function cufemu_{function}({}) &\n        bind(c, name='{function}')\n",
            names.join(", ")
        );
        for p in self.passed() {
            let name = p.name;
            let _ = match (p.form, p.is_set) {
                (Form::Text, _) => writeln!(out, "      {}, intent(in) :: {name}(*)", p.c_type()),
                (_, true) => writeln!(out, "      {}, intent(inout) :: {name}", p.c_type()),
                (_, false) => writeln!(out, "      {}, value :: {name}", p.c_type()),
            };
        }
        out + "    end function\n"
    }

    /// The routine of Fortran.
    fn routine(&self) -> String {
        let mut optional: Vec<&Parameter<'r>> = self.parameters.iter().filter(|p| p.optional.is_some()).collect();
        optional.sort_by_key(|p| p.optional);
        let given = self.parameters.iter().filter(|p| p.optional.is_none() && !p.is_result);
        let dummies: Vec<&Parameter<'r>> = given.chain(self.result()).collect();
        let names = dummies.iter().map(|p| p.name).chain(["hdferr"]).chain(optional.iter().map(|p| p.name));
        let mut out = format!("\n  subroutine {}({})\n", self.name, names.collect::<Vec<_>>().join(", "));
        for p in &dummies {
            let intent = if p.is_set || p.is_result { "out" } else { "in" };
            let _ = writeln!(out, "    {}, intent({intent}) :: {}", p.dummy_type(), p.name);
        }
        out.push_str("    integer(4), intent(out) :: hdferr\n");
        for p in &optional {
            let _ = writeln!(out, "    {}, intent(in), optional :: {}", p.dummy_type(), p.name);
        }
        let arguments: Vec<String> = self.passed().map(Parameter::argument).collect();
        let call = format!("cufemu_{}({})", self.function, arguments.join(", &\n      "));
        let location = self.passed().find(|p| p.form == Form::Number(8)).map_or("", |p| p.name);
        for p in self.passed().filter(|p| p.is_set) {
            let _ = writeln!(out, "    {} = 0", p.name);
        }
        let mut body = String::new();
        let status = match self.result() {
            None => {
                let _ = writeln!(body, "hdferr = cufemu_error({call})");
                String::new()
            }
            Some(p) if p.form == Form::Logical => {
                out.push_str("    integer(4) :: answer\n");
                let _ = writeln!(body, "answer = {call}");
                format!("    {} = answer > 0\n    hdferr = cufemu_error(answer)\n", p.name)
            }
            Some(p) => {
                let _ = writeln!(body, "{} = {call}", p.name);
                let operator = if p.form == Form::NotZero { "==" } else { "<" };
                format!("    hdferr = merge(-1, 0, {} {operator} 0)\n", p.name)
            }
        };
        if !self.changes_file {
            let _ = write!(out, "    {body}");
        } else if let Some(p) = self.result() {
            let name = p.name;
            let _ = write!(
                out,
                "    {name} = -1\n    if (cufemu_leads({location})) then\n      {body}    end if\n    \
                 call cufemu_tell_object({location}, {name})\n"
            );
        } else {
            let _ = write!(
                out,
                "    hdferr = 0\n    if (cufemu_leads({location})) then\n      {body}    end if\n    \
                 call cufemu_tell({location}, hdferr)\n"
            );
        }
        out + &status + "  end subroutine\n"
    }
}

/// The module.
pub(crate) static MODULE: LazyLock<String> = LazyLock::new(|| {
    let rows: Vec<Row<'_>> = ROUTINES.iter().map(|row| Row::new(row)).collect();
    let mut out = include_str!("../modules/hdf5_head.cuf").to_owned();
    for (name, value) in NUMBERS {
        let _ = writeln!(out, "  integer(4), parameter :: {name} = {value}");
    }
    for (name, _) in IDENTIFIERS {
        let _ = writeln!(out, "  integer(8) :: {name} = 0");
    }
    out.push_str("  interface\n");
    rows.iter().for_each(|row| out.push_str(&row.interface()));
    out.push_str("  end interface\n\n");
    out.push_str(include_str!("../modules/hdf5_library.cuf"));
    out.push_str("\n  ! The identifiers that the library has when it is open.\n  subroutine cufemu_identifiers()\n");
    for (name, variable) in IDENTIFIERS {
        let _ = writeln!(out, "    {name} = cufemu_identifier('{variable}')");
    }
    out.push_str("  end subroutine\n");
    for part in [
        include_str!("../modules/hdf5_ranks.cuf"),
        include_str!("../modules/hdf5_extents.cuf"),
        include_str!("../modules/hdf5_data.cuf"),
    ] {
        out.push_str(part);
    }
    rows.iter().for_each(|row| out.push_str(&row.routine()));
    out + "end module hdf5\n"
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn optional_dummies_have_their_own_order() {
        let row = Row::new("!h5dcreate_f H5Dcreate2 loc_id name:s lcpl_id?2 dcpl_id?1 =dset_id");
        let routine = row.routine();
        assert!(
            routine.contains("subroutine h5dcreate_f(loc_id, name, dset_id, hdferr, dcpl_id, lcpl_id)"),
            "{routine}"
        );
        let call = "cufemu_H5Dcreate2(loc_id, &\n      trim(name)//char(0), &\n      cufemu_given(lcpl_id), &\n      cufemu_given(dcpl_id))";
        assert!(routine.contains(call), "{routine}");
        assert!(routine.contains("call cufemu_tell_object(loc_id, dset_id)"), "{routine}");
    }

    #[test]
    fn no_routine_is_there_twice() {
        let mut names: Vec<&str> = ROUTINES.iter().map(|row| Row::new(row).name).collect();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
