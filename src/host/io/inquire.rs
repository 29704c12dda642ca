//! INQUIRE (Fortran 2018, 12.10): what is known of a unit or of a file.
//!
//! Numbers and truth values are asked for by a code, texts by the specifier's own name. What is not connected is `UNDEFINED`,
//! and what may be done with it `UNKNOWN`, as the standard has them.

use crate::FileStatus;
use crate::io::IoService;
use crate::io::unit::{Access, Medium, Unit};
use crate::protocol::Halt;
use text::{Blank, Decimal, Delim, Round, Sign};

/// The greatest record length where the program gave none.
const NO_LIMIT: i64 = i32::MAX as i64;

impl IoService<'_> {
    /// `io.inquire`: whether a file exists (0), a unit or file is connected (1), the unit that a file is connected to (2), the
    /// file's bytes (3), the record length (4), the next record of a direct file (5), the position in a stream file (6),
    /// whether the file has a name (7), whether a transfer is pending (8), or `iostat` (9).
    pub(crate) fn inquire(&mut self, unit: i64, path: Option<&str>, what: i32) -> Result<i64, Halt> {
        let (number, status) = self.inquired(unit, path)?;
        let connected = number.and_then(|n| self.io.units.map.get(&n));
        let file = connected.and_then(Unit::file);
        let there = status.filter(|s| s.kind.is_some());
        Ok(match (what, path) {
            (0, Some(_)) => i64::from(number.is_some() || there.is_some()),
            (0, None) => i64::from((0..=i64::from(i32::MAX)).contains(&unit) || number.is_some()),
            (1, _) => i64::from(number.is_some()),
            (3, _) => file.map(|f| f.len() as i64).or(there.map(|s| s.bytes as i64)).unwrap_or(-1),
            (4, _) => match connected {
                None => -1,
                Some(u) if u.access == Access::Stream => -2,
                Some(u) => u.recl.map_or(NO_LIMIT, |n| n as i64),
            },
            (5, _) => match (connected, file) {
                (Some(u), Some(f)) if u.access == Access::Direct => u.recl.map_or(0, |n| (f.at / n.max(1)) as i64 + 1),
                _ => 0,
            },
            (6, _) => match (connected, file) {
                (Some(u), Some(_)) if u.access == Access::Stream => u.stands_at() as i64 + 1,
                _ => 0,
            },
            (7, Some(_)) => 1,
            // Only a scratch file has no name.
            (7, None) => i64::from(connected.is_some() && file.is_none_or(|f| !f.path.is_empty())),
            // Transfers are complete when their statement is.
            (8, _) => 0,
            // `iostat_inquire_internal_unit`, nvfortran's number.
            (9, None) if self.is_internal_number(unit) => 99,
            (9, _) => 0,
            _ => number.map_or(-1, i64::from),
        })
    }

    /// `io.inquire_text`: the answer to a specifier whose answer is a text.
    pub(crate) fn inquire_text(&mut self, unit: i64, path: Option<&str>, specifier: &str) -> Result<String, Halt> {
        let connected = self.inquired(unit, path)?.0.and_then(|n| self.io.units.map.get(&n));
        let yes_or_no = |is: fn(&Unit) -> bool| match connected {
            None => "UNKNOWN",
            Some(u) if is(u) => "YES",
            Some(_) => "NO",
        };
        let known = |of: fn(&Unit) -> &'static str| connected.map_or("UNDEFINED", of);
        // Modes of text have no meaning on an unformatted connection.
        let mode = |of: fn(&Unit) -> &'static str| connected.filter(|u| u.formatted).map_or("UNDEFINED", of);
        let answer = match specifier {
            "name" => {
                let own = connected.map(|u| match &u.medium {
                    Medium::File(file) => file.path.clone(),
                    Medium::Stdin => "stdin".to_owned(),
                    Medium::Out(_) => "stdout".to_owned(),
                });
                return Ok(own.or_else(|| path.map(|p| p.trim_end().to_owned())).unwrap_or_default());
            }
            "access" => known(|u| match u.access {
                Access::Sequential => "SEQUENTIAL",
                Access::Direct => "DIRECT",
                Access::Stream => "STREAM",
            }),
            "action" => known(|u| match (u.reads, u.writes) {
                (true, false) => "READ",
                (false, _) => "WRITE",
                (true, true) => "READWRITE",
            }),
            "form" => known(|u| if u.formatted { "FORMATTED" } else { "UNFORMATTED" }),
            "asynchronous" => known(|u| if u.is_asynchronous { "YES" } else { "NO" }),
            "position" => known(|u| match (u.access, u.file()) {
                (Access::Direct, _) => "UNDEFINED",
                (_, Some(_)) if u.position.is_some() => u.position.unwrap_or_default(),
                (_, Some(f)) if f.at == 0 && u.rest.is_empty() && !u.is_record_open => "REWIND",
                (_, Some(f)) if f.at >= f.len() => "APPEND",
                _ => "ASIS",
            }),
            "formatted" => yes_or_no(|u| u.formatted),
            "unformatted" => yes_or_no(|u| !u.formatted),
            "sequential" => yes_or_no(|u| u.access == Access::Sequential),
            "direct" => yes_or_no(|u| u.access == Access::Direct),
            "stream" => yes_or_no(|u| u.access == Access::Stream),
            "read" => yes_or_no(|u| u.reads),
            "write" => yes_or_no(|u| u.writes),
            "readwrite" => yes_or_no(|u| u.reads && u.writes),
            "blank" => mode(|u| match u.modes.blank {
                Blank::Null => "NULL",
                Blank::Zero => "ZERO",
            }),
            "delim" => mode(|u| match u.modes.delim {
                Delim::None => "NONE",
                Delim::Apostrophe => "APOSTROPHE",
                Delim::Quote => "QUOTE",
            }),
            "pad" => mode(|u| if u.modes.pad { "YES" } else { "NO" }),
            "decimal" => mode(|u| match u.modes.decimal {
                Decimal::Point => "POINT",
                Decimal::Comma => "COMMA",
            }),
            "round" => mode(|u| match u.modes.round {
                Round::Up => "UP",
                Round::Down => "DOWN",
                Round::Zero => "ZERO",
                Round::Nearest => "NEAREST",
                Round::Compatible | Round::Unset => "COMPATIBLE",
                Round::Processor => "PROCESSOR_DEFINED",
            }),
            "sign" => mode(|u| match u.modes.sign {
                Sign::Plus => "PLUS",
                Sign::Suppress => "SUPPRESS",
                Sign::Processor => "PROCESSOR_DEFINED",
            }),
            "encoding" => connected.map_or("UNKNOWN", |u| match (u.formatted, u.is_utf8) {
                (false, _) => "UNDEFINED",
                (true, false) => "DEFAULT",
                (true, true) => "UTF-8",
            }),
            "convert" => connected.map_or("UNKNOWN", |u| match u.file() {
                Some(file) if file.swaps => "BIG_ENDIAN",
                _ => "LITTLE_ENDIAN",
            }),
            _ => "UNKNOWN",
        };
        Ok(answer.to_owned())
    }

    /// The connected unit that is asked about, and the file, if one is.
    fn inquired(&mut self, unit: i64, path: Option<&str>) -> Result<(Option<i32>, Option<FileStatus>), Halt> {
        Ok(match path {
            Some(path) => {
                let status = self.file_status(path.trim_end())?;
                (self.io.units.connected_to(&status.path), Some(status))
            }
            None => (i32::try_from(unit).ok().filter(|n| self.io.units.map.contains_key(n)), None),
        })
    }
}
