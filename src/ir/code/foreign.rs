//! Procedures that are not compiled here but called by the platform's C convention: their signatures, and a call as data.
//!
//! Lowering writes the signature of a call into the code as text (the service `foreign.call`), the host reads it. The text is
//! the name, the parameters in parentheses and the result:
//!
//! ```text
//! scale(i4,&,&r,&@8:0,{16:0f8;8f8})f8
//! ```
//!
//! `i4` is an integer of 4 bytes by value, `f8` a real, `p` a pointer; `{16:0f8;8f8}` an object of 16 bytes with a real at 0
//! and one at 8; `&` is a reference, `&r` one that the procedure only reads, `&@8:0` one to elements of 8 bytes with a pointer
//! at 0; `&#24` one to 24 bytes; `&d` a descriptor of C, `&d@8:0` of such elements. Before the name of a procedure that C
//! calls, `*` says that a library has it, `=` that C code calls it by that name.
//!
//! Not here: how a call is made (`foreign`), and what memory a reference passes (`host`).

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The name in the signature of a procedure of C that is called by its address, which is the first parameter and is not passed.
pub const BY_ADDRESS: &str = "@";

/// The name of the function that calls procedures of the program for C code.
pub const ANSWER: &str = "calls_from_c";

/// A scalar of C.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum CScalar {
    /// An integer, boolean or character of 1, 2, 4 or 8 bytes.
    Int(u8),
    /// `float` (4) or `double` (8).
    Real(u8),
    /// A pointer.
    Pointer,
}

impl CScalar {
    /// Its size.
    pub fn bytes(self) -> u64 {
        match self {
            CScalar::Int(n) | CScalar::Real(n) => u64::from(n),
            CScalar::Pointer => 8,
        }
    }

    /// The word that C takes for such a scalar, of a word in whose lower bytes it is.
    pub fn extended(self, word: u64) -> u64 {
        match self {
            CScalar::Int(n) => {
                let unused = 64 - 8 * u32::from(n);
                ((word << unused) as i64 >> unused) as u64
            }
            CScalar::Real(2) => word & u64::from(u16::MAX),
            CScalar::Real(4) => word & u64::from(u32::MAX),
            CScalar::Real(_) | CScalar::Pointer => word,
        }
    }
}

/// What is passed by value, or given as a result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CValue {
    /// A scalar.
    Scalar(CScalar),
    /// An object.
    Object {
        /// Its size.
        bytes: u64,
        /// Its members, each with its offset.
        members: Vec<(u64, CScalar)>,
    },
}

impl CValue {
    /// Its size.
    pub fn bytes(&self) -> u64 {
        match self {
            CValue::Scalar(scalar) => scalar.bytes(),
            CValue::Object { bytes, .. } => *bytes,
        }
    }

    /// The scalar that it is for C: an object with one member is like that.
    pub fn as_scalar(&self) -> Option<CScalar> {
        match self {
            CValue::Scalar(scalar) => Some(*scalar),
            CValue::Object { bytes, members } => match members[..] {
                [(0, scalar)] if scalar.bytes() == *bytes => Some(scalar),
                _ => None,
            },
        }
    }

    /// The offsets of the pointers in it.
    pub fn pointers(&self) -> Vec<u64> {
        match self {
            CValue::Scalar(CScalar::Pointer) => vec![0],
            CValue::Scalar(_) => Vec::new(),
            CValue::Object { members, .. } => {
                members.iter().filter(|(_, scalar)| *scalar == CScalar::Pointer).map(|&(at, _)| at).collect()
            }
        }
    }
}

/// A parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CParam {
    /// By value.
    Value(CValue),
    /// The address of memory of the program, or 0.
    Reference {
        /// Whether the procedure only reads it.
        reads_only: bool,
        /// Bytes of an element, and the offsets of the pointers in it; no offsets where it has none.
        element: (u64, Vec<u64>),
        /// For a procedure of the program that C calls: the bytes behind the address, 0 if they are not known.
        extent: u64,
    },
    /// The address of a descriptor of C, or 0. In front of it is the address that the program has for its data.
    Descriptor {
        /// Bytes of an element of the data, and the offsets of the pointers in it; no offsets where it has none. With 0 bytes elements
        /// are pointers where the descriptor says so.
        element: (u64, Vec<u64>),
    },
}

