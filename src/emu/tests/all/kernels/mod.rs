//! Makes random structured kernels from a seed: branches and loops that lanes take together or apart, subscripts of many
//! forms, shared and local memory, calls.
//!
//! Every kernel ends by construction (loops have counters of their own), reads `in` anywhere, and writes only its own thread's
//! words of `out`. Threads exchange values where the whole block is together: at top level, and in loops and branches that a
//! block takes as one, by barriers, shared memory, atomics whose order does not show, votes and shuffles. A kernel that is
//! *alone* has no thread read what another wrote, so that each thread can be run by itself.
//! Equal seeds give equal kernels, and so do equal bytes (`choices`). Values and assignments are here, control flow in `flow`, kernels
//! without loops in `straight`, functions and their calls in `calls`, memory that threads share or keep to themselves in `memory`.

mod calls;
mod choices;
mod flow;
mod memory;
mod straight;

pub(crate) use choices::Choices;

use ir::op::{BinOp, CmpOp, CvtOp, Special, TriOp, UnOp};
use ir::{Access, Bb, FuncId, FuncKind, Function, FunctionBuilder, Module, Reg, Space, Ty, Val};
use source::Span;

/// Words of `in`.
pub(crate) const IN: usize = 2048;
/// Words of `out` that belong to a thread.
pub(crate) const OUT: usize = 6;
/// Threads of a block at most.
const THREADS: usize = 128;
/// The word of `in` that subscripts count from.
const MIDDLE: i64 = 1024;

/// A kernel and how it is launched.
pub(crate) struct Made {
    pub(crate) module: Module,
    pub(crate) kernel: FuncId,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
}

struct Gen {
    rng: Choices,
    b: FunctionBuilder,
    alone: bool,
    /// Variables, by type.
    words: Vec<Reg>,
    longs: Vec<Reg>,
    reals: Vec<Reg>,
    doubles: Vec<Reg>,
    /// Small numbers, not negative: thread indices and loop counters.
    small: Vec<Reg>,
    uniform: Vec<Reg>,
    input: Reg,
    /// The first of the thread's own words, and how many bytes the next is away.
    own: Reg,
    apart: i64,
    /// Thread number in the grid.
    global: Reg,
    /// Linear thread number in the block.
    linear: Reg,
    /// Threads of the block.
    threads: Reg,
    /// Where CYCLE and EXIT go to, and whether a block is together in the loop.
    loops: Vec<(Bb, Bb, bool)>,
    budget: usize,
    /// Whether all threads of the block are here together, but for whole warps that have ended.
    together: bool,
    /// Whether whole warps may have ended.
    left: bool,
}

/// The kernel of a seed.
pub(crate) fn kernel(seed: u64, alone: bool) -> Made {
    kernel_by(Choices::with_seed(seed), alone)
}

/// The kernel that choices make.
pub(crate) fn kernel_by(mut rng: Choices, alone: bool) -> Made {
    let block = rng
        .choice([[32, 1, 1], [64, 1, 1], [16, 4, 1], [45, 1, 1], [8, 4, 2], [5, 7, 1], [128, 1, 1], [16, 3, 1]])
        .unwrap();
    let grid = rng.choice([[1, 1, 1], [3, 1, 1], [2, 2, 1], [7, 1, 1]]).unwrap();
    let mut module = Module::default();
    module.funcs.push(calls::device_function(rng.u64(..)));
    let total: u32 = grid.iter().chain(&block).product();
    let is_straight = rng.usize(..6) == 0;
    let function = build(rng, alone, is_straight.then_some(total));
    module.funcs.push(function);
    module.funcs.push(calls::with_memory());
    module.funcs.push(calls::with_calls());
    Made { module, kernel: FuncId(1), grid, block }
}

