//! Attributes of communicators, datatypes and windows, whose copying and deleting call procedures of the program.

use super::{Routine, row};
use crate::attribute::Key;
use crate::errand::Errand;
use crate::error::{self, Fault};
use crate::handle::{FIRST_OWN, Kind, LARGEST_TAG, PROC_NULL};
use crate::world::call::{Caller, Next, Then, wait_again};
use crate::world::rank::Until;
use std::sync::Arc;

pub(super) static ROUTINES: &[Routine] = &[
    row("MPI_Comm_create_keyval", |call| create(call, Kind::Communicator, Width::Address)),
    row("MPI_Comm_free_keyval", |call| free(call, Kind::Communicator)),
    row("MPI_Comm_set_attr", |call| set(call, Kind::Communicator, Width::Address)),
    row("MPI_Comm_get_attr", |call| get(call, Kind::Communicator, Width::Address)),
    row("MPI_Comm_delete_attr", |call| delete(call, Kind::Communicator)),
    row("MPI_Type_create_keyval", |call| create(call, Kind::Datatype, Width::Address)),
    row("MPI_Type_free_keyval", |call| free(call, Kind::Datatype)),
    row("MPI_Type_set_attr", |call| set(call, Kind::Datatype, Width::Address)),
    row("MPI_Type_get_attr", |call| get(call, Kind::Datatype, Width::Address)),
    row("MPI_Type_delete_attr", |call| delete(call, Kind::Datatype)),
    row("MPI_Win_create_keyval", |call| create(call, Kind::Window, Width::Address)),
    row("MPI_Win_free_keyval", |call| free(call, Kind::Window)),
    row("MPI_Win_set_attr", |call| set(call, Kind::Window, Width::Address)),
    row("MPI_Win_get_attr", |call| get(call, Kind::Window, Width::Address)),
    row("MPI_Win_delete_attr", |call| delete(call, Kind::Window)),
    row("MPI_Keyval_create", |call| create(call, Kind::Communicator, Width::Default)),
    row("MPI_Keyval_free", |call| free(call, Kind::Communicator)),
    row("MPI_Attr_put", |call| set(call, Kind::Communicator, Width::Default)),
    row("MPI_Attr_get", |call| get(call, Kind::Communicator, Width::Default)),
    row("MPI_Attr_delete", |call| delete(call, Kind::Communicator)),
];

/// What values of a routine are: integers of kind `MPI_ADDRESS_KIND`, or default ones.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Width {
    Address,
    Default,
}

impl Caller<'_> {
    fn value(&mut self, width: Width) -> Result<i64, Fault> {
        if width == Width::Address { self.long() } else { self.int().map(i64::from) }
    }

    /// The handle by which the rank knows a communicator, datatype or window that is the next argument.
    pub(super) fn object(&mut self, kind: Kind) -> Result<i32, Fault> {
        match kind {
            Kind::Datatype => {
                let handle = self.int()?;
                self.datatype_of(handle).map(|_| handle)
            }
            Kind::Window => self.window().map(|window| Kind::Window.handle(window)),
            _ => {
                let communicator = self.comm()?;
                Ok(self.handle_of(communicator))
            }
        }
    }

    /// The number of a key for objects of a kind.
    fn key(&mut self, kind: Kind) -> Result<u32, Fault> {
        let number = self.int()? as u32;
        match self.own().attributes.keys.get(number) {
            Some(key) if key.kind == kind && !key.is_freed => Ok(number),
            Some(key) if !key.is_freed => {
                let reason = format!("the key is one for a {}, not for a {}", key.kind.name(), kind.name());
                self.wrong(error::KEY, reason)
            }
            _ if number < FIRST_OWN && number > 0 => {
                self.wrong(error::KEY, "the attribute is one of MPI, which a program cannot change")
            }
            _ => self.wrong(error::KEY, "the key was freed, or never made"),
        }
    }
}

fn create(call: &mut Caller<'_>, kind: Kind, width: Width) -> Result<Next, Fault> {
    let (copy, delete, at) = (call.procedure()?, call.procedure()?, call.word());
    let extra = call.value(width)?;
    let key = Key { kind, copy, delete, extra, is_narrow: width == Width::Default, is_freed: false };
    let number = call.own().attributes.keys.add(key);
    call.set_int(at, number as i32)?;
    Ok(Next::Done)
}

fn free(call: &mut Caller<'_>, kind: Kind) -> Result<Next, Fault> {
    let at = call.peek();
    let number = call.key(kind)?;
    if let Some(key) = call.own().attributes.keys.get_mut(number) {
        key.is_freed = true;
    }
    call.set_int(at, 0)?;
    Ok(Next::Done)
}

fn set(call: &mut Caller<'_>, kind: Kind, width: Width) -> Result<Next, Fault> {
    let (object, key) = (call.object(kind)?, call.key(kind)?);
    let value = call.value(width)?;
    let store = move |call: &mut Caller<'_>| {
        call.own().attributes.set(object, key, value);
        Ok(Next::Done)
    };
    match call.own().attributes.get(object, key) {
        Some(old) => delete_one(call, object, (key, old), Arc::new(store)),
        None => store(call),
    }
}

