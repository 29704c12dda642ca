//! Reads DWARF sections and answers a debugger's questions: pc ↔ line, functions, variables.

use gimli::constants as dw;
use gimli::{Dwarf, DwarfSections, EndianSlice, LittleEndian, Reader};

/// Why sections could not be read: gimli's own words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadError(pub String);

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "debug information cannot be read: {}", self.0)
    }
}

impl std::error::Error for ReadError {}

impl From<gimli::Error> for ReadError {
    fn from(error: gimli::Error) -> ReadError {
        ReadError(error.to_string())
    }
}

/// The code from `begin` up to `end` came from one place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// First address.
    pub begin: u64,
    /// The address after the last.
    pub end: u64,
    /// Name of the file.
    pub file: String,
    /// Line from 1; 0 for code without a place.
    pub line: u64,
    /// Column from 1; 0 if unknown.
    pub column: u64,
}

/// A function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionInfo {
    /// Name.
    pub name: String,
    /// First address.
    pub begin: u64,
    /// The address after the last.
    pub end: u64,
    /// Its variables, in order.
    pub variables: Vec<VariableInfo>,
}

/// A variable of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VariableInfo {
    /// Name.
    pub name: String,
    /// Name of the type of an element.
    pub ty: String,
    /// Bounds per dimension where they are constants: lower, upper. Empty for a scalar.
    pub bounds: Vec<(Option<i64>, Option<i64>)>,
    /// Whether it is a dummy argument.
    pub is_dummy: bool,
    /// Line of its declaration; 0 if unknown.
    pub line: u64,
    /// The bytes of its location expression; empty if it has no place.
    pub location: Vec<u8>,
    /// `DW_AT_address_class`.
    pub address_class: Option<u8>,
    /// Whether its address is at its place.
    pub follows: bool,
}

/// What debug information says.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Info {
    /// Rows of the line tables, by address.
    pub rows: Vec<Row>,
    /// Functions, in the order in which they stand.
    pub functions: Vec<FunctionInfo>,
}

type Slice<'s> = EndianSlice<'s, LittleEndian>;
type Unit<'s> = gimli::Unit<Slice<'s>>;
type Entry<'u, 's> = gimli::DebuggingInformationEntry<'u, 'u, Slice<'s>>;

impl Info {
    /// Reads the sections that `section` gives by name (`.debug_info` …); one that does not exist is empty.
    pub fn read(section: impl Fn(&str) -> Vec<u8>) -> Result<Info, ReadError> {
        let loaded = DwarfSections::load(|id| Ok::<_, ReadError>(section(id.name())))?;
        let dwarf = loaded.borrow(|bytes| EndianSlice::new(bytes, LittleEndian));
        let mut info = Info::default();
        let mut units = dwarf.units();
        while let Some(header) = units.next()? {
            let unit = dwarf.unit(header)?;
            info.lines(&dwarf, &unit)?;
            info.functions(&dwarf, &unit)?;
        }
        info.rows.sort_by_key(|r| (r.begin, r.end));
        Ok(info)
    }

    /// The row whose code has that address.
    pub fn row_at(&self, pc: u64) -> Option<&Row> {
        let behind = self.rows.partition_point(|r| r.begin <= pc);
        self.rows[..behind].iter().rev().find(|r| pc < r.end)
    }

    /// Where the code of a line begins, ascending: the first address of each row.
    pub fn pcs_of(&self, file: &str, line: u64) -> Vec<u64> {
        self.rows.iter().filter(|r| r.line == line && r.file == file).map(|r| r.begin).collect()
    }

    /// The function whose code has that address.
    pub fn function_at(&self, pc: u64) -> Option<&FunctionInfo> {
        self.functions.iter().find(|f| (f.begin..f.end).contains(&pc))
    }

    fn lines(&mut self, dwarf: &Dwarf<Slice<'_>>, unit: &Unit<'_>) -> Result<(), ReadError> {
        let Some(program) = unit.line_program.clone() else { return Ok(()) };
        let mut rows = program.rows();
        let mut open: Option<Row> = None;
        while let Some((header, row)) = rows.next_row()? {
            if let Some(mut before) = open.take() {
                before.end = row.address();
                if before.end > before.begin {
                    self.rows.push(before);
                }
            }
            if row.end_sequence() {
                continue;
            }
            let file = match row.file(header) {
                Some(file) => dwarf.attr_string(unit, file.path_name())?.to_string_lossy().into_owned(),
                None => String::new(),
            };
            let column = match row.column() {
                gimli::ColumnType::LeftEdge => 0,
                gimli::ColumnType::Column(column) => column.get(),
            };
            let line = row.line().map_or(0, std::num::NonZero::get);
            open = Some(Row { begin: row.address(), end: row.address(), file, line, column });
        }
        Ok(())
    }