/// A kernel, without loops if the threads of the grid are given.
fn build(rng: Choices, alone: bool, straight: Option<u32>) -> Function {
    let mut b = FunctionBuilder::new("k", FuncKind::Kernel, Span::NONE);
    let (input, out) = (b.param(Ty::I64, "in"), b.param(Ty::I64, "out"));
    let (n, step) = (b.param(Ty::I32, "n"), b.param(Ty::I64, "step"));
    let tid = [Special::TidX, Special::TidY, Special::TidZ].map(|s| b.special(s));
    let [nx, ny, nz] = [Special::NtidX, Special::NtidY, Special::NtidZ].map(|s| b.special(s));
    let cta = b.special(Special::CtaidX);
    let cta_y = b.special(Special::CtaidY);
    let gx = b.special(Special::NctaidX);
    let t = b.tri(TriOp::Mad, Ty::I32, ny, tid[2], tid[1]);
    let linear = b.tri(TriOp::Mad, Ty::I32, nx, t, tid[0]);
    let plane = b.bin(BinOp::Mul, Ty::I32, nx, ny);
    let threads = b.bin(BinOp::Mul, Ty::I32, plane, nz);
    let block = b.tri(TriOp::Mad, Ty::I32, cta_y, gx, cta);
    let global = b.tri(TriOp::Mad, Ty::I32, block, threads, linear);
    let wide = b.cvt(CvtOp::Cast, Ty::I32, Ty::I64, global);
    // Words of threads lie side by side, or those of a thread do.
    let (distance, apart) = straight.map_or((4 * OUT as i64, 4), |total| (4, 4 * i64::from(total)));
    let bytes = b.bin(BinOp::Mul, Ty::I64, wide, Val::i64(distance));
    let own = b.bin(BinOp::Add, Ty::I64, out, bytes);
    let mut g = Gen {
        rng,
        b,
        alone,
        words: Vec::new(),
        longs: Vec::new(),
        reals: Vec::new(),
        doubles: Vec::new(),
        small: vec![tid[0], tid[1], linear],
        uniform: vec![n, cta, nx],
        input,
        own,
        apart,
        global,
        linear,
        threads,
        loops: Vec::new(),
        budget: 40,
        together: true,
        left: false,
    };
    for i in 0..3 {
        let from = [n, tid[0], linear][i];
        let word = g.b.mutable(Ty::I32);
        g.b.set(word, from);
        let long = g.b.mutable(Ty::I64);
        let wide = g.b.cvt(CvtOp::Cast, Ty::I32, Ty::I64, from);
        g.b.set(long, if i == 0 { step } else { wide });
        let real = g.b.mutable(Ty::F32);
        let value = g.b.cvt(CvtOp::Cast, Ty::I32, Ty::F32, from);
        g.b.set(real, value);
        let double = g.b.mutable(Ty::F64);
        let value = g.b.cvt(CvtOp::Cast, Ty::I32, Ty::F64, from);
        g.b.set(double, value);
        g.words.push(word);
        g.longs.push(long);
        g.reals.push(real);
        g.doubles.push(double);
    }
    if straight.is_some() {
        g.straight();
    } else {
        g.block(0);
    }
    for j in 0..OUT {
        let value = g.word();
        g.store_own(j, value);
    }
    g.b.ret(Vec::new());
    g.b.finish()
}

impl Gen {
    fn word(&mut self) -> Val {
        match self.rng.usize(..8) {
            0 => Val::i32(self.rng.choice([0, 1, -1, 2, 5, 31, 1 << 20, i32::MAX, i32::MIN]).unwrap()),
            1 => Val::Reg(*self.rng.choice(&self.uniform).unwrap()),
            2 => Val::Reg(*self.rng.choice(&self.small).unwrap()),
            _ => Val::Reg(*self.rng.choice(&self.words).unwrap()),
        }
    }

    fn real(&mut self) -> Val {
        let constant = self.rng.choice([0.0, 1.5, -2.25, f32::INFINITY, 1e-40]).unwrap();
        if self.rng.usize(..4) == 0 { Val::f32(constant) } else { Val::Reg(*self.rng.choice(&self.reals).unwrap()) }
    }

    fn double(&mut self) -> Val {
        let constant = self.rng.choice([0.0, 1.5, -2.25, f64::NAN, 1e-310]).unwrap();
        if self.rng.usize(..4) == 0 { Val::f64(constant) } else { Val::Reg(*self.rng.choice(&self.doubles).unwrap()) }
    }

    fn long(&mut self) -> Val {
        if self.rng.usize(..4) == 0 {
            Val::i64(self.rng.u64(..) as i64 >> 40)
        } else {
            Val::Reg(*self.rng.choice(&self.longs).unwrap())
        }
    }

    fn store_own(&mut self, j: usize, value: Val) {
        self.b.store(Ty::I32, Space::Global, Access::Plain, self.own, self.apart * j as i64, value);
    }

