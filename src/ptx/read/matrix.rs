//! Matrix units: `mma`, `wmma` and `ldmatrix` (PTX ISA 9.7.14).
//!
//! The lanes of a warp exchange rows and columns by shuffles, and each computes its elements. A sum has the bits of a Hopper GPU: each term
//! is truncated to 25 bits below the greatest exponent, the sum of what is left is exact (module `wmma` says how that was measured, for
//! factors of `.f16` and `.tf32`). The fragments of `wmma`, whose order is nobody's business, are those of `mma`; a factor of `.f16` has
//! twice the registers that it needs there, and holds everything twice.
//!
//! Not here: integers, sparse matrices, `wgmma`, which are refused.

use super::{Op, Reader, Result, wrong};
use crate::syntax::{Operand, Type};
use ir::op::{BinOp, CmpOp, CvtOp, ShflOp, Special, UnOp};
use ir::{Access, Space, Ty, Val};

/// No exponent.
const NONE: i64 = -10_000;

/// What factors are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Factor {
    Half,
    Brain,
    Tf32,
}

impl Factor {
    fn of(op: &Op<'_>) -> Option<Factor> {
        match () {
            () if op.has("tf32") => Some(Factor::Tf32),
            () if op.has("bf16") => Some(Factor::Brain),
            () if op.has("f16") => Some(Factor::Half),
            () => None,
        }
    }

    /// The least exponent of its numbers.
    fn least(self) -> i64 {
        if self == Factor::Half { -14 } else { -126 }
    }

    /// How many are in a register.
    fn packed(self) -> usize {
        if self == Factor::Tf32 { 1 } else { 2 }
    }

    fn ty(self) -> Type {
        match self {
            Factor::Half => Type::F16,
            Factor::Brain => Type::BF16,
            Factor::Tf32 => Type::F32,
        }
    }
}

/// A factor as `.f64` and its exponent.
type Term = (Val, Val);

impl<'a> Reader<'a> {
    /// `mma`: `d`, `a`, `b`, `c`, with 16 rows and 8 columns.
    pub(super) fn matrix_product(&mut self, op: &Op<'a>) -> Result<()> {
        op.only(&["sync", "aligned", "m16n8k16", "m16n8k8", "m16n8k4", "row", "col", "tf32"])?;
        op.count(4, 4)?;
        let (Some(factor), Some(&sum)) = (Factor::of(op), op.types.first()) else { return op.refused() };
        let has_sums = matches!(sum, Type::F32) || sum == Type::F16 && factor == Factor::Half;
        let alike = op.types.last() == Some(&sum) && op.types.len() == if factor == Factor::Tf32 { 2 } else { 4 };
        let k = [("m16n8k16", 16), ("m16n8k8", 8), ("m16n8k4", 4)].iter().find(|(shape, _)| op.has(shape));
        let Some(&(_, k)) = k else { return op.refused() };
        let has_shape = if factor == Factor::Tf32 { k < 16 } else { k > 4 };
        if !has_sums || !alike || !has_shape || !op.has("row") || !op.has("col") {
            return op.refused();
        }
        let a = self.registers(op.operand(1)?, 2 * k / (4 * factor.packed()))?;
        let b = self.registers(op.operand(2)?, k / (4 * factor.packed()))?;
        let c = self.sums(op.operand(3)?, sum, 4)?;
        let d = self.product(factor, k, &a, &b, &c, sum == Type::F16);
        self.give_sums(op.operand(0)?, sum, &d)
    }

    /// `wmma`: loads, stores and products of 16 rows and columns.
    pub(super) fn warp_matrix(&mut self, op: &Op<'a>) -> Result<()> {
        match op.parts.get(1) {
            Some(&"load") => self.load_matrix(op),
            Some(&"store") => self.store_matrix(op),
            Some(&"mma") => self.multiply_matrices(op),
            _ => op.refused(),
        }
    }

