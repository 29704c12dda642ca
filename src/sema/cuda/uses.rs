//! Uses of variables: which data code on the device may touch, and where an object lives.

use super::Builtin;
use crate::checked::{CharLen, Expr, ExprKind, Storage, Type, VarId, is_designator, root};
use crate::checker::{Checker, CodeSide, Definitions, Sym};
use crate::typing::{Typing, is_implicitly_managed, space_of, type_name};
use ast::{CudaAttr, Name};
use diag::{Code, Diagnostic};
use source::Span;

impl Checker<'_> {
    /// What the embedded module of device procedures says of a name: device code uses that module without saying so.
    pub(crate) fn device_module_name(&mut self, name: &str) -> Option<Sym> {
        if !self.cx.side.on_device() || self.cx.debugger {
            return None;
        }
        let at = self.scopes.module_named("cudadevice")?;
        if !self.scopes.module(at).embedded {
            return None;
        }
        self.resolve_module(at, Span::NONE);
        self.scopes.module(at).exports.get(name).map(|e| e.sym.clone())
    }

    /// What a name of `iso_c_binding` means without that module: nvfortran's `cudafor` brings it in, where nothing else has the name.
    pub(crate) fn name_of_c(&mut self, name: &str) -> Option<Sym> {
        if self.cx.debugger || !name.starts_with("c_") || !self.scopes.reaches_module(self.cx.scope, "cudafor") {
            return None;
        }
        let at = self.scopes.module_named("iso_c_binding").filter(|&at| self.scopes.module(at).embedded)?;
        self.resolve_module(at, Span::NONE);
        self.scopes.module(at).exports.get(name).map(|e| e.sym.clone())
    }

    /// What the name of a routine of CUDA's runtime means in host code without `use cudafor`, which nvfortran's run-time library has
    /// all the same.
    pub(crate) fn runtime_routine(&mut self, name: &Name) -> Option<Sym> {
        if self.cx.side != CodeSide::Host || self.cx.debugger || !name.as_str().starts_with("cuda") {
            return None;
        }
        let at = self.scopes.module_named("cudafor").filter(|&at| self.scopes.module(at).embedded)?;
        self.resolve_module(at, Span::NONE);
        let sym = self.scopes.module(at).exports.get(&name.text).map(|e| e.sym.clone())?;
        if !matches!(sym, Sym::Proc(_) | Sym::Generic { .. }) {
            return None;
        }
        let text = format!("`{}` is called without `use cudafor`, which declares it", name.as_str());
        self.reporter.report(Diagnostic::new(Code::RuntimeWithoutUse, name.span, text).help("add `use cudafor`"));
        Some(sym)
    }
}

