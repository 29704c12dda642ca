//! Random derived types: components, extension, type-bound procedures, polymorphic variables.

use super::expr::{Expr, Purpose};
use super::names::{Dim, Storage, Ty, Var, bounds};
use super::program::Gen;

/// A component of a type.
#[derive(Clone, Debug)]
struct Component {
    name: String,
    ty: Ty,
    dims: Vec<Dim>,
    is_allocatable: bool,
}

/// One of the types, with all its components.
#[derive(Clone, Debug)]
pub(super) struct Object {
    name: &'static str,
    components: Vec<Component>,
    /// How many of the components are of the type that it extends.
    inherited: usize,
}

/// Which variables of the main program are of derived type.
const SCALARS: [(&str, usize); 3] = [("ob", 0), ("oe", 1), ("of", 1)];

impl Gen {
    fn component(&mut self) -> Component {
        let (ty, dims) = (self.ty(), if self.chance() { Vec::new() } else { self.dims() });
        let is_allocatable = self.has_allocatable_components && self.chance();
        Component { name: self.name("c"), ty, dims, is_allocatable }
    }

    /// Declares a type and one that extends it.
    pub(super) fn types(&mut self) {
        self.has_allocatable_components = self.one_in(3);
        let base: Vec<Component> = (0..=self.below(4)).map(|_| self.component()).collect();
        let more: Vec<Component> = (0..self.below(3)).map(|_| self.component()).collect();
        let mut all = base.clone();
        all.extend(more);
        let inherited = base.len();
        self.objects = vec![
            Object { name: "base", components: base, inherited: 0 },
            Object { name: "ext", components: all, inherited },
        ];
        for object in self.objects.clone() {
            let extends = if object.name == "ext" { ", extends(base)" } else { "" };
            let mut lines = vec![format!("type{extends} :: {}", object.name)];
            for component in &object.components[object.inherited..] {
                let (attribute, dims) = if component.is_allocatable {
                    (", allocatable", super::names::colons(component.dims.len()))
                } else {
                    ("", bounds(&component.dims))
                };
                lines.push(format!("{}{attribute} :: {}{dims}", component.ty.declared(), component.name));
            }
            lines.extend(["contains".to_owned(), format!("procedure :: get => get_{}", object.name)]);
            if object.name == "base" {
                lines.push("procedure :: twice".to_owned());
                lines.push("procedure :: change".to_owned());
                lines.push("generic :: operator(+) => twice_sum".to_owned());
                lines.push("procedure :: twice_sum".to_owned());
                lines.push("generic :: assignment(=) => from_integer".to_owned());
                lines.push("procedure :: from_integer, bump".to_owned());
            }
            lines.push("end type".to_owned());
            self.unit.declarations.extend(lines);
        }
    }

    /// The variables that stand for the components of an object.
    fn components(&mut self, object: &Object, name: &str, group: usize) {
        for component in &object.components {
            let mut var = self.new_var(format!("{name}%{}", component.name), component.ty, component.dims.clone());
            var.group = group;
            if component.is_allocatable {
                var.storage = Storage::Allocatable;
                self.line(format!("allocate({}{})", var.name, bounds(&component.dims)));
            }
            let shape = var.extents();
            let value = if shape.is_empty() { self.literal(var.ty) } else { self.constructed(var.ty, &shape, 0) };
            self.line(format!("{} = {}", var.name, value.text));
            // No other shape, so that all objects of the type are alike.
            var.storage = Storage::Plain;
            self.vars.push(var);
        }
    }

