//! Executable statements and constructs; the parser nests them into blocks.

use super::{Arg, Declaration, Expr, ImpliedDo, Name, TypeSpec, UseStmt};
use source::Span;
use std::sync::Arc;

/// A run of statements.
pub type Block = Vec<Stmt>;

/// A statement or construct.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// Its label, if any.
    pub label: Option<u32>,
    /// What it is.
    pub kind: StmtKind,
    /// The statement; of a construct, its first statement.
    pub span: Span,
}

/// The forms of an executable statement (Fortran 2018 clauses 9 to 12; CUDA Fortran guide, chapter 3).
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `target = value`
    Assign {
        /// What is assigned.
        target: Expr,
        /// The value.
        value: Expr,
    },
    /// `target => value`; bounds remapping stands in the target's argument list.
    PointerAssign {
        /// The pointer.
        target: Expr,
        /// What it points to.
        value: Expr,
    },
    /// `call name(args)`, or a kernel launch.
    Call {
        /// The procedure: a name or a component reference.
        callee: Expr,
        /// `<<< … >>>`
        launch: Option<GlobalLaunch>,
        /// The arguments.
        args: Vec<Arg>,
    },
    /// `if (…) then … else if … else … end if`; also the one-line form.
    If {
        /// Construct name.
        name: Option<Name>,
        /// The arms in order; a last arm without condition is ELSE.
        arms: Vec<IfArm>,
        /// `end if`, or the statement's own end.
        end: Span,
    },
    /// `if (expr) 10, 20, 30`
    ArithmeticIf {
        /// The expression.
        value: Expr,
        /// Labels for negative, zero, positive.
        labels: [u32; 3],
    },
    /// A DO loop of any kind.
    Do {
        /// Construct name.
        name: Option<Name>,
        /// How it counts.
        control: DoControl,
        /// What is repeated.
        body: Block,
        /// `end do`, or the labelled last statement.
        end: Span,
    },
    /// `select case`
    Select {
        /// Construct name.
        name: Option<Name>,
        /// The selector.
        value: Expr,
        /// The cases.
        arms: Vec<SelectArm>,
        /// `end select`
        end: Span,
    },
    /// `select rank`
    SelectRank {
        /// Construct name.
        name: Option<Name>,
        /// `name =>`
        bind: Option<Name>,
        /// The selector.
        value: Expr,
        /// The cases: a rank, none for `rank (*)`, absent for the default.
        arms: Vec<SelectArm>,
        /// `end select`
        end: Span,
    },
    /// `select type`
    SelectType {
        /// Construct name.
        name: Option<Name>,
        /// `name =>`
        bind: Option<Name>,
        /// The selector.
        value: Expr,
        /// The guards: `type is` (true), `class is` (false) or default (absent), each with its block and statement.
        arms: Vec<TypeArm>,
        /// `end select`
        end: Span,
    },
    /// `where (…) … elsewhere …`
    Where {
        /// The arms; a last arm without mask is ELSEWHERE.
        arms: Vec<WhereArm>,
        /// `end where`
        end: Span,
    },
    /// `forall (…)` as a statement or construct.
    Forall {
        /// What stands in the parentheses.
        header: ConcurrentHeader,
        /// The assignments.
        body: Block,
        /// `end forall`
        end: Span,
    },
    /// `block … end block`
    Block {
        /// Construct name.
        name: Option<Name>,
        /// USE statements.
        uses: Vec<UseStmt>,
        /// Declarations.
        decls: Vec<Declaration>,
        /// Statements.
        body: Block,
        /// `end block`
        end: Span,
    },
    /// `associate (a => b)`
    Associate {
        /// Construct name.
        name: Option<Name>,
        /// The names and what they stand for.
        items: Vec<(Name, Expr)>,
        /// Statements.
        body: Block,
        /// `end associate`
        end: Span,
    },
    /// `!$cuf kernel do`
    Cuf(Box<CufKernel>),
    /// `cycle [name]`
    Cycle(Option<Name>),
    /// `exit [name]`
    Exit(Option<Name>),
    /// `go to 10`
    Goto(u32),
    /// `go to (10, 20), i`
    ComputedGoto(Vec<u32>, Expr),
    /// `go to i [, (10, 20)]`
    AssignedGoto(Name, Vec<u32>),
    /// `assign 10 to i`
    LabelAssign(u32, Name),
    /// `continue`
    Continue,
    /// `return [expr]`
    Return(Option<Expr>),
    /// `stop [code] [, quiet=…]`, `error stop [code] [, quiet=…]`
    Stop {
        /// Whether it is ERROR STOP.
        error: bool,
        /// The code.
        code: Option<Expr>,
        /// Whether nothing is said.
        quiet: Option<Expr>,
    },
    /// `pause [code]`
    Pause {
        /// The code.
        code: Option<Expr>,
        /// The procedure of the run-time library that waits, which counts as named in the program.
        library: Name,
    },
    /// `allocate (…)`
    Allocate(Allocate),
    /// `deallocate (…)`
    Deallocate(Allocate),
    /// `nullify (…)`
    Nullify(Vec<Expr>),
    /// `entry name(args)`
    Entry {
        /// Name.
        name: Name,
        /// Dummies.
        args: Vec<Name>,
        /// `result(name)`
        result: Option<Name>,
        /// `bind(c)`, with the expression after `name=`.
        bind: Option<Option<Expr>>,
    },
    /// `print`, `write`, `read`, `open`, …
    Io {
        /// Which statement.
        kind: IoKind,
        /// The control list; `print` has its format as the control `fmt`.
        control: Vec<IoControl>,
        /// The items.
        items: Vec<IoItem>,
    },
    /// A FORMAT or DATA statement that stands among the executable ones.
    Declaration(Box<Declaration>),
    /// A statement that is read no further, because what it is named here is not supported.
    Unsupported(Arc<str>),
    /// What could not be parsed and was reported.
    Error,
}

