//! A random program: a module with types, variables and procedures, and a main program that uses them.

use super::expr::{Expr, Purpose};
use super::names::{Dim, Storage, Ty, Var, bounds, colons};
use super::object::Object;
use super::results::Shaped;
use super::subprogram::Procedure;

/// One scoping unit while it is made.
#[derive(Default, Debug)]
pub(super) struct Unit {
    pub(super) declarations: Vec<String>,
    pub(super) code: Vec<String>,
    /// Where its variables begin in the list of all.
    first: usize,
}

/// The state of the generator.
pub(super) struct Gen {
    rng: fastrand::Rng,
    pub(super) unit: Unit,
    pub(super) vars: Vec<Var>,
    pub(super) functions: Vec<Procedure>,
    pub(super) subroutines: Vec<Procedure>,
    pub(super) objects: Vec<Object>,
    /// Functions whose results have shapes of their own each time.
    pub(super) shaped: Vec<Shaped>,
    /// Names of functions of an integer that may be arguments.
    pub(super) inner: Vec<String>,
    /// The variables of the namelist.
    pub(super) listed: Vec<Var>,
    /// Whether the derived types have allocatable components.
    pub(super) has_allocatable_components: bool,
    /// Groups of variables that expressions must not read.
    pub(super) excluded: Vec<usize>,
    /// Whether only constant expressions are wanted.
    pub(super) is_constant: bool,
    /// Whether the unit may not print.
    pub(super) is_pure: bool,
    /// Constructs around the current statement.
    pub(super) nesting: usize,
    /// Whether this is inside a subscript.
    pub(super) is_subscript: bool,
    counter: usize,
}

/// The text of the program of a seed.
pub(super) fn program(seed: u64) -> String {
    let mut made = Gen {
        rng: fastrand::Rng::with_seed(seed),
        unit: Unit::default(),
        vars: Vec::new(),
        functions: Vec::new(),
        subroutines: Vec::new(),
        objects: Vec::new(),
        shaped: Vec::new(),
        inner: Vec::new(),
        listed: Vec::new(),
        has_allocatable_components: false,
        excluded: Vec::new(),
        is_constant: false,
        is_pure: false,
        nesting: 0,
        is_subscript: false,
        counter: 0,
    };
    made.whole()
}

impl Gen {
    fn whole(&mut self) -> String {
        self.unit.declarations.push("integer, protected :: zero = 0".to_owned());
        self.types();
        self.list_types();
        self.interfaces();
        for _ in 0..2 {
            self.constant();
        }
        for _ in 0..3 {
            self.variable(true);
        }
        let values: Vec<String> = self.unit.code.drain(..).collect();
        let specification = std::mem::take(&mut self.unit.declarations);
        let mut procedures = self.type_procedures();
        for _ in 0..=self.below(4) {
            procedures.extend(self.function_definition());
        }
        for _ in 0..=self.below(4) {
            procedures.extend(self.subroutine_definition());
        }
        for _ in 0..2 {
            procedures.extend(self.shaped_definition());
        }
        procedures.extend(self.list_procedures());
        procedures.extend(self.applying_procedures());
        procedures.extend(self.shared_procedures());
        let outer = self.begin();
        for _ in 0..3 + self.below(5) {
            self.variable(false);
        }
        let shares_memory = self.one_in(3);
        if shares_memory {
            self.shared_variables();
        }
        self.namelist();
        self.object_variables();
        self.list_variables();
        let inner = self.inner_functions();
        self.unit.code.splice(0..0, values);
        self.statements(24);
        if self.one_in(4) {
            self.long_loops();
        }
        self.show_all();
        let unit = self.end(outer);
        let mut text = vec!["module things".to_owned(), "implicit none".to_owned()];
        text.extend(specification);
        text.push("contains".to_owned());
        text.extend(procedures);
        text.extend(["end module".to_owned(), "program random".to_owned(), "use things".to_owned()]);
        text.extend(["implicit none".to_owned(), "integer :: idx".to_owned()]);
        text.extend(unit.declarations);
        text.extend(unit.code);
        text.push("contains".to_owned());
        text.extend(inner);
        text.push("end program".to_owned());
        text.iter().flat_map(|line| folded(line)).collect::<Vec<_>>().join("\n") + "\n"
    }

