//! Windows and their epochs; memory that MPI allocates.

use super::attributes::delete_all;
use super::communicators::make_then;
use super::{Routine, row};
use crate::collective::{Operation, Part};
use crate::error::{self, Fault};
use crate::handle::Kind;
use crate::layout::Signature;
use crate::message::Piece;
use crate::note::News;
use crate::request::Work;
use crate::window::{Ending, Epochs, Exposed, Flavour, Window, WindowWait};
use crate::world::call::{Caller, Next, wait, wait_again};
use crate::world::rank::Until;
use finding::MpiFault;
use std::sync::Arc;

pub(super) static ROUTINES: &[Routine] = &[
    row("MPI_Win_create", create),
    row("MPI_Win_allocate", allocate),
    row("MPI_Win_create_dynamic", create_dynamic),
    row("MPI_Win_attach", attach),
    row("MPI_Win_detach", detach),
    row("MPI_Win_free", free),
    row("MPI_Win_fence", fence),
    row("MPI_Win_lock", lock),
    row("MPI_Win_unlock", unlock),
    row("MPI_Win_lock_all", lock_all),
    row("MPI_Win_unlock_all", unlock_all),
    row("MPI_Win_flush", |call| flush(call, true)),
    row("MPI_Win_flush_local", |call| flush(call, true)),
    row("MPI_Win_flush_all", |call| flush(call, false)),
    row("MPI_Win_flush_local_all", |call| flush(call, false)),
    row("MPI_Win_sync", |call| call.window().map(|_| Next::Done)),
    row("MPI_Win_post", post),
    row("MPI_Win_start", start),
    row("MPI_Win_complete", complete),
    row("MPI_Win_wait", wait_for_origins),
    row("MPI_Win_test", test),
    row("MPI_Win_get_group", get_group),
    row("MPI_Alloc_mem", |call| {
        let (bytes, _) = (call.long()?, call.word());
        let address = allocated(call, bytes)?;
        give_address(call, address)?;
        Ok(Next::Done)
    }),
    row("MPI_Free_mem", free_mem),
];

/// `MPI_LOCK_EXCLUSIVE` and `MPI_LOCK_SHARED`; the assertion that no access follows a fence.
const EXCLUSIVE: i32 = 234;
const SHARED: i32 = 235;
const NO_SUCCEED: i32 = 16384;

impl Caller<'_> {
    /// The window of an argument: its number.
    pub(crate) fn window(&mut self) -> Result<u32, Fault> {
        let number = self.number(Kind::Window, error::WINDOW)?;
        if self.own().epochs.contains_key(&number) {
            self.communicator = number;
            return Ok(number);
        }
        self.wrong(error::WINDOW, "the window was freed, or never made")
    }

    /// Epochs that do not fit; `begun` is the call that began the one in question.
    pub(super) fn wrong_epoch<T>(
        &self,
        reason: impl Into<String>,
        begun: Option<crate::error::Step>,
    ) -> Result<T, Fault> {
        let fault = MpiFault::Epoch {
            call: self.step.about(""),
            reason: reason.into(),
            begun: begun.map(|step| step.about("")),
        };
        Err(Fault { class: error::SYNCHRONIZATION, fault: Box::new(fault) })
    }

    /// What the rank has begun at a window.
    pub(super) fn epochs(&mut self, window: u32) -> &mut Epochs {
        self.own().epochs.entry(window).or_default()
    }

    /// The rank of `MPI_COMM_WORLD` that has a rank in a window.
    pub(super) fn member(&mut self, window: u32, rank: i32) -> Result<u32, Fault> {
        let group = self.communicator(window).group.clone();
        match usize::try_from(rank).ok().and_then(|rank| group.get(rank)) {
            Some(member) => Ok(*member),
            None => self.wrong(error::RANK, format!("the target is {rank}, but the window has {} ranks", group.len())),
        }
    }

    fn members(&mut self) -> Result<Vec<u32>, Fault> {
        self.group().map(|group| group.to_vec())
    }
}

fn allocated(call: &mut Caller<'_>, bytes: i64) -> Result<u64, Fault> {
    let Ok(wanted) = u64::try_from(bytes) else {
        return call.wrong(error::ARGUMENT, format!("the size is {bytes}, which is less than 0"));
    };
    match call.memory.allocate(wanted, call.step.span) {
        Some(address) => Ok(address),
        None => call.wrong(error::NO_MEMORY, format!("there is no room for {wanted} bytes")),
    }
}