/// One arm of SELECT TYPE: its guard, its block, its first statement. The guard is `type is` (true) or `class is` (false)
/// with a type; an absent one is `class default`.
pub type TypeArm = (Option<(bool, TypeSpec)>, Block, Span);

/// The configuration of a kernel launch, as written between the chevrons.
#[derive(Clone, Debug)]
pub struct GlobalLaunch {
    /// The grid; `None` is `*`.
    pub grid: Option<Expr>,
    /// The block.
    pub block: Expr,
    /// Bytes of dynamic shared memory.
    pub bytes: Option<Expr>,
    /// The stream.
    pub stream: Option<Expr>,
    /// From `<<<` to `>>>`.
    pub span: Span,
}

/// One arm of an IF.
#[derive(Clone, Debug)]
pub struct IfArm {
    /// The condition; `None` for ELSE.
    pub condition: Option<Expr>,
    /// What is done.
    pub body: Block,
    /// `if (…) then`, `else if (…) then`, `else`
    pub span: Span,
}

/// How a DO loop counts.
#[derive(Clone, Debug)]
pub enum DoControl {
    /// `do`
    Forever,
    /// `do while (…)`
    While(Expr),
    /// `do i = a, b, c`
    Count {
        /// The variable.
        var: Expr,
        /// First value.
        first: Expr,
        /// Last value.
        last: Expr,
        /// Step.
        step: Option<Expr>,
    },
    /// `do concurrent (i = a:b:c, …, mask) local(…)`
    Concurrent {
        /// What stands in the parentheses.
        header: ConcurrentHeader,
        /// `local(…)` and `local_init(…)` names.
        locals: Vec<Name>,
        /// Those of them that begin with the value outside: `local_init(…)`.
        inits: Vec<Name>,
        /// `shared(…)` names.
        shared: Vec<Name>,
        /// `default(none)`
        none: bool,
        /// `reduce(op:…)`
        reduce: Vec<CufReduce>,
    },
}

/// `([type ::] i = a:b:c, … [, mask])` of FORALL and DO CONCURRENT (Fortran 2018, R1125).
#[derive(Clone, Debug, Default)]
pub struct ConcurrentHeader {
    /// The type before `::`.
    pub spec: Option<TypeSpec>,
    /// The index ranges.
    pub vars: Vec<LoopVar>,
    /// The mask.
    pub mask: Option<Expr>,
}

