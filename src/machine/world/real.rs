//! This computer as a program's world: standard streams, files, clocks, environment.

use crate::world::World;
use crate::world::calendar;
use crate::world::input::{EndWanted, GLANCE, Input, read_line};
use host::{Answer, Ask, CommandEnd, FileKind, FileStatus, Stream};
use mem::Region;
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Bytes that are read of a device such as /dev/zero, which has no end.
const DEVICE_BYTES: u64 = 1 << 20;

/// The world as it is.
#[derive(Debug)]
pub struct RealWorld {
    start: Instant,
    /// Why standard output took no more.
    output_error: Option<io::Error>,
    /// What ends waiting, and the input that may be waited for.
    end: Option<EndWanted>,
    input: Option<Input>,
    /// The procedures of libraries.
    libraries: Option<foreign::Caller>,
    directories: Directories,
}

/// The working directories of ranks.
#[derive(Debug, Default)]
struct Directories {
    /// That of the process before a rank began.
    first: Option<PathBuf>,
    /// The rank that goes on, and those that the others have left.
    entered: Option<usize>,
    left: BTreeMap<usize, PathBuf>,
}

impl Directories {
    fn enter(&mut self, rank: usize) {
        if self.entered == Some(rank) {
            return;
        }
        let here = std::env::current_dir().ok();
        match self.entered.replace(rank).zip(here.clone()) {
            Some((before, here)) => _ = self.left.insert(before, here),
            None => self.first.clone_from(&here),
        }
        let there = self.left.get(&rank).or(self.first.as_ref()).filter(|there| here.as_ref() != Some(there));
        // A directory that is gone by now is none to go to.
        let _ = there.map(std::env::set_current_dir);
    }
}

impl Default for RealWorld {
    fn default() -> RealWorld {
        RealWorld::new()
    }
}

impl RealWorld {
    /// The world, whose clock begins now.
    pub fn new() -> RealWorld {
        RealWorld {
            start: Instant::now(),
            output_error: None,
            end: None,
            input: None,
            libraries: None,
            directories: Directories::default(),
        }
    }

    /// The same; a program that must end does not wait for input or sleep any longer.
    pub fn ended_by(end: EndWanted) -> RealWorld {
        RealWorld { end: Some(end), ..RealWorld::new() }
    }

    /// The same with the procedures of these libraries.
    #[must_use]
    pub fn with_libraries(self, libraries: Arc<foreign::Libraries>) -> RealWorld {
        RealWorld { libraries: Some(foreign::Caller::new(libraries, out_of_reach)), ..self }
    }

    fn sleep(&self, time: Duration) -> Answer {
        let begun = Instant::now();
        while let Some(rest) = time.checked_sub(begun.elapsed()).filter(|rest| !rest.is_zero()) {
            match &self.end {
                Some(end) if end.is_wanted() => return Answer::Later,
                // As C's `sleep` does.
                _ if foreign::has_signal() => break,
                _ => std::thread::sleep(rest.min(GLANCE)),
            }
        }
        Answer::Done(Ok(()))
    }

    /// The error of standard output, if there was one: the run should end. A reader that has closed the pipe gives a broken pipe.
    pub fn output_error(&self) -> Option<&io::Error> {
        self.output_error.as_ref()
    }
}

/// What memory of the program has such an address that C code was not given.
fn out_of_reach(address: u64) -> Option<&'static str> {
    match Region::of(address)? {
        // Addresses of this process look like those of devices with large numbers.
        Region::Device(8..) => None,
        Region::Device(_) => Some("device memory, which code of the host cannot reach"),
        _ => Some("memory of the program that it was not given"),
    }
}

fn reason(error: &io::Error) -> String {
    foreign::note_error(error);
    match error.kind() {
        ErrorKind::NotFound => "there is no such file or directory".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

fn write_file(path: &str, offset: u64, bytes: &[u8], length: Option<u64>) -> io::Result<()> {
    // Others may have written to the file since it was read; only what the program wrote counts.
    let mut file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
    // Devices and pipes have neither places nor a length to set.
    if !file.metadata().is_ok_and(|m| m.is_file()) {
        return file.write_all(bytes);
    }
    file.seek(SeekFrom::Start(offset))?;
    file.write_all(bytes)?;
    length.map_or(Ok(()), |length| file.set_len(length))
}

fn write_pieces(path: &str, pieces: &[(u64, u64)], bytes: &[u8], length: Option<u64>) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
    let mut rest = bytes;
    for &(offset, bytes) in pieces {
        let (now, later) = rest.split_at((bytes as usize).min(rest.len()));
        file.seek(SeekFrom::Start(offset))?;
        file.write_all(now)?;
        rest = later;
    }
    length.map_or(Ok(()), |length| file.set_len(length))
}

fn read_pieces(path: &str, pieces: &[(u64, u64)]) -> io::Result<Vec<u8>> {
    let mut file = fs::File::open(path)?;
    let mut data = Vec::new();
    for &(offset, bytes) in pieces {
        file.seek(SeekFrom::Start(offset))?;
        if (&mut file).take(bytes).read_to_end(&mut data)? < bytes as usize {
            break;
        }
    }
    Ok(data)
}

fn read_file(path: &str) -> io::Result<Vec<u8>> {
    let mut file = fs::File::open(path)?;
    let about = file.metadata()?;
    if about.is_file() || is_pipe(&about) {
        let mut data = Vec::new();
        file.read_to_end(&mut data)?;
        return Ok(data);
    }
    let mut data = Vec::new();
    file.take(DEVICE_BYTES).read_to_end(&mut data)?;
    Ok(data)
}

/// Whether it ends when those who write to it are done.
fn is_pipe(about: &fs::Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        about.file_type().is_fifo() || about.file_type().is_socket()
    }
    #[cfg(not(unix))]
    {
        let _ = about;
        false
    }
}

