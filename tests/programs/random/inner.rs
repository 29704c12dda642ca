//! Internal procedures, procedures as arguments, and procedure pointers.

use super::expr::Expr;
use super::names::{Storage, Ty};
use super::program::Gen;

/// Procedures of the module that take procedures.
const PROCEDURES: &str = "\
integer function apply(f, k)
procedure(integer) :: f
integer, intent(in) :: k
apply = f(k)
end function
recursive integer function apply_many(f, k, n) result(res)
procedure(integer) :: f
integer, intent(in) :: k, n
res = f(k)
if (n > 0) res = apply_many(f, mod(res+k,97), n-1)
end function
pure integer function double(k)
integer, intent(in) :: k
double = mod(2*k,97)
end function
recursive integer function nested(k, n) result(res)
integer, intent(in) :: k, n
integer :: own(2)
own = [k,n]
if (n <= 0) then
res = k
else
res = apply(with_host, k)
res = mod(res + nested(k+1, n-1) + sum(own), 97)
end if
contains
integer function with_host(k)
integer, intent(in) :: k
own(1) = own(1) + 1
with_host = mod(own(1)*k + own(2), 97)
end function
end function";

/// The interface of the functions.
const INTERFACE: &str = "\
abstract interface
pure integer function of_integer(k)
integer, intent(in) :: k
end function
end interface
type table
procedure(of_integer), pointer, nopass :: f => null()
integer :: n = 1
end type";

impl Gen {
    pub(super) fn interfaces(&mut self) {
        self.unit.declarations.extend(INTERFACE.lines().map(str::to_owned));
    }

    pub(super) fn applying_procedures(&mut self) -> Vec<String> {
        PROCEDURES.lines().map(str::to_owned).collect()
    }

    /// Makes internal functions of the main program, which read its variables.
    pub(super) fn inner_functions(&mut self) -> Vec<String> {
        self.unit.declarations.push("procedure(of_integer), pointer :: pp => null()".to_owned());
        self.unit.declarations.push("type(table) :: tables(3)".to_owned());
        let mut text = Vec::new();
        let count = self.excluded.len();
        // The shape of the others may have changed when the function is called.
        let others: Vec<usize> = self.vars.iter().filter(|v| v.storage != Storage::Plain).map(|v| v.group).collect();
        self.excluded.extend(others);
        for _ in 0..2 {
            let (name, dummy) = (self.name("h"), self.name("a"));
            let mut var = self.new_var(dummy.clone(), Ty::Integer(4), Vec::new());
            var.is_writable = false;
            self.vars.push(var);
            let value = self.stored(Ty::Integer(4), &[], 3);
            self.vars.pop();
            text.extend([
                format!("pure integer function {name}({dummy})"),
                format!("integer, intent(in) :: {dummy}"),
                "integer :: idx".to_owned(),
                format!("{name} = {}", value.text),
                "end function".to_owned(),
            ]);
            self.inner.push(name);
        }
        self.excluded.truncate(count);
        self.inner.push("double".to_owned());
        self.line(format!("pp => {}", self.inner[0]));
        for (k, name) in self.inner.clone().iter().enumerate() {
            self.line(format!("tables({})%f => {name}", k + 1));
        }
        text
    }

    /// A statement that calls one of them.
    pub(super) fn inner_statement(&mut self) {
        if !self.is_in_main() || self.inner.is_empty() {
            return;
        }
        let all = self.inner.clone();
        let name = self.pick(&all).clone();
        let (k, n) = (self.stored(Ty::Integer(4), &[], 2).text, self.below(4));
        let at = 1 + self.below(3);
        let text = match self.below(8) {
            0 => format!("{name}({k})"),
            1 => format!("apply({name},{k})"),
            2 => format!("apply_many({name},{k},{n})"),
            3 => {
                let target = *self.pick(&[name.as_str(), "tables(1)%f", "tables(3)%f"]);
                self.line(format!("pp => {target}"));
                self.line(format!("write(*,'(l2)') associated(pp, {name})"));
                format!("pp({k})")
            }
            4 => format!("tables({at})%f({k})"),
            5 => format!("apply(tables({at})%f,{k})"),
            6 => {
                let from = 1 + self.below(3);
                self.line(format!("tables({at}) = tables({from})"));
                format!("tables({at})%f(tables({at})%n)")
            }
            _ => format!("nested({k},{n})"),
        };
        self.show(Ty::Integer(4), &Expr::other(text));
    }
}