    fn multiply_matrices(&mut self, op: &Op<'a>) -> Result<()> {
        op.only(&["mma", "sync", "aligned", "m16n16k16", "m16n16k8", "row", "col", "tf32"])?;
        op.count(4, 4)?;
        let is_short = op.has("tf32");
        let factor = match op.types.get(1) {
            _ if is_short => Factor::Tf32,
            Some(&Type::BF16) => Factor::Brain,
            _ => Factor::Half,
        };
        let (Some(&to), Some(&from)) = (op.types.first(), op.types.last()) else { return op.refused() };
        let is_sum = |ty: Type| ty == Type::F32 || ty == Type::F16 && factor == Factor::Half;
        if op.has("m16n16k8") != is_short || !is_sum(to) || !is_sum(from) {
            return op.refused();
        }
        let k = if is_short { 8 } else { 16 };
        let a = self.registers(op.operand(1)?, if factor == Factor::Half { 8 } else { 4 })?;
        let b = self.registers(op.operand(2)?, if factor == Factor::Half { 8 } else { 4 })?;
        let c = self.sums(op.operand(3)?, from, 8)?;
        let mut d = Vec::new();
        for half in 0..2 {
            // Sums of `.f16` are added to as they are only where they stay so.
            let stays = from == Type::F16 && to == Type::F16;
            let part = self.product(factor, k, &a[..4], &b[2 * half..2 * half + 2], &c[4 * half..4 * half + 4], stays);
            d.extend(part);
        }
        if from == Type::F32 && to == Type::F16 {
            d = d.into_iter().map(|sum| self.single_total(sum)).collect();
        }
        self.give_sums(op.operand(0)?, to, &d)
    }

    /// The registers of a fragment, as bits.
    fn registers(&mut self, operand: &'a Operand, count: usize) -> Result<Vec<Val>> {
        let all = fragment(operand);
        if all.len() != count {
            return wrong(format!("{count} registers are expected, and {} are there", all.len()));
        }
        all.iter().map(|one| self.read(one, Type::B32)).collect()
    }

    /// The sums in a fragment, as `.f64`.
    fn sums(&mut self, operand: &'a Operand, ty: Type, count: usize) -> Result<Vec<Val>> {
        let is_half = ty == Type::F16;
        let mut out = Vec::new();
        for register in self.registers(operand, if is_half { count / 2 } else { count })? {
            let singles =
                if is_half { self.parts(Type::F16, register) } else { vec![self.as_bits(register, Ty::I32, Ty::F32)] };
            out.extend(singles.into_iter().map(|v| Val::from(self.b.cvt(CvtOp::Cast, Ty::F32, Ty::F64, v))));
        }
        Ok(out)
    }

    /// Both halves of a register, as `.f32`.
    fn parts(&mut self, ty: Type, register: Val) -> Vec<Val> {
        let low: Val = self.b.cvt(CvtOp::Cast, Ty::I32, Ty::I16, register).into();
        let rest = self.b.bin(BinOp::ShrU, Ty::I32, register, Val::Imm(16));
        let high = self.b.cvt(CvtOp::Cast, Ty::I32, Ty::I16, rest).into();
        [low, high].map(|half| self.widened(ty, half)).to_vec()
    }

    /// Writes totals as sums.
    fn give_sums(&mut self, operand: &'a Operand, ty: Type, totals: &[Val]) -> Result<()> {
        let targets = fragment(operand);
        let mut bits = Vec::new();
        if ty == Type::F16 {
            for pair in totals.chunks_exact(2) {
                let halves = [pair[0], pair[1]].map(|total| self.half_total(total));
                bits.push(self.of_halves(&halves));
            }
        } else {
            for &total in totals {
                let single = self.single_total(total);
                let single: Val = self.b.cvt(CvtOp::Cast, Ty::F64, Ty::F32, single).into();
                bits.push(self.as_bits(single, Ty::F32, Ty::I32));
            }
        }
        if targets.len() != bits.len() {
            return wrong(format!("{} registers are expected, and {} are there", bits.len(), targets.len()));
        }
        targets.iter().zip(bits).try_for_each(|(target, value)| self.write(target, Type::B32, value))
    }

    /// The quarter of a warp that the lane is in, and its number in a group of four.
    fn place_in_warp(&mut self) -> (Val, Val) {
        let lane = self.b.special(Special::LaneId);
        let group = self.b.bin(BinOp::ShrU, Ty::I32, lane, Val::Imm(2));
        (group.into(), self.b.bin(BinOp::And, Ty::I32, lane, Val::Imm(3)).into())
    }

