//! What a program does to its process by the run-time library: a copy of it (`fork`), what is done about signals, and the number
//! of the last error.
//!
//! A signal that the program catches is noted by its number. The program asks for the numbers at its statements
//! ([`symbol`] has the functions that it calls), so that its procedure runs as if it had been called there.
//!
//! Not here: the signals of C code that has crashed (`stack`), and which runs may copy their process (the command line).
#![allow(unsafe_code)] // Calls the system, and is called as C is.

use std::ffi::{c_char, c_int};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// What a function gives where no run may copy its process.
const NOT_HERE: c_int = c_int::MIN;
/// How many signals there are at most.
const SIGNALS: usize = 64;
/// Signals that mean, if nobody has sent them, that C code has crashed.
const OF_CRASHES: [c_int; 5] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGABRT];
/// Signals that end a run in order as long as the program does not mind them; a copy of the process ends at once.
const OF_THE_USER: [c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

static ERROR: AtomicI32 = AtomicI32::new(0);
static MAY_FORK: AtomicBool = AtomicBool::new(false);
static IS_COPY: AtomicBool = AtomicBool::new(false);
/// Bits of signals that have come and were not taken.
static COME: AtomicU64 = AtomicU64::new(0);
/// Bits of signals that the program catches, and of those that it does not want to know of.
static CAUGHT: AtomicU64 = AtomicU64::new(0);
static IGNORED: AtomicU64 = AtomicU64::new(0);
/// What was done about signals before the program minded them.
static BEFORE: Mutex<Vec<(c_int, Action)>> = Mutex::new(Vec::new());

#[derive(Clone, Copy)]
struct Action(libc::sigaction);

// SAFETY: it is plain data; the function that it may name is that of the process.
unsafe impl Send for Action {}

/// The function that has one of these names.
pub(crate) fn symbol(name: &str) -> Option<usize> {
    let function = match name {
        "cufemu_errno" => error_number as *const (),
        "cufemu_error_text" => error_text as *const (),
        "cufemu_fork" => fork as *const (),
        "cufemu_kill" => kill as *const (),
        "cufemu_signal_action" => set_action as *const (),
        "cufemu_signal_taken" => take as *const (),
        _ => return None,
    };
    Some(function as usize)
}

/// From now on the program may copy its process. One thread runs it, nobody runs it again, and no other runs beside it.
pub fn permit_fork() {
    MAY_FORK.store(true, Ordering::Relaxed);
}

/// Whether this process is a copy that the program has made. It has no thread but the one that runs the program.
pub fn is_copy() -> bool {
    IS_COPY.load(Ordering::Relaxed)
}

/// Whether a signal has come that the program catches and has not yet taken.
pub fn has_signal() -> bool {
    COME.load(Ordering::Relaxed) != 0
}

/// Keeps the number of an error of the system for the program.
pub fn note_error(error: &io::Error) {
    if let Some(number) = error.raw_os_error() {
        ERROR.store(number, Ordering::Relaxed);
    }
}

/// Puts the kept number where C code finds it.
pub(crate) fn show_error() {
    // SAFETY: the address is that of this thread's own number.
    unsafe { *errno() = ERROR.load(Ordering::Relaxed) };
}

/// Keeps the number that C code has left.
pub(crate) fn keep_error() {
    // SAFETY: the same.
    ERROR.store(unsafe { *errno() }, Ordering::Relaxed);
}

#[cfg(any(target_os = "linux", target_os = "emscripten", target_os = "redox"))]
unsafe fn errno() -> *mut c_int {
    // SAFETY: it may be called at any time.
    unsafe { libc::__errno_location() }
}

#[cfg(any(target_os = "macos", target_os = "ios", target_os = "freebsd"))]
unsafe fn errno() -> *mut c_int {
    // SAFETY: it may be called at any time.
    unsafe { libc::__error() }
}

#[cfg(any(target_os = "android", target_os = "netbsd", target_os = "openbsd"))]
unsafe fn errno() -> *mut c_int {
    // SAFETY: it may be called at any time.
    unsafe { libc::__errno() }
}

/// What has happened to a signal that says that C code has crashed, as its handler is told: whether somebody has sent it to a program
/// that catches or ignores it. Then it is noted here.
pub(crate) fn was_sent(signal: c_int, code: c_int) -> bool {
    let bit = bit(signal);
    if code > 0 || (CAUGHT.load(Ordering::Relaxed) | IGNORED.load(Ordering::Relaxed)) & bit == 0 {
        return false;
    }
    COME.fetch_or(bit & CAUGHT.load(Ordering::Relaxed), Ordering::Relaxed);
    true
}

fn bit(signal: c_int) -> u64 {
    1 << ((signal - 1) & 63)
}

/// Where this thread has the number of the last error.
#[cfg(target_os = "linux")]
pub(crate) fn error_address() -> u64 {
    // SAFETY: only the address is taken.
    unsafe { errno() as u64 }
}

/// The program has set the number.
#[cfg(target_os = "linux")]
pub(crate) fn set_error_number(number: c_int) {
    ERROR.store(number, Ordering::Relaxed);
}

pub(crate) extern "C" fn error_number() -> c_int {
    ERROR.load(Ordering::Relaxed)
}

/// The text of an error's number, with a zero behind it.
unsafe extern "C" fn error_text(number: c_int, text: *mut c_char, bytes: usize) -> c_int {
    // SAFETY: the caller says that there are so many bytes.
    unsafe { libc::strerror_r(number, text, bytes) }
}

/// As C's `kill`; but a signal that a process sends itself has come when this returns, though the process has several threads.
extern "C" fn kill(process: c_int, signal: c_int) -> c_int {
    // SAFETY: signals may be sent at any time.
    unsafe { if process == libc::getpid() && signal != 0 { libc::raise(signal) } else { libc::kill(process, signal) } }
}

/// As C's `fork`, but the negative number of the error if there is one.
extern "C" fn fork() -> c_int {
    if !MAY_FORK.load(Ordering::Relaxed) {
        return NOT_HERE;
    }
    // SAFETY: the copy has this thread only; it starts no other before it has ended, and ends without the others.
    match unsafe { libc::fork() } {
        -1 => -last_error(),
        0 => {
            IS_COPY.store(true, Ordering::Relaxed);
            COME.store(0, Ordering::Relaxed);
            let minded = CAUGHT.load(Ordering::Relaxed) | IGNORED.load(Ordering::Relaxed);
            for signal in OF_THE_USER.into_iter().filter(|&signal| minded & bit(signal) == 0) {
                // SAFETY: the system's own action.
                unsafe { libc::signal(signal, libc::SIG_DFL) };
            }
            0
        }
        child => child,
    }
}

fn last_error() -> c_int {
    io::Error::last_os_error().raw_os_error().unwrap_or(libc::EINVAL)
}

/// What is done about a signal from now on: what would be without the program (0), nothing (1), or the program asks for it (2). Gives 0,
/// or the negative number of the error.
extern "C" fn set_action(signal: c_int, what: c_int) -> c_int {
    if signal < 1 || signal as usize > SIGNALS {
        return -libc::EINVAL;
    }
    let bit = bit(signal);
    let set = |bits: &AtomicU64, is_set: bool| {
        if is_set {
            bits.fetch_or(bit, Ordering::Relaxed)
        } else {
            bits.fetch_and(!bit, Ordering::Relaxed)
        };
    };
    if !OF_CRASHES.contains(&signal)
        && let Err(number) = change(signal, what)
    {
        return -number;
    }
    set(&CAUGHT, what == 2);
    set(&IGNORED, what == 1);
    if what != 2 {
        set(&COME, false);
    }
    0
}

fn change(signal: c_int, what: c_int) -> Result<(), c_int> {
    let mut before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner);
    let known = before.iter().find(|(number, _)| *number == signal).map(|(_, action)| *action);
    // SAFETY: zeros are a valid action; what the handler does may be done at any time.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        match (what, known) {
            (0, None) => return Ok(()),
            (0, Some(Action(known))) => action = known,
            (1, _) => action.sa_sigaction = libc::SIG_IGN,
            // Calls that wait are to end, so that the program hears of it.
            _ => action.sa_sigaction = come as *const () as usize,
        }
        let mut old: libc::sigaction = std::mem::zeroed();
        if libc::sigaction(signal, &raw const action, &raw mut old) != 0 {
            return Err(last_error());
        }
        if known.is_none() {
            before.push((signal, Action(old)));
        }
    }
    Ok(())
}

