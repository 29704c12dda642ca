//! Helpers written in PTX itself, printed into a text that calls them.
//!
//! The remainder of reals is exact. Mantissas are integers, and the divisor's reduces the dividend's after shifts that just fit
//! 64 bits, so real(4) takes at most 7 divisions and real(8) at most 190. Special cases follow C's `fmod`, which Fortran's
//! `mod` is on reals; `scalar::real::rem` says which NaN results.

use super::body::Width;
use super::{nested, record};
use std::collections::BTreeSet;
use std::fmt::Write;

/// A helper.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Helper {
    /// Allocates on the device heap; the driver has it.
    Malloc,
    /// Frees what `Malloc` gave.
    Free,
    /// Writes a record: kind, extra, a, b.
    Record,
    /// Writes a character value as records: address, length.
    Text,
    /// Character assignment: destination, length, source, length.
    CharAssign,
    /// Character comparison: address, length, address, length; gives -1, 0 or 1.
    CharCompare,
    /// All threads of a cooperative launch wait for each other.
    GridSync,
    /// A buffer for the parameters of a launch from device code, 0 if it cannot be: kernel, extents of grid and block, bytes of
    /// dynamic shared memory.
    LaunchBuffer,
    /// Launches what a buffer holds on a stream; CUDA's device runtime has it, and those below.
    LaunchDevice,
    /// A stream for launches of a block, 0 if the flags are wrong.
    StreamCreate,
    /// Gives such a stream back.
    StreamDestroy,
    /// An event for streams of a block, 0 if the flags are wrong.
    EventCreate,
    /// Records an event in a stream.
    EventRecord,
    /// Has a stream wait for an event; flags are 0.
    StreamWait,
    /// Gives an event back.
    EventDestroy,
    /// What the runtime says of devices: what, a number, the device (`ir::rt`, `nested.ask`).
    Ask,
    /// What the runtime says of a kernel: its address, then as `ir::rt`, `nested.kernel` has it.
    AskKernel,
    /// The last error of the thread, which it forgets.
    LastError,
    /// The last error of the thread.
    PeekError,
    /// Remainder of real(4).
    Fmod32,
    /// Remainder of real(8).
    Fmod64,
}