    /// The elements that the lane has of 16 rows and 8 columns, as `.f64`: two of the row of its group, two of the eighth row from there.
    fn product(&mut self, factor: Factor, k: usize, a: &[Val], b: &[Val], c: &[Val], keeps_half: bool) -> Vec<Val> {
        let (group, quarter) = self.place_in_warp();
        let first_row = self.b.bin(BinOp::Shl, Ty::I32, group, Val::Imm(2));
        let first_column = self.b.bin(BinOp::Shl, Ty::I32, quarter, Val::Imm(3));
        // Which register of a row or a column has an element, which lane of four, and which half.
        let packed = factor.packed();
        let found = |at: usize| (at / (4 * packed), at % (4 * packed) / packed, at % packed);
        let steps = if factor == Factor::Tf32 { 4 } else { k };
        let rows = [0, 1].map(|row| {
            let of = |register: usize| a[2 * register + row];
            self.line(factor, k, &of, first_row.into(), 0, &found)
        });
        let columns =
            [0, 4].map(|next| self.line(factor, k, &|register| b[register], first_column.into(), next, &found));
        let least = if keeps_half { -14 } else { -126 };
        let mut out = Vec::new();
        for (row, terms) in rows.iter().enumerate() {
            for (column, others) in columns.iter().enumerate() {
                let mut sum = c[2 * row + column];
                for at in (0..k).step_by(steps) {
                    sum = self.total(&terms[at..at + steps], &others[at..at + steps], sum, least);
                    if steps < k {
                        sum = self.single_total(sum);
                    }
                }
                out.push(sum);
            }
        }
        out
    }

    /// The elements of a row or column: lanes from `first + next` on have it.
    fn line(
        &mut self,
        factor: Factor,
        k: usize,
        register: &dyn Fn(usize) -> Val,
        first: Val,
        next: u64,
        found: &dyn Fn(usize) -> (usize, usize, usize),
    ) -> Vec<Term> {
        let mut out = Vec::new();
        let mut at = 0;
        while at < k {
            let (number, lane, _) = found(at);
            let lane = self.b.bin(BinOp::Add, Ty::I32, first, Val::Imm(next + lane as u64));
            let bits: Val = self.b.shuffle(ShflOp::Idx, Ty::I32, register(number), lane, Val::Imm(32)).into();
            let singles = if factor == Factor::Tf32 {
                // Without its last 13 bits.
                let kept = self.b.bin(BinOp::And, Ty::I32, bits, Val::Imm(0xffff_e000)).into();
                vec![self.as_bits(kept, Ty::I32, Ty::F32)]
            } else {
                self.parts(factor.ty(), bits)
            };
            at += singles.len();
            for single in singles {
                let value: Val = self.b.cvt(CvtOp::Cast, Ty::F32, Ty::F64, single).into();
                out.push((value, self.exponent(value, factor.least())));
            }
        }
        out
    }

    /// The exponent of a number that is not 0, not less than the least one of its type.
    fn exponent(&mut self, value: Val, least: i64) -> Val {
        let bits = self.as_bits(value, Ty::F64, Ty::I64);
        let high = self.b.bin(BinOp::ShrU, Ty::I64, bits, Val::Imm(52));
        let biased = self.b.bin(BinOp::And, Ty::I64, high, Val::Imm(2047));
        let exponent = self.b.bin(BinOp::Sub, Ty::I64, biased, Val::i64(1023));
        self.b.bin(BinOp::Max, Ty::I64, exponent, Val::i64(least)).into()
    }

