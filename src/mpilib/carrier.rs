//! Carries notes: each is a message of bytes, or several where it is longer than a count of MPI can say.
//!
//! All calls are made by the thread that connected. A message is received as soon as it is there, so that no process waits for
//! room in another one.
#![allow(unsafe_code)] // Calls functions of a library.

use crate::launch::Launch;
use crate::library::{self, ANY_TAG, FUNNELED, Loaded, Status, Word};
use mpi::{Packet, Place, Transport};
use std::collections::{BTreeMap, VecDeque};
use std::ffi::{c_char, c_int};
use std::path::Path;
use std::ptr;
use std::time::{Duration, Instant};

/// Bytes of a message. A longer note is several messages.
const MOST: usize = 1 << 30;
/// The tags of the last message of a note and of those before it.
const LAST: c_int = 0;
const MORE: c_int = 1;
/// How long a process that waits looks again and again, and then gives way to others, before it sleeps.
const SPINS: Duration = Duration::from_micros(30);
const YIELDS: Duration = Duration::from_millis(2);
const SLEEP: Duration = Duration::from_micros(100);
/// Launchers drop what processes have printed and they have not read when one of these aborts; they read it in this time.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// A message that is being sent.
struct Sending {
    request: Word,
    /// What is sent; kept until it is.
    _bytes: Vec<u8>,
    /// Parts of it that are not done.
    rest: Vec<Word>,
}

/// A message that is being received.
struct Receiving {
    source: u32,
    tag: c_int,
    request: Word,
    bytes: Vec<u8>,
    is_done: bool,
}

/// The other processes.
struct Carrier {
    loaded: Loaded,
    communicator: Word,
    place: Place,
    ranks: u32,
    sending: Vec<Sending>,
    /// In the order in which messages came.
    receiving: VecDeque<Receiving>,
    /// The beginnings of notes that are not whole, by rank.
    parts: BTreeMap<u32, Vec<u8>>,
    has_left: bool,
}

impl std::fmt::Debug for Carrier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} of {}", self.place, self.ranks)
    }
}

/// Joins the other processes of a launch, by the library that is named or the launcher's own. The error is a sentence.
pub fn connect(launch: &Launch, named: Option<&Path>) -> Result<Box<dyn Transport>, String> {
    let loaded = library::load(launch, named)?;
    let mut communicator: Word = 0;
    let (mut rank, mut ranks, mut provided) = (0, 0, 0);
    let f = loaded.functions;
    // SAFETY: these are the functions of an MPI, with the arguments that the standard says; all pointers are good.
    unsafe {
        (f.init_thread)(ptr::null_mut(), ptr::null_mut(), FUNNELED, &raw mut provided);
        (f.comm_dup)(loaded.values.world, &raw mut communicator);
        (f.comm_rank)(communicator, &raw mut rank);
        (f.comm_size)(communicator, &raw mut ranks);
    }
    let version = text(f.library_version);
    let version = version.lines().next().unwrap_or_default().split([',', '\t']).next().unwrap_or_default().to_owned();
    if ranks as u32 != launch.ranks {
        let sentence = format!(
            "the launcher has started {} ranks, but the MPI library `{}` ({}) knows of {ranks}: it is of another MPI than the \
             launcher",
            launch.ranks,
            loaded.file.display(),
            loaded.kind.name()
        );
        // SAFETY: as above.
        unsafe {
            (f.comm_free)(&raw mut communicator);
            (f.finalize)();
        }
        return Err(sentence);
    }
    let computer = text(f.processor_name);
    let node = number(&computer);
    let place = Place { rank: rank as u32, computer, node, carrier: version };
    Ok(Box::new(Carrier {
        loaded,
        communicator,
        place,
        ranks: ranks as u32,
        sending: Vec::new(),
        receiving: VecDeque::new(),
        parts: BTreeMap::new(),
        has_left: false,
    }))
}

/// The text that a function gives.
fn text(function: unsafe extern "C" fn(*mut c_char, *mut c_int) -> c_int) -> String {
    // As long as the longest text of either family.
    let (mut bytes, mut length) = (vec![0u8; 8192], 0);
    // SAFETY: there is room for the text.
    unsafe { function(bytes.as_mut_ptr().cast(), &raw mut length) };
    bytes.truncate(length.max(0) as usize);
    String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_owned()
}

/// A number of a computer, not negative, by its name (FNV-1a).
fn number(name: &str) -> i32 {
    let hash = name.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    (hash >> 1) as i32
}

impl Carrier {
    fn is_done(&self, request: &mut Word) -> bool {
        let (mut flag, mut status): (c_int, Status) = (0, [0; 16]);
        // SAFETY: the request is open; the pointers are good.
        unsafe { (self.loaded.functions.test)(request, &raw mut flag, &raw mut status) };
        flag != 0
    }

