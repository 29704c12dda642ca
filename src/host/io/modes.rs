//! The changeable modes of a connection (Fortran 2018, 12.5.2) by the names and values that Fortran gives them: OPEN sets them
//! for a unit, READ and WRITE for themselves.

use crate::condition::Condition;
use text::{Blank, Decimal, Delim, Modes, Round, Sign};

/// The modes that options 8 to 13 of `io.option` set.
pub(crate) const MODES: [&str; 6] = ["sign", "round", "decimal", "blank", "delim", "pad"];

/// The error of a specifier whose value is none of its values.
pub(crate) fn bad(key: &str, value: &str) -> Condition {
    Condition::Error(201, format!("`{value}` is not a value of `{key}=`"))
}

/// What a word stands for.
pub(crate) fn choose<T: Copy>(value: &str, table: &[(&str, T)]) -> Option<T> {
    table.iter().find(|(name, _)| *name == value).map(|&(_, v)| v)
}

/// Sets the mode that a specifier is about; false if it is about none.
pub(crate) fn set_mode(modes: &mut Modes, key: &str, value: &str) -> Result<bool, Condition> {
    let lower = value.trim().to_ascii_lowercase();
    let bad = || bad(key, value.trim());
    match key {
        "sign" => {
            let table = [("plus", Sign::Plus), ("suppress", Sign::Suppress), ("processor_defined", Sign::Processor)];
            modes.sign = choose(&lower, &table).ok_or_else(bad)?;
        }
        "round" => {
            let table = [
                ("up", Round::Up),
                ("down", Round::Down),
                ("zero", Round::Zero),
                ("nearest", Round::Nearest),
                ("compatible", Round::Compatible),
                ("processor_defined", Round::Processor),
            ];
            modes.round = choose(&lower, &table).ok_or_else(bad)?;
        }
        "decimal" => {
            let table = [("point", Decimal::Point), ("comma", Decimal::Comma)];
            modes.decimal = choose(&lower, &table).ok_or_else(bad)?;
        }
        "blank" => modes.blank = choose(&lower, &[("null", Blank::Null), ("zero", Blank::Zero)]).ok_or_else(bad)?,
        "delim" => {
            let table = [("none", Delim::None), ("apostrophe", Delim::Apostrophe), ("quote", Delim::Quote)];
            modes.delim = choose(&lower, &table).ok_or_else(bad)?;
        }
        "pad" => modes.pad = choose(&lower, &[("yes", true), ("no", false)]).ok_or_else(bad)?,
        _ => return Ok(false),
    }
    Ok(true)
}
