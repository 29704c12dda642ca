//! Random transfers: internal files, scratch files, list-directed input and namelists.

use super::expr::{Expr, Purpose};
use super::names::{Ty, Var};
use super::program::Gen;

impl Gen {
    /// Some parts of variables that may all be read into at once, with their types.
    fn parts(&mut self, count: i64, purpose: Purpose) -> Vec<(Var, String, Vec<i64>)> {
        let (mut found, depth) = (Vec::<(Var, String, Vec<i64>)>::new(), self.excluded.len());
        for _ in 0..count {
            let shape: Vec<i64> = self.dims().iter().map(|d| d.extent).collect();
            let fits = |v: &Var| !v.is_deferred && !matches!(v.ty, Ty::Complex(_));
            if let Some((var, text)) = self.writable(&shape, fits, purpose) {
                self.excluded.push(var.group);
                found.push((var, text, shape));
            }
        }
        self.excluded.truncate(depth);
        found
    }

    /// Writes something somewhere, and often reads it again.
    pub(super) fn transfer(&mut self) {
        match self.below(4) {
            0 => self.formatted(),
            1 => self.scratch("unformatted"),
            2 => self.scratch("formatted"),
            _ => self.listed(),
        }
    }

    /// A write of values with many edit descriptors.
    fn formatted(&mut self) {
        let (mut format, mut list) = (Vec::new(), Vec::new());
        for _ in 0..=self.below(5) {
            let ty =
                *self.pick(&[Ty::Integer(4), Ty::Integer(4), Ty::Real(4), Ty::Real(8), Ty::Logical, Ty::Character(3)]);
            let shape: Vec<i64> = if self.one_in(3) { vec![1 + self.below(3)] } else { Vec::new() };
            let value = self.stored(ty, &shape, 2);
            let count = shape.first().copied().unwrap_or(1);
            let edit = match ty {
                Ty::Integer(_) => {
                    *self.pick(&["i5", "i0", "i6.3", "sp,i4,ss", "i2", "b12", "o12.5", "z9", "g0", "i5.0"])
                }
                Ty::Real(_) => *self.pick(&[
                    "f9.2",
                    "f12.4",
                    "es12.5",
                    "e13.6",
                    "en13.4",
                    "sp,f10.3,s",
                    "es13.5e3",
                    "f5.2",
                    "1p,e13.6,0p",
                    "d13.6",
                    "g14.6",
                ]),
                Ty::Logical => *self.pick(&["l1", "l4", "g0"]),
                _ => *self.pick(&["a", "a2", "a6", "g0"]),
            };
            format.push(if count > 1 && !edit.contains(',') {
                format!("{count}{edit}")
            } else {
                format!("{count}({edit})")
            });
            list.push(value.text);
            if self.one_in(3) {
                let text = *self.pick(&["'x y'", "2x", "t5", "tl2", "tr1", "/", ":", "\"it's\"", "1x,'q'"]);
                format.push(text.to_owned());
            }
        }
        let label = self.name("");
        self.line(format!("write(*,'(a,{})') 'w{label}', {}", format.join(",").replace('\'', "''"), list.join(",")));
    }

    /// Writes parts of variables to a scratch file and reads them again, into others of the same type.
    fn scratch(&mut self, form: &str) {
        let sources = self.parts(3, Purpose::Assign);
        if sources.is_empty() {
            return;
        }
        let names: Vec<&str> = sources.iter().map(|(_, text, _)| text.as_str()).collect();
        let edit: Vec<String> = sources.iter().map(|(v, _, shape)| read_edit(v.ty, shape)).collect();
        let control = if form == "formatted" { format!("(10,'({})')", edit.join(",")) } else { "(10)".to_owned() };
        self.line(format!("open(10, status='scratch', form='{form}')"));
        self.line(format!("write{control} {}", names.join(",")));
        self.line(format!("write{control} {}", names.join(",")));
        let back = *self.pick(&["rewind(10)", "backspace(10)"]);
        self.line(back);
        let (depth, mut targets) = (self.excluded.len(), Vec::new());
        for (var, text, shape) in &sources {
            let fits = |v: &Var| v.ty == var.ty && !v.is_deferred;
            let target = self.writable(shape, fits, Purpose::Assign);
            targets.push(target.map_or(text.clone(), |(var, text)| {
                self.excluded.push(var.group);
                text
            }));
        }
        self.excluded.truncate(depth);
        let first_only = form == "unformatted" && self.one_in(3);
        targets.truncate(if first_only { 1 } else { targets.len() });
        self.line(format!("read{control} {}", targets.join(",")));
        self.line("close(10)");
        for ((var, ..), text) in sources.iter().zip(targets) {
            self.show(var.ty, &Expr::other(text));
        }
    }

    /// Reads a line of text without a format.
    fn listed(&mut self) {
        // gfortran 12 loses the elements of a vector subscript that the input leaves out.
        let parts = self.parts(3, Purpose::Pass);
        let mut text = String::new();
        for (var, _, shape) in &parts {
            let count = shape.iter().product::<i64>();
            for k in 0..count {
                let value = match var.ty {
                    Ty::Integer(_) => (self.below(60) - 30).to_string(),
                    Ty::Real(_) => (*self.pick(&["1.5", "-2", "25e-2", ".5D1", "3.25", "+7."])).to_owned(),
                    Ty::Logical => (*self.pick(&["T", ".false.", "true", ".T", "f"])).to_owned(),
                    _ => (*self.pick(&["abc", "\"a b\"", "\"d,e\"", "x", "\"q\"\"r\""])).to_owned(),
                };
                let repeat = if self.one_in(8) && count - k == 2 { "2*" } else { "" };
                text += &format!("{repeat}{value}{}", self.pick(&[" ", ", ", ",", "  "]));
                if repeat == "2*" {
                    break;
                }
            }
            if self.one_in(6) {
                break;
            }
        }
        if parts.is_empty() {
            return;
        }
        text += " /";
        let names: Vec<&str> = parts.iter().map(|(_, text, _)| text.as_str()).collect();
        let line = self.name("r");
        self.unit.declarations.push(format!("character(2000) :: {line}"));
        self.line(format!("{line} = '{text}'"));
        self.line(format!("read({line},*) {}", names.join(",")));
        for (var, text, _) in &parts {
            self.show(var.ty, &Expr::other(text.clone()));
        }
    }
}

/// The edit descriptors that read back what they wrote.
fn read_edit(ty: Ty, shape: &[i64]) -> String {
    let count = shape.iter().product::<i64>();
    let edit = match ty {
        Ty::Integer(_) => "i6".to_owned(),
        Ty::Real(_) => "f10.2".to_owned(),
        Ty::Complex(_) => "2f10.2".to_owned(),
        Ty::Logical => "l3".to_owned(),
        Ty::Character(length) => format!("a{}", length.max(1)),
    };
    if count == 0 { "1x".to_owned() } else { format!("{count}({edit})") }
}
