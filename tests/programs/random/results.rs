//! Functions whose results have bounds and lengths that depend on the arguments, and references to them.

use super::expr::{Expr, Purpose};
use super::names::{Ty, Var, colons};
use super::program::Gen;

/// A function of an array and a small number.
#[derive(Clone, Debug)]
pub(super) struct Shaped {
    name: String,
    ty: Ty,
    /// Rank of the array and of the result.
    ranks: (usize, usize),
    /// Whether the length of the result is the one of the array.
    is_same_length: bool,
}

impl Gen {
    /// Makes a function whose result has bounds of its own in each reference.
    pub(super) fn shaped_definition(&mut self) -> Vec<String> {
        let (name, ty) = (self.name("g"), self.ty());
        let ranks = (1 + self.below(2) as usize, *self.pick(&[1, 1, 2]));
        let lower = *self.pick(&["", "0", "-2"]);
        let of_one = ["n", "n:n+2", "size(a)", "0:size(a,1)-1", "max(n,size(a))", "lbound(a,1):ubound(a,1)", "2*n-1"];
        let of_two = ["n,size(a,1)", "size(a,1),2", "0:n,n", "-1:size(shape(a)),2:size(a,1)+1"];
        // gfortran 12 takes another extent for characters.
        let of_one = if matches!(ty, Ty::Character(_)) { &of_one[..5] } else { &of_one };
        let wanted = if ranks.1 == 1 { *self.pick(of_one) } else { *self.pick(&of_two) };
        let attribute = *self.pick(&["", "", "allocatable", "pointer"]);
        let is_text = matches!(ty, Ty::Character(_));
        let length = *self.pick(&["len(a)", "n", "len(a)+n", "max(1,len(a)-n)"]);
        let (of_array, of_result) = if is_text {
            ("character(*)".to_owned(), format!("character({length})"))
        } else {
            (ty.declared(), ty.declared())
        };
        let shape = if ranks.0 == 1 { format!("({lower}:)") } else { format!("({lower}:,:)") };
        let mut text = vec![
            format!("{}function {name}(a,n) result(res)", if attribute == "pointer" { "" } else { "pure " }),
            format!("{of_array}, intent(in) :: a{shape}"),
            "integer, intent(in) :: n".to_owned(),
        ];
        if attribute.is_empty() {
            text.push(format!("{of_result} :: res({wanted})"));
        } else {
            text.push(format!("{of_result}, {attribute} :: res{}", colons(ranks.1)));
        }
        text.push("integer :: i,j,at".to_owned());
        if !attribute.is_empty() {
            text.push(format!("allocate(res({wanted}))"));
        }
        let (result, loops) = if ranks.1 == 1 { ("res(i)", 1) } else { ("res(i,j)", 2) };
        let dims = ["j", "i"];
        for dim in (0..loops).rev() {
            let var = if loops == 1 { "i" } else { dims[1 - dim] };
            text.push(format!("do {var} = lbound(res,{0}), ubound(res,{0})", dim + 1));
        }
        text.push(format!("at = lbound(a,1)+modulo(i+{}n, size(a,1))", if loops == 2 { "2*j+" } else { "" }));
        let element = if ranks.0 == 1 { "a(at)" } else { "a(at,1+modulo(i,size(a,2)))" };
        let value = match ty {
            Ty::Integer(_) => format!("mod({element}+i,97)"),
            Ty::Real(_) | Ty::Complex(_) => format!("{element}*0.5"),
            Ty::Logical => format!("{element} .neqv. i > n"),
            Ty::Character(_) => format!("{element}(1:1)//'-'"),
        };
        text.push(format!("{result} = {value}"));
        text.extend(vec!["end do".to_owned(); loops]);
        text.push("end function".to_owned());
        self.shaped.push(Shaped { name, ty, ranks, is_same_length: !is_text || length == "len(a)" });
        text
    }

    /// An array for a function, or a reference to the function itself.
    fn shaped_argument(&mut self, of: &Shaped, depth: u32) -> String {
        if depth > 0 && of.ranks.0 == of.ranks.1 && self.one_in(3) {
            return self.shaped_reference(of, depth - 1);
        }
        let shape: Vec<i64> = (0..of.ranks.0).map(|_| 1 + self.below(4)).collect();
        let is_text = matches!(of.ty, Ty::Character(_));
        let fits = |v: &Var| !v.is_deferred && (v.ty == of.ty || is_text && matches!(v.ty, Ty::Character(_)));
        match self.designator(fits, &shape, Purpose::Read) {
            Some((_, text)) => text,
            None if of.ty == Ty::Integer(4) => self.constructed(of.ty, &shape, 1).text,
            None => {
                let text = self.constructed(of.ty, &shape, 0).text;
                if let Ty::Integer(kind) = of.ty { format!("int({text},{kind})") } else { text }
            }
        }
    }

    fn shaped_reference(&mut self, of: &Shaped, depth: u32) -> String {
        let n = self.stored(Ty::Integer(4), &[], 1).text;
        let array = self.shaped_argument(of, depth);
        format!("{}({array},1+modulo({n},3))", of.name)
    }

    /// Passes an array or a scalar to an argument of assumed rank.
    pub(super) fn ranked(&mut self) {
        // gfortran 12 gives an array without elements a negative size.
        let shape: Vec<i64> = self.shape().iter().map(|&n| n.max(1)).collect();
        let value = match self.designator(|v| v.ty == Ty::Integer(4), &shape, Purpose::Read) {
            Some((_, text)) => text,
            None => self.stored(Ty::Integer(4), &shape, 2).text,
        };
        self.line(format!("call ranked({value})"));
    }

    /// A statement that refers to one of the functions.
    pub(super) fn shaped_statement(&mut self) {
        let all = self.shaped.clone();
        let Some(of) = self.pick_of(&all).cloned() else { return };
        let reference = self.shaped_reference(&of, 1);
        let is_text = matches!(of.ty, Ty::Character(_));
        match self.below(7) {
            0 => self.show_bounds(&format!("[lbound({reference}),ubound({reference}),shape({reference})]")),
            // gfortran 12 loses the values of characters of deferred length.
            1 | 2 if !is_text => {
                let (name, declared) = (self.name("t"), of.ty.declared());
                let shape = colons(of.ranks.1);
                self.unit.declarations.push(format!("{declared}, allocatable :: {name}{shape}"));
                self.line(format!("{name} = {reference}"));
                self.show(of.ty, &Expr::other(name.clone()));
                self.show_bounds(&format!("[lbound({name}),ubound({name})]"));
            }
            3 if !is_text => {
                let other = self.shaped_reference(&of, 0);
                self.show(of.ty, &Expr::other(format!("[{reference},{other}]")));
            }
            4 if matches!(of.ty, Ty::Integer(_) | Ty::Real(_)) => {
                let form = *self.pick(&["sum(@)", "maxval(@)", "(@)*2", "-@", "abs(@)", "merge(@,@,.true.)"]);
                self.show(of.ty, &Expr::other(form.replace('@', &reference)));
            }
            5 if is_text && of.is_same_length => {
                self.show_bounds(&format!("[len({reference}),len_trim({reference})]"));
            }
            6 => {
                let mask = if matches!(of.ty, Ty::Logical) {
                    reference.clone()
                } else {
                    format!("{reference} == {reference}")
                };
                self.show_bounds(&format!("count({mask}),size({reference})"));
            }
            _ => self.show(of.ty, &Expr::other(reference)),
        }
    }
}