fn status(path: &str) -> FileStatus {
    let about = fs::metadata(path).inspect_err(foreign::note_error).ok();
    let kind = about.as_ref().map(|about| match (about.is_file(), about.is_dir()) {
        (true, _) => FileKind::Regular,
        (_, true) => FileKind::Directory,
        _ => FileKind::Stream,
    });
    let whole = whole_path(Path::new(path)).to_string_lossy().into_owned();
    FileStatus { path: whole, kind, bytes: about.map_or(0, |about| about.len()) }
}

/// The absolute path without links, so that one file has one name, even before it exists.
fn whole_path(path: &Path) -> PathBuf {
    if let Ok(whole) = fs::canonicalize(path) {
        return whole;
    }
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match (fs::canonicalize(folder), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

/// Runs a command in the shell. It reads nothing; its output is the program's output.
fn command(text: &str, environment: &BTreeMap<String, String>) -> Option<CommandEnd> {
    let (shell, option) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    // A name that the system cannot have is none of the program's either.
    let set = environment.iter().filter(|(name, value)| !name.contains('\0') && !value.contains('\0'));
    let ended = Command::new(shell).arg(option).arg(text).envs(set).stdin(Stdio::null()).output().ok()?;
    // A command that a signal ends has no exit code.
    Some(CommandEnd { code: ended.status.code().unwrap_or(255), output: ended.stdout, errors: ended.stderr })
}

impl World for RealWorld {
    fn ask(&mut self, question: &Ask) -> Answer {
        match question {
            Ask::ReadLine => match &self.end {
                Some(end) => {
                    // A thread does not go into a copy of its process.
                    let input = self.input.take().filter(Input::is_here);
                    self.input.insert(input.unwrap_or_else(Input::new)).line(end)
                }
                None => Answer::Line(read_line()),
            },
            Ask::ReadFile { path } => Answer::File(match fs::metadata(path) {
                Err(e) if e.kind() == ErrorKind::NotFound => {
                    foreign::note_error(&e);
                    Ok(None)
                }
                Err(e) => Err(reason(&e)),
                Ok(about) if about.is_dir() => Err("it is a directory".to_owned()),
                Ok(_) => read_file(path).map(Some).map_err(|e| reason(&e)),
            }),
            Ask::FileStatus { path } => Answer::Status(status(path)),
            Ask::WriteFile { path, offset, bytes, length } => {
                Answer::Done(write_file(path, *offset, bytes, *length).map_err(|e| reason(&e)))
            }
            Ask::ReadPieces { path, pieces } => {
                Answer::File(read_pieces(path, pieces).map(Some).map_err(|e| reason(&e)))
            }
            Ask::WritePieces { path, pieces, bytes, length } => {
                Answer::Done(write_pieces(path, pieces, bytes, *length).map_err(|e| reason(&e)))
            }
            Ask::DeleteFile { path } => Answer::Done(match fs::remove_file(path) {
                Err(e) if e.kind() != ErrorKind::NotFound => Err(reason(&e)),
                _ => Ok(()),
            }),
            Ask::Clock | Ask::CpuClock => Answer::Nanoseconds(self.start.elapsed().as_nanos() as u64),
            Ask::Date => Answer::Date(calendar::date_now()),
            Ask::Environment { name } => {
                Answer::Text(std::env::var_os(name).map(|v| v.to_string_lossy().into_owned().into_bytes()))
            }
            Ask::Command { text, environment } => Answer::Command(command(text, environment)),
            Ask::Foreign(call) => Answer::Foreign(match &mut self.libraries {
                Some(libraries) => libraries.step(call),
                None => Err("there are no libraries".to_owned()),
            }),
            Ask::Turn => Answer::Done(Ok(())),
            Ask::Sleep { milliseconds } => self.sleep(Duration::from_millis(*milliseconds)),
        }
    }

    fn enter(&mut self, rank: usize) {
        self.directories.enter(rank);
    }

    fn caller(&mut self) -> Option<&mut foreign::Caller> {
        self.libraries.as_mut()
    }

    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        let done = match stream {
            Stream::Stdout => {
                let mut out = io::stdout().lock();
                out.write_all(bytes).and_then(|()| out.flush())
            }
            Stream::Stderr => io::stderr().lock().write_all(bytes),
        };
        if let (Err(error), Stream::Stdout) = (done, stream) {
            self.output_error.get_or_insert(error);
        }
    }
}
