//! The service that calls MPI: from its words to a call that is yielded.

use crate::outside::MpiCall;
use crate::protocol::{Args, Halt};
use crate::runtime::Runtime;
use crate::storage;
use finding::HostFault;
use mem::Memory;
use source::Span;

impl Runtime {
    /// Makes a call; gives whether it is interrupted. The arguments are those of the service.
    pub(crate) fn call_mpi(&mut self, memory: &Memory, a: Args<'_>, span: Span) -> Result<bool, Halt> {
        if let Some(is_interrupted) = self.answers.mpi() {
            // Other ranks may have written files that the program has read.
            self.io.others += 1;
            return Ok(is_interrupted);
        }
        let routine = match self.mpi.known.get(&a.bits(0)) {
            Some(known) => *known,
            None => {
                let name = storage::read_name(memory, a.bits(0), a.size(1));
                let Some(number) = (self.mpi.find)(&name) else {
                    return Err(Halt::Fault(HostFault::NoSuchProcedure { name }));
                };
                self.mpi.known.insert(a.bits(0), number);
                number
            }
        };
        let bytes = storage::read(memory, a.bits(2), 8 * a.size(3))?;
        let words = bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
        Err(Halt::Mpi(MpiCall { routine, words, span }))
    }
}
