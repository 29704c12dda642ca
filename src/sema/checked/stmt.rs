//! Typed statements.

use super::{Actual, CharLen, Const, Expr, ExprKind, GroupObject, ImpliedDo, ProcId, Type, TypeId, VarId};
use source::Span;
use std::sync::Arc;

/// The largest `align=` that ALLOCATE takes: the bytes of a large page.
pub const MOST_ALIGNMENT: i64 = 2 << 20;

/// A run of statements.
pub type Block = Vec<Stmt>;

/// Number of a loop or other named construct of a procedure, for EXIT and CYCLE.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LoopId(pub u32);

/// A typed statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// Its label; GOTO may come here.
    pub label: Option<u32>,
    /// What it does.
    pub kind: StmtKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of a typed statement.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// An intrinsic assignment. In host code it is a data transfer where a side is device data; a left side that is an
    /// unallocated or differently shaped allocatable is allocated anew (host data).
    Assign {
        /// A designator.
        target: Expr,
        /// The value, of the target's type; scalar or of its rank.
        value: Expr,
    },
    /// `target => value`
    PointerAssign {
        /// The pointer: a variable or field.
        target: Expr,
        /// Lower bounds (`p(lo:) => x`) or bounds (`p(lo:hi) => x`) of the pointer, where written.
        bounds: Vec<(Expr, Option<Expr>)>,
        /// A designator, a function with a pointer result, or `null()`.
        value: Expr,
    },
    /// A subroutine call; an elemental subroutine may have array arguments.
    Call {
        /// The subroutine.
        proc: ProcId,
        /// One per dummy.
        args: Vec<Option<Actual>>,
    },
    /// An intrinsic subroutine.
    Intrinsic {
        /// Which.
        id: crate::checked::Intrinsic,
        /// Arguments in the order of its table row.
        args: Vec<Option<Expr>>,
    },
    /// A kernel launch.
    Launch {
        /// The kernel.
        proc: ProcId,
        /// Its configuration.
        config: LaunchSpec,
        /// One per dummy.
        args: Vec<Option<Actual>>,
    },
    /// IF, with its arms in order; a last arm without condition is ELSE.
    If(Vec<(Option<Expr>, Block, Span)>),
    /// A DO loop.
    Loop {
        /// For EXIT and CYCLE.
        id: LoopId,
        /// How it counts.
        control: LoopControl,
        /// What is repeated.
        body: Block,
        /// END DO.
        end: Span,
    },
    /// SELECT CASE on an integer, logical or character value.
    Select {
        /// For EXIT.
        id: LoopId,
        /// The selector.
        value: Expr,
        /// The cases in order; `None` is DEFAULT.
        arms: Vec<(Option<Vec<CaseRange>>, Block, Span)>,
    },
    /// SELECT RANK on an assumed-rank dummy.
    SelectRank {
        /// For EXIT.
        id: LoopId,
        /// The dummy.
        object: VarId,
        /// The arms in order.
        arms: Vec<(RankCase, Block, Span)>,
    },
    /// WHERE; arms in order with their masks, a last arm without mask is ELSEWHERE.
    Where(Vec<(Option<Expr>, Block, Span)>),
    /// FORALL.
    Forall {
        /// Indices: variable, first, last, step.
        vars: Vec<(VarId, Expr, Expr, Option<Expr>)>,
        /// The mask.
        mask: Option<Expr>,
        /// Assignments.
        body: Block,
    },
    /// BLOCK, ASSOCIATE and named IF: its variables come to life here; EXIT may leave it.
    Block {
        /// For EXIT.
        id: LoopId,
        /// Variables that come to life on entry.
        vars: Vec<VarId>,
        /// Statements.
        body: Block,
    },
    /// `!$cuf kernel do` with its loops.
    Cuf(Box<CufKernel>),
    /// EXIT of that construct.
    Exit(LoopId),
    /// CYCLE of that loop.
    Cycle(LoopId),
    /// GOTO a label of this procedure.
    Goto(u32),
    /// Computed GOTO.
    ComputedGoto(Vec<u32>, Expr),
    /// Arithmetic IF.
    ArithmeticIf(Expr, [u32; 3]),
    /// CONTINUE, and labels.
    Nothing,
    /// RETURN.
    Return,
    /// STOP, ERROR STOP: an integer or character code.
    Stop {
        /// Whether ERROR STOP.
        error: bool,
        /// The code.
        code: Option<Expr>,
        /// Whether nothing is said.
        quiet: Option<Expr>,
    },
    /// ALLOCATE.
    Allocate {
        /// The objects.
        objects: Vec<AllocObject>,
        /// `source=`, or `mold=` (true).
        source: Option<(Expr, bool)>,
        /// `stat=`
        stat: Option<Expr>,
        /// `errmsg=`
        errmsg: Option<Expr>,
        /// `pinned=`
        pinned: Option<Expr>,
        /// `stream=`
        stream: Option<Expr>,
        /// `align=`, of 8 bytes.
        align: Option<Expr>,
    },
    /// DEALLOCATE.
    Deallocate {
        /// The objects: variables or fields.
        objects: Vec<Expr>,
        /// `stat=`
        stat: Option<Expr>,
        /// `errmsg=`
        errmsg: Option<Expr>,
    },
    /// NULLIFY.
    Nullify(Vec<Expr>),
    /// An input or output statement.
    Io(Box<IoStmt>),
    /// What this version refuses; reported at compile time.
    Unsupported(Arc<str>),
}

