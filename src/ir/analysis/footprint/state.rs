//! The state of a walk over a kernel: what it found, what it assumes, and what it knows of registers.

use super::exact::Region;
use super::form::{Form, Var, Vars};
use super::value::{Arithmetic, Cond, Value};
use super::{AccessId, Kind, LaunchFacts};
use crate::{Bb, FuncId, Function, Module, Reg, Ty, Val};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// An access site as one way through the calls reaches it.
#[derive(Clone, Debug)]
pub(super) struct Site {
    /// The access instruction; a service that reads memory has none.
    pub(super) id: Option<AccessId>,
    pub(super) kind: Kind,
    pub(super) bytes: i128,
    /// The address of the first byte; `None` if it may be anything.
    pub(super) form: Option<Form>,
    pub(super) guards: Rc<[Form]>,
    /// Where exactly it happens, if it is a plain load or store and that is known.
    pub(super) region: Region,
    /// The numbers of iterations of the loops around it that every thread does equally often, each with the last.
    pub(super) counted: Rc<[(Var, i128)]>,
    /// Whether it may be of shared memory, and whether it may be of any other that threads share.
    pub(super) spaces: (bool, bool),
    /// Where it, or the call that leads to it, stands in the kernel.
    pub(super) place: Place,
    /// Whether it is loose (`Guards`).
    pub(super) is_loose: bool,
    /// Of a plain store: what it stores, if that is one value in all threads.
    pub(super) value: Option<u64>,
}

/// A place in the kernel: the number of a visit, and that of an instruction of its block.
pub(super) type Place = (usize, usize);

/// A visit of a block of the kernel.
#[derive(Clone, Debug)]
pub(super) struct Visit {
    pub(super) bb: Bb,
    /// The visits to which threads may go on.
    pub(super) next: Vec<usize>,
}

/// The variables of the launch's digits.
pub(super) struct Digits {
    pub(super) tid: [Form; 3],
    pub(super) ctaid: [Form; 3],
}

/// Most instructions that are looked at.
pub(super) const STEPS: usize = 40_000;

/// Why a walk was given up.
pub(super) enum Failure {
    /// An assumption did not hold; it is in the list of those that are not made, and the walk may begin again.
    Again,
    /// The code is beyond what is looked at.
    Beyond,
}

/// Assumptions that turned out wrong.
#[derive(Default)]
pub(super) struct Refused {
    /// Registers that are no induction variable of the loop with that head.
    pub(super) counters: BTreeSet<(FuncId, Bb, Reg)>,
    /// Heads of loops of the kernel whose iterations are not visited one by one.
    pub(super) unrolled: BTreeSet<Bb>,
    /// Whether memory may change during the launch where the kernel reads uniform values from.
    pub(super) memory: bool,
}

pub(super) struct Walk<'a> {
    pub(super) module: &'a Module,
    pub(super) launch: &'a LaunchFacts<'a>,
    pub(super) refused: &'a mut Refused,
    pub(super) vars: Vars,
    pub(super) digits: Digits,
    pub(super) sites: Vec<Site>,
    /// The visits of the kernel's blocks.
    pub(super) visits: Vec<Visit>,
    /// Whether loops of the kernel that have barriers are unrolled.
    pub(super) is_unrolling: bool,
    /// Whether a function that the kernel calls has a barrier.
    pub(super) has_inner_barrier: bool,
    /// Whether threads may end in a function that the kernel calls.
    pub(super) has_inner_exit: bool,
    /// Where the walk is in the kernel itself.
    pub(super) place: Place,
    /// What was read from memory as it is before the launch: address, type, bits.
    pub(super) trusted: Vec<(u64, Ty, u64)>,
    /// Whether the kernel or what it calls has shared memory: else no generic address is one of shared memory.
    pub(super) has_shared: bool,
    /// Whether something but an access may end the launch.
    pub(super) may_stop: bool,
    /// Whether loose stores are assumed to touch each byte once (`Guards`).
    pub(super) is_once: bool,
    /// Whether alike stores are assumed to be of one instruction in each allocation (`Guards`).
    pub(super) is_alike: bool,
    pub(super) steps: usize,
}

/// A function that is being walked.
pub(super) struct Activation<'a> {
    pub(super) f: &'a Function,
    pub(super) id: FuncId,
    /// How many calls lead to it.
    pub(super) depth: usize,
    pub(super) temps: Vec<Value>,
    /// Dense numbers of mutable registers.
    pub(super) mutable: BTreeMap<Reg, usize>,
    pub(super) regs: Vec<Value>,
    pub(super) guards: Vec<Form>,
    /// Which threads exactly come to the block that is visited.
    pub(super) region: Region,
    /// The numbers of iterations of the loops around it that every thread does equally often, each with the last.
    pub(super) counted: Rc<[(Var, i128)]>,
    /// Induction variables of the enclosing loops by the place of their assignment: the loop's head, and what has to be assigned.
    pub(super) counters: BTreeMap<(Bb, usize), (Bb, Form)>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(
        module: &'a Module,
        launch: &'a LaunchFacts<'a>,
        refused: &'a mut Refused,
        is_unrolling: bool,
    ) -> Walk<'a> {
        let mut vars = Vars::default();
        let mut digit = |extent: u32| match extent {
            0 | 1 => Form::constant(0),
            n => Form::symbol(vars.fresh(0, i128::from(n) - 1)),
        };
        let digits = Digits { tid: launch.block.map(&mut digit), ctaid: launch.grid.map(&mut digit) };
        Walk {
            module,
            launch,
            refused,
            vars,
            digits,
            sites: Vec::new(),
            visits: Vec::new(),
            is_unrolling,
            has_inner_barrier: false,
            has_inner_exit: false,
            place: (0, 0),
            trusted: Vec::new(),
            has_shared: true,
            may_stop: false,
            is_once: false,
            is_alike: false,
            steps: 0,
        }
    }

    pub(super) fn arithmetic<'s>(&'s mut self, guards: &'s [Form]) -> Arithmetic<'s> {
        Arithmetic { vars: &mut self.vars, guards }
    }

    pub(super) fn placed(&mut self, (low, high): (i64, i64)) -> Value {
        self.arithmetic(&[]).between(i128::from(low), i128::from(high))
    }
}

impl Activation<'_> {
    pub(super) fn set(&mut self, reg: Reg, value: Value) {
        match self.mutable.get(&reg) {
            Some(&at) => self.regs[at] = value,
            None => self.temps[reg.index()] = value,
        }
    }

    pub(super) fn value(&self, val: Val, ty: Ty) -> Value {
        match val {
            Val::Reg(reg) => self.mutable.get(&reg).map_or(&self.temps[reg.index()], |&at| &self.regs[at]).clone(),
            Val::Imm(bits) => match ty {
                Ty::Pred => Value::Cond(Rc::new(Cond::Const(bits & 1 != 0))),
                Ty::F32 | Ty::F64 => Value::Other,
                _ => Value::Int(Form::constant(i128::from(scalar::bits::signed(ty, bits)))),
            },
        }
    }
}
