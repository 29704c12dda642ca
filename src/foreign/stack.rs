//! Stacks of C: a call runs on a stack of its own, so that it can wait while the program runs a procedure that C calls.
//!
//! C gets the address of an *entry* for such a procedure. An entry notes the registers in a [`Frame`] and gives the processor
//! back to who called [`Stack::run`]; the next `run` goes on behind it. A signal that says that C has crashed gives it back too.
//! So no error and no end of the program ever unwinds through code of C.
//!
//! Not here: what the arguments mean (`call`), which entry stands for which procedure (`buffers`).
#![allow(unsafe_code)] // Switches stacks, and is entered by code that nobody has checked.

use crate::call::Arguments;
use crate::event::Event;
use crate::frame::{Frame, enter};
use crate::process;
use std::cell::Cell;
use std::ffi::c_int;
use std::ptr::{null_mut, slice_from_raw_parts};
use std::sync::Once;

/// Bytes of a stack, of which only those are taken that C uses.
const BYTES: usize = 8 << 20;
/// Bytes at its end that nobody may touch.
const GUARD: usize = 64 << 10;
/// Bytes of the code of an entry.
const ENTRY_BYTES: usize = 16;
/// How many entries there are.
pub(crate) const ENTRIES: usize = 512;

/// Which entry was called.
pub(crate) fn entry_of(frame: &Frame) -> usize {
    (frame.count as usize).wrapping_sub(entry_address(0)) / ENTRY_BYTES
}

/// What a stack and who runs it share.
struct State {
    /// The stack pointer of who runs it, while it runs.
    runner: usize,
    /// Its own, while it does not.
    own: usize,
    /// What is called.
    function: *const (),
    arguments: Arguments,
    event: Event,
}

/// A stack of C.
pub(crate) struct Stack {
    memory: *mut u8,
    state: *mut State,
}

// SAFETY: nobody else has the memory or the state, and what runs on the stack does not know on which thread it is.
unsafe impl Send for Stack {}

thread_local! {
    /// The state of the stack on which this thread runs C.
    static CURRENT: Cell<*mut State> = const { Cell::new(null_mut()) };
}

impl Stack {
    /// A stack; the reason if the system has none.
    pub(crate) fn new() -> Result<Stack, String> {
        catch_crashes();
        // SAFETY: a new mapping of memory, of which the guard is a part.
        let memory = unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_NORESERVE;
            let memory = libc::mmap(null_mut(), BYTES, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
            if memory == libc::MAP_FAILED || libc::mprotect(memory, GUARD, libc::PROT_NONE) != 0 {
                return Err("the system has no memory for a stack".to_owned());
            }
            memory.cast::<u8>()
        };
        let (function, arguments) = (std::ptr::null(), Arguments::default());
        let state = Box::new(State { runner: 0, own: 0, function, arguments, event: Event::Done });
        Ok(Stack { memory, state: Box::into_raw(state) })
    }

    /// The arguments of the next call, or the result of the last one.
    pub(crate) fn arguments(&mut self) -> &mut Arguments {
        // SAFETY: the state is this stack's, on which nothing runs now.
        unsafe { &mut (*self.state).arguments }
    }

    /// Makes a call the next thing that it runs. No call may be in progress on it.
    pub(crate) fn begin(&mut self, function: *const ()) {
        // What `switch` takes from a stack: the control words, r15 to r12, rbx, rbp, and where to go.
        let control = 0x037f_u64 << 32 | 0x1f80;
        let words = [control, 0, 0, body as *const () as u64, self.state as u64, 0, 0, start as *const () as u64];
        // SAFETY: the words lie at the upper end of the stack, on which nothing runs; the state is this stack's.
        unsafe {
            let first = self.memory.add(BYTES - 64 - size_of_val(&words));
            std::ptr::copy_nonoverlapping(words.as_ptr().cast::<u8>(), first, size_of_val(&words));
            (*self.state).own = first as usize;
            (*self.state).function = function;
        }
    }

    /// Runs C until the call is over, an entry is called, or C crashes.
    ///
    /// # Safety
    /// A call was begun and is not over, and what it does is sound.
    pub(crate) unsafe fn run(&mut self) -> Event {
        let before = CURRENT.replace(self.state);
        process::show_error();
        // SAFETY: the stack has what `switch` left on it, or what `begin` put there.
        unsafe { switch(&raw mut (*self.state).runner, (*self.state).own) };
        process::keep_error();
        CURRENT.set(before);
        // SAFETY: nothing runs on the stack now.
        unsafe { std::mem::replace(&mut (*self.state).event, Event::Done) }
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        // SAFETY: nothing runs on the stack, and nobody else has it. What lay on it was C's.
        unsafe {
            libc::munmap(self.memory.cast(), BYTES);
            drop(Box::from_raw(self.state));
        }
    }
}

