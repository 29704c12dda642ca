//! Random statements and constructs.

use super::expr::{Expr, Purpose};
use super::names::{Dim, Storage, Ty, Var, bounds};
use super::program::Gen;

impl Gen {
    /// This many statements.
    pub(super) fn statements(&mut self, count: usize) {
        for _ in 0..count {
            self.statement();
        }
    }

    fn statement(&mut self) {
        match self.below(42) {
            0..=7 => self.assignment(),
            8..=10 if !self.is_pure => self.print(),
            11..=13 if self.nesting < 3 => self.construct(),
            14 => self.where_construct(),
            15 => self.forall(),
            16 if self.nesting == 0 && !self.is_pure => self.pointer_assignment(),
            17 | 18 if self.nesting == 0 => self.reallocation(),
            19..=21 if !self.is_pure && self.nesting < 2 => self.call(),
            22..=23 if !self.is_pure => self.transfer(),
            24..=26 if !self.is_pure => self.object_statement(),
            27..=29 => self.list_statement(),
            30 if !self.is_pure => self.ranked(),
            37 | 38 => self.shared_statement(),
            31 if self.nesting < 2 => self.namelist_statement(),
            32 | 33 => self.inner_statement(),
            34..=36 if !self.is_pure => self.shaped_statement(),
            _ => self.assignment(),
        }
    }

    /// A random shape, often that of a variable.
    pub(super) fn shape(&mut self) -> Vec<i64> {
        let all: Vec<Vec<i64>> = self.vars.iter().filter(|v| v.is_writable).map(Var::extents).collect();
        if let Some(found) = self.pick_of(&all)
            && self.chance()
        {
            return found.clone();
        }
        self.dims().iter().map(|d| d.extent).collect()
    }

    fn print(&mut self) {
        let (mut ty, shape) = (self.ty(), self.shape());
        if matches!(ty, Ty::Integer(_)) {
            ty = Ty::Integer(4);
        }
        let value = self.stored(ty, &shape, 3);
        self.show(ty, &value);
        if !shape.is_empty() && self.one_in(3) {
            let of = format!("[lbound({0}),ubound({0}),shape({0})]", value.text);
            if !value.text.starts_with('[') {
                self.show_bounds(&of);
            }
        }
    }

    fn assignment(&mut self) {
        let shape = self.shape();
        let Some((var, target)) = self.writable(&shape, |_| true, Purpose::Assign) else { return };
        let is_realloc = var.storage == Storage::Allocatable && target == var.name;
        let of = if is_realloc || !self.one_in(4) { shape } else { Vec::new() };
        let value = self.value_for(var.ty, &of);
        // gfortran 12 takes the wrong characters of a concatenation of constructors or adjusted arrays, and of one that reads what
        // is assigned.
        let (joins, adjusts) = (value.text.contains("//"), value.text.contains("adjust"));
        let is_copied = joins && (adjusts || value.text.contains("[character("));
        let reads_itself = (joins || adjusts) && value.text.contains(&var.name);
        if !is_copied && !reads_itself && !self.reads_alias(&var, &value.text) {
            self.line(format!("{target} = {}", value.text));
        }
    }

    /// Whether an expression names by an associate name what is assigned, or the reverse.
    /// gfortran 12 stores elements before it has read them there.
    fn reads_alias(&self, target: &Var, text: &str) -> bool {
        let is_associate = |var: &Var| var.name.starts_with('s');
        self.vars.iter().any(|var| {
            var.group == target.group
                && var.name != target.name
                && (is_associate(var) || is_associate(target))
                && text.contains(&var.name)
        })
    }

    /// A value that an assignment can store in a variable of this type.
    pub(super) fn value_for(&mut self, ty: Ty, shape: &[i64]) -> Expr {
        let from = match ty {
            Ty::Integer(_) if self.one_in(8) => Ty::Real(8),
            Ty::Real(_) if self.one_in(6) => Ty::Integer(4),
            Ty::Complex(kind) if self.one_in(4) => Ty::Real(kind),
            ty => ty,
        };
        self.stored(from, shape, 3)
    }

