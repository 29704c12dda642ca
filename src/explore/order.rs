//! An order: who goes on at which point of a launch. It has a text form, for command lines.

use crate::trace::Part;
use std::collections::BTreeMap;
use std::fmt;
use std::iter::Peekable;
use std::str::Chars;

/// A place of a launch where another part of it goes on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Switch {
    /// How many points of the launch come before.
    pub at: u64,
    /// The block, by its linear index from 0.
    pub block: u64,
    /// The warp in it.
    pub warp: u32,
    /// A lane of the part.
    pub lane: u32,
    /// For how many points it goes on even if it polls.
    pub hold: u64,
    /// If the next operation is an atomic: the lanes that come first in it, in this order.
    pub lanes: Vec<u8>,
}

/// An order: for each launch, by its number in the run, where it departs from the natural order. Points go up.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Order {
    launches: BTreeMap<u64, Vec<Switch>>,
    /// Of several ranks: which of the messages that it could take each receive from any rank takes.
    messages: Vec<u32>,
    /// Commands that are put off.
    holds: Vec<Hold>,
}

/// A command of a stream that is put off, so that something comes first that is in no order with it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Hold {
    /// The command, by its number in the run.
    pub command: u64,
    /// The command that comes first; without one it is the host, up to where it waits.
    pub until: Option<u64>,
}

impl Order {
    /// The natural order with these departures in one launch; those of launches before it are kept, later ones are dropped.
    #[must_use]
    pub fn with(&self, launch: u64, switches: Vec<Switch>) -> Order {
        let mut launches: BTreeMap<u64, Vec<Switch>> =
            self.launches.range(..launch).map(|(&number, switches)| (number, switches.clone())).collect();
        launches.insert(launch, switches);
        Order { launches, ..Order::default() }
    }

    /// The order of messages that these choices stand for.
    pub fn of_messages(messages: &[u32]) -> Order {
        Order { messages: messages.to_vec(), ..Order::default() }
    }

    /// The order in which these commands are put off.
    pub fn of_holds(holds: &[Hold]) -> Order {
        Order { holds: holds.to_vec(), ..Order::default() }
    }

    /// The commands that are put off.
    pub fn holds(&self) -> &[Hold] {
        &self.holds
    }

    /// The choices of messages.
    pub fn messages(&self) -> &[u32] {
        &self.messages
    }

    /// Whether it departs from the natural order in a launch.
    pub fn has_launches(&self) -> bool {
        !self.launches.is_empty()
    }

    /// The departures in a launch.
    pub fn launch(&self, number: u64) -> &[Switch] {
        self.launches.get(&number).map_or(&[], Vec::as_slice)
    }

    /// Reads the text form.
    ///
    /// # Errors
    /// A sentence about how an order is written.
    pub fn parse(text: &str) -> Result<Order, String> {
        let bad = || "an order is written as cufemu prints it, such as `order:1:5=2+3` or `order:`".to_owned();
        let mut launches = BTreeMap::new();
        let (mut messages, mut holds) = (Vec::new(), Vec::new());
        for of_launch in text.split('/').filter(|part| !part.is_empty()) {
            let (number, list) = of_launch.split_once(':').ok_or_else(bad)?;
            if number == "m" {
                let choices: Result<Vec<u32>, _> = list.split('.').map(str::parse).collect();
                messages = choices.map_err(|_| bad())?;
                continue;
            }
            if number == "c" {
                let all: Option<Vec<Hold>> = list.split(',').map(hold).collect();
                holds = all.ok_or_else(bad)?;
                continue;
            }
            let number: u64 = number.parse().map_err(|_| bad())?;
            let switches: Option<Vec<Switch>> = list.split(',').map(switch).collect();
            let switches = switches.ok_or_else(bad)?;
            if switches.windows(2).any(|pair| pair[0].at > pair[1].at) || launches.insert(number, switches).is_some() {
                return Err(bad());
            }
        }
        Ok(Order { launches, messages, holds })
    }
}

/// Reads `COMMAND-COMMAND` or `COMMAND-h`.
fn hold(text: &str) -> Option<Hold> {
    let (command, until) = text.split_once('-')?;
    let until = if until == "h" { None } else { Some(until.parse().ok()?) };
    Some(Hold { command: command.parse().ok()?, until })
}

/// Reads `AT=BLOCK[.WARP[.LANE]][+HOLD][pLANE.LANE...]`.
fn switch(text: &str) -> Option<Switch> {
    let mut rest = text.chars().peekable();
    let at = number(&mut rest)?;
    if rest.next() != Some('=') {
        return None;
    }
    let block = number(&mut rest)?;
    let mut found = Switch { at, block, warp: 0, lane: 0, hold: 0, lanes: Vec::new() };
    if rest.next_if_eq(&'.').is_some() {
        found.warp = number(&mut rest)?.try_into().ok()?;
        if rest.next_if_eq(&'.').is_some() {
            found.lane = number(&mut rest).filter(|&lane| lane < 32)? as u32;
        }
    }
    if rest.next_if_eq(&'+').is_some() {
        found.hold = number(&mut rest)?;
    }
    if rest.next_if_eq(&'p').is_some() {
        found.lanes.push(number(&mut rest).filter(|&lane| lane < 32)? as u8);
        while rest.next_if_eq(&'.').is_some() {
            found.lanes.push(number(&mut rest).filter(|&lane| lane < 32)? as u8);
        }
    }
    rest.next().is_none().then_some(found)
}

fn number(rest: &mut Peekable<Chars<'_>>) -> Option<u64> {
    let mut digits = String::new();
    while let Some(digit) = rest.next_if(char::is_ascii_digit) {
        digits.push(digit);
    }
    digits.parse().ok()
}

impl fmt::Display for Switch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.at, self.block)?;
        match (self.warp, self.lane) {
            (0, 0) => {}
            (warp, 0) => write!(f, ".{warp}")?,
            (warp, lane) => write!(f, ".{warp}.{lane}")?,
        }
        if self.hold > 0 {
            write!(f, "+{}", self.hold)?;
        }
        for (i, lane) in self.lanes.iter().enumerate() {
            write!(f, "{}{lane}", if i == 0 { 'p' } else { '.' })?;
        }
        Ok(())
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts: Vec<String> = Vec::new();
        for (number, switches) in self.launches.iter().filter(|(_, switches)| !switches.is_empty()) {
            parts.push(format!("{number}:{}", switches.iter().map(Switch::to_string).collect::<Vec<_>>().join(",")));
        }
        if !self.holds.is_empty() {
            parts.push(format!("c:{}", self.holds.iter().map(Hold::to_string).collect::<Vec<_>>().join(",")));
        }
        if !self.messages.is_empty() {
            parts.push(format!("m:{}", self.messages.iter().map(u32::to_string).collect::<Vec<_>>().join(".")));
        }
        write!(f, "order:{}", parts.join("/"))
    }
}

impl fmt::Display for Hold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.until {
            Some(until) => write!(f, "{}-{until}", self.command),
            None => write!(f, "{}-h", self.command),
        }
    }
}

impl Switch {
    /// A switch to a part, which goes on for so many points even if it polls.
    pub(crate) fn to(at: u64, part: Part, hold: u64) -> Switch {
        let Part { block, warp, mask } = part;
        Switch { at, block, warp, lane: mask.trailing_zeros() & 31, hold, lanes: Vec::new() }
    }
}
