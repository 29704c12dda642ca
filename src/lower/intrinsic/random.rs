//! RANDOM_NUMBER and RANDOM_SEED, in host code by a service, in device code by each thread for itself.
//!
//! Not here: the generators (`host`, and `random_bits` in the mathematics library).

use super::{Args, arg};
use crate::analysis::mathematics::RANDOM_BITS;
use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::function::FunctionLowering;
use crate::types::ir_ty;
use crate::value::Value;
use crate::value::array_view::ArrayView;
use crate::value::lvalue::{MemRef, element_lvalue};
use ir::op::{BinOp, UnOp};
use ir::rt::Rt;
use ir::{Ty, Val};
use sema::checked::{Expr, Type};

/// How many default integers RANDOM_SEED puts and gets.
const SEED_WORDS: i64 = 8;

/// Where in the state of a thread its key is, the number of its stream, and how many numbers it has drawn: integers of 8 bytes.
const KEY: i64 = 0;
const STREAM: i64 = 8;
const DRAWS: i64 = 16;

/// Bytes of the state of a thread.
const STATE_BYTES: u64 = 24;

impl<'p> FunctionLowering<'_, 'p> {
    pub(super) fn random_number(&mut self, e: &'p Expr) -> bool {
        if !self.b.is_host() && self.b.random_state().is_none() {
            return false;
        }
        if e.rank == 0 {
            let v = random_value(&mut self.b, &e.ty);
            let place = self.lvalue(e);
            self.b.store_value(place, &e.ty, &v);
            return true;
        }
        let Some(view) = self.designator_view(e) else { return false };
        let extents = view.extents();
        let remote = self.b.is_remote(view.mem);
        let to: ArrayView = if remote { self.b.temporary_array(&e.ty, None, &extents) } else { view.clone() };
        self.each_position(&extents, &[&to], &mut |this, index, linear| {
            let v = random_value(&mut this.b, &e.ty);
            let mem = this.b.element_pos(&to, index, linear);
            this.b.store_value(element_lvalue(mem, None), &e.ty, &v);
        });
        if remote {
            self.b.copy_array(&view, &to, &e.ty);
        }
        true
    }

    /// The seed is the state of the generator: as many default integers as the host's has bytes for them.
    pub(super) fn random_seed(&mut self, args: Args<'p>) {
        let state = self.b.random_state();
        if args.given().next().is_none() {
            match state {
                Some(state) => begin_anew(&mut self.b, state),
                None => _ = self.b.rt(Rt::RandomSeed, vec![Val::i32(0), Val::i64(0)]),
            }
            return;
        }
        if let Some(e) = arg(args, 0) {
            self.store_integer(e, Val::i64(SEED_WORDS));
        }
        let (_, mem) = self.b.slot(4 * SEED_WORDS as u64, 8, "seed", source::Span::NONE);
        let words = self.b.dense(mem, Val::i64(4), None, &[Val::i64(SEED_WORDS)]);
        if let Some(e) = arg(args, 1) {
            let view = self.view(e);
            // Words that are not given are 0.
            self.b.fill(&words, &Value::Scalar(Val::i32(0)), &Type::Integer(4));
            self.each_seed_word(&view, &words, &mut |this, own, word| {
                let v = this.b.load_scalar(own, ir_ty(&e.ty));
                let v = this.b.cast(v.into(), ir_ty(&e.ty), Ty::I32);
                this.b.store_scalar(word, Ty::I32, v);
            });
            self.move_seed(state, mem, true);
        }
        if let Some(e) = arg(args, 2)
            && let Some(view) = self.designator_view(e)
        {
            self.b.fill(&words, &Value::Scalar(Val::i32(0)), &Type::Integer(4));
            self.move_seed(state, mem, false);
            self.each_seed_word(&view, &words, &mut |this, own, word| {
                let v = this.b.load_scalar(word, Ty::I32);
                let v = this.b.cast(v.into(), Ty::I32, ir_ty(&e.ty));
                this.b.store_scalar(own, ir_ty(&e.ty), v);
            });
        }
    }

    /// Puts a seed into the state, which in device code begins with as many words as it has, or gets it from there.
    fn move_seed(&mut self, state: Option<MemRef>, seed: MemRef, put: bool) {
        let Some(state) = state else {
            let addr = self.b.address(seed);
            self.b.rt(Rt::RandomSeed, vec![Val::i32(if put { 1 } else { 2 }), addr]);
            return;
        };
        let (from, to) = if put { (seed, state) } else { (state, seed) };
        for at in [KEY, STREAM, DRAWS] {
            let word = self.b.load_scalar(from.plus(at), Ty::I64);
            self.b.store_scalar(to.plus(at), Ty::I64, word.into());
        }
    }

    /// Calls `f` with the elements of an array and the words of the seed that belong together.
    fn each_seed_word(&mut self, array: &ArrayView, words: &ArrayView, f: &mut dyn FnMut(&mut Self, MemRef, MemRef)) {
        let size = self.b.size(array);
        let count = self.b.bin(BinOp::Min, Ty::I64, size, Val::i64(SEED_WORDS)).into();
        self.repeat(count, &mut |this, i| {
            let word = this.b.element_linear(words, i);
            let own = this.b.element_by_position(array, &[i]);
            f(this, own, word);
        });
    }
}

