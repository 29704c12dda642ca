//! Launches from device code, by CUDA's device runtime (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism", "Programming
//! Interface from PTX"): a buffer for the parameters of a kernel with a configuration, and the launch of what it holds.
//!
//! Both calls give an error to the thread, which `cudaGetLastError` tells; without a buffer nothing is launched.
//!
//! Not here: the library that has the runtime, which the driver links (`driver`). `cudaDeviceSynchronize` is refused: CUDA 12 has taken
//! it out of device code.

use super::EmitError;
use super::body::{Body, Width, ins};
use super::library::Helper;
use super::names::func_symbol;
use super::record::Kind;
use ir::{FuncId, LaunchConfig, ParamKind, Reg, Space, Ty, Val};

/// What is refused where the library is missing.
const WITHOUT_RUNTIME: &str =
    "without CUDA's library `libcudadevrt.a` (CUDA 12 or later) a call of CUDA's runtime in device code";

impl Body<'_, '_> {
    /// Each lane launches the kernel for itself.
    pub(super) fn launch(&mut self, func: FuncId, config: &LaunchConfig, args: &[Val]) -> Result<(), EmitError> {
        let module = self.unit.module;
        let callee = module.func(func);
        if !self.unit.options.launches {
            return self.refuse(format!(
                "without CUDA's library `libcudadevrt.a` (CUDA 12 or later) the launch of `{}` from device code",
                callee.name
            ));
        }
        let layout = crate::params::layout(callee);
        if args.len() != layout.slots.len() {
            return self.refuse(format!("a launch of `{}` with another number of arguments", callee.name));
        }
        let kernel = self.temp(Width::W64);
        ins!(self, "mov.b64 {kernel}, {}", func_symbol(module, func));
        let mut parts = vec![kernel];
        for extent in config.grid.iter().chain(&config.block) {
            parts.push(self.in_register(Ty::I32, *extent));
        }
        let bytes = self.in_register(Ty::I64, config.bytes);
        let shared = self.temp(Width::W32);
        ins!(self, "cvt.u32.u64 {shared}, {bytes}");
        parts.push(shared);
        let buffer = self.temp(Width::W64);
        self.call_helper(Helper::LaunchBuffer, &parts, Some(&buffer));

        let (none, done) = (self.temp(Width::Pred), self.label());
        ins!(self, "setp.eq.s64 {none}, {buffer}, 0");
        ins!(self, "@{none} bra {done}");
        for ((param, slot), &arg) in callee.params.iter().zip(&layout.slots).zip(args) {
            match param.kind {
                ParamKind::Value => self.store_word(callee.ty(param.reg), arg, &buffer, slot.offset),
                ParamKind::Bytes { bytes, align } => {
                    let (space, base) = self.place(Space::Generic, arg)?;
                    for (at, unit) in ParamKind::pieces(bytes, align) {
                        let (ty, temp) = self.piece(unit);
                        ins!(self, "ld{space}.{ty} {temp}, [{base}+{at}]");
                        ins!(self, "st.{ty} [{buffer}+{}], {temp}", slot.offset + at);
                    }
                }
            }
        }
        let stream = self.in_register(Ty::I64, config.stream);
        let status = self.temp(Width::W32);
        self.call_helper(Helper::LaunchDevice, &[buffer, stream], Some(&status));
        self.place_label(&done);
        Ok(())
    }

    /// Stores a value to memory as wide as a parameter is.
    fn store_word(&mut self, ty: Ty, value: Val, buffer: &str, offset: u64) {
        let mut text = self.in_register(ty, value);
        if ty == Ty::Pred {
            let temp = self.temp(Width::W32);
            ins!(self, "selp.b32 {temp}, 1, 0, {text}");
            text = temp;
        }
        ins!(self, "st.{} [{buffer}+{offset}], {text}", Width::of(ty).passed());
    }

    /// The last error of the thread; a flag says whether it is forgotten.
    pub(super) fn last_error(&mut self, forgets: Val, dst: Reg) -> Result<(), EmitError> {
        match forgets {
            Val::Imm(0) => self.of_runtime(Helper::PeekError, &[], dst),
            Val::Imm(_) => self.of_runtime(Helper::LastError, &[], dst),
            Val::Reg(_) => {
                let flag = self.in_register(Ty::I32, forgets);
                let (kept, done) = (self.temp(Width::Pred), self.label());
                self.of_runtime(Helper::PeekError, &[], dst)?;
                ins!(self, "setp.eq.s32 {kept}, {flag}, 0");
                ins!(self, "@{kept} bra {done}");
                self.of_runtime(Helper::LastError, &[], dst)?;
                self.place_label(&done);
                Ok(())
            }
        }
    }

