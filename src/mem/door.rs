//! What reaches memory that is not the program's: what C code has allocated or declared, at addresses of this process.
//!
//! Not here: where a memory uses it (`of_c`), how it is read and written (crate `foreign`).

/// What reaches memory of C.
pub trait Door: std::fmt::Debug + Send + Sync {
    /// Copies bytes from an address; whether all of them are there.
    fn read(&self, address: u64, out: &mut [u8]) -> bool;
    /// Copies bytes to an address; whether all of them could be written.
    fn write(&self, address: u64, bytes: &[u8]) -> bool;
    /// Gives back what C has allocated for the program at an address; whether it was that.
    fn release(&self, address: u64) -> bool;
}
