//! The text of module `wmma`: a type for each shape, role, layout and kind of a matrix, and the procedures for each of them.
//!
//! Not here: what a tensor core adds up, and which lane has which element (`modules/wmma.cuf`).

use std::fmt::Write;
use std::sync::LazyLock;

/// A shape of matrices: rows, columns, length of the sums, the kind of the factors, and those of the sums.
struct Shape {
    m: usize,
    n: usize,
    k: usize,
    factors: u32,
    sums: &'static [u32],
}

const SHAPES: [Shape; 5] = [
    Shape { m: 16, n: 16, k: 16, factors: 2, sums: &[2, 4] },
    Shape { m: 32, n: 8, k: 16, factors: 2, sums: &[2, 4] },
    Shape { m: 8, n: 32, k: 16, factors: 2, sums: &[2, 4] },
    Shape { m: 16, n: 16, k: 8, factors: 4, sums: &[4] },
    Shape { m: 8, n: 8, k: 4, factors: 8, sums: &[8] },
];

/// Operators that compare matrices, and the names of their procedures.
const COMPARISONS: [(&str, &str); 6] =
    [("==", "eq"), ("/=", "ne"), ("<", "lt"), ("<=", "le"), (">", "gt"), (">=", "ge")];

/// Layouts in memory: the letter in the names of types, and whether the first subscript is that of the row.
const LAYOUTS: [(char, bool); 2] = [('c', true), ('r', false)];

/// Numbers of the layout by rows, of each kind, in the macros of NVIDIA's samples.
const BY_ROWS: &str = "0, 3, 7";

/// The names of the procedures of each generic name, by the word that stands for them in the text.
#[derive(Default)]
struct Names {
    types: String,
    procedures: String,
    generic: Vec<(String, Vec<String>)>,
}

impl Names {
    /// A procedure, whose name is that of the generic one and a suffix.
    fn add(&mut self, generic: &str, suffix: &str, body: &str) {
        let name = format!("{generic}_{suffix}");
        let _ = writeln!(self.procedures, "  attributes(device) {}", body.trim().replace("NAME", &name));
        self.procedures.push('\n');
        match self.generic.iter_mut().find(|(g, _)| g == generic) {
            Some((_, all)) => all.push(name),
            None => self.generic.push((generic.to_owned(), vec![name])),
        }
    }

    fn of(&self, generic: &str) -> String {
        let all = self.generic.iter().find(|(g, _)| g == generic).map_or(&[][..], |(_, all)| all);
        all.join(", &\n      ")
    }
}

/// The type of factor A or B.
fn factor(role: char, shape: &Shape, layout: char) -> String {
    let Shape { m, n, k, factors, .. } = shape;
    format!("submatrix{role}_m{m}n{n}k{k}_real{factors}_{layout}major")
}

/// The type of a sum; `element` is its type and kind.
fn sum(shape: &Shape, element: &str) -> String {
    let Shape { m, n, k, .. } = shape;
    format!("submatrixc_m{m}n{n}k{k}_{element}")
}

/// What a lane has of A and B: the elements of one row or column.
fn each(shape: &Shape) -> usize {
    shape.k / 4
}

/// The types and procedures of the factors.
fn factors(names: &mut Names, shape: &Shape) {
    let (kind, each) = (shape.factors, each(shape));
    for (role, length) in [('a', shape.m), ('b', shape.n)] {
        for (layout, by_columns) in LAYOUTS {
            let name = factor(role, shape, layout);
            let blocks = length / 8;
            let _ =
                writeln!(names.types, "  type, public :: {name}\n    real({kind}) :: x({})\n  end type", each * blocks);
            let (across, along) = ("8*(i - 1) + quad()", "mod(lane(), 4) + 4*k - 3");
            let place = if (role == 'a') == by_columns { [across, along] } else { [along, across] }.join(", ");
            let body = format!(
                "
subroutine NAME(s, a, lda)
    type({name}) :: s
    integer(4), value :: lda
    real({kind}) :: a(lda, *)
    integer(4) :: i, k
    do i = 1, {blocks}
      do k = 1, {each}
        s%x({each}*(i - 1) + k) = a({place})
      end do
    end do
  end subroutine NAME"
            );
            names.add("load", &name[9..], &body);
        }
    }
}

