//! Table: the intrinsic procedures, one row each: variant, name, dummy names, class.
//!
//! Sources: Fortran 2018 clause 16; CUDA Fortran guide, chapter 3 (device code; the names of the C mathematics library such as
//! `fma` and `cbrt`) and nvfortran's extensions (`sizeof`, `loc`, `rshift` …). A typed reference has its arguments in the order of the dummy names; `...` means any number more. Specific
//! names (`dsqrt`, `iabs`, `float`) are aliases that sema maps to the generic row.

/// What kind of intrinsic it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Elemental function.
    Elemental,
    /// Transformational function.
    Transformational,
    /// Inquiry function: its argument need not be defined.
    Inquiry,
    /// Subroutine.
    Subroutine,
    /// Procedure of device code (module `cudadevice`): function or subroutine.
    Device,
}

macro_rules! intrinsics {
    ($($variant:ident $name:literal [$($dummy:literal)*] $class:ident;)*) => {
        /// An intrinsic procedure.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Intrinsic { $(#[doc = $name] $variant,)* }

        impl Intrinsic {
            /// All rows, in order.
            pub const ALL: &[Intrinsic] = &[$(Intrinsic::$variant),*];

            /// The Fortran name, lower case.
            pub fn name(self) -> &'static str {
                match self { $(Intrinsic::$variant => $name,)* }
            }

            /// The dummy names; `...` last means any number more.
            pub fn dummies(self) -> &'static [&'static str] {
                match self { $(Intrinsic::$variant => &[$($dummy),*],)* }
            }

            /// What kind it is.
            pub fn class(self) -> Class {
                match self { $(Intrinsic::$variant => Class::$class,)* }
            }

            /// The intrinsic of that name, lower case.
            pub fn from_name(name: &str) -> Option<Intrinsic> {
                match name { $($name => Some(Intrinsic::$variant),)* _ => None }
            }
        }
    };
}

