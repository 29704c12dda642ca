//! `--check fp` in a launch: which operations made a NaN or an infinity, or lost a value on its way to an integer.
//!
//! Compiled code tests each result (`lower::reals`) and reports suspicious operations with their operands. An operation is to
//! blame for a NaN if no operand is a NaN, and for an infinity if all operands are finite; later operations that only pass
//! them on are not reported. Findings of one kind at one place are counted; the first thread in schedule order is shown.

use crate::report;
use crate::schedule::Grid;
use crate::symbolize::Memories;
use finding::{Access, Actor, Finding, FindingKind};
use ir::Ty;
use scalar::lanes;
use source::Span;
use std::collections::BTreeMap;
use text::Value;
use vm::{Program, RtRequest, Warp};

/// The faulty operations of a launch, by place and kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct RealFaults {
    seen: BTreeMap<(Span, &'static str), Finding>,
}

impl RealFaults {
    /// The findings, in the order of the source.
    pub(crate) fn findings(self) -> impl Iterator<Item = Finding> {
        self.seen.into_values()
    }

    fn note(&mut self, span: Span, kind: FindingKind, finding: impl FnOnce(FindingKind) -> Finding) {
        self.seen.entry((span, kind.code(&[]).id())).and_modify(|f| f.count += 1).or_insert_with(|| finding(kind));
    }
}

impl RealFaults {
    /// Serves the request of a warp of the running block, in which compiled code reports operations.
    pub(crate) fn serve(
        &mut self,
        program: &Program,
        memory: &mem::Memory,
        grid: &mut Grid,
        number: usize,
        request: &RtRequest,
    ) {
        let span = program.span(request.site);
        if let Some(block) = grid.active.front()
            && let Some(warp) = block.warps.get(number)
        {
            for lane in lanes(request.mask) {
                let from = Memories { memory, shared: &block.shared, warp };
                let Some(kind) = to_blame(warp, request, lane, from) else { continue };
                self.note(span, kind, |kind| {
                    let who = Actor::Thread(report::thread(grid, block.linear, warp.number() * 32 + lane as u32));
                    let stack = report::stack_of(program, warp, lane as u32, request.site);
                    let access = Access::step(who, span).stack(stack);
                    Finding::new(kind, vec![access])
                        .in_launch(report::launch_info(program, grid))
                        .with_seed(grid.replay)
                });
            }
        }
        if let Some(warp) = grid.active.front_mut().and_then(|b| b.warps.get_mut(number)) {
            warp.answer(program, |_, _| 0);
        }
    }
}

/// What the operation of a lane is to blame for.
fn to_blame(warp: &Warp<32>, request: &RtRequest, lane: usize, from: Memories<'_>) -> Option<FindingKind> {
    let arg = |i| warp.arg(request, i, lane);
    let name = || {
        let mut bytes = vec![0; (arg(2) as usize).min(64)];
        from.read(lane, arg(1), &mut bytes).map_or_else(String::new, |()| String::from_utf8_lossy(&bytes).into_owned())
    };
    let count = (arg(4) as usize).min(3);
    let operands: Vec<f64> = (0..count).map(|i| f64::from_bits(arg(5 + i))).collect();
    let shown = || -> Vec<String> {
        let ty = if arg(3) == 4 { Ty::F32 } else { Ty::F64 };
        let bits = |v: &f64| scalar::bits::convert(Ty::F64, ty, v.to_bits());
        operands.iter().map(|v| text::display(Value::Real { ty, bits: bits(v) })).collect()
    };
    let result = f64::from_bits(arg(8));
    match arg(0) {
        2 => Some(FindingKind::DeviceDivisionByZero),
        1 => {
            let value = shown().pop().unwrap_or_default();
            Some(FindingKind::ConversionOutOfRange { to: name(), value })
        }
        _ if result.is_nan() && !operands.iter().any(|v| v.is_nan()) => {
            Some(FindingKind::Nan { operation: name(), operands: shown() })
        }
        _ if result.is_infinite() && operands.iter().all(|v| v.is_finite()) => {
            Some(FindingKind::Infinity { operation: name(), operands: shown() })
        }
        _ => None,
    }
}
