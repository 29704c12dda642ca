//! The registers of a call by C's convention, in either direction, and a call with them.
//!
//! Not here: on which stack the call is made (`stack`), what the registers mean (`call`).
#![allow(unsafe_code)] // Calls code that nobody has checked.

/// The registers with which a procedure is called, and those with which it goes on. [`enter`] and `stack` know the layout.
#[repr(C)]
pub(crate) struct Frame {
    pub(crate) integers: [u64; 6],
    pub(crate) reals: [u64; 8],
    /// The words of the stack that are passed.
    pub(crate) stack: *const u64,
    /// How many there are. Where C calls an entry this is the address behind the call in the entry.
    pub(crate) count: u64,
    /// The result: two integers.
    pub(crate) integer_results: [u64; 2],
    /// The result: two reals.
    pub(crate) real_results: [u64; 2],
}

impl Default for Frame {
    fn default() -> Frame {
        Frame {
            integers: [0; 6],
            reals: [0; 8],
            stack: std::ptr::null(),
            count: 0,
            integer_results: [0; 2],
            real_results: [0; 2],
        }
    }
}

/// Calls a function with the registers and the words of the stack of a frame, and puts the registers of its result there.
///
/// # Safety
/// A function that takes such arguments is there, and all that it does is sound.
#[cfg(all(unix, target_arch = "x86_64"))]
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn enter(function: *const (), frame: *mut Frame) {
    std::arch::naked_asm!(
        "push rbp",
        "mov rbp, rsp",
        "push rbx",
        "push r12",
        "mov rbx, rsi",
        "mov r11, rdi",
        // The stack stays aligned to 16 bytes; the last word is pushed first.
        "mov rcx, [rbx + 120]",
        "mov rdx, [rbx + 112]",
        "test cl, 1",
        "jz 2f",
        "sub rsp, 8",
        "2:",
        "test rcx, rcx",
        "jz 3f",
        "push [rdx + 8 * rcx - 8]",
        "dec rcx",
        "jmp 2b",
        "3:",
        "mov rdi, [rbx]",
        "mov rsi, [rbx + 8]",
        "mov rdx, [rbx + 16]",
        "mov rcx, [rbx + 24]",
        "mov r8, [rbx + 32]",
        "mov r9, [rbx + 40]",
        "movsd xmm0, [rbx + 48]",
        "movsd xmm1, [rbx + 56]",
        "movsd xmm2, [rbx + 64]",
        "movsd xmm3, [rbx + 72]",
        "movsd xmm4, [rbx + 80]",
        "movsd xmm5, [rbx + 88]",
        "movsd xmm6, [rbx + 96]",
        "movsd xmm7, [rbx + 104]",
        // A function with a variable number of arguments asks how many registers of reals are used.
        "mov eax, 8",
        "call r11",
        "mov [rbx + 128], rax",
        "mov [rbx + 136], rdx",
        "movsd [rbx + 144], xmm0",
        "movsd [rbx + 152], xmm1",
        "lea rsp, [rbp - 16]",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
    )
}
