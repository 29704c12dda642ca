//! The rules of CUDA Fortran: where data lives, who may touch it, and who may call whom.
//!
//! Numbers of codes are those of the rules (`E05…`). Follows the CUDA Fortran programming guide, chapters 2 and 3.

mod arguments;
mod barrier;
mod calls;
mod declare;
mod generics;
mod kernel_do;
mod kernel_do_uses;
mod launch;
mod transfer;
mod uses;

pub(crate) use generics::{are_distinguishable, is_ambiguous, takes_the_same};

use crate::checked::{Expr, ExprKind, Type};
use ast::CudaAttr;
use source::Span;

/// A data attribute as it is written.
pub(crate) fn word(attr: CudaAttr) -> &'static str {
    match attr {
        CudaAttr::Device => "device",
        CudaAttr::Managed => "managed",
        CudaAttr::Shared => "shared",
        CudaAttr::Constant => "constant",
        CudaAttr::Pinned => "pinned",
        CudaAttr::Texture => "texture",
        CudaAttr::Unified => "unified",
    }
}

/// A data attribute in a message.
pub(crate) fn spelling(attr: CudaAttr) -> String {
    format!("`{}`", word(attr))
}

/// A predefined variable of device code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Builtin {
    /// `threadidx`
    ThreadIdx,
    /// `blockdim`
    BlockDim,
    /// `blockidx`
    BlockIdx,
    /// `griddim`
    GridDim,
    /// `warpsize`
    WarpSize,
}

impl Builtin {
    /// The predefined variable of that name.
    pub(crate) fn of(name: &str) -> Option<Builtin> {
        Some(match name {
            "threadidx" => Builtin::ThreadIdx,
            "blockdim" => Builtin::BlockDim,
            "blockidx" => Builtin::BlockIdx,
            "griddim" => Builtin::GridDim,
            "warpsize" => Builtin::WarpSize,
            _ => return None,
        })
    }

    /// The name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Builtin::ThreadIdx => "threadidx",
            Builtin::BlockDim => "blockdim",
            Builtin::BlockIdx => "blockidx",
            Builtin::GridDim => "griddim",
            Builtin::WarpSize => "warpsize",
        }
    }

    /// A read of one axis: indices count from 1.
    pub(crate) fn read(self, axis: u8, span: Span) -> Expr {
        let (first, add) = match self {
            Builtin::ThreadIdx => (0, 1),
            Builtin::BlockDim => (3, 0),
            Builtin::BlockIdx => (6, 1),
            Builtin::GridDim | Builtin::WarpSize => (9, 0),
        };
        Expr { kind: ExprKind::Special { index: first + axis, add }, ty: Type::Integer(4), rank: 0, span }
    }
}

/// How far an actual argument's attribute is from its dummy's; `None` when they do not fit (guide, 3.2.3, table 2). `managed`
/// and `unified` say that plain host data counts as such by an option.
pub(crate) fn distance(dummy: Option<CudaAttr>, actual: Option<CudaAttr>, managed: bool, unified: bool) -> Option<u32> {
    use CudaAttr::{Constant, Device, Managed, Pinned, Shared, Texture, Unified};
    let plain = |a: Option<CudaAttr>| match a {
        Some(Pinned) => None,
        Some(Texture) => Some(Device),
        other => other,
    };
    match (plain(dummy), plain(actual)) {
        (None, None) if managed || unified => Some(3),
        (None, None) => Some(0),
        (None, Some(Managed | Unified)) => Some(3),
        (Some(Device), Some(Device)) => Some(0),
        (Some(Device), Some(Managed | Unified)) => Some(2),
        (Some(Device), Some(Shared | Constant)) => Some(1),
        (Some(Device), None) if managed || unified => Some(2),
        (Some(Managed), Some(Managed)) => Some(0),
        (Some(Managed), Some(Unified)) => Some(1),
        (Some(Managed), None) if managed => Some(0),
        (Some(Managed), None) if unified => Some(1),
        (Some(Unified), Some(Unified)) => Some(0),
        (Some(Unified), Some(Managed)) => Some(1),
        (Some(Unified), None) if unified => Some(0),
        (Some(Unified), None) if managed => Some(1),
        (Some(a), Some(b)) if a == b => Some(0),
        _ => None,
    }
}

/// Whether data with that attribute can only be reached from device code, copies aside.
pub(crate) fn is_device_only(attr: Option<CudaAttr>) -> bool {
    matches!(attr, Some(CudaAttr::Device | CudaAttr::Constant | CudaAttr::Texture | CudaAttr::Shared))
}
