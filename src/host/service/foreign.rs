//! The service that calls procedures of libraries.

use crate::foreign::{LocalExtent, Pieces, args, word_of};
use crate::outside::Ask;
use crate::protocol::{Args, Halt};
use crate::runtime::Runtime;
use crate::storage;
use device::{Api, Call, LibraryCall};
use finding::HostFault;
use ir::foreign::{CArg, ForeignCall, ForeignEnd, Signature};
use mem::{Memory, Region};
use source::Span;
use std::sync::Arc;

impl Runtime {
    /// Makes a call. The arguments are those of the service.
    pub(crate) fn call_foreign(
        &mut self,
        memory: &mut Memory,
        a: Args<'_>,
        locals: LocalExtent<'_>,
        span: Span,
    ) -> Result<(), Halt> {
        let signature = self.signature(memory, a)?;
        let room = a.bits(2);
        if (self.foreign.has_routine)(&signature.name) {
            return self.call_routine(memory, &signature, room, span);
        }
        let Some(end) = self.answers.foreign() else {
            let call = self.foreign_call(memory, &signature, room, locals)?;
            return Err(self.answers.open(Ask::Foreign(Arc::new(call))));
        };
        let name = signature.name.to_string();
        let ForeignEnd { result, written } = end.map_err(|reason| Halt::Fault(HostFault::Foreign { name, reason }))?;
        let passed = Pieces::of(memory, &signature, room, locals)?.extents;
        for (address, bytes) in &written {
            storage::write(memory, *address, bytes)?;
        }
        // Bytes that were written and have not changed are not among those.
        for (&base, piece) in passed.iter().filter(|(_, piece)| !piece.reads_only) {
            memory.mark_initialised(base, piece.bytes);
        }
        storage::write(memory, room, &result)?;
        let is_lasting = |base: &u64| Region::of(*base) != Some(Region::HostStack);
        self.foreign.kept.extend(passed.into_keys().filter(is_lasting));
        Ok(())
    }

    /// Makes a call of a routine of CUDA's libraries, which takes addresses as they are and gives a status.
    fn call_routine(&mut self, memory: &mut Memory, signature: &Signature, room: u64, span: Span) -> Result<(), Halt> {
        let mut words = Vec::new();
        for arg in args(memory, signature, room)? {
            match arg {
                CArg::Word(word) => words.push(word),
                CArg::Object(bytes) => words.extend(bytes.chunks(8).map(word_of)),
            }
        }
        let call = LibraryCall { name: signature.name.clone(), args: words };
        let reply = self.answers.call(|| Call { api: Api::Library(call), span })?;
        if let Some(result) = &signature.result {
            let status = i64::from(reply.code).to_le_bytes();
            storage::write(memory, room, &status[..result.bytes().min(8) as usize])?;
        }
        Ok(())
    }

    fn signature(&mut self, memory: &Memory, a: Args<'_>) -> Result<Arc<Signature>, Halt> {
        if let Some(known) = self.foreign.signatures.get(&a.bits(0)) {
            return Ok(known.clone());
        }
        let text = storage::read(memory, a.bits(0), a.size(1))?;
        let text = String::from_utf8_lossy(&text);
        let Some(signature) = Signature::parse(&text).map(Arc::new) else {
            let reason = "its signature is wrong".to_owned();
            return Err(Halt::Fault(HostFault::Foreign { name: text.into_owned(), reason }));
        };
        self.foreign.signatures.insert(a.bits(0), signature.clone());
        Ok(signature)
    }

    /// The call as the world is asked for it.
    fn foreign_call(
        &self,
        memory: &Memory,
        signature: &Arc<Signature>,
        room: u64,
        locals: LocalExtent<'_>,
    ) -> Result<ForeignCall, Halt> {
        let mut passed = Pieces::of(memory, signature, room, locals)?;
        for &base in &self.foreign.kept {
            if memory.find(base).is_some_and(|id| memory.info(id).base == base) {
                passed.add(base, false);
            }
        }
        let args = args(memory, signature, room)?;
        Ok(ForeignCall { signature: signature.clone(), args, memory: passed.read()? })
    }
}