    /// A block of statements inside a construct.
    pub(super) fn block(&mut self, count: usize) {
        self.nesting += 1;
        let vars = self.vars.len();
        self.statements(count);
        self.vars.truncate(vars);
        self.nesting -= 1;
    }

    fn construct(&mut self) {
        let count = 1 + self.below(3) as usize;
        match self.below(6) {
            0 => {
                let condition = self.logical(&[], 2);
                self.line(format!("if ({}) then", condition.text));
                self.block(count);
                if self.chance() {
                    let other = self.logical(&[], 2);
                    self.line(format!("else if ({}) then", other.text));
                    self.block(count);
                }
                self.line("else");
                self.block(count);
                self.line("end if");
            }
            1 | 2 => self.loop_construct(count),
            3 => {
                let selector = self.stored(Ty::Integer(4), &[], 2);
                self.line(format!("select case (modulo({},10))", selector.text));
                for case in *self.pick(&[&["0,2:4", "1", "7:"][..], &["default", "5"], &[":3", "4:5,8"], &["9"]]) {
                    let case = if *case == "default" { "default".to_owned() } else { format!("({case})") };
                    self.line(format!("case {case}"));
                    self.block(count);
                }
                self.line("end select");
            }
            4 => self.associate(count),
            _ => {
                self.line("block");
                let at = self.unit.code.len();
                let (vars, declarations) = (self.vars.len(), self.unit.declarations.len());
                self.nesting += 1;
                self.variable(false);
                if let Some(last) = self.vars.last_mut()
                    && last.storage != Storage::Plain
                {
                    last.is_target = false;
                }
                self.nesting -= 1;
                let own: Vec<String> = self.unit.declarations.drain(declarations..).collect();
                self.unit.code.splice(at..at, own);
                self.block(count + 1);
                self.vars.truncate(vars);
                self.line("end block");
            }
        }
    }

    /// A variable that only reads.
    pub(super) fn loop_variable(&mut self) -> Var {
        let name = self.name("k");
        self.unit.declarations.push(format!("integer :: {name}"));
        let mut var = self.new_var(name, Ty::Integer(4), Vec::new());
        var.is_writable = false;
        var
    }

    fn loop_construct(&mut self, count: usize) {
        let var = self.loop_variable();
        let (first, last, step) = *self.pick(&[(1, 3, 1), (0, 5, 2), (4, 1, -2), (3, 2, 1), (-1, 1, 1), (2, 2, -3)]);
        let first = if self.one_in(4) { format!("{first}+0*size([1,2])") } else { first.to_string() };
        let name = self.name("l");
        self.line(format!("{name}: do {}={first},{last},{step}", var.name));
        self.vars.push(var);
        self.block(count);
        if self.chance() {
            let (condition, kind) = (self.logical(&[], 2), *self.pick(&["exit", "cycle"]));
            self.line(format!("if ({}) {kind} {name}", condition.text));
            self.block(1);
        }
        self.vars.pop();
        self.line(format!("end do {name}"));
    }

    fn associate(&mut self, count: usize) {
        let mut added = Vec::new();
        let mut list = Vec::new();
        for _ in 0..=self.below(2) {
            let shape = self.shape();
            let name = self.name("s");
            if self.chance() {
                let (ty, dims) = (*self.pick(&[Ty::Integer(4), Ty::Real(8), Ty::Logical]), ones(&shape));
                let value = self.stored(ty, &shape, 2);
                list.push(format!("{name} => ({})", value.text));
                let mut var = self.new_var(name, ty, dims);
                var.is_writable = false;
                added.push(var);
            } else if let Some((of, text)) =
                self.designator(|v| !v.is_constant && !v.is_deferred, &shape, Purpose::Pass)
            {
                list.push(format!("{name} => {text}"));
                let dims = if text == of.name { of.dims.clone() } else { ones(&shape) };
                let var = Var { name, suffix: String::new(), dims, storage: Storage::Plain, is_target: false, ..of };
                added.push(var);
            }
        }
        if list.is_empty() {
            return;
        }
        self.line(format!("associate ({})", list.join(", ")));
        let vars = self.vars.len();
        self.vars.extend(added);
        self.block(count + 1);
        self.vars.truncate(vars);
        self.line("end associate");
    }

