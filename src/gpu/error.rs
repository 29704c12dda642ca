//! Errors of the driver as values.

/// An error of the driver, or that there is none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DriverError {
    /// The driver library was not found.
    NoDriver,
    /// A call failed.
    Call {
        /// The function.
        call: &'static str,
        /// The code, as in `cuda.h`.
        code: u32,
        /// Its name, `CUDA_ERROR_…`.
        name: String,
        /// What the driver says it means.
        text: String,
    },
    /// The handle of a stream, event or kernel does not exist, or sizes do not fit.
    Invalid(&'static str),
    /// Memory cannot be had at the address asked for.
    Address(u64),
}

impl DriverError {
    /// The code that the driver gave, or the one that fits: 100 (no device), 400 (invalid handle), 2 (out of memory).
    pub fn code(&self) -> u32 {
        match self {
            DriverError::NoDriver => 100,
            DriverError::Call { code, .. } => *code,
            DriverError::Invalid(_) => 400,
            DriverError::Address(_) => 2,
        }
    }
}

impl std::fmt::Display for DriverError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            DriverError::NoDriver => f.write_str(
                "no CUDA driver: libcuda.so.1 was not found; run without `--device gpu`, or on a machine with an NVIDIA GPU",
            ),
            DriverError::Call { call, name, text, .. } => write!(f, "`{call}` failed with {name}: {text}"),
            DriverError::Invalid(what) => write!(f, "no such {what}"),
            DriverError::Address(address) => write!(f, "the driver does not place memory at address {address:#x}"),
        }
    }
}

impl std::error::Error for DriverError {}
