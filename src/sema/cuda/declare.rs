//! Rules for declarations with CUDA attributes (E0507 and E0510 to E0522, the number being that of the rule).

use super::{spelling, word};
use crate::checked::{CharLen, Class, ExprKind, Intrinsic, ProcId, ProcKind, Shape, Storage, Type, visit};
use crate::checker::{Checker, CodeSide, DeclaredName, Init};
use crate::typing::{Typing, elements_of};
use ast::CudaAttr;
use diag::{Code, Diagnostic};
use source::Span;

/// Bytes of constant memory that every device has (CUDA C Programming Guide, "Compute capabilities").
const CONSTANT_MEMORY: u64 = 65536;
/// Bytes of shared memory that declarations can give a block; only the memory that a launch asks for can be more.
const STATIC_SHARED_MEMORY: u64 = 49152;

impl<'a> Checker<'a> {
    /// Checks a variable's CUDA attribute against the rest of its declaration.
    pub(crate) fn check_cuda_variable(
        &mut self,
        p: &DeclaredName<'a>,
        ty: &Type,
        shape: &Shape,
        storage: &Storage,
        owner: Option<ProcId>,
    ) {
        let on_device = self.cx.side.on_device();
        let name = &p.name;
        // A type alone is that of the function's result, until the name is used as a variable.
        let gives_result_type = p.has_type_only()
            && p.dummy.is_none()
            && device_intrinsic(name).is_some_and(|id| !crate::intrinsics::is_subroutine(id));
        if !p.result && !gives_result_type {
            let _ = self.typing().check_device_name(name, p.span);
        }
        if let Some((attr, span)) = p.cuda {
            match attr {
                CudaAttr::Constant => self.constant_rule(p, ty, shape, owner, span),
                CudaAttr::Shared => {
                    self.typing().shared_rule(p, owner, span);
                    self.typing().shared_bounds_rule(p, shape);
                    self.shared_size_rule(p, ty, shape, owner);
                }
                CudaAttr::Device => {
                    let saved = p.save.is_some() || !p.init_none();
                    if let (Some(id), CodeSide::Host, None) = (owner, self.cx.side, p.allocatable)
                        && saved
                        && p.pointer.is_none()
                        && self.defs.main != Some(id)
                    {
                        let text = format!("device data `{name}` of a host procedure cannot be saved");
                        self.reporter.error_help::<()>(
                            Code::SavedDeviceData,
                            p.span,
                            text,
                            "make it allocatable, or put it into a module",
                        );
                    }
                }
                CudaAttr::Managed => {}
                CudaAttr::Pinned => {
                    if on_device {
                        let text =
                            format!("`{name}` cannot be pinned: pinned data is host data, and this is device code");
                        self.reporter.error::<()>(Code::BadPinnedData, span, text);
                    } else if p.pointer.is_some() {
                        let text = format!("pinned data `{name}` cannot be a pointer");
                        self.reporter.error_help::<()>(Code::BadPinnedData, span, text, "make it allocatable");
                    } else if p.allocatable.is_none() && p.dummy.is_none() {
                        let text = format!("`pinned` has no effect on `{name}`, which is not allocatable");
                        self.reporter
                            .report(Diagnostic::new(Code::PinnedWithoutEffect, span, text).help("add `allocatable`"));
                    }
                }
                CudaAttr::Unified => {
                    if owner.is_none() {
                        let text = format!("unified data `{name}` must be declared in a host procedure");
                        self.reporter.error_help::<()>(Code::BadUnifiedData, span, text, "use `managed` in a module");
                    } else if on_device {
                        let text = format!("`{name}` cannot be unified data in device code");
                        self.reporter.error_help::<()>(Code::BadUnifiedData, span, text, "declare it in host code");
                    }
                }
                CudaAttr::Texture => {
                    if p.pointer.is_none() && p.dummy.is_none() {
                        let text = format!("texture `{name}` must be a pointer");
                        self.reporter.error_help::<()>(Code::BadUnifiedData, span, text, "add `pointer`");
                    }
                }
            }
            if p.common.is_some() || p.equivalence.is_some() {
                let text = format!("`{name}` is {} data and cannot be in `common` or `equivalence`", spelling(attr));
                self.reporter.error::<()>(Code::DeviceDataInCommon, p.span, text);
            }
        }
        // A loop of the host may have texts in its kernel.
        let is_of_loop = self.cx.side == CodeSide::CufKernel;
        let lives_on_device =
            (on_device && owner.is_some() && !is_of_loop) || super::is_device_only(p.cuda.map(|c| c.0));
        let is_open = on_device && owner.is_some() && matches!(ty, Type::Character(CharLen::Deferred));
        if is_open {
            let text = format!("`{name}` has a deferred length, which characters of device code cannot have");
            self.reporter.error_help::<()>(Code::TypeNotOnDevice, p.span, text, "give it a constant length");
        }
        let is_kernel = owner.is_some_and(|owner| self.defs.proc(owner).kind == ProcKind::Kernel);
        if is_kernel && p.value.is_some() && p.dummy.is_some() && matches!(ty, Type::Character(_)) {
            self.reporter.refuse::<()>(p.span, format!("the character argument `{name}` by value of a kernel"));
        }
        if let (true, Type::Character(len)) = (lives_on_device, ty)
            && matches!(len, CharLen::Const(n) if *n != 1)
            && !matches!(storage, Storage::Parameter)
            && !self.options.charstring
            // Those of modules are host code's business until device code uses them.
            && owner.is_some()
        {
            self.typing().no_strings_on_device(name, ty, p.span);
        }
        if on_device && p.pointer.is_some() && p.dummy.is_none() && !matches!(p.cuda, Some((CudaAttr::Texture, _))) {
            let text = format!("pointer `{name}` is declared in device code");
            self.reporter.report(
                Diagnostic::new(Code::PointerInDeviceCode, p.span, text)
                    .help("pointers are best associated in host code"),
            );
        }
    }