/// The configuration of a launch.
#[derive(Clone, Debug)]
pub struct LaunchSpec {
    /// The grid; `None` is `*`.
    pub grid: Option<LaunchGrid>,
    /// The block.
    pub block: LaunchGrid,
    /// Bytes of dynamic shared memory, `integer(8)`.
    pub bytes: Option<Expr>,
    /// The stream, `integer(8)`.
    pub stream: Option<Expr>,
}

/// Extents of a grid or block.
#[derive(Clone, Debug)]
pub enum LaunchGrid {
    /// An `integer(4)` x extent; y and z are 1.
    Int(Expr),
    /// A `type(dim3)` value.
    Dim3(Expr),
}

/// How a loop counts.
#[derive(Clone, Debug)]
pub enum LoopControl {
    /// Until EXIT.
    Forever,
    /// While a logical holds.
    While(Expr),
    /// By a variable; first, last and step have its type.
    Count {
        /// The variable: a scalar designator.
        var: Expr,
        /// First value.
        first: Expr,
        /// Last value.
        last: Expr,
        /// Step.
        step: Option<Expr>,
    },
    /// DO CONCURRENT; the indices are variables of their own.
    Concurrent {
        /// Indices: variable, first, last, step.
        vars: Vec<(VarId, Expr, Expr, Option<Expr>)>,
        /// The mask.
        mask: Option<Expr>,
    },
}

/// The rank for which an arm of SELECT RANK is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RankCase {
    /// `rank (n)`
    Rank(u8),
    /// `rank (*)`: an assumed-size array.
    AssumedSize,
    /// `rank default`
    Default,
}

/// One value of a CASE.
#[derive(Clone, Debug)]
pub enum CaseRange {
    /// A constant.
    Value(Expr),
    /// From, to; one of them may be absent.
    Range(Option<Expr>, Option<Expr>),
}

/// One object of ALLOCATE.
#[derive(Clone, Debug)]
pub struct AllocObject {
    /// A variable or field.
    pub object: Expr,
    /// Lower (1 when absent) and upper bounds, `integer(8)`; empty for a scalar or a shape from `source=`.
    pub bounds: Vec<(Option<Expr>, Expr)>,
    /// The type before `::`, where written.
    pub spec: Option<Type>,
    /// The length parameters of that type, where they are known at run time only.
    pub lengths: Vec<CharLen>,
}

/// `!$cuf kernel do` with its loops.
#[derive(Clone, Debug)]
pub struct CufKernel {
    /// The loops that become the grid, outermost first.
    pub loops: Vec<CufLoop>,
    /// The body of the innermost of them.
    pub body: Block,
    /// Grid extents; empty when not written.
    pub grid: Vec<CufDim>,
    /// Block extents; empty when not written.
    pub block: Vec<CufDim>,
    /// The stream.
    pub stream: Option<Expr>,
    /// Reduction variables, written or inferred, with their operations.
    pub reductions: Vec<(VarId, ReduceOp)>,
    /// Host scalars that each iteration has for its own: assigned before they are read.
    pub private: Vec<VarId>,
    /// Variables read or reached from the body: host scalars go by value, device data by address.
    pub captured: Vec<VarId>,
}

