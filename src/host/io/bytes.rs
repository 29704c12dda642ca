//! Bytes of a unit one by one, without its records, and its position as a number of bytes: what FGETC, FPUTC, FTELL and FSEEK
//! of the portability library do.
//!
//! Not here: stream access, whose statements are those of `input` and `output`.

use crate::condition::{Condition, OTHER};
use crate::io::IoService;
use crate::io::file::File;
use crate::io::unit::{Medium, Unit};
use crate::outside::{Answer, Ask};
use crate::protocol::Halt;
use text::Place;

/// What a unit without a byte gives: it is at its end, or not connected.
const NONE: i64 = -1;

impl IoService<'_> {
    /// `io.byte`: the byte, the position or 0; [`NONE`]; or 0 minus the number of an error.
    pub(crate) fn byte(&mut self, unit: i64, what: i32, value: i64) -> Result<i64, Halt> {
        if what == 6 {
            return self.write_all();
        }
        let number = i32::try_from(unit).unwrap_or(i32::MIN);
        if !self.io.units.map.contains_key(&number) {
            return Ok(NONE);
        }
        let done = match what {
            0 => self.next_byte(number),
            1 => self.put_byte(number, value as u8),
            _ => self.seek(number, what, value),
        };
        match done {
            Err(Halt::Condition(Condition::Error(error, _))) => Ok(-i64::from(error)),
            Err(Halt::Condition(_)) => Ok(NONE),
            done => done,
        }
    }

    /// Writes what waits of all units; gives 0, or 0 minus the number of an error.
    fn write_all(&mut self) -> Result<i64, Halt> {
        let numbers: Vec<i32> = self.io.units.map.keys().copied().collect();
        for number in numbers {
            match self.sync(number) {
                Err(Halt::Condition(Condition::Error(error, _))) => return Ok(-i64::from(error)),
                done => done?,
            }
        }
        Ok(0)
    }

    fn next_byte(&mut self, number: i32) -> Result<i64, Halt> {
        self.read_pipe(number)?;
        loop {
            let Some(unit) = self.io.units.map.get_mut(&number) else { return Ok(NONE) };
            if !unit.reads {
                return Err(Condition::Error(OTHER, "the unit is not connected for input".to_owned()).into());
            }
            unit.position = None;
            if let Some(place) = &mut unit.place {
                if let Some(&byte) = place.record.get(place.at) {
                    place.at += 1;
                    return Ok(i64::from(byte));
                }
                // Behind the record stands the end of its line, unless the file ends without one.
                let is_cut = unit.file().is_some_and(File::is_in_last_line);
                unit.place = None;
                if !is_cut {
                    return Ok(i64::from(b'\n'));
                }
            }
            match &mut unit.medium {
                Medium::File(file) => return Ok(file.take(1).first().map_or(NONE, |&byte| i64::from(byte))),
                Medium::Stdin => match self.answers.ask_once(Ask::ReadLine)? {
                    Answer::Line(Some(record)) => {
                        let unit = self.io.units.map.get_mut(&number);
                        if let Some(unit) = unit {
                            unit.place = Some(Place { record, at: 0, left: 0 });
                        }
                    }
                    _ => return Ok(NONE),
                },
                Medium::Out(_) => return Ok(NONE),
            }
        }
    }

    fn put_byte(&mut self, number: i32, byte: u8) -> Result<i64, Halt> {
        let Some(unit) = self.io.units.map.get_mut(&number) else { return Ok(NONE) };
        if !unit.writes {
            return Err(Condition::Error(204, "the unit is not connected for output".to_owned()).into());
        }
        unit.position = None;
        leave_record(unit)?;
        match &mut unit.medium {
            Medium::File(file) => file.put(&[byte])?,
            Medium::Out(stream) => {
                let stream = *stream;
                self.io.send(stream, &[byte]);
            }
            Medium::Stdin => return Ok(NONE),
        }
        Ok(0)
    }

    fn seek(&mut self, number: i32, what: i32, offset: i64) -> Result<i64, Halt> {
        self.read_pipe(number)?;
        let Some(unit) = self.io.units.map.get_mut(&number) else { return Ok(NONE) };
        leave_record(unit)?;
        let Some(file) = unit.file_mut() else { return Ok(NONE) };
        let from = match what {
            2 => return Ok(file.at as i64),
            3 => 0,
            4 => file.at,
            _ => file.len(),
        };
        let Some(at) = (from as i64).checked_add(offset).and_then(|at| usize::try_from(at).ok()) else {
            return Err(Condition::Error(OTHER, "a position before the file".to_owned()).into());
        };
        file.at = at;
        (unit.position, unit.is_past_end, unit.is_ended) = (None, false, false);
        Ok(0)
    }
}

/// Leaves the record that a statement without advance is in: from here on the position of the file is that of the unit.
fn leave_record(unit: &mut Unit) -> Result<(), Condition> {
    unit.is_record_open = false;
    let rest = std::mem::take(&mut unit.rest);
    let place = unit.place.take();
    let Some(file) = unit.file_mut() else { return Ok(()) };
    if let Some(place) = place {
        let line_end = usize::from(!file.is_in_last_line());
        file.at = file.at.saturating_sub(place.record.len().saturating_sub(place.at) + line_end);
    }
    file.put(&rest)
}
