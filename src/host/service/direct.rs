//! Calls of procedures of libraries at once, on the program's memory itself.
//!
//! Memory that a call is given is *lent*: its pages are settled side by side, and procedures see their real addresses, which are the
//! same while the allocation lives. Of the stack all that is in use is lent. As long as bytes lie where they were (the generation of the
//! memory), a call that needs nothing else is made while the host runs, even by its machine code ([`CallsAtOnce`]), and so are calls of
//! procedures of the program by libraries; others stop the host as any service does.
//!
//! Not here: whether calls are made at once (`machine`), how (crate `foreign`).
#![allow(unsafe_code)] // Lends memory, and has libraries called.

use super::foreign::failed;
use crate::direct::Stack;
use crate::foreign::{CallSite, Foreign, LocalExtent, args, peek, pointer_of};
use crate::protocol::{Args, Halt};
use crate::runtime::Runtime;
use crate::storage;
use ::foreign::{Called, Caller, Libraries};
use finding::{Access, Actor, Finding, FindingKind, HostFault};
use ir::foreign::{CArg, CValue, Callback, Signature};
use ir::rt::Rt;
use mem::{Door, Memory, MemoryView, Region};
use std::sync::Arc;

/// Makes calls while the host runs.
#[derive(Debug)]
pub(crate) struct CallsAtOnce<'a> {
    pub(crate) foreign: &'a mut Foreign,
    pub(crate) caller: &'a mut Caller,
}

impl CallsAtOnce<'_> {
    /// Makes a call, or does what belongs to one; `None` if the host has to stop for it.
    pub(crate) fn serve(&mut self, memory: &MemoryView<'_>, rt: Rt, args: &[u64], top: u64) -> Option<u64> {
        let direct = &self.foreign.direct;
        if direct.generation != memory.generation() || top > direct.stack.end || direct.failed.is_some() {
            return None;
        }
        let has_pointers =
            !(direct.variables.is_empty() && direct.objects.is_empty() && self.foreign.pointers.is_empty());
        if has_pointers || self.foreign.waiting.iter().any(|waiting| waiting.has_pointers) {
            return None;
        }
        match (rt, args) {
            (Rt::ForeignCall, &[text, _, room]) => self.call(text, room),
            (Rt::ForeignCallback, &[room]) => self.begin_callback(room),
            (Rt::ForeignReturn, &[_, _, room, given]) => self.end_callback(room, given),
            _ => None,
        }
    }

    fn call(&mut self, text: u64, room: u64) -> Option<u64> {
        let direct = &mut self.foreign.direct;
        let native = direct.stack.at(room)?;
        let route = direct.route(text).filter(|route| route.is_quick())?;
        // SAFETY: the host, which has borrowed the memory, waits; the room is as lowering has made it for the signature, below the end of
        // the stack, which is lent.
        let called = unsafe { self.caller.call_quickly(route, native, &self.foreign.entries, is_lendable) };
        let signature = if let Called::Waits(_) = called { Some(route.signature().clone()) } else { None };
        self.take(called, signature, room)
    }

    /// What a call came to; `None` if the host has to stop for it.
    fn take(&mut self, called: Called, signature: Option<Arc<Signature>>, room: u64) -> Option<u64> {
        match called {
            Called::NotLent => None,
            Called::Over => Some(0),
            Called::Waits(callback) => match self.foreign.wait_for(&signature?, room, callback) {
                Ok(()) => Some(1),
                Err(reason) => {
                    self.foreign.direct.failed = Some(reason);
                    None
                }
            },
            Called::Failed(reason) => {
                self.foreign.direct.failed = Some(reason);
                None
            }
        }
    }

    fn begin_callback(&self, room: u64) -> Option<u64> {
        let waiting = self.foreign.waiting.last()?;
        let callback = &waiting.callback;
        if !callback.args.iter().all(|arg| matches!(arg, CArg::Word(_))) {
            return None;
        }
        let mut at = self.foreign.direct.stack.at(room + waiting.callee.result_bytes())?;
        for arg in &callback.args {
            if let CArg::Word(word) = arg {
                // SAFETY: the room is as lowering has made it for procedures that libraries call, below the end of the stack, which is
                // lent; the host waits.
                unsafe { at.cast::<[u8; 8]>().write(word.to_le_bytes()) };
            }
            at = at.wrapping_add(8);
        }
        Some(pointer_of(callback.entry))
    }

    fn end_callback(&mut self, room: u64, given: u64) -> Option<u64> {
        let direct = &self.foreign.direct;
        let (native, given) = (direct.stack.at(room)?, direct.stack.at(given)?);
        let waiting = self.foreign.waiting.last().filter(|waiting| waiting.copies.is_empty())?;
        let bytes = waiting.callee.result.as_ref().map_or(0, CValue::bytes) as usize;
        if bytes > 8 {
            return None;
        }
        // What a pointer points to has to be lent before.
        if waiting.callee.result.as_ref().is_some_and(|value| !value.pointers().is_empty()) {
            return None;
        }
        let mut result = [0; 8];
        // SAFETY: as in `begin_callback`.
        unsafe { std::ptr::copy_nonoverlapping(given, result.as_mut_ptr(), bytes) };
        let signature = self.foreign.waiting.pop()?.signature;
        // SAFETY: as in `call`.
        let called = unsafe { self.caller.go_on_directly((&result[..bytes], &[]), native, &[], &self.foreign.entries) };
        self.take(called.into(), Some(signature), room)
    }
}

