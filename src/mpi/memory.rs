//! The memory of a rank, as its calls reach it.

use source::Span;

/// Bytes that are no memory of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outside {
    /// The first of them.
    pub address: u64,
    /// How many were wanted.
    pub bytes: u64,
}

/// The memory of the rank that makes a call: of its host, and of its devices; and the files that it reaches.
pub trait RankMemory {
    /// Copies bytes out.
    fn read(&mut self, address: u64, out: &mut [u8]) -> Result<(), Outside>;

    /// Copies bytes in.
    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Outside>;

    /// Bytes from the address to the end of what the program has allocated there, and the name of that.
    fn room(&self, address: u64) -> Option<(u64, String)>;

    /// Whether so many bytes at an address are the program's, or C's.
    fn has_room(&self, address: u64, bytes: u64) -> bool;

    /// Whether an address is that of the variable of the module that has this name.
    fn is_named(&self, address: u64, name: &str) -> bool;

    /// Allocates memory of the host; `None` if there is no room.
    fn allocate(&mut self, bytes: u64, span: Span) -> Option<u64>;

    /// Frees such memory; whether it was some.
    fn deallocate(&mut self, address: u64, span: Span) -> bool;

    /// The length of a file; `None` if there is none of that name.
    fn file_length(&mut self, path: &str) -> Result<Option<u64>, String>;

    /// Bytes of a file: of each piece, an offset and a length, one after another, up to the end of the file.
    fn read_file(&mut self, path: &str, pieces: &[(u64, u64)]) -> Result<Vec<u8>, String>;

    /// Puts bytes to the pieces of a file, which is made if there is none; then it has that length, if one is given.
    fn write_file(
        &mut self,
        path: &str,
        pieces: &[(u64, u64)],
        bytes: &[u8],
        length: Option<u64>,
    ) -> Result<(), String>;

    /// Deletes a file.
    fn delete_file(&mut self, path: &str) -> Result<(), String>;

    /// Whether objects that are left over at the end are to be reported.
    fn reports_leaks(&self) -> bool;

    /// Whether it is to be told which bytes requests use.
    fn is_watching(&self) -> bool;

    /// A request uses bytes from now on.
    fn begin_use(&mut self, used: Use);

    /// A request uses its bytes no longer: the rank knows that it is done.
    fn end_use(&mut self, request: u32);
}

/// What a request uses, from the call that begins it until the rank knows that it is done.
#[derive(Clone, Debug)]
pub struct Use {
    /// Its number.
    pub request: u32,
    /// Whether it is an access of another rank to a window.
    pub is_access: bool,
    /// The routine.
    pub call: &'static str,
    /// The place of the call.
    pub span: Span,
    /// What is read: addresses and bytes.
    pub read: Vec<(u64, u64)>,
    /// What is written.
    pub written: Vec<(u64, u64)>,
}
