//! Device memory at addresses that the program's own allocator chose.
//!
//! The allocator (`mem`) places allocations next to each other; the driver maps memory in chunks of [`CHUNK`] bytes. A chunk is
//! mapped when the first allocation needs it, shared by all allocations in it, and unmapped with the last one. An address is
//! never used twice, so a chunk that is mapped again need not keep its contents. The first chunk of a region reserves the
//! addresses of the whole region.
//!
//! Addresses are those of the process, so GPUs that one program uses share the map. A chunk is memory of the GPU whose allocation
//! came first; the others may access it where the hardware lets them.

use crate::driver::{Context, Mapping, Reservation};
use crate::error::DriverError;
use mem::address::REGION_BITS;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Bytes that are mapped at once: the granularity of every GPU so far.
pub(crate) const CHUNK: u64 = 2 << 20;

/// A run of chunks mapped together.
#[derive(Debug)]
struct Piece {
    end: u64,
    /// How many allocations are in it.
    uses: u32,
    _mapping: Mapping,
}

/// What is mapped where, and for whom.
#[derive(Debug)]
pub(crate) struct AddressMap {
    /// The GPUs of the program.
    contexts: Vec<Arc<Context>>,
    /// By number of the region.
    regions: BTreeMap<u64, Arc<Reservation>>,
    pieces: BTreeMap<u64, Piece>,
    /// For each allocation the beginnings of its pieces.
    used: BTreeMap<u64, Vec<u64>>,
}

impl AddressMap {
    /// Nothing mapped, for these GPUs.
    pub(crate) fn new(contexts: Vec<Arc<Context>>) -> AddressMap {
        AddressMap { contexts, regions: BTreeMap::new(), pieces: BTreeMap::new(), used: BTreeMap::new() }
    }

    /// The GPUs of the program.
    pub(crate) fn contexts(&self) -> &[Arc<Context>] {
        &self.contexts
    }

    /// Maps what `bytes` at `address` need and is not mapped yet, on that GPU.
    pub(crate) fn cover(&mut self, context: &Arc<Context>, address: u64, bytes: u64) -> Result<(), DriverError> {
        let region = self.region(context, address)?;
        let holes = holes(&self.pieces, address, bytes, |p| p.end);
        let guests: Vec<Arc<Context>> = self.contexts.iter().filter(|other| context.lets_in(other)).cloned().collect();
        for (start, end) in holes {
            let mapping = Mapping::at(context, &guests, &region, start, end - start)?;
            self.pieces.insert(start, Piece { end, uses: 0, _mapping: mapping });
        }
        let (start, end) = chunks(address, bytes);
        let mut mine = Vec::new();
        for (&at, piece) in self.pieces.range_mut(..end).filter(|(_, p)| p.end > start) {
            piece.uses += 1;
            mine.push(at);
        }
        self.used.insert(address, mine);
        Ok(())
    }

    /// The reservation of the region of an address.
    fn region(&mut self, context: &Arc<Context>, address: u64) -> Result<Arc<Reservation>, DriverError> {
        let number = address >> REGION_BITS;
        if let Some(region) = self.regions.get(&number) {
            return Ok(region.clone());
        }
        let region = Arc::new(Reservation::at(context, number << REGION_BITS, 1 << REGION_BITS)?);
        self.regions.insert(number, region.clone());
        Ok(region)
    }

    /// Gives back what the allocation at `address` needed.
    pub(crate) fn release(&mut self, address: u64) -> Result<(), DriverError> {
        let mine = self.used.remove(&address).ok_or(DriverError::Invalid("mapped memory"))?;
        for at in mine {
            if let Some(piece) = self.pieces.get_mut(&at) {
                piece.uses -= 1;
                if piece.uses == 0 {
                    self.pieces.remove(&at);
                }
            }
        }
        Ok(())
    }
}

/// The chunks that hold a range: first byte and end.
fn chunks(address: u64, bytes: u64) -> (u64, u64) {
    let end = address.saturating_add(bytes.max(1));
    (address / CHUNK * CHUNK, end.div_ceil(CHUNK).saturating_mul(CHUNK))
}

/// The parts of the chunks of a range that no piece covers.
fn holes<P>(pieces: &BTreeMap<u64, P>, address: u64, bytes: u64, end_of: impl Fn(&P) -> u64) -> Vec<(u64, u64)> {
    let (start, end) = chunks(address, bytes);
    let (mut out, mut at) = (Vec::new(), start);
    for (&from, piece) in pieces.range(..end).filter(|(_, p)| end_of(p) > start) {
        if at < from {
            out.push((at, from));
        }
        at = at.max(end_of(piece));
    }
    if at < end {
        out.push((at, end));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_not_mapped_is_mapped() {
        let pieces = BTreeMap::from([(CHUNK, 2 * CHUNK), (4 * CHUNK, 6 * CHUNK)]);
        let found = |address, bytes| holes(&pieces, address, bytes, |&end| end);
        assert_eq!(found(CHUNK + 256, 100), []);
        assert_eq!(found(256, 0), [(0, CHUNK)]);
        assert_eq!(found(CHUNK - 1, 2), [(0, CHUNK)]);
        assert_eq!(found(CHUNK + 1, 6 * CHUNK), [(2 * CHUNK, 4 * CHUNK), (6 * CHUNK, 8 * CHUNK)]);
    }
}