    /// The procedures of the types.
    pub(super) fn type_procedures(&mut self) -> Vec<String> {
        let mut text = Vec::new();
        for object in self.objects.clone() {
            let outer = self.begin();
            let count = self.excluded.len();
            let others: Vec<usize> = self.vars.iter().filter(|v| v.is_writable).map(|v| v.group).collect();
            self.excluded.extend(others);
            let group = self.group();
            for component in &object.components {
                let mut var = self.new_var(format!("self%{}", component.name), component.ty, component.dims.clone());
                (var.is_writable, var.group) = (false, group);
                self.vars.push(var);
            }
            let mut var = self.new_var("i".to_owned(), Ty::Integer(4), Vec::new());
            var.is_writable = false;
            self.vars.push(var);
            let value = self.stored(Ty::Integer(4), &[], 3);
            self.excluded.truncate(count);
            self.end(outer);
            let name = object.name;
            text.extend([
                format!("pure integer function get_{name}(self, i)"),
                format!("class({name}), intent(in) :: self"),
                "integer, intent(in) :: i".to_owned(),
                "integer :: idx".to_owned(),
                format!("get_{name} = {}", value.text),
                "end function".to_owned(),
            ]);
        }
        let procedures = "\
            pure integer function twice(self, i)\n class(base), intent(in) :: self\n integer, intent(in) :: i\n\
            twice = mod(2*self%get(i), 97)\nend function\n\
            elemental integer function twice_sum(self, i)\n class(base), intent(in) :: self\n integer, intent(in) :: i\n\
            twice_sum = mod(self%get(i) + i, 97)\nend function\n\
            subroutine change(self, other)\n class(base), intent(inout) :: self\n class(base), intent(in) :: other\n\
            select type (self)\n type is (ext)\n select type (other)\n type is (ext)\n self = other\n class default\n\
            self%base = other\n end select\n type is (base)\n select type (other)\n class is (base)\n self = shrunk(other)\n\
            end select\n end select\nend subroutine\n\
            pure function shrunk(other) result(res)\n class(base), intent(in) :: other\n type(base) :: res\n@end function\n\
            integer function many(list, i)\n class(base), intent(in) :: list(:)\n integer, intent(in) :: i\n integer :: k\n\
            many = 0\n do k = 1, size(list)\n many = mod(2*many + list(k)%get(i+k), 97)\n end do\nend function\n\
            integer function unknown(list)\n class(*), intent(in) :: list(0:)\n integer :: k\n unknown = size(list)\n\
            select type (list)\n type is (base)\n unknown = 100 + list(0)%get(1)\n class is (base)\n\
            do k = lbound(list,1), ubound(list,1)\n unknown = unknown + list(k)%get(2)\n end do\n\
            type is (integer)\n unknown = 200 + sum(list)\n type is (character(*))\n unknown = 300 + len(list)\n end select\n\
            end function\n\
            integer function by_value(copy, i)\n type(base), value :: copy\n integer, value :: i\n call copy%bump(i)\n i = i + 1\n\
            by_value = mod(copy%get(i) + i, 97)\nend function\n\
            subroutine ranked(a)\n integer, intent(in) :: a(..)\n write(*,'(a,*(1x,i0))') 'rank', rank(a), size(a), shape(a)\n\
            select rank (a)\n rank (0)\n write(*,'(1x,i0)') a\n rank (1)\n write(*,'(*(1x,i0))') a\n\
            rank (2)\n write(*,'(*(1x,i0))') a, sum(a)\n rank default\n\
            write(*,'(*(1x,i0))') rank(a)\n end select\nend subroutine";
        for (name, old) in [("from_integer", ""), ("bump", "self%@+")] {
            text.extend([
                format!("elemental subroutine {name}(self, i)"),
                "class(base), intent(inout) :: self".to_owned(),
                "integer, intent(in) :: i".to_owned(),
            ]);
            for component in &self.objects[0].components {
                let old = old.replace('@', &component.name);
                let value = match component.ty {
                    Ty::Integer(_) => format!("mod({old}i,97)"),
                    Ty::Logical => "mod(i,2) == 0".to_owned(),
                    Ty::Character(_) => "achar(97+modulo(i,4))".to_owned(),
                    Ty::Real(_) | Ty::Complex(_) => "0.25*mod(i,97)".to_owned(),
                };
                text.push(format!("self%{} = {value}", component.name));
            }
            text.push("end subroutine".to_owned());
        }
        let copies: Vec<String> = self.objects[0]
            .components
            .iter()
            .map(|c| {
                format!(
                    "res%{0} = other%{0}
",
                    c.name
                )
            })
            .collect();
        text.extend(procedures.replace('@', &copies.concat()).lines().map(|line| line.trim().to_owned()));
        text
    }

