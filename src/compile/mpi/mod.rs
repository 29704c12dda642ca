//! The Fortran interfaces of MPI: the modules `mpi` and `mpi_f08`, and the include file `mpif.h`, all made of the same `tables`.
//!
//! The kind of a dummy, which most often is its name, says its type. Every routine is the service `mpi:NAME` of the run time (`lower::call::mpi`), with the same
//! words in all three, since a handle of `mpi_f08` is an integer in a type. For `mpif.h` the routines are external procedures.

mod tables;

use self::tables::{COUNTING, COUNTS, HANDLES, LARGER, LONG_NUMBERS, NUMBERS, PROCEDURES, ROUTINES};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::{Arc, LazyLock};

/// The file with the external procedures for `mpif.h`.
pub(crate) const EXTERNALS: &str = "cufemu_mpif";
/// A name that `mpif.h` declares and no program does.
pub(crate) const MARK: &str = "cufemu_mpif_is_included";

fn name_of(row: &str) -> String {
    format!("mpi_{}", row.split(' ').next().unwrap_or_default())
}

/// Whether a program that mentions these names may call a routine.
pub(crate) fn names_routine(names: &BTreeSet<Arc<str>>) -> bool {
    ROUTINES.iter().any(|row| names.contains(&*name_of(row)))
}

/// Whether a program that mentions these names may give MPI a procedure.
pub(crate) fn gives_procedures(names: &BTreeSet<Arc<str>>) -> bool {
    let takes_one = |row: &&str| row.split(' ').any(|word| PROCEDURES.contains(&Dummy::of(word).kind));
    ROUTINES.iter().filter(|row| takes_one(row)).any(|row| names.contains(&*name_of(row)))
}

/// The three forms of the interfaces.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Handles are integers.
    Module,
    /// Handles are types, and the error code is optional.
    F08,
    /// As `Module`, each procedure external.
    External,
}

/// A dummy of a routine.
#[derive(Clone, Copy)]
struct Dummy<'r> {
    /// What says its type.
    kind: &'r str,
    /// The name that keyword arguments have (MPI 4.0, 19.1.2, 19.1.3).
    name: &'r str,
}