impl CParam {
    /// Bytes of the object that is passed, up to the next word; 0 if none is.
    pub fn object_bytes(&self) -> u64 {
        match self {
            CParam::Value(CValue::Object { bytes, .. }) => bytes.next_multiple_of(8),
            _ => 0,
        }
    }
}

/// The signature of a procedure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// The name by which a library has it.
    pub name: Arc<str>,
    /// Whether the program gives a library this procedure, and a library has it, not the program.
    pub is_of_library: bool,
    /// Whether C code calls this procedure of the program by its name.
    pub is_named: bool,
    /// Its parameters.
    pub params: Vec<CParam>,
    /// Its result, if it is a function.
    pub result: Option<CValue>,
}

impl Signature {
    /// Bytes that the result takes at the beginning of the arguments in memory; the arguments follow, 8 bytes each.
    pub fn result_bytes(&self) -> u64 {
        self.result.as_ref().map_or(0, CValue::bytes).next_multiple_of(8)
    }

    /// Bytes of the room that takes the result, the arguments as words of 8 bytes and, behind them, the objects that are passed
    /// by value.
    pub fn room_bytes(&self) -> u64 {
        self.objects_at() + self.params.iter().map(CParam::object_bytes).sum::<u64>()
    }

    /// Where in that room the objects begin.
    pub fn objects_at(&self) -> u64 {
        self.result_bytes() + 8 * self.params.len() as u64
    }

    /// Whether memory that is passed by reference has pointers in it.
    pub fn passes_pointers(&self) -> bool {
        self.params.iter().any(|param| match param {
            CParam::Value(_) => false,
            CParam::Reference { element: (_, pointers), .. } | CParam::Descriptor { element: (_, pointers) } => {
                !pointers.is_empty()
            }
        })
    }

    /// Reads the text form; `None` if it is none.
    pub fn parse(text: &str) -> Option<Signature> {
        let (name, rest) = text.split_once('(')?;
        let (name, is_of_library) = name.strip_prefix('*').map_or((name, false), |name| (name, true));
        let (name, is_named) = name.strip_prefix('=').map_or((name, false), |name| (name, true));
        let mut reader = Reader { rest };
        let mut params = Vec::new();
        while !reader.take(")") {
            if !params.is_empty() && !reader.take(",") {
                return None;
            }
            params.push(reader.param()?);
        }
        let result = if reader.rest.is_empty() { None } else { Some(reader.value()?) };
        reader.rest.is_empty().then(|| Signature { name: name.into(), is_of_library, is_named, params, result })
    }
}

/// The text of a signature that is being read.
struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn take(&mut self, mark: &str) -> bool {
        let rest = self.rest.strip_prefix(mark);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn number(&mut self) -> Option<u64> {
        let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = self.rest.split_at(digits);
        self.rest = rest;
        number.parse().ok()
    }

    fn param(&mut self) -> Option<CParam> {
        if !self.take("&") {
            return Some(CParam::Value(self.value()?));
        }
        let is_descriptor = self.take("d");
        let reads_only = !is_descriptor && self.take("r");
        let mut element = (0, Vec::new());
        if self.take("@") {
            element.0 = self.number().filter(|&bytes| is_descriptor || bytes > 0)?;
            while self.take(if element.1.is_empty() { ":" } else { ";" }) {
                element.1.push(self.number()?);
            }
        }
        if is_descriptor {
            return Some(CParam::Descriptor { element });
        }
        let extent = if self.take("#") { self.number().filter(|&bytes| bytes > 0)? } else { 0 };
        Some(CParam::Reference { reads_only, element, extent })
    }

    fn value(&mut self) -> Option<CValue> {
        if !self.take("{") {
            return Some(CValue::Scalar(self.scalar()?));
        }
        let bytes = self.number()?;
        let mut members = Vec::new();
        while self.take(if members.is_empty() { ":" } else { ";" }) {
            let at = self.number()?;
            let scalar = self.scalar()?;
            if at.checked_add(scalar.bytes()).is_none_or(|end| end > bytes) {
                return None;
            }
            members.push((at, scalar));
        }
        self.take("}").then_some(CValue::Object { bytes, members })
    }

    fn scalar(&mut self) -> Option<CScalar> {
        if self.take("p") {
            return Some(CScalar::Pointer);
        }
        let is_real = self.take("f");
        if !is_real && !self.take("i") {
            return None;
        }
        match (is_real, self.number()?) {
            (true, n @ (2 | 4 | 8)) => Some(CScalar::Real(n as u8)),
            (false, n @ (1 | 2 | 4 | 8)) => Some(CScalar::Int(n as u8)),
            _ => None,
        }
    }
}

