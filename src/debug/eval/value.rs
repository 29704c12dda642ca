//! Values as the debugger has them: a kind, a shape and bytes in memory order.
//!
//! A kind is a checked type whose character length is known. Nothing is computed here: `compiled` evaluates expressions.

use ir::Ty;
use sema::checked::{
    Attrs, CharLen, Const, Dim, Expr, ExprKind, Field, Program, Shape, Storage, Type, TypeId, Variable,
};

/// Most elements of an array that an expression may make.
pub(crate) const MOST_ELEMENTS: u64 = 1 << 22;

/// Why an expression has no value: one sentence for the user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct EvalError(pub(crate) String);

pub(crate) type Eval<T> = Result<T, EvalError>;

/// An error with that text.
pub(crate) fn fail<T>(text: impl Into<String>) -> Eval<T> {
    Err(EvalError(text.into()))
}

/// Type of a scalar or of an array's elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Of that width.
    Int(Ty),
    /// Of that type, as [`text::real_type`] has it.
    Real(Ty),
    /// Of two reals of that width.
    Complex(Ty),
    /// Of an integer of that width.
    Logical(Ty),
    /// Of so many characters.
    Char(u64),
    /// A derived type of so many bytes.
    Derived(TypeId, u64),
}

impl Kind {
    /// The kind of a type; `len` is the length of a character, or the bytes of an object, where the type does not say it.
    pub(crate) fn of(program: &Program, ty: &Type, len: Option<u64>) -> Eval<Kind> {
        Ok(match ty {
            Type::Integer(k) => Kind::Int(Ty::integer((*k).into())),
            Type::Real(k) => Kind::Real(text::real_type((*k).into())),
            Type::Complex(k) => Kind::Complex(text::real_type((*k).into())),
            Type::Logical(k) => Kind::Logical(Ty::integer((*k).into())),
            Type::Character(CharLen::Const(n)) => Kind::Char((*n).max(0) as u64),
            Type::Character(_) => match len {
                Some(len) => Kind::Char(len),
                None => return fail("the length of this character value is not known here"),
            },
            Type::Derived(id) if program.ty(*id).is_flat => Kind::Derived(*id, len.unwrap_or(0)),
            Type::Derived(id) => Kind::Derived(*id, program.ty(*id).bytes),
            Type::Any => return fail("a `type(*)` object has no value"),
        })
    }

    /// The type of a value of this kind.
    fn ty(self) -> Type {
        match self {
            Kind::Int(ty) => Type::Integer(ty.bytes() as u8),
            Kind::Real(ty) => Type::Real(ty.bytes() as u8),
            Kind::Complex(ty) => Type::Complex(ty.bytes() as u8),
            Kind::Logical(ty) => Type::Logical(ty.bytes() as u8),
            Kind::Char(len) => Type::Character(CharLen::Const(len as i64)),
            Kind::Derived(id, _) => Type::Derived(id),
        }
    }

    /// Bytes of one element.
    pub(crate) fn bytes(self) -> u64 {
        match self {
            Kind::Int(ty) | Kind::Real(ty) | Kind::Logical(ty) => u64::from(ty.bytes()),
            Kind::Complex(ty) => 2 * u64::from(ty.bytes()),
            Kind::Char(len) => len,
            Kind::Derived(_, bytes) => bytes,
        }
    }

    /// The name of the type as Fortran says it.
    pub(crate) fn name(self, program: &Program) -> String {
        match self {
            Kind::Int(ty) => format!("integer({})", ty.bytes()),
            Kind::Real(ty) => format!("real({})", ty.bytes()),
            Kind::Complex(ty) => format!("complex({})", ty.bytes()),
            Kind::Logical(ty) => format!("logical({})", ty.bytes()),
            Kind::Char(len) => format!("character({len})"),
            Kind::Derived(id, _) => format!("type({})", program.ty(id).name),
        }
    }
}

/// A value: a scalar (no dimensions) or an array in array element order.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Value {
    /// Of its elements.
    pub(crate) kind: Kind,
    /// Lower bound and extent of each dimension.
    pub(crate) dims: Vec<(i64, i64)>,
    /// The bytes of its elements.
    pub(crate) data: Vec<u8>,
}

/// The low `bytes` bytes of a word.
pub(crate) fn to_bytes(word: u64, bytes: u64) -> Vec<u8> {
    word.to_le_bytes()[..bytes.min(8) as usize].to_vec()
}

/// A word of up to eight bytes, zero-extended.
pub(crate) fn from_bytes(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).rev().fold(0, |word, &b| word << 8 | u64::from(b))
}

