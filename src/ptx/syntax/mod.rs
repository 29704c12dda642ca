//! A PTX file as a tree: variables, functions and the statements in them, as they are written.
//!
//! Not here: what an instruction does (`read`).

mod lex;
mod parse;

pub(crate) use lex::Number;
pub use parse::parse;
pub(crate) use parse::unreadable;

use source::{FileId, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A PTX file.
#[derive(Clone, Debug)]
pub struct Ptx {
    pub(crate) file: FileId,
    /// The files that `.loc` names, by number.
    pub(crate) files: Vec<(u32, Arc<str>)>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) functions: Vec<Routine>,
}

impl Ptx {
    /// The file that it was read from.
    pub fn file(&self) -> FileId {
        self.file
    }

    /// The names of its kernels.
    pub fn kernels(&self) -> impl Iterator<Item = &Arc<str>> {
        self.functions.iter().filter(|f| f.is_kernel && f.body.is_some()).map(|f| &f.name)
    }

    /// The names of its functions.
    pub fn functions(&self) -> impl Iterator<Item = &Arc<str>> {
        self.functions.iter().filter(|f| !f.is_kernel && f.body.is_some()).map(|f| &f.name)
    }

    /// The functions whose addresses are taken, each with what a pointer to it holds.
    pub(crate) fn taken(&self) -> BTreeMap<Arc<str>, u64> {
        let mut names: BTreeSet<&Arc<str>> = BTreeSet::new();
        for statement in self.functions.iter().flat_map(|f| f.body.iter().flatten()) {
            if let What::Instruction(instruction) = &statement.what
                && instruction.stem() != "call"
            {
                instruction.operands.iter().for_each(|operand| operand.names(&mut names));
            }
        }
        for initial in self.variables.iter().flat_map(|v| &v.init) {
            if let Initial::Address(name, _) = initial {
                names.insert(name);
            }
        }
        let functions = self.functions.iter().filter(|f| !f.is_kernel && f.body.is_some());
        functions.map(|f| &f.name).filter(|name| names.contains(name)).cloned().zip(1..).collect()
    }

    /// The source files that its lines come from, each with the number by which `.loc` names it (PTX ISA 11.5.1).
    pub fn sources(&self) -> impl Iterator<Item = (u32, &Arc<str>)> {
        self.files.iter().map(|(number, name)| (*number, name))
    }
}

/// A fundamental type (PTX ISA 5.2).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Kind {
    /// `.pred`
    Pred,
    /// `.b8` to `.b128`
    Bits,
    /// `.u8` to `.u64`
    Unsigned,
    /// `.s8` to `.s64`
    Signed,
    /// `.f16` to `.f64`
    Real,
    /// `.f16x2`
    Halves,
    /// `.bf16`
    Brain,
    /// `.bf16x2`
    Brains,
}

impl Kind {
    /// Whether registers of this kind hold integers.
    pub(crate) fn is_integer(self) -> bool {
        matches!(self, Kind::Bits | Kind::Unsigned | Kind::Signed)
    }
}

/// A type: what it is, and its bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Type {
    pub(crate) kind: Kind,
    pub(crate) bits: u32,
}

impl Type {
    pub(crate) const PRED: Type = Type { kind: Kind::Pred, bits: 1 };
    pub(crate) const F16: Type = Type { kind: Kind::Real, bits: 16 };
    pub(crate) const F16X2: Type = Type { kind: Kind::Halves, bits: 32 };
    pub(crate) const BF16: Type = Type { kind: Kind::Brain, bits: 16 };
    pub(crate) const BF16X2: Type = Type { kind: Kind::Brains, bits: 32 };
    pub(crate) const F32: Type = Type { kind: Kind::Real, bits: 32 };
    pub(crate) const B32: Type = Type { kind: Kind::Bits, bits: 32 };
    pub(crate) const U32: Type = Type { kind: Kind::Unsigned, bits: 32 };
    pub(crate) const B64: Type = Type { kind: Kind::Bits, bits: 64 };

    /// The type of that name, without its dot.
    pub(crate) fn of(name: &str) -> Option<Type> {
        match name {
            "pred" => return Some(Type::PRED),
            "f16x2" => return Some(Type::F16X2),
            "bf16" => return Some(Type::BF16),
            "bf16x2" => return Some(Type::BF16X2),
            _ => {}
        }
        let kind = match name.as_bytes().first()? {
            b'b' => Kind::Bits,
            b'u' => Kind::Unsigned,
            b's' => Kind::Signed,
            b'f' => Kind::Real,
            _ => return None,
        };
        let bits = match name.get(1..)? {
            "8" => 8,
            "16" => 16,
            "32" => 32,
            "64" => 64,
            "128" => 128,
            _ => return None,
        };
        (kind != Kind::Real || matches!(bits, 16 | 32 | 64)).then_some(Type { kind, bits })
    }

    pub(crate) fn bytes(self) -> u64 {
        u64::from(self.bits.div_ceil(8))
    }
}

/// A state space (PTX ISA 5.1).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum StateSpace {
    Global,
    Const,
    Shared,
    /// Shared memory of the blocks of a cluster.
    Cluster,
    Local,
    Param,
}

