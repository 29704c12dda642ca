//! What a shared library in the ELF format of 64-bit machines leaves to others: the names that it uses and does not define, and the
//! places where their addresses go when it is loaded.
//!
//! Not here: loading libraries (`shared`), what is done about the names (`libraries`).

/// A name that is used and not defined.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Needed {
    pub(crate) name: String,
    /// Where its address goes, from where the library is loaded on, and what is added to it.
    pub(crate) places: Vec<(u64, i64)>,
}

/// What a library needs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Needs {
    pub(crate) names: Vec<Needed>,
    /// A name that it defines, and where from its beginning on: so its beginning can be found.
    pub(crate) defined: Option<(String, u64)>,
}

/// Kinds of sections: symbols of the loader, relocations.
const DYNAMIC_SYMBOLS: u32 = 11;
const RELOCATIONS: u32 = 4;
/// Relocations of x86-64 that are an address: in data, in the table of addresses, in that of procedures.
const ADDRESSES: [u32; 3] = [1, 6, 7];
/// The binding of a symbol that must be found.
const GLOBAL: u8 = 1;

#[derive(Clone, Copy)]
struct Section {
    kind: u32,
    offset: u64,
    bytes: u64,
    link: u32,
}

/// What the library in a file needs; nothing where the file is not as it should be.
pub(crate) fn needs(file: &[u8]) -> Needs {
    read(file).unwrap_or_default()
}

fn read(file: &[u8]) -> Option<Needs> {
    let sections = sections(file)?;
    let symbols = sections.iter().position(|section| section.kind == DYNAMIC_SYMBOLS)?;
    let table = contents(file, sections[symbols])?;
    let names = contents(file, *sections.get(sections[symbols].link as usize)?)?;
    let mut out = Needs::default();
    // By the number of the symbol, its place in the list.
    let mut listed = Vec::new();
    for symbol in table.chunks_exact(24) {
        let name = name_at(names, word(symbol, 0, 4)?);
        let (binding, section, value) = (symbol[4] >> 4, word(symbol, 6, 2)?, word(symbol, 8, 8)?);
        let is_needed = binding == GLOBAL && section == 0 && !name.is_empty();
        listed.push(is_needed.then_some(out.names.len()));
        if is_needed {
            out.names.push(Needed { name, places: Vec::new() });
        } else if binding == GLOBAL && section != 0 && out.defined.is_none() {
            out.defined = Some((name, value));
        }
    }
    for section in sections.iter().filter(|section| section.kind == RELOCATIONS && section.link as usize == symbols) {
        for entry in contents(file, *section)?.chunks_exact(24) {
            let (place, info, addend) = (word(entry, 0, 8)?, word(entry, 8, 8)?, word(entry, 16, 8)?);
            let listed = listed.get((info >> 32) as usize).copied().flatten();
            if let Some(at) = listed.filter(|_| ADDRESSES.contains(&(info as u32))) {
                out.names[at].places.push((place, addend as i64));
            }
        }
    }
    Some(out)
}

fn sections(file: &[u8]) -> Option<Vec<Section>> {
    if !file.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let (first, size, count) = (word(file, 0x28, 8)? as usize, word(file, 0x3a, 2)? as usize, word(file, 0x3c, 2)?);
    let section = |i: u64| {
        let header = file.get(first.checked_add(i as usize * size)?..)?;
        let (kind, link) = (word(header, 4, 4)? as u32, word(header, 40, 4)? as u32);
        Some(Section { kind, offset: word(header, 24, 8)?, bytes: word(header, 32, 8)?, link })
    };
    (0..count).map(section).collect()
}

fn contents(file: &[u8], section: Section) -> Option<&[u8]> {
    file.get(section.offset as usize..section.offset.checked_add(section.bytes)? as usize)
}

fn name_at(names: &[u8], at: u64) -> String {
    let rest = names.get(at as usize..).unwrap_or_default();
    let end = rest.iter().position(|&byte| byte == 0).unwrap_or(rest.len());
    String::from_utf8_lossy(&rest[..end]).into_owned()
}

/// The number of so many bytes at an offset.
fn word(bytes: &[u8], at: usize, count: usize) -> Option<u64> {
    bytes.get(at..at.checked_add(count)?).map(ir::foreign::word_of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_library_needs_nothing() {
        let mut headers = b"\x7fELF\x02\x01".to_vec();
        headers.resize(64, 0xff);
        for file in [&b""[..], b"text", b"\x7fELF\x02\x01", &headers] {
            assert_eq!(needs(file), Needs::default());
        }
    }
}
