//! Loops of many rounds over long arrays, as machine code takes them several rounds at a time.

use super::expr::Expr;
use super::names::{Ty, Var};
use super::program::Gen;

/// Elements of a long array. The loops stay four elements inside.
const LONG: i64 = 1500;

impl Gen {
    /// A block with long arrays, loops over them, and their checksums.
    pub(super) fn long_loops(&mut self) {
        if self.is_pure || self.nesting > 0 {
            return;
        }
        let types =
            [Ty::Integer(4), Ty::Integer(8), Ty::Integer(1), Ty::Real(4), Ty::Real(8), Ty::Logical, Ty::Integer(2)];
        let arrays: Vec<(String, Ty)> = (0..3).map(|_| (self.name("z"), *self.pick(&types))).collect();
        let index = self.loop_variable();
        let places = self.name("z");
        self.line("block");
        let at = self.unit.code.len();
        let declarations = self.unit.declarations.len();
        for (name, ty) in &arrays {
            let attribute = *self.pick(&["", ", allocatable", ", target"]);
            let shape = if attribute == ", allocatable" { "(:)".to_owned() } else { format!("(0:{LONG})") };
            self.unit.declarations.push(format!("{}{attribute} :: {name}{shape}", ty.declared()));
            if attribute == ", allocatable" {
                self.line(format!("allocate({name}(0:{LONG}))"));
            }
        }
        self.unit.declarations.push(format!("integer :: {places}(0:{LONG})"));
        let i = &index.name;
        self.line(format!("do {i} = 0, {LONG}"));
        for (name, ty) in &arrays {
            let value = format!("mod({i}*{},{})", 3 + self.below(90), 11 + self.below(80));
            self.line(match ty {
                Ty::Logical => format!("{name}({i}) = {value} > 20"),
                Ty::Real(_) => format!("{name}({i}) = 0.25*{value}"),
                _ => format!("{name}({i}) = {value}"),
            });
        }
        let factor = 1 + self.below(700);
        self.line(format!("{places}({i}) = mod({i}*{factor},{LONG})"));
        self.line("end do");
        let vars = self.vars.len();
        let was_pure = std::mem::replace(&mut self.is_pure, true);
        for _ in 0..=self.below(2) {
            self.long_loop(&arrays, &index, &places);
        }
        self.is_pure = was_pure;
        self.vars.truncate(vars);
        for (name, ty) in &arrays {
            let weights = self.implied_name();
            let text = match ty {
                Ty::Logical => format!("count({name}),count({name}(::3)),count({name}(2::7))"),
                Ty::Real(_) => format!("nint(4*sum({name})),nint(4*sum({name}(1::3))),nint(4*maxval({name}(::5)))"),
                _ => format!("sum(int({name})*[(mod({weights},7),{weights}=0,{LONG})]),int(maxval({name}))"),
            };
            self.show_bounds(&text);
        }
        let own: Vec<String> = self.unit.declarations.drain(declarations..).collect();
        // Names that statements of the loops need are declared where the others are.
        self.unit.code.splice(at..at, own);
        self.line("end block");
    }

    /// One loop. Elements of the arrays are scalars for the statements inside.
    fn long_loop(&mut self, arrays: &[(String, Ty)], index: &Var, places: &str) {
        let i = &index.name;
        let (first, last, step) = *self.pick(&[
            (4, LONG - 4, 1),
            (4, LONG - 4, 1),
            (4, LONG - 5, 2),
            (LONG - 4, 4, -1),
            (5, LONG - 4, 3),
            (LONG - 6, 7, -2),
        ]);
        let vars = self.vars.len();
        // Numbers in expressions are small.
        self.vars.push(Var { name: format!("mod({i},97)"), ..index.clone() });
        for (name, ty) in arrays {
            let group = self.group();
            let mut added = vec![(format!("{name}({i})"), true)];
            let offset = *self.pick(&["-1", "+1", "-2", "+3", "-4", "+4"]);
            added.push((format!("{name}({i}{offset})"), self.one_in(6)));
            if self.one_in(3) {
                added.push((format!("{name}({places}({i}))"), self.one_in(3)));
            }
            if self.one_in(4) {
                added.push((format!("{name}({LONG}-{i})"), self.one_in(4)));
            }
            for (text, is_writable) in added {
                let mut var = self.new_var(text, *ty, Vec::new());
                (var.group, var.is_writable) = (group, is_writable);
                self.vars.push(var);
            }
        }
        let label = self.name("l");
        self.line(format!("{label}: do {i} = {first}, {last}, {step}"));
        let count = 1 + self.below(3) as usize;
        self.nesting += 1;
        let of_loop = self.vars.len();
        for _ in 0..count {
            self.long_statement(vars, of_loop);
        }
        if self.one_in(4) {
            let condition = self.logical(&[], 2);
            let rounds = 50 + self.below(LONG);
            let kind = *self.pick(&["exit", "cycle"]);
            self.line(format!("if ({i} > {rounds} .and. {}) {kind} {label}", condition.text));
            self.long_statement(vars, of_loop);
        }
        self.nesting -= 1;
        self.line(format!("end do {label}"));
        self.vars.truncate(vars);
    }

    /// An assignment to an element of a long array or to a variable, in a branch or an inner loop at times.
    fn long_statement(&mut self, from: usize, to: usize) {
        match self.below(8) {
            0 => self.block(1),
            1 => {
                let condition = self.logical(&[], 2);
                self.line(format!("if ({}) then", condition.text));
                self.long_assignment(from, to);
                if self.chance() {
                    self.line("else");
                    self.long_assignment(from, to);
                }
                self.line("end if");
            }
            2 => {
                let var = self.loop_variable();
                let rounds = 2 + self.below(3);
                self.line(format!("do {} = 1, {rounds}", var.name));
                self.vars.push(var);
                self.long_assignment(from, to);
                self.vars.pop();
                self.line("end do");
            }
            _ => self.long_assignment(from, to),
        }
    }

    fn long_assignment(&mut self, from: usize, to: usize) {
        let targets: Vec<Var> = self.vars[from..to].iter().filter(|v| v.is_writable).cloned().collect();
        let Some(target) = self.pick_of(&targets).cloned() else { return };
        let value: Expr = self.value_for(target.ty, &[]);
        self.line(format!("{} = {}", target.name, value.text));
    }
}