impl fmt::Display for CScalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CScalar::Int(n) => write!(f, "i{n}"),
            CScalar::Real(n) => write!(f, "f{n}"),
            CScalar::Pointer => f.write_str("p"),
        }
    }
}

impl fmt::Display for CValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CValue::Scalar(scalar) => scalar.fmt(f),
            CValue::Object { bytes, members } => {
                write!(f, "{{{bytes}")?;
                for (i, (at, scalar)) in members.iter().enumerate() {
                    write!(f, "{}{at}{scalar}", if i == 0 { ':' } else { ';' })?;
                }
                f.write_str("}")
            }
        }
    }
}

impl fmt::Display for CParam {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CParam::Value(value) => value.fmt(f),
            CParam::Reference { reads_only, element, extent } => {
                write!(f, "&{}", if *reads_only { "r" } else { "" })?;
                write_element(f, element)?;
                if *extent > 0 {
                    write!(f, "#{extent}")?;
                }
                Ok(())
            }
            CParam::Descriptor { element } => {
                f.write_str("&d")?;
                write_element(f, element)
            }
        }
    }
}

/// Writes where the pointers in an element are.
fn write_element(f: &mut fmt::Formatter<'_>, (bytes, pointers): &(u64, Vec<u64>)) -> fmt::Result {
    if !pointers.is_empty() {
        write!(f, "@{bytes}")?;
    }
    for (i, at) in pointers.iter().enumerate() {
        write!(f, "{}{at}", if i == 0 { ':' } else { ';' })?;
    }
    Ok(())
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.is_of_library { "*" } else { "" };
        write!(f, "{mark}{}{}(", if self.is_named { "=" } else { "" }, self.name)?;
        for (i, param) in self.params.iter().enumerate() {
            write!(f, "{}{param}", if i == 0 { "" } else { "," })?;
        }
        f.write_str(")")?;
        self.result.iter().try_for_each(|result| result.fmt(f))
    }
}

/// A word of up to 8 bytes, the lowest byte first.
pub fn word_of(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// What a library is asked to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ForeignStep {
    /// A procedure is called.
    Call(ForeignCall),
    /// The call that waits for a procedure of the program goes on.
    Return(ForeignReturn),
}

/// A call of a procedure, with the memory of the program that it is given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForeignCall {
    /// What is called.
    pub signature: Arc<Signature>,
    /// What is passed for each parameter.
    pub args: Vec<CArg>,
    /// The memory that the arguments point to, and what earlier calls were given that the procedure may have kept the
    /// address of.
    pub memory: Vec<Piece>,
    /// The procedures of the program that it may call.
    pub entries: Arc<Entries>,
}

/// The procedures of the program that libraries may call: what the program has as the address of each, and its signature.
pub type Entries = BTreeMap<u64, Arc<Signature>>;

/// What a procedure of the program that was called back has given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForeignReturn {
    /// The bytes of its result.
    pub result: Vec<u8>,
    /// What memory of C holds now of which it was given copies: addresses of C and bytes.
    pub copies: Vec<(u64, Vec<u8>)>,
    /// The memory of the program, as for a call.
    pub memory: Vec<Piece>,
    /// The procedures of the program that C may call now.
    pub entries: Arc<Entries>,
}