    /// Calls a function of the device runtime for streams or events of the block.
    pub(super) fn of_runtime(&mut self, helper: Helper, args: &[Val], dst: Reg) -> Result<(), EmitError> {
        if !self.unit.options.launches {
            return self.refuse(WITHOUT_RUNTIME);
        }
        let (params, _) = helper.interface();
        let types = params.iter().map(|width| if *width == Width::W64 { Ty::I64 } else { Ty::I32 });
        // What is left are flags, which are 0.
        let args = args.iter().copied().chain(std::iter::repeat(Val::i32(0)));
        let args: Vec<String> = types.zip(args).map(|(ty, arg)| self.in_register(ty, arg)).collect();
        let dst = self.reg(dst);
        self.call_helper(helper, &args, Some(&dst));
        Ok(())
    }

    /// Asks the device runtime about a kernel, whose number the code says.
    pub(super) fn ask_of_kernel(&mut self, args: &[Val], dst: Reg) -> Result<(), EmitError> {
        let Val::Imm(number) = args[0] else {
            return self.refuse("a question about a kernel that is known at run time only");
        };
        if !self.unit.options.launches {
            return self.refuse(WITHOUT_RUNTIME);
        }
        let kernel = self.temp(Width::W64);
        ins!(self, "mov.b64 {kernel}, {}", func_symbol(self.unit.module, FuncId(number as u32)));
        let mut parts = vec![kernel];
        for (ty, arg) in [Ty::I32, Ty::I32, Ty::I64].into_iter().zip(&args[1..]) {
            parts.push(self.in_register(ty, *arg));
        }
        let dst = self.reg(dst);
        self.call_helper(Helper::AskKernel, &parts, Some(&dst));
        Ok(())
    }

    /// Says for the fault just recorded how large its grid is: it may be one that device code has launched.
    pub(super) fn record_extents(&mut self) {
        let [grid, block] = ["nctaid", "ntid"].map(|extents| {
            let word = self.temp(Width::W64);
            let [x, y, z] = ["x", "y", "z"].map(|axis| {
                let part = self.temp(Width::W32);
                ins!(self, "mov.u32 {part}, %{extents}.{axis}");
                part
            });
            let high = self.temp(Width::W32);
            ins!(self, "shl.b32 {high}, {z}, 16");
            ins!(self, "or.b32 {high}, {high}, {y}");
            ins!(self, "mov.b64 {word}, {{{x}, {high}}}");
            word
        });
        self.call_helper(Helper::Record, &[(Kind::Extents as u32).to_string(), "0".to_owned(), grid, block], None);
    }
}

/// The body of the helper that asks for a buffer.
pub(super) const LAUNCH_BUFFER: &str = "\
.reg .b32 %t<7>;
.reg .b64 %u<2>;
ld.param.b64 %u0, [param0];
ld.param.b32 %t0, [param1];
ld.param.b32 %t1, [param2];
ld.param.b32 %t2, [param3];
ld.param.b32 %t3, [param4];
ld.param.b32 %t4, [param5];
ld.param.b32 %t5, [param6];
ld.param.b32 %t6, [param7];
{
.param .b64 arg0;
.param .align 4 .b8 arg1[12];
.param .align 4 .b8 arg2[12];
.param .b32 arg3;
.param .b64 ret;
st.param.b64 [arg0], %u0;
st.param.b32 [arg1], %t0;
st.param.b32 [arg1+4], %t1;
st.param.b32 [arg1+8], %t2;
st.param.b32 [arg2], %t3;
st.param.b32 [arg2+4], %t4;
st.param.b32 [arg2+8], %t5;
st.param.b32 [arg3], %t6;
call (ret), cudaGetParameterBufferV2, (arg0, arg1, arg2, arg3);
ld.param.b64 %u1, [ret];
}
st.param.b64 [result], %u1;
ret;
";

/// Calls a function of the device runtime that makes something with flags, and gives what it has made.
pub(super) fn create_body(function: &str) -> String {
    format!(
        "\
.local .align 8 .b8 made[8];
.reg .pred %q<1>;
.reg .b32 %t<2>;
.reg .b64 %u<2>;
ld.param.b32 %t0, [param0];
mov.b64 %u0, made;
cvta.local.u64 %u0, %u0;
{{
.param .b64 arg0;
.param .b32 arg1;
.param .b32 ret;
st.param.b64 [arg0], %u0;
st.param.b32 [arg1], %t0;
call (ret), {function}, (arg0, arg1);
ld.param.b32 %t1, [ret];
}}
ld.local.b64 %u1, [made];
setp.ne.s32 %q0, %t1, 0;
selp.b64 %u1, 0, %u1, %q0;
st.param.b64 [result], %u1;
ret;
"
    )
}

/// The functions of the device runtime that say something of devices.
pub(super) const ASK_DECLARATIONS: &str = "\
.extern .func (.param .b32 result) cudaGetDevice(.param .b64 param0);
.extern .func (.param .b32 result) cudaGetDeviceCount(.param .b64 param0);
.extern .func (.param .b32 result) cudaRuntimeGetVersion(.param .b64 param0);
.extern .func (.param .b32 result) cudaDeviceGetAttribute(.param .b64 param0, .param .b32 param1, .param .b32 param2);
.extern .func (.param .b32 result) cudaDeviceGetLimit(.param .b64 param0, .param .b32 param1);