    /// Declares the variables of derived type of the main program.
    pub(super) fn object_variables(&mut self) {
        let (base, extended) = (self.objects[0].clone(), self.objects[1].clone());
        for (name, number) in SCALARS {
            let object = self.objects[number].clone();
            self.unit.declarations.push(format!("type({}), target :: {name}", object.name));
            let group = self.group();
            self.components(&object, name, group);
        }
        let dim = Dim { lower: self.below(4) - 1, extent: 3 };
        for (name, object) in [("la", &base), ("le", &extended)] {
            self.unit.declarations.push(format!("type({}), target :: {name}{}", object.name, bounds(&[dim])));
            self.line(format!("{name} = {}", if name == "la" { "ob" } else { "oe" }));
            let group = self.group();
            for component in &object.components {
                if component.dims.is_empty() && !component.is_allocatable {
                    let mut var = self.new_var(name.to_owned(), component.ty, vec![dim]);
                    (var.suffix, var.group) = (format!("%{}", component.name), group);
                    self.vars.push(var);
                }
                let at = dim.lower + self.below(3);
                let name = format!("{name}({at})%{}", component.name);
                let mut var = self.new_var(name, component.ty, component.dims.clone());
                var.group = group;
                self.vars.push(var);
            }
        }
        self.unit.declarations.push("class(base), allocatable :: po, pl(:)".to_owned());
        self.line("allocate(po, source=oe)");
        self.line("allocate(pl(0:2), source=la)");
    }

    /// An expression for one object of the type: 0 is `base`, 1 `ext`.
    pub(super) fn object(&mut self, number: usize) -> String {
        let at = self.list_subscript();
        if number == 0 {
            (*self.pick(&["ob", "oe%base", "of%base", "la(@)", "le(@)%base", "shrunk(po)", "shrunk(pl(ubound(pl,1)))"]))
                .replace('@', &at)
        } else {
            (*self.pick(&["oe", "of", "le(@)", "(le(@))"])).replace('@', &at)
        }
    }

    /// A subscript of `la` and `le`.
    pub(super) fn list_subscript(&mut self) -> String {
        let more = self.below(3);
        format!("lbound(la,1)+{more}")
    }

    /// A statement about objects. Only the main program has some.
    pub(super) fn object_statement(&mut self) {
        if !self.is_in_main() {
            return;
        }
        let before = self.unit.code.len();
        self.object_statement_of_any_type();
        // gfortran 12 frees the components of an object in parentheses or in an array constructor.
        let is_copied = |line: &String| {
            line.contains("((") || line.contains("= (") || line.contains('[') || line.contains("cshift(")
        };
        if self.has_allocatable_components && self.unit.code[before..].iter().any(is_copied) {
            self.unit.code.truncate(before);
        }
    }

