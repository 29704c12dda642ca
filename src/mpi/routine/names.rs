//! Names of communicators, datatypes and windows.

use super::{Routine, row};
use crate::basic::name_of;
use crate::error::Fault;
use crate::handle::Kind;
use crate::world::call::{Caller, Next};

pub(super) static ROUTINES: &[Routine] = &[
    row("MPI_Comm_set_name", |call| set(call, Kind::Communicator)),
    row("MPI_Comm_get_name", |call| get(call, Kind::Communicator)),
    row("MPI_Type_set_name", |call| set(call, Kind::Datatype)),
    row("MPI_Type_get_name", |call| get(call, Kind::Datatype)),
    row("MPI_Win_set_name", |call| set(call, Kind::Window)),
    row("MPI_Win_get_name", |call| get(call, Kind::Window)),
];

fn set(call: &mut Caller<'_>, kind: Kind) -> Result<Next, Fault> {
    let (handle, name) = (call.object(kind)?, call.text()?);
    call.own().names.insert(handle, name);
    Ok(Next::Done)
}

fn get(call: &mut Caller<'_>, kind: Kind) -> Result<Next, Fault> {
    let at = call.peek();
    let handle = call.object(kind)?;
    let name = match (call.own().names.get(&handle).cloned(), kind) {
        (Some(name), _) => name,
        (None, Kind::Communicator) => {
            let given = call.int_at(at)?;
            let communicator = call.comm_of(given)?;
            call.communicator(communicator).name.to_string()
        }
        (None, Kind::Datatype) => kind.number(handle).and_then(name_of).unwrap_or("").to_owned(),
        _ => String::new(),
    };
    call.set_text(&name)?;
    Ok(Next::Done)
}
