//! The frames of the stack.

use crate::statement::{EndKind, Head, TypeHead};
use ast::{
    Block, CaseRange, ConcurrentHeader, CufKernel, Declaration, DerivedType, DoControl, Entity, Expr, IfArm, Interface,
    InterfaceKind, Name, SelectArm, Subprogram, TypeItem, TypeSpec, UseStmt, WhereArm,
};
use source::Span;
use std::collections::BTreeMap;

/// Something that is open.
pub(super) struct Frame {
    pub(super) kind: FrameKind,
    /// Its first statement.
    pub(super) span: Span,
    /// Its construct name.
    pub(super) name: Option<Name>,
    /// The label of its first statement.
    pub(super) label: Option<u32>,
    /// The statements of the part that is open.
    pub(super) block: Block,
}

/// What is open.
pub(super) enum FrameKind {
    Unit(Box<UnitFrame>),
    Interface(Interface),
    Type {
        definition: Box<DerivedType>,
        /// Whether CONTAINS was met.
        bindings: bool,
        /// Of a STRUCTURE, the components that it declares where it stands in another one.
        objects: Option<Vec<Entity>>,
    },
    /// UNION: what its MAPs hold.
    Union(Vec<Vec<TypeItem>>),
    Map(Vec<TypeItem>),
    Enum(Vec<(Name, Option<Expr>)>),
    If {
        arms: Vec<IfArm>,
        /// Of the arm that is open; absent after ELSE.
        condition: Option<Expr>,
        at: Span,
    },
    Do {
        control: DoControl,
        /// Label of the last statement.
        label: Option<u32>,
        cuf: Option<Box<CufKernel>>,
    },
    Select {
        /// Of SELECT RANK, the name in `name =>`.
        rank: Option<Option<Name>>,
        value: Expr,
        arms: Vec<SelectArm>,
        /// The CASE that is open.
        open: Option<(Option<Vec<CaseRange>>, Span)>,
    },
    SelectType {
        bind: Option<Name>,
        value: Expr,
        arms: Vec<TypeArm>,
        /// The guard that is open.
        open: Option<(Option<(bool, TypeSpec)>, Span)>,
    },
    Where {
        arms: Vec<WhereArm>,
        mask: Option<Expr>,
        at: Span,
    },
    Forall(ConcurrentHeader),
    Associate(Vec<(Name, Expr)>),
    Block {
        uses: Vec<UseStmt>,
        decls: Vec<Declaration>,
    },
}

/// An arm of SELECT TYPE as the tree has it.
pub(super) type TypeArm = (Option<(bool, TypeSpec)>, Block, Span);

/// A unit or subprogram that is open.
pub(super) struct UnitFrame {
    pub(super) head: UnitHead,
    pub(super) uses: Vec<UseStmt>,
    pub(super) decls: Vec<Declaration>,
    pub(super) inner: Vec<Subprogram>,
    pub(super) part: Part,
    /// The first executable statement, once there is one.
    pub(super) first_executable: Option<Span>,
    /// Whether statements out of place were reported.
    pub(super) complained: bool,
    pub(super) labels: BTreeMap<u32, Span>,
}

/// The part of a unit that is open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    Specification,
    Executable,
    Contains,
}

/// What a unit is.
pub(super) enum UnitHead {
    /// Without a name when there was no PROGRAM statement.
    Main(Option<Name>),
    Module {
        name: Name,
        ancestor: Option<Name>,
        parent: Option<Name>,
    },
    BlockData(Option<Name>),
    Subprogram(Box<Head>),
    ModuleProcedure(Name),
}

impl UnitFrame {
    pub(super) fn new(head: UnitHead) -> Box<UnitFrame> {
        Box::new(UnitFrame {
            head,
            uses: Vec::new(),
            decls: Vec::new(),
            inner: Vec::new(),
            part: Part::Specification,
            first_executable: None,
            complained: false,
            labels: BTreeMap::new(),
        })
    }

    /// The name, if it has one.
    pub(super) fn name(&self) -> Option<&Name> {
        match &self.head {
            UnitHead::Main(name) | UnitHead::BlockData(name) => name.as_ref(),
            UnitHead::Module { name, .. } | UnitHead::ModuleProcedure(name) => Some(name),
            UnitHead::Subprogram(head) => Some(&head.name),
        }
    }

    /// Whether executable statements may stand in it.
    pub(super) fn executes(&self) -> bool {
        !matches!(self.head, UnitHead::Module { .. } | UnitHead::BlockData(_))
    }
}

impl FrameKind {
    pub(super) fn interface(kind: InterfaceKind) -> FrameKind {
        FrameKind::Interface(Interface { kind, items: Vec::new(), span: Span::NONE })
    }