/// One index of FORALL or DO CONCURRENT.
#[derive(Clone, Debug)]
pub struct LoopVar {
    /// The index.
    pub name: Name,
    /// First value.
    pub first: Expr,
    /// Last value.
    pub last: Expr,
    /// Step.
    pub step: Option<Expr>,
}

/// One CASE.
#[derive(Clone, Debug)]
pub struct SelectArm {
    /// The values; `None` is DEFAULT.
    pub ranges: Option<Vec<CaseRange>>,
    /// What is done.
    pub body: Block,
    /// The CASE statement.
    pub span: Span,
}

/// One value of a CASE.
#[derive(Clone, Debug)]
pub enum CaseRange {
    /// A value.
    Value(Expr),
    /// `lo:hi`, one of the two perhaps absent.
    Range(Option<Expr>, Option<Expr>),
}

/// One arm of a WHERE.
#[derive(Clone, Debug)]
pub struct WhereArm {
    /// The mask; `None` for a plain ELSEWHERE.
    pub mask: Option<Expr>,
    /// Assignments and nested WHERE constructs.
    pub body: Block,
    /// `where (…)`, `elsewhere (…)`
    pub span: Span,
}

/// `!$cuf kernel do (n) <<< grid, block, bytes, stream >>> reduce(…)` and the loop that follows.
#[derive(Clone, Debug)]
pub struct CufKernel {
    /// The nest depth; absent means 1.
    pub depth: Option<Expr>,
    /// Grid extents; empty when `<<< >>>` is absent.
    pub grid: Vec<CufSize>,
    /// Block extents.
    pub block: Vec<CufSize>,
    /// Dynamic shared memory.
    pub bytes: Option<Expr>,
    /// The stream.
    pub stream: Option<Expr>,
    /// Reductions.
    pub reduce: Vec<CufReduce>,
    /// The DO construct that follows.
    pub body: Option<Box<Stmt>>,
    /// The directive.
    pub span: Span,
}

/// One extent in a CUF kernel's configuration.
#[derive(Clone, Debug)]
pub enum CufSize {
    /// `*`
    Star,
    /// An expression.
    Expr(Expr),
}

/// `reduce(op: names)`
#[derive(Clone, Debug)]
pub struct CufReduce {
    /// `+`, `max`, `.and.` … as written, in lower case.
    pub op: Arc<str>,
    /// The variables.
    pub vars: Vec<Name>,
}

/// ALLOCATE and DEALLOCATE.
#[derive(Clone, Debug)]
pub struct Allocate {
    /// `real ::` before the objects.
    pub spec: Option<TypeSpec>,
    /// The objects; shapes are the arguments of an Apply, with ranges for `lo:hi`.
    pub objects: Vec<Expr>,
    /// `stat=`, `errmsg=`, `source=`, `mold=`, `pinned=`, `stream=`
    pub options: Vec<(Name, Expr)>,
}

/// Which I/O statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IoKind {
    /// `print`
    Print,
    /// `write`
    Write,
    /// `read`
    Read,
    /// `open`
    Open,
    /// `close`
    Close,
    /// `inquire`
    Inquire,
    /// `rewind`
    Rewind,
    /// `backspace`
    Backspace,
    /// `endfile`
    Endfile,
    /// `flush`
    Flush,
    /// `wait`
    Wait,
    /// `encode`, an extension: output to memory
    Encode,
    /// `decode`, an extension: input from memory
    Decode,
}

/// One item of an I/O control list.
#[derive(Clone, Debug)]
pub struct IoControl {
    /// The keyword; the first two may be positional.
    pub keyword: Option<Name>,
    /// The value; `None` is `*`.
    pub value: Option<Expr>,
    /// The item.
    pub span: Span,
}

/// One item of an I/O list.
#[derive(Clone, Debug)]
pub enum IoItem {
    /// An expression or variable.
    Expr(Expr),
    /// `(items, i = a, b, c)`
    Do(Box<ImpliedDo<IoItem>>),
}