/// One loop of a CUF kernel.
#[derive(Clone, Debug)]
pub struct CufLoop {
    /// The variable.
    pub var: VarId,
    /// First value.
    pub first: Expr,
    /// Last value.
    pub last: Expr,
    /// Step.
    pub step: Option<Expr>,
}

/// One extent in a CUF kernel's configuration.
#[derive(Clone, Debug)]
pub enum CufDim {
    /// `*`
    Star,
    /// An `integer(4)` value.
    Expr(Expr),
}

/// Reduction operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReduceOp {
    /// `+`
    Add,
    /// `*`
    Mul,
    /// `max`
    Max,
    /// `min`
    Min,
    /// `iand`
    Iand,
    /// `ior`
    Ior,
    /// `ieor`
    Ieor,
    /// `.and.`
    And,
    /// `.or.`
    Or,
    /// `.eqv.`
    Eqv,
    /// `.neqv.`
    Neqv,
}

/// An input or output statement.
#[derive(Clone, Debug)]
pub struct IoStmt {
    /// Which statement.
    pub kind: ast::IoKind,
    /// The unit.
    pub unit: IoUnit,
    /// How items become text.
    pub form: IoForm,
    /// The other controls in order.
    pub controls: Vec<IoControl>,
    /// The items.
    pub items: Vec<IoItem>,
    /// The procedures that transfer objects of the items' types and of those of their components; with a format, where it says
    /// so.
    pub defined: Vec<DefinedIo>,
}

impl IoStmt {
    /// Whether device code has the statement: list-directed output to the standard output, of objects that no procedure of the
    /// program writes.
    pub fn is_of_device(&self) -> bool {
        self.defined.is_empty() && is_device_output(self.kind, &self.unit, &self.form)
    }
}

/// Whether a statement is list-directed output to unit `*`, or 6.
pub(crate) fn is_device_output(kind: ast::IoKind, unit: &IoUnit, form: &IoForm) -> bool {
    let to_screen = match unit {
        IoUnit::Star => true,
        IoUnit::Number(e) => matches!(e.kind, ExprKind::Const(Const::Int(6))),
        _ => false,
    };
    matches!(kind, ast::IoKind::Print | ast::IoKind::Write) && matches!(form, IoForm::List) && to_screen
}

/// A type whose objects a procedure transfers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DefinedIo {
    /// The type.
    pub ty: TypeId,
    /// The procedure; one that goes by the dynamic type if an item is polymorphic.
    pub proc: ProcId,
}

/// The unit of a statement.
#[derive(Clone, Debug)]
pub enum IoUnit {
    /// `*`
    Star,
    /// An `integer(4)` number.
    Number(Expr),
    /// A character variable.
    Internal(Expr),
    /// The memory of a variable of any intrinsic type, in records of so many characters: ENCODE and DECODE.
    Memory {
        /// The variable.
        object: Expr,
        /// Characters of a record, `integer(8)`.
        length: Expr,
    },
    /// None is written (OPEN with NEWUNIT, INQUIRE by file).
    None,
}

/// How items become text.
#[derive(Clone, Debug)]
pub enum IoForm {
    /// `*`
    List,
    /// A character value.
    Format(Expr),
    /// Unformatted.
    Unformatted,
    /// A namelist group with its name.
    Namelist(Arc<str>, Vec<GroupObject>),
}

/// A control other than unit and format; the value has the type that the control takes.
#[derive(Clone, Debug)]
pub struct IoControl {
    /// The keyword in lower case: `iostat`, `iomsg`, `advance`, `rec`, `file`, `status` …; labels of `err`, `end`, `eor`
    /// are constants.
    pub keyword: Arc<str>,
    /// Its value.
    pub value: Expr,
}

/// An item.
#[derive(Clone, Debug)]
pub enum IoItem {
    /// An expression, or for input a variable; arrays whole.
    Expr(Expr),
    /// For input, the target of a pointer that a function gives: the name that stands for it, which gets its meaning when the
    /// item is reached, and the item.
    Target(VarId, Expr),
    /// An implied DO.
    Do(Box<ImpliedDo<IoItem>>),
}