impl Helper {
    /// Its name in the text.
    pub(super) fn symbol(self) -> &'static str {
        match self {
            Helper::Malloc => "malloc",
            Helper::Free => "free",
            Helper::Record => "cufemu$$record",
            Helper::Text => "cufemu$$text",
            Helper::CharAssign => "cufemu$$char_assign",
            Helper::CharCompare => "cufemu$$char_compare",
            Helper::GridSync => "cufemu$$grid_sync",
            Helper::LaunchBuffer => "cufemu$$launch_buffer",
            Helper::LaunchDevice => "cudaLaunchDeviceV2",
            Helper::StreamCreate => "cufemu$$stream_create",
            Helper::StreamDestroy => "cudaStreamDestroy",
            Helper::EventCreate => "cufemu$$event_create",
            Helper::EventRecord => "cudaEventRecord",
            Helper::StreamWait => "cudaStreamWaitEvent",
            Helper::EventDestroy => "cudaEventDestroy",
            Helper::Ask => "cufemu$$ask",
            Helper::AskKernel => "cufemu$$ask_kernel",
            Helper::LastError => "cudaGetLastError",
            Helper::PeekError => "cudaPeekAtLastError",
            Helper::Fmod32 => "cufemu$$fmod32",
            Helper::Fmod64 => "cufemu$$fmod64",
        }
    }

    /// Widths of its parameters and of its result.
    pub(super) fn interface(self) -> (&'static [Width], Option<Width>) {
        const W32: Width = Width::W32;
        const W64: Width = Width::W64;
        match self {
            Helper::Malloc => (&[W64], Some(W64)),
            Helper::Free => (&[W64], None),
            Helper::Record => (&[W32, W32, W64, W64], None),
            Helper::Text => (&[W64, W64], None),
            Helper::CharAssign => (&[W64, W64, W64, W64], None),
            Helper::CharCompare => (&[W64, W64, W64, W64], Some(W32)),
            Helper::GridSync => (&[], None),
            Helper::LaunchBuffer => (&[W64, W32, W32, W32, W32, W32, W32, W32], Some(W64)),
            Helper::LaunchDevice => (&[W64, W64], Some(W32)),
            Helper::StreamCreate | Helper::EventCreate => (&[W32], Some(W64)),
            Helper::StreamDestroy | Helper::EventDestroy => (&[W64], Some(W32)),
            Helper::EventRecord => (&[W64, W64], Some(W32)),
            Helper::StreamWait => (&[W64, W64, W32], Some(W32)),
            Helper::Ask => (&[W32, W32, W32], Some(W64)),
            Helper::AskKernel => (&[W64, W32, W32, W64], Some(W64)),
            Helper::LastError | Helper::PeekError => (&[], Some(W32)),
            Helper::Fmod32 => (&[W32, W32], Some(W32)),
            Helper::Fmod64 => (&[W64, W64], Some(W64)),
        }
    }

    /// Adds it, and what it calls, to the helpers of a text.
    pub(super) fn require(self, needs: &mut BTreeSet<Helper>) {
        needs.insert(self);
        if self == Helper::Text {
            needs.insert(Helper::Record);
        }
    }

    /// Prints the helpers; a helper calls only those before it in the order.
    pub(super) fn print(out: &mut String, needs: &BTreeSet<Helper>) {
        for helper in needs {
            let (params, result) = helper.interface();
            out.push_str(helper.declarations());
            let body = helper.body();
            if body.is_none() {
                out.push_str(".extern ");
            }
            out.push_str(".func ");
            if let Some(width) = result {
                let _ = write!(out, "(.param .{} result) ", width.passed());
            }
            let list: Vec<String> =
                params.iter().enumerate().map(|(i, w)| format!(".param .{} param{i}", w.passed())).collect();
            let _ = write!(out, "{}({})", helper.symbol(), list.join(", "));
            match body {
                Some(body) => {
                    out.push_str("\n{\n");
                    for line in body.lines() {
                        let indent = if line.ends_with(':') || line.is_empty() { "" } else { "\t" };
                        let _ = writeln!(out, "{indent}{line}");
                    }
                    out.push_str("}\n\n");
                }
                None => out.push_str(";\n\n"),
            }
        }
    }

    /// Those that CUDA's device runtime has, or what they call.
    pub(super) fn of_runtime() -> impl Iterator<Item = Helper> {
        use Helper::{
            Ask, AskKernel, EventCreate, EventDestroy, EventRecord, LastError, LaunchBuffer, LaunchDevice, PeekError,
        };
        use Helper::{StreamCreate, StreamDestroy, StreamWait};
        let of_streams = [StreamCreate, StreamDestroy, StreamWait, EventCreate, EventRecord, EventDestroy];
        [LaunchBuffer, LaunchDevice, Ask, AskKernel, LastError, PeekError].into_iter().chain(of_streams)
    }

    /// What stands before it.
    fn declarations(self) -> &'static str {
        match self {
            Helper::GridSync => ".global .align 4 .b32 cufemu$$arrived;\n.global .align 4 .b32 cufemu$$generation;\n\n",
            Helper::LaunchBuffer => {
                ".extern .func (.param .b64 result) cudaGetParameterBufferV2(.param .b64 param0, .param .align 4 .b8 param1[12], \
                 .param .align 4 .b8 param2[12], .param .b32 param3);\n\n"
            }
            Helper::StreamCreate => {
                ".extern .func (.param .b32 result) cudaStreamCreateWithFlags(.param .b64 param0, .param .b32 param1);\n\n"
            }
            Helper::EventCreate => {
                ".extern .func (.param .b32 result) cudaEventCreateWithFlags(.param .b64 param0, .param .b32 param1);\n\n"
            }
            Helper::Ask => nested::ASK_DECLARATIONS,
            Helper::AskKernel => nested::ASK_KERNEL_DECLARATIONS,
            _ => "",
        }
    }

    /// `None` if another text has it.
    fn body(self) -> Option<String> {
        match self {
            Helper::Malloc
            | Helper::Free
            | Helper::LaunchDevice
            | Helper::StreamDestroy
            | Helper::EventRecord
            | Helper::StreamWait
            | Helper::EventDestroy
            | Helper::LastError
            | Helper::PeekError => None,
            Helper::LaunchBuffer => Some(nested::LAUNCH_BUFFER.to_owned()),
            Helper::StreamCreate => Some(nested::create_body("cudaStreamCreateWithFlags")),
            Helper::EventCreate => Some(nested::create_body("cudaEventCreateWithFlags")),
            Helper::Ask => Some(nested::ask_body()),
            Helper::AskKernel => Some(nested::ASK_KERNEL.to_owned()),
            Helper::Record => Some(record_body()),
            Helper::Text => Some(text_body()),
            Helper::CharAssign => Some(CHAR_ASSIGN.to_owned()),
            Helper::CharCompare => Some(CHAR_COMPARE.to_owned()),
            Helper::GridSync => Some(GRID_SYNC.to_owned()),
            Helper::Fmod32 => Some(fmod_body(&FMOD32)),
            Helper::Fmod64 => Some(fmod_body(&FMOD64)),
        }
    }
}