fn get(call: &mut Caller<'_>, kind: Kind, width: Width) -> Result<Next, Fault> {
    let object = call.object(kind)?;
    let number = call.peek();
    let number = call.int_at(number)?;
    let known = match kind {
        Kind::Communicator => predefined(call, number),
        Kind::Window => of_window(call, object, number),
        _ => None,
    };
    let value = match known {
        Some(value) => {
            call.taken += 1;
            Some(value)
        }
        None => {
            let key = call.key(kind)?;
            call.own().attributes.get(object, key)
        }
    };
    let (value_at, flag_at) = (call.word(), call.word());
    call.set_logical(flag_at, value.is_some())?;
    match value {
        Some(value) if width == Width::Address => call.set_long(value_at, value)?,
        Some(value) => call.set_int(value_at, value as i32)?,
        None => {}
    }
    Ok(Next::Done)
}

/// The attributes of communicators that the standard has: `MPI_TAG_UB`, `MPI_UNIVERSE_SIZE`, `MPI_HOST`,
/// `MPI_WTIME_IS_GLOBAL`, `MPI_LASTUSEDCODE`, `MPI_APPNUM`, `MPI_IO`.
fn predefined(call: &Caller<'_>, key: i32) -> Option<i64> {
    match key {
        1 => Some(i64::from(LARGEST_TAG)),
        2 => Some(i64::from(call.world.size())),
        3 => Some(i64::from(PROC_NULL)),
        4 => Some(1),
        5 => Some(i64::from(error::LAST) + call.world.ranks[call.rank as usize].own_errors.len() as i64),
        6 => Some(0),
        7 => Some(i64::from(crate::handle::ANY_SOURCE)),
        _ => None,
    }
}

/// The attributes of windows that the standard has: `MPI_WIN_BASE`, `MPI_WIN_SIZE`, `MPI_WIN_DISP_UNIT`,
/// `MPI_WIN_CREATE_FLAVOR`, `MPI_WIN_MODEL`.
fn of_window(call: &Caller<'_>, handle: i32, key: i32) -> Option<i64> {
    let window = call.world.windows.get(&Kind::Window.number(handle)?)?;
    let own = window.exposed.get(&call.rank)?;
    match key {
        11 => Some(own.base as i64),
        12 => Some(own.bytes as i64),
        13 => Some(own.unit as i64),
        14 => Some(own.flavour as i64),
        15 => Some(2),
        _ => None,
    }
}

fn delete(call: &mut Caller<'_>, kind: Kind) -> Result<Next, Fault> {
    let (object, key) = (call.object(kind)?, call.key(kind)?);
    match call.own().attributes.get(object, key) {
        Some(value) => delete_one(call, object, (key, value), Arc::new(|_: &mut Caller<'_>| Ok(Next::Done))),
        None => call.wrong(error::KEY, "the object has no such attribute"),
    }
}

/// Deletes an attribute; the program hears of it before.
fn delete_one(call: &mut Caller<'_>, object: i32, (number, value): (u32, i64), then: Then) -> Result<Next, Fault> {
    let own = call.own();
    let Some(key) = own.attributes.keys.get(number) else { return then(call) };
    let (procedure, extra) = (key.delete, key.extra);
    own.errands.push_back(Errand::Delete { procedure, object, key: number as i32, extra, value });
    wait_again(Until::Called, move |call| {
        check_reply(call, "delete")?;
        call.own().attributes.remove(object, number);
        then(call)
    })
}

/// Deletes all attributes of an object that is freed, the last one first.
pub(super) fn delete_all(call: &mut Caller<'_>, object: i32, then: Then) -> Result<Next, Fault> {
    match call.own().attributes.of(object).last().copied() {
        Some(attribute) => {
            let rest: Then = Arc::new(move |call: &mut Caller<'_>| delete_all(call, object, then.clone()));
            delete_one(call, object, attribute, rest)
        }
        None => then(call),
    }
}

/// Asks of each attribute of an object from a place on what it becomes in a copy of the object.
pub(super) fn copy_all(
    call: &mut Caller<'_>,
    (object, copy): (i32, i32),
    place: usize,
    then: Then,
) -> Result<Next, Fault> {
    let own = call.own();
    let Some(&(number, value)) = own.attributes.of(object).get(place) else { return then(call) };
    if let Some(key) = own.attributes.keys.get(number) {
        let (procedure, extra) = (key.copy, key.extra);
        own.errands.push_back(Errand::Copy { procedure, object, key: number as i32, extra, value });
    }
    wait_again(Until::Called, move |call| {
        check_reply(call, "copy")?;
        let own = call.own();
        let is_narrow = own.attributes.keys.get(number).is_some_and(|key| key.is_narrow);
        let value = if is_narrow { i64::from(own.reply.value as i32) } else { own.reply.value };
        if own.reply.is_copied {
            own.attributes.set(copy, number, value);
        }
        copy_all(call, (object, copy), place + 1, then.clone())
    })
}

fn check_reply(call: &mut Caller<'_>, what: &str) -> Result<(), Fault> {
    match call.own().reply.error {
        error::SUCCESS => Ok(()),
        code => call.wrong(code, format!("the {what} function of an attribute gives error code {code}")),
    }
}