/// Sets the pointer that is the next argument, a choice buffer.
fn give_address(call: &mut Caller<'_>, address: u64) -> Result<(), Fault> {
    let at = call.plain_buffer()?.address();
    call.set_long(at, address as i64)
}

fn free_mem(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let address = call.plain_buffer()?.address();
    if !call.memory.deallocate(address, call.step.span) {
        return call.wrong(error::BASE, "the memory is none that `MPI_Alloc_mem` has allocated");
    }
    Ok(Next::Done)
}

fn create(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let base = call.plain_buffer()?.address();
    let (bytes, unit) = size_and_unit(call)?;
    call.word();
    let (parent, at) = (call.comm()?, call.word());
    if bytes > 0 && !call.memory.has_room(base, bytes) {
        return Err(call.outside(crate::memory::Outside { address: base, bytes }));
    }
    expose(call, parent, Exposed { base, bytes, unit, flavour: Flavour::Created }, at)
}

/// A window without memory; displacements are addresses.
fn create_dynamic(call: &mut Caller<'_>) -> Result<Next, Fault> {
    call.word();
    let (parent, at) = (call.comm()?, call.word());
    expose(call, parent, Exposed { base: 0, bytes: 0, unit: 1, flavour: Flavour::Dynamic }, at)
}

/// A dynamic window, and what the rank has attached to it.
fn attached(call: &mut Caller<'_>) -> Result<(u32, Vec<(u64, u64)>), Fault> {
    let (number, rank) = (call.window()?, call.rank);
    let window = call.world.windows.get(&number);
    match window.filter(|w| w.exposed.get(&rank).is_some_and(|e| e.flavour == Flavour::Dynamic)) {
        Some(window) => Ok((number, window.attached.get(&rank).cloned().unwrap_or_default())),
        None => call.wrong(error::WINDOW, "the window was not made by `MPI_Win_create_dynamic`"),
    }
}

fn set_attached(call: &mut Caller<'_>, number: u32, attached: Vec<(u64, u64)>) -> Result<Next, Fault> {
    let rank = call.rank;
    if let Some(window) = call.world.windows.get_mut(&number) {
        window.attached.insert(rank, attached);
    }
    Ok(Next::Done)
}

fn attach(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (number, mut attached) = attached(call)?;
    let (base, bytes) = (call.plain_buffer()?.address(), call.long()?);
    let Ok(bytes) = u64::try_from(bytes) else {
        return call.wrong(error::SIZE, format!("the size is {bytes}, which is less than 0"));
    };
    if bytes > 0 && !call.memory.has_room(base, bytes) {
        return Err(call.outside(crate::memory::Outside { address: base, bytes }));
    }
    let meets =
        |&(other, length): &(u64, u64)| base < other.saturating_add(length) && other < base.saturating_add(bytes);
    if attached.iter().any(meets) {
        return call.wrong(error::ATTACH, "a part of the memory is attached already");
    }
    attached.push((base, bytes));
    set_attached(call, number, attached)
}

fn detach(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (number, mut attached) = attached(call)?;
    let base = call.plain_buffer()?.address();
    let Some(at) = attached.iter().position(|(other, _)| *other == base) else {
        return call.wrong(error::BASE, "no memory that is attached begins there");
    };
    attached.remove(at);
    set_attached(call, number, attached)
}

fn size_and_unit(call: &mut Caller<'_>) -> Result<(u64, u64), Fault> {
    let (bytes, unit) = (call.long()?, call.amount()?);
    match (u64::try_from(bytes), u64::try_from(unit)) {
        (Ok(bytes), Ok(unit @ 1..)) => Ok((bytes, unit)),
        (Err(_), _) => call.wrong(error::SIZE, format!("the size of the window is {bytes}, which is less than 0")),
        _ => call.wrong(error::DISPLACEMENT, format!("the unit of displacements is {unit}, which is less than 1")),
    }
}

fn allocate(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (bytes, unit) = size_and_unit(call)?;
    call.word();
    let parent = call.comm()?;
    let base = allocated(call, bytes as i64)?;
    give_address(call, base)?;
    let at = call.word();
    expose(call, parent, Exposed { base, bytes, unit, flavour: Flavour::Allocated }, at)
}