/// The address that C gets for an entry.
pub(crate) fn entry_address(index: usize) -> usize {
    entries as *const () as usize + index * ENTRY_BYTES
}

/// Which entry has that address.
pub(crate) fn entry_at(address: u64) -> Option<usize> {
    let offset = (address as usize).checked_sub(entry_address(0))?;
    (offset.is_multiple_of(ENTRY_BYTES) && offset / ENTRY_BYTES < ENTRIES).then_some(offset / ENTRY_BYTES)
}

/// What runs on a stack: makes the call, and says that it is over.
unsafe extern "C" fn body(state: *mut State) {
    // SAFETY: the state lives longer than the call; `run`'s caller vouches for the function.
    unsafe {
        enter((*state).function, (*state).arguments.frame());
        (*state).event = Event::Done;
        switch(&raw mut (*state).own, (*state).runner);
    }
}

/// An entry was called: gives the processor to who runs the stack, until it goes on.
unsafe extern "C" fn entered(frame: *mut Frame) {
    let state = CURRENT.get();
    if state.is_null() {
        // Nobody waits for this thread. Its stack has no end that could report an error.
        let text =
            "error: C code has called a procedure of the program from a thread of its own, which is not supported\n";
        // SAFETY: the text is as long as it says; the process ends.
        unsafe {
            let text = slice_from_raw_parts(text.as_ptr(), text.len());
            libc::write(2, text.cast(), text.len());
            libc::_exit(1);
        }
    }
    // SAFETY: the state is that of the stack on which this runs.
    unsafe {
        (*state).event = Event::Called(frame);
        switch(&raw mut (*state).own, (*state).runner);
    }
}

/// Signals that say that C has crashed.
const SIGNALS: [c_int; 5] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGABRT];

/// What a signal that [`SIGNALS`] has says; `memory` is what was accessed, if that is known.
pub(crate) fn crash(signal: c_int, memory: Option<&str>) -> String {
    let memory = memory.unwrap_or("memory that is not there");
    match signal {
        libc::SIGSEGV => format!("it has crashed: an access to {memory} (SIGSEGV)"),
        libc::SIGBUS => format!("it has crashed: an access to {memory} (SIGBUS)"),
        libc::SIGFPE => "it has crashed: a division of an integer by zero, or one that overflows (SIGFPE)".to_owned(),
        libc::SIGILL => "it has crashed: an instruction that the processor does not know (SIGILL)".to_owned(),
        _ => "it has ended itself by `abort` (SIGABRT)".to_owned(),
    }
}

/// What was done about the signals before.
struct Actions([libc::sigaction; SIGNALS.len()]);

static mut BEFORE: Option<Actions> = None;

/// Has [`crashed`] called for the signals.
fn catch_crashes() {
    static ONCE: Once = Once::new();
    // SAFETY: zeros are a valid action; `BEFORE` is written here once, before the handler can read it.
    ONCE.call_once(|| unsafe {
        let mut before: [libc::sigaction; SIGNALS.len()] = std::mem::zeroed();
        for (old, &signal) in before.iter_mut().zip(&SIGNALS) {
            libc::sigaction(signal, std::ptr::null(), old);
        }
        BEFORE = Some(Actions(before));
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = crashed as *const () as usize;
        // The stack may be what C has used up.
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
        for signal in SIGNALS {
            libc::sigaction(signal, &raw const action, null_mut());
        }
    });
}

/// A signal has come.
unsafe extern "C" fn crashed(signal: c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the system gives the information.
    if !info.is_null() && process::was_sent(signal, unsafe { (*info).si_code }) {
        return;
    }
    let state = CURRENT.get();
    // SAFETY: the state is that of the stack on which the thread ran C, which is not run again.
    unsafe {
        if !state.is_null() {
            let is_access = matches!(signal, libc::SIGSEGV | libc::SIGBUS) && !info.is_null();
            let address = if is_access { (*info).si_addr() as u64 } else { 0 };
            (*state).event = Event::Crashed(signal, address);
            let mut nowhere = 0;
            switch(&raw mut nowhere, (*state).runner);
        }
        // It is not C's: what was done before is done, when the instruction is tried again.
        let before = &raw const BEFORE;
        if let (Some(actions), Some(i)) = (&*before, SIGNALS.iter().position(|&s| s == signal)) {
            libc::sigaction(signal, &raw const actions.0[i], null_mut());
        }
        if signal == libc::SIGABRT {
            libc::raise(signal);
        }
    }
}

