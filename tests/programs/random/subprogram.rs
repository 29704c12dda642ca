//! Random functions and subroutines, and references to them.

use super::expr::{Expr, Purpose};
use super::names::{Dim, Storage, Ty, Var, bounds, colons};
use super::program::Gen;
use super::stmt::ones;

/// How an argument is passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// A scalar, or an array of assumed shape.
    Assumed,
    Explicit,
    AssumedSize,
    Value,
    Allocatable,
    Pointer,
}

/// A dummy argument.
#[derive(Clone, Debug)]
struct Dummy {
    name: String,
    ty: Ty,
    /// The bounds inside, with the extents of each actual argument.
    dims: Vec<Dim>,
    form: Form,
    is_changed: bool,
    is_optional: bool,
}

impl Dummy {
    fn shape(&self) -> Vec<i64> {
        self.dims.iter().map(|d| d.extent).collect()
    }

    fn declared(&self, intent: &str) -> String {
        let mut attributes = String::new();
        match self.form {
            Form::Value => attributes += ", value",
            Form::Allocatable => attributes += ", allocatable, intent(inout)",
            Form::Pointer => attributes += ", pointer, intent(in)",
            _ => attributes += &format!(", intent({intent})"),
        }
        if self.is_optional {
            attributes += ", optional";
        }
        let shape = match self.form {
            Form::Explicit => bounds(&self.dims),
            Form::AssumedSize => {
                let (last, others) = self.dims.split_last().expect("an array");
                let mut list: Vec<String> = others.iter().map(|d| format!("{}:{}", d.lower, d.upper())).collect();
                list.push(format!("{}:*", last.lower));
                format!("({})", list.join(","))
            }
            Form::Assumed if self.dims.is_empty() => String::new(),
            Form::Assumed => {
                let list: Vec<String> = self.dims.iter().map(|d| format!("{}:", d.lower)).collect();
                format!("({})", list.join(","))
            }
            _ => colons(self.dims.len()),
        };
        let ty = match self.ty {
            Ty::Character(_) if !matches!(self.form, Form::Explicit | Form::Allocatable) => "character(*)".to_owned(),
            ty => ty.declared(),
        };
        format!("{ty}{attributes} :: {}{shape}", self.name)
    }

    /// The variable that it is inside.
    fn var(&self, made: &mut Gen) -> Var {
        let mut var = made.new_var(self.name.clone(), self.ty, self.dims.clone());
        var.is_assumed_size = self.form == Form::AssumedSize;
        var.is_writable = self.is_changed || self.form == Form::Value;
        var.is_deferred =
            matches!(self.ty, Ty::Character(_)) && !matches!(self.form, Form::Explicit | Form::Allocatable);
        var.storage = if self.form == Form::Allocatable { Storage::Allocatable } else { Storage::Plain };
        var
    }
}

/// A function or subroutine that is there.
#[derive(Clone, Debug)]
pub(super) struct Procedure {
    name: String,
    dummies: Vec<Dummy>,
    /// Of a function: its result.
    result: Option<(Ty, Vec<i64>)>,
    is_elemental: bool,
}

impl Gen {
    fn dummy(&mut self, is_of_function: bool, is_elemental: bool) -> Dummy {
        let (mut ty, mut dims) = (self.ty(), self.dims());
        if is_elemental {
            dims.clear();
        }
        if is_of_function && matches!(ty, Ty::Integer(_)) {
            ty = Ty::Integer(4);
        }
        let is_changed = !is_of_function && self.chance();
        let form = match (dims.is_empty(), self.below(6)) {
            (true, 0) if !matches!(ty, Ty::Character(_)) => Form::Value,
            (_, 1) if !is_of_function && is_changed => Form::Allocatable,
            (false, 2) if is_changed => Form::Pointer,
            (false, 3) => Form::Explicit,
            (false, 4) => Form::AssumedSize,
            _ => Form::Assumed,
        };
        let is_changed = is_changed && form != Form::Value;
        let is_optional = form == Form::Assumed && !is_of_function && self.one_in(3);
        if form == Form::Allocatable || form == Form::Pointer {
            let extents: Vec<i64> = dims.iter().map(|d| d.extent).collect();
            dims = ones(&extents);
        }
        if form == Form::AssumedSize
            && let Some(last) = dims.last_mut()
        {
            last.extent = last.extent.max(1);
        }
        if is_optional {
            // gfortran 12 takes an expression without elements for an absent argument.
            dims.iter_mut().for_each(|dim| dim.extent = dim.extent.max(1));
        }
        Dummy { name: self.name("a"), ty, dims, form, is_changed, is_optional }
    }

