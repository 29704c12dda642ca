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
    CudartUnloading 4 "cudaErrorCudartUnloading" "driver shutting down";
    ProfilerDisabled 5 "cudaErrorProfilerDisabled" "profiler disabled while using external profiling tool";
    ProfilerNotInitialized 6 "cudaErrorProfilerNotInitialized" "profiler not initialized: call cudaProfilerInitialize()";
    ProfilerAlreadyStarted 7 "cudaErrorProfilerAlreadyStarted" "profiler already started";
    ProfilerAlreadyStopped 8 "cudaErrorProfilerAlreadyStopped" "profiler already stopped";
    InvalidConfiguration 9 "cudaErrorInvalidConfiguration" "invalid configuration argument";
    InvalidPitchValue 12 "cudaErrorInvalidPitchValue" "invalid pitch argument";
    InvalidSymbol 13 "cudaErrorInvalidSymbol" "invalid device symbol";
    InvalidHostPointer 16 "cudaErrorInvalidHostPointer" "invalid host pointer";
    InvalidDevicePointer 17 "cudaErrorInvalidDevicePointer" "invalid device pointer";
    InvalidTexture 18 "cudaErrorInvalidTexture" "invalid texture reference";
    InvalidTextureBinding 19 "cudaErrorInvalidTextureBinding" "texture is not bound to a pointer";
    InvalidChannelDescriptor 20 "cudaErrorInvalidChannelDescriptor" "invalid channel descriptor";
    InvalidMemcpyDirection 21 "cudaErrorInvalidMemcpyDirection" "invalid copy direction for memcpy";
    TextureFetchFailed 23 "cudaErrorTextureFetchFailed" "fetch from texture failed";
    TextureNotBound 24 "cudaErrorTextureNotBound" "cannot fetch from a texture that is not bound";
    SynchronizationError 25 "cudaErrorSynchronizationError" "incorrect use of __syncthreads()";
    InvalidFilterSetting 26 "cudaErrorInvalidFilterSetting" "linear filtering not supported for non-float type";
    InvalidNormSetting 27 "cudaErrorInvalidNormSetting" "read as normalized float not supported for 32-bit non float type";
    MixedDeviceExecution 28 "cudaErrorMixedDeviceExecution" "device emulation mode and device execution mode cannot be mixed";
    NotYetImplemented 31 "cudaErrorNotYetImplemented" "feature not yet implemented";
    MemoryValueTooLarge 32 "cudaErrorMemoryValueTooLarge" "memory size or pointer value too large to fit in 32 bit";
    StubLibrary 34 "cudaErrorStubLibrary" "CUDA driver is a stub library";
    InsufficientDriver 35 "cudaErrorInsufficientDriver" "CUDA driver version is insufficient for CUDA runtime version";
    CallRequiresNewerDriver 36 "cudaErrorCallRequiresNewerDriver" "API call is not supported in the installed CUDA driver";
    InvalidSurface 37 "cudaErrorInvalidSurface" "invalid surface reference";
    DuplicateVariableName 43 "cudaErrorDuplicateVariableName" "duplicate global variable looked up by string name";
    DuplicateTextureName 44 "cudaErrorDuplicateTextureName" "duplicate texture looked up by string name";
    DuplicateSurfaceName 45 "cudaErrorDuplicateSurfaceName" "duplicate surface looked up by string name";
    DevicesUnavailable 46 "cudaErrorDevicesUnavailable" "CUDA-capable device(s) is/are busy or unavailable";
    IncompatibleDriverContext 49 "cudaErrorIncompatibleDriverContext" "incompatible driver context";
    MissingConfiguration 52 "cudaErrorMissingConfiguration" "__global__ function call is not configured";
    PriorLaunchFailure 53 "cudaErrorPriorLaunchFailure" "unspecified launch failure in prior launch";
    LaunchMaxDepthExceeded 65 "cudaErrorLaunchMaxDepthExceeded" "launch would exceed maximum depth of nested launches";
    LaunchFileScopedTex 66 "cudaErrorLaunchFileScopedTex" "launch failed because kernel uses unsupported, file-scoped textures";
    LaunchFileScopedSurf 67 "cudaErrorLaunchFileScopedSurf" "launch failed because kernel uses unsupported, file-scoped surfaces";
    SyncDepthExceeded 68 "cudaErrorSyncDepthExceeded" "cudaDeviceSynchronize failed because caller's grid depth exceeds cudaLimitDevRuntimeSyncDepth";
    LaunchPendingCountExceeded 69 "cudaErrorLaunchPendingCountExceeded" "launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount";
    InvalidDeviceFunction 98 "cudaErrorInvalidDeviceFunction" "invalid device function";
    NoDevice 100 "cudaErrorNoDevice" "no CUDA-capable device is detected";
    InvalidDevice 101 "cudaErrorInvalidDevice" "invalid device ordinal";
    StartupFailure 127 "cudaErrorStartupFailure" "startup failure in cuda runtime";
    InvalidKernelImage 200 "cudaErrorInvalidKernelImage" "device kernel image is invalid";
    DeviceUninitialized 201 "cudaErrorDeviceUninitialized" "invalid device context";
    MapBufferObjectFailed 205 "cudaErrorMapBufferObjectFailed" "mapping of buffer object failed";
    UnmapBufferObjectFailed 206 "cudaErrorUnmapBufferObjectFailed" "unmapping of buffer object failed";
    ArrayIsMapped 207 "cudaErrorArrayIsMapped" "array is mapped";
    AlreadyMapped 208 "cudaErrorAlreadyMapped" "resource already mapped";
    NoKernelImageForDevice 209 "cudaErrorNoKernelImageForDevice" "no kernel image is available for execution on the device";
    AlreadyAcquired 210 "cudaErrorAlreadyAcquired" "resource already acquired";
    NotMapped 211 "cudaErrorNotMapped" "resource not mapped";
    NotMappedAsArray 212 "cudaErrorNotMappedAsArray" "resource not mapped as array";
    NotMappedAsPointer 213 "cudaErrorNotMappedAsPointer" "resource not mapped as pointer";
    ECCUncorrectable 214 "cudaErrorECCUncorrectable" "uncorrectable ECC error encountered";
    UnsupportedLimit 215 "cudaErrorUnsupportedLimit" "limit is not supported on this architecture";
    DeviceAlreadyInUse 216 "cudaErrorDeviceAlreadyInUse" "exclusive-thread device already in use by a different thread";
    PeerAccessUnsupported 217 "cudaErrorPeerAccessUnsupported" "peer access is not supported between these two devices";
    InvalidPtx 218 "cudaErrorInvalidPtx" "a PTX JIT compilation failed";
    InvalidGraphicsContext 219 "cudaErrorInvalidGraphicsContext" "invalid OpenGL or DirectX context";
    NvlinkUncorrectable 220 "cudaErrorNvlinkUncorrectable" "uncorrectable NVLink error detected during the execution";
    JitCompilerNotFound 221 "cudaErrorJitCompilerNotFound" "PTX JIT compiler library not found";
    UnsupportedPtxVersion 222 "cudaErrorUnsupportedPtxVersion" "the provided PTX was compiled with an unsupported toolchain.";
    JitCompilationDisabled 223 "cudaErrorJitCompilationDisabled" "PTX JIT compilation was disabled";
    InvalidSource 300 "cudaErrorInvalidSource" "device kernel image is invalid";
    FileNotFound 301 "cudaErrorFileNotFound" "file not found";
    SharedObjectSymbolNotFound 302 "cudaErrorSharedObjectSymbolNotFound" "shared object symbol not found";
    SharedObjectInitFailed 303 "cudaErrorSharedObjectInitFailed" "shared object initialization failed";
    OperatingSystem 304 "cudaErrorOperatingSystem" "OS call failed or operation not supported on this OS";
    InvalidResourceHandle 400 "cudaErrorInvalidResourceHandle" "invalid resource handle";
    IllegalState 401 "cudaErrorIllegalState" "the operation cannot be performed in the present state";
    SymbolNotFound 500 "cudaErrorSymbolNotFound" "named symbol not found";
    NotReady 600 "cudaErrorNotReady" "device not ready";
    IllegalAddress 700 "cudaErrorIllegalAddress" "an illegal memory access was encountered";
    LaunchOutOfResources 701 "cudaErrorLaunchOutOfResources" "too many resources requested for launch";
    LaunchTimeout 702 "cudaErrorLaunchTimeout" "the launch timed out and was terminated";
    LaunchIncompatibleTexturing 703 "cudaErrorLaunchIncompatibleTexturing" "launch uses incompatible texturing mode";
    PeerAccessAlreadyEnabled 704 "cudaErrorPeerAccessAlreadyEnabled" "peer access is already enabled";
    PeerAccessNotEnabled 705 "cudaErrorPeerAccessNotEnabled" "peer access has not been enabled";
    SetOnActiveProcess 708 "cudaErrorSetOnActiveProcess" "cannot set while device is active in this process";
    ContextIsDestroyed 709 "cudaErrorContextIsDestroyed" "context is destroyed";
    Assert 710 "cudaErrorAssert" "device-side assert triggered";
    TooManyPeers 711 "cudaErrorTooManyPeers" "peer mapping resources exhausted";
    HostMemoryAlreadyRegistered 712 "cudaErrorHostMemoryAlreadyRegistered" "part or all of the requested memory range is already mapped";
    HostMemoryNotRegistered 713 "cudaErrorHostMemoryNotRegistered" "pointer does not correspond to a registered memory region";
    HardwareStackError 714 "cudaErrorHardwareStackError" "hardware stack error";
    IllegalInstruction 715 "cudaErrorIllegalInstruction" "an illegal instruction was encountered";
    MisalignedAddress 716 "cudaErrorMisalignedAddress" "misaligned address";
    InvalidAddressSpace 717 "cudaErrorInvalidAddressSpace" "operation not supported on global/shared address space";
    InvalidPc 718 "cudaErrorInvalidPc" "invalid program counter";
    LaunchFailure 719 "cudaErrorLaunchFailure" "unspecified launch failure";
    CooperativeLaunchTooLarge 720 "cudaErrorCooperativeLaunchTooLarge" "too many blocks in cooperative launch";
    NotPermitted 800 "cudaErrorNotPermitted" "operation not permitted";
    NotSupported 801 "cudaErrorNotSupported" "operation not supported";
    SystemNotReady 802 "cudaErrorSystemNotReady" "system not yet initialized";
    SystemDriverMismatch 803 "cudaErrorSystemDriverMismatch" "system has unsupported display driver / cuda driver combination";
    CompatNotSupportedOnDevice 804 "cudaErrorCompatNotSupportedOnDevice" "forward compatibility was attempted on non supported HW";
    StreamCaptureUnsupported 900 "cudaErrorStreamCaptureUnsupported" "operation not permitted when stream is capturing";
    StreamCaptureInvalidated 901 "cudaErrorStreamCaptureInvalidated" "operation failed due to a previous error during capture";
    StreamCaptureMerge 902 "cudaErrorStreamCaptureMerge" "operation would result in a merge of separate capture sequences";
    StreamCaptureUnmatched 903 "cudaErrorStreamCaptureUnmatched" "capture was not ended in the same stream as it began";
    StreamCaptureUnjoined 904 "cudaErrorStreamCaptureUnjoined" "capturing stream has unjoined work";
    StreamCaptureIsolation 905 "cudaErrorStreamCaptureIsolation" "dependency created on uncaptured work in another stream";
    StreamCaptureImplicit 906 "cudaErrorStreamCaptureImplicit" "operation would make the legacy stream depend on a capturing blocking stream";
    CapturedEvent 907 "cudaErrorCapturedEvent" "operation not permitted on an event last recorded in a capturing stream";
    StreamCaptureWrongThread 908 "cudaErrorStreamCaptureWrongThread" "attempt to terminate a thread-local capture sequence from another thread";
    Timeout 909 "cudaErrorTimeout" "wait operation timed out";
    GraphExecUpdateFailure 910 "cudaErrorGraphExecUpdateFailure" "the graph update was not performed because it included changes which violated constraints specific to instantiated graph update";
    InvalidClusterSize 912 "cudaErrorInvalidClusterSize" "a kernel launch error has occurred due to cluster misconfiguration";
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

/// What `cudaGetErrorName` says for any code.
pub fn error_name(code: i32) -> &'static str {
    if code == 0 {
        return "cudaSuccess";
    }
    CudaError::from_code(code).map_or("unrecognized error code", CudaError::name)
}

/// What `cudaGetErrorString` says for any code.
pub fn error_string(code: i32) -> &'static str {
    if code == 0 {
        return "no error";
    }
    CudaError::from_code(code).map_or("unrecognized error code", CudaError::text)
}