intrinsics! {
    Abs "abs" ["a"] Elemental;
    Aimag "aimag" ["z"] Elemental;
    Aint "aint" ["a" "kind"] Elemental;
    Anint "anint" ["a" "kind"] Elemental;
    Ceiling "ceiling" ["a" "kind"] Elemental;
    Cmplx "cmplx" ["x" "y" "kind"] Elemental;
    Conjg "conjg" ["z"] Elemental;
    Dble "dble" ["a"] Elemental;
    Dim "dim" ["x" "y"] Elemental;
    Dprod "dprod" ["x" "y"] Elemental;
    Floor "floor" ["a" "kind"] Elemental;
    Int "int" ["a" "kind"] Elemental;
    Logical "logical" ["l" "kind"] Elemental;
    Max "max" ["a1" "a2" "..."] Elemental;
    Min "min" ["a1" "a2" "..."] Elemental;
    Mod "mod" ["a" "p"] Elemental;
    Modulo "modulo" ["a" "p"] Elemental;
    Nint "nint" ["a" "kind"] Elemental;
    Real "real" ["a" "kind"] Elemental;
    Sign "sign" ["a" "b"] Elemental;
    Merge "merge" ["tsource" "fsource" "mask"] Elemental;
    Acos "acos" ["x"] Elemental;
    Acosh "acosh" ["x"] Elemental;
    Asin "asin" ["x"] Elemental;
    Asinh "asinh" ["x"] Elemental;
    Atan "atan" ["y" "x"] Elemental;
    Atan2 "atan2" ["y" "x"] Elemental;
    Atanh "atanh" ["x"] Elemental;
    BesselJ0 "bessel_j0" ["x"] Elemental;
    BesselJ1 "bessel_j1" ["x"] Elemental;
    BesselJn "bessel_jn" ["n" "n2" "x"] Elemental;
    BesselY0 "bessel_y0" ["x"] Elemental;
    BesselY1 "bessel_y1" ["x"] Elemental;
    BesselYn "bessel_yn" ["n" "n2" "x"] Elemental;
    Cos "cos" ["x"] Elemental;
    Cosh "cosh" ["x"] Elemental;
    Erf "erf" ["x"] Elemental;
    Erfc "erfc" ["x"] Elemental;
    ErfcScaled "erfc_scaled" ["x"] Elemental;
    Cbrt "cbrt" ["x"] Elemental;
    Exp "exp" ["x"] Elemental;
    Exp2 "exp2" ["x"] Elemental;
    Exp10 "exp10" ["x"] Elemental;
    Expm1 "expm1" ["x"] Elemental;
    Fma "fma" ["x" "y" "z"] Elemental;
    Gamma "gamma" ["x"] Elemental;
    Hypot "hypot" ["x" "y"] Elemental;
    Log "log" ["x"] Elemental;
    LogGamma "log_gamma" ["x"] Elemental;
    Log10 "log10" ["x"] Elemental;
    Log1p "log1p" ["x"] Elemental;
    Log2 "log2" ["x"] Elemental;
    Rsqrt "rsqrt" ["x"] Elemental;
    Sin "sin" ["x"] Elemental;
    Sinh "sinh" ["x"] Elemental;
    Sqrt "sqrt" ["x"] Elemental;
    Tan "tan" ["x"] Elemental;
    Tanh "tanh" ["x"] Elemental;
    Btest "btest" ["i" "pos"] Elemental;
    Iand "iand" ["i" "j"] Elemental;
    Ibclr "ibclr" ["i" "pos"] Elemental;
    Ibits "ibits" ["i" "pos" "len"] Elemental;
    Ibset "ibset" ["i" "pos"] Elemental;
    Ieor "ieor" ["i" "j"] Elemental;
    Ior "ior" ["i" "j"] Elemental;
    Ishft "ishft" ["i" "shift"] Elemental;
    Ishftc "ishftc" ["i" "shift" "size"] Elemental;
    Leadz "leadz" ["i"] Elemental;
    Maskl "maskl" ["i" "kind"] Elemental;
    Maskr "maskr" ["i" "kind"] Elemental;
    Not "not" ["i"] Elemental;
    Popcnt "popcnt" ["i"] Elemental;
    Poppar "poppar" ["i"] Elemental;
    Shiftl "shiftl" ["i" "shift"] Elemental;
    Shiftr "shiftr" ["i" "shift"] Elemental;
    Shifta "shifta" ["i" "shift"] Elemental;
    Dshiftl "dshiftl" ["i" "j" "shift"] Elemental;
    Dshiftr "dshiftr" ["i" "j" "shift"] Elemental;
    MergeBits "merge_bits" ["i" "j" "mask"] Elemental;
    Bge "bge" ["i" "j"] Elemental;
    Bgt "bgt" ["i" "j"] Elemental;
    Ble "ble" ["i" "j"] Elemental;
    Blt "blt" ["i" "j"] Elemental;
    Isnan "isnan" ["x"] Elemental;
    OutOfRange "out_of_range" ["x" "mold" "round"] Elemental;
    IsIostatEnd "is_iostat_end" ["i"] Elemental;
    IsIostatEor "is_iostat_eor" ["i"] Elemental;
    Acosd "acosd" ["x"] Elemental;
    Acospi "acospi" ["x"] Elemental;
    Asinpi "asinpi" ["x"] Elemental;
    Atan2pi "atan2pi" ["y" "x"] Elemental;
    Atanpi "atanpi" ["y" "x"] Elemental;
    Cospi "cospi" ["x"] Elemental;
    Sinpi "sinpi" ["x"] Elemental;
    Tanpi "tanpi" ["x"] Elemental;
    Asind "asind" ["x"] Elemental;
    Atand "atand" ["y" "x"] Elemental;
    Atan2d "atan2d" ["y" "x"] Elemental;
    Cosd "cosd" ["x"] Elemental;
    Sind "sind" ["x"] Elemental;
    Tand "tand" ["x"] Elemental;
    Cotan "cotan" ["x"] Elemental;
    Cotand "cotand" ["x"] Elemental;
    Trailz "trailz" ["i"] Elemental;
    Rshift "rshift" ["i" "shift"] Elemental;
    Lshift "lshift" ["i" "shift"] Elemental;
    Exponent "exponent" ["x"] Elemental;
    Fraction "fraction" ["x"] Elemental;
    Nearest "nearest" ["x" "s"] Elemental;
    Rrspacing "rrspacing" ["x"] Elemental;
    Scale "scale" ["x" "i"] Elemental;
    SetExponent "set_exponent" ["x" "i"] Elemental;
    Spacing "spacing" ["x"] Elemental;
    Achar "achar" ["i" "kind"] Elemental;
    Adjustl "adjustl" ["string"] Elemental;
    Adjustr "adjustr" ["string"] Elemental;
    Char "char" ["i" "kind"] Elemental;
    Iachar "iachar" ["c" "kind"] Elemental;
    Ichar "ichar" ["c" "kind"] Elemental;
    Index "index" ["string" "substring" "back" "kind"] Elemental;
    LenTrim "len_trim" ["string" "kind"] Elemental;
    Lge "lge" ["string_a" "string_b"] Elemental;
    Lgt "lgt" ["string_a" "string_b"] Elemental;
    Lle "lle" ["string_a" "string_b"] Elemental;
    Llt "llt" ["string_a" "string_b"] Elemental;
    Scan "scan" ["string" "set" "back" "kind"] Elemental;
    Verify "verify" ["string" "set" "back" "kind"] Elemental;
    All "all" ["mask" "dim"] Transformational;
    Any "any" ["mask" "dim"] Transformational;
    Count "count" ["mask" "dim" "kind"] Transformational;
    Cshift "cshift" ["array" "shift" "dim"] Transformational;
    DotProduct "dot_product" ["vector_a" "vector_b"] Transformational;
    Eoshift "eoshift" ["array" "shift" "boundary" "dim"] Transformational;
    Findloc "findloc" ["array" "value" "dim" "mask" "kind" "back"] Transformational;
    Iall "iall" ["array" "dim" "mask"] Transformational;
    Iany "iany" ["array" "dim" "mask"] Transformational;
    Iparity "iparity" ["array" "dim" "mask"] Transformational;
    Parity "parity" ["mask" "dim"] Transformational;
    Matmul "matmul" ["matrix_a" "matrix_b"] Transformational;
    Maxloc "maxloc" ["array" "dim" "mask" "kind" "back"] Transformational;
    Maxval "maxval" ["array" "dim" "mask" "stream"] Transformational;
    Minloc "minloc" ["array" "dim" "mask" "kind" "back"] Transformational;
    Minval "minval" ["array" "dim" "mask" "stream"] Transformational;
    Norm2 "norm2" ["x" "dim"] Transformational;
    Pack "pack" ["array" "mask" "vector"] Transformational;
    Product "product" ["array" "dim" "mask"] Transformational;
    Reduce "reduce" ["array" "operation" "dim" "mask" "identity" "ordered"] Transformational;
    Repeat "repeat" ["string" "ncopies"] Transformational;
    Reshape "reshape" ["source" "shape" "pad" "order"] Transformational;
    Spread "spread" ["source" "dim" "ncopies"] Transformational;
    Sum "sum" ["array" "dim" "mask" "stream"] Transformational;
    Transfer "transfer" ["source" "mold" "size"] Transformational;
    Transpose "transpose" ["matrix"] Transformational;
    Trim "trim" ["string"] Transformational;
    Unpack "unpack" ["vector" "mask" "field"] Transformational;
    Null "null" ["mold"] Transformational;
    SelectedIntKind "selected_int_kind" ["r"] Transformational;
    SelectedRealKind "selected_real_kind" ["p" "r" "radix"] Transformational;
    SelectedCharKind "selected_char_kind" ["name"] Transformational;
    SelectedLogicalKind "selected_logical_kind" ["bits"] Transformational;
    CommandArgumentCount "command_argument_count" [] Transformational;
    Allocated "allocated" ["array"] Inquiry;
    Associated "associated" ["pointer" "target"] Inquiry;
    BitSize "bit_size" ["i"] Inquiry;
    Digits "digits" ["x"] Inquiry;
    Epsilon "epsilon" ["x"] Inquiry;
    Huge "huge" ["x"] Inquiry;
    IsContiguous "is_contiguous" ["array"] Inquiry;
    SameTypeAs "same_type_as" ["a" "b"] Inquiry;
    ExtendsTypeOf "extends_type_of" ["a" "mold"] Inquiry;
    Kind "kind" ["x"] Inquiry;
    Lbound "lbound" ["array" "dim" "kind"] Inquiry;
    Len "len" ["string" "kind"] Inquiry;
    Maxexponent "maxexponent" ["x"] Inquiry;
    Minexponent "minexponent" ["x"] Inquiry;
    NewLine "new_line" ["a"] Inquiry;
    Precision "precision" ["x"] Inquiry;
    Present "present" ["a"] Inquiry;
    Radix "radix" ["x"] Inquiry;
    Range "range" ["x"] Inquiry;
    Rank "rank" ["a"] Inquiry;
    Shape "shape" ["source" "kind"] Inquiry;
    Size "size" ["array" "dim" "kind"] Inquiry;
    StorageSize "storage_size" ["a" "kind"] Inquiry;
    Tiny "tiny" ["x"] Inquiry;
    Ubound "ubound" ["array" "dim" "kind"] Inquiry;
    Sizeof "sizeof" ["x"] Inquiry;
    Loc "loc" ["x"] Inquiry;
    CLoc "c_loc" ["x"] Inquiry;
    CDevloc "c_devloc" ["x"] Inquiry;
    CSizeof "c_sizeof" ["x"] Inquiry;
    CAssociated "c_associated" ["c_ptr_1" "c_ptr_2"] Transformational;
    CpuTime "cpu_time" ["time"] Subroutine;
    DateAndTime "date_and_time" ["date" "time" "zone" "values"] Subroutine;
    GetCommand "get_command" ["command" "length" "status" "errmsg"] Subroutine;
    GetCommandArgument "get_command_argument" ["number" "value" "length" "status" "errmsg"] Subroutine;
    GetEnvironmentVariable "get_environment_variable" ["name" "value" "length" "status" "trim_name" "errmsg"] Subroutine;
    Getarg "getarg" ["number" "value"] Subroutine;
    MoveAlloc "move_alloc" ["from" "to" "stat" "errmsg"] Subroutine;
    Mvbits "mvbits" ["from" "frompos" "len" "to" "topos"] Subroutine;
    RandomNumber "random_number" ["harvest"] Subroutine;
    RandomSeed "random_seed" ["size" "put" "get"] Subroutine;
    SystemClock "system_clock" ["count" "count_rate" "count_max"] Subroutine;
    CFPointer "c_f_pointer" ["cptr" "fptr" "shape" "lower"] Subroutine;
    CFProcpointer "c_f_procpointer" ["cptr" "fptr"] Subroutine;
    Exit "exit" ["status"] Subroutine;
    Flush "flush" ["unit"] Subroutine;
    Sleep "sleep" ["seconds"] Subroutine;
    Abort "abort" [] Subroutine;
    Syncthreads "syncthreads" ["group"] Device;
    SyncthreadsAnd "syncthreads_and" ["value"] Device;
    SyncthreadsOr "syncthreads_or" ["value"] Device;
    SyncthreadsCount "syncthreads_count" ["value"] Device;
    ClusterExtent "__cluster_extent" ["dim"] Device;
    ClusterMapSharedRank "cluster_map_shared_rank" ["array" "rank"] Device;
    PipelineMemcpyAsync "pipelinememcpyasync" ["dst_shared" "src_global"] Device;
    PipelineCommit "pipelinecommit" [] Device;
    PipelineWaitPrior "pipelinewaitprior" ["n"] Device;
    Syncwarp "syncwarp" ["mask"] Device;
    Threadfence "threadfence" [] Device;
    ThreadfenceBlock "threadfence_block" [] Device;
    ThreadfenceSystem "threadfence_system" [] Device;
    GpuTime "gpu_time" ["clock"] Device;
    Clock "clock" [] Device;
    Clock64 "clock64" [] Device;
    Globaltimer "globaltimer" [] Device;
    OnDevice "on_device" [] Inquiry;
    IntPtrKind "int_ptr_kind" [] Inquiry;
    Allthreads "allthreads" ["value"] Device;
    Anythread "anythread" ["value"] Device;
    Ballot "ballot" ["value"] Device;
    Activemask "activemask" [] Device;
    AllSync "all_sync" ["mask" "value"] Device;
    AnySync "any_sync" ["mask" "value"] Device;
    BallotSync "ballot_sync" ["mask" "value"] Device;
    MatchAnySync "match_any_sync" ["mask" "value"] Device;
    MatchAllSync "match_all_sync" ["mask" "value" "pred"] Device;
    FastSin "__sinf" ["x"] Device;
    FastCos "__cosf" ["x"] Device;
    FastTan "__tanf" ["x"] Device;
    FastExp "__expf" ["x"] Device;
    FastExp10 "__exp10f" ["x"] Device;
    FastLog "__logf" ["x"] Device;
    FastLog2 "__log2f" ["x"] Device;
    FastLog10 "__log10f" ["x"] Device;
    FastPow "__powf" ["x" "y"] Device;
    FastDivide "__fdividef" ["x" "y"] Device;
    Saturate "__saturatef" ["x"] Device;
    Shfl "__shfl" ["var" "srclane" "width"] Device;
    ShflUp "__shfl_up" ["var" "delta" "width"] Device;
    ShflDown "__shfl_down" ["var" "delta" "width"] Device;
    ShflXor "__shfl_xor" ["var" "lanemask" "width"] Device;
    Ldca "__ldca" ["mem"] Device;
    Ldcg "__ldcg" ["mem"] Device;
    Ldcs "__ldcs" ["mem"] Device;
    Ldlu "__ldlu" ["mem"] Device;
    Ldcv "__ldcv" ["mem"] Device;
    Ldg "__ldg" ["mem"] Device;
    Stwb "__stwb" ["mem" "val"] Device;
    Stcg "__stcg" ["mem" "val"] Device;
    Stcs "__stcs" ["mem" "val"] Device;
    Stwt "__stwt" ["mem" "val"] Device;
    Atomicadd "atomicadd" ["mem" "val"] Device;
    Atomicsub "atomicsub" ["mem" "val"] Device;
    Atomicmax "atomicmax" ["mem" "val"] Device;
    Atomicmin "atomicmin" ["mem" "val"] Device;
    Atomicand "atomicand" ["mem" "val"] Device;
    Atomicor "atomicor" ["mem" "val"] Device;
    Atomicxor "atomicxor" ["mem" "val"] Device;
    Atomicexch "atomicexch" ["mem" "val"] Device;
    Atomicinc "atomicinc" ["mem" "val"] Device;
    Atomicdec "atomicdec" ["mem" "val"] Device;
    Atomiccas "atomiccas" ["mem" "comp" "val"] Device;
}
