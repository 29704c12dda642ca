//! Device data in host statements: copies and implicit transfers (rules 41 to 45).

use super::is_device_only;
use crate::checked::{
    Actual, Class, Expr, ExprKind, Intrinsic, Program, Shape, Type, VarId, is_designator, root, visit,
};
use crate::checker::CodeSide;
use crate::typing::{Typing, shape_of, space_of};
use diag::{Code, Diagnostic};
use source::Span;

/// A part of an expression that is device data.
pub(crate) struct DeviceUse {
    pub(crate) var: VarId,
    pub(crate) span: Span,
    pub(crate) is_plain_scalar: bool,
}

/// Whether a transformational function of host code works on device data where it lies.
fn takes_device_data(id: Intrinsic) -> bool {
    matches!(
        id,
        Intrinsic::Sum
            | Intrinsic::Maxval
            | Intrinsic::Minval
            | Intrinsic::Product
            | Intrinsic::Matmul
            | Intrinsic::Transpose
            | Intrinsic::Reshape
            | Intrinsic::Spread
            | Intrinsic::Any
            | Intrinsic::All
            | Intrinsic::Count
            | Intrinsic::DotProduct
            | Intrinsic::Norm2
            | Intrinsic::Maxloc
            | Intrinsic::Minloc
    )
}

/// An expression without parentheses and conversions.
fn bare(e: &Expr) -> &Expr {
    match &e.kind {
        ExprKind::Convert(inner) => bare(inner),
        _ => e,
    }
}

impl Typing<'_> {
    /// Checks an assignment of host code for what data transfers can do.
    pub(crate) fn check_transfer(&mut self, target: &Expr, value: &Expr, span: Span) -> Option<()> {
        if self.cx.side != CodeSide::Host {
            return Some(());
        }
        let copied = bare(value);
        let mut subscripts = Vec::new();
        subscript_uses(self.defs, target, &mut subscripts);
        subscript_uses(self.defs, copied, &mut subscripts);
        self.report_uses(subscripts);
        let to_device = is_device_only(space_of(self.defs, target));
        if is_designator(copied) {
            for end in [target, copied] {
                if is_whole_assumed_size(self.defs, end) {
                    let text = "an assumed-size array cannot be copied as a whole";
                    return self.reporter.error_help(
                        Code::AssumedSizeTransfer,
                        end.span,
                        text,
                        "write a section with all bounds",
                    );
                }
            }
            return Some(());
        }
        let uses = device_uses(self.defs, value);
        let Some(first) = uses.first().filter(|_| !self.cx.in_region) else { return Some(()) };
        if let Some(other) = uses.iter().find(|u| u.var != first.var) {
            let text = "more than one device object on the right-hand side of a host assignment";
            let (a, b) = (first.span, other.span);
            self.reporter.report(
                Diagnostic::new(Code::SeveralDeviceObjects, b, text).secondary(a, "the first one is here").help(
                    "compute it in a kernel or in a `!$cuf kernel do` loop, or copy the objects to host data first",
                ),
            );
            return None;
        }
        if to_device {
            let text = "host code can copy device data, but not compute with it";
            self.reporter.report(
                Diagnostic::new(Code::UnsupportedTransfer, span, text)
                    .secondary(first.span, "device data")
                    .help("compute it in a kernel or in a `!$cuf kernel do` loop"),
            );
            return None;
        }
        Some(())
    }

    /// Checks a host reference to a transformational function for device arguments that it cannot take (rule 32).
    pub(crate) fn check_host_intrinsic(&mut self, id: Intrinsic, args: &[Option<Expr>]) -> Option<()> {
        if self.cx.side != CodeSide::Host || id.class() != Class::Transformational || takes_device_data(id) {
            return Some(());
        }
        let found =
            args.iter().flatten().find(|e| e.rank > 0 && is_designator(e) && is_device_only(space_of(self.defs, e)));
        let Some(e) = found else { return Some(()) };
        let text = format!("`{}` works on host data, and its argument is device data", id.name());
        self.reporter.error_help(
            Code::HostIntrinsicOnDeviceData,
            e.span,
            text,
            "copy it to host data first, or use it in device code",
        )
    }

    /// Checks a value that a host statement needs outside of an assignment.
    pub(crate) fn check_host_value(&mut self, e: &Expr) {
        if self.cx.side != CodeSide::Host {
            return;
        }
        let uses = device_uses(self.defs, e);
        self.report_uses(uses);
    }

    /// Reports device data whose values host code needs.
    fn report_uses(&mut self, uses: Vec<DeviceUse>) {
        if self.cx.in_region {
            return;
        }
        for used in uses {
            let name = self.defs.var(used.var).name.clone();
            if used.is_plain_scalar {
                let text = format!("host code reads device scalar `{name}`, which is copied each time");
                self.reporter.report(
                    Diagnostic::new(Code::StaleHostCopy, used.span, text).help("copy it to a host variable first"),
                );
            } else {
                let text = format!("device data `{name}` is used in host code");
                self.reporter.error_help::<()>(
                    Code::DeviceDataInHostCode,
                    used.span,
                    text,
                    "copy it to host data first",
                );
            }
        }
    }

    /// Checks an item of an input or output statement of host code.
    pub(crate) fn check_io_value(&mut self, e: &Expr) -> Option<()> {
        if self.cx.side != CodeSide::Host {
            return Some(());
        }
        let uses = device_uses(self.defs, e);
        let Some(used) = uses.first() else { return Some(()) };
        let name = self.defs.var(used.var).name.clone();
        let text = format!("device data `{name}` in an input/output statement");
        self.reporter.error_help(Code::DeviceDataInIo, used.span, text, "copy it to host data first")
    }
}

