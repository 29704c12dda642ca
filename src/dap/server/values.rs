//! Values part by part, assignments to them, and memory.

use crate::arguments::{self, ExpressionArguments, Format, MemoryArguments, VariableArguments};
use crate::numbers::Opened;
use crate::server::Server;
use crate::wire::{Answer, Failure, Request, refuse};
use debug::{Command, Designator, FrameAt, Radix, Session, Step, ValueView};
use serde_json::{Value, json};

/// Most parts that a client gets that asks for no page.
const MOST_PARTS: u64 = 1000;
/// Most bytes of memory that a client gets at once.
const MOST_BYTES: u64 = 1 << 20;

fn radix(format: Format) -> Radix {
    if format.hex { Radix::Hex } else { Radix::Natural }
}

impl Server {
    /// The request `variables`.
    pub(crate) fn variables(&mut self, session: &mut Session, request: &Request) -> Answer {
        self.need_stopped()?;
        let wanted: VariableArguments = arguments::of(request)?;
        let (frame, opened) = self.numbers.opened(wanted.variables_reference)?;
        let radix = radix(wanted.format);
        let count = if wanted.count == 0 { MOST_PARTS } else { wanted.count };
        let (views, total) = session.within(frame, |s| match &opened {
            Opened::Group(group) => {
                let views = s.variables_of(*group, wanted.start as usize, count as usize, radix);
                Ok((views, s.count_of(*group) as u64))
            }
            Opened::Value(designator) => {
                let views = s.parts_of(designator, wanted.start, count, radix)?;
                let whole = s.value_of(designator, radix)?;
                Ok::<_, Failure>((views, whole.elements.max(whole.components)))
            }
        })??;
        let next = wanted.start.saturating_add(views.len() as u64);
        let mut shown: Vec<Value> = views.into_iter().map(|view| self.variable(frame, view)).collect();
        if wanted.count == 0 && next < total {
            let text = format!("{} more", total - next);
            shown.push(json!({ "name": "...", "value": text, "variablesReference": 0 }));
        }
        Ok(json!({ "variables": shown }))
    }

    /// A value as the protocol has it.
    fn variable(&mut self, frame: FrameAt, view: ValueView) -> Value {
        let mut shown = self.value(frame, &view);
        shown["name"] = view.name.into();
        if view.is_object {
            shown["evaluateName"] = view.designator.text().into();
        }
        let text = view.value.unwrap_or_else(|why| format!("<{why}>"));
        shown["value"] = text.into();
        shown
    }

    /// What is common to variables and results: the type, and what can be opened.
    pub(crate) fn value(&mut self, frame: FrameAt, view: &ValueView) -> Value {
        let can_open = view.elements + view.components > 0;
        let opened = Opened::Value(view.designator.clone());
        let reference = if can_open { self.numbers.of_opened(frame, opened) } else { 0 };
        let mut shown = json!({ "variablesReference": reference });
        if !view.ty.is_empty() {
            shown["type"] = view.ty.clone().into();
        }
        if view.elements > 0 {
            shown["indexedVariables"] = view.elements.into();
        }
        if view.components > 0 {
            shown["namedVariables"] = view.components.into();
        }
        if let Some(address) = view.address {
            shown["memoryReference"] = format!("{address:#x}").into();
        }
        shown
    }

    /// The part of that name of something that was opened.
    pub(crate) fn part(session: &Session, opened: &Opened, name: &str) -> Result<Designator, Failure> {
        let views = match opened {
            Opened::Group(group) => session.variables_of(*group, 0, usize::MAX, Radix::Natural),
            Opened::Value(designator) => match subscripts(name) {
                // An element has its subscripts as name, so it need not be looked for.
                Some(subscripts) => return Ok(subscripted(designator, subscripts)),
                None => session.parts_of(designator, 0, u64::MAX, Radix::Natural)?,
            },
        };
        let found = views.into_iter().find(|view| view.name == name);
        found.map_or_else(|| refuse(format!("There is no `{name}` here.")), |view| Ok(view.designator))
    }

