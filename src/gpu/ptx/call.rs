//! Parameters and calls (PTX ISA 7, "Abstracting the ABI").
//!
//! A value takes 32 or 64 bits of parameter memory. An object is passed as bytes, which the callee copies into its own local
//! memory. A PTX function has one result, so several results are one array of 8-byte cells. Calls are not `.uni`: the lanes of
//! a warp may diverge before one.

use super::EmitError;
use super::body::{Body, Width, ins};
use super::library::Helper;
use super::names::func_symbol;
use ir::{FuncId, FuncKind, Module, ParamKind, Reg, Space, Ty, Val};
use std::fmt::Write;

/// The head of a function, and how a kernel may be launched. Not every target has clusters.
pub(super) fn signature(module: &Module, id: FuncId, has_clusters: bool) -> String {
    let func = module.func(id);
    let mut out = declaration(module, id);
    let is_kernel = func.kind == FuncKind::Kernel;
    if is_kernel && let Some(threads) = func.max_threads {
        let _ = write!(out, "\n.maxntid {}, 1, 1", threads.max(1));
    }
    if is_kernel
        && has_clusters
        && let Some([x, y, z]) = func.cluster
    {
        let _ = write!(out, "\n.explicitcluster\n.reqnctapercluster {x}, {y}, {z}");
    }
    out
}

/// The head of a function: name and parameters, without a body.
pub(super) fn declaration(module: &Module, id: FuncId) -> String {
    let func = module.func(id);
    let mut out = String::new();
    let is_kernel = func.kind == FuncKind::Kernel;
    out.push_str(if is_kernel { ".visible .entry " } else { ".func " });
    if !is_kernel {
        out.push_str(&result_declaration(&func.results, "result"));
    }
    out.push_str(&func_symbol(module, id));
    out.push('(');
    for (i, param) in func.params.iter().enumerate() {
        out.push_str(if i == 0 { "\n\t" } else { ",\n\t" });
        out.push_str(&param_declaration(param.kind, func.ty(param.reg), &format!("param{i}")));
    }
    out.push_str(if func.params.is_empty() { ")" } else { "\n)" });
    out
}

fn result_declaration(results: &[Ty], name: &str) -> String {
    match results {
        [] => String::new(),
        [ty] => format!("(.param .{} {name}) ", Width::of(*ty).passed()),
        _ => format!("(.param .align 8 .b8 {name}[{}]) ", results.len() * 8),
    }
}

fn param_declaration(kind: ParamKind, ty: Ty, name: &str) -> String {
    match kind {
        ParamKind::Value => format!(".param .{} {name}", Width::of(ty).passed()),
        ParamKind::Bytes { bytes, align } => {
            let align = crate::params::bytes_align(align);
            format!(".param .align {align} .b8 {name}[{}]", bytes.max(1))
        }
    }
}

impl Body<'_, '_> {
    /// Calls a helper; arguments and result in the widths that it declares.
    pub(super) fn call_helper(&mut self, helper: Helper, args: &[String], result: Option<&str>) {
        helper.require(self.needs);
        let (params, gives) = helper.interface();
        self.call(helper.symbol(), params, args, gives, result);
    }

    /// Calls a function whose parameters and result are registers.
    fn call(&mut self, symbol: &str, params: &[Width], args: &[String], gives: Option<Width>, result: Option<&str>) {
        self.text.push_str("\t{\n");
        for (i, (param, arg)) in params.iter().zip(args).enumerate() {
            let ty = param.passed();
            ins!(self, ".param .{ty} arg{i}");
            ins!(self, "st.param.{ty} [arg{i}], {arg}");
        }
        let names: Vec<String> = (0..params.len()).map(|i| format!("arg{i}")).collect();
        let list = names.join(", ");
        match gives {
            Some(width) => {
                ins!(self, ".param .{} ret", width.passed());
                ins!(self, "call (ret), {symbol}, ({list})");
                if let Some(result) = result {
                    ins!(self, "ld.param.{} {result}, [ret]", width.passed());
                }
            }
            None => ins!(self, "call {symbol}, ({list})"),
        }
        self.text.push_str("\t}\n");
    }