fn record_body() -> String {
    use record::{
        A, B, BLOCK, CAPACITY, EXTRA, FAULTS, FIRST_FAULT, GRID, HEADER_BYTES, KIND, NEXT, RECORD_BYTES, THREAD,
    };
    let symbol = super::RECORDS_SYMBOL;
    let at = |offset: usize| HEADER_BYTES + offset;
    format!(
        "\
.reg .pred %q<2>;
.reg .b32 %t<10>;
.reg .b64 %u<12>;
ld.global.b64 %u0, [{symbol}];
setp.eq.s64 %q0, %u0, 0;
@%q0 bra DONE;
ld.param.b32 %t0, [param0];
ld.param.b32 %t1, [param1];
ld.param.b64 %u1, [param2];
ld.param.b64 %u2, [param3];
setp.ge.u32 %q0, %t0, {FIRST_FAULT};
@%q0 red.relaxed.gpu.global.add.u64 [%u0+{FAULTS}], 1;
ld.global.b64 %u3, [%u0+{CAPACITY}];
atom.relaxed.gpu.global.add.u64 %u4, [%u0+{NEXT}], 1;
setp.ge.u64 %q0, %u4, %u3;
@%q0 bra DONE;
mad.lo.u64 %u5, %u4, {RECORD_BYTES}, %u0;
mov.u64 %u6, %gridid;
mov.u32 %t2, %ctaid.z;
mov.u32 %t3, %nctaid.y;
mov.u32 %t4, %ctaid.y;
mov.u32 %t5, %nctaid.x;
mov.u32 %t6, %ctaid.x;
mul.wide.u32 %u7, %t2, %t3;
cvt.u64.u32 %u8, %t4;
add.u64 %u7, %u7, %u8;
cvt.u64.u32 %u8, %t5;
mul.lo.u64 %u7, %u7, %u8;
cvt.u64.u32 %u8, %t6;
add.u64 %u7, %u7, %u8;
mov.u32 %t2, %tid.z;
mov.u32 %t3, %ntid.y;
mov.u32 %t4, %tid.y;
mov.u32 %t5, %ntid.x;
mov.u32 %t6, %tid.x;
mad.lo.u32 %t2, %t2, %t3, %t4;
mad.lo.u32 %t2, %t2, %t5, %t6;
st.global.b64 [%u5+{grid}], %u6;
st.global.b64 [%u5+{block}], %u7;
st.global.b32 [%u5+{thread}], %t2;
st.global.b32 [%u5+{kind}], %t0;
st.global.b32 [%u5+{extra}], %t1;
st.global.b64 [%u5+{a}], %u1;
st.global.b64 [%u5+{b}], %u2;
DONE:
ret;
",
        grid = at(GRID),
        block = at(BLOCK),
        thread = at(THREAD),
        kind = at(KIND),
        extra = at(EXTRA),
        a = at(A),
        b = at(B),
    )
}