/// Whether memory at that address is lent to procedures.
fn is_lendable(address: u64) -> bool {
    Region::of(address).is_some_and(|region| region.is_host_accessible() && region != Region::OfC)
}

/// Memory of C, which the program reaches once calls are made at once.
#[derive(Debug)]
struct MemoryOfC(Arc<Libraries>);

impl Door for MemoryOfC {
    fn read(&self, address: u64, out: &mut [u8]) -> bool {
        ::foreign::read_memory(address, out)
    }

    fn write(&self, address: u64, bytes: &[u8]) -> bool {
        ::foreign::write_memory(address, bytes)
    }

    fn release(&self, address: u64) -> bool {
        self.0.release(address)
    }
}

impl Runtime {
    /// A caller to which memory can be lent. The room of each call is, so it shows whether that is possible.
    pub(crate) fn direct_caller<'c>(
        &mut self,
        memory: &mut Memory,
        caller: Option<&'c mut Caller>,
        room: u64,
    ) -> Option<&'c mut Caller> {
        let caller = caller?;
        let can_lend = self.foreign.direct.can_lend.get_or_insert_with(|| memory.settle(room, 1).is_some());
        let caller = can_lend.then_some(caller)?;
        memory.open_door(|| Arc::new(MemoryOfC(caller.libraries().clone())));
        Some(caller)
    }

    /// The address that C has for one of the program's, whose memory is lent.
    pub(crate) fn native_address(
        &mut self,
        memory: &mut Memory,
        caller: Option<&mut Caller>,
        address: u64,
        at: &CallSite<'_>,
    ) -> Result<u64, Halt> {
        let caller = self.caller_for_descriptors(memory, caller, at)?;
        self.lend_pointed(memory, caller, &[address], at)?;
        Ok(caller.to_native(address))
    }

    /// Lends what pointers of the program point to.
    pub(crate) fn lend_pointed(
        &mut self,
        memory: &mut Memory,
        caller: &mut Caller,
        pointers: &[u64],
        at: &CallSite<'_>,
    ) -> Result<(), Halt> {
        for &address in pointers {
            let alloc = Region::of(address).filter(|region| region.is_host_accessible()).and(memory.find(address));
            let Some(alloc) = alloc.map(|id| memory.info(id)) else { continue };
            let on_stack = alloc.region == Region::HostStack;
            let wanted = if on_stack { Vec::new() } else { vec![(alloc.base, alloc.bytes)] };
            let lent = self.lend_memory(memory, caller, wanted, on_stack.then_some(address), at.top);
            lent.map_err(|bytes| no_room_for(OF_C, bytes))?;
        }
        Ok(())
    }

    /// The address that the program has for one of C's.
    pub(crate) fn place_of_native(
        &mut self,
        memory: &mut Memory,
        caller: Option<&mut Caller>,
        native: u64,
        at: &CallSite<'_>,
    ) -> Result<u64, Halt> {
        Ok(self.caller_for_descriptors(memory, caller, at)?.to_program(native))
    }

    /// Where C code has a variable of the program.
    pub(crate) fn variable_of_c(
        &mut self,
        memory: &mut Memory,
        caller: Option<&mut Caller>,
        a: Args<'_>,
        at: &CallSite<'_>,
    ) -> Result<u64, Halt> {
        let name = storage::read_name(memory, a.bits(0), a.size(1));
        let caller = self.caller_for_descriptors(memory, caller, at)?;
        let found = caller.libraries().variable(&name, a.size(2));
        found.map_err(|reason| Halt::Fault(HostFault::Foreign { name, reason }))
    }

    fn caller_for_descriptors<'c>(
        &mut self,
        memory: &mut Memory,
        caller: Option<&'c mut Caller>,
        at: &CallSite<'_>,
    ) -> Result<&'c mut Caller, Halt> {
        self.direct_caller(memory, caller, at.top).ok_or_else(|| {
            let feature =
                "C descriptors and variables of C code where a run is recorded, or where address space is limited";
            let kind = FindingKind::Unsupported { feature: feature.to_owned() };
            Halt::Finding(Box::new(Finding::new(kind, vec![Access::step(Actor::Host, at.span)])))
        })
    }

    /// Makes a call; gives whether it waits for a procedure of the program.
    pub(crate) fn call_directly(
        &mut self,
        memory: &mut Memory,
        caller: &mut Caller,
        (text, signature, room): (u64, &Arc<Signature>, u64),
        at: &CallSite<'_>,
    ) -> Result<bool, Halt> {
        if self.foreign.direct.route(text).is_none() {
            let route = caller.route(signature).map_err(|reason| failed(signature, reason))?;
            self.foreign.direct.routes.push((text, route));
        }
        let (native, pointers) = self.lend(memory, caller, (signature, room), at)?;
        let args = args(memory, signature, room)?;
        let watched = self.watch(memory, signature, room, at)?;
        let Some(route) = self.foreign.direct.route(text) else { return Ok(false) };
        // SAFETY: the memory is borrowed exclusively; the room is as lowering has made it for the signature.
        let called = unsafe { caller.call_directly(route, &args, native, &pointers, &self.foreign.entries) };
        self.tell(memory, signature, room, watched, at.locals)?;
        self.take_called(called, signature, room)
    }

    /// Lets a call go on that has waited for a procedure of the program; gives whether it waits again.
    pub(crate) fn go_on_directly(
        &mut self,
        memory: &mut Memory,
        caller: &mut Caller,
        (signature, room): (&Arc<Signature>, u64),
        back: (&[u8], &[(u64, Vec<u8>)]),
        at: &CallSite<'_>,
    ) -> Result<bool, Halt> {
        let (native, pointers) = self.lend(memory, caller, (signature, room), at)?;
        let watched = self.watch(memory, signature, room, at)?;
        // SAFETY: as in `call_directly`.
        let called = unsafe { caller.go_on_directly(back, native, &pointers, &self.foreign.entries) };
        self.tell(memory, signature, room, watched, at.locals)?;
        self.take_called(called, signature, room)
    }

    /// What a call is given and earlier calls were given, as it is before the call, where a check wants to know what that changes.
    fn watch(
        &self,
        memory: &Memory,
        signature: &Signature,
        room: u64,
        at: &CallSite<'_>,
    ) -> Result<Option<Vec<Watched>>, Halt> {
        if !self.foreign.is_watched {
            return Ok(None);
        }
        let mut passed = self.passed(memory, signature, room, at.locals)?;
        let written = passed.extents.iter().filter(|(_, extent)| !extent.reads_only);
        let written: Vec<u64> = written.map(|(&base, _)| base).collect();
        passed.add_kept(&self.foreign.kept);
        let mut out = Vec::with_capacity(passed.extents.len());
        for (base, extent) in passed.extents {
            let counts_as_written = written.binary_search(&base).is_ok();
            out.push(Watched { base, bytes: peek(memory, base, extent.bytes)?, counts_as_written });
        }
        Ok(Some(out))
    }

    /// Says what a call has changed, as if the host had written it.
    fn tell(
        &mut self,
        memory: &mut Memory,
        signature: &Signature,
        room: u64,
        watched: Option<Vec<Watched>>,
        locals: LocalExtent<'_>,
    ) -> Result<(), Halt> {
        let Some(watched) = watched else { return Ok(()) };
        let extents: Vec<(u64, u64)> = watched.iter().map(|w| (w.base, w.bytes.len() as u64)).collect();
        for Watched { base, bytes: old, counts_as_written } in watched {
            // A procedure of the program that was called may have given it back.
            let Ok(new) = peek(memory, base, old.len() as u64) else { continue };
            let differs =
                |&from: &usize| new[from..new.len().min(from + UNIT)] != old[from..new.len().min(from + UNIT)];
            let mut at = 0;
            while let Some(from) = (at..new.len()).step_by(UNIT).find(differs) {
                at = (from..new.len()).step_by(UNIT).find(|at| !differs(at)).unwrap_or(new.len());
                storage::write(memory, base + from as u64, &new[from..at])?;
            }
            if counts_as_written {
                memory.mark_initialised(base, new.len() as u64);
            }
        }
        self.foreign.keep(memory, locals, extents.into_iter());
        let result = peek(memory, room, signature.result_bytes())?;
        storage::write(memory, room, &result)?;
        Ok(())
    }

    fn take_called(
        &mut self,
        called: Result<Option<Callback>, String>,
        signature: &Arc<Signature>,
        room: u64,
    ) -> Result<bool, Halt> {
        let Some(callback) = called.map_err(|reason| failed(signature, reason))? else { return Ok(false) };
        let waits = self.foreign.wait_for(signature, room, callback);
        waits.map(|()| true).map_err(|reason| failed(signature, reason))
    }

    /// Lends what a call is given, and sees to it that what was lent before is where it was. Gives where the room is, and which
    /// pointers are in what is given.
    fn lend(
        &mut self,
        memory: &mut Memory,
        caller: &mut Caller,
        (signature, room): (&Arc<Signature>, u64),
        at: &CallSite<'_>,
    ) -> Result<(*mut u8, Vec<(u64, Vec<u64>)>), Halt> {
        let mut wanted = Vec::new();
        let passed = self.passed(memory, signature, room, at.locals)?;
        self.foreign.keep_pointers(&passed);
        let mut pointers = passed.of_c;
        for (base, extent) in passed.extents {
            if Region::of(base) != Some(Region::HostStack) {
                wanted.push((base, extent.bytes));
            }
            if !extent.pointers.is_empty() {
                pointers.push((base, extent.pointers));
            }
        }
        self.lend_memory(memory, caller, wanted, Some(room), at.top)
            .map_err(|bytes| no_room_for(&signature.name, bytes))?;
        match self.foreign.direct.stack.at(room) {
            Some(native) => Ok((native, pointers)),
            None => Err(failed(signature, "its arguments are not where they should be".to_owned())),
        }
    }

    /// Lends those allocations, and the stack up to an address if one on it is wanted. What was lent before stays lent. The error is how
    /// many bytes there is no room for.
    fn lend_memory(
        &mut self,
        memory: &mut Memory,
        caller: &mut Caller,
        mut wanted: Vec<(u64, u64)>,
        on_stack: Option<u64>,
        top: u64,
    ) -> Result<(), u64> {
        let direct = &mut self.foreign.direct;
        let is_stale = direct.generation != memory.generation();
        if is_stale {
            for (base, bytes) in caller.lent().into_iter().filter(|&(base, _)| base != direct.stack.base) {
                let info = memory.find(base).map(|id| memory.info(id));
                if info.is_some_and(|info| (info.base, info.bytes) == (base, bytes)) {
                    wanted.push((base, bytes));
                } else {
                    caller.take_back(base);
                }
            }
        }
        // Nobody needs to know where nothing is.
        for (base, bytes) in wanted.into_iter().filter(|&(_, bytes)| bytes > 0) {
            if is_stale || caller.lent_at(base, bytes).is_none() {
                let place = memory.settle(base, bytes).ok_or(bytes)?;
                // SAFETY: the bytes are settled there, and each call asks whether they still are; the memory is borrowed exclusively.
                unsafe { caller.lend(base, bytes, place) };
            }
        }
        let on_stack = on_stack.or((direct.stack.end > 0).then_some(direct.stack.base));
        if let Some(address) = on_stack.filter(|_| is_stale || top > direct.stack.end) {
            let base = memory.find(address).map_or(address, |id| memory.info(id).base);
            let place = memory.settle(base, top - base).ok_or(top - base)?;
            direct.stack = Stack { base, end: top, place };
            // SAFETY: as above.
            unsafe { caller.lend(base, top - base, place) };
        }
        direct.generation = memory.generation();
        Ok(())
    }
}

/// Changes are found in units of this many bytes.
const UNIT: usize = 4;

/// Memory that a call is given, and what it held before.
struct Watched {
    base: u64,
    bytes: Vec<u8>,
    /// Whether this call was given it to write to, so that the program may read all of it.
    counts_as_written: bool,
}

/// Who is given something, in messages.
const OF_C: &str = "C code";

/// There is no room to lend so many bytes.
fn no_room_for(name: &str, bytes: u64) -> Halt {
    let reason = format!("there is no room for the {bytes} bytes that it is given, which have to lie in one piece");
    Halt::Fault(HostFault::Foreign { name: name.to_owned(), reason })
}