    /// Reads the parameters of the function into their registers; objects are copied into local memory.
    pub(super) fn params(&mut self) {
        for (i, param) in self.func.params.iter().enumerate() {
            let name = format!("param{i}");
            match (param.kind, self.depot.params[i]) {
                (ParamKind::Value, _) => self.load_passed(self.func.ty(param.reg), param.reg, &name, 0),
                (ParamKind::Bytes { bytes, align }, offset) => {
                    let offset = offset.unwrap_or(0);
                    for (at, unit) in ParamKind::pieces(bytes, align) {
                        let (ty, temp) = self.piece(unit);
                        ins!(self, "ld.param.{ty} {temp}, [{name}+{at}]");
                        let place = format!("{}+{}", self.depot_name, offset + at);
                        ins!(self, "st.local.{ty} [{place}], {temp}");
                    }
                    self.depot_address(param.reg, offset);
                }
            }
            self.keep_variable(param.reg);
        }
    }

    /// A temporary for so many bytes, and the type to move them.
    pub(super) fn piece(&mut self, bytes: u64) -> (&'static str, String) {
        match bytes {
            8 => ("b64", self.temp(Width::W64)),
            4 => ("b32", self.temp(Width::W32)),
            2 => ("b16", self.temp(Width::W32)),
            _ => ("b8", self.temp(Width::W32)),
        }
    }

    /// Reads a value that was passed in parameter memory.
    fn load_passed(&mut self, ty: Ty, dst: Reg, name: &str, offset: usize) {
        let (width, reg) = (Width::of(ty), self.reg(dst));
        let at = if offset == 0 { name.to_owned() } else { format!("{name}+{offset}") };
        if width == Width::Pred {
            let temp = self.temp(Width::W32);
            ins!(self, "ld.param.b32 {temp}, [{at}]");
            ins!(self, "setp.ne.s32 {reg}, {temp}, 0");
        } else {
            ins!(self, "ld.param.{} {reg}, [{at}]", width.passed());
        }
    }

    /// Writes a value to parameter memory.
    pub(super) fn store_passed(&mut self, ty: Ty, value: Val, name: &str, offset: usize) {
        let at = if offset == 0 { name.to_owned() } else { format!("{name}+{offset}") };
        let text = self.raw(ty, value);
        if ty == Ty::Pred {
            let temp = self.temp(Width::W32);
            ins!(self, "selp.b32 {temp}, 1, 0, {text}");
            ins!(self, "st.param.b32 [{at}], {temp}");
        } else {
            ins!(self, "st.param.{} [{at}], {text}", Width::of(ty).passed());
        }
    }

    /// Calls a procedure of the module.
    pub(super) fn call_procedure(&mut self, id: FuncId, args: &[Val], results: &[Reg]) -> Result<(), EmitError> {
        let module = self.unit.module;
        let callee = module.func(id);
        if args.len() != callee.params.len() || results.len() != callee.results.len() {
            return self.refuse(format!("a call of `{}` with another number of arguments", callee.name));
        }
        self.text.push_str("\t{\n");
        for (i, (param, &arg)) in callee.params.iter().zip(args).enumerate() {
            let (ty, name) = (callee.ty(param.reg), format!("arg{i}"));
            ins!(self, "{}", param_declaration(param.kind, ty, &name));
            match param.kind {
                ParamKind::Value => self.store_passed(ty, arg, &name, 0),
                ParamKind::Bytes { bytes, align } => {
                    let (space, base) = self.place(Space::Generic, arg)?;
                    for (at, unit) in ParamKind::pieces(bytes, align) {
                        let (ty, temp) = self.piece(unit);
                        ins!(self, "ld{space}.{ty} {temp}, [{base}+{at}]");
                        ins!(self, "st.param.{ty} [{name}+{at}], {temp}");
                    }
                }
            }
        }
        let list = (0..args.len()).map(|i| format!("arg{i}")).collect::<Vec<_>>().join(", ");
        let symbol = func_symbol(module, id);
        if callee.results.is_empty() {
            ins!(self, "call {symbol}, ({list})");
        } else {
            let declaration = result_declaration(&callee.results, "ret");
            ins!(self, "{}", declaration.trim().trim_matches(['(', ')']));
            ins!(self, "call (ret), {symbol}, ({list})");
        }
        for (i, (&ty, &dst)) in callee.results.iter().zip(results).enumerate() {
            self.load_passed(ty, dst, "ret", i * 8);
        }
        self.text.push_str("\t}\n");
        Ok(())
    }
}
