//! Which addresses a function may leave behind: those of its own variables, and those that it is given.
//!
//! An address is what is computed from one in 64 bits. A function leaves it where it returns it, stores it anywhere but in its own
//! variables, or gives it to a function that does so.

use ir::analysis::Bases;
use ir::rt::Rt;
use ir::{AddrBase, Function, InstKind, Term, Ty, Val};

/// What a register may be computed from: one bit for the function's own variables, and one for each of its parameters.
type Origins = u64;

/// The bit of the function's own variables.
const OWN: Origins = 1;

/// The bit of a parameter; those behind the last one share one.
fn bit(param: usize) -> Origins {
    OWN << (param + 1).min(63)
}

/// The addresses that a function may leave behind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaks {
    /// Whether that of a variable of its own is among them.
    pub(crate) of_locals: bool,
    /// Those of its parameters, by [`bit`].
    of_params: Origins,
}

impl Leaks {
    /// Looks at a function; of those that it calls it is known for some.
    pub(crate) fn new(f: &Function, known: &[Option<Leaks>]) -> Leaks {
        let mut origins: Vec<Origins> = vec![0; f.regs.len()];
        for (i, param) in f.params.iter().enumerate() {
            origins[param.reg.index()] |= if f.ty(param.reg) == Ty::I64 { bit(i) } else { 0 };
        }
        let bases = Bases::new(f);
        let mut kept = Kept { of_each: vec![0; f.locals.len()], of_any: 0 };
        loop {
            let before = (origins.clone(), kept.clone());
            for inst in f.blocks.iter().flat_map(|b| &b.insts) {
                let of = |v: Val| origin(&origins, v);
                let mut from = 0;
                match &inst.kind {
                    InstKind::Addr { base: AddrBase::Local(_), .. } => from = OWN,
                    // What a parameter names may hold addresses that are the caller's.
                    InstKind::Load { addr, .. } => {
                        from = of(*addr) & !OWN | if of(*addr) & OWN != 0 { kept.at(bases.of(*addr)) } else { 0 };
                    }
                    InstKind::Store { addr, value, .. } if of(*addr) & OWN != 0 => {
                        kept.put(bases.of(*addr), of(*value));
                    }
                    // What is called may give back what it is given.
                    InstKind::Call { args, .. } => args.iter().for_each(|&arg| from |= of(arg)),
                    kind if kind.is_pure() => kind.each_use(|v| from |= of(v)),
                    _ => {}
                }
                inst.kind.each_def(|r| {
                    if f.ty(r) == Ty::I64 {
                        origins[r.index()] |= from;
                    }
                });
            }
            if before == (origins.clone(), kept.clone()) {
                break;
            }
        }
        let of = |v: Val| origin(&origins, v);
        let mut left: Origins = 0;
        for block in &f.blocks {
            for inst in &block.insts {
                match &inst.kind {
                    InstKind::Load { .. } | InstKind::Rt { rt: Rt::Alloc | Rt::AllocAligned | Rt::Free, .. } => {}
                    InstKind::Store { addr, .. } if of(*addr) == OWN => {}
                    InstKind::Store { value, .. } => left |= of(*value),
                    InstKind::Atomic { a, b, .. } => left |= of(*a) | b.map_or(0, of),
                    InstKind::Call { func, args, .. } => {
                        let callee = known.get(func.index()).copied().flatten();
                        for (i, &arg) in args.iter().enumerate() {
                            if callee.is_none_or(|callee| callee.of_params & bit(i) != 0) {
                                let named = if of(arg) & OWN != 0 { kept.at(bases.of(arg)) } else { 0 };
                                left |= of(arg) | named;
                            }
                        }
                    }
                    kind if kind.is_pure() => {}
                    kind => kind.each_use(|v| left |= of(v)),
                }
            }
            if matches!(block.term, Term::Return(_)) {
                block.term.each_use(|v| left |= of(v));
            }
        }
        Leaks { of_locals: left & OWN != 0, of_params: left }
    }
}

/// What a value may be computed from.
fn origin(origins: &[Origins], v: Val) -> Origins {
    match v {
        Val::Reg(r) => origins[r.index()],
        Val::Imm(_) => 0,
    }
}

/// The addresses that a function has put into its own variables, from where they may come back.
#[derive(Clone, PartialEq, Eq)]
struct Kept {
    /// By variable.
    of_each: Vec<Origins>,
    /// Those of which it is not known into which.
    of_any: Origins,
}

impl Kept {
    fn put(&mut self, to: Option<AddrBase>, value: Origins) {
        match to {
            Some(AddrBase::Local(id)) => self.of_each[id.index()] |= value,
            _ => self.of_any |= value,
        }
    }

    fn at(&self, from: Option<AddrBase>) -> Origins {
        match from {
            Some(AddrBase::Local(id)) => self.of_any | self.of_each[id.index()],
            _ => self.of_each.iter().fold(self.of_any, |all, of| all | of),
        }
    }
}