    /// Begins a scoping unit; the value goes to `end`.
    pub(super) fn begin(&mut self) -> Unit {
        let first = self.vars.len();
        std::mem::replace(&mut self.unit, Unit { first, ..Unit::default() })
    }

    /// Ends the scoping unit: its variables are known no more.
    pub(super) fn end(&mut self, outer: Unit) -> Unit {
        self.vars.truncate(self.unit.first);
        std::mem::replace(&mut self.unit, outer)
    }

    /// Whether the variable of this number belongs to the current unit.
    pub(super) fn is_own(&self, number: usize) -> bool {
        number >= self.unit.first
    }

    /// Whether this is the main program, and a statement may change its objects.
    pub(super) fn is_in_main(&self) -> bool {
        let has_objects = (0..self.vars.len()).any(|n| self.is_own(n) && self.vars[n].name.starts_with("ob%"));
        has_objects && self.excluded.is_empty() && !self.is_pure
    }

    pub(super) fn below(&mut self, n: i64) -> i64 {
        if n <= 0 { 0 } else { self.rng.i64(0..n) }
    }

    pub(super) fn chance(&mut self) -> bool {
        self.rng.bool()
    }

    pub(super) fn one_in(&mut self, n: i64) -> bool {
        self.below(n) == 0
    }