    /// What a procedure declares must fit into the shared memory of a block, as for the assembler of PTX.
    fn shared_size_rule(&mut self, p: &DeclaredName<'a>, ty: &Type, shape: &Shape, owner: Option<ProcId>) {
        let (Some(owner), Some(elements)) = (owner, elements_of(shape)) else { return };
        let bytes = self.size_of(ty).map_or(0, |(bytes, _)| bytes.saturating_mul(elements));
        let all = self.made.shared_bytes.entry(owner).or_default();
        let before = *all;
        *all = before.saturating_add(bytes);
        let all = *all;
        if before <= STATIC_SHARED_MEMORY && all > STATIC_SHARED_MEMORY {
            let text = format!(
                "with `{}` the shared data of a block take {all} bytes, and at most {STATIC_SHARED_MEMORY} can be declared",
                p.name
            );
            self.reporter.error_help::<()>(
                Code::BadSharedData,
                p.span,
                text,
                "declare it with `(*)` and launch with `<<<grid, block, bytes>>>`; the limit of that can be raised",
            );
        }
    }

    fn constant_rule(&mut self, p: &DeclaredName<'a>, ty: &Type, shape: &Shape, owner: Option<ProcId>, span: Span) {
        let name = &p.name;
        for (what, given) in [("allocatable", p.allocatable), ("a pointer", p.pointer), ("a target", p.target)] {
            if given.is_some() {
                let text = format!("constant data `{name}` cannot be {what}");
                self.reporter.error::<()>(Code::BadConstantData, span, text);
                return;
            }
        }
        if let (Some(id), CodeSide::Host) = (owner, self.cx.side)
            && p.dummy.is_none()
        {
            let place = if self.defs.main == Some(id) { "a main program" } else { "a host procedure" };
            let text = format!("constant data `{name}` cannot be declared in {place}");
            self.reporter.error_help::<()>(Code::BadConstantData, span, text, "declare it in a module");
            return;
        }
        if p.dummy.is_some() {
            return;
        }
        if shape.constant_bounds().is_none() {
            let text = format!("bounds of constant data `{name}` must be constant");
            self.reporter.error::<()>(Code::BadConstantData, span, text);
            return;
        }
        let elements = elements_of(shape).unwrap_or(u64::MAX);
        let bytes = self.size_of(ty).map_or(0, |(bytes, _)| bytes.saturating_mul(elements));
        let before = self.made.constant_bytes;
        self.made.constant_bytes = before.saturating_add(bytes);
        if before <= CONSTANT_MEMORY && self.made.constant_bytes > CONSTANT_MEMORY {
            let all = self.made.constant_bytes;
            let text = format!("with `{name}` the constant data take {all} bytes, and a device has {CONSTANT_MEMORY}");
            self.reporter.error_help::<()>(Code::BadConstantData, span, text, "make it `device` data");
        }
    }
}

impl DeclaredName<'_> {
    fn init_none(&self) -> bool {
        matches!(self.init, Init::None)
    }
}

/// The procedure of device code that has a name.
fn device_intrinsic(name: &str) -> Option<Intrinsic> {
    Intrinsic::from_name(name).filter(|id| id.class() == Class::Device)
}

