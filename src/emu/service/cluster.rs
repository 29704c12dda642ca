//! Addresses in shared memory of other blocks of a cluster (PTX ISA, "Data Movement and Conversion Instructions: mapa").
//!
//! Not here: what an access through such an address does (`vm`).

use crate::service::Served;
use vm::{Program, RtRequest, Warp};

/// Gives each lane the address of its place in the shared memory of the block of its rank; `own` is that of its block.
pub(crate) fn map_to_cluster(program: &Program, warp: &mut Warp<32>, request: &RtRequest, own: u32) -> Served {
    let mut places = [0; 32];
    for lane in scalar::lanes(request.mask) {
        let (address, rank) = (warp.arg(request, 0, lane), warp.arg(request, 1, lane) as u32);
        places[lane] = if rank == own { address } else { mem::address::of_cluster(address, rank) };
    }
    warp.answer(program, |_, lane| places[lane]);
    Served::Done
}