    /// Stores a part of one of the thread's own words.
    fn store_narrow(&mut self) {
        let ty = self.rng.choice([Ty::I8, Ty::I16]).unwrap();
        let value = self.narrow(ty);
        let at = self.apart * self.rng.usize(..OUT) as i64 + self.rng.choice([0, 2]).unwrap();
        self.b.store(ty, Space::Global, Access::Plain, self.own, at, value);
    }

    /// A narrow integer, cut from a word.
    fn narrow(&mut self, ty: Ty) -> Val {
        let word = self.word();
        self.b.cvt(CvtOp::Cast, Ty::I32, ty, word).into()
    }

    /// Computes with narrow integers, or with a real(2).
    fn assign_narrow(&mut self, i: usize) {
        let ty = self.rng.choice([Ty::I8, Ty::I16]).unwrap();
        let (a, b) = (self.narrow(ty), self.narrow(ty));
        let v = match self.rng.usize(..5) {
            0 => {
                let p = self.b.cmp(self.rng.choice([CmpOp::Lt, CmpOp::Ge, CmpOp::LtU]).unwrap(), ty, a, b);
                self.b.select(ty, p, a, b)
            }
            1 => {
                let real = self.b.cvt(CvtOp::Cast, ty, Ty::F32, a);
                self.b.set(self.reals[i], real);
                self.b.un(UnOp::Neg, ty, b)
            }
            2 => {
                let real = self.real();
                let bits = self.b.cvt(CvtOp::ToHalf, Ty::F32, Ty::I16, real);
                let bits = self.b.bin(BinOp::Xor, Ty::I16, bits, Val::i32(1));
                let real = self.b.cvt(CvtOp::FromHalf, Ty::I16, Ty::F32, bits);
                return self.b.set(self.reals[i], real);
            }
            _ => {
                use BinOp::{Add, Div, Max, Mul, Or, Rem, Shl, ShrS, ShrU, Sub};
                let op = self.rng.choice([Add, Sub, Mul, Or, Max, Shl, ShrS, ShrU, Div, Rem]).unwrap();
                self.b.bin(op, ty, a, b)
            }
        };
        let v = self.b.cvt(self.rng.choice([CvtOp::Cast, CvtOp::CastU]).unwrap(), ty, Ty::I32, v);
        self.b.set(self.words[i], v);
    }

    /// The address of some word of `in` of so many bytes, computed in one of many ways.
    fn address(&mut self, bytes: i64) -> (Val, i64) {
        let mut sum: Option<Reg> = None;
        let narrow = self.rng.usize(..2) == 0;
        let ty = if narrow { Ty::I32 } else { Ty::I64 };
        // Constants that wrap in 32 bits and cancel out.
        let big = if self.rng.usize(..3) == 0 { i64::from(i32::MAX) - 20 } else { 0 };
        let mut terms = vec![Val::Imm(scalar::bits::canonical(ty, big as u64))];
        for _ in 0..=self.rng.usize(..2) {
            let from = *self.rng.choice(&self.small).unwrap();
            let factor = self.rng.choice([1, 1, 1, -1, 2, 3]).unwrap();
            let wide = if narrow { from } else { self.b.cvt(CvtOp::Cast, Ty::I32, Ty::I64, from) };
            let factor = Val::Imm(scalar::bits::canonical(ty, factor as u64));
            let op = if self.rng.usize(..3) == 0 { BinOp::Sub } else { BinOp::Mul };
            let part = match op {
                BinOp::Sub => self.b.bin(BinOp::Sub, ty, Val::Imm(0), wide),
                _ => self.b.bin(BinOp::Mul, ty, wide, factor),
            };
            terms.push(part.into());
        }
        terms.push(Val::Imm(scalar::bits::canonical(ty, (MIDDLE - big) as u64)));
        for term in terms {
            sum = Some(match sum {
                None => self.b.mov(ty, term),
                Some(s) => self.b.bin(BinOp::Add, ty, s, term),
            });
        }
        let index = sum.expect("terms");
        let wide = if narrow { self.b.cvt(CvtOp::Cast, Ty::I32, Ty::I64, index) } else { index };
        let far = if self.rng.usize(..2) == 0 {
            self.b.bin(BinOp::Shl, Ty::I64, wide, Val::i64(i64::from(bytes.trailing_zeros())))
        } else {
            self.b.bin(BinOp::Mul, Ty::I64, wide, Val::i64(bytes))
        };
        (self.b.bin(BinOp::Add, Ty::I64, self.input, far).into(), bytes * (self.rng.usize(..5) as i64 - 2))
    }

