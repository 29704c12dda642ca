//! Statements one by one, before they are nested.
//!
//! What can stand by itself is already of the syntax tree; what begins, parts or ends a construct or a unit is here.

use ast::{
    ConcurrentHeader, CufKernel, DeclKind, DoControl, Expr, InterfaceKind, Name, Prefix, StmtKind, SubprogramKind,
    TypeItem, TypeSpec, UseStmt,
};

/// One statement.
#[derive(Debug)]
pub(crate) enum Statement {
    /// `program name`
    Program(Name),
    /// `module name`
    Module(Name),
    /// `submodule (ancestor[:parent]) name`
    Submodule { ancestor: Name, parent: Option<Name>, name: Name },
    /// `block data [name]`
    BlockData(Option<Name>),
    /// `subroutine` or `function`
    Subprogram(Box<Head>),
    /// `module procedure names` or `procedure names`; the flag says whether `module` is written.
    Procedures(Vec<Name>, bool),
    /// `contains`
    Contains,
    /// `interface`
    Interface(InterfaceKind),
    /// `type [, attrs] :: name`
    Type(Box<TypeHead>),
    /// `sequence`
    Sequence,
    /// `structure [/name/] [objects]`
    Structure(Name, Vec<ast::Entity>),
    /// `record /name/ objects, …`: a declaration for each name.
    Records(Vec<DeclKind>),
    /// `union`
    Union,
    /// `map`
    Map,
    /// A type-bound procedure, generic or final.
    Binding(TypeItem),
    /// `enum, bind(c)`
    Enum,
    /// `enumerator :: items`
    Enumerator(Vec<(Name, Option<Expr>)>),
    /// `use`
    Use(UseStmt),
    /// A specification statement.
    Decl(DeclKind),
    /// A statement that stands by itself among the executable ones.
    Exec(StmtKind),
    /// `if (…) then`
    If(Expr),
    /// `else if (…) then`
    ElseIf(Expr),
    /// `else`
    Else,
    /// `do`, with the label of its last statement.
    Do(DoControl, Option<u32>),
    /// `select case (…)`
    SelectCase(Expr),
    /// `select rank ([name =>] …)`
    SelectRank(Option<Name>, Expr),
    /// `case (…)` and `rank (…)`, without a value for `rank (*)`; absent: the default
    Case(Option<Vec<ast::CaseRange>>),
    /// `select type ([name =>] …)`
    SelectType(Option<Name>, Expr),
    /// `type is`, `class is`, `class default`
    TypeGuard(Option<(bool, TypeSpec)>),
    /// `where (…)` without an assignment
    Where(Expr),
    /// `elsewhere [(…)]`
    Elsewhere(Option<Expr>),
    /// `forall (…)` without an assignment
    Forall(ConcurrentHeader),
    /// `associate (…)`
    Associate(Vec<(Name, Expr)>),
    /// `block`
    Block,
    /// `end …`
    End(EndKind, Option<Name>),
    /// `!$cuf kernel do`
    Cuf(Box<CufKernel>),
    /// What could not be understood; it was reported.
    Broken,
}

/// `bind(c[, name=…])`, as the syntax tree has it: absent, without a name, with one.
pub(crate) type Bind = Option<Option<Expr>>;

/// A subroutine or function statement.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) kind: SubprogramKind,
    pub(crate) name: Name,
    pub(crate) prefixes: Vec<Prefix>,
    pub(crate) args: Vec<Name>,
    pub(crate) result: Option<Name>,
    pub(crate) bind: Bind,
}

/// A TYPE statement that begins a definition.
#[derive(Debug)]
pub(crate) struct TypeHead {
    pub(crate) name: Name,
    pub(crate) params: Vec<Name>,
    pub(crate) extends: Option<Name>,
    pub(crate) is_abstract: bool,
    pub(crate) bind_c: bool,
    pub(crate) access: Option<ast::Attr>,
}

/// What an END statement says that it ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EndKind {
    /// `end` alone
    Any,
    Associate,
    Block,
    BlockData,
    Do,
    Enum,
    Forall,
    Function,
    If,
    Interface,
    Map,
    Module,
    Procedure,
    Program,
    Select,
    Structure,
    Submodule,
    Subroutine,
    Type,
    Union,
    Where,
}

impl EndKind {
    /// The words as written.
    pub(crate) fn text(self) -> &'static str {
        match self {
            EndKind::Any => "end",
            EndKind::Associate => "end associate",
            EndKind::Block => "end block",
            EndKind::BlockData => "end block data",
            EndKind::Do => "end do",
            EndKind::Enum => "end enum",
            EndKind::Forall => "end forall",
            EndKind::Function => "end function",
            EndKind::If => "end if",
            EndKind::Interface => "end interface",
            EndKind::Map => "end map",
            EndKind::Module => "end module",
            EndKind::Procedure => "end procedure",
            EndKind::Program => "end program",
            EndKind::Select => "end select",
            EndKind::Structure => "end structure",
            EndKind::Submodule => "end submodule",
            EndKind::Subroutine => "end subroutine",
            EndKind::Type => "end type",
            EndKind::Union => "end union",
            EndKind::Where => "end where",
        }
    }

    /// The words after `end` that are one word.
    pub(crate) const WORDS: &[&str] = &[
        "associate",
        "block",
        "do",
        "enum",
        "forall",
        "function",
        "if",
        "interface",
        "map",
        "module",
        "procedure",
        "program",
        "select",
        "structure",
        "submodule",
        "subroutine",
        "type",
        "union",
        "where",
    ];

    /// The kind that the words after `end` name; blanks between them do not matter.
    pub(crate) fn from_words(words: &str) -> EndKind {
        match words {
            "associate" => EndKind::Associate,
            "block" => EndKind::Block,
            "block data" | "blockdata" => EndKind::BlockData,
            "do" => EndKind::Do,
            "enum" => EndKind::Enum,
            "forall" => EndKind::Forall,
            "function" => EndKind::Function,
            "if" => EndKind::If,
            "interface" => EndKind::Interface,
            "map" => EndKind::Map,
            "module" => EndKind::Module,
            "procedure" | "module procedure" => EndKind::Procedure,
            "program" => EndKind::Program,
            "select" => EndKind::Select,
            "structure" => EndKind::Structure,
            "submodule" => EndKind::Submodule,
            "subroutine" => EndKind::Subroutine,
            "type" => EndKind::Type,
            "union" => EndKind::Union,
            "where" => EndKind::Where,
            _ => EndKind::Any,
        }
    }
}
