//! References to intrinsic functions in random expressions.

use super::expr::{Expr, STORED};
use super::names::Ty;
use super::program::Gen;

/// A shape with one dimension more, and its place from 1.
fn wider(gen_: &mut Gen, shape: &[i64]) -> (Vec<i64>, i64) {
    let (place, extent) = (gen_.below(shape.len() as i64 + 1), gen_.below(4));
    let mut wide = shape.to_vec();
    wide.insert(place as usize, extent);
    (wide, place + 1)
}

impl Gen {
    /// A scalar or array argument for an inquiry or a reduction.
    fn some_shape(&mut self) -> Vec<i64> {
        let rank = 1 + self.below(2);
        (0..rank).map(|_| self.below(5)).collect()
    }

    /// `, mask` of this shape, or nothing.
    fn mask(&mut self, shape: &[i64], depth: u32) -> String {
        if self.one_in(3) { format!(", mask={}", self.logical(shape, depth.min(1)).text) } else { String::new() }
    }

    pub(super) fn integer_intrinsic(&mut self, shape: &[i64], depth: u32) -> Expr {
        let (int, inner) = (Ty::Integer(4), depth - 1);
        if let Some(found) = self.moved(int, shape, depth) {
            return found;
        }
        match self.below(14) {
            0 if shape.len() < 2 => {
                let (wide, dim) = wider(self, shape);
                let a = self.stored(int, &wide, inner);
                let mask = self.mask(&wide, inner);
                let count = wide[dim as usize - 1];
                Expr::integer(format!("sum({}, dim={dim}{mask})", a.text), a.bound * count.max(1))
            }
            1 if shape.len() < 2 => {
                let (wide, dim) = wider(self, shape);
                let a = self.logical(&wide, inner);
                Expr::integer(format!("count({}, dim={dim})", a.text), 5)
            }
            2 if shape.len() < 2 => {
                let (mut wide, dim) = wider(self, shape);
                wide[dim as usize - 1] += 1;
                let a = self.stored(int, &wide, inner);
                let name = *self.pick(&["maxval", "minval"]);
                Expr::integer(format!("{name}({}, dim={dim})", a.text), a.bound)
            }
            3 if shape.len() < 2 => {
                let (wide, dim) = wider(self, shape);
                let ty = *self.pick(&[int, Ty::Real(8), Ty::Real(4)]);
                let a = self.stored(ty, &wide, inner);
                let name = *self.pick(&["maxloc", "minloc"]);
                // gfortran 12 leaves the result undefined where a mask has no elements.
                let mask = if wide.contains(&0) { String::new() } else { self.mask(&wide, inner) };
                let back = *self.pick(&["", ", back=.true."]);
                Expr::integer(format!("{name}({}, dim={dim}{mask}{back})", a.text), 5)
            }
            4 if shape.is_empty() => {
                let of = self.some_shape();
                let (a, b) = (self.stored(int, &of, inner), self.logical(&of, inner));
                let size: i64 = of.iter().product();
                match self.below(3) {
                    0 => Expr::integer(format!("sum({}, {})", a.text, b.text), a.bound * size.max(1)),
                    1 => Expr::integer(format!("count({})", b.text), 40),
                    _ => Expr::integer(format!("size({})", a.text), 40),
                }
            }
            5 if shape.is_empty() => {
                let of = [1 + self.below(4)];
                let (a, b) = (self.stored(int, &of, inner), self.stored(int, &of, inner));
                Expr::integer(format!("dot_product({},{})", a.text, b.text), a.bound * b.bound * of[0])
            }
            6 => {
                let a = self.expr(Ty::Character(4), shape, inner);
                let b = self.literal(Ty::Character(2));
                let back = *self.pick(&["", ",.true.", ",back=.false."]);
                match self.below(5) {
                    0 => Expr::integer(format!("index({},{}{back})", a.text, b.text), 40),
                    1 => Expr::integer(format!("scan({},{}{back})", a.text, b.text), 40),
                    2 => Expr::integer(format!("verify({},{}{back})", a.text, b.text), 40),
                    3 => Expr::integer(format!("len_trim({})", a.text), 40),
                    // gfortran 12 counts the characters of a substring in a concatenation wrongly.
                    _ if shape.is_empty() && !a.text.contains("//") => Expr::integer(format!("len({})", a.text), 40),
                    _ => Expr::integer(format!("len_trim({})", a.text), 40),
                }
            }
            7 => {
                let (a, b) = (self.expr(int, shape, inner), self.expr(int, shape, inner));
                let name = *self.pick(&["iand", "ieor", "ior", "max", "min", "sign", "dim"]);
                let bound = 2 * (a.bound + b.bound) + 2;
                let text = if name == "iand" {
                    format!("iand({},{})", a.text, b.text)
                } else {
                    format!("{name}({},{})", a.text, b.text)
                };
                Expr::integer(text, bound)
            }
            8 => {
                let a = self.stored(int, shape, inner);
                match self.below(6) {
                    0 => Expr::integer(format!("ishft({},{})", a.text, self.below(4)), 8 * 97),
                    1 => Expr::integer(format!("popcnt({})", a.text), 32),
                    2 => Expr::integer(format!("ibits({},{},3)", a.text, self.below(8)), 7),
                    3 => Expr::integer(format!("ishftc(iand({},127),{},8)", a.text, self.below(16) - 8), 255),
                    4 => Expr::integer(format!("not({})", a.text), 98),
                    _ => Expr::integer(format!("ieor({},ibset(0,{}))", a.text, self.below(8)), 300),
                }
            }
            9 => {
                let kind = *self.pick(&[4, 8]);
                let a = self.stored(Ty::Real(kind), shape, inner);
                let name = *self.pick(&["int", "nint", "floor", "ceiling"]);
                Expr::integer(format!("{name}({})", a.text), a.bound + 1)
            }
            10 => {
                let (a, b) = (self.expr(int, shape, inner), self.expr(int, shape, inner));
                let mask = self.logical(shape, inner);
                Expr::integer(format!("merge({},{},{})", a.text, b.text, mask.text), a.bound.max(b.bound))
            }
            11 => {
                let (a, b) = (self.expr(int, shape, inner), 1 + self.below(9));
                let name = *self.pick(&["mod(@,#)", "modulo(@,#)", "(@/#)", "modulo(@,-#)"]);
                Expr::integer(name.replace('@', &a.text).replace('#', &b.to_string()), a.bound.max(9))
            }
            12 if shape.len() == 1 && (1..=3).contains(&shape[0]) => {
                let of: Vec<i64> = (0..shape[0].min(3)).map(|_| self.below(4)).collect();
                if of.len() as i64 != shape[0] {
                    return self.expr(int, shape, inner);
                }
                let a = self.stored(int, &of, inner);
                let name = *self.pick(&["shape(@)", "maxloc(@)", "minloc(@)", "lbound(@)", "ubound(@)"]);
                Expr::integer(name.replace('@', &a.text), 60)
            }
            _ => {
                let a = self.expr(int, shape, inner);
                Expr::integer(format!("abs({})", a.text), a.bound)
            }
        }
    }