fn expose(call: &mut Caller<'_>, parent: u32, exposed: Exposed, at: u64) -> Result<Next, Fault> {
    expose_then(call, parent, exposed, move |call, number| {
        call.own().epochs.insert(number, Epochs::default());
        call.give_made(Kind::Window, number, at)
    })
}

/// Makes a window. All of its ranks expose their memory before one of them goes on, with the number of the window.
pub(super) fn expose_then(
    call: &mut Caller<'_>,
    parent: u32,
    exposed: Exposed,
    then: impl Fn(&mut Caller<'_>, u32) -> Result<(), Fault> + Send + Sync + Clone + 'static,
) -> Result<Next, Fault> {
    let rank = call.rank_in(parent);
    make_then(call, parent, [0, rank as i32], None, move |call, number| {
        let words = [exposed.base, exposed.bytes, exposed.unit, exposed.flavour as u64];
        let data = Arc::new(words.iter().flat_map(|word| word.to_le_bytes()).collect());
        let piece = Piece { data, signature: Signature::empty(), step: call.step };
        let part = Part { pieces: vec![piece], ..call.part() };
        let request = call.join(number, Operation::Allgather, part, &[], Vec::new())?;
        let then = then.clone();
        wait(Until::All(vec![request]), move |call| {
            let pieces = call.complete_raw(request);
            let group = call.communicator(number).group.clone();
            let window = call.world.windows.entry(number).or_insert_with(Window::default);
            for (member, piece) in group.iter().zip(pieces) {
                let words = piece.data.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
                if let [base, bytes, unit, flavour] = words.collect::<Vec<_>>()[..] {
                    let flavour = Flavour::of(flavour);
                    window.exposed.insert(*member, Exposed { base, bytes, unit, flavour });
                }
            }
            then(call, number)
        })
    })
}

/// The memory of the rank is exposed no longer.
pub(super) fn conceal(call: &mut Caller<'_>, number: u32) {
    let rank = call.rank;
    call.world.end_exposure(number, rank, call.memory, |_| true);
    let exposed = call.world.windows.get_mut(&number).and_then(|window| window.exposed.remove(&rank));
    if let Some(exposed) = exposed.filter(|exposed| exposed.flavour == Flavour::Allocated) {
        call.memory.deallocate(exposed.base, call.step.span);
    }
    let is_last = call.world.windows.get(&number).is_some_and(|window| window.exposed.is_empty());
    if is_last || call.world.remote.is_some() {
        call.world.windows.remove(&number);
    }
}

/// Waits for all ranks of a window.
fn meet(
    call: &mut Caller<'_>,
    window: u32,
    then: impl Fn(&mut Caller<'_>) -> Result<(), Fault> + Send + Sync + 'static,
) -> Result<Next, Fault> {
    let request = call.meet(window)?;
    wait(Until::All(vec![request]), move |call| {
        call.complete(request)?;
        then(call)
    })
}

fn free(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let at = call.peek();
    let number = call.window()?;
    if let Some(begun) = call.epochs(number).open() {
        return call.wrong_epoch("the window is freed in an epoch", Some(begun));
    }
    let handle = Kind::Window.handle(number);
    let go = move |call: &mut Caller<'_>| {
        meet(call, number, move |call| {
            conceal(call, number);
            call.own().epochs.remove(&number);
            call.give_up(Kind::Window, at)
        })
    };
    delete_all(call, handle, Arc::new(go))
}

/// Waits for the accesses of the rank to these targets, or all.
fn finish(
    call: &mut Caller<'_>,
    window: u32,
    targets: Option<Vec<u32>>,
    then: impl Fn(&mut Caller<'_>) -> Result<Next, Fault> + Send + Sync + 'static,
) -> Result<Next, Fault> {
    let is_meant = |work: &Work| match work {
        Work::Access { window: w, target, .. } => {
            *w == window && targets.as_ref().is_none_or(|targets| targets.contains(target))
        }
        _ => false,
    };
    let open = call.own().requests.iter().filter(|(_, request)| is_meant(&request.work)).map(|(number, _)| *number);
    let open: Vec<u32> = open.collect();
    wait_again(Until::All(open.clone()), move |call| {
        for &number in &open {
            let work = call.own().requests.get(&number).map(|request| request.work.clone());
            if matches!(work.as_deref(), Some(Work::Access { is_named: false, .. })) {
                call.complete(number)?;
            }
        }
        let rank = call.rank;
        call.world.end_accesses(window, rank, targets.as_deref());
        call.world.end_own_uses(rank, call.memory);
        then(call)
    })
}

fn fence(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (assertion, window) = (call.int()?, call.window()?);
    let epochs = call.epochs(window);
    let other = Epochs { accessed: None, ..epochs.clone() }.open();
    if let Some(begun) = other {
        return call.wrong_epoch("a fence inside of another epoch", Some(begun));
    }
    finish(call, window, None, move |call| {
        meet(call, window, move |call| {
            let rank = call.rank;
            let epochs = call.epochs(window);
            epochs.fences += 1;
            let now = epochs.fences;
            (epochs.is_fenced, epochs.accessed) = (assertion & NO_SUCCEED == 0, None);
            let is_over = |ending| matches!(ending, Ending::Fence(before) if before < now);
            call.world.end_exposure(window, rank, call.memory, is_over);
            Ok(())
        })
    })
}

/// Checks that no epoch of accesses is open, but for one between fences without any access.
fn begin_access(call: &mut Caller<'_>, window: u32) -> Result<(), Fault> {
    let epochs = call.epochs(window);
    if let Some(begun) = epochs.accessed {
        return call
            .wrong_epoch("the window is accessed since the last fence; call `MPI_Win_fence` first", Some(begun));
    }
    if let Some((begun, _)) = epochs.started {
        return call.wrong_epoch("the epoch that `MPI_Win_start` began has not ended", Some(begun));
    }
    if let Some(begun) = epochs.all {
        return call.wrong_epoch("the epoch that `MPI_Win_lock_all` began has not ended", Some(begun));
    }
    epochs.is_fenced = false;
    Ok(())
}

fn lock(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (kind, target, _, window) = (call.int()?, call.int()?, call.int()?, call.window()?);
    if !matches!(kind, EXCLUSIVE | SHARED) {
        return call
            .wrong(error::LOCK_TYPE, "the type of the lock is neither `MPI_LOCK_EXCLUSIVE` nor `MPI_LOCK_SHARED`");
    }
    let target = call.member(window, target)?;
    begin_access(call, window)?;
    if let Some(begun) = call.epochs(window).locks.get(&target).copied() {
        return call.wrong_epoch(format!("the memory of rank {target} is locked already"), Some(begun));
    }
    take_locks(call, window, vec![target], kind == EXCLUSIVE, move |call| {
        let step = call.step;
        call.epochs(window).locks.insert(target, step);
    })
}

fn take_locks(
    call: &mut Caller<'_>,
    window: u32,
    targets: Vec<u32>,
    is_exclusive: bool,
    then: impl Fn(&mut Caller<'_>) + Send + Sync + 'static,
) -> Result<Next, Fault> {
    let rank = call.rank;
    targets.iter().for_each(|&target| call.world.ask_for_lock(window, rank, target, is_exclusive));
    let until = Until::Window { window, wait: WindowWait::Locked(targets.clone()) };
    wait(until, move |call| {
        targets.iter().for_each(|&target| call.world.take_lock(window, rank, target));
        then(call);
        Ok(())
    })
}

fn unlock(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (target, window) = (call.int()?, call.window()?);
    let target = call.member(window, target)?;
    if !call.epochs(window).locks.contains_key(&target) {
        return call.wrong_epoch(format!("the memory of rank {target} is not locked"), None);
    }
    finish(call, window, Some(vec![target]), move |call| {
        call.epochs(window).locks.remove(&target);
        let rank = call.rank;
        call.world.release_lock(window, rank, target);
        Ok(Next::Done)
    })
}

fn lock_all(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (_, window) = (call.int()?, call.window()?);
    begin_access(call, window)?;
    if let Some(begun) = call.epochs(window).open() {
        return call.wrong_epoch("a lock of one rank is held", Some(begun));
    }
    let all = call.communicator(window).group.to_vec();
    take_locks(call, window, all, false, move |call| {
        let step = call.step;
        call.epochs(window).all = Some(step);
    })
}

fn unlock_all(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let window = call.window()?;
    if call.epochs(window).all.is_none() {
        return call.wrong_epoch("`MPI_Win_lock_all` was not called", None);
    }
    finish(call, window, None, move |call| {
        call.epochs(window).all = None;
        let (rank, all) = (call.rank, call.communicator(window).group.clone());
        all.iter().for_each(|&target| call.world.release_lock(window, rank, target));
        Ok(Next::Done)
    })
}

fn flush(call: &mut Caller<'_>, is_one: bool) -> Result<Next, Fault> {
    let target = if is_one { Some(call.int()?) } else { None };
    let window = call.window()?;
    let target = target.map(|target| call.member(window, target)).transpose()?;
    let epochs = call.epochs(window);
    let is_locked =
        epochs.all.is_some() || target.map_or(!epochs.locks.is_empty(), |target| epochs.locks.contains_key(&target));
    if !is_locked {
        return call.wrong_epoch("no lock is held", None);
    }
    finish(call, window, target.map(|target| vec![target]), |_| Ok(Next::Done))
}

fn post(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (origins, _, window) = (call.members()?, call.int()?, call.window()?);
    if let Some((begun, _)) = call.epochs(window).exposed {
        return call.wrong_epoch("the epoch that `MPI_Win_post` began has not ended", Some(begun));
    }
    let (rank, step) = (call.rank, call.step);
    if let Some(window) = call.world.windows.get_mut(&window) {
        window.posted.extend(origins.iter().map(|&origin| (rank, origin)));
    }
    origins.iter().for_each(|&origin| call.world.tell(window, origin, News::Posted));
    call.world.changed();
    call.epochs(window).exposed = Some((step, origins));
    Ok(Next::Done)
}

fn start(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (targets, _, window) = (call.members()?, call.int()?, call.window()?);
    begin_access(call, window)?;
    let until = Until::Window { window, wait: WindowWait::Posted(targets.clone()) };
    wait(until, move |call| {
        let (rank, step) = (call.rank, call.step);
        for &target in &targets {
            call.world.learn(rank, target);
            if let Some(window) = call.world.windows.get_mut(&window) {
                window.posted.remove(&(target, rank));
            }
        }
        call.epochs(window).started = Some((step, targets.clone()));
        Ok(())
    })
}

fn complete(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let window = call.window()?;
    let Some((_, targets)) = call.epochs(window).started.clone() else {
        return call.wrong_epoch("`MPI_Win_start` was not called", None);
    };
    finish(call, window, Some(targets.clone()), move |call| {
        let rank = call.rank;
        call.epochs(window).started = None;
        if let Some(window) = call.world.windows.get_mut(&window) {
            window.completed.extend(targets.iter().map(|&target| (rank, target)));
        }
        targets.iter().for_each(|&target| call.world.tell(window, target, News::Completed));
        call.world.changed();
        Ok(Next::Done)
    })
}

/// The origins of the epoch in which the memory of the rank is exposed.
fn origins(call: &mut Caller<'_>, window: u32) -> Result<Vec<u32>, Fault> {
    match call.epochs(window).exposed.clone() {
        Some((_, origins)) => Ok(origins),
        None => call.wrong_epoch("`MPI_Win_post` was not called", None),
    }
}

fn end_post(call: &mut Caller<'_>, window: u32, origins: &[u32]) {
    let rank = call.rank;
    for &origin in origins {
        call.world.learn(rank, origin);
        if let Some(window) = call.world.windows.get_mut(&window) {
            window.completed.remove(&(origin, rank));
        }
    }
    call.world.end_exposure(window, rank, call.memory, |ending| ending == Ending::Wait);
    call.epochs(window).exposed = None;
}

fn wait_for_origins(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let window = call.window()?;
    let origins = origins(call, window)?;
    let until = Until::Window { window, wait: WindowWait::Completed(origins.clone()) };
    wait(until, move |call| {
        end_post(call, window, &origins);
        Ok(())
    })
}

fn test(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (window, at) = (call.window()?, call.word());
    let origins = origins(call, window)?;
    let is_done = call.world.is_window_ready(call.rank, window, &WindowWait::Completed(origins.clone()));
    call.set_logical(at, is_done)?;
    if !is_done {
        return Ok(Next::Polled);
    }
    end_post(call, window, &origins);
    Ok(Next::Done)
}

fn get_group(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (window, at) = (call.window()?, call.word());
    let group = call.communicator(window).group.clone();
    let number = call.own().add_group(group);
    call.give_made(Kind::Group, number, at)?;
    Ok(Next::Done)
}