    fn where_construct(&mut self) {
        let shape = self.shape();
        if shape.is_empty() {
            return self.assignment();
        }
        let mask = self.logical(&shape, 2);
        self.line(format!("where ({})", mask.text));
        for part in 0..=self.below(3) {
            if part == 1 && self.chance() {
                let mask = self.logical(&shape, 2);
                self.line(format!("elsewhere ({})", mask.text));
            } else if part > 0 {
                self.line("elsewhere");
            }
            let is_whole = |v: &Var| !v.is_deferred;
            if let Some((var, target)) = self.writable(&shape, is_whole, Purpose::Assign) {
                let value = self.value_for(var.ty, &shape);
                // gfortran 12 takes the wrong element of what is adjusted or concatenated under a mask.
                let is_copied = value.text.contains("adjust") || value.text.contains("//");
                if !is_copied && !self.reads_alias(&var, &value.text) {
                    self.line(format!("{target} = {}", value.text));
                }
            }
            if part > 0 {
                break;
            }
        }
        self.line("end where");
    }

    /// FORALL or DO CONCURRENT over the elements of an array of one dimension.
    fn forall(&mut self) {
        let all: Vec<Var> =
            self.vars.iter().filter(|v| v.is_writable && v.dims.len() == 1 && v.dims[0].extent > 0).cloned().collect();
        let Some(array) = self.pick_of(&all).cloned() else { return };
        if self.excluded.contains(&array.group) {
            return;
        }
        let mut var = self.loop_variable();
        let (dim, name) = (array.dims[0], var.name.clone());
        (var.dims, var.is_writable) = (Vec::new(), false);
        let is_forall = self.chance();
        self.vars.push(var);
        if !is_forall {
            self.excluded.push(array.group);
        }
        let mask = if self.chance() { format!(", {}", self.logical(&[], 2).text) } else { String::new() };
        let value = self.value_for(array.ty, &[]);
        let target = array.at(std::slice::from_ref(&name));
        let mirrored = format!("{}-{name}", dim.lower + dim.upper());
        let range = format!("{name}={}:{}{mask}", dim.lower, dim.upper());
        if is_forall {
            // gfortran 12 reads what it has assigned where a function takes elements of the array, and does not pad characters.
            let reads_itself = self.vars.iter().any(|v| v.group == array.group && value.text.contains(&v.name));
            let is_text = matches!(array.ty, Ty::Character(_));
            let value = if reads_itself || is_text || self.one_in(3) { array.at(&[mirrored]) } else { value.text };
            if !self.reads_alias(&array, &value) {
                self.line(format!("forall ({range}) {target} = {value}"));
            }
        } else {
            self.excluded.pop();
            self.line(format!("do concurrent ({range})"));
            self.line(format!("{target} = {}", value.text));
            self.line("end do");
        }
        self.vars.pop();
    }