/// A `Char` record and then one `Text` record for every 16 bytes.
fn text_body() -> String {
    let call = |kind: record::Kind, extra: &str, a: &str, b: &str| {
        format!(
            "\
{{
.param .b32 arg0;
.param .b32 arg1;
.param .b64 arg2;
.param .b64 arg3;
st.param.b32 [arg0], {};
st.param.b32 [arg1], {extra};
st.param.b64 [arg2], {a};
st.param.b64 [arg3], {b};
call {}, (arg0, arg1, arg2, arg3);
}}",
            kind as u32,
            Helper::Record.symbol(),
        )
    };
    format!(
        "\
.reg .pred %q<2>;
.reg .b32 %t<3>;
.reg .b64 %u<10>;
ld.param.b64 %u0, [param0];
ld.param.b64 %u1, [param1];
max.s64 %u1, %u1, 0;
setp.eq.s64 %q0, %u0, 0;
selp.b64 %u1, 0, %u1, %q0;
{first}
mov.b64 %u2, 0;
NEXT:
setp.ge.s64 %q0, %u2, %u1;
@%q0 bra DONE;
mov.b64 %u3, 0;
mov.b64 %u4, 0;
mov.b64 %u5, 0;
BYTE:
add.s64 %u6, %u2, %u5;
setp.ge.s64 %q0, %u6, %u1;
@%q0 bra PUT;
add.s64 %u6, %u0, %u6;
ld.u8 %t0, [%u6];
cvt.u64.u32 %u7, %t0;
cvt.u32.u64 %t1, %u5;
and.b32 %t1, %t1, 7;
shl.b32 %t1, %t1, 3;
shl.b64 %u7, %u7, %t1;
setp.lt.s64 %q1, %u5, 8;
@%q1 or.b64 %u3, %u3, %u7;
@!%q1 or.b64 %u4, %u4, %u7;
add.s64 %u5, %u5, 1;
setp.lt.s64 %q0, %u5, 16;
@%q0 bra BYTE;
PUT:
cvt.u32.u64 %t2, %u5;
{rest}
add.s64 %u2, %u2, 16;
bra NEXT;
DONE:
ret;
",
        first = call(record::Kind::Char, "0", "%u1", "0"),
        rest = call(record::Kind::Text, "%t2", "%u3", "%u4"),
    )
}

/// Copies from the end if the destination is after the source, so overlap does no harm; then fills with blanks.
const CHAR_ASSIGN: &str = "\
.reg .pred %q<2>;
.reg .b32 %t<1>;
.reg .b64 %u<9>;
ld.param.b64 %u0, [param0];
ld.param.b64 %u1, [param1];
ld.param.b64 %u2, [param2];
ld.param.b64 %u3, [param3];
max.s64 %u1, %u1, 0;
max.s64 %u3, %u3, 0;
min.s64 %u4, %u1, %u3;
setp.gt.u64 %q0, %u0, %u2;
selp.b64 %u5, -1, 1, %q0;
add.s64 %u6, %u4, -1;
selp.b64 %u6, %u6, 0, %q0;
mov.b64 %u7, 0;
COPY:
setp.ge.s64 %q1, %u7, %u4;
@%q1 bra FILL;
add.s64 %u8, %u2, %u6;
ld.u8 %t0, [%u8];
add.s64 %u8, %u0, %u6;
st.u8 [%u8], %t0;
add.s64 %u6, %u6, %u5;
add.s64 %u7, %u7, 1;
bra COPY;
FILL:
setp.ge.s64 %q1, %u7, %u1;
@%q1 bra DONE;
add.s64 %u8, %u0, %u7;
st.u8 [%u8], 32;
add.s64 %u7, %u7, 1;
bra FILL;
DONE:
ret;
";

