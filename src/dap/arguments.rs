//! What requests bring, as data. Names are those of the protocol; what this adapter does not use is left out.

use crate::wire::{Failure, Request, refuse};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

/// The arguments of a request; those that are missing have their defaults.
pub(crate) fn of<T: DeserializeOwned>(request: &Request) -> Result<T, Failure> {
    let value = if request.arguments.is_null() { serde_json::json!({}) } else { request.arguments.clone() };
    serde_json::from_value(value).or_else(|error| refuse(format!("`{}`: {error}.", request.command)))
}

/// Of `initialize`: what the client can do.
#[derive(Deserialize, Clone, Debug)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Initialize {
    #[serde(rename = "linesStartAt1")]
    pub(crate) lines_start_at_1: bool,
    pub(crate) supports_invalidated_event: bool,
    pub(crate) supports_progress_reporting: bool,
    pub(crate) supports_run_in_terminal_request: bool,
}

impl Default for Initialize {
    fn default() -> Initialize {
        Initialize {
            lines_start_at_1: true,
            supports_invalidated_event: false,
            supports_progress_reporting: false,
            supports_run_in_terminal_request: false,
        }
    }
}

/// One or several.
#[derive(Deserialize, Clone, Debug)]
#[serde(untagged)]
pub(crate) enum OneOrMore {
    /// One.
    One(String),
    /// Several.
    More(Vec<String>),
}

impl OneOrMore {
    /// All of them.
    pub(crate) fn all(self) -> Vec<String> {
        match self {
            OneOrMore::One(one) => vec![one],
            OneOrMore::More(all) => all,
        }
    }
}

/// Where the program reads its standard input and writes its output.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Debug, Default)]
#[serde(rename_all = "camelCase")]
pub(crate) enum ProgramConsole {
    /// In the console of the debugger.
    #[default]
    InternalConsole,
    /// In a terminal of the editor.
    IntegratedTerminal,
    /// In a terminal window.
    ExternalTerminal,
}

/// Of `launch`.
#[derive(Deserialize, Clone, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LaunchArguments {
    /// The source file, or all of them.
    pub(crate) program: OneOrMore,
    /// Options of cufemu, and behind `--` the arguments of the program.
    #[serde(default)]
    pub(crate) args: Vec<String>,
    pub(crate) cwd: Option<String>,
    #[serde(default)]
    pub(crate) env: BTreeMap<String, String>,
    /// The file that is the standard input of the program.
    pub(crate) input: Option<String>,
    #[serde(default)]
    pub(crate) console: ProgramConsole,
    #[serde(default)]
    pub(crate) stop_on_entry: bool,
    /// Whether to stop at the end of the program, from where one can go back.
    #[serde(default)]
    pub(crate) stop_at_end: bool,
    #[serde(default)]
    pub(crate) no_debug: bool,
}

/// A source file.
#[derive(Deserialize, Clone, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct SourceArgument {
    pub(crate) path: Option<String>,
    pub(crate) source_reference: i64,
}

/// A breakpoint at a line.
#[derive(Deserialize, Clone, PartialEq, Eq, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct LineBreakpoint {
    pub(crate) line: usize,
    pub(crate) condition: Option<String>,
    pub(crate) hit_condition: Option<String>,
    pub(crate) log_message: Option<String>,
}

/// Of `setBreakpoints`.
#[derive(Deserialize, Clone, Debug)]
pub(crate) struct SetBreakpoints {
    pub(crate) source: SourceArgument,
    #[serde(default)]
    pub(crate) breakpoints: Vec<LineBreakpoint>,
}

/// A breakpoint at a procedure.
#[derive(Deserialize, Clone, PartialEq, Eq, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct FunctionBreakpoint {
    pub(crate) name: String,
    pub(crate) condition: Option<String>,
    pub(crate) hit_condition: Option<String>,
}

/// A breakpoint at a change of a value.
#[derive(Deserialize, Clone, PartialEq, Eq, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct DataBreakpoint {
    pub(crate) data_id: String,
    pub(crate) access_type: Option<String>,
    pub(crate) condition: Option<String>,
    pub(crate) hit_condition: Option<String>,
}