    pub(super) fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.rng.usize(0..list.len())]
    }

    pub(super) fn pick_of<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        if list.is_empty() { None } else { Some(self.pick(list)) }
    }

    pub(super) fn shuffle<T>(&mut self, list: &mut [T]) {
        self.rng.shuffle(list);
    }

    /// A name that nothing else has.
    pub(super) fn name(&mut self, first: &str) -> String {
        self.counter += 1;
        format!("{first}{}", self.counter)
    }

    /// A number that stands for memory that no other variable has.
    pub(super) fn group(&mut self) -> usize {
        self.counter += 1;
        self.counter
    }

    /// The variable of implied loops.
    pub(super) fn implied_name(&self) -> &'static str {
        "idx"
    }

    pub(super) fn line(&mut self, text: impl Into<String>) {
        self.unit.code.push(text.into());
    }

    pub(super) fn ty(&mut self) -> Ty {
        // gfortran 12 loses the elements of an array of characters without length.
        let length = 1 + self.below(5) as usize;
        *self.pick(&[
            Ty::Integer(4),
            Ty::Integer(4),
            Ty::Integer(1),
            Ty::Integer(2),
            Ty::Integer(8),
            Ty::Real(4),
            Ty::Real(8),
            Ty::Complex(8),
            Ty::Complex(4),
            Ty::Logical,
            Ty::Character(length),
            Ty::Character(length),
        ])
    }

    pub(super) fn dims(&mut self) -> Vec<Dim> {
        let rank = *self.pick(&[0, 1, 1, 1, 2, 2, 3]);
        (0..rank).map(|_| self.dim()).collect()
    }

    pub(super) fn dim(&mut self) -> Dim {
        let extent = if self.one_in(12) { 0 } else { 1 + self.below(4) };
        let lower = if self.chance() { 1 } else { self.below(6) - 3 };
        Dim { lower, extent }
    }

    /// A new variable of its own memory.
    pub(super) fn new_var(&mut self, name: String, ty: Ty, dims: Vec<Dim>) -> Var {
        let group = self.group();
        Var {
            name,
            suffix: String::new(),
            ty,
            dims,
            storage: Storage::Plain,
            is_writable: true,
            is_constant: false,
            is_assumed_size: false,
            is_deferred: false,
            is_target: false,
            group,
        }
    }

    /// Declares a named constant with a constant expression.
    fn constant(&mut self) {
        let (ty, dims) = (self.ty(), self.dims());
        let name = self.name("c");
        let mut var = self.new_var(name, ty, dims);
        (var.is_writable, var.is_constant) = (false, true);
        // gfortran 12 fails on many operations of constant arrays inside each other, and keeps too many characters of a
        // concatenation.
        let depth = match ty {
            _ if var.dims.is_empty() => 2,
            Ty::Character(_) => 0,
            _ if self.one_in(4) => 2,
            _ => 1,
        };
        self.is_constant = true;
        let value = self.stored(ty, &var.extents(), depth);
        self.is_constant = false;
        if self.unit.declarations.iter().all(|line| line != "integer, private :: idx") {
            self.unit.declarations.push("integer, private :: idx".to_owned());
        }
        let declared = format!("{}, parameter :: {}{} = {}", ty.declared(), var.name, bounds(&var.dims), value.text);
        self.unit.declarations.push(declared);
        self.vars.push(var);
    }

    /// Declares a variable and gives it a value.
    pub(super) fn variable(&mut self, is_of_module: bool) {
        let (ty, dims) = (self.ty(), self.dims());
        let name = self.name(if is_of_module { "m" } else { "v" });
        let mut var = self.new_var(name, ty, dims);
        let mut declared = ty.declared();
        if !self.is_pure {
            match self.below(5) {
                0 => var.storage = Storage::Allocatable,
                1 if !is_of_module && !var.dims.is_empty() => var.storage = Storage::Pointer,
                _ => var.is_target = !is_of_module && self.chance(),
            }
        }
        if var.storage == Storage::Allocatable && matches!(ty, Ty::Character(_)) && var.dims.is_empty() {
            "character(:)".clone_into(&mut declared);
            var.is_deferred = true;
        }
        let shape = var.extents();
        let attribute = match var.storage {
            Storage::Allocatable => ", allocatable",
            Storage::Pointer => ", pointer",
            Storage::Plain if var.is_target => ", target",
            Storage::Plain => "",
        };
        let is_fixed = var.storage == Storage::Plain;
        let dims = if is_fixed { bounds(&var.dims) } else { colons(var.dims.len()) };
        self.unit.declarations.push(format!("{declared}{attribute} :: {}{dims}", var.name));
        if !is_fixed {
            let length = if var.is_deferred { "character(3) :: " } else { "" };
            self.line(format!("allocate({length}{}{})", var.name, bounds(&var.dims)));
        }
        let value = if shape.is_empty() { self.literal(ty) } else { self.constructed(ty, &shape, 0) };
        self.line(format!("{} = {}", var.name, value.text));
        self.vars.push(var);
    }

    /// Prints the value of an expression.
    pub(super) fn show(&mut self, ty: Ty, value: &Expr) {
        let text = if matches!(ty, Ty::Real(_)) { format!("({})+0", value.text) } else { value.text.clone() };
        let label = self.name("");
        self.line(format!("write(*,\"(a,*({}))\") '{label}', {text}", ty.edit()));
    }

    /// Prints all variables of the unit with their bounds.
    pub(super) fn show_all(&mut self) {
        for number in 0..self.vars.len() {
            let var = self.vars[number].clone();
            if var.is_constant || self.is_own(number) {
                let whole = Expr::other(var.whole());
                self.show(var.ty, &whole);
                if !var.dims.is_empty() {
                    let name = var.whole();
                    let of = format!("[lbound({name}),ubound({name}),shape({name})]");
                    self.show_bounds(&of);
                }
            }
        }
    }

    /// Prints bounds and extents.
    pub(super) fn show_bounds(&mut self, of: &str) {
        let label = self.name("b");
        self.line(format!("write(*,\"(a,*(1x,i0))\") '{label}', {of}"));
    }

    /// A variable that may be assigned to, and its text.
    pub(super) fn writable(
        &mut self,
        shape: &[i64],
        fits: impl Fn(&Var) -> bool,
        purpose: Purpose,
    ) -> Option<(Var, String)> {
        self.designator(|var| var.is_writable && fits(var), shape, purpose)
    }
}

/// A line in pieces that are not too long.
fn folded(line: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut rest = line;
    let mut first = "";
    while rest.len() > 110 {
        let (piece, more) = rest.split_at(110);
        pieces.push(format!("{first}{piece}&"));
        (rest, first) = (more, "&");
    }
    pieces.push(format!("{first}{rest}"));
    pieces
}
