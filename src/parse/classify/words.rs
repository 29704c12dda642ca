//! From the first word of a statement to its rule.

use super::StatementPosition;
use crate::grammar::Rule;
use crate::outline::{closing, first_word};
use crate::statement::EndKind;

/// The rule for a statement that is no assignment; `None` when its first word begins no statement.
pub(super) fn rule(text: &str, place: StatementPosition) -> Option<Rule> {
    let word = first_word(text);
    let rest = &text[word.len()..];
    if is_subprogram(text) {
        return Some(Rule::subprogram_stmt);
    }
    let in_type = matches!(place, StatementPosition::Type | StatementPosition::Bindings);
    Some(match word {
        "call" => Rule::call_stmt,
        "if" => Rule::if_head,
        "else" if rest.starts_with(" if(") => Rule::else_if,
        "else" if rest == " where" || rest.starts_with(" where(") || rest.starts_with(" where ") => Rule::elsewhere,
        "else" => Rule::else_stmt,
        "elseif" => Rule::else_if,
        "elsewhere" => Rule::elsewhere,
        "do" | "dowhile" => Rule::do_stmt,
        "select" if rest.starts_with(" type") => Rule::select_type,
        "selecttype" => Rule::select_type,
        "select" if rest.starts_with(" rank") => Rule::select_rank,
        "selectrank" => Rule::select_rank,
        "rank" if place == StatementPosition::Select => Rule::rank_stmt,
        "select" | "selectcase" => Rule::select_case,
        "case" => Rule::case_stmt,
        "type" if rest.starts_with(" is(") => Rule::type_guard,
        "class" if !rest.starts_with('(') => Rule::type_guard,
        "type" if rest.starts_with('(') => Rule::type_decl,
        "type" => Rule::type_def,
        "where" => Rule::where_head,
        "forall" => Rule::forall_head,
        "associate" => Rule::associate_stmt,
        "block" if rest.is_empty() => Rule::block_stmt,
        "block" | "blockdata" => Rule::block_data_stmt,
        "integer" | "real" | "complex" | "logical" | "character" | "double" | "doubleprecision" | "doublecomplex"
        | "byte" | "class" => Rule::type_decl,
        "procedure" => match place {
            StatementPosition::Bindings => Rule::binding_stmt,
            StatementPosition::Interface => Rule::module_procedure,
            _ => Rule::procedure_decl,
        },
        "generic" if in_type || rest.trim_start().starts_with([':', ',']) => Rule::generic_stmt,
        "final" if in_type => Rule::final_stmt,
        "pointer" if rest.starts_with('(') => Rule::cray_pointer,
        "parameter" if rest.starts_with(['(', ' ']) => Rule::parameter_stmt,
        "allocatable" | "asynchronous" | "attributes" | "automatic" | "bind" | "contiguous" | "dimension"
        | "external" | "intent" | "intrinsic" | "optional" | "parameter" | "pointer" | "private" | "protected"
        | "public" | "save" | "static" | "target" | "value" | "volatile" => Rule::attr_stmt,
        "implicit" if rest.starts_with(" none") => Rule::implicit_none,
        "implicit" => Rule::implicit_stmt,
        "data" => Rule::data_stmt,
        "common" => Rule::common_stmt,
        "equivalence" => Rule::equivalence_stmt,
        "namelist" => Rule::namelist_stmt,
        "import" => Rule::import_stmt,
        "use" => Rule::use_stmt,
        "sequence" => Rule::sequence_stmt,
        "structure" if rest.is_empty() || rest.starts_with(['/', ' ']) => Rule::structure_stmt,
        "record" if rest.starts_with('/') => Rule::record_stmt,
        "union" | "map" if rest.is_empty() => Rule::union_stmt,
        "enum" => Rule::enum_def,
        "enumerator" => Rule::enumerator,
        "interface" | "abstract" => Rule::interface_stmt,
        "module" if rest.starts_with(" procedure ") || rest.starts_with(" procedure::") => Rule::module_procedure,
        "module" => Rule::module_stmt,
        "program" => Rule::program_stmt,
        "submodule" => Rule::submodule_stmt,
        "subroutine" | "function" => Rule::subprogram_stmt,
        "entry" => Rule::entry_stmt,
        "contains" => Rule::contains_stmt,
        "go" | "goto" => Rule::goto_stmt,
        "assign" => Rule::assign_stmt,
        "continue" => Rule::continue_stmt,
        "return" => Rule::return_stmt,
        "stop" => Rule::stop_stmt,
        "error" | "errorstop" => Rule::error_stop,
        "pause" => Rule::pause_stmt,
        "cycle" => Rule::cycle_stmt,
        "exit" => Rule::exit_stmt,
        "allocate" => Rule::allocate_stmt,
        "deallocate" => Rule::deallocate_stmt,
        "nullify" => Rule::nullify_stmt,
        "print" => Rule::print_stmt,
        // READ of standard input by DEC's name.
        "accept" if rest.starts_with([' ', '*', '(', '\'', '"']) => Rule::read_short,
        "read" if !rest.starts_with('(') || is_concatenated(rest) => Rule::read_short,
        "write" | "read" | "open" | "close" | "inquire" => Rule::io_stmt,
        "encode" | "decode" if rest.starts_with('(') => Rule::io_stmt,
        "rewind" | "backspace" | "endfile" | "flush" | "wait" if rest.starts_with('(') => Rule::io_stmt,
        "rewind" | "backspace" | "endfile" | "flush" => Rule::unit_stmt,
        "format" if rest.starts_with('(') => Rule::format_stmt,
        "end" if rest.starts_with(" file(") => Rule::io_stmt,
        "end" if rest.starts_with(" file ") => Rule::unit_stmt,
        "end" => Rule::end_stmt,
        _ => {
            let ended = word.strip_prefix("end")?;
            if EndKind::from_words(ended) == EndKind::Any {
                return None;
            }
            Rule::end_stmt
        }
    })
}

/// Whether `//` stands behind the parentheses that a text begins with: they are part of a format, no list of specifiers.
fn is_concatenated(text: &str) -> bool {
    closing(text, 0).is_some_and(|close| text[close + 1..].trim_start().starts_with("//"))
}

/// Whether a statement is prefixes, `subroutine` or `function`, and a name.
fn is_subprogram(text: &str) -> bool {
    let mut rest = text;
    loop {
        let word = first_word(rest);
        let after = &rest[word.len()..];
        rest = match word {
            "subroutine" | "function" => return after.starts_with(' '),
            "recursive" | "pure" | "elemental" | "impure" | "module" | "non_recursive" | "doubleprecision"
            | "doublecomplex" | "byte" => after,
            "attributes" | "launch_bounds" | "cluster_dims" | "type" | "class" if after.starts_with('(') => {
                match closing(after, 0) {
                    Some(close) => &after[close + 1..],
                    None => return false,
                }
            }
            "double" => after.strip_prefix(" precision").or(after.strip_prefix(" complex")).unwrap_or(after),
            "integer" | "real" | "complex" | "logical" | "character" => match after.as_bytes().first() {
                Some(b'(') => match closing(after, 0) {
                    Some(close) => &after[close + 1..],
                    None => return false,
                },
                Some(b'*') if after[1..].starts_with('(') => match closing(after, 1) {
                    Some(close) => &after[close + 1..],
                    None => return false,
                },
                Some(b'*') => after[1..].trim_start_matches(|c: char| c.is_ascii_digit()),
                _ => after,
            },
            _ => return false,
        };
        rest = rest.strip_prefix(' ').unwrap_or(rest);
    }
}
