//! Launches, CUF kernels and the directive `ignore_tkr`.

use super::Builder;
use crate::grammar::{Pair, Rule};
use ast::{CufKernel, CufReduce, CufSize, DeclKind, Expr, GlobalLaunch, Name};
use diag::{Code, Diagnostic};

/// What stands after grid and block between chevrons.
#[derive(Default)]
struct LaunchOptions {
    bytes: Option<Expr>,
    stream: Option<Expr>,
}

impl Builder<'_> {
    /// `launch`
    pub(crate) fn launch(&mut self, pair: Pair<'_>) -> GlobalLaunch {
        let span = self.span(&pair);
        let mut inner = pair.into_inner();
        let grid = inner.next().and_then(|p| self.optional_expr(p));
        let block = self.next_expr(&mut inner);
        let LaunchOptions { bytes, stream } = self.launch_options(inner);
        GlobalLaunch { grid, block, bytes, stream, span }
    }

    fn launch_options<'i>(&mut self, pairs: impl Iterator<Item = Pair<'i>>) -> LaunchOptions {
        let mut options = LaunchOptions::default();
        for (position, pair) in pairs.enumerate() {
            let span = self.span(&pair);
            let keyword = pair.clone().into_inner().find(|p| p.as_rule() == Rule::keyword).map(|p| self.name(&p));
            let value = self.first_expr(pair);
            let slot = match keyword.as_ref().map(Name::as_str) {
                None if position == 0 => &mut options.bytes,
                Some("stream") => &mut options.stream,
                None if position == 1 => &mut options.stream,
                None => {
                    self.report(
                        Diagnostic::new(Code::SyntaxError, span, "too many items between the chevrons")
                            .help("a launch has grid, block, bytes of shared memory and stream"),
                    );
                    continue;
                }
                Some(word) => {
                    let message = format!("`{word}=` cannot stand between the chevrons");
                    self.report(
                        Diagnostic::new(Code::SyntaxError, span, message).help("the only keyword there is `stream=`"),
                    );
                    continue;
                }
            };
            if slot.replace(value).is_some() {
                self.report(Diagnostic::new(Code::SyntaxError, span, "the stream of a launch is given twice"));
            }
        }
        options
    }

    /// `cuf_kernel`
    pub(crate) fn cuf_kernel(&mut self, pair: Pair<'_>) -> CufKernel {
        let span = self.span(&pair);
        let mut kernel = CufKernel {
            depth: None,
            grid: Vec::new(),
            block: Vec::new(),
            bytes: None,
            stream: None,
            reduce: Vec::new(),
            body: None,
            span,
        };
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::cuf_launch => {
                    let mut inner = part.into_inner();
                    kernel.grid = inner.next().map(|p| self.extents(p)).unwrap_or_default();
                    kernel.block = inner.next().map(|p| self.extents(p)).unwrap_or_default();
                    let LaunchOptions { bytes, stream } = self.launch_options(inner);
                    (kernel.bytes, kernel.stream) = (bytes, stream);
                }
                Rule::cuf_reduce => kernel.reduce.push(self.cuf_reduce(part)),
                Rule::expr => kernel.depth = Some(self.expr(part)),
                _ => {}
            }
        }
        kernel
    }

    fn extents(&mut self, pair: Pair<'_>) -> Vec<CufSize> {
        let sizes = pair.into_inner();
        sizes.map(|size| self.optional_expr(size).map_or(CufSize::Star, CufSize::Expr)).collect()
    }

    /// `cuf_reduce`
    pub(crate) fn cuf_reduce(&mut self, pair: Pair<'_>) -> CufReduce {
        let op = pair.clone().into_inner().find(|p| p.as_rule() == Rule::reduce_op);
        let op = op.map_or("+", |p| p.as_str());
        CufReduce { op: self.names.intern(op), vars: self.names_in(pair.into_inner()) }
    }

    /// `ignore_tkr`
    pub(crate) fn ignore_tkr(&mut self, pair: Pair<'_>) -> DeclKind {
        let mut items = Vec::new();
        for item in pair.into_inner().filter(|p| p.as_rule() == Rule::ignore_item) {
            let mut letters = self.names.intern("");
            for part in item.into_inner() {
                if part.as_rule() == Rule::ignore_letters {
                    letters = self.names.intern(part.as_str());
                } else {
                    items.push((letters.clone(), self.name(&part)));
                }
            }
        }
        DeclKind::IgnoreTkr(items)
    }
}