impl Value {
    /// A scalar of one word.
    pub(crate) fn word(kind: Kind, word: u64) -> Value {
        Value { kind, dims: Vec::new(), data: to_bytes(word, kind.bytes()) }
    }

    /// An `integer(4)`.
    pub(crate) fn int4(value: i64) -> Value {
        Value::word(Kind::Int(Ty::I32), value as u64)
    }

    /// An integer of that type.
    pub(crate) fn integer(program: &Program, ty: &Type, value: i64) -> Eval<Value> {
        Ok(Value::word(Kind::of(program, ty, None)?, value as u64))
    }

    /// A `logical(4)`.
    pub(crate) fn logical(value: bool) -> Value {
        Value::word(Kind::Logical(Ty::I32), if value { u64::MAX } else { 0 })
    }

    /// The bytes of element `i` in array element order; of a scalar always its own.
    pub(crate) fn element(&self, i: usize) -> &[u8] {
        let bytes = self.kind.bytes() as usize;
        let at = if self.dims.is_empty() { 0 } else { i * bytes };
        self.data.get(at..at + bytes).unwrap_or(&[])
    }

    /// The bits of element `i`, which is one word.
    pub(crate) fn word_at(&self, i: usize) -> u64 {
        from_bytes(self.element(i))
    }

    /// A logical scalar's value: its lowest bit counts, as nvfortran has it.
    pub(crate) fn as_bool(&self) -> Eval<bool> {
        match (self.kind, self.dims.is_empty()) {
            (Kind::Logical(_), true) => Ok(self.word_at(0) & 1 != 0),
            _ => fail("the condition is not a scalar logical expression"),
        }
    }

    /// The value of a constant of that type.
    pub(crate) fn constant(program: &Program, ty: &Type, constant: &Const) -> Eval<Value> {
        let one = |constant: &Const, out: &mut Vec<u8>| -> Eval<()> { encode(program, ty, constant, out) };
        let len = match constant {
            Const::Char(text) => Some(text.len() as u64),
            Const::Array { items, .. } => match items.first() {
                Some(Const::Char(text)) => Some(text.len() as u64),
                _ => Some(0),
            },
            _ => None,
        };
        let kind = Kind::of(program, ty, len)?;
        let mut data = Vec::new();
        let dims = match constant {
            Const::Array { bounds, items } => {
                items.iter().try_for_each(|item| one(item, &mut data))?;
                bounds.clone()
            }
            other => {
                one(other, &mut data)?;
                Vec::new()
            }
        };
        Ok(Value { kind, dims, data })
    }
}

impl Value {
    /// The value as a named constant of a program, so that an expression can use it.
    pub(crate) fn named_constant(&self, name: &str, program: &Program) -> Eval<Variable> {
        let ty = self.kind.ty();
        let count = self.dims.iter().fold(1u64, |n, d| n.saturating_mul(d.1.max(0) as u64));
        let element = |i: u64| decode(program, self.kind, self.element(i as usize));
        let (init, shape) = if self.dims.is_empty() {
            (element(0)?, Shape::Scalar)
        } else {
            let items = (0..count).map(element).collect::<Eval<Vec<Const>>>()?;
            let bound = |n: i64| Expr {
                kind: ExprKind::Const(Const::Int(n)),
                ty: Type::Integer(8),
                rank: 0,
                span: source::Span::NONE,
            };
            let dim = |&(lower, extent): &(i64, i64)| Dim { lower: bound(lower), upper: bound(lower + extent - 1) };
            (Const::Array { bounds: self.dims.clone(), items }, Shape::Explicit(self.dims.iter().map(dim).collect()))
        };
        Ok(Variable {
            name: name.into(),
            ty,
            shape,
            storage: Storage::Parameter,
            attrs: Attrs::default(),
            init: Some(init),
            owner: None,
            module: None,
            span: source::Span::NONE,
        })
    }
}

/// The constant that the bytes of a scalar are.
fn decode(program: &Program, kind: Kind, bytes: &[u8]) -> Eval<Const> {
    let (first, second) = bytes.split_at(bytes.len() / 2);
    let real4 = |b: &[u8]| f32::from_bits(from_bytes(b) as u32);
    let real8 = |b: &[u8]| f64::from_bits(from_bytes(b));
    Ok(match kind {
        Kind::Int(ty) => Const::Int(scalar::bits::signed(ty, from_bytes(bytes))),
        Kind::Logical(_) => Const::Logical(from_bytes(bytes) & 1 != 0),
        Kind::Real(Ty::F64) => Const::Real8(real8(bytes)),
        Kind::Real(Ty::I16) => Const::Real2(from_bytes(bytes) as u16),
        Kind::Real(_) => Const::Real4(real4(bytes)),
        Kind::Complex(Ty::F64) => Const::Complex8(real8(first), real8(second)),
        Kind::Complex(_) => Const::Complex4(real4(first), real4(second)),
        Kind::Char(_) => Const::Char(bytes.into()),
        Kind::Derived(id, _) => {
            let components = program.ty(id).fields.iter().map(|field| decode_component(program, field, bytes));
            Const::Derived(components.collect::<Eval<_>>()?)
        }
    })
}

