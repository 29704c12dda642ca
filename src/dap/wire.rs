//! Messages and their framing: a header with the number of bytes, then JSON.
//!
//! Invariant: whatever bytes come in, reading ends in a message, in a [`Incoming::Broken`] or at the end of the stream.

use serde_json::{Value, json};
use std::io::{BufRead, Read, Write};

/// Most bytes of a message; a client that sends more is not one.
const MOST_BYTES: usize = 64 << 20;
/// Most bytes of a line of the header.
const MOST_HEADER: u64 = 1 << 12;

/// A request of the client.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Request {
    /// Its number.
    pub(crate) seq: i64,
    /// Its name.
    pub(crate) command: String,
    /// Its arguments; null if it has none.
    pub(crate) arguments: Value,
}

/// What has come in.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Incoming {
    /// A request.
    Request(Request),
    /// The answer to a request of ours: its number, and why it failed if it did.
    Response(i64, Option<String>),
    /// Something else: its number if it has one, and what is wrong with it.
    Broken(i64, String),
}

/// Reads a message; `None` at the end of the stream.
pub(crate) fn read(input: &mut impl BufRead) -> std::io::Result<Option<Incoming>> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        if input.take(MOST_HEADER).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.trim().eq_ignore_ascii_case("Content-Length")
        {
            length = Some(value.trim().parse::<usize>().ok());
        }
    }
    let length = match length {
        Some(Some(length)) if length <= MOST_BYTES => length,
        Some(Some(_)) => {
            return Err(std::io::Error::other(format!("a message of more than {} MiB", MOST_BYTES >> 20)));
        }
        Some(None) => return Ok(Some(Incoming::Broken(0, "the header has a bad Content-Length".to_owned()))),
        None => return Ok(Some(Incoming::Broken(0, "the header has no Content-Length".to_owned()))),
    };
    let mut body = vec![0; length];
    match input.read_exact(&mut body) {
        Ok(()) => Ok(Some(message(&body))),
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

fn message(body: &[u8]) -> Incoming {
    let mut value: Value = match serde_json::from_slice(body) {
        Ok(value) => value,
        Err(error) => return Incoming::Broken(0, format!("the message is not JSON: {error}")),
    };
    let seq = value["seq"].as_i64().unwrap_or(0);
    match (value["type"].as_str(), value["command"].as_str()) {
        (Some("request"), Some(command)) => {
            let command = command.to_owned();
            Incoming::Request(Request { seq, command, arguments: value["arguments"].take() })
        }
        (Some("response"), _) if value["request_seq"].is_i64() => {
            let why = value["message"].as_str().unwrap_or("no reason is given").to_owned();
            let number = value["request_seq"].as_i64().unwrap_or(0);
            Incoming::Response(number, (value["success"] != true).then_some(why))
        }
        (Some("request"), None) => Incoming::Broken(seq, "the request has no command".to_owned()),
        _ => Incoming::Broken(seq, "the message is not a request".to_owned()),
    }
}

/// Why a request failed: one sentence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Failure {
    pub(crate) message: String,
    /// Whether the client should show it, because the user asked for something.
    pub(crate) is_shown: bool,
}

impl From<debug::SessionError> for Failure {
    fn from(error: debug::SessionError) -> Failure {
        Failure { message: error.0, is_shown: false }
    }
}

/// A failure with this sentence.
pub(crate) fn refuse<T>(message: impl Into<String>) -> Result<T, Failure> {
    Err(Failure { message: message.into(), is_shown: false })
}

/// The answer to a request.
pub(crate) type Answer = Result<Value, Failure>;

/// The client's end for messages.
pub(crate) struct Client {
    out: Box<dyn Write>,
    seq: i64,
    /// Whether it has stopped listening.
    is_lost: bool,
}

impl Client {
    /// A client that reads from `out`.
    pub(crate) fn new(out: impl Write + 'static) -> Client {
        Client { out: Box::new(out), seq: 0, is_lost: false }
    }

    /// Sends an event.
    pub(crate) fn event(&mut self, name: &str, body: Value) {
        self.send(json!({ "type": "event", "event": name, "body": body }));
    }

    /// Sends a request; its number.
    pub(crate) fn ask(&mut self, command: &str, arguments: Value) -> i64 {
        self.send(json!({ "type": "request", "command": command, "arguments": arguments }));
        self.seq
    }

    /// Answers a request.
    pub(crate) fn respond(&mut self, request: &Request, answer: Answer) {
        let mut message = json!({ "type": "response", "request_seq": request.seq, "command": request.command });
        message["success"] = answer.is_ok().into();
        match answer {
            Ok(Value::Null) => {}
            Ok(body) => message["body"] = body,
            Err(failure) => {
                let error = json!({ "id": 1, "format": failure.message, "showUser": failure.is_shown });
                message["message"] = failure.message.into();
                message["body"] = json!({ "error": error });
            }
        }
        self.send(message);
    }

    fn send(&mut self, mut message: Value) {
        self.seq += 1;
        message["seq"] = self.seq.into();
        let body = message.to_string();
        let sent = write!(self.out, "Content-Length: {}\r\n\r\n{body}", body.len()).and_then(|()| self.out.flush());
        self.is_lost |= sent.is_err();
    }

    /// Whether the client has stopped listening.
    pub(crate) fn is_lost(&self) -> bool {
        self.is_lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> Vec<Incoming> {
        let mut input = bytes;
        std::iter::from_fn(|| read(&mut input).expect("no error")).collect()
    }

    #[test]
    fn messages_are_told_apart_by_their_lengths() {
        let body = r#"{"seq":1,"type":"request","command":"threads"}"#;
        let framed = format!("Content-Length: {}\r\n\r\n{body}", body.len()).repeat(2);
        let request = Request { seq: 1, command: "threads".to_owned(), arguments: Value::Null };
        assert_eq!(all(framed.as_bytes()), [Incoming::Request(request.clone()), Incoming::Request(request)]);
    }

    #[test]
    fn bytes_that_are_no_message_are_answered_or_end_the_stream() {
        let broken = |bytes: &[u8]| matches!(all(bytes).as_slice(), [Incoming::Broken(..)]);
        assert!(broken(b"Content-Length: x\r\n\r\n"));
        assert!(broken(b"Content-Type: json\r\n\r\n"));
        assert!(broken(b"content-length: 2\n\n{]"));
        assert!(broken(b"Content-Length: 4\r\n\r\nnull"));
        assert!(broken(b"Content-Length: 18\r\n\r\n{\"type\":\"request\"}"));
        assert!(broken(&[b"Content-Length: 9000\r\n\r\n".to_vec(), vec![b'['; 9000]].concat()));
        assert!(all(b"Content-Length: 400\r\n\r\n{").is_empty());
        assert!(read(&mut &b"Content-Length: 99999999999\r\n\r\n"[..]).is_err());
    }
}