";

/// Asks one of them; gives what it says, or minus its code.
pub(super) fn ask_body() -> String {
    const NAMES: [(&str, usize); 5] = [
        ("cudaGetDevice", 0),
        ("cudaGetDeviceCount", 0),
        ("cudaRuntimeGetVersion", 0),
        ("cudaDeviceGetAttribute", 2),
        ("cudaDeviceGetLimit", 1),
    ];
    let mut text = "\
.local .align 8 .b8 made[8];
.reg .pred %q<1>;
.reg .b32 %t<5>;
.reg .b64 %u<3>;
ld.param.b32 %t0, [param0];
ld.param.b32 %t1, [param1];
ld.param.b32 %t2, [param2];
mov.b64 %u1, made;
cvta.local.u64 %u0, %u1;
mov.b64 %u2, 0;
st.local.b64 [%u1], %u2;
mov.b32 %t3, 1;
"
    .to_owned();
    for (what, (name, more)) in NAMES.iter().enumerate() {
        let each = |part: fn(usize) -> String| (1..=*more).map(part).collect::<Vec<_>>().concat();
        let declared = each(|i| format!(".param .b32 arg{i};\n"));
        let stored = each(|i| format!("st.param.b32 [arg{i}], %t{i};\n"));
        let args = each(|i| format!(", arg{i}"));
        text += &format!(
            "\
setp.ne.s32 %q0, %t0, {what};
@%q0 bra NOT{what};
{{
.param .b64 arg0;
{declared}.param .b32 ret;
st.param.b64 [arg0], %u0;
{stored}call (ret), {name}, (arg0{args});
ld.param.b32 %t3, [ret];
}}
NOT{what}:
"
        );
    }
    text + "\
ld.local.b64 %u2, [made];
setp.eq.s32 %q0, %t3, 0;
neg.s32 %t4, %t3;
cvt.s64.s32 %u1, %t4;
selp.b64 %u2, %u2, %u1, %q0;
st.param.b64 [result], %u2;
ret;
"
}

/// The functions of the device runtime that say something of kernels.
pub(super) const ASK_KERNEL_DECLARATIONS: &str = "\
.extern .func (.param .b32 result) cudaFuncGetAttributes(.param .b64 param0, .param .b64 param1);
.extern .func (.param .b32 result) cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(.param .b64 param0, \
.param .b64 param1, .param .b32 param2, .param .b64 param3, .param .b32 param4);

";

/// Asks one of them; gives what it says, or minus its code. CUDA's structure is 144 bytes long in CUDA 12 and 13, and begins with three
/// words of 8 bytes and others of 4.
pub(super) const ASK_KERNEL: &str = "\
.local .align 8 .b8 made[512];
.reg .pred %q<2>;
.reg .b32 %t<5>;
.reg .b64 %u<7>;
ld.param.b64 %u0, [param0];
ld.param.b32 %t0, [param1];
ld.param.b32 %t1, [param2];
ld.param.b64 %u1, [param3];
mov.b64 %u2, made;
cvta.local.u64 %u3, %u2;
mov.b32 %t2, 0;
st.local.b32 [%u2], %t2;
setp.ne.s32 %q0, %t0, 0;
@%q0 bra ATTRIBUTES;
{
.param .b64 arg0;
.param .b64 arg1;
.param .b32 arg2;
.param .b64 arg3;
.param .b32 arg4;
.param .b32 ret;
st.param.b64 [arg0], %u3;
st.param.b64 [arg1], %u0;
st.param.b32 [arg2], %t1;
st.param.b64 [arg3], %u1;
st.param.b32 [arg4], %t2;
call (ret), cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, (arg0, arg1, arg2, arg3, arg4);
ld.param.b32 %t3, [ret];
}
ld.local.s32 %u4, [%u2];
bra DONE;
ATTRIBUTES:
{
.param .b64 arg0;
.param .b64 arg1;
.param .b32 ret;
st.param.b64 [arg0], %u3;
st.param.b64 [arg1], %u0;
call (ret), cudaFuncGetAttributes, (arg0, arg1);
ld.param.b32 %t3, [ret];
}
setp.gt.s32 %q1, %t0, 3;
@%q1 bra SHORT;
mad.wide.s32 %u5, %t0, 8, %u2;
ld.local.b64 %u4, [%u5+-8];
bra DONE;
SHORT:
mad.wide.s32 %u5, %t0, 4, %u2;
ld.local.u32 %u4, [%u5+8];
DONE:
setp.eq.s32 %q0, %t3, 0;
neg.s32 %t4, %t3;
cvt.s64.s32 %u6, %t4;
selp.b64 %u4, %u4, %u6, %q0;
st.param.b64 [result], %u4;
ret;
";
