//! What the instructions of a block make of registers, and the accesses that they are.
//!
//! One method for each family of instructions; which block follows which is `walk`'s. An operation whose exact result might
//! leave its type, a load of memory that the launch may write, and everything of reals give a value of which only the type
//! is known.

use super::form::Form;
use super::induction::InductionVariable;
use super::state::{Activation, Failure, STEPS, Site, Walk};
use super::value::Value;
use super::{AccessId, Kind};
use crate::op::Special;
use crate::rt::Rt;
use crate::{Access, AddrBase, Bb, Function, InstKind, Reg, Space, Ty, Val};
use std::collections::BTreeSet;
use std::rc::Rc;

impl<'a> Walk<'a> {
    /// The step of an induction variable, if it is a constant that is known at the head of the loop.
    pub(super) fn step(
        &mut self,
        a: &Activation<'a>,
        counter: &InductionVariable,
        assigned: &BTreeSet<Reg>,
    ) -> Option<i128> {
        let value = self.early(a, counter.step, a.f.ty(counter.reg), assigned, 0);
        let Value::Int(form) = value else { return None };
        form.as_constant().map(|c| if counter.is_falling { -c } else { c })
    }

    /// How far an induction variable that begins with `first` is from the bound of the test at the loop's only latch
    /// ([`LatchTest::room`](super::induction::LatchTest::room)), if that is known at the head of the loop.
    pub(super) fn room(
        &mut self,
        a: &Activation<'a>,
        counter: &InductionVariable,
        (first, step): (&Form, i128),
        assigned: &BTreeSet<Reg>,
    ) -> Option<Form> {
        let test = counter.test?;
        let Value::Int(bound) = self.early(a, test.bound, a.f.ty(counter.reg), assigned, 0) else { return None };
        test.room(first, step, &bound)
    }

    /// A value at the head of a loop, also of temporaries that the loop computes from what it does not assign.
    fn early(&mut self, a: &Activation<'a>, val: Val, ty: Ty, assigned: &BTreeSet<Reg>, depth: usize) -> Value {
        let reg = match val {
            Val::Reg(reg) if assigned.contains(&reg) => reg,
            _ => return a.value(val, ty),
        };
        if a.f.is_mutable(reg) || depth > 6 {
            return Value::Other;
        }
        let insts = a.f.blocks.iter().flat_map(|b| &b.insts);
        let Some(inst) = insts.into_iter().find(|inst| inst.kind.def() == Some(reg)) else { return Value::Other };
        match inst.kind {
            InstKind::Un { op, ty, a: x, .. } => {
                let x = self.early(a, x, ty, assigned, depth + 1);
                self.arithmetic(&[]).un(op, ty, &x)
            }
            InstKind::Bin { op, ty, a: x, b: y, .. } => {
                let x = self.early(a, x, ty, assigned, depth + 1);
                let y = self.early(a, y, ty, assigned, depth + 1);
                self.arithmetic(&[]).bin(op, ty, &x, &y)
            }
            InstKind::Cvt { op, from, to, a: x, .. } => {
                let x = self.early(a, x, from, assigned, depth + 1);
                self.arithmetic(&[]).cvt(op, from, to, &x)
            }
            InstKind::Special { reg, .. } => self.special(reg, &[]),
            InstKind::Tri { .. }
            | InstKind::Cmp { .. }
            | InstKind::Select { .. }
            | InstKind::Addr { .. }
            | InstKind::Load { .. }
            | InstKind::Store { .. }
            | InstKind::Atomic { .. }
            | InstKind::Fence { .. }
            | InstKind::Barrier { .. }
            | InstKind::SyncWarp { .. }
            | InstKind::Vote { .. }
            | InstKind::Shuffle { .. }
            | InstKind::Call { .. }
            | InstKind::Rt { .. }
            | InstKind::Launch { .. }
            | InstKind::Stmt
            | InstKind::BackEdge
            | InstKind::Clear { .. } => Value::Other,
        }
    }