impl StateSpace {
    /// The space of that name, without its dot.
    pub(crate) fn of(name: &str) -> Option<StateSpace> {
        Some(match name {
            "global" => StateSpace::Global,
            "const" => StateSpace::Const,
            "shared" | "shared::cta" => StateSpace::Shared,
            "shared::cluster" => StateSpace::Cluster,
            "local" => StateSpace::Local,
            "param" | "param::entry" | "param::func" => StateSpace::Param,
            _ => return None,
        })
    }
}

/// A variable of a file, or in a function (PTX ISA 5.4).
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: Arc<str>,
    pub(crate) space: StateSpace,
    pub(crate) ty: Type,
    pub(crate) align: u64,
    /// How many elements; of an array without an extent `None`.
    pub(crate) count: Option<u64>,
    /// Whether it is declared as an array.
    pub(crate) is_array: bool,
    pub(crate) managed: bool,
    pub(crate) is_extern: bool,
    /// The first elements.
    pub(crate) init: Vec<Initial>,
    pub(crate) span: Span,
}

impl Variable {
    /// Its bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.ty.bytes().saturating_mul(self.count.unwrap_or(0))
    }

    /// Whether an address is among its first elements that is not one of these functions.
    pub(crate) fn holds_address(&self, functions: &BTreeMap<Arc<str>, u64>) -> bool {
        self.init.iter().any(|initial| matches!(initial, Initial::Address(name, _) if !functions.contains_key(name)))
    }
}

/// The first value of an element.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Initial {
    /// A constant.
    Number(Number),
    /// The address of a variable and an offset, generic or not, or that of a function.
    Address(Arc<str>, i64),
}

/// A kernel (`.entry`) or a function (`.func`).
#[derive(Clone, Debug)]
pub(crate) struct Routine {
    pub(crate) name: Arc<str>,
    pub(crate) is_kernel: bool,
    pub(crate) params: Vec<Parameter>,
    pub(crate) results: Vec<Parameter>,
    /// `.maxntid` or `.reqntid`: threads of a block, at most.
    pub(crate) max_threads: Option<u32>,
    /// `.reqnctapercluster`
    pub(crate) cluster: Option<[u32; 3]>,
    /// Absent where it is only declared.
    pub(crate) body: Option<Vec<Statement>>,
    pub(crate) span: Span,
}

/// A parameter or a result.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: Arc<str>,
    pub(crate) ty: Type,
    pub(crate) align: u64,
    /// The elements of an array.
    pub(crate) count: Option<u64>,
    /// Whether it is a register and no `.param`.
    pub(crate) is_register: bool,
}

impl Parameter {
    /// Its bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.ty.bytes().saturating_mul(self.count.unwrap_or(1))
    }
}

/// A statement of a function.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    pub(crate) what: What,
    pub(crate) span: Span,
}

/// The forms of a statement.
#[derive(Clone, Debug)]
pub(crate) enum What {
    /// `.reg .f32 %f<9>;` or `.reg .pred p;`
    Registers { name: Arc<str>, ty: Type, count: Option<u64> },
    /// A variable of the function or of a block.
    Variable(Variable),
    /// `name:`
    Label(Arc<str>),
    /// `name: .branchtargets a, b;`
    Targets(Arc<str>, Vec<Arc<str>>),
    /// `{`
    Open,
    /// `}`
    Close,
    /// `.loc file line column`; line 0 says that no line is meant.
    Line { file: u32, line: u32, column: u32 },
    /// An instruction.
    Instruction(Instruction),
}

/// An instruction (PTX ISA 4.3.2).
#[derive(Clone, Debug)]
pub(crate) struct Instruction {
    /// `@p` or `@!p`: the predicate, and whether it is negated.
    pub(crate) guard: Option<(Arc<str>, bool)>,
    /// The opcode with all its parts.
    pub(crate) opcode: Arc<str>,
    pub(crate) operands: Vec<Operand>,
}

impl Instruction {
    /// The parts of the opcode.
    pub(crate) fn parts(&self) -> Vec<&str> {
        self.opcode.split('.').collect()
    }

    /// The first part of the opcode.
    pub(crate) fn stem(&self) -> &str {
        self.opcode.split('.').next().unwrap_or("")
    }
}

/// An operand (PTX ISA 6).
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Operand {
    /// A register, variable, label or function, and an offset.
    Name(Arc<str>, i64),
    /// A constant.
    Number(Number),
    /// `!p`
    Not(Arc<str>),
    /// `{a, b}`
    Vector(Vec<Operand>),
    /// `[base+offset]`
    Memory(Box<Operand>, i64),
    /// `a|b`
    Pair(Box<Operand>, Box<Operand>),
    /// `(a, b)`
    List(Vec<Operand>),
}

impl Operand {
    /// The name, if it is one alone.
    pub(crate) fn name(&self) -> Option<&Arc<str>> {
        match self {
            Operand::Name(name, 0) => Some(name),
            _ => None,
        }
    }

    /// Adds the names in it that are not those of registers.
    pub(crate) fn names<'a>(&'a self, out: &mut BTreeSet<&'a Arc<str>>) {
        match self {
            Operand::Name(name, _) | Operand::Not(name) if !name.starts_with('%') => {
                out.insert(name);
            }
            Operand::Vector(all) | Operand::List(all) => all.iter().for_each(|one| one.names(out)),
            Operand::Memory(base, _) => base.names(out),
            Operand::Pair(a, b) => {
                a.names(out);
                b.names(out);
            }
            Operand::Name(..) | Operand::Not(_) | Operand::Number(_) => {}
        }
    }
}