    /// The sum of products and a number.
    fn total(&mut self, a: &[Term], b: &[Term], c: Val, least: i64) -> Val {
        let (mut plain, mut top) = (c, Val::i64(NONE));
        let mut products = Vec::new();
        for (&(a, of_a), &(b, of_b)) in a.iter().zip(b) {
            let product: Val = self.b.bin(BinOp::Mul, Ty::F64, a, b).into();
            plain = self.b.bin(BinOp::Add, Ty::F64, plain, product).into();
            let exponent = self.b.bin(BinOp::Add, Ty::I64, of_a, of_b).into();
            top = self.greater(top, product, exponent);
            products.push(product);
        }
        let of_c = self.exponent(c, least);
        top = self.greater(top, c, of_c);
        let biased = self.b.bin(BinOp::Sub, Ty::I64, Val::i64(25 + 1023), top);
        let bits = self.b.bin(BinOp::Shl, Ty::I64, biased, Val::Imm(52)).into();
        let unit = self.as_bits(bits, Ty::I64, Ty::F64);
        let mut sum = Val::f64(0.0);
        for term in products.into_iter().chain([c]) {
            let scaled = self.b.bin(BinOp::Mul, Ty::F64, term, unit);
            let whole = self.b.un(UnOp::Trunc, Ty::F64, scaled);
            sum = self.b.bin(BinOp::Add, Ty::F64, sum, whole).into();
        }
        let total = self.b.bin(BinOp::Div, Ty::F64, sum, unit);
        let has_terms = self.b.cmp(CmpOp::Gt, Ty::I64, top, Val::i64(NONE));
        let total = self.b.select(Ty::F64, has_terms, total, Val::f64(0.0));
        let size = self.b.un(UnOp::Abs, Ty::F64, plain);
        let is_finite = self.b.cmp(CmpOp::Le, Ty::F64, size, Val::f64(f64::MAX));
        self.b.select(Ty::F64, is_finite, total, plain).into()
    }

    /// The greater of two exponents, if the second is one of a number that is not 0.
    fn greater(&mut self, top: Val, value: Val, exponent: Val) -> Val {
        let greater = self.b.bin(BinOp::Max, Ty::I64, top, exponent);
        let is_some = self.b.cmp(CmpOp::Ne, Ty::F64, value, Val::f64(0.0));
        self.b.select(Ty::I64, is_some, greater, top).into()
    }

    /// A total as a number of `.f32`, toward zero; what that is too small for is infinite.
    fn single_total(&mut self, total: Val) -> Val {
        let size = self.b.un(UnOp::Abs, Ty::F64, total);
        let is_great = self.b.cmp(CmpOp::Ge, Ty::F64, size, Val::f64(2.0_f64.powi(128)));
        let single = self.rounded_narrow(super::rounding::Rounding::Zero, total);
        let infinite = self.b.bin(BinOp::Copysign, Ty::F32, Val::f32(f32::INFINITY), single);
        let single = self.b.select(Ty::F32, is_great, infinite, single);
        let is_nan = self.b.cmp(CmpOp::Ne, Ty::F64, total, total);
        let nan = Val::Imm(0x7fff_ffff);
        let single = self.b.select(Ty::F32, is_nan, nan, single);
        self.b.cvt(CvtOp::Cast, Ty::F32, Ty::F64, single).into()
    }

    /// A total as `.f16`: the nearest number, and no negative zero.
    fn half_total(&mut self, total: Val) -> Val {
        let half = self.narrowed(Type::F16, Ty::F64, total);
        let is_negative_zero = self.b.cmp(CmpOp::Eq, Ty::I16, half, Val::Imm(0x8000));
        self.b.select(Ty::I16, is_negative_zero, Val::Imm(0), half).into()
    }

    /// What is loaded or stored: rows and columns of each element of the lane, from those of a matrix in memory.
    fn elements_of(&mut self, which: &str, packed: usize) -> Vec<[Val; 2]> {
        let (group, quarter) = self.place_in_warp();
        let first = self.b.bin(BinOp::Mul, Ty::I32, quarter, Val::Imm(packed as u64)).into();
        let pair: Val = self.b.bin(BinOp::Shl, Ty::I32, quarter, Val::Imm(1)).into();
        let mut out = Vec::new();
        let mut add = |this: &mut Self, (row, down): (Val, u64), (column, right): (Val, u64)| {
            let row = this.b.bin(BinOp::Add, Ty::I32, row, Val::Imm(down)).into();
            let column = this.b.bin(BinOp::Add, Ty::I32, column, Val::Imm(right)).into();
            out.push([row, column]);
        };
        for register in 0..4_u64 {
            match which {
                "a" => {
                    for half in 0..packed as u64 {
                        add(self, (group, 8 * (register % 2)), (first, register / 2 * 4 * packed as u64 + half));
                    }
                }
                "b" => {
                    for half in 0..packed as u64 {
                        add(self, (first, register % 2 * 4 * packed as u64 + half), (group, 8 * (register / 2)));
                    }
                }
                _ => {
                    for half in 0..2 {
                        add(self, (group, 8 * (register % 2)), (pair, register / 2 * 8 + half));
                    }
                }
            }
        }
        out
    }