    /// Walks the instructions of a block; in the kernel, at that visit. `first` is the number of its first access.
    pub(super) fn block(&mut self, a: &mut Activation<'a>, bb: Bb, visit: usize, first: u32) -> Result<(), Failure> {
        let mut number = first;
        let guards: Rc<[Form]> = a.guards.clone().into();
        for (at, inst) in a.f.block(bb).insts.iter().enumerate() {
            self.steps += 1;
            if self.steps > STEPS {
                return Err(Failure::Beyond);
            }
            if a.depth == 0 {
                self.place = (visit, at);
            }
            let id = AccessId { func: a.id, number };
            number += u32::from(is_access(&inst.kind));
            let value = match &inst.kind {
                InstKind::Un { op, ty, a: x, .. } => {
                    let x = a.value(*x, *ty);
                    self.arithmetic(&guards).un(*op, *ty, &x)
                }
                InstKind::Bin { op, ty, a: x, b: y, .. } => {
                    let (x, y) = (a.value(*x, *ty), a.value(*y, *ty));
                    self.arithmetic(&guards).bin(*op, *ty, &x, &y)
                }
                InstKind::Tri { ty, a: x, b: y, c: z, .. } => {
                    let (x, y, z) = (a.value(*x, *ty), a.value(*y, *ty), a.value(*z, *ty));
                    self.arithmetic(&guards).mad(*ty, &x, &y, &z)
                }
                InstKind::Cmp { op, ty, a: x, b: y, .. } => {
                    let (x, y) = (a.value(*x, *ty), a.value(*y, *ty));
                    self.arithmetic(&guards).cmp(*op, *ty, &x, &y)
                }
                InstKind::Select { ty, cond, a: x, b: y, .. } => {
                    let (c, x, y) = (a.value(*cond, Ty::Pred), a.value(*x, *ty), a.value(*y, *ty));
                    self.arithmetic(&guards).select(*ty, &c, &x, &y)
                }
                InstKind::Cvt { op, from, to, a: x, .. } => {
                    let x = a.value(*x, *from);
                    self.arithmetic(&guards).cvt(*op, *from, *to, &x)
                }
                InstKind::Addr { base, .. } => match base {
                    AddrBase::Local(_) => self.placed(self.launch.local),
                    AddrBase::Shared(id) => match (self.launch.shared_at)(a.id, *id) {
                        Some(base) => Value::Int(Form::constant(i128::from(base))),
                        None => self.placed(self.launch.shared),
                    },
                    AddrBase::Global(g) => match self.launch.globals.get(g.index()) {
                        Some(&base) => Value::Int(Form::constant(i128::from(base))),
                        None => Value::Other,
                    },
                },
                InstKind::Special { reg, .. } => self.special(*reg, &guards),
                InstKind::Load { ty, space, access, addr, offset, .. } => {
                    let at = self.touch(a, Some(id), (Kind::Read, *access), *ty, *space, *addr, *offset, &guards);
                    self.loaded(*ty, *access, at).unwrap_or_else(|| self.arithmetic(&[]).opaque(*ty))
                }
                InstKind::Store { ty, space, access, addr, offset, value } => {
                    let first = self.sites.len();
                    self.touch(a, Some(id), (Kind::Write, *access), *ty, *space, *addr, *offset, &guards);
                    if *access == Access::Plain {
                        let value = constant(a, *value, *ty);
                        self.sites[first..].iter_mut().for_each(|site| site.value = value);
                    }
                    continue;
                }
                InstKind::Atomic { op, ty, space, scope, used, addr, offset, .. } => {
                    let kind = Kind::Atomic { op: *op, ty: *ty, scope: *scope, used: *used };
                    self.touch(a, Some(id), (kind, Access::Plain), *ty, *space, *addr, *offset, &guards);
                    self.arithmetic(&[]).opaque(*ty)
                }
                InstKind::Call { func, args, results } => {
                    let callee = self.module.funcs.get(func.index()).ok_or(Failure::Beyond)?;
                    let types = callee.params.iter().map(|p| callee.ty(p.reg)).chain(std::iter::repeat(Ty::I64));
                    let args: Vec<Value> = args.iter().zip(types).map(|(&v, ty)| a.value(v, ty)).collect();
                    let values =
                        self.call(*func, &args, (&guards, a.region.clone(), a.counted.clone()), a.depth + 1)?;
                    for (i, &reg) in results.iter().enumerate() {
                        let value = values.get(i).cloned();
                        let value = value.unwrap_or_else(|| self.arithmetic(&[]).opaque(a.f.ty(reg)));
                        self.assign(a, (bb, at), reg, value)?;
                    }
                    continue;
                }
                InstKind::Rt { rt, args, results } => {
                    self.service(a, *rt, args, &guards)?;
                    for &reg in results {
                        let value = self.arithmetic(&[]).opaque(a.f.ty(reg));
                        self.assign(a, (bb, at), reg, value)?;
                    }
                    continue;
                }
                InstKind::Launch { .. } => return Err(Failure::Beyond),
                InstKind::Barrier { .. } | InstKind::Vote { .. } | InstKind::Shuffle { .. } => {
                    self.has_inner_barrier |= a.depth > 0 && matches!(inst.kind, InstKind::Barrier { .. });
                    inst.kind.def().map_or(Value::Other, |d| self.arithmetic(&[]).opaque(a.f.ty(d)))
                }
                InstKind::Fence { .. }
                | InstKind::SyncWarp { .. }
                | InstKind::Stmt
                | InstKind::BackEdge
                | InstKind::Clear { .. } => continue,
            };
            if let Some(reg) = inst.kind.def() {
                self.assign(a, (bb, at), reg, value)?;
            }
        }
        Ok(())
    }

