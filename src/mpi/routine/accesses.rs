//! Accesses to the memory of other ranks.

use super::operations::with_type;
use super::{Routine, row};
use crate::basic::Basic;
use crate::buffer::Buffer;
use crate::error::{self, Fault};
use crate::handle::{Kind, PROC_NULL};
use crate::layout::Layout;
use crate::note::Note;
use crate::reduce::Operator;
use crate::request::{Done, Landing, Status, Work};
use crate::window::{Access, Effect, Ending, Flavour};
use crate::world::call::{Caller, Next, wait_again};
use crate::world::rank::Until;

pub(super) static ROUTINES: &[Routine] = &[
    row("MPI_Put", |call| put(call, false)),
    row("MPI_Rput", |call| put(call, true)),
    row("MPI_Get", |call| get(call, false)),
    row("MPI_Rget", |call| get(call, true)),
    row("MPI_Accumulate", |call| accumulate(call, false)),
    row("MPI_Raccumulate", |call| accumulate(call, true)),
    row("MPI_Get_accumulate", |call| get_accumulate(call, false)),
    row("MPI_Rget_accumulate", |call| get_accumulate(call, true)),
    row("MPI_Fetch_and_op", fetch),
    row("MPI_Compare_and_swap", swap),
];

/// Where at the target.
struct There {
    target: i32,
    displacement: i64,
    count: u64,
    layout: Layout,
}

/// What the origin gives and gets.
#[derive(Default)]
struct Here {
    given: Vec<Landing>,
    landing: Option<Landing>,
}

fn there(call: &mut Caller<'_>) -> Result<There, Fault> {
    let (target, displacement) = (call.int()?, call.long()?);
    let (count, layout) = (call.count()?, call.layout()?);
    Ok(There { target, displacement, count, layout })
}

/// The operation that is the next argument; those of a program are none here.
fn operator(call: &mut Caller<'_>, layout: &Layout) -> Result<(Operator, Basic), Fault> {
    let number = call.number(Kind::Operation, error::OPERATION)?;
    let Some(operator) = Operator::of(number) else {
        return call.wrong(error::OPERATION, "the operation is none of MPI, as an access needs");
    };
    with_type(call, operator, layout)
}

fn put(call: &mut Caller<'_>, is_named: bool) -> Result<Next, Fault> {
    let (from, there, window) = (call.data()?, there(call)?, call.window()?);
    begin(call, window, Effect::Put, Here { given: vec![from], landing: None }, there, is_named)
}

fn get(call: &mut Caller<'_>, is_named: bool) -> Result<Next, Fault> {
    let (into, there, window) = (call.data()?, there(call)?, call.window()?);
    begin(call, window, Effect::Get, Here { given: Vec::new(), landing: Some(into) }, there, is_named)
}

fn accumulate(call: &mut Caller<'_>, is_named: bool) -> Result<Next, Fault> {
    let (from, there) = (call.data()?, there(call)?);
    let ((operator, basic), window) = (operator(call, &there.layout)?, call.window()?);
    let effect = Effect::Combine { operator, basic, fetches: false };
    begin(call, window, effect, Here { given: vec![from], landing: None }, there, is_named)
}

fn get_accumulate(call: &mut Caller<'_>, is_named: bool) -> Result<Next, Fault> {
    let (from, count, datatype) = (call.plain_buffer()?, call.count()?, call.int()?);
    let (into, there) = (call.data()?, there(call)?);
    let ((operator, basic), window) = (operator(call, &there.layout)?, call.window()?);
    let effect = Effect::Combine { operator, basic, fetches: true };
    // What is given means nothing where nothing is changed.
    let given = if operator == Operator::Nothing {
        Landing { layout: into.layout.clone(), ..into.clone() }
    } else {
        let layout = call.layout_of(datatype)?;
        Landing { buffer: from, layout, count }
    };
    begin(call, window, effect, Here { given: vec![given], landing: Some(into) }, there, is_named)
}

/// The datatype, the target and where there, of a routine for one value.
fn one(call: &mut Caller<'_>) -> Result<There, Fault> {
    let (layout, target, displacement) = (call.layout()?, call.int()?, call.long()?);
    Ok(There { target, displacement, count: 1, layout })
}