/// A call of a procedure of the program by a library.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Callback {
    /// What the program has as its address.
    pub entry: u64,
    /// What is passed for each parameter.
    pub args: Vec<CArg>,
}

/// An argument of a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CArg {
    /// The bits of a scalar, or an address of the program or of a library.
    Word(u64),
    /// An object.
    Object(Vec<u8>),
    /// A reference to memory of C: its address there, and what it holds.
    Copy(u64, Vec<u8>),
}

/// The bytes of a stretch of memory, as they were at some time.
pub trait Contents: fmt::Debug + Send + Sync {
    /// How many there are.
    fn bytes(&self) -> usize;

    /// Copies those from an offset on, which must be there.
    fn read(&self, offset: usize, out: &mut [u8]);

    /// How many bytes a page has (the last may have less), and a number for each page, if there are pages: while two contents are
    /// there, their pages of one number have the same bytes.
    fn pages(&self) -> Option<(usize, Vec<usize>)> {
        None
    }
}

impl Contents for Vec<u8> {
    fn bytes(&self) -> usize {
        self.len()
    }

    fn read(&self, offset: usize, out: &mut [u8]) {
        out.copy_from_slice(&self[offset..offset + out.len()]);
    }
}

impl PartialEq for dyn Contents {
    fn eq(&self, other: &dyn Contents) -> bool {
        const BLOCK: usize = 4096;
        let block = |of: &dyn Contents, at: usize| {
            let mut out = vec![0; BLOCK.min(of.bytes() - at)];
            of.read(at, &mut out);
            out
        };
        self.bytes() == other.bytes() && (0..self.bytes()).step_by(BLOCK).all(|at| block(self, at) == block(other, at))
    }
}

impl Eq for dyn Contents {}

/// A stretch of the program's memory.
#[derive(Clone, Debug)]
pub struct Piece {
    /// The address of its first byte in the program.
    pub base: u64,
    /// What the address that C has for it is a multiple of, too: a power of two.
    pub align: u32,
    /// Its contents.
    pub contents: Arc<dyn Contents>,
    /// Whether nothing is written to it.
    pub reads_only: bool,
    /// The offsets of the pointers in it that are known.
    pub pointers: Vec<u64>,
}

impl PartialEq for Piece {
    fn eq(&self, other: &Piece) -> bool {
        (self.base, self.align, self.reads_only) == (other.base, other.align, other.reads_only)
            && self.pointers == other.pointers
            && *self.contents == *other.contents
    }
}

impl Eq for Piece {}

/// What a call came to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ForeignEnd {
    /// The bytes of the result.
    pub result: Vec<u8>,
    /// What it wrote into the program's memory: addresses and bytes.
    pub written: Vec<(u64, Vec<u8>)>,
    /// The call is not over: it waits for this procedure of the program.
    pub callback: Option<Callback>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_read_as_they_are_written() {
        let texts = [
            "f()",
            "f(i4,&,&r,&@8:0,{16:0f8;8f8})f8",
            "g(&r@24:0;16,p,i1){8:0f4;4f4}",
            "h({24})p",
            "c(&#4,&r@8:0#16)i4",
            "d(&d,&d@0:0,&d@16:8)i4",
            "*d(i8)",
            "=e_(&,i8)",
        ];
        for text in texts {
            assert_eq!(Signature::parse(text).map(|s| s.to_string()).as_deref(), Some(text));
        }
    }

    #[test]
    fn other_texts_are_no_signatures() {
        let texts =
            ["", "f", "f(", "f(i3)", "f(i4", "f(i4,)", "f(i4 )", "f()f8f8", "f({8:4f8})", "f(&@0:0)", "f(&#0)", "f({8"];
        for text in texts {
            assert_eq!(Signature::parse(text), None, "{text}");
        }
    }
}
