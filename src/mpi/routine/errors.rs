//! Error handlers of communicators, windows and files; classes and codes of errors that a program adds.

use super::{Routine, anywhere, row};
use crate::errand::Errand;
use crate::error::{self, Fault, OwnError};
use crate::handle::{FIRST_OWN, Kind};
use crate::world::call::{Caller, Next};
use crate::world::{ERRORS_RETURN, FATAL};

pub(super) static ROUTINES: &[Routine] = &[
    anywhere("MPI_Error_string", string),
    anywhere("MPI_Error_class", class),
    anywhere("MPI_Add_error_class", |call| add(call, None)),
    anywhere("MPI_Add_error_code", |call| {
        let class = call.int()?;
        add(call, Some(class))
    }),
    anywhere("MPI_Add_error_string", add_string),
    row("MPI_Comm_create_errhandler", create),
    row("MPI_Comm_set_errhandler", |call| set(call, Kind::Communicator)),
    row("MPI_Comm_get_errhandler", |call| get(call, Kind::Communicator)),
    row("MPI_Comm_call_errhandler", |call| handle(call, Kind::Communicator)),
    row("MPI_Win_create_errhandler", create),
    row("MPI_Win_set_errhandler", |call| set(call, Kind::Window)),
    row("MPI_Win_get_errhandler", |call| get(call, Kind::Window)),
    row("MPI_Win_call_errhandler", |call| handle(call, Kind::Window)),
    row("MPI_File_create_errhandler", create),
    row("MPI_File_set_errhandler", |call| set(call, Kind::File)),
    row("MPI_File_get_errhandler", |call| get(call, Kind::File)),
    row("MPI_File_call_errhandler", |call| handle(call, Kind::File)),
    row("MPI_Errhandler_create", create),
    row("MPI_Errhandler_set", |call| set(call, Kind::Communicator)),
    row("MPI_Errhandler_get", |call| get(call, Kind::Communicator)),
    row("MPI_Errhandler_free", free),
];

impl Caller<'_> {
    /// The error that a program has added with that number.
    fn own_error(&mut self, code: i32) -> Option<&mut OwnError> {
        let place = usize::try_from(code.checked_sub(error::LAST + 1)?).ok()?;
        self.own().own_errors.get_mut(place)
    }

    /// The number by which the error handler of an object is known that is the next argument.
    fn handled(&mut self, kind: Kind) -> Result<u32, Fault> {
        match kind {
            Kind::Window => self.window(),
            Kind::File => self.file_or_none(),
            _ => self.comm(),
        }
    }
}

fn string(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let code = call.int()?;
    let text = call.own_error(code).map(|own| own.text.clone());
    call.set_text(text.as_deref().unwrap_or(error::sentence(code)))?;
    Ok(Next::Done)
}

fn class(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (code, at) = (call.int()?, call.word());
    let class = call.own_error(code).map_or(code, |own| own.class);
    call.set_int(at, class)?;
    Ok(Next::Done)
}

/// Adds a class, or a code of one.
fn add(call: &mut Caller<'_>, class: Option<i32>) -> Result<Next, Fault> {
    let at = call.word();
    let errors = &mut call.own().own_errors;
    let code = error::LAST + 1 + errors.len() as i32;
    errors.push(OwnError { class: class.unwrap_or(code), text: String::new() });
    call.set_int(at, code)?;
    Ok(Next::Done)
}

fn add_string(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (code, text) = (call.int()?, call.text()?);
    match call.own_error(code) {
        Some(own) => own.text = text,
        None => return call.wrong(error::ARGUMENT, format!("{code} is no error that the program has added")),
    }
    Ok(Next::Done)
}

fn create(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (procedure, at) = (call.procedure()?, call.word());
    let number = call.own().own_handlers.add(procedure);
    call.give_made(Kind::ErrorHandler, number, at)?;
    Ok(Next::Done)
}

fn set(call: &mut Caller<'_>, kind: Kind) -> Result<Next, Fault> {
    let object = call.handled(kind)?;
    let handler = call.number(Kind::ErrorHandler, error::ARGUMENT)?;
    if handler >= FIRST_OWN && call.own().own_handlers.get(handler).is_none() {
        return call.wrong(error::ARGUMENT, "the error handler was never made");
    }
    call.own().handlers.insert(object, handler);
    Ok(Next::Done)
}

fn get(call: &mut Caller<'_>, kind: Kind) -> Result<Next, Fault> {
    let (object, at) = (call.handled(kind)?, call.word());
    let usual = if kind == Kind::File { ERRORS_RETURN } else { FATAL };
    let number = call.own().handlers.get(&object).copied().unwrap_or(usual);
    call.set_int(at, Kind::ErrorHandler.handle(number))?;
    Ok(Next::Done)
}

/// Calls the error handler of an object. If that lets the program go on, the call itself has no error.
fn handle(call: &mut Caller<'_>, kind: Kind) -> Result<Next, Fault> {
    let (object, class) = (call.handled(kind)?, call.int()?);
    let usual = if kind == Kind::File { ERRORS_RETURN } else { FATAL };
    let handler = call.own().handlers.get(&object).copied().unwrap_or(usual);
    if let Some(procedure) = call.own().own_handlers.get(handler).copied() {
        let object = call.handle_of_object(object);
        call.own().errands.push_back(Errand::Handle { procedure, object, class });
    } else if handler != ERRORS_RETURN {
        return call.wrong(class, "the program calls the error handler");
    }
    Ok(Next::Done)
}

/// The handler stays where it is set.
fn free(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let at = call.peek();
    call.number(Kind::ErrorHandler, error::ARGUMENT)?;
    call.give_up(Kind::ErrorHandler, at)?;
    Ok(Next::Done)
}