    pub(super) fn real_intrinsic(&mut self, kind: u8, shape: &[i64], depth: u32) -> Expr {
        let (ty, inner) = (Ty::Real(kind), depth - 1);
        if let Some(found) = self.moved(ty, shape, depth) {
            return found;
        }
        match self.below(8) {
            0 if shape.len() < 2 => {
                let (wide, dim) = wider(self, shape);
                let a = self.stored(ty, &wide, inner);
                let mask = self.mask(&wide, inner);
                Expr::real(format!("sum({}, dim={dim}{mask})", a.text), a.bound * 4, a.quantum)
            }
            1 if shape.is_empty() => {
                let of = [1 + self.below(4)];
                let (a, b) = (self.stored(ty, &of, inner), self.stored(ty, &of, inner));
                Expr::real(
                    format!("dot_product({},{})", a.text, b.text),
                    a.bound * b.bound * of[0],
                    a.quantum + b.quantum,
                )
            }
            2 => {
                let other = Ty::Real(12 - kind);
                let a = self.stored(other, shape, inner);
                Expr::real(format!("real({},{kind})", a.text), a.bound, a.quantum)
            }
            3 => {
                let a = self.stored(Ty::Complex(kind), shape, inner);
                if a.bound > STORED || a.quantum > 2 {
                    return self.expr(ty, shape, inner);
                }
                let name = *self.pick(&["real", "aimag"]);
                Expr::real(format!("{name}({})", a.text), a.bound, a.quantum)
            }
            4 => {
                let (a, b) = (self.expr(ty, shape, inner), self.expr(ty, shape, inner));
                let mask = self.logical(shape, inner);
                let text = format!("merge({},{},{})", a.text, b.text, mask.text);
                Expr::real(text, a.bound.max(b.bound), a.quantum.max(b.quantum))
            }
            5 => {
                let (a, b) = (self.expr(ty, shape, inner), self.expr(ty, shape, inner));
                let name = *self.pick(&["max", "min", "dim"]);
                Expr::real(format!("{name}({},{})", a.text, b.text), a.bound + b.bound, a.quantum.max(b.quantum))
            }
            6 => {
                let a = self.expr(ty, shape, inner);
                let name = *self.pick(&["aint", "anint", "abs"]);
                Expr::real(format!("{name}({})", a.text), a.bound + 1, a.quantum)
            }
            _ => {
                let a = self.stored(ty, shape, inner);
                let text = format!("scale({},{})", a.text, self.below(4) - 1);
                Expr::real(text, a.bound * 4, a.quantum + 1)
            }
        }
    }

