//! Info objects: keys and values, which routines take as hints and do not use.

use super::{Routine, anywhere, row};
use crate::error::{self, Fault};
use crate::handle::Kind;
use crate::world::call::{Caller, Next};

pub(super) static ROUTINES: &[Routine] = &[
    anywhere("MPI_Info_create", |call| {
        let at = call.word();
        give(call, Info::new(), at)
    }),
    anywhere("MPI_Info_dup", |call| {
        let (_, info) = info(call)?;
        let at = call.word();
        give(call, info, at)
    }),
    anywhere("MPI_Info_create_env", create_env),
    anywhere("MPI_Info_set", set),
    anywhere("MPI_Info_get", get),
    anywhere("MPI_Info_get_string", get_string),
    anywhere("MPI_Info_delete", delete),
    anywhere("MPI_Info_get_nkeys", count),
    anywhere("MPI_Info_get_nthkey", nth),
    anywhere("MPI_Info_get_valuelen", length),
    anywhere("MPI_Info_free", free),
    row("MPI_Comm_set_info", |call| set_hints(call, Kind::Communicator)),
    row("MPI_Comm_get_info", |call| get_hints(call, Kind::Communicator)),
    row("MPI_Win_set_info", |call| set_hints(call, Kind::Window)),
    row("MPI_Win_get_info", |call| get_hints(call, Kind::Window)),
];

/// Keys and values, in the order in which the keys were set first.
pub(super) type Info = Vec<(String, String)>;

fn give(call: &mut Caller<'_>, info: Info, at: u64) -> Result<Next, Fault> {
    let number = call.own().infos.add(info);
    call.give_made(Kind::Info, number, at)?;
    Ok(Next::Done)
}

/// The number and the contents of an info object.
fn info(call: &mut Caller<'_>) -> Result<(u32, Info), Fault> {
    match call.number(Kind::Info, error::INFO)? {
        1 => Ok((1, Info::new())),
        number => match call.own().infos.get(number).cloned() {
            Some(info) => Ok((number, info)),
            None => call.wrong(error::INFO, "the info object was freed, or never made"),
        },
    }
}

impl Caller<'_> {
    /// What an info object says that is an argument and may be `MPI_INFO_NULL`.
    pub(super) fn hints(&mut self) -> Result<Info, Fault> {
        let at = self.peek();
        if self.int_at(at)? == Kind::Info.handle(0) {
            self.taken += 1;
            return Ok(Info::new());
        }
        info(self).map(|(_, info)| info)
    }
}

/// Adds hints to those that are known.
pub(super) fn merge(known: &mut Info, hints: &[(String, String)]) {
    for (key, value) in hints {
        match known.iter_mut().find(|(k, _)| k == key) {
            Some((_, old)) => old.clone_from(value),
            None => known.push((key.clone(), value.clone())),
        }
    }
}

/// The hints of a communicator or a window.
fn set_hints(call: &mut Caller<'_>, kind: Kind) -> Result<Next, Fault> {
    let (object, hints) = (call.object(kind)?, call.hints()?);
    merge(call.own().hints.entry(object).or_default(), &hints);
    Ok(Next::Done)
}

fn get_hints(call: &mut Caller<'_>, kind: Kind) -> Result<Next, Fault> {
    let (object, at) = (call.object(kind)?, call.word());
    let hints = call.own().hints.get(&object).cloned().unwrap_or_default();
    give(call, hints, at)
}

/// What is known of how the program was started.
fn create_env(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let at = call.word();
    let known = [("maxprocs", call.world.size().to_string()), ("thread_level", "MPI_THREAD_MULTIPLE".to_owned())];
    give(call, known.map(|(key, value)| (key.to_owned(), value)).into(), at)
}

fn key(call: &mut Caller<'_>) -> Result<String, Fault> {
    let key = call.text()?.trim_start().to_owned();
    if key.is_empty() || key.len() > 255 {
        return call.wrong(error::INFO_KEY, "the key is blank, or longer than `MPI_MAX_INFO_KEY`");
    }
    Ok(key)
}

fn value_of(info: &Info, key: &str) -> Option<String> {
    info.iter().find(|(k, _)| k == key).map(|(_, value)| value.clone())
}

fn set(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let ((number, _), key, value) = (info(call)?, key(call)?, call.text()?.trim_start().to_owned());
    let Some(info) = call.own().infos.get_mut(number) else {
        return call.wrong(error::INFO, "`MPI_INFO_ENV` cannot be changed");
    };
    match info.iter_mut().find(|(k, _)| *k == key) {
        Some((_, old)) => *old = value,
        None => info.push((key, value)),
    }
    Ok(Next::Done)
}

fn get(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let ((_, info), key, room) = (info(call)?, key(call)?, call.count()?);
    let value = value_of(&info, &key);
    let shown = value.as_deref().map(|value| value.as_bytes()[..value.len().min(room as usize)].to_vec());
    match shown {
        Some(shown) => call.set_plain_text(&String::from_utf8_lossy(&shown))?,
        None => call.taken += 2,
    }
    let at = call.word();
    call.set_logical(at, value.is_some())?;
    Ok(Next::Done)
}

/// The length that is an argument is that of the room for the value, and becomes that of the value.
fn get_string(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let ((_, info), key, length_at) = (info(call)?, key(call)?, call.word());
    let room = call.int_at(length_at)?;
    let value = value_of(&info, &key);
    match value.as_deref().filter(|_| room > 0) {
        Some(value) => call.set_plain_text(&value[..value.floor_char_boundary(room as usize)])?,
        None => call.taken += 2,
    }
    if let Some(value) = &value {
        call.set_int(length_at, value.len() as i32)?;
    }
    let at = call.word();
    call.set_logical(at, value.is_some())?;
    Ok(Next::Done)
}

fn delete(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let ((number, info), key) = (info(call)?, key(call)?);
    if value_of(&info, &key).is_none() {
        return call.wrong(error::NO_INFO_KEY, format!("the info object has no key `{key}`"));
    }
    if let Some(info) = call.own().infos.get_mut(number) {
        info.retain(|(k, _)| *k != key);
    }
    Ok(Next::Done)
}

fn count(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let ((_, info), at) = (info(call)?, call.word());
    call.set_int(at, info.len() as i32)?;
    Ok(Next::Done)
}

fn nth(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let ((_, info), n) = (info(call)?, call.int()?);
    let Some((key, _)) = usize::try_from(n).ok().and_then(|n| info.get(n)) else {
        return call.wrong(error::ARGUMENT, format!("there is no key {n}; the info object has {}", info.len()));
    };
    call.set_plain_text(key)?;
    Ok(Next::Done)
}

fn length(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let ((_, info), key) = (info(call)?, key(call)?);
    let (length_at, flag_at) = (call.word(), call.word());
    let value = value_of(&info, &key);
    if let Some(value) = &value {
        call.set_int(length_at, value.len() as i32)?;
    }
    call.set_logical(flag_at, value.is_some())?;
    Ok(Next::Done)
}

fn free(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let at = call.peek();
    let (number, _) = info(call)?;
    if call.own().infos.remove(number).is_none() {
        return call.wrong(error::INFO, "`MPI_INFO_ENV` cannot be freed");
    }
    call.give_up(Kind::Info, at)?;
    Ok(Next::Done)
}