    fn object_statement_of_any_type(&mut self) {
        let (number, i) = (self.below(2) as usize, self.stored(Ty::Integer(4), &[], 1).text);
        let (value, at) = (self.object(number), self.list_subscript());
        match self.below(15) {
            12 => {
                let target = *self.pick(&[
                    "ob",
                    "oe",
                    "of",
                    "la",
                    "le(::2)",
                    "oe%base",
                    "pl(lbound(pl,1))",
                    "la(ubound(la,1):lbound(la,1):-1)",
                ]);
                self.line(format!("{target} = {i}"));
            }
            13 => {
                let target = *self.pick(&["ob", "oe", "po", "la", "le", "pl", "le(::2)"]);
                self.line(format!("call {target}%bump(({i}))"));
            }
            14 if !self.has_allocatable_components => {
                let of = *self.pick(&["ob", "oe%base", "shrunk(po)", "la(lbound(la,1))", "(ob)"]);
                self.show(Ty::Integer(4), &Expr::other(format!("by_value({of},{i})")));
            }
            0 => self.line(format!("{} = {value}", if number == 0 { "ob" } else { "oe" })),
            1 => self.line(format!("{}({at}) = {value}", if number == 0 { "la" } else { "le" })),
            2 => {
                let text = *self.pick(&[
                    "la(lbound(la,1)+1:) = la(:ubound(la,1)-1)",
                    "le = le(ubound(le,1):lbound(le,1):-1)",
                    "la = le%base",
                    "le%base = la",
                    "la(::2) = la([lbound(la,1)+1,lbound(la,1)+1])",
                    "le = [oe,of,le(ubound(le,1))]",
                    "la = cshift(la,1)",
                ]);
                self.line(text);
            }
            3 => self.line(format!("po = {value}")),
            4 if self.nesting == 0 => {
                let text = *self.pick(&["pl = la", "pl = le(::2)", "pl = [ob,la]", "pl = le"]);
                self.line("deallocate(pl)");
                self.line(format!("allocate(pl, source={})", text.trim_start_matches("pl = ")));
            }
            5 => {
                let target = *self.pick(&["ob", "oe", "po", "pl(lbound(pl,1)+1)", "la(ubound(la,1))"]);
                let from = if self.chance() { format!("({value})") } else { "of".to_owned() };
                self.line(format!("call {target}%change({from})"));
            }
            6 | 7 => {
                let of = *self.pick(&["ob", "oe", "po", "pl(lbound(pl,1)+1)", "le(lbound(le,1))", "oe%base"]);
                let method = *self.pick(&["get", "twice"]);
                self.show(Ty::Integer(4), &Expr::other(format!("{of}%{method}({i})")));
            }
            8 => {
                // Not `le%base`: gfortran 12 passes it with the stride of the whole objects.
                let list = *self.pick(&["pl", "la", "le", "le(::2)", "pl(ubound(pl,1):lbound(pl,1):-1)", "[ob,ob]"]);
                self.show(Ty::Integer(4), &Expr::other(format!("many({list},{i})")));
            }
            9 => {
                // Not `le(::2)`: gfortran 12 takes bounds of its own for it.
                let list = *self.pick(&["pl", "la", "le", "[1,2,3]", "[character(3) :: 'a']"]);
                self.show(Ty::Integer(4), &Expr::other(format!("unknown({list})")));
            }
            10 => {
                let operand = *self.pick(&["ob", "po", "oe", "la", "le%base", "pl"]);
                let text = if self.chance() { format!("{operand}+({i})") } else { format!("[{operand}+3]") };
                self.show(Ty::Integer(4), &Expr::other(text));
            }
            _ => self.select_type(),
        }
    }

    fn select_type(&mut self) {
        self.line("select type (q => po)");
        for number in [0, 1] {
            let object = self.objects[number].clone();
            self.line(format!("type is ({})", object.name));
            let vars = self.vars.len();
            let group = self.group();
            for component in &object.components {
                let mut var = self.new_var(format!("q%{}", component.name), component.ty, component.dims.clone());
                var.group = group;
                self.vars.push(var);
            }
            let shape = self.vars[vars].extents();
            let mine = |v: &Var| v.group == group;
            if let Some((var, text)) = self.writable(&shape, mine, Purpose::Assign) {
                let value = self.value_for(var.ty, &shape);
                self.line(format!("{text} = {}", value.text));
            }
            for n in vars..self.vars.len() {
                let var = self.vars[n].clone();
                self.show(var.ty, &Expr::other(var.name));
            }
            self.vars.truncate(vars);
        }
        self.line("end select");
    }
}