    /// What a load or store of a matrix says: which matrix, the type of an element, whether rows follow each other, and its columns.
    fn in_memory(&self, op: &Op<'a>) -> Result<(&'a str, Type, bool, u64)> {
        op.only(&[
            "load",
            "store",
            "a",
            "b",
            "c",
            "d",
            "sync",
            "aligned",
            "m16n16k16",
            "m16n16k8",
            "row",
            "col",
            "global",
            "shared",
            "shared::cta",
            "tf32",
        ])?;
        let which = op.parts.get(2).copied().unwrap_or("");
        let is_short = op.has("m16n16k8");
        let ty = if op.has("tf32") { Type::F32 } else { op.ty()? };
        let is_factor = matches!(which, "a" | "b");
        let fits = match ty {
            Type::F32 => is_factor == op.has("tf32") && (!is_factor || is_short),
            Type::F16 => !is_short,
            Type::BF16 => is_factor && !is_short,
            _ => false,
        };
        if !fits || !(op.has("m16n16k16") || is_short) {
            return op.refused();
        }
        let by_rows = op.has("row");
        let columns = match (which, by_rows) {
            ("a", true) | ("b", false) if is_short => 8,
            _ => 16,
        };
        Ok((which, ty, by_rows, columns))
    }

    /// The address of each element of the lane.
    fn addresses_of(
        &mut self,
        (which, ty, by_rows, columns): (&str, Type, bool, u64),
        (address, offset): (Val, i64),
        stride: Option<&'a Operand>,
    ) -> Result<Vec<Val>> {
        let stride = match stride {
            Some(stride) => self.read(stride, Type::U32)?,
            None => Val::Imm(columns),
        };
        let start = self.plus(address, offset);
        let mut out = Vec::new();
        for [row, column] in self.elements_of(which, if ty == Type::F32 { 1 } else { 2 }) {
            let (line, place) = if by_rows { (row, column) } else { (column, row) };
            let [line, stride, place] = [line, stride, place].map(|v| self.extended(v, Ty::I32, Ty::I64, false));
            let before = self.b.bin(BinOp::Mul, Ty::I64, line, stride);
            let number = self.b.bin(BinOp::Add, Ty::I64, before, place);
            let bytes = self.b.bin(BinOp::Mul, Ty::I64, number, Val::Imm(ty.bytes()));
            out.push(self.b.bin(BinOp::Add, Ty::I64, start, bytes).into());
        }
        Ok(out)
    }

    /// The space of the IR that an instruction names.
    fn space_of(op: &Op<'a>) -> Space {
        match op.space() {
            Some(crate::syntax::StateSpace::Global) => Space::Global,
            Some(crate::syntax::StateSpace::Shared) => Space::Shared,
            _ => Space::Generic,
        }
    }

    fn load_matrix(&mut self, op: &Op<'a>) -> Result<()> {
        op.count(2, 3)?;
        let form = self.in_memory(op)?;
        let place = self.place_of(op.operand(1)?, op.space())?;
        let addresses = self.addresses_of(form, place, op.operands.get(2))?;
        let kind = super::integer(form.1.bits / 8);
        let values: Vec<Val> = addresses
            .into_iter()
            .map(|at| self.b.load(kind, Self::space_of(op), Access::Plain, at, 0).into())
            .collect();
        let mut registers: Vec<Val> = match form.1.bits {
            16 => values.chunks_exact(2).map(|pair| self.of_halves(pair)).collect(),
            _ => values,
        };
        if form.1 == Type::F16 && matches!(form.0, "a" | "b") {
            registers.extend(registers.clone());
        }
        let targets = fragment(op.operand(0)?);
        if targets.len() != registers.len() {
            return wrong(format!("{} registers are expected, and {} are there", registers.len(), targets.len()));
        }
        targets.iter().zip(registers).try_for_each(|(target, value)| self.write(target, Type::B32, value))
    }

