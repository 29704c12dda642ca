//! Services that are served while the host runs, so that it need not stop for them: texts in the program's memory, and output to
//! internal files. A loop that makes texts calls little else. Real operations that raise IEEE flags are served here too.
//!
//! What such a service changes is as if the host had stopped for it. One that cannot be served so gives nothing, and has changed
//! nothing; one that ends in a condition leaves it for the stop that follows ([`Late`]).
//!
//! Not here: calls of procedures of libraries (`direct`), and whatever needs the world or a unit.

use super::characters;
use super::direct::CallsAtOnce;
use crate::protocol::{Args, Halt, Late};
use crate::runtime::Runtime;
use crate::storage;
use ::foreign::Caller;
use ir::rt::Rt;
use mem::MemoryView;
use text::Value;

/// Bytes of a text that is read at once, at most.
const LONGEST: usize = 256;

/// Serves services while the host runs.
#[derive(Debug)]
pub(crate) struct AtOnce<'a> {
    pub(crate) runtime: &'a mut Runtime,
    /// Calls procedures of libraries, if that can be done at once.
    pub(crate) caller: Option<&'a mut Caller>,
    /// Whether nobody wants to know what services read and write.
    pub(crate) is_unseen: bool,
}

impl vm::Services for AtOnce<'_> {
    fn serve(&mut self, memory: &MemoryView<'_>, rt: Rt, args: &[u64], top: u64) -> Option<u64> {
        if matches!(rt, Rt::ForeignCall | Rt::ForeignCallback | Rt::ForeignReturn) {
            // What is watched is told when the host has stopped for it.
            let caller = self.caller.as_deref_mut().filter(|_| !self.runtime.foreign.is_watched)?;
            return CallsAtOnce { foreign: &mut self.runtime.foreign, caller }.serve(memory, rt, args, top);
        }
        if matches!(rt, Rt::RealOp | Rt::RealState) {
            // One that halts is served again when the host has stopped for it.
            return self.runtime.reals.serve(&mut { *memory }, rt, Args(args)).ok();
        }
        self.is_unseen.then_some(())?;
        match serve(self.runtime, *memory, rt, Args(args)) {
            Ok(result) => result,
            Err(halt) => {
                self.runtime.late = Some(match halt {
                    Halt::Condition(condition) => Late::Condition(condition),
                    Halt::Outside(outside) => Late::Outside(outside),
                    // Nobody asks or stops here.
                    _ => return None,
                });
                None
            }
        }
    }
}

/// Serves one call; `None` if the host has to stop for it.
fn serve(runtime: &mut Runtime, mut memory: MemoryView<'_>, rt: Rt, a: Args<'_>) -> Result<Option<u64>, Halt> {
    let (mut room, mut other) = ([0; LONGEST], [0; LONGEST]);
    let done = |is_done: bool| is_done.then_some(0);
    Ok(match rt {
        Rt::IoBegin => {
            runtime.io().begin(a.int(0), a.int(1), a.long(2), a.int(3));
            Some(0)
        }
        Rt::IoInternal => {
            runtime.io.statement()?.set_internal(a);
            Some(0)
        }
        Rt::IoOption => done(runtime.io.statement()?.set_plain_option(a.int(0), a.long(1), a.long(2))),
        Rt::IoFormat => match text(&memory, a, 0, &mut room) {
            Some(text) => {
                runtime.io().take_format(text)?;
                Some(0)
            }
            None => None,
        },
        Rt::IoPutChar => match text(&memory, a, 0, &mut room) {
            Some(text) => done(runtime.io().put_internal(Value::Char(text))?),
            None => None,
        },
        Rt::IoEnd => done(runtime.io().end_internal(&mut memory)?),
        Rt::RandomNumber => Some(runtime.random.uniform().to_bits()),
        Rt::CharLenTrim => text(&memory, a, 0, &mut room).map(|text| characters::len_trim(text) as u64),
        Rt::CharCompare => match (text(&memory, a, 0, &mut room), text(&memory, a, 2, &mut other)) {
            (Some(left), Some(right)) => Some(u64::from(characters::compare(left, right) as i32 as u32)),
            _ => None,
        },
        Rt::CharIndex | Rt::CharScan | Rt::CharVerify => {
            match (text(&memory, a, 0, &mut room), text(&memory, a, 2, &mut other)) {
                (Some(text), Some(part)) => Some(characters::find(rt, text, part, a.flag(4))),
                _ => None,
            }
        }
        Rt::CharAssign => match text(&memory, a, 2, &mut room) {
            Some(text) => {
                storage::write_text(&mut memory, a.bits(0), a.size(1), text)?;
                Some(0)
            }
            None => None,
        },
        _ => match runtime.io.item(rt, a)? {
            Some(value) => done(runtime.io().put_internal(value)?),
            None => None,
        },
    })
}

/// The text whose address is that argument, and whose length is the next; `None` if it is long, or not the program's.
fn text<'r>(memory: &MemoryView<'_>, a: Args<'_>, i: usize, room: &'r mut [u8]) -> Option<&'r [u8]> {
    storage::read_into(memory, (a.bits(i), a.size(i + 1)), room)
}