/// The device objects whose values an expression of host code needs. Inquiries need none, arguments of calls and of
/// reductions that the device computes are handed over as they are.
pub(crate) fn device_uses(program: &Program, e: &Expr) -> Vec<DeviceUse> {
    let mut found = Vec::new();
    visit::descend(e, &mut |node| {
        match &node.kind {
            ExprKind::Intrinsic { id, .. } => return !(id.class() == Class::Inquiry || takes_device_data(*id)),
            ExprKind::Call { args, .. } => {
                // Arguments are handed over as they are; their subscripts are computed here.
                for arg in args.iter().flatten() {
                    if let Actual::Expr(e) = arg {
                        subscript_uses(program, e, &mut found);
                    }
                }
                return false;
            }
            _ => {}
        }
        // The length parameters of an object are known without it.
        let is_held = |base: &Expr, field: u32| matches!(base.ty, Type::Derived(id) if program.ty(id).fields.get(field as usize).is_some_and(|f| f.is_parameter));
        if matches!(&node.kind, ExprKind::Field { base, field } if is_held(base, *field)) {
            return false;
        }
        if is_designator(node) {
            if is_device_only(space_of(program, node))
                && let Some(var) = root(node)
            {
                let is_plain_scalar = matches!(node.kind, ExprKind::Var(_)) && node.rank == 0;
                found.push(DeviceUse { var, span: node.span, is_plain_scalar });
                return false;
            }
        }
        true
    });
    found
}

fn subscript_uses(program: &Program, e: &Expr, found: &mut Vec<DeviceUse>) {
    match &e.kind {
        ExprKind::Element { base, subs } => {
            found.extend(subs.iter().flat_map(|s| device_uses(program, s)));
            subscript_uses(program, base, found);
        }
        ExprKind::Section { base, subs } => {
            found.extend(subs.iter().flat_map(visit::subscript_exprs).flat_map(|s| device_uses(program, s)));
            subscript_uses(program, base, found);
        }
        ExprKind::Field { base, .. } | ExprKind::Substring { base, .. } => subscript_uses(program, base, found),
        _ => {}
    }
}

fn is_whole_assumed_size(program: &Program, e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Var(_)) && matches!(shape_of(program, e), Some(Shape::AssumedSize(..)))
}
