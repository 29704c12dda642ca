//! The arguments of a launch as the bytes of parameter memory (PTX ISA 5.2.5: each parameter at its natural alignment).
//!
//! Integers of less than 32 bits and predicates take 32 bits, because the registers that receive them do.

use ir::{Function, ParamKind, Ty};
use scalar::bits;

/// Most bytes of parameter memory (PTX ISA 8.1 and later).
pub const MAX_BYTES: u64 = 32764;

/// Where a parameter of a kernel lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParamSlot {
    /// Offset in bytes.
    pub offset: u64,
    /// Size in bytes.
    pub bytes: u64,
}

/// Where all parameters of a kernel lie.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ParamLayout {
    /// One for each parameter, in order.
    pub slots: Vec<ParamSlot>,
    /// Size of the whole.
    pub bytes: u64,
}

/// An argument of a launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParamValue<'a> {
    /// A value in canonical form, for [`ParamKind::Value`].
    Word(u64),
    /// An object, for [`ParamKind::Bytes`].
    Bytes(&'a [u8]),
}

/// Arguments that do not fit a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PackError {
    /// There should be `expected` arguments.
    Count {
        /// Parameters of the kernel.
        expected: usize,
        /// Arguments given.
        found: usize,
    },
    /// The parameters take more bytes than a launch can pass.
    Size {
        /// How many.
        bytes: u64,
    },
    /// Argument `index`, from 0, is a value for an object, an object for a value, or an object of another size.
    Kind {
        /// Which argument.
        index: usize,
    },
}

impl std::fmt::Display for PackError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            PackError::Count { expected, found } => write!(f, "{found} arguments for {expected} parameters"),
            PackError::Size { bytes } => write!(f, "{bytes} bytes of arguments, more than {MAX_BYTES}"),
            PackError::Kind { index } => write!(f, "argument {} does not fit its parameter", index + 1),
        }
    }
}

impl std::error::Error for PackError {}

/// Alignment of a parameter passed as bytes: a power of two, at most 128.
pub(crate) fn bytes_align(align: u64) -> u64 {
    align.clamp(1, 128).next_power_of_two()
}

/// Where the parameters of a kernel lie.
pub fn layout(func: &Function) -> ParamLayout {
    let mut layout = ParamLayout::default();
    for param in &func.params {
        let (bytes, align) = match param.kind {
            ParamKind::Value => {
                let bytes = u64::from(func.ty(param.reg).bytes()).max(4);
                (bytes, bytes)
            }
            ParamKind::Bytes { bytes, align } => (bytes.max(1), bytes_align(align)),
        };
        let offset = layout.bytes.next_multiple_of(align);
        layout.slots.push(ParamSlot { offset, bytes });
        layout.bytes = offset.saturating_add(bytes);
    }
    layout
}

/// The bytes of parameter memory for these arguments.
///
/// # Errors
/// When number, kind or size of the arguments is not that of the parameters.
pub fn pack(func: &Function, values: &[ParamValue<'_>]) -> Result<Vec<u8>, PackError> {
    if values.len() != func.params.len() {
        return Err(PackError::Count { expected: func.params.len(), found: values.len() });
    }
    let layout = layout(func);
    if layout.bytes > MAX_BYTES {
        return Err(PackError::Size { bytes: layout.bytes });
    }
    let mut out = vec![0; layout.bytes as usize];
    for (index, ((param, slot), value)) in func.params.iter().zip(&layout.slots).zip(values).enumerate() {
        let start = slot.offset as usize;
        match (param.kind, value) {
            (ParamKind::Value, ParamValue::Word(word)) => {
                let bytes = register_word(func.ty(param.reg), *word).to_le_bytes();
                out[start..start + slot.bytes as usize].copy_from_slice(&bytes[..slot.bytes as usize]);
            }
            (ParamKind::Bytes { bytes, .. }, ParamValue::Bytes(object)) if object.len() as u64 == bytes => {
                out[start..start + object.len()].copy_from_slice(object);
            }
            _ => return Err(PackError::Kind { index }),
        }
    }
    Ok(out)
}

/// A canonical word as the register of its type holds it: narrow integers sign-extended.
fn register_word(ty: Ty, word: u64) -> u64 {
    match ty {
        Ty::I8 | Ty::I16 => bits::signed(ty, word) as u64,
        Ty::Pred | Ty::I32 | Ty::I64 | Ty::F32 | Ty::F64 => bits::canonical(ty, word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::{FuncKind, FunctionBuilder};
    use source::Span;

    #[test]
    fn parameters_lie_at_their_alignment() {
        let mut b = FunctionBuilder::new("k", FuncKind::Kernel, Span::NONE);
        b.param(Ty::I8, "i");
        b.param(Ty::F64, "x");
        b.bytes_param(5, 2, "t");
        b.param(Ty::I32, "n");
        let func = b.finish();
        let at: Vec<_> = layout(&func).slots.iter().map(|s| (s.offset, s.bytes)).collect();
        assert_eq!(at, [(0, 4), (8, 8), (16, 5), (24, 4)]);
        let packed = pack(
            &func,
            &[ParamValue::Word(0x80), ParamValue::Word(7), ParamValue::Bytes(b"hello"), ParamValue::Word(1)],
        );
        let mut expected = vec![0x80, 0xff, 0xff, 0xff, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0];
        expected.extend(b"hello\0\0\0\x01\0\0\0");
        assert_eq!(packed, Ok(expected));
        assert_eq!(pack(&func, &[]), Err(PackError::Count { expected: 4, found: 0 }));
    }

    #[test]
    fn object_for_a_value_is_an_error() {
        let mut b = FunctionBuilder::new("k", FuncKind::Kernel, Span::NONE);
        b.param(Ty::I32, "n");
        assert_eq!(pack(&b.finish(), &[ParamValue::Bytes(&[0; 4])]), Err(PackError::Kind { index: 0 }));
    }
}