    /// Assigns a register; an induction variable must get the value that was assumed.
    fn assign(&mut self, a: &mut Activation<'a>, place: (Bb, usize), reg: Reg, value: Value) -> Result<(), Failure> {
        if let Some((header, next)) = a.counters.remove(&place)
            && value != Value::Int(next)
        {
            self.refused.counters.insert((a.id, header, reg));
            return Err(Failure::Again);
        }
        a.set(reg, value);
        Ok(())
    }

    fn special(&mut self, reg: Special, guards: &[Form]) -> Value {
        let axis = |list: &[Form; 3], i: usize| Value::Int(list[i].clone());
        let extent = |n: u32| Value::Int(Form::constant(i128::from(n)));
        match reg {
            Special::TidX => axis(&self.digits.tid, 0),
            Special::TidY => axis(&self.digits.tid, 1),
            Special::TidZ => axis(&self.digits.tid, 2),
            Special::CtaidX => axis(&self.digits.ctaid, 0),
            Special::CtaidY => axis(&self.digits.ctaid, 1),
            Special::CtaidZ => axis(&self.digits.ctaid, 2),
            Special::NtidX => extent(self.launch.block[0]),
            Special::NtidY => extent(self.launch.block[1]),
            Special::NtidZ => extent(self.launch.block[2]),
            Special::NctaidX => extent(self.launch.grid[0]),
            Special::NctaidY => extent(self.launch.grid[1]),
            Special::NctaidZ => extent(self.launch.grid[2]),
            Special::ClusterNctaidX => extent(self.launch.cluster[0]),
            Special::ClusterNctaidY => extent(self.launch.cluster[1]),
            Special::ClusterNctaidZ => extent(self.launch.cluster[2]),
            Special::LaneId => {
                let [x, y, _] = self.launch.block.map(i128::from);
                let [tx, ty, tz] = &self.digits.tid;
                let linear = tx.plus(ty, x).and_then(|f| f.plus(tz, x * y));
                match linear {
                    Some(f) => self.arithmetic(guards).bin(
                        crate::op::BinOp::Rem,
                        Ty::I32,
                        &Value::Int(f),
                        &Value::Int(Form::constant(32)),
                    ),
                    None => self.arithmetic(guards).between(0, 31),
                }
            }
            Special::OnGpu => Value::Int(Form::constant(0)),
            Special::ActiveMask => self.arithmetic(guards).opaque(Ty::I32),
            Special::Clock64 | Special::GlobalTimer => self.arithmetic(guards).opaque(Ty::I64),
        }
    }

    /// Notes an access, unless it surely stays in memory of the thread; gives its address, if that is not shared memory.
    #[allow(clippy::too_many_arguments)] // The parts of one instruction.
    fn touch(
        &mut self,
        a: &Activation<'a>,
        id: Option<AccessId>,
        (kind, access): (Kind, Access),
        ty: Ty,
        space: Space,
        addr: Val,
        offset: i64,
        guards: &Rc<[Form]>,
    ) -> Option<Form> {
        if space == Space::Local {
            return None;
        }
        let form = match a.value(addr, Ty::I64) {
            Value::Int(form) => form.offset(i128::from(offset)),
            _ => None,
        };
        let form = form.filter(|f| {
            let (low, high) = super::value::range(Ty::I64);
            self.vars.is_within(f, guards, low, high)
        });
        let is_windowed = space == Space::Generic
            && form.as_ref().is_some_and(|form| {
                let (low, high) = (i128::from(self.launch.windows.0), i128::from(self.launch.windows.1));
                self.vars.is_within(form, guards, low, high - 8)
            });
        let may_be_shared = space == Space::Shared || space == Space::Generic && self.has_shared;
        let spaces = (may_be_shared, space != Space::Shared && !is_windowed);
        let (bytes, place) = (i128::from(ty.bytes()), self.place);
        let (form, guards, is_loose, value) = (form, guards.clone(), false, None);
        let (region, counted) = (a.region.clone().filter(|_| access == Access::Plain), a.counted.clone());
        let own = form.clone();
        self.sites.push(Site { id, kind, bytes, form: own, guards, region, counted, spaces, place, is_loose, value });
        form.filter(|_| spaces.1)
    }

