//! The request `disassemble`: the intermediate code of the procedures.
//!
//! Code has no addresses in memory. The number that stands for one holds a procedure and the number of an instruction in it, so
//! that instructions that follow each other have numbers that follow each other.

use crate::arguments::{self, CodeArguments};
use crate::server::Server;
use crate::wire::{Answer, Request, refuse};
use debug::{CodeAt, Session};
use serde_json::{Value, json};

/// The bits that number the instructions of one procedure.
const BITS: u32 = 24;
/// Most instructions of one answer.
const MOST: usize = 1 << 14;

/// The number of an instruction, as clients have it.
pub(crate) fn address(at: CodeAt) -> String {
    format!("{:#x}", first_of(at.procedure).wrapping_add(i64::from(at.instruction)))
}

fn first_of(procedure: u32) -> i64 {
    (i64::from(procedure) + 1) << BITS
}

impl Server {
    /// The request `disassemble`.
    pub(crate) fn disassemble(&mut self, session: &mut Session, request: &Request) -> Answer {
        self.need_stopped()?;
        let wanted: CodeArguments = arguments::of(request)?;
        let digits = wanted.memory_reference.strip_prefix("0x");
        let Some(at) = digits.and_then(|d| i64::from_str_radix(d, 16).ok()) else {
            return refuse("That is no address of code.");
        };
        // Each instruction takes one number.
        let at = at.wrapping_add(wanted.offset);
        let procedure = (at >> BITS).checked_sub(1).and_then(|p| u32::try_from(p).ok());
        let Some((procedure, all)) = procedure.and_then(|p| Some((p, session.instructions(p)?))) else {
            return refuse("No code is there.");
        };
        let start = first_of(procedure);
        let first = at.wrapping_add(wanted.instruction_offset);
        let one = |i: usize| {
            let at = first.wrapping_add(i as i64);
            let address = format!("{at:#x}");
            let found = usize::try_from(at.wrapping_sub(start)).ok().and_then(|number| all.get(number));
            let Some(found) = found else {
                return json!({ "address": address, "instruction": "", "presentationHint": "invalid" });
            };
            let mut shown = json!({ "address": address, "instruction": found.text });
            if let Some(label) = &found.label {
                shown["symbol"] = label.as_str().into();
            }
            if let Some((file, line)) = found.place {
                shown["location"] = self.sources.source(file);
                shown["line"] = self.line_out(line).into();
            }
            shown
        };
        let shown: Vec<Value> = (0..wanted.instruction_count.min(MOST)).map(one).collect();
        Ok(json!({ "instructions": shown }))
    }
}
