//! Where processes are not those of Unix, programs neither copy them nor catch signals.

/// No function has such a name here.
pub(crate) fn symbol(_name: &str) -> Option<usize> {
    None
}

/// No process can be copied here.
pub fn permit_fork() {}

/// No process is a copy here.
pub fn is_copy() -> bool {
    false
}

/// No signals come here.
pub fn has_signal() -> bool {
    false
}

/// Nobody asks for the number of an error here.
pub fn note_error(_error: &std::io::Error) {}