    /// Makes a pure function.
    pub(super) fn function_definition(&mut self) -> Vec<String> {
        let is_elemental = self.one_in(3);
        let outer = self.begin();
        let name = self.name("f");
        let dummies: Vec<Dummy> = (0..=self.below(2)).map(|_| self.dummy(true, is_elemental)).collect();
        let ty = *self.pick(&[Ty::Integer(4), Ty::Integer(4), Ty::Real(4), Ty::Real(8), Ty::Logical]);
        let dims = if is_elemental { Vec::new() } else { self.dims() };
        let shape: Vec<i64> = dims.iter().map(|d| d.extent).collect();
        self.is_pure = true;
        let others: Vec<usize> = self.vars.iter().filter(|v| v.is_writable).map(|v| v.group).collect();
        let count = self.excluded.len();
        self.excluded.extend(others);
        self.declare(&dummies);
        let mut result = self.new_var("res".to_owned(), ty, dims);
        let value = self.stored(ty, &shape, 2);
        self.line(format!("res = {}", value.text));
        result.is_writable = true;
        self.unit.declarations.push(format!("{} :: res{}", ty.declared(), bounds(&result.dims)));
        self.vars.push(result);
        self.variable(false);
        self.statements(3);
        self.excluded.truncate(count);
        self.is_pure = false;
        let unit = self.end(outer);
        let prefix = if is_elemental { "elemental" } else { "pure" };
        let list: Vec<&str> = dummies.iter().map(|d| d.name.as_str()).collect();
        let mut text =
            vec![format!("{prefix} function {name}({}) result(res)", list.join(",")), "integer :: idx".to_owned()];
        text.extend(unit.declarations);
        text.extend(unit.code);
        text.push("end function".to_owned());
        self.functions.push(Procedure { name, dummies, result: Some((ty, shape)), is_elemental });
        text
    }

    fn declare(&mut self, dummies: &[Dummy]) {
        for dummy in dummies {
            let intent = if dummy.is_changed { "inout" } else { "in" };
            let declared = dummy.declared(intent);
            self.unit.declarations.push(declared);
            if !dummy.is_optional {
                let var = dummy.var(self);
                self.vars.push(var);
            }
        }
    }

    /// Makes a subroutine.
    pub(super) fn subroutine_definition(&mut self) -> Vec<String> {
        let outer = self.begin();
        let name = self.name("p");
        let dummies: Vec<Dummy> = (0..=self.below(4)).map(|_| self.dummy(false, false)).collect();
        self.declare(&dummies);
        self.variable(false);
        self.unit.declarations.push("integer, save :: calls = 0".to_owned());
        self.line("calls = calls + 1");
        self.line(format!("write(*,'(a,1x,i0)') '{name}', calls"));
        for dummy in dummies.iter().filter(|d| d.is_optional) {
            self.line(format!("if (present({})) then", dummy.name));
            let vars = self.vars.len();
            let var = dummy.var(self);
            self.vars.push(var);
            self.show(dummy.ty, &Expr::other(dummy.name.clone()));
            self.block(2);
            self.vars.truncate(vars);
            self.line("end if");
        }
        self.statements(4);
        self.show_all_but_sizes(&dummies);
        let unit = self.end(outer);
        let list: Vec<&str> = dummies.iter().map(|d| d.name.as_str()).collect();
        let mut text = vec![format!("subroutine {name}({})", list.join(",")), "integer :: idx".to_owned()];
        text.extend(unit.declarations);
        text.extend(unit.code);
        text.push("end subroutine".to_owned());
        self.subroutines.push(Procedure { name, dummies, result: None, is_elemental: false });
        text
    }

    /// Prints the arguments; one of assumed size has no upper bound.
    fn show_all_but_sizes(&mut self, dummies: &[Dummy]) {
        for dummy in dummies.iter().filter(|d| !d.is_optional) {
            let name = &dummy.name;
            if dummy.form == Form::AssumedSize {
                self.show_bounds(&format!("lbound({name})"));
                continue;
            }
            self.show(dummy.ty, &Expr::other(name.clone()));
            if !dummy.dims.is_empty() {
                self.show_bounds(&format!("[lbound({name}),ubound({name})]"));
            }
        }
    }