const CHAR_COMPARE: &str = "\
.reg .pred %q<2>;
.reg .b32 %t<3>;
.reg .b64 %u<8>;
ld.param.b64 %u0, [param0];
ld.param.b64 %u1, [param1];
ld.param.b64 %u2, [param2];
ld.param.b64 %u3, [param3];
max.s64 %u4, %u1, %u3;
mov.b64 %u5, 0;
mov.b32 %t2, 0;
NEXT:
setp.ge.s64 %q0, %u5, %u4;
@%q0 bra DONE;
mov.b32 %t0, 32;
mov.b32 %t1, 32;
add.s64 %u6, %u0, %u5;
add.s64 %u7, %u2, %u5;
setp.lt.s64 %q0, %u5, %u1;
@%q0 ld.u8 %t0, [%u6];
setp.lt.s64 %q0, %u5, %u3;
@%q0 ld.u8 %t1, [%u7];
add.s64 %u5, %u5, 1;
setp.eq.s32 %q0, %t0, %t1;
@%q0 bra NEXT;
setp.lt.s32 %q1, %t0, %t1;
selp.b32 %t2, -1, 1, %q1;
DONE:
st.param.b32 [result], %t2;
ret;
";

/// A central barrier: one thread of each block counts it in; the last to arrive sets the count back and passes on to the next
/// generation, for which the others wait. The barriers of the block and the fences, which are cumulative, order what any
/// thread wrote before with what any reads behind it.
const GRID_SYNC: &str = "\
.reg .pred %q<2>;
.reg .b32 %t<8>;
bar.sync 0;
mov.u32 %t0, %tid.x;
mov.u32 %t1, %tid.y;
or.b32 %t0, %t0, %t1;
mov.u32 %t1, %tid.z;
or.b32 %t0, %t0, %t1;
setp.ne.u32 %q0, %t0, 0;
@%q0 bra DONE;
mov.u32 %t2, %nctaid.x;
mov.u32 %t3, %nctaid.y;
mul.lo.u32 %t2, %t2, %t3;
mov.u32 %t3, %nctaid.z;
mul.lo.u32 %t2, %t2, %t3;
sub.u32 %t2, %t2, 1;
fence.sc.gpu;
ld.relaxed.gpu.global.u32 %t4, [cufemu$$generation];
fence.acq_rel.gpu;
atom.acq_rel.gpu.global.add.u32 %t5, [cufemu$$arrived], 1;
setp.ne.u32 %q0, %t5, %t2;
@%q0 bra WAIT;
st.relaxed.gpu.global.u32 [cufemu$$arrived], 0;
add.u32 %t4, %t4, 1;
st.release.gpu.global.u32 [cufemu$$generation], %t4;
bra FENCE;
WAIT:
ld.acquire.gpu.global.u32 %t6, [cufemu$$generation];
setp.eq.u32 %q0, %t6, %t4;
@%q0 bra WAIT;
FENCE:
fence.sc.gpu;
DONE:
bar.sync 0;
ret;
";

