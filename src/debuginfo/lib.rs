//! DWARF for generated code: writing it from the IR, and reading it back.
//!
//! [`write()`] makes the sections `.debug_abbrev`, `.debug_info` and `.debug_line` of one compilation unit from a module, the
//! places of its code and variables, and the source map. What only an assembler or linker knows (addresses of code and memory,
//! offsets of sections) is a [`Reference`] that the caller prints or resolves: PTX takes the bytes as `.b8` and the references
//! as `.b32 .debug_line` or `.b64 label` ([`Section::chunks`]). [`Info::read`] takes sections from any file, such as the code
//! image of a GPU, and answers which line a pc belongs to, which pcs a line has, and where variables are.
//!
//! The format is DWARF 2 to 4 (`dwarfstd.org`), encoded by gimli; PTX requires version 2 (PTX ISA 11.5).
//!
//! Not here: call frame information (the GPU's debugger has its own), location lists (with debug information a variable stays
//! in one place), bounds that are only in registers.

mod read;
mod types;
mod write;

pub use read::{FunctionInfo, Info, ReadError, Row, VariableInfo};
pub use write::{At, Code, LocOp, Options, VarPlace, WriteError, write};

/// What a reference stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// The beginning of the section of that name.
    Section(&'static str),
    /// A label of the caller, by its number.
    Label(u32),
}

/// A place in a section where a number stands that the writer did not know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reference {
    /// Offset in the section; zero bytes stand there.
    pub offset: usize,
    /// Size in bytes: 4 for sections, 8 for labels.
    pub size: u8,
    /// What is referred to.
    pub target: Target,
    /// What is to be added.
    pub addend: i64,
}

/// A section.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// Its name, with the dot.
    pub name: &'static str,
    /// Contents.
    pub bytes: Vec<u8>,
    /// References, by offset.
    pub references: Vec<Reference>,
}

/// A part of a section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Chunk<'a> {
    /// Bytes as they are.
    Bytes(&'a [u8]),
    /// A number to be filled in.
    Reference(Reference),
}

impl Section {
    /// The section as a row of bytes and references, in order.
    pub fn chunks(&self) -> Vec<Chunk<'_>> {
        let mut chunks = Vec::new();
        let mut at = 0;
        for reference in &self.references {
            if let Some(bytes) = self.bytes.get(at..reference.offset).filter(|b| !b.is_empty()) {
                chunks.push(Chunk::Bytes(bytes));
            }
            chunks.push(Chunk::Reference(*reference));
            at = reference.offset + usize::from(reference.size);
        }
        chunks.extend(self.bytes.get(at..).filter(|b| !b.is_empty()).map(Chunk::Bytes));
        chunks
    }

    /// The bytes with labels at the addresses that `label` gives, and every section at its own beginning.
    pub fn resolved(&self, label: impl Fn(u32) -> u64) -> Vec<u8> {
        let mut bytes = self.bytes.clone();
        for r in &self.references {
            let base = match r.target {
                Target::Section(_) => 0,
                Target::Label(number) => label(number),
            };
            let value = base.wrapping_add_signed(r.addend).to_le_bytes();
            let size = usize::from(r.size).min(8);
            if let Some(place) = bytes.get_mut(r.offset..r.offset + size) {
                place.copy_from_slice(&value[..size]);
            }
        }
        bytes
    }
}
