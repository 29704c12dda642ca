//! The values that the debugger keeps: those that `print` has shown, by number, and the user's own (`set $n = 3`).
//!
//! Not here: how an expression names them (`eval::names`).

use crate::eval::value::{Eval, Kind, Value, fail};
use crate::session::{Session, SessionError, refuse};
use crate::view::reply::{Outcome, Reply};
use std::collections::BTreeMap;

/// Most elements of an array that is kept.
pub(crate) const MOST_KEPT: u64 = 1 << 16;

/// Most digits of the number of a value.
const MOST_DIGITS: usize = 9;

/// The kept values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept {
    /// The values shown, in their order; or why there is none.
    shown: Vec<Result<Value, String>>,
    /// The user's own by name, with the dollar sign.
    named: BTreeMap<String, Value>,
}

impl Kept {
    /// Keeps a value that is shown; returns its number.
    pub(crate) fn add(&mut self, value: Result<Value, String>) -> u32 {
        self.shown.push(value);
        self.shown.len() as u32
    }

    /// Sets a value that the debugger itself gives.
    pub(crate) fn give(&mut self, name: &str, value: Value) {
        self.named.insert(name.to_owned(), value);
    }

    /// The value of a name that begins with `$`.
    fn find(&self, name: &str) -> Eval<Value> {
        let count = self.shown.len();
        let rest = name.strip_prefix('$').unwrap_or(name);
        let back = match rest.strip_prefix('$') {
            None if rest.is_empty() => Some(0),
            None => None,
            Some("") => Some(1),
            Some(n) => n.parse().ok(),
        };
        if rest.trim_start_matches('$').bytes().all(|b| b.is_ascii_digit()) && rest.len() > MOST_DIGITS {
            return fail(format!("History has not yet reached {name}."));
        }
        let number = match back {
            Some(back) if back < count => count - back,
            Some(_) => return fail("No value has been shown so early."),
            None => match rest.parse::<usize>() {
                Ok(n) => n,
                Err(_) => return self.named.get(name).cloned().map_or_else(|| fail(unknown(name)), Ok),
            },
        };
        match number.checked_sub(1).and_then(|i| self.shown.get(i)) {
            Some(Ok(value)) => Ok(value.clone()),
            Some(Err(why)) => fail(format!("The value `${number}` was not kept: {why}.")),
            None => fail(format!("History has not yet reached ${number}.")),
        }
    }
}

fn unknown(name: &str) -> String {
    match name {
        "$pc" | "$sp" | "$fp" | "$rip" | "$rsp" => {
            format!("There is no register `{name}`: \"frame\" and \"info line\" say where the program is.")
        }
        _ => format!("`{name}` has no value; \"set {name} = EXPRESSION\" gives it one."),
    }
}

impl Session {
    /// The value of a name that begins with `$`.
    pub(crate) fn kept_value(&self, name: &str) -> Eval<Value> {
        match (name, self.process.over()) {
            ("$bpnum", _) => Ok(Value::int4(i64::from(self.latest_breakpoint()))),
            ("$_exitcode", Some(code)) => Ok(Value::int4(i64::from(code))),
            _ => self.kept.find(name),
        }
    }

    /// The command `set $NAME = EXPRESSION`.
    pub(crate) fn set_kept(&mut self, name: &str, text: &str) -> Result<Outcome, SessionError> {
        let is_name = name[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name[1..].bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if !is_name || matches!(name, "$bpnum" | "$_exitcode") {
            return refuse(format!("`{name}` cannot be set; names such as `$count` can."));
        }
        let value = self.evaluated(text)?;
        let count = value.dims.iter().fold(1u64, |n, d| n.saturating_mul(d.1.max(0) as u64));
        if count > MOST_KEPT {
            return refuse(format!("An array of {count} elements is too large to be kept."));
        }
        self.kept.named.insert(name.to_owned(), value);
        self.renew_conditions()?;
        Ok(Outcome::Reply(Reply::Done))
    }

    /// The command `show`.
    pub(crate) fn show(&self, about: &str) -> Result<Outcome, SessionError> {
        let line = |name: &str, value: &Value| {
            let context = self.here();
            let text = context.and_then(|c| c.show_value(value.clone(), crate::command::Radix::Natural));
            format!("{name} = {}\n", text.unwrap_or_else(|why| format!("<{}>", why.0)))
        };
        let text: String = match about {
            "values" => {
                let numbered = self.kept.shown.iter().enumerate();
                numbered
                    .map(|(i, value)| match value {
                        Ok(value) => line(&format!("${}", i + 1), value),
                        Err(why) => format!("${} = <{why}>\n", i + 1),
                    })
                    .collect()
            }
            "convenience" | "conv" => self.kept.named.iter().map(|(name, value)| line(name, value)).collect(),
            "listsize" => format!("\"list\" shows {} lines.\n", self.list_size),
            "print elements" => match self.most_shown {
                u32::MAX => "All elements of an array are shown.\n".to_owned(),
                most => format!("At most {most} elements of an array are shown.\n"),
            },
            "version" => format!("cufemu {}\n", env!("CARGO_PKG_VERSION")),
            "args" => format!("The program starts with these arguments: \"{}\".\n", self.arguments),
            _ if crate::command::is_setting(about) => format!("The setting \"{about}\" changes nothing here.\n"),
            _ => {
                return refuse(
                    "\"show\" must be followed by values, convenience, listsize, print elements, user, args or version.",
                );
            }
        };
        Ok(Outcome::Reply(Reply::Text(if text.is_empty() { "There are none.\n".to_owned() } else { text })))
    }

    /// Whether an expression of a script is true: a logical, or a number that is not zero.
    pub(crate) fn is_true(&self, text: &str) -> Result<bool, SessionError> {
        let value = self.evaluated(text)?;
        match (value.kind, value.dims.is_empty()) {
            (Kind::Logical(_), true) => Ok(value.word_at(0) & 1 != 0),
            (Kind::Int(_), true) => Ok(value.word_at(0) != 0),
            (Kind::Real(ty), true) => Ok(text::real_value(ty, value.word_at(0)) != 0.0),
            _ => refuse(format!("`{text}` is neither a logical nor a number.")),
        }
    }
}