    /// The request `setVariable`.
    pub(crate) fn set_variable(&mut self, session: &mut Session, request: &Request) -> Answer {
        self.need_stopped()?;
        let wanted: VariableArguments = arguments::of(request)?;
        let (frame, opened) = self.numbers.opened(wanted.variables_reference)?;
        let part = session.within(frame, |s| Server::part(s, &opened, &wanted.name))??;
        self.assign(session, frame, &part, &wanted.value, wanted.format)
    }

    /// The request `setExpression`.
    pub(crate) fn set_expression(&mut self, session: &mut Session, request: &Request) -> Answer {
        self.need_stopped()?;
        let wanted: ExpressionArguments = arguments::of(request)?;
        let frame = self.frame_or_focus(session, wanted.frame_id)?;
        let part = Designator::expression(wanted.expression);
        self.assign(session, frame, &part, &wanted.value, wanted.format)
    }

    fn assign(
        &mut self,
        session: &mut Session,
        frame: FrameAt,
        part: &Designator,
        value: &str,
        format: Format,
    ) -> Answer {
        let command = Command::SetVar { target: part.text(), value: value.to_owned() };
        let view = session.within(frame, |s| {
            s.execute(&command, &mut |_: &[u8]| ())?;
            s.value_of(part, radix(format))
        })??;
        let mut shown = self.value(frame, &view);
        shown["value"] = view.value.unwrap_or_default().into();
        // Other values may be parts of the same memory.
        self.tell_values();
        Ok(shown)
    }

    /// The request `readMemory`.
    pub(crate) fn read_memory(&mut self, session: &mut Session, request: &Request) -> Answer {
        self.need_stopped()?;
        let wanted: MemoryArguments = arguments::of(request)?;
        let digits = wanted.memory_reference.strip_prefix("0x");
        let Some(address) = digits.and_then(|d| u64::from_str_radix(d, 16).ok()) else {
            return refuse("That is no address.");
        };
        let address = address.wrapping_add_signed(wanted.offset);
        let bytes = session.memory(address, wanted.count.min(MOST_BYTES));
        Ok(json!({
            "address": format!("{address:#x}"),
            "data": base64(&bytes),
            "unreadableBytes": wanted.count - bytes.len() as u64,
        }))
    }
}

/// The subscripts in a name such as `(2,:)`.
fn subscripts(name: &str) -> Option<Vec<Option<i64>>> {
    let inner = name.strip_prefix('(')?.strip_suffix(')')?;
    let one = |s: &str| if s == ":" { Some(None) } else { s.parse().ok().map(Some) };
    inner.split(',').map(one).collect()
}

/// The element or section of a value with these subscripts, which are all that it has.
fn subscripted(whole: &Designator, subscripts: Vec<Option<i64>>) -> Designator {
    let mut part = whole.clone();
    if let Some(Step::Subscripts(all)) = part.steps.last()
        && all.iter().any(Option::is_none)
    {
        part.steps.pop();
    }
    part.steps.push(Step::Subscripts(subscripts));
    part
}

/// Bytes in the digits of base 64.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = (0..3).fold(0u32, |word, i| word << 8 | u32::from(chunk.get(i).copied().unwrap_or(0)));
        for i in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * i) & 63) as usize];
            out.push(if i <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_digits_of_base_64() {
        let all = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(|text| base64(text.as_bytes()));
        assert_eq!(all, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]);
    }

    #[test]
    fn names_of_elements_are_subscripts() {
        assert_eq!(subscripts("(2,:,-1)"), Some(vec![Some(2), None, Some(-1)]));
        assert_eq!((subscripts("x"), subscripts("()"), subscripts("(1")), (None, None, None));
        let row = subscripted(&Designator::expression("a"), vec![Some(2), None]);
        assert_eq!(subscripted(&row, vec![Some(2), Some(3)]).text(), "a(2,3)");
    }
}
