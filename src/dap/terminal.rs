//! A terminal of the editor as the standard input and output of the program.
//!
//! The adapter asks the editor to run `cufemu dap --terminal PORT` in a terminal. That process ([`relay`]) connects to the port of
//! this computer on which the adapter waits, and hands on bytes in both directions until one of the two is gone.
//!
//! Not here: asking the editor (`server`), options (the root package).

use crate::launch::Input;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};

/// Waits for the process in the terminal.
pub(crate) struct Waiting(TcpListener);

impl Waiting {
    /// Begins to wait on a port that is free.
    pub(crate) fn begin() -> std::io::Result<Waiting> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        Ok(Waiting(listener))
    }

    /// The port.
    pub(crate) fn port(&self) -> std::io::Result<u16> {
        Ok(self.0.local_addr()?.port())
    }

    /// The terminal, if its process has come; `input` gets what is typed there.
    pub(crate) fn connected(&self, input: Input) -> std::io::Result<Option<ProgramTerminal>> {
        let stream = match self.0.accept() {
            Ok((stream, _)) => stream,
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => return Ok(None),
            Err(error) => return Err(error),
        };
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        let typed = stream.try_clone()?;
        // The thread ends with the connection.
        std::thread::Builder::new().name("terminal".to_owned()).spawn(move || read_lines(typed, &input))?;
        Ok(Some(ProgramTerminal(stream)))
    }
}

/// Gives each line that is typed to the program, and then the end of its input.
fn read_lines(typed: impl Read, input: &Input) {
    let mut typed = BufReader::new(typed);
    loop {
        let mut line = Vec::new();
        match typed.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) => {
                let line = line.strip_suffix(b"\n").unwrap_or(&line);
                input.give(Some(line.strip_suffix(b"\r").unwrap_or(line)));
            }
        }
    }
    input.give(None);
}

/// The terminal that the program writes to.
pub(crate) struct ProgramTerminal(TcpStream);

impl ProgramTerminal {
    /// Shows output of the program; an error says that the terminal is gone.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.0.write_all(bytes)
    }
}

impl Drop for ProgramTerminal {
    fn drop(&mut self) {
        // The thread that reads has the connection too.
        _ = self.0.shutdown(Shutdown::Both);
    }
}

/// Hands on what is typed to the adapter on a port of this computer, and shows what comes from there, until its end.
pub fn relay(port: u16, typed: impl Read + Send + 'static, mut shown: impl Write) -> std::io::Result<()> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    stream.set_nodelay(true)?;
    let mut to = stream.try_clone()?;
    // The thread ends with the process.
    std::thread::Builder::new().name("typed".to_owned()).spawn(move || {
        let mut typed = typed;
        _ = copy(&mut typed, &mut to);
        _ = to.shutdown(Shutdown::Write);
    })?;
    copy(&mut stream, &mut shown)
}

/// Copies bytes as they come.
fn copy(from: &mut impl Read, to: &mut impl Write) -> std::io::Result<()> {
    let mut buffer = [0; 4096];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(n) => {
                to.write_all(&buffer[..n])?;
                to.flush()?;
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            // The other side has ended without a word.
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::InputLine;
    use std::time::{Duration, Instant};

    #[test]
    fn what_is_typed_in_a_terminal_arrives_and_output_is_shown() {
        let waiting = Waiting::begin().expect("a port");
        let port = waiting.port().expect("a port");
        let (shown, to_shown) = std::io::pipe().expect("a pipe");
        let relayed = std::thread::spawn(move || relay(port, &b"21\r\nlast"[..], to_shown));
        let input = Input::default();
        let begun = Instant::now();
        let mut terminal = loop {
            if let Some(terminal) = waiting.connected(input.clone()).expect("no error") {
                break terminal;
            }
            assert!(begun.elapsed() < Duration::from_secs(20), "nobody came");
            std::thread::sleep(Duration::from_millis(1));
        };
        let mut lines = Vec::new();
        while lines.last() != Some(&InputLine::End) {
            match input.read_line() {
                InputLine::Later => std::thread::sleep(Duration::from_millis(1)),
                line => lines.push(line),
            }
        }
        assert_eq!(lines, [InputLine::Typed(b"21".to_vec()), InputLine::Typed(b"last".to_vec()), InputLine::End]);
        terminal.write("é\n".as_bytes()).expect("it is there");
        drop(terminal);
        relayed.join().expect("no panic").expect("no error");
        let mut text = String::new();
        BufReader::new(shown).read_to_string(&mut text).expect("text");
        assert_eq!(text, "é\n");
    }
}