impl Typing<'_> {
    /// Checks that code may use a variable where it stands; says whether it may.
    pub(crate) fn check_variable_use(&mut self, id: VarId, span: Span) -> bool {
        !self.cx.has_side() || self.check_data_use(id, span)
    }

    /// The same where the value of the variable is needed for sure, as that of a bound.
    pub(crate) fn check_data_use(&mut self, id: VarId, span: Span) -> bool {
        let var = self.defs.var(id);
        let is_string = matches!(var.ty, Type::Character(CharLen::Const(n)) if n != 1);
        let is_of_module = var.owner.is_none() && super::is_device_only(var.attrs.cuda);
        if self.cx.side.on_device() && is_string && is_of_module && !self.options.charstring {
            let (name, ty) = (var.name.clone(), var.ty.clone());
            self.no_strings_on_device(&name, &ty, span);
            return false;
        }
        let is_made = matches!(var.ty, Type::Derived(id) if self.defs.ty(id).is_made);
        if is_made && var.attrs.cuda.is_some() && matches!(self.cx.side, CodeSide::Device | CodeSide::Both) {
            let text = format!("polymorphic managed object `{}` with run-time lengths in device code", var.name);
            self.reporter.refuse::<()>(span, text);
            return false;
        }
        let rank = var.shape.rank();
        let plain = matches!(var.attrs.cuda, None | Some(CudaAttr::Pinned));
        let excused = self.options.unified || (self.options.managed && var.is_managed_by_option());
        let is_host_data = match self.cx.side {
            CodeSide::Host | CodeSide::Both => false,
            CodeSide::Device => {
                let is_static =
                    matches!(var.storage, Storage::Static | Storage::Pointee(_) | Storage::Associated { .. });
                plain && !excused && var.owner.is_none() && is_static
            }
            CodeSide::CufKernel => {
                let data = match &var.storage {
                    Storage::Parameter | Storage::Procedure => false,
                    Storage::Alias(target) => {
                        let target = target.clone();
                        return self.alias_use(&target, span);
                    }
                    _ => true,
                };
                data && plain && !excused && rank > 0 && !self.is_loop_local(id)
            }
        };
        if !is_host_data {
            return true;
        }
        let var = self.defs.var(id);
        if is_made && self.defs.var_info(id).is_constant {
            let text = format!("named constant `{}` of a type with run-time lengths in device code", var.name);
            self.reporter.refuse::<()>(span, text);
            return false;
        }
        let what = if rank > 0 { "host array" } else { "host variable" };
        let text = format!("{what} `{}` is used in device code", var.name);
        let help = if matches!(self.cx.side, CodeSide::Device) && rank == 0 {
            format!("pass `{}` as an argument with `value`, or declare it `device`, `constant` or `managed`", var.name)
        } else {
            format!("declare `{}` with `device` or `managed`, and copy the data", var.name)
        };
        let d = Diagnostic::new(Code::HostDataInDeviceCode, span, text)
            .secondary(var.span, "declared here without a CUDA attribute");
        self.reporter.report(d.help(help));
        false
    }

    /// Reports a variable of characters longer than 1.
    pub(super) fn no_strings_on_device(&mut self, name: &str, ty: &Type, span: Span) {
        let text =
            format!("`{name}` is `{}`, and device code has only characters of length 1", type_name(self.defs, ty));
        let help = "use an array of `character(len=1)`, or compile with `-cuda=charstring`";
        self.reporter.error_help::<()>(Code::TypeNotOnDevice, span, text, help);
    }

    fn alias_use(&mut self, target: &Expr, span: Span) -> bool {
        match root(target) {
            Some(id) if is_designator(target) && target.rank > 0 => {
                if super::is_device_only(space_of(self.defs, target)) || space_of(self.defs, target).is_some() {
                    return true;
                }
                self.check_variable_use(id, span)
            }
            _ => true,
        }
    }

    /// Array components of host objects cannot be reached from a `!$cuf` loop, where objects go by value.
    pub(crate) fn check_component_use(&mut self, e: &Expr) -> Option<()> {
        let ExprKind::Field { .. } = e.kind else { return Some(()) };
        let excused = self.options.unified || (self.options.managed && is_implicitly_managed(self.defs, e));
        if self.cx.side != CodeSide::CufKernel
            || excused
            || space_of(self.defs, e).is_some_and(|a| a != CudaAttr::Pinned)
        {
            return Some(());
        }
        let Some(id) = root(e).filter(|id| !self.is_loop_local(*id)) else { return Some(()) };
        let var = self.defs.var(id);
        if matches!(var.storage, Storage::Parameter) {
            return Some(());
        }
        let text = format!("an array component of host object `{}` is used in device code", var.name);
        let d = Diagnostic::new(Code::HostDataInDeviceCode, e.span, text)
            .secondary(var.span, "declared here without a CUDA attribute");
        self.reporter.report(d.help("declare the object or the component with `device` or `managed`"));
        None
    }

    /// Whether a variable comes to life inside the current `!$cuf` loop.
    fn is_loop_local(&self, id: VarId) -> bool {
        self.cx.cuf_first_var.is_some_and(|first| is_own(self.defs, first, id))
    }

    /// Checks that a predefined variable may stand here.
    pub(crate) fn check_builtin(&mut self, builtin: Builtin, span: Span) -> Option<()> {
        if self.cx.side != CodeSide::Host || self.cx.debugger {
            return Some(());
        }
        self.not_on_host(span, format!("`{}` has a value in device code only", builtin.name()))
    }

    /// Reports a feature of device code in host code. In a procedure one attribute may mend all of them.
    pub(crate) fn not_on_host<T>(&mut self, span: Span, text: String) -> Option<T> {
        let d = Diagnostic::new(Code::DeviceFeatureInHostCode, span, text);
        let Some(proc) = self.cx.proc.filter(|&p| self.defs.main != Some(p)) else {
            self.reporter.report(d);
            return None;
        };
        let name = &self.defs.proc(proc).name;
        let help = if self.defs.proc(proc).is_function {
            format!("declare `{name}` with `attributes(device)`")
        } else {
            format!("declare `{name}` with `attributes(global)` if it is a kernel, or with `attributes(device)`")
        };
        self.reporter.report_once(proc, d.help(help))
    }

    /// Checks an assignment's left side against the rules of device code.
    pub(crate) fn check_device_target(&mut self, target: &Expr) -> Option<()> {
        if self.cx.side == CodeSide::Host {
            return Some(());
        }
        let Some(id) = root(target) else { return Some(()) };
        let var = self.defs.var(id);
        if space_of(self.defs, target) == Some(CudaAttr::Constant) {
            let text = format!("`{}` is constant data and cannot be changed by device code", var.name);
            let help = "assign it in host code before the launch";
            return self.reporter.error_help(Code::NotDefinableInDeviceCode, target.span, text, help);
        }
        if var.attrs.cuda == Some(CudaAttr::Texture) {
            let text = format!("`{}` is a texture, which device code can only read", var.name);
            return self.reporter.error(Code::NotDefinableInDeviceCode, target.span, text);
        }
        Some(())
    }
}

/// The same for the loop whose variables begin with number `first`. A variable by the implicit rules belongs to the
/// subprogram, wherever its name comes first.
pub(crate) fn is_own(defs: &Definitions<'_>, first: u32, id: VarId) -> bool {
    id.0 >= first && !defs.var_info(id).implicit
}
