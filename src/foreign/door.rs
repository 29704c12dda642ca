//! Access of the program to memory of C: what C has allocated or declared, at its own addresses.
//!
//! Not here: which addresses are the program's own (`mem`).
#![allow(unsafe_code)] // Asks the system to copy bytes from and to addresses that may be wrong.

#[cfg(target_os = "linux")]
use crate::process;

/// Copies bytes of this process from an address; whether all of them are there.
#[cfg(target_os = "linux")]
pub fn read_memory(address: u64, out: &mut [u8]) -> bool {
    let here = libc::iovec { iov_base: out.as_mut_ptr().cast(), iov_len: out.len() };
    let there = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: out.len() };
    // SAFETY: the system checks the address that may be wrong; the other is that of a slice.
    let done = unsafe { libc::process_vm_readv(libc::getpid(), &raw const here, 1, &raw const there, 1, 0) };
    let is_done = done == out.len() as isize;
    if is_done && let Some(at) = of_error(address, out.len()) {
        out[at..at + 4].copy_from_slice(&process::error_number().to_ne_bytes());
    }
    is_done
}

/// Copies bytes to an address of this process; whether all of them could be written.
#[cfg(target_os = "linux")]
pub fn write_memory(address: u64, bytes: &[u8]) -> bool {
    let here = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    let there = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: bytes.len() };
    // SAFETY: the same.
    let done = unsafe { libc::process_vm_writev(libc::getpid(), &raw const here, 1, &raw const there, 1, 0) };
    if let Some(number) = of_error(address, bytes.len()).and_then(|at| bytes[at..].first_chunk()) {
        process::set_error_number(i32::from_ne_bytes(*number));
    }
    done == bytes.len() as isize
}

/// Where the number of the last error is among so many bytes, if it is: what the program sees of it is what C has left, not the system.
#[cfg(target_os = "linux")]
fn of_error(address: u64, bytes: usize) -> Option<usize> {
    let at = process::error_address().checked_sub(address)?;
    (at.checked_add(4)? <= bytes as u64).then_some(at as usize)
}

#[cfg(not(target_os = "linux"))]
pub fn read_memory(_address: u64, _out: &mut [u8]) -> bool {
    false
}

#[cfg(not(target_os = "linux"))]
pub fn write_memory(_address: u64, _bytes: &[u8]) -> bool {
    false
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_there_is_read_and_written_and_other_is_not() {
        let mut word = 7u32;
        let address = &raw mut word as u64;
        assert!(write_memory(address, &9u32.to_le_bytes()));
        let mut out = [0; 4];
        assert!(read_memory(address, &mut out));
        assert_eq!(u32::from_le_bytes(out), 9);
        assert!(!read_memory(16, &mut out));
        assert!(!write_memory(16, &out));
    }
}
