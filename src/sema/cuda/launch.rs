//! Kernel launches: the configuration between the chevrons (CUDA Fortran guide, 3.4).

use crate::checked::{Const, Expr, ExprKind, LaunchGrid, LaunchSpec, StmtKind, Type};
use crate::checker::Checker;
use crate::typing::{Argument, Fit, Typing, shape_name};
use ast::GlobalLaunch;
use diag::{Code, Diagnostic};
use source::Span;

/// What the fourth number between the chevrons is.
const STREAM: &str = "the stream";

/// The most threads of a block.
const MOST_THREADS: i64 = 1024;

impl Checker<'_> {
    /// The typed configuration.
    pub(crate) fn launch_spec(&mut self, launch: &GlobalLaunch) -> Option<LaunchSpec> {
        let grid = match &launch.grid {
            Some(e) => Some(self.extents(e, "grid")),
            None => None,
        };
        let block = self.extents(&launch.block, "block");
        let bytes = self.launch_number(launch.bytes.as_ref(), "the bytes of shared memory");
        let stream = self.launch_number(launch.stream.as_ref(), STREAM);
        let grid = match grid {
            Some(grid) => Some(grid?),
            None => None,
        };
        let block = block?;
        self.typing().check_limits(&block, launch.block.span);
        Some(LaunchSpec { grid, block, bytes: bytes?, stream: stream? })
    }

    #[allow(clippy::option_option)]
    fn launch_number(&mut self, e: Option<&ast::Expr>, what: &str) -> Option<Option<Expr>> {
        let Some(e) = e else { return Some(None) };
        let value = self.expr(e)?;
        // nvfortran takes a real number of bytes, and programs compute it so.
        let takes_real = what != STREAM;
        if !(matches!(value.ty, Type::Integer(_)) || takes_real && matches!(value.ty, Type::Real(_))) || value.rank != 0
        {
            let text = format!("{what} must be an integer, not {}", shape_name(&self.defs, &value.ty, value.rank));
            return self.reporter.error(Code::BadLaunchParameter, e.span, text);
        }
        self.typing().check_host_value(&value);
        self.typing().convert(value, &Type::Integer(8)).map(Some)
    }

    fn extents(&mut self, e: &ast::Expr, what: &str) -> Option<LaunchGrid> {
        let value = self.expr(e)?;
        self.typing().check_host_value(&value);
        let is_dim3 = matches!(value.ty, Type::Derived(id) if &*self.defs.ty(id).name == "dim3");
        match value.ty {
            Type::Integer(_) if value.rank == 0 => {
                Some(LaunchGrid::Int(self.typing().convert(value, &Type::Integer(4))?))
            }
            Type::Derived(_) if is_dim3 && value.rank == 0 => Some(LaunchGrid::Dim3(value)),
            _ => {
                let text = format!(
                    "the {what} must be an integer or `type(dim3)`, not {}",
                    shape_name(&self.defs, &value.ty, value.rank)
                );
                self.reporter.error_help(
                    Code::BadLaunchParameter,
                    e.span,
                    text,
                    "write `dim3(x, y, z)` for more than one dimension",
                )
            }
        }
    }

    /// A launch of a kernel whose arguments fit.
    pub(crate) fn launch(
        &mut self,
        fit: &Fit,
        config: LaunchSpec,
        args: Vec<Argument>,
        span: Span,
    ) -> Option<StmtKind> {
        let cooperative = self.defs.proc(fit.proc).cooperative || config.grid.is_none();
        if self.cx.side.on_device() && cooperative {
            let text = format!("cooperative kernel `{}` is launched from device code", self.defs.proc(fit.proc).name);
            return self.reporter.error_help(Code::NestedLaunch, span, text, "launch it from host code");
        }
        self.check_call(fit.proc, span)?;
        let args = self.pass(fit, args)?;
        Some(StmtKind::Launch { proc: fit.proc, config, args })
    }
}

impl Typing<'_> {
    /// Warns of constant blocks that no device can run; programs do so on purpose to see the error.
    fn check_limits(&mut self, block: &LaunchGrid, span: Span) {
        let number = |e: &Expr| match e.kind {
            ExprKind::Const(Const::Int(v)) => Some(v),
            _ => None,
        };
        let threads = match block {
            LaunchGrid::Int(e) => number(e),
            LaunchGrid::Dim3(Expr { kind: ExprKind::Construct { fields, .. }, .. }) => fields
                .iter()
                .map(|f| f.as_ref().and_then(number))
                .try_fold(1i64, |n, v| v.and_then(|v| n.checked_mul(v))),
            LaunchGrid::Dim3(_) => None,
        };
        if let Some(n) = threads.filter(|n| *n > MOST_THREADS || *n < 1) {
            let text = format!("a block of {n} threads: it can have 1 to {MOST_THREADS}");
            self.reporter.report(Diagnostic::new(Code::LaunchBeyondLimits, span, text).note("the launch will fail"));
        }
    }
}