/// Puts what C's convention preserves on this stack and its pointer into `save`, and goes on where `to` was left.
#[unsafe(naked)]
unsafe extern "C" fn switch(save: *mut usize, to: usize) {
    std::arch::naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "sub rsp, 8",
        "stmxcsr [rsp]",
        "fnstcw [rsp + 4]",
        "mov [rdi], rsp",
        "mov rsp, rsi",
        "ldmxcsr [rsp]",
        "fldcw [rsp + 4]",
        "add rsp, 8",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
    )
}

/// Where a new stack begins: the state is in r12, what to call in r13.
#[unsafe(naked)]
unsafe extern "C" fn start() {
    std::arch::naked_asm!("mov rdi, r12", "call r13", "ud2")
}

/// The entries, one behind the other. The address behind its call says which one was entered.
#[unsafe(naked)]
unsafe extern "C" fn entries() {
    std::arch::naked_asm!(
        ".balign 16",
        ".rept {count}",
        "call {common}",
        ".balign 16",
        ".endr",
        count = const ENTRIES,
        common = sym common,
    )
}

/// Makes the frame of an entry, and returns to C with what it holds then.
#[unsafe(naked)]
unsafe extern "C" fn common() {
    std::arch::naked_asm!(
        "pop r11",
        "push rbp",
        "mov rbp, rsp",
        "sub rsp, 160",
        "mov [rsp], rdi",
        "mov [rsp + 8], rsi",
        "mov [rsp + 16], rdx",
        "mov [rsp + 24], rcx",
        "mov [rsp + 32], r8",
        "mov [rsp + 40], r9",
        "movsd [rsp + 48], xmm0",
        "movsd [rsp + 56], xmm1",
        "movsd [rsp + 64], xmm2",
        "movsd [rsp + 72], xmm3",
        "movsd [rsp + 80], xmm4",
        "movsd [rsp + 88], xmm5",
        "movsd [rsp + 96], xmm6",
        "movsd [rsp + 104], xmm7",
        "lea rax, [rbp + 16]",
        "mov [rsp + 112], rax",
        "mov [rsp + 120], r11",
        "mov rdi, rsp",
        "call {entered}",
        "mov rax, [rsp + 128]",
        "mov rdx, [rsp + 136]",
        "movsd xmm0, [rsp + 144]",
        "movsd xmm1, [rsp + 152]",
        "leave",
        "ret",
        entered = sym entered,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call;
    use ir::foreign::{CScalar, CValue};

    const INT: CValue = CValue::Scalar(CScalar::Int(4));

    extern "C" fn twice(f: extern "C" fn(i32, f64) -> i32, n: i32) -> i32 {
        f(n, 0.5) + f(n + 1, 1.5)
    }

    extern "C" fn divide_by_zero() {
        // SAFETY: it is about to be caught.
        unsafe { libc::raise(libc::SIGFPE) };
    }

    fn begun(function: *const (), words: &[u64]) -> Stack {
        let mut stack = Stack::new().expect("memory for a stack");
        stack.arguments().begin(Some(&INT));
        words.iter().for_each(|word| stack.arguments().add(&CValue::Scalar(CScalar::Int(8)), &[*word]));
        stack.begin(function);
        stack
    }

    #[test]
    fn a_call_waits_at_each_entry_and_goes_on() {
        let mut stack = begun(twice as *const (), &[entry_address(7) as u64, 20]);
        for (n, x) in [(20, 0.5f64), (21, 1.5)] {
            // SAFETY: a call was begun, and waits.
            let Event::Called(frame) = (unsafe { stack.run() }) else { panic!("it calls") };
            // SAFETY: the stack has not gone on.
            let frame = unsafe { &mut *frame };
            assert_eq!((entry_of(frame), frame.integers[0] as i32, f64::from_bits(frame.reals[0])), (7, n, x));
            // SAFETY: the entry gives an integer.
            unsafe { call::give(frame, &INT, &[100 + n as u64]) };
        }
        // SAFETY: as before.
        assert!(matches!(unsafe { stack.run() }, Event::Done));
        assert_eq!(stack.arguments().result_word(&INT, 0) as i32, 241);
    }

    #[test]
    fn a_crash_ends_the_call_and_other_stacks_go_on() {
        let mut waiting = begun(twice as *const (), &[entry_address(0) as u64, 1]);
        // SAFETY: calls were begun.
        assert!(matches!(unsafe { waiting.run() }, Event::Called(_)));
        let mut stack = begun(divide_by_zero as *const (), &[]);
        // SAFETY: the same.
        assert!(matches!(unsafe { stack.run() }, Event::Crashed(libc::SIGFPE, 0)));
        // SAFETY: the same.
        assert!(matches!(unsafe { waiting.run() }, Event::Called(_)));
    }
}
