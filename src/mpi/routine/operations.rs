//! Operations of reductions that a program makes.

use super::{Routine, row};
use crate::basic::Basic;
use crate::collective::{Operation, Part};
use crate::errand::{Fold, Procedure};
use crate::error::{self, Fault};
use crate::handle::Kind;
use crate::layout::Layout;
use crate::reduce::Operator;
use crate::request::{Landing, Work};
use crate::world::call::{Caller, Next, wait};
use crate::world::rank::{OwnOperation, Until};
use std::sync::Arc;

pub(super) static ROUTINES: &[Routine] = &[
    row("MPI_Op_create", create),
    row("MPI_Op_free", free),
    row("MPI_Op_commutative", commutative),
    row("MPI_Reduce_local", reduce_local),
];

fn create(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (procedure, commutes, at) = (call.procedure()?, call.int()? & 1 == 1, call.word());
    let number = call.own().operations.add(OwnOperation { procedure, commutes });
    call.give_made(Kind::Operation, number, at)?;
    Ok(Next::Done)
}

fn free(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let at = call.word();
    let handle = call.int_at(at)?;
    let number = call.number_of(Kind::Operation, handle, error::OPERATION)?;
    if call.own().operations.remove(number).is_none() {
        return call.wrong(error::OPERATION, "the operation is one of MPI, or was freed before");
    }
    call.give_up(Kind::Operation, at)?;
    Ok(Next::Done)
}

fn commutative(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (number, at) = (call.number(Kind::Operation, error::OPERATION)?, call.word());
    let commutes = match (Operator::of(number), call.own().operations.get(number)) {
        (Some(_), _) => true,
        (None, Some(own)) => own.commutes,
        (None, None) => return call.wrong(error::OPERATION, "the reduction operation was freed, or never made"),
    };
    call.set_logical(at, commutes)?;
    Ok(Next::Done)
}

/// An operation as a reduction of values of a datatype takes it.
pub(super) struct Chosen {
    pub(super) operator: (Operator, Basic),
    /// Where it is one of the program: how data is combined.
    pub(super) fold: Option<Arc<Fold>>,
}

impl Chosen {
    /// A part of a rank in a reduction.
    pub(super) fn part(&self, call: &Caller<'_>) -> Part {
        Part { operator: Some(self.operator), fold: self.fold.clone(), ..call.part() }
    }
}

/// The datatype that is the next argument and the operation that is the one after it.
pub(super) fn chosen(call: &mut Caller<'_>) -> Result<(Layout, Chosen), Fault> {
    let datatype = call.int()?;
    let layout = call.layout_of(datatype)?;
    let number = call.number(Kind::Operation, error::OPERATION)?;
    if let Some(own) = call.own().operations.get(number) {
        let procedure = own.procedure;
        let fold = Some(Arc::new(Fold { procedure, datatype, layout: layout.clone() }));
        let operator = (Operator::Own(procedure.word), first_type(&layout));
        return Ok((layout, Chosen { operator, fold }));
    }
    let Some(operator) = Operator::of(number) else {
        return call.wrong(error::OPERATION, "the reduction operation was freed, or never made");
    };
    let operator = with_type(call, operator, &layout)?;
    let made = call.datatype_of(datatype)?;
    if made.recipe.is_some() && made.fixed.is_none() {
        // MPI 4.0, 6.9.2: the predefined operations take predefined datatypes.
        let reason = format!("`{}` is not defined for a datatype that the program has made", operator.0.name());
        return call.wrong(error::OPERATION, reason);
    }
    Ok((layout, Chosen { operator, fold: None }))
}

/// An operation of MPI, and the type of the values that it combines, which must be the only one of the layout.
pub(super) fn with_type(call: &Caller<'_>, operator: Operator, layout: &Layout) -> Result<(Operator, Basic), Fault> {
    let first = first_type(layout);
    if layout.runs.iter().any(|run| run.basic != first) || !operator.takes(first) {
        let reason = format!("`{}` is not defined for `{}`", operator.name(), first.name());
        return call.wrong(error::OPERATION, reason);
    }
    Ok((operator, first))
}

fn first_type(layout: &Layout) -> Basic {
    layout.runs.first().map_or(Basic::BYTE, |run| run.basic)
}

fn reduce_local(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (from, into, count) = (call.plain_buffer()?, call.plain_buffer()?, call.count()?);
    let (layout, chosen) = chosen(call)?;
    let data = |buffer| Landing { buffer, layout: layout.clone(), count };
    let (from, into) = (data(from), data(into));
    call.check_type(&into);
    let pieces = vec![call.piece(&from)?, call.piece(&into)?];
    let request = call.new_request(Work::Local { landing: into }, false);
    let rank = call.rank;
    let pieces = match &chosen.fold {
        Some(_) => pieces,
        None => Operation::local(chosen.operator, pieces),
    };
    if let Some(request) = call.own().requests.get_mut(&request) {
        (request.is_active, request.fold) = (true, chosen.fold);
    }
    call.world.set_results(rank, request, pieces, None);
    wait(Until::All(vec![request]), move |call| call.complete(request).map(drop))
}

impl Caller<'_> {
    /// A procedure of the program.
    pub(super) fn procedure(&mut self) -> Result<Procedure, Fault> {
        let (word, by_value) = (self.word(), self.word() == 1);
        if word == 0 {
            return self.wrong(error::ARGUMENT, "the procedure is absent, or a pointer that points to none");
        }
        Ok(Procedure { word, by_value })
    }
}