    pub(super) fn derived(head: TypeHead) -> FrameKind {
        let TypeHead { name, params, extends, is_abstract, bind_c, access } = head;
        let definition = DerivedType {
            name,
            params,
            extends,
            is_abstract,
            bind_c,
            sequence: false,
            access,
            items: Vec::new(),
            span: Span::NONE,
        };
        FrameKind::Type { definition: Box::new(definition), bindings: false, objects: None }
    }

    /// A STRUCTURE: a type with SEQUENCE.
    pub(super) fn structure(name: Name, objects: Vec<Entity>) -> FrameKind {
        let definition = DerivedType {
            name,
            params: Vec::new(),
            extends: None,
            is_abstract: false,
            bind_c: false,
            sequence: true,
            access: None,
            items: Vec::new(),
            span: Span::NONE,
        };
        FrameKind::Type { definition: Box::new(definition), bindings: false, objects: Some(objects) }
    }

    /// Where components go that are declared directly in it.
    pub(super) fn components(&mut self) -> Option<&mut Vec<TypeItem>> {
        match self {
            FrameKind::Type { definition, .. } => Some(&mut definition.items),
            FrameKind::Map(items) => Some(items),
            _ => None,
        }
    }

    /// The END statement that closes it.
    pub(super) fn end(&self) -> EndKind {
        match self {
            FrameKind::Unit(unit) => match &unit.head {
                UnitHead::Main(_) => EndKind::Program,
                UnitHead::Module { ancestor: None, .. } => EndKind::Module,
                UnitHead::Module { .. } => EndKind::Submodule,
                UnitHead::BlockData(_) => EndKind::BlockData,
                UnitHead::Subprogram(head) if head.kind == ast::SubprogramKind::Function => EndKind::Function,
                UnitHead::Subprogram(_) => EndKind::Subroutine,
                UnitHead::ModuleProcedure(_) => EndKind::Procedure,
            },
            FrameKind::Interface(_) => EndKind::Interface,
            FrameKind::Type { objects: Some(_), .. } => EndKind::Structure,
            FrameKind::Type { .. } => EndKind::Type,
            FrameKind::Union(_) => EndKind::Union,
            FrameKind::Map(_) => EndKind::Map,
            FrameKind::Enum(_) => EndKind::Enum,
            FrameKind::If { .. } => EndKind::If,
            FrameKind::Do { .. } => EndKind::Do,
            FrameKind::Select { .. } | FrameKind::SelectType { .. } => EndKind::Select,
            FrameKind::Where { .. } => EndKind::Where,
            FrameKind::Forall(..) => EndKind::Forall,
            FrameKind::Associate(_) => EndKind::Associate,
            FrameKind::Block { .. } => EndKind::Block,
        }
    }

    /// What messages call it.
    pub(super) fn noun(&self) -> String {
        match self {
            FrameKind::Unit(unit) => {
                let word = match &unit.head {
                    UnitHead::Main(None) => return "main program".into(),
                    UnitHead::Main(_) => "program",
                    UnitHead::Module { ancestor: None, .. } => "module",
                    UnitHead::Module { .. } => "submodule",
                    UnitHead::BlockData(_) => "block data",
                    UnitHead::Subprogram(head) if head.kind == ast::SubprogramKind::Function => "function",
                    UnitHead::Subprogram(_) => "subroutine",
                    UnitHead::ModuleProcedure(_) => "module procedure",
                };
                unit.name().map_or_else(|| word.to_owned(), |name| format!("{word} `{}`", name.text))
            }
            FrameKind::Interface(_) => "interface block".into(),
            FrameKind::Type { objects: Some(_), .. } => "STRUCTURE".into(),
            FrameKind::Union(_) => "UNION".into(),
            FrameKind::Map(_) => "MAP".into(),
            FrameKind::Type { definition, .. } => format!("definition of type `{}`", definition.name.text),
            FrameKind::Enum(_) => "ENUM block".into(),
            FrameKind::If { .. } => "IF construct".into(),
            FrameKind::Do { .. } => "DO construct".into(),
            FrameKind::Select { rank: Some(_), .. } => "SELECT RANK construct".into(),
            FrameKind::Select { .. } => "SELECT CASE construct".into(),
            FrameKind::SelectType { .. } => "SELECT TYPE construct".into(),
            FrameKind::Where { .. } => "WHERE construct".into(),
            FrameKind::Forall(..) => "FORALL construct".into(),
            FrameKind::Associate(_) => "ASSOCIATE construct".into(),
            FrameKind::Block { .. } => "BLOCK construct".into(),
        }
    }

    /// Whether it is an executable construct.
    pub(super) fn holds_statements(&self) -> bool {
        !matches!(
            self,
            FrameKind::Unit(_)
                | FrameKind::Interface(_)
                | FrameKind::Type { .. }
                | FrameKind::Union(_)
                | FrameKind::Map(_)
                | FrameKind::Enum(_)
        )
    }
}
