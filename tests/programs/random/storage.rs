//! Variables that share memory: EQUIVALENCE, COMMON blocks, and namelists of them.

use super::expr::Expr;
use super::names::{Dim, Ty, Var, bounds};
use super::program::Gen;

impl Gen {
    /// A variable of a group that shares memory.
    fn shared_var(&mut self, name: &str, ty: Ty, dims: Vec<Dim>, group: usize) -> Var {
        let var = Var { group, ..self.new_var(name.to_owned(), ty, dims) };
        self.unit.declarations.push(format!("{} :: {}{}", ty.declared(), var.name, bounds(&var.dims)));
        var
    }

    /// Declares variables of the main program that share memory.
    pub(super) fn shared_variables(&mut self) {
        let one = |extent| vec![Dim { lower: 1, extent }];
        for ty in [
            *self.pick(&[Ty::Integer(4), Ty::Real(4), Ty::Logical]),
            *self.pick(&[Ty::Integer(2), Ty::Real(8), Ty::Complex(4)]),
        ] {
            let (group, lower) = (self.group(), self.below(4) - 2);
            let names: Vec<String> = (0..4).map(|_| self.name("e")).collect();
            let whole = self.shared_var(&names[0], ty, vec![Dim { lower, extent: 9 }], group);
            let part = self.shared_var(&names[1], ty, one(4), group);
            let table =
                self.shared_var(&names[2], ty, vec![Dim { lower: 1, extent: 2 }, Dim { lower: 0, extent: 2 }], group);
            let single = self.shared_var(&names[3], ty, Vec::new(), group);
            let places: Vec<i64> = [5, 5, 8].iter().map(|&n| lower + self.below(n)).collect();
            self.unit.declarations.push(format!(
                "equivalence ({0}({1}),{2}(1)),({0}({3}),{4}(1,0)),({0}({5}),{6})",
                whole.name, places[0], part.name, places[1], table.name, places[2], single.name
            ));
            let value = self.constructed(ty, &[9], 0);
            self.line(format!("{} = {}", whole.name, value.text));
            self.vars.extend([whole, part, table, single]);
        }
        let group = self.group();
        let text = self.name("e");
        let letters = self.name("e");
        let text = self.shared_var(&text, Ty::Character(5), Vec::new(), group);
        let letters = self.shared_var(&letters, Ty::Character(1), one(5), group);
        self.unit.declarations.push(format!("equivalence ({},{}(1))", text.name, letters.name));
        self.line(format!("{} = 'abcde'", text.name));
        self.vars.extend([text, letters]);
        // The block has another layout in the procedures.
        let group = self.group();
        let first = self.shared_var("w1", Ty::Integer(4), one(5), group);
        let second = self.shared_var("w2", Ty::Integer(4), Vec::new(), group);
        self.unit.declarations.push("common /shared/ w1, w2".to_owned());
        self.line("w1 = [1,2,3,4,5]*(1+zero)");
        self.line("w2 = 6");
        self.vars.extend([first, second]);
    }

    /// The procedures that have the common block.
    pub(super) fn shared_procedures(&mut self) -> Vec<String> {
        let (k, shift) = (1 + self.below(3), self.below(5) - 2);
        let text = format!(
            "subroutine move_shared(n)
integer, intent(in) :: n
integer :: a, b(2,2), c, k
common /shared/ a, b, c
a = mod(a + n, 97)
b = cshift(b, {shift}, dim={})
do k = 1, 2
b(k,:) = mod(b(k,:)*{k} + c, 97)
end do
c = mod(sum(b) + a, 97)
end subroutine
integer function sum_shared(n)
integer, intent(in) :: n
integer :: all(6)
common /shared/ all
sum_shared = mod(sum(all) + n, 97)
end function",
            1 + self.below(2)
        );
        text.lines().map(|line| line.trim().to_owned()).collect()
    }

    /// A statement about the common block.
    pub(super) fn shared_statement(&mut self) {
        let has_block = self.vars.iter().any(|v| v.name == "w2");
        if !has_block || !self.is_in_main() {
            return;
        }
        let number = self.stored(Ty::Integer(4), &[], 1).text;
        if self.chance() {
            self.line(format!("call move_shared(({number}))"));
        } else {
            self.show(Ty::Integer(4), &Expr::other(format!("sum_shared(({number}))")));
        }
    }

