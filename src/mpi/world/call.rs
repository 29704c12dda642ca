//! A call of a routine: its arguments one after another, and what is wrong with them.
//!
//! All arguments are words: of a choice buffer the address of its descriptor and the tag of its type, of a character its
//! address and its length, of everything else the address, which is 0 for an optional argument that is absent. The last is
//! the address of the error code.

use crate::basic::Class;
use crate::buffer::Buffer;
use crate::communicator::Communicator;
use crate::error::{self, Fault, Step};
use crate::group::Group;
use crate::handle::{self, Kind, PROC_NULL, UNDEFINED};
use crate::layout::Layout;
use crate::memory::{Outside, RankMemory};
use crate::request::{Landing, Status};
use crate::types::Datatype;
use crate::world::rank::{Rank, Until};
use crate::world::{NO_FILE, World};
use device::Strided;
use finding::{Access, Actor, Finding, FindingKind, MpiFault};
use ir::descriptor;
use source::Span;
use std::sync::Arc;

/// A call as the program makes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// The number of the routine ([`crate::number`]).
    pub routine: u32,
    /// Its arguments.
    pub words: Vec<u64>,
    /// The statement.
    pub span: Span,
}

/// What is done when what a call waits for is there.
pub(crate) type Then = Arc<dyn Fn(&mut Caller<'_>) -> Result<Next, Fault> + Send + Sync>;

/// What becomes of a call.
pub(crate) enum Next {
    /// It is done.
    Done,
    /// It is done and found nothing, so others should have a turn.
    Polled,
    /// The rank waits.
    Wait(Until, Then),
    /// All ranks end with this code.
    End(i32),
}

/// A call that waits until something is there.
pub(crate) fn wait(
    until: Until,
    then: impl Fn(&mut Caller<'_>) -> Result<(), Fault> + Send + Sync + 'static,
) -> Result<Next, Fault> {
    wait_again(until, move |call| then(call).map(|()| Next::Done))
}

/// The same where the call may have to wait again.
pub(crate) fn wait_again(
    until: Until,
    then: impl Fn(&mut Caller<'_>) -> Result<Next, Fault> + Send + Sync + 'static,
) -> Result<Next, Fault> {
    Ok(Next::Wait(until, Arc::new(then)))
}

/// A rank that makes a call.
pub(crate) struct Caller<'a> {
    pub(crate) world: &'a mut World,
    pub(crate) memory: &'a mut dyn RankMemory,
    pub(crate) rank: u32,
    pub(crate) step: Step,
    pub(crate) words: &'a [u64],
    /// Whether counts are of kind `MPI_COUNT_KIND`.
    pub(crate) is_large: bool,
    /// How many arguments were taken.
    pub(crate) taken: usize,
    /// The communicator that says what an error does.
    pub(crate) communicator: u32,
}

impl Caller<'_> {
    /// The next argument.
    pub(crate) fn word(&mut self) -> u64 {
        let word = self.peek();
        self.taken += 1;
        word
    }

    /// The next word, which is still to be taken.
    pub(crate) fn peek(&self) -> u64 {
        self.words.get(self.taken).copied().unwrap_or(0)
    }

    /// What MPI knows of the rank.
    pub(crate) fn own(&mut self) -> &mut Rank {
        &mut self.world.ranks[self.rank as usize]
    }

    /// An argument that is wrong.
    pub(crate) fn wrong<T>(&self, class: i32, reason: impl Into<String>) -> Result<T, Fault> {
        Err(self.step.argument(class, reason))
    }

    /// Reports something that does not end the call.
    pub(crate) fn report(&mut self, fault: MpiFault) {
        let access = Access::step(Actor::Host, self.step.span);
        self.world.findings.push(Finding::new(FindingKind::Mpi(fault), vec![access]));
    }

    pub(crate) fn outside(&self, at: Outside) -> Fault {
        let reason = match self.memory.room(at.address) {
            Some((room, name)) if name.is_empty() => {
                format!("the buffer has {room} bytes, and {} are needed", at.bytes)
            }
            Some((room, name)) => format!("`{name}` has {room} bytes from there on, and {} are needed", at.bytes),
            None => "the buffer is no memory of the program".to_owned(),
        };
        self.step.argument(error::BUFFER, reason)
    }

    /// Bytes at an address.
    pub(crate) fn bytes_at<const N: usize>(&mut self, address: u64) -> Result<[u8; N], Fault> {
        let mut bytes = [0; N];
        self.memory.read(address, &mut bytes).map_err(|at| self.outside(at))?;
        Ok(bytes)
    }

    pub(crate) fn int_at(&mut self, address: u64) -> Result<i32, Fault> {
        self.bytes_at(address).map(i32::from_le_bytes)
    }

    /// An integer argument.
    pub(crate) fn int(&mut self) -> Result<i32, Fault> {
        let address = self.word();
        self.int_at(address)
    }

    /// An integer argument of kind `MPI_ADDRESS_KIND`.
    pub(crate) fn long(&mut self) -> Result<i64, Fault> {
        let address = self.word();
        self.bytes_at(address).map(i64::from_le_bytes)
    }

    /// Integers from an address on.
    pub(crate) fn ints_at(&mut self, address: u64, count: usize) -> Result<Vec<i32>, Fault> {
        let mut bytes = vec![0; 4 * count];
        self.memory.read(address, &mut bytes).map_err(|at| self.outside(at))?;
        Ok(bytes.as_chunks::<4>().0.iter().map(|b| i32::from_le_bytes(*b)).collect())
    }

    /// An array of integers.
    pub(crate) fn ints(&mut self, count: usize) -> Result<Vec<i32>, Fault> {
        let address = self.word();
        if count == 0 { Ok(Vec::new()) } else { self.ints_at(address, count) }
    }

    /// An array of integers of kind `MPI_ADDRESS_KIND`.
    pub(crate) fn longs(&mut self, count: usize) -> Result<Vec<i64>, Fault> {
        let address = self.word();
        (0..count as u64).map(|i| self.bytes_at(address + 8 * i).map(i64::from_le_bytes)).collect()
    }

    /// Sets bytes; nothing where the argument is absent.
    pub(crate) fn put(&mut self, address: u64, bytes: &[u8]) -> Result<(), Fault> {
        if address == 0 || bytes.is_empty() {
            return Ok(());
        }
        self.memory.write(address, bytes).map_err(|at| self.outside(at))
    }

    pub(crate) fn set_int(&mut self, address: u64, value: i32) -> Result<(), Fault> {
        self.put(address, &value.to_le_bytes())
    }

    pub(crate) fn set_long(&mut self, address: u64, value: i64) -> Result<(), Fault> {
        self.put(address, &value.to_le_bytes())
    }

    pub(crate) fn set_logical(&mut self, address: u64, value: bool) -> Result<(), Fault> {
        self.set_int(address, -i32::from(value))
    }

    pub(crate) fn set_ints(&mut self, address: u64, values: &[i32]) -> Result<(), Fault> {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.put(address, &bytes)
    }

    /// The next argument, a character, gets a text; the argument after it its length.
    pub(crate) fn set_text(&mut self, text: &str) -> Result<(), Fault> {
        let (address, length, length_at) = (self.word(), self.word() as usize, self.word());
        let mut bytes = text.as_bytes()[..text.len().min(length)].to_vec();
        bytes.resize(length, b' ');
        self.put(address, &bytes)?;
        self.set_int(length_at, text.len().min(length) as i32)
    }

    /// The next argument, a character, gets a text; no length follows it.
    pub(crate) fn set_plain_text(&mut self, text: &str) -> Result<(), Fault> {
        let (address, length) = (self.word(), self.word() as usize);
        let mut bytes = text.as_bytes()[..text.len().min(length)].to_vec();
        bytes.resize(length, b' ');
        self.put(address, &bytes)
    }

    /// A character argument without the blanks at its end.
    pub(crate) fn text(&mut self) -> Result<String, Fault> {
        let (address, length) = (self.word(), self.word());
        let mut bytes = vec![0; length.min(4096) as usize];
        self.memory.read(address, &mut bytes).map_err(|at| self.outside(at))?;
        Ok(String::from_utf8_lossy(&bytes).trim_end().to_owned())
    }

    /// A count, or what counts like one, at an address.
    pub(crate) fn amount_at(&mut self, address: u64) -> Result<i64, Fault> {
        if self.is_large {
            return self.bytes_at(address).map(i64::from_le_bytes);
        }
        self.int_at(address).map(i64::from)
    }

    /// The next argument, a count or what counts like one.
    pub(crate) fn amount(&mut self) -> Result<i64, Fault> {
        let address = self.word();
        self.amount_at(address)
    }

    /// An array of the same.
    pub(crate) fn amounts(&mut self, count: usize) -> Result<Vec<i64>, Fault> {
        if self.is_large {
            return self.longs(count);
        }
        Ok(self.ints(count)?.into_iter().map(i64::from).collect())
    }

    /// Sets a count; `MPI_UNDEFINED` if it is none, or too large for the argument.
    pub(crate) fn set_amount(&mut self, address: u64, amount: Option<u64>) -> Result<(), Fault> {
        if self.is_large {
            let amount = amount.and_then(|amount| i64::try_from(amount).ok());
            return self.set_long(address, amount.unwrap_or(UNDEFINED.into()));
        }
        let amount = amount.and_then(|amount| i32::try_from(amount).ok());
        self.set_int(address, amount.unwrap_or(UNDEFINED))
    }

    /// A count of elements.
    pub(crate) fn count(&mut self) -> Result<u64, Fault> {
        let address = self.word();
        let count = self.amount_at(address)?;
        self.checked_count(count)
    }

    pub(crate) fn checked_count(&self, count: i64) -> Result<u64, Fault> {
        u64::try_from(count)
            .or_else(|_| self.wrong(error::COUNT, format!("the count is {count}, which is less than 0")))
    }

    /// Sets the handle of an object that the rank makes.
    pub(crate) fn give_made(&mut self, kind: Kind, number: u32, at: u64) -> Result<(), Fault> {
        let (handle, step) = (kind.handle(number), self.step);
        if number != 0 {
            self.own().made.insert(handle, step);
        }
        self.set_int(at, handle)
    }

    /// Sets the handle of an object that the rank frees to the null handle.
    pub(crate) fn give_up(&mut self, kind: Kind, at: u64) -> Result<(), Fault> {
        let handle = self.int_at(at)?;
        let own = self.own();
        own.made.remove(&handle);
        own.names.remove(&handle);
        own.hints.remove(&handle);
        self.set_int(at, kind.handle(0))
    }

    /// The number of a handle of a kind.
    pub(crate) fn number(&mut self, kind: Kind, class: i32) -> Result<u32, Fault> {
        let handle = self.int()?;
        self.number_of(kind, handle, class)
    }

    pub(crate) fn number_of(&self, kind: Kind, handle: i32, class: i32) -> Result<u32, Fault> {
        match kind.number(handle) {
            Some(0) => self.wrong(class, format!("the {} is the null handle", kind.name())),
            Some(number) => Ok(number),
            None => self.wrong(class, format!("the {} is none; its value is {handle}", kind.name())),
        }
    }

    /// The communicator of an argument: its number. The rank belongs to it.
    pub(crate) fn comm(&mut self) -> Result<u32, Fault> {
        let handle = self.int()?;
        self.comm_of(handle)
    }

    pub(crate) fn comm_of(&mut self, handle: i32) -> Result<u32, Fault> {
        let number = self.number_of(Kind::Communicator, handle, error::COMMUNICATOR)?;
        let number = if number == handle::SELF { World::own_communicator(self.rank) } else { number };
        let rank = self.rank;
        match self.world.communicators.get(&number) {
            Some(comm) if comm.freed.contains(&rank) => self.wrong(error::COMMUNICATOR, "the communicator was freed"),
            Some(comm) if comm.rank_of(rank).is_some() => {
                self.communicator = number;
                Ok(number)
            }
            _ => self.wrong(error::COMMUNICATOR, format!("the communicator is none; its value is {handle}")),
        }
    }

    /// The handle by which the rank knows a communicator.
    pub(crate) fn handle_of(&self, communicator: u32) -> i32 {
        let is_self = communicator == World::own_communicator(self.rank);
        Kind::Communicator.handle(if is_self { handle::SELF } else { communicator })
    }

    /// The handle of the communicator, window or file that has this number.
    pub(crate) fn handle_of_object(&mut self, number: u32) -> i32 {
        let own = self.own();
        match (own.files.contains_key(&number), own.epochs.contains_key(&number), number) {
            (true, ..) => Kind::File.handle(number),
            (_, true, _) => Kind::Window.handle(number),
            (_, _, NO_FILE) => Kind::File.handle(0),
            _ => self.handle_of(number),
        }
    }

    /// A communicator by its number.
    pub(crate) fn communicator(&self, number: u32) -> &Communicator {
        &self.world.communicators[&number]
    }

    /// The rank of the caller in a communicator.
    pub(crate) fn rank_in(&self, communicator: u32) -> u32 {
        self.communicator(communicator).rank_of(self.rank).unwrap_or(0)
    }

    /// The group of an argument.
    pub(crate) fn group(&mut self) -> Result<Group, Fault> {
        match self.number(Kind::Group, error::GROUP)? {
            1 => Ok([].into()),
            number => match self.own().groups.get(&number).cloned() {
                Some(group) => Ok(group),
                None => self.wrong(error::GROUP, "the group was freed, or never made"),
            },
        }
    }

    /// The datatype of an argument.
    pub(crate) fn datatype(&mut self) -> Result<Datatype, Fault> {
        let handle = self.int()?;
        self.datatype_of(handle)
    }

    pub(crate) fn datatype_of(&mut self, handle: i32) -> Result<Datatype, Fault> {
        let number = self.number_of(Kind::Datatype, handle, error::TYPE)?;
        match self.own().types.get(number) {
            Some(datatype) => Ok(datatype),
            None => self.wrong(error::TYPE, "the datatype was freed, or never made"),
        }
    }

    /// The same, of one that is used in communication.
    pub(crate) fn committed(&mut self) -> Result<Datatype, Fault> {
        let handle = self.int()?;
        self.committed_of(handle)
    }

    fn committed_of(&mut self, handle: i32) -> Result<Datatype, Fault> {
        let datatype = self.datatype_of(handle)?;
        if !datatype.is_committed {
            return self.wrong(error::TYPE, "the datatype is not committed; call `MPI_Type_commit` first");
        }
        Ok(datatype)
    }

    /// The layout of a datatype that is used in communication.
    pub(crate) fn layout(&mut self) -> Result<Layout, Fault> {
        self.committed().map(|datatype| datatype.layout)
    }

    pub(crate) fn layout_of(&mut self, handle: i32) -> Result<Layout, Fault> {
        self.committed_of(handle).map(|datatype| datatype.layout)
    }

    /// A choice buffer; `None` for `MPI_IN_PLACE`.
    pub(crate) fn buffer(&mut self) -> Result<Option<Buffer>, Fault> {
        let (at, tag) = (self.word(), self.word());
        let head = |call: &mut Self, offset: i64| call.bytes_at(at.wrapping_add_signed(offset)).map(i64::from_le_bytes);
        let base = head(self, descriptor::BASE)? as u64;
        let element = head(self, descriptor::ELEMENT_BYTES)?.max(0) as u64;
        let rank = head(self, descriptor::RANK)?.clamp(0, 15) as u32;
        let mut dims = Vec::new();
        for dim in 0..rank {
            dims.push((head(self, descriptor::extent(dim))?.max(0), head(self, descriptor::stride(dim))?));
        }
        if self.memory.is_named(base, "mpi_in_place") {
            return Ok(None);
        }
        if self.memory.is_named(base, "mpi_bottom") {
            return Ok(Some(Buffer::at(0)));
        }
        Ok(Some(Buffer::new(Strided { base, dims }, element, tag)))
    }

    /// A choice buffer that cannot be `MPI_IN_PLACE`.
    pub(crate) fn plain_buffer(&mut self) -> Result<Buffer, Fault> {
        match self.buffer()? {
            Some(buffer) => Ok(buffer),
            None => self.wrong(error::BUFFER, "`MPI_IN_PLACE` cannot be given here"),
        }
    }

    /// Buffer, count and datatype, which follow each other in most routines.
    pub(crate) fn data(&mut self) -> Result<Landing, Fault> {
        let buffer = self.plain_buffer()?;
        self.rest_of_data(buffer)
    }

    /// The same where the buffer may be `MPI_IN_PLACE`; then the rest means nothing.
    pub(crate) fn data_or_in_place(&mut self) -> Result<Option<Landing>, Fault> {
        match self.buffer()? {
            Some(buffer) => self.rest_of_data(buffer).map(Some),
            None => {
                self.taken += 2;
                Ok(None)
            }
        }
    }

    pub(crate) fn rest_of_data(&mut self, buffer: Buffer) -> Result<Landing, Fault> {
        let count = self.count()?;
        let layout = self.layout()?;
        let data = Landing { buffer, layout, count };
        self.check_type(&data);
        Ok(data)
    }

    /// Reports a datatype that is none for the variable.
    pub(crate) fn check_type(&mut self, data: &Landing) {
        let Some(basic) = data.buffer.basic().filter(|_| data.count > 0) else { return };
        let Some(first) = data.layout.runs.first().map(|run| run.basic) else { return };
        let (have, want) = (basic.class(), first.class());
        let bytes = (basic.bytes(), first.bytes());
        let is_part = have == Class::Complex && want == Class::Real && bytes.0 == 2 * bytes.1;
        // A view of complex numbers as reals, of any kind where the program has made the datatype.
        let is_made = data.layout.size > first.bytes();
        let is_whole = have == Class::Real
            && want == Class::Complex
            && (bytes.1 == 2 * bytes.0 || is_made && bytes.1 % bytes.0 == 0);
        let is_pair = matches!((have, want), (Class::Integer, Class::IntegerPair) | (Class::Real, Class::RealPair))
            && bytes.1 == 2 * bytes.0;
        let is_flag = bytes.0 == bytes.1
            && matches!(
                (have, want),
                (Class::Logical, Class::Integer) | (Class::Integer, Class::Logical | Class::Unsigned)
            );
        let is_alike = first.is_raw() || basic.matches(first) || is_part || is_whole || is_pair || is_flag;
        let is_mixed = data.layout.runs.iter().any(|run| run.basic != first);
        if !is_alike && !is_mixed {
            let (call, given) = (self.step.about(""), data.buffer.type_name());
            self.report(MpiFault::BufferType { call, datatype: first.name().to_owned(), given });
        }
    }

    /// A rank of a communicator that a message goes to, or `MPI_PROC_NULL`.
    pub(crate) fn checked_rank(&self, rank: i32, communicator: u32, what: &str) -> Result<i32, Fault> {
        let size = self.communicator(communicator).size() as i32;
        if rank == PROC_NULL || (0..size).contains(&rank) {
            return Ok(rank);
        }
        self.wrong(error::RANK, format!("{what} is {rank}, but the communicator has {}", ranks_of(size)))
    }

    /// The root of a collective operation.
    pub(crate) fn root(&self, root: i32, communicator: u32) -> Result<u32, Fault> {
        let size = self.communicator(communicator).size() as i32;
        if (0..size).contains(&root) {
            return Ok(root as u32);
        }
        self.wrong(error::ROOT, format!("the root is {root}, but the communicator has {}", ranks_of(size)))
    }

    /// Writes a status but for the error in it, which only calls with several statuses set; nothing where it is to be ignored.
    pub(crate) fn set_status(&mut self, address: u64, status: Status) -> Result<(), Fault> {
        if address == 0 || self.ignores_status(address) {
            return Ok(());
        }
        self.set_ints(address, &[status.source, status.tag])?;
        let rest = [status.bytes as u32 as i32, (status.bytes >> 32) as i32, i32::from(status.is_cancelled)];
        self.set_ints(address + STATUS_BYTES_AT, &rest)
    }

    /// Whether an address is that of `MPI_STATUS_IGNORE` or `MPI_STATUSES_IGNORE`.
    pub(crate) fn ignores_status(&self, address: u64) -> bool {
        self.memory.is_named(address, "mpi_status_ignore") || self.memory.is_named(address, "mpi_statuses_ignore")
    }
}

/// Bytes of a status, `MPI_STATUS_SIZE` integers.
pub(crate) const STATUS_BYTES: u64 = 24;
/// Where in it the error is; the bytes of the message, two integers; and whether it was cancelled.
pub(crate) const STATUS_ERROR_AT: u64 = 8;
pub(crate) const STATUS_BYTES_AT: u64 = 12;
pub(crate) const STATUS_CANCELLED_AT: u64 = 20;

/// `2 ranks, 0 and 1`.
fn ranks_of(size: i32) -> String {
    match size {
        1 => "only rank 0".to_owned(),
        n => format!("ranks 0 to {}", n - 1),
    }
}