    /// What lies at a constant address before the launch, if memory may be trusted to stay.
    fn loaded(&mut self, ty: Ty, access: Access, at: Option<Form>) -> Option<Value> {
        let at = u64::try_from(at?.as_constant()?).ok()?;
        if self.refused.memory || access == Access::Volatile || !ty.is_int() {
            return None;
        }
        let bits = (self.launch.read)(at, ty)?;
        self.trusted.push((at, ty, bits));
        Some(Value::Int(Form::constant(i128::from(scalar::bits::signed(ty, bits)))))
    }

    /// What a service of the run time touches.
    fn service(&mut self, a: &Activation<'a>, rt: Rt, args: &[Val], guards: &Rc<[Form]>) -> Result<(), Failure> {
        match rt {
            Rt::IoBegin
            | Rt::IoEnd
            | Rt::IoPutInt
            | Rt::IoPutReal4
            | Rt::IoPutReal8
            | Rt::IoPutComplex4
            | Rt::IoPutComplex8
            | Rt::IoPutLogical => Ok(()),
            Rt::ErrorBounds | Rt::ErrorShape | Rt::ErrorAllocated | Rt::ErrorAlreadyAllocated | Rt::RealMade => {
                self.may_stop = true;
                Ok(())
            }
            Rt::Stop => {
                self.may_stop |= args.first() != Some(&Val::i32(0));
                match args {
                    [_, _, Val::Imm(0), _] => Ok(()),
                    [_, _, text @ ..] => self.text(a, text, guards),
                    _ => Err(Failure::Beyond),
                }
            }
            Rt::IoPutChar => self.text(a, args, guards),
            _ => Err(Failure::Beyond),
        }
    }

    /// What is read of a text at an address, so long.
    fn text(&mut self, a: &Activation<'a>, args: &[Val], guards: &Rc<[Form]>) -> Result<(), Failure> {
        let arg = |i: usize| args.get(i).map_or(Value::Other, |&v| a.value(v, Ty::I64));
        let (Value::Int(form), Value::Int(length)) = (arg(0), arg(1)) else { return Err(Failure::Beyond) };
        let bytes = self.vars.most(&length, guards, None).max(1);
        let (guards, place) = (guards.clone(), self.place);
        let (kind, spaces) = (Kind::Read, (true, true));
        let form = Some(form);
        let (id, region, counted, is_loose, value) = (None, None, Rc::default(), false, None);
        self.sites.push(Site { id, kind, bytes, form, guards, region, counted, spaces, place, is_loose, value });
        Ok(())
    }
}

/// The bits of a value that is the same in all threads, if it is known.
fn constant(a: &Activation<'_>, value: Val, ty: Ty) -> Option<u64> {
    let bits = match (value, a.value(value, ty)) {
        (Val::Imm(bits), _) => bits,
        (Val::Reg(_), Value::Int(form)) => form.as_constant()? as u64,
        (Val::Reg(_), _) => return None,
    };
    Some(scalar::bits::canonical(ty, bits))
}

/// Whether an instruction is an access that has a number.
pub(super) fn is_access(kind: &InstKind) -> bool {
    matches!(kind, InstKind::Load { .. } | InstKind::Store { .. } | InstKind::Atomic { .. })
}

/// The number of the first access of each block.
pub(super) fn access_numbers(f: &Function) -> Vec<u32> {
    let mut next = 0;
    f.blocks
        .iter()
        .map(|block| {
            let first = next;
            next += block.insts.iter().filter(|inst| is_access(&inst.kind)).count() as u32;
            first
        })
        .collect()
}