    /// A reference to a function of this type and shape.
    pub(super) fn function(&mut self, ty: Ty, shape: &[i64], depth: u32) -> Option<String> {
        let fits = |p: &&Procedure| p.result.as_ref().is_some_and(|(t, s)| *t == ty && (p.is_elemental || s == shape));
        let all: Vec<Procedure> = self.functions.iter().filter(fits).cloned().collect();
        let found = self.pick_of(&all)?.clone();
        let mut list = Vec::new();
        for dummy in &found.dummies {
            let of = if found.is_elemental { shape.to_vec() } else { dummy.shape() };
            let value = self.argument(dummy, &of, depth.min(1));
            list.push(value);
        }
        Some(format!("{}({})", found.name, list.join(",")))
    }

    /// A value for an argument that the procedure only reads.
    fn argument(&mut self, dummy: &Dummy, shape: &[i64], depth: u32) -> String {
        let exact = |v: &Var| v.ty == dummy.ty && !v.is_deferred;
        if self.chance()
            && let Some((_, text)) = self.designator(exact, shape, Purpose::Read)
        {
            return text;
        }
        match dummy.ty {
            Ty::Integer(4) => self.stored(dummy.ty, shape, depth).text,
            Ty::Integer(kind) => format!("int({},{kind})", self.stored(dummy.ty, shape, depth).text),
            Ty::Character(_) => self.constructed_or_literal(dummy.ty, shape),
            ty => self.stored(ty, shape, depth).text,
        }
    }

    fn constructed_or_literal(&mut self, ty: Ty, shape: &[i64]) -> String {
        if shape.is_empty() { self.literal(ty).text } else { self.constructed(ty, shape, 0).text }
    }

    /// Calls a subroutine.
    pub(super) fn call(&mut self) {
        let all = self.subroutines.clone();
        let Some(found) = self.pick_of(&all).cloned() else { return };
        let count = self.excluded.len();
        let module: Vec<usize> =
            self.vars.iter().filter(|v| v.name.starts_with('m') && !v.is_constant).map(|v| v.group).collect();
        self.excluded.extend(module);
        let mut actuals: Vec<Option<String>> = vec![None; found.dummies.len()];
        let mut order: Vec<usize> = (0..found.dummies.len()).collect();
        order.sort_by_key(|&n| !found.dummies[n].is_changed);
        for n in order {
            let dummy = &found.dummies[n];
            if dummy.is_optional && self.one_in(3) {
                continue;
            }
            let shape = dummy.shape();
            let actual = if dummy.is_changed {
                let wanted = match dummy.form {
                    Form::Allocatable => Some(Storage::Allocatable),
                    Form::Pointer => Some(Storage::Pointer),
                    _ => None,
                };
                let fits = |v: &Var| v.is_writable && v.ty == dummy.ty && !v.is_deferred;
                let part = match wanted {
                    None => self.writable(&shape, fits, Purpose::Pass),
                    Some(storage) => {
                        let whole =
                            |v: &Var| fits(v) && v.storage == storage && v.extents() == shape && v.suffix.is_empty();
                        let whole = |v: &Var| whole(v) && v.dims.iter().all(|d| d.lower == 1);
                        self.writable(&shape, whole, Purpose::Pass).map(|(var, _)| (var.clone(), var.name))
                    }
                };
                part.map(|(var, text)| {
                    self.excluded.push(var.group);
                    text
                })
            } else {
                Some(self.argument(dummy, &shape, 2))
            };
            if actual.is_none() && !dummy.is_optional {
                self.excluded.truncate(count);
                return;
            }
            actuals[n] = actual;
        }
        self.excluded.truncate(count);
        let mut by_name = false;
        let mut list = Vec::new();
        let is_keyword_call = self.one_in(3);
        for (dummy, actual) in found.dummies.iter().zip(actuals) {
            match actual {
                None => by_name = true,
                Some(text) if by_name || is_keyword_call => list.push(format!("{}={text}", dummy.name)),
                Some(text) => list.push(text),
            }
        }
        if is_keyword_call {
            self.shuffle(&mut list);
        }
        self.line(format!("call {}({})", found.name, list.join(",")));
    }
}