fn fetch(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (from, into, there) = (call.plain_buffer()?, call.plain_buffer()?, one(call)?);
    let ((operator, basic), window) = (operator(call, &there.layout)?, call.window()?);
    let data = |buffer: Buffer| Landing { buffer, layout: there.layout.clone(), count: 1 };
    let landing = data(into);
    call.check_type(&landing);
    let given = if operator == Operator::Nothing { landing.clone() } else { data(from) };
    let effect = Effect::Combine { operator, basic, fetches: true };
    begin(call, window, effect, Here { given: vec![given], landing: Some(landing) }, there, false)
}

fn swap(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (new, expected, into) = (call.plain_buffer()?, call.plain_buffer()?, call.plain_buffer()?);
    let (there, window) = (one(call)?, call.window()?);
    let data = |buffer: Buffer| Landing { buffer, layout: there.layout.clone(), count: 1 };
    let landing = data(into);
    call.check_type(&landing);
    begin(
        call,
        window,
        Effect::Swap,
        Here { given: vec![data(new), data(expected)], landing: Some(landing) },
        there,
        false,
    )
}

/// Checks that both sides have the same values.
fn check_sides(call: &Caller<'_>, here: &Landing, there: &There) -> Result<(), Fault> {
    let (own, theirs) = (here.bytes(), there.layout.size.saturating_mul(there.count));
    if own != theirs {
        let reason = format!("the origin has {own} bytes, and {theirs} are named at the target");
        return call.wrong(error::COUNT, reason);
    }
    match here.layout.signature(here.count).mismatch(&there.layout.signature(there.count)) {
        Some((a, b)) => {
            let reason = format!("`{}` at the origin is `{}` at the target", a.name(), b.name());
            call.wrong(error::TYPE, reason)
        }
        None => Ok(()),
    }
}

/// Begins an access. It is done when the memory of its target can be reached, which the end of the epoch waits for.
fn begin(
    call: &mut Caller<'_>,
    window: u32,
    effect: Effect,
    Here { given, landing }: Here,
    there: There,
    is_named: bool,
) -> Result<Next, Fault> {
    if let Some(here) = given.first().or(landing.as_ref()) {
        check_sides(call, here, &there)?;
    }
    let target = if there.target == PROC_NULL { call.rank } else { call.member(window, there.target)? };
    let rank = call.rank;
    let is_nobody = there.target == PROC_NULL;
    let epochs = call.epochs(window);
    let is_allowed = if is_nobody { Some(Ending::Origin) } else { epochs.allows(target) };
    let Some(ending) = is_allowed else {
        return call.wrong_epoch(format!("the memory of rank {target} is accessed outside of an epoch"), None);
    };
    let step = call.step;
    let epochs = call.epochs(window);
    if matches!(ending, Ending::Fence(_)) {
        epochs.accessed.get_or_insert(step);
    }
    let mut data = Vec::new();
    if !is_nobody {
        for part in &given {
            data.extend(part.buffer.gather(&part.layout, part.count, call.memory).map_err(|at| call.outside(at))?);
        }
    }
    let address = if is_nobody { 0 } else { address_of(call, window, target, &there)? };
    // Nobody waits for what is done already, unless the program has a request of it.
    if is_nobody && !is_named {
        return Ok(Next::Done);
    }
    let request = call.new_request(Work::Access { window, target, landing: landing.clone(), is_named }, false);
    if let Some(request) = call.own().requests.get_mut(&request) {
        request.is_active = true;
    }
    if is_named {
        let at = call.word();
        call.set_int(at, Kind::Request.handle(request))?;
    }
    if is_nobody {
        call.world.set_done(rank, request, Done::Alone(Status::EMPTY));
        return Ok(Next::Done);
    }
    call.begin_use(request, &given, landing.as_slice());
    let clock = call.world.clock(rank);
    let There { count, layout, .. } = there;
    send(
        call,
        Access { window, origin: rank, target, request, step, effect, address, layout, count, data, clock, ending },
    );
    Ok(Next::Done)
}

