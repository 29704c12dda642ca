//! Writes DWARF sections from a module, the places of its code and variables, and the source map.

use crate::types::{Types, fixed, text};
use crate::{Reference, Section, Target};
use gimli::constants as dw;
use gimli::write::{
    Address, AttributeValue, DwarfUnit, EndianVec, Expression, FileId, LineProgram, LineString, RelocateWriter,
    Relocation, RelocationTarget, Sections, UnitEntryId,
};
use gimli::{Encoding, Format, LineEncoding, LittleEndian, Register, SectionId};
use ir::{FuncId, Module, VarId};
use source::{SourceMap, Span};
use std::collections::BTreeMap;

/// An address: a number, or a label of the caller with something added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum At {
    /// A number.
    Number(u64),
    /// A label by its number, and bytes to add.
    Label(u32, i64),
}

/// A step of a location expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LocOp {
    /// Pushes an address.
    Address(At),
    /// Pushes the frame base plus so many bytes.
    Frame(i64),
    /// The frame of the call.
    CallFrame,
    /// The object is in that register.
    Register(u16),
    /// Adds a constant to what was pushed.
    Plus(u64),
    /// Replaces the pushed address by the contents of memory there.
    Deref,
    /// What stands before is the place of the next so many bytes of the object.
    Piece(u64),
}

/// Where a variable is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VarPlace {
    /// The variable, of the code's function.
    pub var: VarId,
    /// Where it is.
    pub location: Vec<LocOp>,
    /// `DW_AT_address_class`: the space, as CUDA numbers it (6 is local memory, 8 shared, 5 global).
    pub address_class: Option<u8>,
    /// Whether the address of the variable is there, and not the variable itself.
    pub holds_address: bool,
}

/// The code of one function.
#[derive(Clone, PartialEq, Debug)]
pub struct Code {
    /// The function.
    pub func: FuncId,
    /// Its first byte.
    pub begin: At,
    /// The byte after its last.
    pub end: At,
    /// How many bytes lie between.
    pub bytes: u64,
    /// Where places begin: byte offset in the code, place in the source. Any order; spans without a place are left out.
    pub rows: Vec<(u64, Span)>,
    /// Where its variables are; others are named without a place.
    pub places: Vec<VarPlace>,
    /// `DW_AT_address_class` of the addresses that places hold.
    pub pointer_class: Option<u8>,
    /// The frame base, if [`LocOp::Frame`] is used.
    pub frame_base: Vec<LocOp>,
}

/// What is said about the unit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// DWARF version, 2 to 4.
    pub version: u16,
    /// `DW_AT_producer`.
    pub producer: String,
    /// `DW_AT_comp_dir`.
    pub directory: String,
    /// Whether files have the numbers that the source map gives them, from 1, as in the `.file` lines of PTX; else only
    /// those that are needed are named.
    pub all_files: bool,
}

/// Why nothing was written: gimli's own words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WriteError(pub String);

impl std::fmt::Display for WriteError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "debug information cannot be written: {}", self.0)
    }
}

impl std::error::Error for WriteError {}

#[derive(Clone)]
struct Buffer {
    bytes: EndianVec<LittleEndian>,
    relocations: Vec<Relocation>,
}

impl RelocateWriter for Buffer {
    type Writer = EndianVec<LittleEndian>;

    fn writer(&self) -> &Self::Writer {
        &self.bytes
    }

    fn writer_mut(&mut self) -> &mut Self::Writer {
        &mut self.bytes
    }

    fn relocate(&mut self, relocation: Relocation) {
        self.relocations.push(relocation);
    }
}

fn address(at: At) -> Address {
    match at {
        At::Number(number) => Address::Constant(number),
        At::Label(label, addend) => Address::Symbol { symbol: label as usize, addend },
    }
}

fn expression(ops: &[LocOp]) -> AttributeValue {
    let mut e = Expression::new();
    for op in ops {
        match *op {
            LocOp::Address(at) => e.op_addr(address(at)),
            LocOp::Frame(offset) => e.op_fbreg(offset),
            LocOp::CallFrame => e.op(dw::DW_OP_call_frame_cfa),
            LocOp::Register(number) => e.op_reg(Register(number)),
            LocOp::Plus(bytes) => e.op_plus_uconst(bytes),
            LocOp::Deref => e.op_deref(),
            LocOp::Piece(bytes) => e.op_piece(bytes),
        }
    }
    AttributeValue::Exprloc(e)
}