/// A signal that the program catches has come.
extern "C" fn come(signal: c_int) {
    COME.fetch_or(bit(signal), Ordering::Relaxed);
}

/// The number of a signal that has come, which is taken; 0 if none has.
extern "C" fn take() -> c_int {
    let come = COME.load(Ordering::Relaxed);
    if come == 0 {
        return 0;
    }
    let number = come.trailing_zeros() as c_int + 1;
    COME.fetch_and(!bit(number), Ordering::Relaxed);
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_that_is_caught_is_taken_once_and_one_that_is_ignored_never() {
        // SAFETY: the signals are caught or ignored.
        let sent = |signal| unsafe { libc::raise(signal) };
        assert_eq!((set_action(libc::SIGUSR1, 2), set_action(libc::SIGUSR2, 1)), (0, 0));
        sent(libc::SIGUSR1);
        sent(libc::SIGUSR2);
        assert!(has_signal());
        assert_eq!((take(), take()), (libc::SIGUSR1, 0));
        assert_eq!((set_action(libc::SIGKILL, 2), set_action(0, 1)), (-libc::EINVAL, -libc::EINVAL));
        assert_eq!((set_action(libc::SIGUSR1, 0), set_action(libc::SIGUSR2, 0)), (0, 0));
    }

    #[test]
    fn no_copy_is_made_where_none_may_be() {
        assert_eq!(fork(), NOT_HERE);
        assert!(!is_copy());
    }
}