/// An access goes to its target.
fn send(call: &mut Caller<'_>, access: Access) {
    let target = access.target;
    if target == call.rank {
        call.world.perform(access, call.memory);
    } else if call.world.is_elsewhere(target) {
        call.world.push(target, Note::Access { access });
    } else {
        call.world.accesses.push(access);
    }
}

/// Where an access is at its target; it must be inside of the window.
fn address_of(call: &Caller<'_>, window: u32, target: u32, there: &There) -> Result<u64, Fault> {
    let exposed = call.world.windows.get(&window).and_then(|window| window.exposed.get(&target));
    let Some(exposed) = exposed else {
        return call.wrong(error::WINDOW, format!("rank {target} has freed the window"));
    };
    if exposed.flavour == Flavour::Dynamic {
        return attached_address(call, window, target, there);
    }
    let offset = there.displacement.checked_mul(exposed.unit as i64).unwrap_or(i64::MAX);
    let hull = there.layout.hull(there.count);
    let (low, high) = hull.map_or((0, 0), |(low, high)| (offset.saturating_add(low), offset.saturating_add(high)));
    if low < 0 || u64::try_from(high).is_ok_and(|high| high > exposed.bytes) {
        let reason = format!(
            "bytes {low} to {} are not inside of the window, which has {} bytes on rank {target}",
            high.saturating_sub(1),
            exposed.bytes
        );
        return call.wrong(error::RANGE, reason);
    }
    Ok(exposed.base.wrapping_add_signed(offset))
}

/// The same in a dynamic window, where displacements are addresses. What ranks in other processes have attached is not known here.
fn attached_address(call: &Caller<'_>, window: u32, target: u32, there: &There) -> Result<u64, Fault> {
    let base = there.displacement as u64;
    let Some((low, high)) = there.layout.hull(there.count).filter(|_| !call.world.is_elsewhere(target)) else {
        return Ok(base);
    };
    let (first, bytes) = (base.wrapping_add_signed(low), (high - low) as u64);
    let attached = call.world.windows.get(&window).and_then(|window| window.attached.get(&target));
    let holds = |&(start, length): &(u64, u64)| {
        first.checked_sub(start).and_then(|skipped| skipped.checked_add(bytes)).is_some_and(|end| end <= length)
    };
    if attached.is_some_and(|attached| attached.iter().any(holds)) {
        return Ok(base);
    }
    call.wrong(error::RANGE, format!("{bytes} bytes there are not inside of memory that rank {target} has attached"))
}

/// Reads and changes a number of a window at once, which is all that a rank exposes in it; what is done with the old one.
pub(super) fn change_number(
    call: &mut Caller<'_>,
    (window, target): (u32, u32),
    (operator, value): (Operator, i64),
    then: impl Fn(&mut Caller<'_>, i64) -> Result<Next, Fault> + Send + Sync + 'static,
) -> Result<Next, Fault> {
    let Some(basic) = Basic::named("MPI_OFFSET") else { return then(call, 0) };
    let (layout, rank, step) = (Layout::basic(basic), call.rank, call.step);
    let there = There { target: 0, displacement: 0, count: 1, layout: layout.clone() };
    let address = address_of(call, window, target, &there)?;
    // The old number goes to no variable of the program.
    let landing = Some(Landing { buffer: Buffer::at(0), layout: layout.clone(), count: 1 });
    let request = call.new_request(Work::Access { window, target, landing, is_named: false }, false);
    if let Some(request) = call.own().requests.get_mut(&request) {
        request.is_active = true;
    }
    let effect = Effect::Combine { operator, basic, fetches: true };
    let (data, clock) = (value.to_le_bytes().to_vec(), call.world.clock(rank));
    let (count, ending) = (1, Ending::Origin);
    send(
        call,
        Access { window, origin: rank, target, request, step, effect, address, layout, count, data, clock, ending },
    );
    wait_again(Until::All(vec![request]), move |call| {
        let pieces = call.complete_raw(request);
        call.world.end_accesses(window, rank, Some(&[target]));
        call.world.end_own_uses(rank, call.memory);
        let old = pieces.first().and_then(|piece| piece.data.first_chunk::<8>()).map_or(0, |b| i64::from_le_bytes(*b));
        then(call, old)
    })
}