    fn pointer_assignment(&mut self) {
        let own = |this: &Gen, keep: &dyn Fn(&Var) -> bool| -> Vec<usize> {
            (0..this.vars.len()).filter(|&n| this.is_own(n) && keep(&this.vars[n])).collect()
        };
        let pointers = own(self, &|v| v.storage == Storage::Pointer);
        let Some(&pointer) = self.pick_of(&pointers) else { return };
        let (ty, rank, name) = (self.vars[pointer].ty, self.vars[pointer].dims.len(), self.vars[pointer].name.clone());
        let targets = own(self, &|v| v.is_target && v.ty == ty && v.dims.len() >= rank);
        let Some(target) = self.pick_of(&targets).map(|&t| self.vars[t].clone()) else { return };
        let shape: Vec<i64> = target.dims[..rank].iter().map(|d| self.below(d.extent + 1)).collect();
        if target.dims[rank..].iter().any(|d| d.extent == 0) {
            return;
        }
        // The target is named twice, before and after the pointer changes.
        self.excluded.push(self.vars[pointer].group);
        let text = self.part(&target, &shape, Purpose::Pass);
        self.excluded.pop();
        let lower = self.below(5) - 2;
        let dims = match self.below(3) {
            0 if rank == 2 && target.is_target && shape.iter().all(|&n| n > 0) && target.dims.len() == 1 => return,
            0 | 1 => {
                let bounds: Vec<String> = (0..rank).map(|k| format!("{}:", lower + k as i64)).collect();
                self.line(format!("{name}({}) => {text}", bounds.join(",")));
                shape.iter().enumerate().map(|(k, &extent)| Dim { lower: lower + k as i64, extent }).collect()
            }
            _ => {
                self.line(format!("{name} => {text}"));
                if text == target.name { target.dims.clone() } else { ones(&shape) }
            }
        };
        self.line(format!("write(*,'(2l2)') associated({name}), associated({name},{text})"));
        let var = &mut self.vars[pointer];
        (var.dims, var.group) = (dims, target.group);
    }

    /// Gives an allocatable another shape.
    fn reallocation(&mut self) {
        let own: Vec<usize> = (0..self.vars.len())
            .filter(|&n| {
                self.is_own(n) && self.vars[n].storage == Storage::Allocatable && self.vars[n].suffix.is_empty()
            })
            .filter(|&n| !self.vars[n].name.contains('%') && !self.excluded.contains(&self.vars[n].group))
            .collect();
        let Some(&number) = self.pick_of(&own) else { return };
        let var = self.vars[number].clone();
        self.excluded.push(var.group);
        self.reallocate(number, &var);
        self.excluded.pop();
    }

    fn reallocate(&mut self, number: usize, var: &Var) {
        let rank = var.dims.len();
        if var.is_deferred {
            let value = self.expr(var.ty, &[], 3);
            return self.line(format!("{} = {}", var.name, value.text));
        }
        if rank == 0 {
            let value = self.stored(var.ty, &[], 2);
            self.line(format!("deallocate({})", var.name));
            self.line(format!("allocate({})", var.name));
            return self.line(format!("{} = {}", var.name, value.text));
        }
        let dims: Vec<Dim> = (0..rank).map(|_| self.dim()).collect();
        let shape: Vec<i64> = dims.iter().map(|d| d.extent).collect();
        let mut value = self.value_for(var.ty, &shape);
        if value.text.contains("//") {
            // gfortran 12 takes the wrong characters of concatenations.
            value = self.constructed(var.ty, &shape, 0);
        }
        let new = match self.below(3) {
            0 => {
                self.line(format!("if (allocated({0})) deallocate({0})", var.name));
                self.line(format!("allocate({}{})", var.name, bounds(&dims)));
                self.line(format!("{} = {}", var.name, value.text));
                dims
            }
            1 if shape != var.extents() => {
                // Another shape: the bounds are those of the value, as LBOUND gives them.
                self.line(format!("{} = ({})", var.name, value.text));
                ones(&shape)
            }
            _ => {
                let temporary = self.name("t");
                let declared =
                    format!("{}, allocatable :: {temporary}{}", var.ty.declared(), super::names::colons(rank));
                self.unit.declarations.push(declared);
                self.line(format!("allocate({temporary}{})", bounds(&dims)));
                self.line(format!("{temporary} = {}", value.text));
                self.line(format!("call move_alloc({temporary}, {})", var.name));
                dims
            }
        };
        self.vars[number].dims = new;
        let name = &var.name;
        if !self.is_pure {
            self.show_bounds(&format!("[lbound({name}),ubound({name})]"));
        }
    }
}

/// Dimensions that begin at one.
pub(super) fn ones(shape: &[i64]) -> Vec<Dim> {
    shape.iter().map(|&extent| Dim { lower: 1, extent }).collect()
}
