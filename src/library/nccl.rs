//! NCCL for communicators of one rank, which is what a program has on one device: collective operations copy.
//!
//! Communicators of more ranks are refused.

use crate::call::{Call, Outcome, Routine, Status, Statuses, Uses};
use crate::handles::COMMUNICATOR;
use crate::operand::Operand;
use device::{Agreement, Number, Section, Strided};

pub(crate) const STATUSES: Statuses = Statuses { bad_handle: 4, bad_value: 4, failed: 1 };

/// The version of the library.
const VERSION: i32 = 22_703;
/// Bytes of an identification.
const ID_BYTES: usize = 128;
/// Bytes of the types by their numbers.
const TYPES: [u64; 10] = [1, 1, 4, 4, 8, 8, 2, 4, 8, 2];
/// How many operations there are: sum, product, maximum, minimum, average.
const OPERATIONS: i64 = 5;

/// Table: the routines.
pub(crate) static ROUTINES: &[Routine] = &[
    Routine { name: "ncclGetVersion", run: version },
    Routine { name: "ncclGetUniqueId", run: unique_id },
    Routine { name: "ncclCommInitRank", run: init_rank },
    Routine { name: "ncclCommInitAll", run: init_all },
    Routine { name: "ncclCommDestroy", run: destroy },
    Routine { name: "ncclCommAbort", run: destroy },
    Routine { name: "ncclCommCount", run: |call| tell(call, 1) },
    Routine { name: "ncclCommUserRank", run: |call| tell(call, 0) },
    Routine { name: "ncclCommCuDevice", run: |call| tell(call, 0) },
    Routine { name: "ncclGroupStart", run: group },
    Routine { name: "ncclGroupEnd", run: group },
    Routine { name: "ncclAllReduce", run: |call| collective(call, true, false) },
    Routine { name: "ncclReduceScatter", run: |call| collective(call, true, false) },
    Routine { name: "ncclReduce", run: |call| collective(call, true, true) },
    Routine { name: "ncclBroadcast", run: |call| collective(call, false, true) },
    Routine { name: "ncclAllGather", run: |call| collective(call, false, false) },
    Routine { name: "ncclBcast", run: bcast },
];

/// Elements of any type next to each other.
struct Buffer {
    address: u64,
    count: usize,
    bytes: u64,
}

impl Operand for Buffer {
    fn extent(&self) -> Section {
        (Strided { base: self.address, dims: vec![(self.count as i64, self.bytes as i64)] }, self.bytes)
    }

    fn numbers(&self) -> (Number, Agreement) {
        (Number::Integer, Agreement::Bits)
    }
}

fn version(call: &mut Call<'_>) -> Outcome {
    let address = call.word();
    call.put(address, &VERSION.to_le_bytes(), "version")?;
    call.done()
}

fn unique_id(call: &mut Call<'_>) -> Outcome {
    let address = call.word();
    call.put(address, &[1; ID_BYTES], "uniqueId")?;
    call.done()
}

/// Makes a communicator, if it has one rank.
fn make(call: &mut Call<'_>, address: u64, ranks: i64, rank: i64) -> Outcome {
    if ranks != 1 {
        return call.wrong(format!("a communicator of {ranks} ranks is not supported; one of 1 rank is"));
    }
    if rank != 0 {
        return call.wrong(format!("the rank is {rank}, and must be 0"));
    }
    let handle = call.state.nccl.add(());
    call.put(address, &handle.to_le_bytes(), "comm")?;
    call.state.lives.begin(handle, &COMMUNICATOR, call.span);
    call.done()
}

fn init_rank(call: &mut Call<'_>) -> Outcome {
    let (address, ranks) = (call.word(), call.int());
    // The identification, by value.
    call.skip(ID_BYTES / 8);
    let rank = call.int();
    make(call, address, ranks, rank)
}

fn init_all(call: &mut Call<'_>) -> Outcome {
    let (address, devices) = (call.word(), call.int());
    make(call, address, devices, 0)
}

fn communicator(call: &mut Call<'_>) -> Result<(), Status> {
    let handle = call.word();
    match call.state.nccl.get(handle) {
        Some(()) => Ok(()),
        None => call.no_handle(&COMMUNICATOR, handle),
    }
}

fn destroy(call: &mut Call<'_>) -> Outcome {
    let handle = call.word();
    if call.state.nccl.remove(handle).is_none() {
        return call.no_handle(&COMMUNICATOR, handle);
    }
    call.state.lives.end(handle, call.span);
    call.done()
}

/// Tells a number of a communicator.
fn tell(call: &mut Call<'_>, number: i32) -> Outcome {
    communicator(call)?;
    let address = call.word();
    call.put(address, &number.to_le_bytes(), "result")?;
    call.done()
}

/// Each operation stands alone where there is one rank.
fn group(call: &mut Call<'_>) -> Outcome {
    call.done()
}

/// A count and a type.
fn elements(call: &mut Call<'_>) -> Result<(usize, u64), Status> {
    let count = call.wide_count("count")?;
    let ty = call.int();
    match usize::try_from(ty).ok().and_then(|ty| TYPES.get(ty)) {
        Some(&bytes) => Ok((count, bytes)),
        None => call.wrong(format!("`datatype` is {ty}, which is no type")),
    }
}

/// An operation from one array to another.
fn collective(call: &mut Call<'_>, has_operation: bool, has_root: bool) -> Outcome {
    let (from, to) = (call.word(), call.word());
    let (count, bytes) = elements(call)?;
    if has_operation {
        let operation = call.int();
        if !(0..OPERATIONS).contains(&operation) {
            return call.wrong(format!("`op` is {operation}, which is no operation"));
        }
    }
    if has_root {
        root(call)?;
    }
    communicator(call)?;
    for (address, what) in [(from, "sendbuff"), (to, "recvbuff")] {
        call.check_device(address, what)?;
    }
    let stream = call.stream_word();
    let (from, to) = (Buffer { address: from, count, bytes }, Buffer { address: to, count, bytes });
    let uses = Uses::default().read_if(&from, false).write(&to);
    call.perform(stream, uses, false, move |memory| {
        let mut all = vec![0; count * bytes as usize];
        memory.get(from.address, &mut all)?;
        memory.put(to.address, &all)
    })
}

fn root(call: &mut Call<'_>) -> Result<(), Status> {
    match call.int() {
        0 => Ok(()),
        root => call.wrong(format!("`root` is {root}, and must be 0")),
    }
}

/// The broadcast in place.
fn bcast(call: &mut Call<'_>) -> Outcome {
    let address = call.word();
    elements(call)?;
    root(call)?;
    communicator(call)?;
    call.check_device(address, "buff")?;
    call.done()
}