    /// Declares a namelist of some variables of the main program.
    pub(super) fn namelist(&mut self) {
        let fits = |v: &Var| {
            v.is_writable
                && v.suffix.is_empty()
                && !v.is_deferred
                && !v.name.contains(['%', '('])
                && v.extents().iter().all(|&n| n > 0)
        };
        let own: Vec<Var> =
            (0..self.vars.len()).filter(|&n| self.is_own(n)).map(|n| self.vars[n].clone()).filter(fits).collect();
        let mut chosen: Vec<Var> = Vec::new();
        for var in own {
            let is_fixed = var.storage == super::names::Storage::Plain;
            if is_fixed && chosen.len() < 4 && self.chance() && chosen.iter().all(|v| v.group != var.group) {
                chosen.push(var);
            }
        }
        if chosen.is_empty() {
            return;
        }
        let names: Vec<&str> = chosen.iter().map(|v| v.name.as_str()).collect();
        self.unit.declarations.push(format!("namelist /few/ {}", names.join(",")));
        self.unit.declarations.push("character(120) :: record(400)".to_owned());
        self.listed = chosen;
    }

    /// Writes the namelist and reads it, or reads a part of it from text.
    pub(super) fn namelist_statement(&mut self) {
        let listed = self.listed.clone();
        if listed.is_empty() || !self.is_in_main() {
            return;
        }
        if self.one_in(3) {
            self.line("record = ' '");
            self.line("write(record, nml=few, delim='quote')");
            for var in &listed {
                let value = if var.dims.is_empty() {
                    self.literal(var.ty)
                } else {
                    self.constructed(var.ty, &var.extents(), 0)
                };
                self.line(format!("{} = {}", var.name, value.text));
            }
            self.line("read(record, nml=few)");
        } else {
            let mut text = "record = ' '\nrecord(1) = ' &few'".to_owned();
            for n in 0..=self.below(5) {
                let var = self.pick(&listed).clone();
                let count = var.extents().iter().product::<i64>();
                let (name, count) = match var.dims.as_slice() {
                    [] => (var.name.clone(), 1),
                    [dim] if self.chance() => {
                        let (first, length) = (dim.lower + self.below(dim.extent), 1);
                        let last = first + self.below(dim.upper() - first + 1);
                        let is_range = self.chance();
                        let count = if is_range { last - first + 1 } else { length };
                        let range = if is_range { format!("{first}:{last}") } else { first.to_string() };
                        (format!("{}({range})", var.name), count)
                    }
                    _ => (var.name.clone(), 1 + self.below(count)),
                };
                let mut values = Vec::new();
                let mut left = count.min(8);
                while left > 0 {
                    let repeat = if self.one_in(5) { 1 + self.below(left) } else { 1 };
                    let value = self.listed_value(var.ty);
                    let skipped = self.one_in(9);
                    values.push(match (repeat, skipped) {
                        (1, true) => String::new(),
                        (1, false) => value,
                        (_, true) => format!("{repeat}*"),
                        _ => format!("{repeat}*{value}"),
                    });
                    left -= repeat;
                }
                text += &format!("\nrecord({}) = ' {name} = {}'", n + 2, values.join(*self.pick(&[", ", ","])));
                text += if self.one_in(4) { "//' ! a comment'" } else { "//','" };
            }
            for line in text.lines() {
                self.line(line);
            }
            self.line("record(400) = ' /'");
            self.line("read(record, nml=few)");
        }
        for var in listed {
            self.show(var.ty, &Expr::other(var.name));
        }
    }

    /// A value as list-directed input has it.
    fn listed_value(&mut self, ty: Ty) -> String {
        match ty {
            Ty::Integer(_) => (self.below(60) - 30).to_string(),
            Ty::Real(_) => (*self.pick(&["1.5", "-2", "25e-2", ".5D1", "3.25", "+7."])).to_owned(),
            Ty::Complex(_) => (*self.pick(&["(1,2)", "(-1.5, .25)", "( 2 , 3e0 )"])).to_owned(),
            Ty::Logical => (*self.pick(&["T", ".false.", "true", ".T", "f"])).to_owned(),
            Ty::Character(_) => (*self.pick(&["\"abc\"", "\"a b\"", "\"d,e\"", "\"x\"", "\"q\"\"r\""])).to_owned(),
        }
    }
}