/// The files of the line table, made on demand.
struct Files<'a> {
    sources: &'a SourceMap,
    made: BTreeMap<source::FileId, (FileId, u64)>,
}

impl Files<'_> {
    /// File and line of a span.
    fn place(&mut self, program: &mut LineProgram, span: Span) -> Option<(FileId, u64, u64)> {
        let location = self.sources.location(span)?;
        let (file, _) = self.number(program, span.file, &location.file);
        Some((file, location.line as u64, location.column as u64))
    }

    /// Number of the file and line of a span.
    fn declared(&mut self, program: &mut LineProgram, span: Span) -> Option<(u64, u64)> {
        let location = self.sources.location(span)?;
        Some((self.number(program, span.file, &location.file).1, location.line as u64))
    }

    /// The file in the line table, and its number there: they are counted from 1 in the order in which they come.
    fn number(&mut self, program: &mut LineProgram, id: source::FileId, name: &str) -> (FileId, u64) {
        let next = self.made.len() as u64 + 1;
        *self.made.entry(id).or_insert_with(|| {
            let directory = program.default_directory();
            (program.add_file(LineString::String(text(name)), directory, None), next)
        })
    }
}

/// Writes the debug information of the functions in `code`, which is one compilation unit.
pub fn write(
    module: &Module,
    code: &[Code],
    sources: &SourceMap,
    options: &Options,
) -> Result<Vec<Section>, WriteError> {
    let encoding = Encoding { format: Format::Dwarf32, version: options.version.clamp(2, 4), address_size: 8 };
    let main = code.iter().find_map(|c| sources.file(module.funcs.get(c.func.index())?.span.file));
    let name = text(main.map_or("?", |f| f.name()));
    let directory = text(&options.directory);
    let (dir, file) = (LineString::String(directory.clone()), LineString::String(name.clone()));
    let mut dwarf = DwarfUnit::new(encoding);
    dwarf.unit.line_program = LineProgram::new(encoding, LineEncoding::default(), dir, None, file, None);
    let root = dwarf.unit.root();
    let entry = dwarf.unit.get_mut(root);
    entry.set(dw::DW_AT_producer, AttributeValue::String(text(&options.producer)));
    entry.set(dw::DW_AT_language, AttributeValue::Data2(dw::DW_LANG_Fortran90.0));
    entry.set(dw::DW_AT_name, AttributeValue::String(name));
    entry.set(dw::DW_AT_comp_dir, AttributeValue::String(directory));
    entry.set(dw::DW_AT_stmt_list, AttributeValue::LineProgramRef);
    if let [only] = code {
        entry.set(dw::DW_AT_low_pc, AttributeValue::Address(address(only.begin)));
        entry.set(dw::DW_AT_high_pc, AttributeValue::Address(address(only.end)));
    }
    let mut files = Files { sources, made: BTreeMap::new() };
    if options.all_files {
        for (id, file) in sources.files() {
            files.number(&mut dwarf.unit.line_program, id, file.name());
        }
    }
    let mut types = Types::new(module);
    for c in code {
        function(&mut dwarf, module, c, &mut files, &mut types);
    }
    let empty = Buffer { bytes: EndianVec::new(LittleEndian), relocations: Vec::new() };
    let mut sections = Sections::new(empty);
    dwarf.write(&mut sections).map_err(|e| WriteError(e.to_string()))?;
    let mut out = Vec::new();
    let copied: gimli::write::Result<()> = sections.for_each(|id, buffer| {
        if matches!(id, SectionId::DebugAbbrev | SectionId::DebugInfo | SectionId::DebugLine) {
            out.push(section(id, buffer));
        }
        Ok(())
    });
    copied.map_err(|e| WriteError(e.to_string()))?;
    out.sort_by_key(|s| s.name);
    if options.version < 4
        && let Some(abbrev) = out.iter_mut().find(|s| s.name == SectionId::DebugAbbrev.name())
    {
        expressions_as_blocks(&mut abbrev.bytes);
    }
    Ok(out)
}