    fn condition(&mut self) -> Val {
        let op = self.rng.choice([CmpOp::Lt, CmpOp::Ge, CmpOp::Eq, CmpOp::Ne, CmpOp::LtU, CmpOp::Gt]).unwrap();
        match self.rng.usize(..5) {
            0 => {
                let a = *self.rng.choice(&self.uniform).unwrap();
                self.b.cmp(op, Ty::I32, a, Val::i32(3)).into()
            }
            1 => {
                let (a, b) = (self.real(), self.real());
                self.b.cmp(self.rng.choice([CmpOp::Lt, CmpOp::Ne, CmpOp::Ge]).unwrap(), Ty::F32, a, b).into()
            }
            2 => {
                let (a, b) = (self.long(), self.long());
                self.b.cmp(op, Ty::I64, a, b).into()
            }
            3 => {
                let a = *self.rng.choice(&self.small).unwrap();
                let a = self.b.bin(BinOp::And, Ty::I32, a, Val::i32(self.rng.choice([1, 3, 16]).unwrap()));
                self.b.cmp(op, Ty::I32, a, Val::i32(1)).into()
            }
            _ => {
                let (a, b) = (self.word(), self.word());
                self.b.cmp(op, Ty::I32, a, b).into()
            }
        }
    }

    fn assign(&mut self) {
        let i = self.rng.usize(..3);
        match self.rng.usize(..14) {
            12 => self.assign_narrow(i),
            13 => self.store_narrow(),
            0..=3 => {
                let op = self
                    .rng
                    .choice([
                        BinOp::Add,
                        BinOp::Sub,
                        BinOp::Mul,
                        BinOp::And,
                        BinOp::Xor,
                        BinOp::Min,
                        BinOp::Shl,
                        BinOp::ShrS,
                        BinOp::Div,
                        BinOp::Rem,
                        BinOp::MulHi,
                    ])
                    .unwrap();
                let (a, b) = (self.word(), self.word());
                let v = self.b.bin(op, Ty::I32, a, b);
                self.b.set(self.words[i], v);
            }
            4 => {
                let op = self.rng.choice([BinOp::Add, BinOp::Mul, BinOp::Div, BinOp::Max, BinOp::Sub]).unwrap();
                let (a, b) = (self.real(), self.real());
                let v = self.b.bin(op, Ty::F32, a, b);
                self.b.set(self.reals[i], v);
            }
            5 => {
                let (a, b, c) = (self.double(), self.double(), self.double());
                let v = self.b.tri(TriOp::Fma, Ty::F64, a, b, c);
                self.b.set(self.doubles[i], v);
            }
            6 => {
                let op = self.rng.choice([BinOp::Add, BinOp::Mul, BinOp::Or, BinOp::ShrU, BinOp::Rem]).unwrap();
                let (a, b) = (self.long(), self.long());
                let v = self.b.bin(op, Ty::I64, a, b);
                self.b.set(self.longs[i], v);
            }
            7 => {
                let v = self.b.cvt(CvtOp::Cast, Ty::F64, Ty::I32, self.doubles[i]);
                self.b.set(self.words[i], v);
                let v = self.b.un(UnOp::Sqrt, Ty::F32, self.reals[i]);
                self.b.set(self.reals[i], v);
            }
            8 => {
                let c = self.condition();
                let (x, y) = (self.word(), self.word());
                let v = self.b.select(Ty::I32, c, x, y);
                self.b.set(self.words[i], v);
            }
            9 => {
                let u = *self.rng.choice(&self.uniform).unwrap();
                let v = self.b.bin(BinOp::Add, Ty::I32, u, Val::i32(1));
                self.b.set(self.words[i], v);
            }
            _ => {
                let ty = self.rng.choice([Ty::I32, Ty::I32, Ty::F32, Ty::I16, Ty::I8]).unwrap();
                let bytes = self.rng.choice([4, ty.bytes() as i64]).unwrap();
                let (at, offset) = self.address(bytes);
                let space = self.rng.choice([Space::Global, Space::Global, Space::Generic]).unwrap();
                let v = self.b.load(ty, space, Access::Plain, at, offset);
                match ty {
                    Ty::F32 => self.b.set(self.reals[i], v),
                    Ty::I32 => self.b.set(self.words[i], v),
                    _ => {
                        let v = self.b.cvt(CvtOp::Cast, ty, Ty::I32, v);
                        self.b.set(self.words[i], v);
                    }
                }
            }
        }
    }
}