/// Of `setFunctionBreakpoints` and `setDataBreakpoints`.
#[derive(Deserialize, Clone, Debug)]
pub(crate) struct SetAll<T> {
    pub(crate) breakpoints: Vec<T>,
}

/// Of `setExceptionBreakpoints`.
#[derive(Deserialize, Clone, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct SetFilters {
    pub(crate) filters: Vec<String>,
}

/// Of `dataBreakpointInfo`, `setVariable` and `variables`, of which each has some.
#[derive(Deserialize, Clone, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct VariableArguments {
    pub(crate) variables_reference: i64,
    pub(crate) frame_id: Option<i64>,
    pub(crate) name: String,
    pub(crate) value: String,
    pub(crate) start: u64,
    pub(crate) count: u64,
    pub(crate) format: Format,
}

/// How values are shown.
#[derive(Deserialize, Clone, Copy, Debug, Default)]
#[serde(default)]
pub(crate) struct Format {
    pub(crate) hex: bool,
}

/// Of requests about a thread.
#[derive(Deserialize, Clone, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ThreadArguments {
    pub(crate) thread_id: Option<i64>,
    pub(crate) start_frame: usize,
    pub(crate) levels: usize,
}

/// Of requests about an expression or a frame.
#[derive(Deserialize, Clone, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ExpressionArguments {
    pub(crate) expression: String,
    pub(crate) frame_id: Option<i64>,
    pub(crate) context: String,
    pub(crate) value: String,
    pub(crate) format: Format,
    /// Of `completions`.
    pub(crate) text: String,
    /// Of `completions`: behind which character, from 1.
    pub(crate) column: usize,
}

/// Of requests about a source file.
#[derive(Deserialize, Clone, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct PlaceArguments {
    pub(crate) source: SourceArgument,
    pub(crate) source_reference: i64,
    pub(crate) line: usize,
    pub(crate) end_line: Option<usize>,
}

/// Of `readMemory`.
#[derive(Deserialize, Clone, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MemoryArguments {
    pub(crate) memory_reference: String,
    #[serde(default)]
    pub(crate) offset: i64,
    pub(crate) count: u64,
}

/// Of `disassemble`.
#[derive(Deserialize, Clone, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CodeArguments {
    pub(crate) memory_reference: String,
    #[serde(default)]
    pub(crate) offset: i64,
    #[serde(default)]
    pub(crate) instruction_offset: i64,
    #[serde(default)]
    pub(crate) instruction_count: usize,
}

/// Of `cufemu/focus`. A part that is absent stays as it is.
#[derive(Deserialize, Clone, Debug, Default)]
#[serde(default)]
pub(crate) struct FocusArguments {
    pub(crate) host: bool,
    pub(crate) kernel: Option<u64>,
    pub(crate) block: Option<[u32; 3]>,
    pub(crate) thread: Option<[u32; 3]>,
    pub(crate) warp: Option<u32>,
    pub(crate) lane: Option<u32>,
    pub(crate) rank: Option<u32>,
}

/// Of `cufemu/array`, `cufemu/grid` and `cufemu/lanes`, of which each has some.
#[derive(Deserialize, Clone, Debug)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct PictureArguments {
    pub(crate) expression: String,
    pub(crate) frame_id: Option<i64>,
    /// First row and column, from 0.
    pub(crate) first: [u64; 2],
    /// Rows and columns.
    pub(crate) size: [u64; 2],
    /// Whether the whole array is shown as a map of so many cells.
    pub(crate) is_map: bool,
    /// Most cells of the map of blocks.
    pub(crate) cells: usize,
}

impl Default for PictureArguments {
    fn default() -> PictureArguments {
        PictureArguments {
            expression: String::new(),
            frame_id: None,
            first: [0, 0],
            size: [64, 64],
            is_map: false,
            cells: 1024,
        }
    }
}