/// The next number in [0, 1); as real(4) it is cut to 24 bits, as real(2) to 11, since rounding could give 1.
fn random_value(b: &mut Builder<'_, '_>, ty: &Type) -> Value {
    if let Some(state) = b.random_state() {
        return drawn_value(b, state, ty);
    }
    let v = b.rt(Rt::RandomNumber, Vec::new()).first().map_or(Val::f64(0.0), |&r| r.into());
    if ir_ty(ty) == Ty::F64 {
        return Value::Scalar(v);
    }
    let steps = 2f64.powi(if matches!(ty, Type::Real(2)) { 11 } else { 24 });
    let scaled = b.bin(BinOp::Mul, Ty::F64, v, Val::f64(steps));
    let whole = b.un(UnOp::Floor, Ty::F64, scaled);
    let cut = b.bin(BinOp::Mul, Ty::F64, whole, Val::f64(1.0 / steps));
    b.convert(&Value::Scalar(cut.into()), &Type::Real(8), ty)
}

/// The thread's next number in [0, 1): as many leading bits of its next word as the kind holds.
fn drawn_value(b: &mut Builder<'_, '_>, state: MemRef, ty: &Type) -> Value {
    let long = Type::Integer(8);
    let [key, stream, draw] = [KEY, STREAM, DRAWS].map(|at| Val::from(b.load_scalar(state.plus(at), Ty::I64)));
    let next = b.iadd(draw, Val::i64(1));
    b.store_scalar(state.plus(DRAWS), Ty::I64, next);
    let args = [stream, draw, key].map(|v| (Value::Scalar(v), long.clone()));
    let word = b.mathematics(RANDOM_BITS, &args, &long);
    let word = b.as_scalar(&word, &long);
    let (kind, dropped, unit) = match ty {
        Type::Real(2) => (Ty::F32, 53, Val::f32(2f32.powi(-11))),
        Type::Real(4) => (Ty::F32, 40, Val::f32(2f32.powi(-24))),
        _ => (Ty::F64, 11, Val::f64(2f64.powi(-53))),
    };
    let kept = b.bin(BinOp::ShrU, Ty::I64, word, Val::i64(dropped));
    let whole = b.cast(kept.into(), Ty::I64, kind);
    let v = Value::Scalar(b.bin(BinOp::Mul, kind, whole, unit).into());
    if matches!(ty, Type::Real(2)) { b.convert(&v, &Type::Real(4), ty) } else { v }
}

/// Makes the state of the threads of a kernel.
pub(crate) fn begin_state(b: &mut Builder<'_, '_>) {
    let (_, mem) = b.slot(STATE_BYTES, 8, "draws", source::Span::NONE);
    begin_anew(b, mem);
    b.set_random_state(mem);
}

/// Lets the thread's numbers begin anew: with the key 0, and a stream of its own.
fn begin_anew(b: &mut Builder<'_, '_>, state: MemRef) {
    let thread = thread_of_grid(b);
    for (at, value) in [(KEY, Val::i64(0)), (STREAM, thread), (DRAWS, Val::i64(0))] {
        b.store_scalar(state.plus(at), Ty::I64, value);
    }
}

/// The number of the thread in its grid, from 0: blocks in their order, threads of a block in theirs.
fn thread_of_grid(b: &mut Builder<'_, '_>) -> Val {
    let mut place = |index: u8| {
        let v = b.thread_register(index);
        b.widen(v, Ty::I32)
    };
    let [tx, ty, tz, nx, ny, nz, bx, by, bz, gx, gy, _] = std::array::from_fn(|i| place(i as u8));
    let block = b.imad(bz, gy, by);
    let block = b.imad(block, gx, bx);
    let row = b.imad(block, nz, tz);
    let row = b.imad(row, ny, ty);
    b.imad(row, nx, tx)
}