/// The types and procedures of sums of a kind.
fn sums(names: &mut Names, shape: &Shape, kind: u32) {
    let element = format!("real{kind}");
    let (name, mask) = (sum(shape, &element), sum(shape, "logical1"));
    let (rows, columns) = (shape.m / 8, shape.n / 8);
    let count = 2 * rows * columns;
    let suffix = name[9..].to_owned();
    let _ = writeln!(names.types, "  type, public :: {name}\n    real({kind}) :: x({count})\n  end type");
    let place = ["8*(i - 1) + quad()", "8*(j - 1) + 2*mod(lane(), 4) + s"];
    let (down, across) = (place.join(", "), [place[1], place[0]].join(", "));
    let here = format!("t%x(2*({columns}*(i - 1) + j - 1) + s)");
    for (generic, is_store) in [("load", false), ("store", true)] {
        let copy = |at: &str| if is_store { format!("a({at}) = {here}") } else { format!("{here} = a({at})") };
        let arguments = if is_store { "a, t" } else { "t, a" };
        for layout in ["", "by"] {
            let (more, declared) =
                if layout.is_empty() { ("", "") } else { (", layout", "\n    integer(4), value :: layout") };
            let copies = if layout.is_empty() {
                copy(&down)
            } else {
                format!(
                    "if (any(layout == [{BY_ROWS}])) then\n            {}\n          else\n            {}\n          end if",
                    copy(&across),
                    copy(&down)
                )
            };
            let body = format!(
                "
subroutine NAME({arguments}, lda{more})
    type({name}) :: t
    integer(4), value :: lda{declared}
    real({kind}) :: a(lda, *)
    integer(4) :: i, j, s
    do i = 1, {rows}
      do j = 1, {columns}
        do s = 1, 2
          {copies}
        end do
      end do
    end do
  end subroutine NAME"
            );
            names.add(generic, &format!("{suffix}{layout}"), &body);
        }
    }
    // A constant without a kind is a real(4).
    let scalars: &[u32] = if kind == 4 { &[4] } else { &[kind, 4] };
    for scalar in scalars {
        let body = format!(
            "
subroutine NAME(t, value)
    type({name}), intent(out) :: t
    real({scalar}), intent(in) :: value
    integer(4) :: i
    do i = 1, {count}
      t%x(i) = real(value, {kind})
    end do
  end subroutine NAME"
        );
        names.add("fill", &format!("{suffix}_{scalar}"), &body);
    }
    let operands: Vec<(String, &str, &str)> = std::iter::once((format!("type({name})"), "%x(i)", "m"))
        .chain(scalars.iter().map(|&s| (format!("real({s})"), "", if s == kind { "s" } else { "c" })))
        .collect();
    for (operator, word) in COMPARISONS {
        for (ty, part, letter) in &operands {
            let body = format!(
                "
type({mask}) function NAME(t, u)
    type({name}), intent(in) :: t
    {ty}, intent(in) :: u
    integer(4) :: i
    do i = 1, {count}
      NAME%x(i) = t%x(i) {operator} u{part}
    end do
  end function NAME"
            );
            names.add(word, &format!("{suffix}_{letter}"), &body);
        }
    }
    for (ty, part, letter) in &operands {
        for (other, other_part, other_letter) in &operands {
            let body = format!(
                "
subroutine NAME(t, tsource, fsource, mask)
    type({name}) :: t
    {ty} :: tsource
    {other} :: fsource
    type({mask}) :: mask
    integer(4) :: i
    do i = 1, {count}
      if (mask%x(i)) then
        t%x(i) = real(tsource{part}, {kind})
      else
        t%x(i) = real(fsource{other_part}, {kind})
      end if
    end do
  end subroutine NAME"
            );
            names.add("merge", &format!("{suffix}_{letter}{other_letter}"), &body);
        }
    }
}

/// The types and procedures of results of comparisons.
fn masks(names: &mut Names, shape: &Shape) {
    let name = sum(shape, "logical1");
    let count = 2 * (shape.m / 8) * (shape.n / 8);
    let _ = writeln!(names.types, "  type, public :: {name}\n    logical(1) :: x({count})\n  end type");
    for (generic, ty, result) in
        [("all", "logical(4)", "all_sync(-1, all(mask%x))"), ("any", "logical(4)", "any_sync(-1, any(mask%x))")]
    {
        let body = format!(
            "
{ty} function NAME(mask)
    type({name}), intent(in) :: mask
    NAME = {result}
  end function NAME"
        );
        names.add(generic, &name[9..], &body);
    }
    let body = format!(
        "
integer(4) function NAME(mask)
    type({name}), intent(in) :: mask
    integer(4) :: at
    NAME = count(mask%x)
    do at = 0, 4
      NAME = NAME + __shfl_xor(NAME, 2**at)
    end do
  end function NAME"
    );
    names.add("count", &name[9..], &body);
}