impl<'r> Dummy<'r> {
    fn of(word: &'r str) -> Dummy<'r> {
        let (kind, name) = word.split_once('=').unwrap_or((word, word));
        Dummy { kind, name }
    }
}

/// The declaration of a dummy.
fn declaration(Dummy { kind, name }: Dummy<'_>, form: Form) -> String {
    let handle = |kind: &str| match form {
        Form::F08 => format!("type(mpi_{kind})"),
        _ => "integer(4)".to_owned(),
    };
    if PROCEDURES.contains(&kind) {
        return format!("external :: {name}");
    }
    let (ty, dims) = match kind {
        "buf" | "buffer" | "sendbuf" | "recvbuf" | "inbuf" | "outbuf" | "inoutbuf" | "base" | "baseptr"
        | "origin_addr" | "result_addr" | "compare_addr" | "location" => {
            return format!("type(*), dimension(..) :: {name}");
        }
        "string" | "comm_name" | "type_name" | "win_name" | "filename" | "datarep" => {
            ("character(len=*)".to_owned(), "")
        }
        "comm" | "newcomm" | "comm1" | "comm2" => (handle("comm"), ""),
        "group" | "newgroup" | "group1" | "group2" => (handle("group"), ""),
        "datatype" | "origin_datatype" | "target_datatype" | "result_datatype" | "sendtype" | "recvtype"
        | "oldtype" | "newtype" => (handle("datatype"), ""),
        "types" | "datatypes" | "sendtypes" | "recvtypes" => (handle("datatype"), "(*)"),
        "request" => (handle("request"), ""),
        "requests" => (handle("request"), "(*)"),
        "op" => (handle("op"), ""),
        "errhandler" => (handle("errhandler"), ""),
        "info" | "newinfo" => (handle("info"), ""),
        "fh" => (handle("file"), ""),
        "win" => (handle("win"), ""),
        "message" => (handle("message"), ""),
        "etype" | "filetype" => (handle("datatype"), ""),
        "status" if form == Form::F08 => ("type(mpi_status)".to_owned(), ""),
        "status" => ("integer(4)".to_owned(), "(6)"),
        "statuses" if form == Form::F08 => ("type(mpi_status)".to_owned(), "(*)"),
        "statuses" => ("integer(4)".to_owned(), "(6,*)"),
        "flag" | "reorder" | "commute" | "weighted" => ("logical(4)".to_owned(), ""),
        "periods" | "remain_dims" => ("logical(4)".to_owned(), "(*)"),
        "attribute_long" | "extra_state" | "size_long" | "count_long" | "position_long" | "target_disp" | "address"
        | "stride_bytes" | "lb" | "extent" | "offset" | "file_size" => ("integer(8)".to_owned(), ""),
        "displacements_bytes" | "sdispls_bytes" | "rdispls_bytes" | "addresses" | "large_counts" => {
            ("integer(8)".to_owned(), "(*)")
        }
        "ranges" => ("integer(4)".to_owned(), "(3,*)"),
        "recvcounts" | "sendcounts" | "displs" | "sdispls" | "rdispls" | "indices" | "ranks" | "ranks1" | "ranks2"
        | "dims" | "coords" | "blocklengths" | "displacements" | "sizes" | "subsizes" | "starts" | "index_list"
        | "edges" | "neighbors" | "sources" | "degrees" | "destinations" | "weights" | "sourceweights"
        | "destweights" | "gsizes" | "distribs" | "dargs" | "psizes" | "integers" => ("integer(4)".to_owned(), "(*)"),
        _ => ("integer(4)".to_owned(), ""),
    };
    match form {
        // Without an interface an element may stand for an array, and an array for its first element.
        Form::External if dims.is_empty() && !ty.starts_with("character") => format!("{ty} :: {name}(*)"),
        _ => format!("{ty} :: {name}{dims}"),
    }
}

/// The interfaces of all routines.
fn routines(form: Form) -> String {
    ROUTINES.iter().map(|row| interface(row, form, &[])).collect()
}

/// The dummies of a routine that may be of kind `MPI_COUNT_KIND`.
fn counts_of(row: &str) -> Vec<&str> {
    let mut words = row.split(' ');
    let name = words.next().unwrap_or_default();
    let is_buffer = |word: &str| declaration(Dummy::of(word), Form::F08).starts_with("type(*)");
    let known: &[&str] = match COUNTING.iter().find(|row| row.0 == name) {
        Some((_, counts)) => counts,
        None if words.clone().any(is_buffer) => COUNTS,
        None => &[],
    };
    words.map(|word| Dummy::of(word).kind).filter(|kind| known.contains(kind)).collect()
}

/// The routines of `mpi_f08` with counts of kind `MPI_COUNT_KIND`, by the names of the others: their names end with `_c`, as in C.
fn large_routines() -> String {
    let (mut interfaces, mut names) = (String::new(), String::new());
    let same = ROUTINES.iter().map(|row| (*row, counts_of(row)));
    for (row, counts) in same.chain(LARGER.iter().map(|(row, counts)| (*row, counts.to_vec()))) {
        if !counts.is_empty() {
            let name = row.split(' ').next().unwrap_or_default();
            interfaces.push_str(&interface(row, Form::F08, &counts));
            let _ =
                write!(names, "  interface mpi_{name}\n    procedure :: mpi_{name}, mpi_{name}_c\n  end interface\n");
        }
    }
    format!("  interface\n{interfaces}  end interface\n{names}")
}

/// The interface of a routine; some of its dummies may be of kind `MPI_COUNT_KIND`.
fn interface(row: &str, form: Form, large: &[&str]) -> String {
    let mut out = String::new();
    let mut words = row.split(' ');
    let name = words.next().unwrap_or_default();
    let full = if large.is_empty() { format!("mpi_{name}") } else { format!("mpi_{name}_c") };
    let dummies: Vec<Dummy<'_>> = words.map(Dummy::of).collect();
    let list: Vec<Dummy<'_>> = dummies.iter().copied().chain([Dummy::of("ierror")]).collect();
    let names: Vec<&str> = list.iter().map(|dummy| dummy.name).collect();
    let _ = writeln!(out, "    subroutine {full}({}) bind(c, name='rt:mpi:{full}')", names.join(", "));
    if form != Form::External {
        out.push_str("      import\n");
    }
    if form == Form::External {
        let passed = |d: &&Dummy<'_>| !declaration(**d, form).starts_with("type(*)") && !PROCEDURES.contains(&d.kind);
        let any_rank: Vec<&str> = list.iter().filter(passed).map(|dummy| dummy.name).collect();
        let _ = writeln!(out, "      !dir$ ignore_tkr (r) {}", any_rank.join(", (r) "));
    }
    // The key of a rank is a number, that of an info object a text; the displacement in a grid is short, in a file long.
    let (is_info, is_file) = (name.starts_with("info"), name.starts_with("file"));
    for dummy in dummies {
        let declaration = match dummy.kind {
            "key" | "value" if is_info => format!("character(len=*) :: {}", dummy.name),
            "disp" if is_file && form == Form::External => "integer(8) :: disp(*)".to_owned(),
            "disp" if is_file => "integer(8) :: disp".to_owned(),
            _ if large.contains(&dummy.kind) => declaration(dummy, form).replacen("integer(4)", "integer(8)", 1),
            _ => declaration(dummy, form),
        };
        let _ = writeln!(out, "      {declaration}");
    }
    // Without an interface, programs leave out the code that `MPI_Abort` never gives.
    let is_optional = form == Form::F08 || form == Form::External && name == "abort";
    let optional = if is_optional { ", optional" } else { "" };
    let _ = writeln!(out, "      integer(4){optional} :: ierror\n    end subroutine");
    out
}

/// The interfaces by which programs declare procedures that MPI calls, but for those of attributes.
const CALLED: &str = "  abstract interface
    subroutine mpi_user_function(invec, inoutvec, len, datatype)
      import
      type(cufemu_c_ptr), value :: invec, inoutvec
      integer(4) :: len
      type(mpi_datatype) :: datatype
    end subroutine
    subroutine mpi_comm_errhandler_function(comm, error_code)
      import
      type(mpi_comm) :: comm
      integer(4) :: error_code
    end subroutine
    subroutine mpi_win_errhandler_function(win, error_code)
      import
      type(mpi_win) :: win
      integer(4) :: error_code
    end subroutine
    subroutine mpi_file_errhandler_function(file, error_code)
      import
      type(mpi_file) :: file
      integer(4) :: error_code
    end subroutine
    subroutine mpi_grequest_query_function(extra_state, status, ierror)
      import
      integer(8) :: extra_state
      type(mpi_status) :: status
      integer(4) :: ierror
    end subroutine
    subroutine mpi_grequest_free_function(extra_state, ierror)
      integer(8) :: extra_state
      integer(4) :: ierror
    end subroutine
    subroutine mpi_grequest_cancel_function(extra_state, complete, ierror)
      integer(8) :: extra_state
      logical(4) :: complete
      integer(4) :: ierror
    end subroutine
";

/// Procedures that MPI has for copying and deleting attributes: by the beginning of their names, the type of the object, in
/// `mpi_f08` and otherwise, and the kind of values.
const ATTRIBUTED: [(&str, &str, u32); 4] =
    [("comm_", "comm", 8), ("type_", "datatype", 8), ("win_", "win", 8), ("", "comm", 4)];

/// Those interfaces, of attributes too. The deprecated procedures have none.
fn called() -> String {
    let mut out = CALLED.to_owned();
    for (prefix, kind, bytes) in ATTRIBUTED.into_iter().filter(|(prefix, ..)| !prefix.is_empty()) {
        let old = format!("old{}", prefix.trim_end_matches('_'));
        let _ = write!(
            out,
            "    subroutine mpi_{prefix}copy_attr_function({old}, {prefix}keyval, extra_state, attribute_val_in, \
             attribute_val_out, flag, ierror)\n      import\n      type(mpi_{kind}) :: {old}\n      \
             integer(4) :: {prefix}keyval\n      integer({bytes}) :: extra_state, attribute_val_in, attribute_val_out\n      \
             logical(4) :: flag\n      integer(4) :: ierror\n    end subroutine\n    \
             subroutine mpi_{prefix}delete_attr_function({kind}, {prefix}keyval, attribute_val, extra_state, ierror)\n      \
             import\n      type(mpi_{kind}) :: {kind}\n      integer(4) :: {prefix}keyval\n      \
             integer({bytes}) :: attribute_val, extra_state\n      integer(4) :: ierror\n    end subroutine\n"
        );
    }
    out + "  end interface\n"
}

/// Those procedures.
fn attribute_procedures(form: Form) -> String {
    let mut out = String::new();
    for (prefix, kind, bytes) in ATTRIBUTED {
        let object = if form == Form::F08 { format!("type(mpi_{kind})") } else { "integer(4)".to_owned() };
        for (name, is_copied) in [("null_copy_fn", false), ("dup_fn", true)] {
            let body = if is_copied { "    copied = given\n    flag = .true.\n" } else { "    flag = .false.\n" };
            let _ = write!(
                out,
                "\n  subroutine mpi_{prefix}{name}(object, keyval, extra_state, given, copied, flag, ierror)\n    \
                 {object} :: object\n    integer(4) :: keyval\n    integer({bytes}) :: extra_state, given, copied\n    \
                 logical(4) :: flag\n    integer(4) :: ierror\n{body}    ierror = 0\n  end subroutine\n"
            );
        }
        let _ = write!(
            out,
            "\n  subroutine mpi_{prefix}null_delete_fn(object, keyval, given, extra_state, ierror)\n    \
             {object} :: object\n    integer(4) :: keyval\n    integer({bytes}) :: given, extra_state\n    \
             integer(4) :: ierror\n    ierror = 0\n  end subroutine\n"
        );
    }
    out
}

/// The clock, which MPI has as functions, also under the names of the profiling interface; arithmetic of addresses; and what
/// nothing has to be done for here: control of profiling, and telling a compiler that a buffer may have changed.
static FUNCTIONS: LazyLock<String> = LazyLock::new(|| {
    let mut out =
        "\n  subroutine mpi_f_sync_reg(buf)\n    type(*), dimension(..) :: buf\n  end subroutine\n\n  subroutine mpi_pcontrol(level)\n    \
         integer(4) :: level\n  end subroutine\n"
            .to_owned();
    for prefix in ["mpi", "pmpi"] {
        for (name, value) in [("wtime", "real(count, 8)/real(rate, 8)"), ("wtick", "1/real(rate, 8)")] {
            let _ = write!(
                out,
                "\n  real(8) function {prefix}_{name}()\n    integer(8) :: count, rate\n    \
                 call system_clock(count, rate)\n    {prefix}_{name} = {value}\n  end function\n"
            );
        }
    }
    for (name, operator) in ADDRESSES {
        let _ = write!(
            out,
            "\n  integer(8) function mpi_{name}(base, disp)\n    integer(8) :: base, disp\n    \
             mpi_{name} = base {operator} disp\n  end function\n"
        );
    }
    out
});

/// What turns a status of `mpi_f08` into one of `mpi`, and back.
const STATUSES: &str = "
  subroutine mpi_status_f082f(f08_status, f_status, ierror)
    type(mpi_status), intent(in) :: f08_status
    integer(4), intent(out) :: f_status(6)
    integer(4), optional, intent(out) :: ierror
    f_status = transfer(f08_status, f_status)
    if (present(ierror)) ierror = 0
  end subroutine