    fn functions(&mut self, dwarf: &Dwarf<Slice<'_>>, unit: &Unit<'_>) -> Result<(), ReadError> {
        let mut entries = unit.entries();
        // Depth of the function that variables belong to.
        let (mut depth, mut inside) = (0, None);
        while let Some((delta, entry)) = entries.next_dfs()? {
            depth += delta;
            if inside.is_some_and(|at| depth <= at) {
                inside = None;
            }
            match entry.tag() {
                dw::DW_TAG_subprogram => {
                    let begin = attr_address(dwarf, unit, entry, dw::DW_AT_low_pc)?;
                    let end = match entry.attr_value(dw::DW_AT_high_pc)? {
                        Some(value) => match value.udata_value() {
                            Some(bytes) => begin.map(|b| b.wrapping_add(bytes)),
                            None => dwarf.attr_address(unit, value)?,
                        },
                        None => None,
                    };
                    // A declaration without code has no variables of interest.
                    if let (Some(begin), Some(end)) = (begin, end) {
                        let name = attr_name(dwarf, unit, entry)?;
                        self.functions.push(FunctionInfo { name, begin, end, variables: Vec::new() });
                        inside = Some(depth);
                    }
                }
                dw::DW_TAG_variable | dw::DW_TAG_formal_parameter if inside.is_some() => {
                    let variable = variable(dwarf, unit, entry)?;
                    if let Some(function) = self.functions.last_mut() {
                        function.variables.push(variable);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn attr_address(
    dwarf: &Dwarf<Slice<'_>>,
    unit: &Unit<'_>,
    entry: &Entry<'_, '_>,
    name: gimli::DwAt,
) -> Result<Option<u64>, ReadError> {
    match entry.attr_value(name)? {
        Some(value) => Ok(dwarf.attr_address(unit, value)?),
        None => Ok(None),
    }
}

fn attr_name(dwarf: &Dwarf<Slice<'_>>, unit: &Unit<'_>, entry: &Entry<'_, '_>) -> Result<String, ReadError> {
    match entry.attr_value(dw::DW_AT_name)? {
        Some(value) => Ok(dwarf.attr_string(unit, value)?.to_string_lossy().into_owned()),
        None => Ok(String::new()),
    }
}

fn variable(dwarf: &Dwarf<Slice<'_>>, unit: &Unit<'_>, entry: &Entry<'_, '_>) -> Result<VariableInfo, ReadError> {
    let location = match entry.attr_value(dw::DW_AT_location)? {
        Some(value) => match value.exprloc_value() {
            Some(expression) => expression.0.to_slice()?.into_owned(),
            None => Vec::new(),
        },
        None => Vec::new(),
    };
    let class = match entry.attr_value(dw::DW_AT_address_class)? {
        Some(gimli::AttributeValue::AddressClass(class)) => Some(class.0),
        other => other.and_then(|v| v.udata_value()),
    };
    let number = |name| Ok::<_, ReadError>(entry.attr_value(name)?.and_then(|v| v.udata_value()));
    let mut bounds = Vec::new();
    let mut ty = String::new();
    let mut follows = false;
    if let Some(gimli::AttributeValue::UnitRef(mut offset)) = entry.attr_value(dw::DW_AT_type)? {
        let outer = unit.entry(offset)?;
        if matches!(outer.tag(), dw::DW_TAG_reference_type | dw::DW_TAG_pointer_type)
            && let Some(gimli::AttributeValue::UnitRef(object)) = outer.attr_value(dw::DW_AT_type)?
        {
            (offset, follows) = (object, true);
        }
        let mut tree = unit.entries_tree(Some(offset))?;
        let root = tree.root()?;
        let found = root.entry();
        ty = attr_name(dwarf, unit, found)?;
        if found.tag() == dw::DW_TAG_array_type {
            if let Some(gimli::AttributeValue::UnitRef(element)) = found.attr_value(dw::DW_AT_type)? {
                ty = attr_name(dwarf, unit, &unit.entry(element)?)?;
            }
            let mut children = root.children();
            while let Some(child) = children.next()? {
                let range = child.entry();
                let bound = |name| Ok::<_, ReadError>(range.attr_value(name)?.and_then(|v| v.sdata_value()));
                bounds.push((bound(dw::DW_AT_lower_bound)?, bound(dw::DW_AT_upper_bound)?));
            }
        }
    }
    Ok(VariableInfo {
        name: attr_name(dwarf, unit, entry)?,
        ty,
        bounds,
        is_dummy: entry.tag() == dw::DW_TAG_formal_parameter,
        line: number(dw::DW_AT_decl_line)?.unwrap_or(0),
        location,
        address_class: class.and_then(|c| u8::try_from(c).ok()),
        follows,
    })
}