    fn store_matrix(&mut self, op: &Op<'a>) -> Result<()> {
        op.count(2, 3)?;
        let form = self.in_memory(op)?;
        if form.0 != "d" {
            return op.refused();
        }
        let place = self.place_of(op.operand(0)?, op.space())?;
        let addresses = self.addresses_of(form, place, op.operands.get(2))?;
        let is_half = form.1 == Type::F16;
        let mut values = Vec::new();
        for register in self.registers(op.operand(1)?, if is_half { 4 } else { 8 })? {
            if is_half {
                let rest = self.b.bin(BinOp::ShrU, Ty::I32, register, Val::Imm(16)).into();
                values.extend([register, rest].map(|v| Val::from(self.b.cvt(CvtOp::Cast, Ty::I32, Ty::I16, v))));
            } else {
                values.push(register);
            }
        }
        let kind = super::integer(form.1.bits / 8);
        for (at, value) in addresses.into_iter().zip(values) {
            self.b.store(kind, Self::space_of(op), Access::Plain, at, 0, value);
        }
        Ok(())
    }

    /// `ldmatrix`: matrices of 8 rows of 16 bytes, whose addresses eight lanes each have.
    pub(super) fn load_rows(&mut self, op: &Op<'a>) -> Result<()> {
        op.only(&["sync", "aligned", "m8n8", "x1", "x2", "x4", "trans", "shared", "shared::cta"])?;
        op.count(2, 2)?;
        if op.types.iter().any(|ty| ty.bits != 16) {
            return op.refused();
        }
        let count = [("x1", 1), ("x2", 2), ("x4", 4)].iter().find(|(part, _)| op.has(part));
        let Some(&(_, count)) = count else { return op.refused() };
        let targets = fragment(op.operand(0)?);
        if targets.len() != count {
            return wrong(format!("{count} registers are expected, and {} are there", targets.len()));
        }
        let (address, offset) = self.place_of(op.operand(1)?, op.space())?;
        let address = self.plus(address, offset);
        let (group, quarter) = self.place_in_warp();
        let mut values = Vec::new();
        for matrix in 0..count as u64 {
            if !op.has("trans") {
                let lane = self.b.bin(BinOp::Add, Ty::I32, group, Val::Imm(8 * matrix)).into();
                let row = self.address_of_lane(address, lane);
                let at = self.extended(quarter, Ty::I32, Ty::I64, false);
                let bytes = self.b.bin(BinOp::Shl, Ty::I64, at, Val::Imm(2));
                let at = self.b.bin(BinOp::Add, Ty::I64, row, bytes);
                values.push(self.b.load(Ty::I32, Self::space_of(op), Access::Plain, at, 0).into());
                continue;
            }
            let mut halves = Vec::new();
            for half in 0..2 {
                let twice = self.b.bin(BinOp::Shl, Ty::I32, quarter, Val::Imm(1));
                let lane = self.b.bin(BinOp::Add, Ty::I32, twice, Val::Imm(8 * matrix + half)).into();
                let row = self.address_of_lane(address, lane);
                let at = self.extended(group, Ty::I32, Ty::I64, false);
                let bytes = self.b.bin(BinOp::Shl, Ty::I64, at, Val::Imm(1));
                let at = self.b.bin(BinOp::Add, Ty::I64, row, bytes);
                halves.push(self.b.load(Ty::I16, Self::space_of(op), Access::Plain, at, 0).into());
            }
            values.push(self.of_halves(&halves));
        }
        targets.iter().zip(values).try_for_each(|(target, value)| self.write(target, Type::B32, value))
    }

    /// The address that another lane has.
    fn address_of_lane(&mut self, address: Val, lane: Val) -> Val {
        self.b.shuffle(ShflOp::Idx, Ty::I64, address, lane, Val::Imm(32)).into()
    }
}

/// The registers of a fragment.
fn fragment(operand: &Operand) -> &[Operand] {
    match operand {
        Operand::Vector(all) => all,
        one => std::slice::from_ref(one),
    }
}