/// What differs between the remainders of the two real types.
struct Fmod {
    /// Bits of the significand without the leading one.
    fraction_bits: u32,
    /// The sign bit.
    sign: u64,
    /// Infinity.
    infinity: u64,
    /// Brings an operand into 64 bits.
    widen: [&'static str; 2],
    /// Brings the result back.
    narrow: &'static str,
    /// Sets `%u9` to the NaN of the operands `%u0` and `%u1`, whose magnitudes are `%u3` and `%u4`.
    nan: &'static str,
}

const FMOD32: Fmod = Fmod {
    fraction_bits: 23,
    sign: 0x8000_0000,
    infinity: 0x7f80_0000,
    widen: ["ld.param.b32 %t0, [param0];\ncvt.u64.u32 %u0, %t0;", "ld.param.b32 %t0, [param1];\ncvt.u64.u32 %u1, %t0;"],
    narrow: "cvt.u32.u64 %t0, %u9;\nst.param.b32 [result], %t0;",
    nan: "mov.b64 %u9, 0x7fffffff;",
};

const FMOD64: Fmod = Fmod {
    fraction_bits: 52,
    sign: 0x8000_0000_0000_0000,
    infinity: 0x7ff0_0000_0000_0000,
    widen: ["ld.param.b64 %u0, [param0];", "ld.param.b64 %u1, [param1];"],
    narrow: "st.param.b64 [result], %u9;",
    nan: "\
mov.b64 %u9, 0xfff8000000000000;
setp.gt.u64 %q0, %u4, 0x7ff0000000000000;
selp.b64 %u9, %u1, %u9, %q0;
setp.gt.u64 %q0, %u3, 0x7ff0000000000000;
selp.b64 %u9, %u0, %u9, %q0;
or.b64 %u9, %u9, 0x0008000000000000;",
};

fn fmod_body(f: &Fmod) -> String {
    let leading = 1u64 << f.fraction_bits;
    // Zeros above a significand in 64 bits; also how far one may be shifted without losing bits.
    let spare = 63 - f.fraction_bits;
    // Splits magnitude $m into exponent $e and significand $m, leading one included; subnormals get exponents below 1.
    let split = |m: &str, e: &str, label: &str| {
        format!(
            "\
shr.u64 %u7, {m}, {bits};
cvt.u32.u64 {e}, %u7;
and.b64 {m}, {m}, {fraction:#x};
setp.eq.s32 %q0, {e}, 0;
@!%q0 or.b64 {m}, {m}, {leading:#x};
@!%q0 bra {label};
clz.b64 %t3, {m};
sub.s32 %t3, %t3, {spare};
shl.b64 {m}, {m}, %t3;
sub.s32 {e}, 1, %t3;
{label}:",
            bits = f.fraction_bits,
            fraction = leading - 1,
        )
    };
    format!(
        "\
.reg .pred %q<2>;
.reg .b32 %t<7>;
.reg .b64 %u<10>;
{wx}
{wy}
and.b64 %u2, %u0, {sign:#x};
and.b64 %u3, %u0, {magnitude:#x};
and.b64 %u4, %u1, {magnitude:#x};
setp.eq.s64 %q0, %u4, 0;
@%q0 bra INVALID;
setp.ge.u64 %q0, %u3, {infinity:#x};
@%q0 bra INVALID;
setp.gt.u64 %q0, %u4, {infinity:#x};
@%q0 bra INVALID;
mov.b64 %u9, %u0;
setp.lt.u64 %q0, %u3, %u4;
@%q0 bra DONE;
{split_x}
{split_y}
sub.s32 %t4, %t1, %t2;
REDUCE:
min.s32 %t5, %t4, {spare};
shl.b64 %u3, %u3, %t5;
rem.u64 %u3, %u3, %u4;
sub.s32 %t4, %t4, %t5;
setp.gt.s32 %q0, %t4, 0;
@%q0 bra REDUCE;
mov.b64 %u9, %u2;
setp.eq.s64 %q0, %u3, 0;
@%q0 bra DONE;
clz.b64 %t3, %u3;
sub.s32 %t3, %t3, {spare};
shl.b64 %u3, %u3, %t3;
sub.s32 %t2, %t2, %t3;
setp.gt.s32 %q0, %t2, 0;
@%q0 bra NORMAL;
sub.s32 %t3, 1, %t2;
shr.u64 %u3, %u3, %t3;
or.b64 %u9, %u2, %u3;
bra DONE;
NORMAL:
and.b64 %u3, %u3, {fraction:#x};
cvt.u64.u32 %u7, %t2;
shl.b64 %u7, %u7, {bits};
or.b64 %u3, %u3, %u7;
or.b64 %u9, %u2, %u3;
bra DONE;
INVALID:
{nan}
DONE:
{narrow}
ret;
",
        wx = f.widen[0],
        wy = f.widen[1],
        sign = f.sign,
        magnitude = f.sign - 1,
        infinity = f.infinity,
        split_x = split("%u3", "%t1", "HAVE_X"),
        split_y = split("%u4", "%t2", "HAVE_Y"),
        fraction = leading - 1,
        bits = f.fraction_bits,
        nan = f.nan,
        narrow = f.narrow,
    )
}