/// The constant that a component is in the bytes of its object.
fn decode_component(program: &Program, field: &Field, bytes: &[u8]) -> Eval<Const> {
    if field.allocatable || field.pointer {
        return Ok(Const::Null);
    }
    let kind = Kind::of(program, &field.ty, None)?;
    let size = kind.bytes() as usize;
    let element = |i: usize| {
        let from = field.offset as usize + i * size;
        match bytes.get(from..from + size) {
            Some(bytes) => decode(program, kind, bytes),
            None => fail("the value is not available"),
        }
    };
    let dims = crate::eval::context::const_dims(&field.shape, kind.bytes())?;
    if dims.is_empty() {
        return element(0);
    }
    let bounds: Vec<(i64, i64)> = dims.iter().map(|d| (d.lower, d.extent.unwrap_or(0))).collect();
    let count: i64 = bounds.iter().map(|b| b.1).product();
    Ok(Const::Array { bounds, items: (0..count as usize).map(element).collect::<Eval<_>>()? })
}

/// Appends the bytes of a scalar constant of that type.
fn encode(program: &Program, ty: &Type, constant: &Const, out: &mut Vec<u8>) -> Eval<()> {
    let start = out.len();
    match (constant, ty) {
        (Const::Int(v), Type::Integer(k) | Type::Logical(k)) => out.extend(to_bytes(*v as u64, u64::from(*k))),
        (Const::Logical(v), Type::Logical(k) | Type::Integer(k)) => {
            out.extend(to_bytes(if *v { u64::MAX } else { 0 }, u64::from(*k)));
        }
        (Const::Real2(bits), _) => out.extend(bits.to_le_bytes()),
        (Const::Real4(v), _) => out.extend(v.to_le_bytes()),
        (Const::Real8(v), _) => out.extend(v.to_le_bytes()),
        (Const::Complex4(re, im), _) => out.extend([re.to_le_bytes(), im.to_le_bytes()].concat()),
        (Const::Complex8(re, im), _) => out.extend([re.to_le_bytes(), im.to_le_bytes()].concat()),
        (Const::Char(text), Type::Character(CharLen::Const(n))) => {
            out.extend_from_slice(text);
            out.resize(start + (*n).max(0) as usize, b' ');
        }
        (Const::Char(text), _) => out.extend_from_slice(text),
        (Const::Derived(values), Type::Derived(id)) => {
            let def = program.ty(*id);
            out.resize(start + def.bytes as usize, 0);
            for (field, value) in def.fields.iter().zip(values) {
                if field.allocatable || field.pointer {
                    continue;
                }
                let mut piece = Vec::new();
                match value {
                    Const::Array { items, .. } => {
                        items.iter().try_for_each(|item| encode(program, &field.ty, item, &mut piece))?;
                    }
                    value => encode(program, &field.ty, value, &mut piece)?,
                }
                let at = start + field.offset as usize;
                if let Some(room) = out.get_mut(at..at + piece.len()) {
                    room.copy_from_slice(&piece);
                }
            }
        }
        _ => return fail("this constant has no value"),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_bytes_are_each_others_inverse() {
        assert_eq!(from_bytes(&to_bytes(0x1234_5678, 4)), 0x1234_5678);
        assert_eq!(Value::int4(-7).word_at(0), 0xffff_fff9);
        assert_eq!(Value::logical(true).as_bool(), Ok(true));
        assert!(Value::int4(1).as_bool().is_err());
    }

    #[test]
    fn constants_take_the_layout_of_memory() {
        let program = Program::default();
        let text =
            Value::constant(&program, &Type::Character(CharLen::Const(4)), &Const::Char(b"ab".as_slice().into()));
        assert_eq!(text.map(|t| t.data), Ok(b"ab  ".to_vec()));
        let array = Const::Array { bounds: vec![(0, 2)], items: vec![Const::Int(1), Const::Int(-1)] };
        let array = Value::constant(&program, &Type::Integer(2), &array).expect("a value");
        assert_eq!((array.data, array.dims), (vec![1, 0, 255, 255], vec![(0, 2)]));
    }
}