    /// Begins to receive what has come, and ends what is done.
    fn progress(&mut self) {
        let (f, values) = (self.loaded.functions, self.loaded.values);
        loop {
            let (mut flag, mut message, mut status): (c_int, Word, Status) = (0, 0, [0; 16]);
            // SAFETY: the communicator is open; the pointers are good.
            unsafe {
                (f.improbe)(
                    values.any_source,
                    ANY_TAG,
                    self.communicator,
                    &raw mut flag,
                    &raw mut message,
                    &raw mut status,
                );
            }
            if flag == 0 {
                break;
            }
            let (mut count, mut request): (c_int, Word) = (0, 0);
            // SAFETY: the status is that of the message; the buffer is as long as the message and stays until it is received.
            let bytes = unsafe {
                (f.get_count)(&raw const status, values.byte, &raw mut count);
                let mut bytes = vec![0u8; count.max(0) as usize];
                (f.imrecv)(bytes.as_mut_ptr().cast(), count, values.byte, &raw mut message, &raw mut request);
                bytes
            };
            let (source, tag) = (status[values.source_at] as u32, status[values.source_at + 1]);
            self.receiving.push_back(Receiving { source, tag, request, bytes, is_done: false });
        }
        let mut receiving = std::mem::take(&mut self.receiving);
        for one in receiving.iter_mut().filter(|one| !one.is_done) {
            one.is_done = self.is_done(&mut one.request);
        }
        self.receiving = receiving;
        let mut sending = std::mem::take(&mut self.sending);
        sending.retain_mut(|one| {
            while self.is_done(&mut one.request) {
                match one.rest.pop() {
                    Some(request) => one.request = request,
                    None => return false,
                }
            }
            true
        });
        self.sending = sending;
    }

    /// The next note that is whole.
    fn next(&mut self) -> Option<(u32, Vec<u8>)> {
        loop {
            let mut earlier = Vec::new();
            let at = self.receiving.iter().position(|one| {
                let is_next = one.is_done && !earlier.contains(&one.source);
                earlier.push(one.source);
                is_next
            })?;
            let one = self.receiving.remove(at)?;
            if one.tag == MORE {
                self.parts.entry(one.source).or_default().extend(one.bytes);
                continue;
            }
            let bytes = match self.parts.remove(&one.source) {
                Some(mut parts) => {
                    parts.extend(one.bytes);
                    parts
                }
                None => one.bytes,
            };
            return Some((one.source, bytes));
        }
    }
}

impl Transport for Carrier {
    fn place(&self) -> (Place, u32) {
        (self.place.clone(), self.ranks)
    }

    fn send(&mut self, packet: Packet) {
        let (f, values) = (self.loaded.functions, self.loaded.values);
        let Packet { to, bytes } = packet;
        let mut requests = Vec::new();
        let last = bytes.len().saturating_sub(1) / MOST;
        for (i, part) in bytes.chunks(MOST).enumerate() {
            let (mut request, tag): (Word, c_int) = (0, if i == last { LAST } else { MORE });
            // SAFETY: the bytes stay where they are until the message is sent.
            unsafe {
                let at = part.as_ptr().cast();
                let (count, to) = (part.len() as c_int, to as c_int);
                (f.isend)(at, count, values.byte, to, tag, self.communicator, &raw mut request);
            }
            requests.push(request);
        }
        if let Some(request) = requests.pop() {
            self.sending.push(Sending { request, _bytes: bytes, rest: requests });
        }
    }

    fn receive(&mut self, milliseconds: u64) -> Option<(u32, Vec<u8>)> {
        let wait = Duration::from_millis(milliseconds);
        let begun = (!wait.is_zero()).then(Instant::now);
        loop {
            self.progress();
            if let Some(note) = self.next() {
                return Some(note);
            }
            let waited = begun?.elapsed();
            if waited >= wait {
                return None;
            }
            if waited < SPINS {
                std::hint::spin_loop();
            } else if waited < YIELDS {
                std::thread::yield_now();
            } else {
                std::thread::sleep(SLEEP);
            }
        }
    }

    fn abort(&mut self, code: i32) {
        std::thread::sleep(LAST_WORDS);
        // SAFETY: the library is running.
        unsafe { (self.loaded.functions.abort)(self.loaded.values.world, code) };
    }

    fn finish(&mut self) {
        if std::mem::replace(&mut self.has_left, true) {
            return;
        }
        while !self.sending.is_empty() {
            self.progress();
            std::thread::yield_now();
        }
        let f = self.loaded.functions;
        // SAFETY: nothing is open.
        unsafe {
            (f.comm_free)(&raw mut self.communicator);
            (f.finalize)();
        }
    }
}
