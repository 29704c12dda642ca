//! The SARIF 2.1.0 format, for code hosts and editors.
//!
//! Follows OASIS "Static Analysis Results Interchange Format (SARIF) Version 2.1.0": one run, one rule for each code that
//! occurs, one result for each diagnostic, labels as related locations, call stacks as `stacks`.

use crate::place::{Place, frame_text};
use crate::{Code, Diagnostic, Severity, explain};
use serde_json::{Map, Value, json};
use source::{SourceMap, Span};
use std::collections::{BTreeMap, BTreeSet};

/// All diagnostics as one SARIF document with a line end. `version` is that of the tool.
pub fn sarif(diagnostics: &[Diagnostic], map: &SourceMap, version: &str) -> String {
    let codes: Vec<Code> = diagnostics.iter().map(|d| d.code).collect::<BTreeSet<_>>().into_iter().collect();
    let mut known = BTreeMap::new();
    let results: Vec<Value> = diagnostics.iter().map(|d| result(d, &codes, map, &mut known)).collect();
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "cufemu",
                "version": version,
                "informationUri": "https://github.com/cufemu/cufemu",
                "rules": codes.iter().map(|&code| rule(code)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    // A document of strings and numbers always serialises.
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}

fn rule(code: Code) -> Value {
    let mut rule = json!({
        "id": code.id(),
        "name": format!("{code:?}"),
        "shortDescription": { "text": code.title() },
        "defaultConfiguration": { "level": level(code.severity()) },
    });
    if let (Some(text), Some(fields)) = (explain(code.id()), rule.as_object_mut()) {
        let body = text.lines().skip_while(|l| l.starts_with(code.id()) || l.trim().is_empty());
        let first: Vec<&str> = body.take_while(|l| !l.trim().is_empty()).collect();
        let full = if first.is_empty() { code.title().to_owned() } else { first.join(" ") };
        fields.insert("fullDescription".to_owned(), json!({ "text": full }));
        fields.insert("help".to_owned(), json!({ "text": text, "markdown": text }));
    }
    rule
}

/// The fingerprint of a result, which stays the same when lines move: an FNV hash of its code and the text of its line, and the
/// number of equal results before it. Code hosts expect this field name.
fn fingerprint(diagnostic: &Diagnostic, map: &SourceMap, known: &mut BTreeMap<u64, u32>) -> Value {
    let place = Place::of(map, diagnostic.primary.span);
    let line = place.as_ref().map_or("", |p| p.file.line_text(p.first().line));
    let text = [diagnostic.code.id().as_bytes(), line.as_bytes()].concat();
    let blank = |byte: &&u8| !byte.is_ascii_whitespace();
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = text.iter().filter(blank).fold(0xcbf2_9ce4_8422_2325, step);
    let count = known.entry(hash).or_insert(0);
    *count += 1;
    json!({ "primaryLocationLineHash": format!("{hash:016x}:{count}") })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note | Severity::Help => "note",
    }
}

fn result(diagnostic: &Diagnostic, codes: &[Code], map: &SourceMap, known: &mut BTreeMap<u64, u32>) -> Value {
    let mut text = diagnostic.message.clone();
    for label in crate::place::labels(diagnostic).filter(|l| !l.text.is_empty()).take(1) {
        text.push_str(": ");
        text.push_str(&label.text);
    }
    for (word, lines) in [("help", &diagnostic.helps), ("note", &diagnostic.notes)] {
        for line in lines {
            text.push('\n');
            text.push_str(word);
            text.push_str(": ");
            text.push_str(line);
        }
    }
    let mut fields = Map::new();
    fields.insert("ruleId".to_owned(), json!(diagnostic.code.id()));
    if let Ok(index) = codes.binary_search(&diagnostic.code) {
        fields.insert("ruleIndex".to_owned(), json!(index));
    }
    fields.insert("level".to_owned(), json!(level(diagnostic.severity())));
    fields.insert("message".to_owned(), json!({ "text": text }));
    if let Some(physical) = physical(diagnostic.primary.span, map) {
        fields.insert("locations".to_owned(), json!([{ "physicalLocation": physical }]));
    }
    fields.insert("partialFingerprints".to_owned(), fingerprint(diagnostic, map, known));
    let related: Vec<Value> = diagnostic
        .secondary
        .iter()
        .filter_map(|label| Some((label, physical(label.span, map)?)))
        .enumerate()
        .map(|(i, (label, place))| {
            let mut location = json!({ "id": i + 1, "physicalLocation": place });
            if let (false, Some(fields)) = (label.text.is_empty(), location.as_object_mut()) {
                fields.insert("message".to_owned(), json!({ "text": label.text }));
            }
            location
        })
        .collect();
    if !related.is_empty() {
        fields.insert("relatedLocations".to_owned(), Value::Array(related));
    }
    if !diagnostic.frames.is_empty() {
        fields.insert("stacks".to_owned(), stacks(diagnostic, map));
    }
    Value::Object(fields)
}

/// One stack for each run of frames that belong together.
fn stacks(diagnostic: &Diagnostic, map: &SourceMap) -> Value {
    let stacks = diagnostic.frames.chunk_by(|a, b| a.of == b.of).map(|frames| {
        let steps: Vec<Value> = frames
            .iter()
            .map(|frame| {
                let mut location = json!({ "message": { "text": frame_text(frame, map) } });
                if let (Some(place), Some(fields)) = (physical(frame.called_at, map), location.as_object_mut()) {
                    fields.insert("physicalLocation".to_owned(), place);
                }
                json!({ "location": location })
            })
            .collect();
        json!({ "frames": steps })
    });
    Value::Array(stacks.collect())
}

fn physical(span: Span, map: &SourceMap) -> Option<Value> {
    let place = Place::of(map, span)?;
    let (first, last) = (place.first(), place.last());
    Some(json!({
        "artifactLocation": { "uri": uri(place.file.name()) },
        "region": {
            "startLine": first.line,
            "startColumn": first.column,
            "endLine": last.line,
            "endColumn": last.column,
        },
    }))
}

/// A file name as a URI: relative as it is, absolute with its scheme (RFC 8089). Backslashes become slashes, what is not
/// allowed in a path is percent-encoded.
fn uri(name: &str) -> String {
    let name = name.replace('\\', "/");
    let has_drive = matches!(name.as_bytes(), [letter, b':', b'/', ..] if letter.is_ascii_alphabetic());
    let (mut uri, rest) = match (has_drive, name.starts_with('/')) {
        (true, _) => (format!("file:///{}:", &name[..1]), &name[2..]),
        (false, true) => ("file://".to_owned(), &name[..]),
        (false, false) => (String::with_capacity(name.len()), &name[..]),
    };
    for byte in rest.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(byte as char),
            _ => {
                const HEX: &[u8; 16] = b"0123456789ABCDEF";
                uri.push('%');
                uri.push(HEX[(byte >> 4) as usize] as char);
                uri.push(HEX[(byte & 15) as usize] as char);
            }
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_become_uri_references() {
        assert_eq!(uri("src/a b.cuf"), "src/a%20b.cuf");
        assert_eq!(uri("c:\\x\\é.cuf"), "file:///c:/x/%C3%A9.cuf");
        assert_eq!(uri("/a/b.cuf"), "file:///a/b.cuf");
    }
}