    /// Functions that put the elements of an array in other places.
    fn moved(&mut self, ty: Ty, shape: &[i64], depth: u32) -> Option<Expr> {
        let inner = depth - 1;
        let same = |text: String, a: Expr| Some(Expr { text, ..a });
        if shape.is_empty() || !self.chance() {
            return None;
        }
        let dim = 1 + self.below(shape.len() as i64);
        match self.below(9) {
            0 => {
                let a = self.expr(ty, shape, inner);
                let mut of = shape.to_vec();
                of.remove(dim as usize - 1);
                let shift =
                    if self.chance() { self.literal(Ty::Integer(4)) } else { self.stored(Ty::Integer(4), &of, inner) };
                same(format!("cshift({},{},{dim})", a.text, shift.text), a)
            }
            1 => {
                let a = self.expr(ty, shape, inner);
                let shift = self.below(7) - 3;
                let edge = if self.chance() { format!(",boundary={}", self.literal(ty).text) } else { String::new() };
                let (quantum, bound) = (a.quantum.max(2), a.bound.max(STORED));
                same(format!("eoshift({},{shift}{edge},dim={dim})", a.text), Expr { bound, quantum, ..a })
            }
            // gfortran 12 orders the elements of a constant wrongly if a dimension is added between two others.
            2 if shape.len() < 3 || dim != 2 => {
                let (mut of, extent) = (shape.to_vec(), shape[dim as usize - 1]);
                of.remove(dim as usize - 1);
                let a = self.expr(ty, &of, inner);
                same(format!("spread({},{dim},{extent})", a.text), a)
            }
            3 if shape.len() == 2 => {
                let a = self.expr(ty, &[shape[1], shape[0]], inner);
                same(format!("transpose({})", a.text), a)
            }
            4 => {
                let count: i64 = shape.iter().product();
                let more = count + self.below(3);
                let a = self.expr(ty, &[more], inner);
                let extents: Vec<String> = shape.iter().map(i64::to_string).collect();
                same(format!("reshape({},[{}])", a.text, extents.join(",")), a)
            }
            5 if shape.len() == 2 && shape != [0, 0] => {
                let count: i64 = shape.iter().product();
                let a = self.expr(ty, &[count], inner);
                let text = format!("reshape({},[{},{}],order=[2,1])", a.text, shape[0], shape[1]);
                same(text, a)
            }
            6 if shape.len() == 1 => {
                let of = self.some_shape();
                let (a, b) = (self.expr(ty, &of, inner), self.stored(ty, shape, inner));
                let size: i64 = of.iter().product();
                if size > shape[0] {
                    return None;
                }
                let mask = self.logical(&of, inner);
                let text = format!("pack({},{},{})", a.text, mask.text, b.text);
                Some(Expr::real(text, a.bound.max(b.bound), a.quantum.max(b.quantum)))
            }
            7 => {
                let size: i64 = shape.iter().product();
                let of = [size + self.below(2)];
                let a = self.expr(ty, &of, inner);
                let (mask, field) = (self.logical(shape, inner), self.stored(ty, shape, inner));
                let text = format!("unpack({},{},{})", a.text, mask.text, field.text);
                Some(Expr::real(text, a.bound.max(field.bound), a.quantum.max(field.quantum)))
            }
            8 if shape.len() == 2 => {
                let middle = 1 + self.below(3);
                let (a, b) = (self.stored(ty, &[shape[0], middle], inner), self.stored(ty, &[middle, shape[1]], inner));
                let (text, bound) = (format!("matmul({},{})", a.text, b.text), a.bound * b.bound * middle);
                Some(Expr::real(text, bound, a.quantum + b.quantum))
            }
            _ => None,
        }
    }

    pub(super) fn logical_intrinsic(&mut self, shape: &[i64], depth: u32) -> Expr {
        let inner = depth - 1;
        match self.below(4) {
            0 if shape.len() < 2 => {
                let (wide, dim) = wider(self, shape);
                let a = self.logical(&wide, inner);
                let name = *self.pick(&["any", "all"]);
                Expr::other(format!("{name}({},{dim})", a.text))
            }
            1 if shape.is_empty() => {
                let of = self.some_shape();
                let a = self.logical(&of, inner);
                let name = *self.pick(&["any", "all"]);
                Expr::other(format!("{name}({})", a.text))
            }
            2 => {
                let a = self.stored(Ty::Integer(4), shape, inner);
                Expr::other(format!("btest({},{})", a.text, self.below(9)))
            }
            _ => {
                let (a, b) = (self.expr(Ty::Character(3), shape, inner), self.literal(Ty::Character(2)));
                let name = *self.pick(&["lge", "llt", "lle"]);
                Expr::other(format!("{name}({},{})", a.text, b.text))
            }
        }
    }

    pub(super) fn character_intrinsic(&mut self, shape: &[i64], depth: u32) -> Expr {
        let inner = depth - 1;
        let a = self.expr(Ty::Character(4), shape, inner);
        match self.below(5) {
            0 => Expr::characters(format!("adjustl({})", a.text), a.length),
            1 => Expr::characters(format!("adjustr({})", a.text), a.length),
            2 if shape.is_empty() => Expr::characters(format!("trim({})", a.text), None),
            3 if shape.is_empty() => {
                let count = self.below(3);
                Expr::characters(format!("repeat({},{count})", a.text), a.length.map(|n| n * count as usize))
            }
            _ => {
                let code = self.expr(Ty::Integer(4), shape, inner);
                Expr::characters(format!("achar(97+modulo({},4))", code.text), Some(1))
            }
        }
    }
}