  subroutine mpi_status_f2f08(f_status, f08_status, ierror)
    integer(4), intent(in) :: f_status(6)
    type(mpi_status), intent(out) :: f08_status
    integer(4), optional, intent(out) :: ierror
    f08_status = transfer(f_status, f08_status)
    if (present(ierror)) ierror = 0
  end subroutine
";

/// Functions of two addresses, and their operators.
const ADDRESSES: [(&str, &str); 2] = [("aint_add", "+"), ("aint_diff", "-")];

fn handle_number(kind: u32, number: u32) -> u32 {
    (kind << 24) | number
}

/// The constants; those that are handles as `handle` has them.
fn constants(handle: impl Fn(&str, u32) -> (String, String)) -> String {
    let mut out = String::new();
    for (kind, range, members) in HANDLES {
        for (name, number) in *members {
            let (ty, value) = handle(kind, handle_number(*range, *number));
            let _ = writeln!(out, "      {ty}, parameter :: mpi_{name} = {value}");
        }
    }
    for (name, value) in NUMBERS {
        let _ = writeln!(out, "      integer(4), parameter :: mpi_{name} = {value}");
    }
    for (name, value) in LONG_NUMBERS {
        let _ = writeln!(out, "      integer(8), parameter :: mpi_{name} = {value}");
    }
    // A copy of a section or of an element is not held until an operation ends (MPI 4.0, 19.1.2).
    for name in ["subarrays_supported", "async_protects_nonblocking"] {
        let _ = writeln!(out, "      logical(4), parameter :: mpi_{name} = .false.");
    }
    out
}

fn plain(_: &str, number: u32) -> (String, String) {
    ("integer(4)".to_owned(), number.to_string())
}

/// The module `mpi`.
pub(crate) static MODULE: LazyLock<String> = LazyLock::new(|| {
    format!(
        "! Module mpi.\nmodule mpi\n  implicit none\n{}\
         \x20 integer(4) :: mpi_in_place = 0, mpi_bottom = 0\n\
         \x20 integer(4) :: mpi_status_ignore(6) = 0, mpi_statuses_ignore(6,1) = 0\n\
         \x20 integer(4) :: mpi_errcodes_ignore(1) = 0, mpi_unweighted(1) = 0, mpi_weights_empty(1) = 0\n  interface\n{}  end interface\ncontains\n{}{}end module mpi\n",
        constants(plain),
        routines(Form::Module),
        *FUNCTIONS,
        attribute_procedures(Form::Module)
    )
});

/// The module `mpi_f08`.
pub(crate) static F08: LazyLock<String> = LazyLock::new(|| {
    let mut types = String::new();
    let (mut equal, mut unequal, mut functions) = (Vec::new(), Vec::new(), String::new());
    for (kind, ..) in HANDLES {
        let _ = writeln!(types, "  type, bind(c) :: mpi_{kind}\n    integer(4) :: mpi_val\n  end type mpi_{kind}");
        for (name, operator, list) in [("equal", "==", &mut equal), ("unequal", "/=", &mut unequal)] {
            let function = format!("cufemu_{name}_{kind}");
            let _ = writeln!(
                functions,
                "\n  logical function {function}(a, b)\n    type(mpi_{kind}), intent(in) :: a, b\n    \
                 {function} = a%mpi_val {operator} b%mpi_val\n  end function"
            );
            list.push(function);
        }
    }
    let handle = |kind: &str, number: u32| (format!("type(mpi_{kind})"), format!("mpi_{kind}({number})"));
    format!(
        "! Module mpi_f08.\nmodule mpi_f08\n  use iso_c_binding, only: cufemu_c_ptr => c_ptr\n  implicit none\n{types}\
         \x20 type, bind(c) :: mpi_status\n    integer(4) :: mpi_source = -1, mpi_tag = -1, mpi_error = 0\n\
         \x20   integer(4) :: cufemu_bytes(2) = 0, cufemu_cancelled = 0\n  end type mpi_status\n{}\
         \x20 integer(4) :: mpi_in_place = 0, mpi_bottom = 0\n\
         \x20 type(mpi_status) :: mpi_status_ignore, mpi_statuses_ignore(1)\n\
         \x20 integer(4) :: mpi_errcodes_ignore(1) = 0, mpi_unweighted(1) = 0, mpi_weights_empty(1) = 0\n\
         \x20 interface operator(==)\n    procedure :: {}\n  end interface\n\
         \x20 interface operator(/=)\n    procedure :: {}\n  end interface\n\
         {}\x20 interface\n{}  end interface\n{}contains\n{}{functions}{}{STATUSES}end module mpi_f08\n",
        constants(handle),
        equal.join(", "),
        unequal.join(", "),
        called(),
        routines(Form::F08),
        large_routines(),
        *FUNCTIONS,
        attribute_procedures(Form::F08)
    )
});

/// The external procedures behind `mpif.h`.
pub(crate) static EXTERNAL_PROCEDURES: LazyLock<String> = LazyLock::new(|| {
    let attributes = attribute_procedures(Form::External);
    format!("! The procedures for mpif.h.\n{}{}{attributes}", routines(Form::External), *FUNCTIONS)
});

/// The include file `mpif.h`; its lines are good in fixed and in free form.
static INCLUDE: LazyLock<String> = LazyLock::new(|| {
    let mut out = constants(plain);
    for (ty, name) in
        [("real(8)", "wtime"), ("real(8)", "wtick"), ("integer(8)", "aint_add"), ("integer(8)", "aint_diff")]
    {
        let _ = writeln!(out, "      {ty} mpi_{name}\n      external mpi_{name}");
    }
    out.push_str("      real(8) pmpi_wtime, pmpi_wtick\n      external pmpi_wtime, pmpi_wtick\n");
    for (prefix, ..) in ATTRIBUTED {
        for name in ["null_copy_fn", "dup_fn", "null_delete_fn"] {
            let _ = writeln!(out, "      external mpi_{prefix}{name}");
        }
    }
    for (name, dims) in [
        ("in_place", ""),
        ("bottom", ""),
        ("status_ignore", "(6)"),
        ("statuses_ignore", "(6,1)"),
        ("errcodes_ignore", "(1)"),
        ("unweighted", "(1)"),
        ("weights_empty", "(1)"),
    ] {
        let _ = writeln!(out, "      integer(4) mpi_{name}{dims}\n      common /mpi_{name}/ mpi_{name}");
    }
    let _ = writeln!(out, "      integer(4), parameter :: {MARK} = 1");
    out
});

/// An include file that comes with the compiler: the name by which it is known, and its text.
pub(crate) fn include(name: &str) -> Option<(String, String)> {
    (name == "mpif.h").then(|| ("<mpif.h>".to_owned(), INCLUDE.clone()))
}