/// Makes the form of expressions `DW_FORM_block1`, since `DW_FORM_exprloc` came with DWARF 4. Both are a length and the bytes,
/// and no expression here has as many as 128, so that the length is the same byte.
fn expressions_as_blocks(abbrev: &mut [u8]) {
    let mut at = 0;
    let next = |bytes: &[u8], at: &mut usize| {
        let from = *at;
        while bytes.get(*at).is_some_and(|b| b & 0x80 != 0) {
            *at += 1;
        }
        *at += 1;
        bytes.get(from).copied().unwrap_or(0)
    };
    // A code, a tag and whether there are children; then attributes and forms up to a pair of zeros.
    while next(abbrev, &mut at) != 0 {
        next(abbrev, &mut at);
        at += 1;
        loop {
            let attribute = next(abbrev, &mut at);
            let form_at = at;
            let form = next(abbrev, &mut at);
            if attribute == 0 && form == 0 {
                break;
            }
            if u16::from(form) == dw::DW_FORM_exprloc.0 {
                abbrev[form_at] = dw::DW_FORM_block1.0 as u8;
            }
        }
    }
}

fn section(id: SectionId, buffer: &Buffer) -> Section {
    let reference = |r: &Relocation| {
        let target = match r.target {
            RelocationTarget::Symbol(label) => Target::Label(label as u32),
            RelocationTarget::Section(id) => Target::Section(id.name()),
        };
        Reference { offset: r.offset, size: r.size, target, addend: r.addend }
    };
    let mut references: Vec<Reference> = buffer.relocations.iter().map(reference).collect();
    references.sort_by_key(|r| r.offset);
    Section { name: id.name(), bytes: buffer.bytes.slice().to_vec(), references }
}

fn function(dwarf: &mut DwarfUnit, module: &Module, code: &Code, files: &mut Files<'_>, types: &mut Types<'_>) {
    let Some(f) = module.funcs.get(code.func.index()) else { return };
    let unit = &mut dwarf.unit;
    let program = &mut unit.line_program;
    let mut rows: Vec<(u64, (FileId, u64, u64))> = code
        .rows
        .iter()
        .filter(|(offset, _)| *offset < code.bytes)
        .filter_map(|&(offset, span)| Some((offset, files.place(program, span)?)))
        .collect();
    rows.sort_by_key(|r| r.0);
    program.begin_sequence(Some(address(code.begin)));
    let mut last = None;
    for (offset, place) in rows {
        if last.replace(place) != Some(place) {
            let row = program.row();
            row.address_offset = offset;
            (row.file, row.line, row.column) = place;
            program.generate_row();
        }
    }
    program.end_sequence(code.bytes);
    let declared = files.declared(program, f.span);
    let entry = unit.add(unit.root(), dw::DW_TAG_subprogram);
    let e = unit.get_mut(entry);
    e.set(dw::DW_AT_name, AttributeValue::String(text(&f.name)));
    e.set(dw::DW_AT_external, AttributeValue::Flag(true));
    e.set(dw::DW_AT_low_pc, AttributeValue::Address(address(code.begin)));
    e.set(dw::DW_AT_high_pc, AttributeValue::Address(address(code.end)));
    if !code.frame_base.is_empty() {
        e.set(dw::DW_AT_frame_base, expression(&code.frame_base));
    }
    declare(unit.get_mut(entry), declared);
    for (i, var) in f.vars.iter().enumerate() {
        let declared = files.declared(&mut unit.line_program, var.span);
        let place = code.places.iter().find(|p| p.var == VarId(i as u32));
        let ty = match place {
            Some(place) if place.holds_address => types.addressed(unit, var.ty, &var.shape, code.pointer_class),
            _ => types.shaped(unit, var.ty, &var.shape),
        };
        let tag = if var.is_dummy { dw::DW_TAG_formal_parameter } else { dw::DW_TAG_variable };
        let id: UnitEntryId = unit.add(entry, tag);
        let e = unit.get_mut(id);
        e.set(dw::DW_AT_name, AttributeValue::String(text(&var.name)));
        e.set(dw::DW_AT_type, AttributeValue::UnitRef(ty));
        declare(e, declared);
        if let Some(place) = place {
            e.set(dw::DW_AT_location, expression(&place.location));
            if let Some(class) = place.address_class {
                e.set(dw::DW_AT_address_class, AttributeValue::Data1(class));
            }
        }
    }
}

fn declare(entry: &mut gimli::write::DebuggingInformationEntry, place: Option<(u64, u64)>) {
    if let Some((file, line)) = place {
        entry.set(dw::DW_AT_decl_file, fixed(file));
        entry.set(dw::DW_AT_decl_line, fixed(line));
    }
}
