//! Table: error codes of the CUDA runtime, as `cudaGetErrorString` words them.

macro_rules! errors {
    ($($variant:ident $code:literal $name:literal $text:literal;)*) => {
        /// An error of the CUDA runtime.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum CudaError { $(#[doc = $text] $variant = $code,)* }

        impl CudaError {
            /// All rows.
            pub const ALL: &[CudaError] = &[$(CudaError::$variant),*];

            /// The number that the API returns.
            pub fn code(self) -> i32 {
                self as i32
            }

            /// The name of the constant.
            pub fn name(self) -> &'static str {
                match self { $(CudaError::$variant => $name,)* }
            }

            /// What `cudaGetErrorString` says.
            pub fn text(self) -> &'static str {
                match self { $(CudaError::$variant => $text,)* }
            }
        }
    };
}

errors! {
    InvalidValue 1 "cudaErrorInvalidValue" "invalid argument";
    MemoryAllocation 2 "cudaErrorMemoryAllocation" "out of memory";
    InitializationError 3 "cudaErrorInitializationError" "initialization error";
    InvalidConfiguration 9 "cudaErrorInvalidConfiguration" "invalid configuration argument";
    InvalidPitchValue 12 "cudaErrorInvalidPitchValue" "invalid pitch argument";
    InvalidSymbol 13 "cudaErrorInvalidSymbol" "invalid device symbol";
    InvalidDevicePointer 17 "cudaErrorInvalidDevicePointer" "invalid device pointer";
    InvalidMemcpyDirection 21 "cudaErrorInvalidMemcpyDirection" "invalid copy direction for memcpy";
    InvalidDeviceFunction 98 "cudaErrorInvalidDeviceFunction" "invalid device function";
    NoDevice 100 "cudaErrorNoDevice" "no CUDA-capable device is detected";
    InvalidDevice 101 "cudaErrorInvalidDevice" "invalid device ordinal";
    InvalidResourceHandle 400 "cudaErrorInvalidResourceHandle" "invalid resource handle";
    NotReady 600 "cudaErrorNotReady" "device not ready";
    IllegalAddress 700 "cudaErrorIllegalAddress" "an illegal memory access was encountered";
    LaunchOutOfResources 701 "cudaErrorLaunchOutOfResources" "too many resources requested for launch";
    LaunchTimeout 702 "cudaErrorLaunchTimeout" "the launch timed out and was terminated";
    Assert 710 "cudaErrorAssert" "device-side assert triggered";
    HardwareStackError 714 "cudaErrorHardwareStackError" "hardware stack error";
    IllegalInstruction 715 "cudaErrorIllegalInstruction" "an illegal instruction was encountered";
    MisalignedAddress 716 "cudaErrorMisalignedAddress" "misaligned address";
    LaunchFailure 719 "cudaErrorLaunchFailure" "unspecified launch failure";
    CooperativeLaunchTooLarge 720 "cudaErrorCooperativeLaunchTooLarge" "too many blocks in cooperative launch";
    NotPermitted 800 "cudaErrorNotPermitted" "operation not permitted";
    NotSupported 801 "cudaErrorNotSupported" "operation not supported";
    Unknown 999 "cudaErrorUnknown" "unknown error";
}

impl CudaError {
    /// The error of that number.
    pub fn from_code(code: i32) -> Option<CudaError> {
        CudaError::ALL.iter().copied().find(|e| e.code() == code)
    }

    /// Whether every later call of the process reports it too (CUDA's "sticky" errors, which corrupt the context).
    pub fn is_sticky(self) -> bool {
        matches!(self.code(), 700 | 702 | 710 | 714..=719)
    }
}

/// What `cudaGetErrorString` says for any code.
pub fn error_string(code: i32) -> &'static str {
    if code == 0 {
        return "no error";
    }
    CudaError::from_code(code).map_or("unrecognized error code", CudaError::text)
}