/// The products of the factors of a shape.
fn products(names: &mut Names, shape: &Shape) {
    let (rows, columns, each) = (shape.m / 8, shape.n / 8, each(shape));
    let count = 2 * rows * columns;
    let rounded = |from: u32, to: u32| match (from, to) {
        (2, 2) => "half(y(i))",
        (_, 2) => "half_of_single(y(i))",
        (_, 4) => "single(y(i))",
        _ => "y(i)",
    };
    // Least exponents of normal numbers. Only sums of kind 2 that stay so are not converted before they are added to.
    let least = |is_half: bool| if is_half { -14 } else { -126 };
    for (of_a, _) in LAYOUTS {
        for (of_b, _) in LAYOUTS {
            let (a, b) = (factor('a', shape, of_a), factor('b', shape, of_b));
            for &to in shape.sums {
                for from in shape.sums.iter().map(|&kind| Some(kind)).chain([None]) {
                    let d = sum(shape, &format!("real{to}"));
                    let (more, mut declared, first) = match from {
                        Some(kind) => {
                            let c = sum(shape, &format!("real{kind}"));
                            (", c", format!("\n    type({c}) :: c"), "real(c%x(i), 8)")
                        }
                        None => ("", String::new(), "0"),
                    };
                    let (copies, call) = if shape.factors == 8 {
                        (String::new(), "call chains(a%x(1), b%x(1), y)".to_owned())
                    } else {
                        let seen = |matrix: char, count: usize| {
                            let element = format!("{matrix}%x(i)");
                            let element = if shape.factors == 2 {
                                format!("real({element}, 4)")
                            } else {
                                format!("tf32({element})")
                            };
                            format!("    do i = 1, {count}\n      f{matrix}(i) = {element}\n    end do\n")
                        };
                        let sizes = (each * rows, each * columns);
                        declared += &format!("\n    real(4) :: fa({}), fb({})", sizes.0, sizes.1);
                        let call = format!(
                            "call products({rows}, {columns}, {each}, {}, fa, fb, y, {}, {})",
                            if shape.factors == 4 { 4 } else { shape.k },
                            least(shape.factors == 2),
                            least(from.unwrap_or(to) == 2 && to == 2)
                        );
                        (seen('a', sizes.0) + &seen('b', sizes.1), call)
                    };
                    let round = rounded(from.unwrap_or(to), to);
                    let body = format!(
                        "
subroutine NAME(d, a, b{more})
    type({d}) :: d
    type({a}) :: a
    type({b}) :: b{declared}
    real(8) :: y({count})
    integer(4) :: i
    do i = 1, {count}
      y(i) = {first}
    end do
{copies}    {call}
    do i = 1, {count}
      d%x(i) = {round}
    end do
  end subroutine NAME"
                    );
                    let Shape { m, n, k, factors, .. } = shape;
                    let with = from.map_or_else(|| "n".to_owned(), |kind| kind.to_string());
                    names.add("matmul", &format!("m{m}n{n}k{k}_{factors}{of_a}{of_b}{to}{with}"), &body);
                }
            }
        }
    }
}

/// The source of the module.
pub(crate) static SOURCE: LazyLock<String> = LazyLock::new(|| {
    let mut names = Names::default();
    for shape in &SHAPES {
        factors(&mut names, shape);
        masks(&mut names, shape);
        shape.sums.iter().for_each(|&kind| sums(&mut names, shape, kind));
        products(&mut names, shape);
    }
    let mut operators = String::new();
    for (operator, word) in COMPARISONS {
        let all = names.of(word);
        let _ = writeln!(operators, "  interface operator({operator})\n    procedure {all}\n  end interface");
    }
    let mut text = include_str!("modules/wmma.cuf").replace("PROCEDURES\n", &names.procedures);
    for (word, generic) in [
        ("LOADS", "load"),
        ("STORES", "store"),
        ("MATMULS", "matmul"),
        ("ALLS", "all"),
        ("ANYS", "any"),
        ("COUNTS", "count"),
        ("MERGES", "merge"),
        ("FILLS", "fill"),
    ] {
        text = text.replace(&format!("procedure {word}\n"), &format!("procedure {}\n", names.of(generic)));
    }
    text.replace("OPERATORS\n", &operators).replace("TYPES\n", &names.types)
});