impl Typing<'_> {
    /// Checks a name that is declared as a procedure.
    pub(crate) fn check_procedure_name(&mut self, p: &DeclaredName<'_>) -> Option<()> {
        if let Some((attr, span)) = p.cuda {
            let text = format!("`{}` is a procedure and cannot be {} data", p.name, spelling(attr));
            return self.reporter.error(Code::TwoDataAttributes, span, text);
        }
        if p.dummy.is_none() { self.check_device_name(&p.name, p.span) } else { Some(()) }
    }

    /// Device code knows the procedures of module `cudadevice`, so that their names mean nothing else there (rule 8).
    pub(crate) fn check_device_name(&mut self, name: &str, span: Span) -> Option<()> {
        if !self.cx.side.on_device() || device_intrinsic(name).is_none() {
            return Some(());
        }
        let text = format!("`{name}` is a procedure of device code and cannot be declared anew");
        let help = "choose another name, or remove the declaration to call the procedure";
        self.reporter.error_help(Code::DeviceIntrinsicRedeclared, span, text, help)
    }

    /// Bounds of shared arrays must be the same for all threads of a block (rule 22).
    fn shared_bounds_rule(&mut self, p: &DeclaredName<'_>, shape: &Shape) {
        let (Shape::Explicit(dims) | Shape::AssumedSize(dims, _)) = shape else { return };
        let mut varies = false;
        for e in dims.iter().flat_map(|d| [&d.lower, &d.upper]) {
            visit::descend(e, &mut |node| {
                varies |= matches!(node.kind, ExprKind::Special { index: 0..=2, .. });
                !varies
            });
        }
        if varies {
            let text = format!("bounds of shared array `{}` differ between threads", p.name);
            self.reporter.error_help::<()>(
                Code::SharedBoundsVary,
                p.span,
                text,
                "use a bound that all threads of the block agree on",
            );
        }
    }

    fn shared_rule(&mut self, p: &DeclaredName<'_>, owner: Option<ProcId>, span: Span) {
        let name = &p.name;
        if owner.is_none() || matches!(self.cx.side, CodeSide::Host | CodeSide::CufKernel) {
            let text = format!("shared data `{name}` must be declared in device code");
            self.reporter.error_help::<()>(Code::BadSharedData, span, text, "declare it in the kernel that uses it");
            return;
        }
        for (what, given) in [("allocatable", p.allocatable), ("a pointer", p.pointer), ("a target", p.target)] {
            if given.is_some() {
                let text = format!("shared data `{name}` cannot be {what}");
                self.reporter.error::<()>(Code::BadSharedData, span, text);
                return;
            }
        }
        if !p.init_none() || p.data {
            let text = format!("shared data `{name}` cannot have an initial value");
            self.reporter.error_help::<()>(
                Code::BadSharedData,
                p.span,
                text,
                "let one thread assign it, then call `syncthreads()`",
            );
        }
    }

    /// Checks a component's CUDA attribute.
    pub(crate) fn check_cuda_component(
        &mut self,
        name: &str,
        attr: CudaAttr,
        span: Span,
        allocatable: bool,
        pointer: bool,
    ) {
        match attr {
            CudaAttr::Shared | CudaAttr::Constant => {
                let text = format!("component `{name}` cannot be {} data", spelling(attr));
                self.reporter.error::<()>(Code::BadDeviceComponent, span, text);
            }
            CudaAttr::Device if !allocatable && !pointer => {
                let text = format!("device component `{name}` must be allocatable or a pointer");
                self.reporter.error::<()>(Code::BadDeviceComponent, span, text);
            }
            _ => {}
        }
    }

    /// Checks the dummies of device code (rule 7).
    pub(crate) fn check_cuda_dummies(&mut self, id: ProcId) {
        let p = self.defs.proc(id);
        let (kind, name) = (p.kind, p.name.clone());
        if kind == ProcKind::Host || self.defs.proc_info(id).embedded {
            return;
        }
        for param in p.params.clone() {
            let var = self.defs.var(param).clone();
            if kind == ProcKind::Kernel {
                let what = if var.attrs.copied {
                    Some("optional and have `value`")
                } else if var.attrs.pointer && var.attrs.cuda != Some(CudaAttr::Device) {
                    Some("a pointer")
                } else if matches!(var.storage, Storage::Procedure) {
                    Some("a procedure")
                } else {
                    None
                };
                if let Some(what) = what {
                    let text = format!("argument `{}` of kernel `{name}` cannot be {what}", var.name);
                    self.reporter.error::<()>(Code::BadDeviceDummy, var.span, text);
                }
            }
            if let Some(attr @ (CudaAttr::Constant | CudaAttr::Pinned | CudaAttr::Unified)) = var.attrs.cuda {
                let text = format!("`{}` means nothing on argument `{}` of device code", word(attr), var.name);
                self.reporter.report(
                    Diagnostic::new(Code::DummyAttributeIgnored, var.span, text).help("use `device`, or nothing"),
                );
            }
        }
    }
}
