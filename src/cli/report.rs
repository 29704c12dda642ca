//! Prints diagnostics and findings to standard error, in the format of `--message-format`.

use crate::cli::options::MessageFormat;
use crate::cli::usage;
use diag::{Diagnostic, Severity, Style};
use finding::Findings;
use machine::{DeviceBox, Machine};
use source::SourceMap;
use std::io::{IsTerminal, Write};

/// Prints diagnostics as they come, or one SARIF document at the end.
pub(crate) struct Reporter {
    format: MessageFormat,
    style: Style,
    errors: usize,
    warnings: usize,
    kept: Vec<Diagnostic>,
}

impl Reporter {
    /// A reporter for this format. It uses colour on a terminal, unless `NO_COLOR` is set.
    pub(crate) fn new(format: MessageFormat) -> Reporter {
        let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
        let width = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok()).unwrap_or(120);
        Reporter { format, style: Style { colour, width }, errors: 0, warnings: 0, kept: Vec::new() }
    }

    /// Prints one diagnostic.
    pub(crate) fn report(&mut self, diagnostic: &Diagnostic, map: &SourceMap) {
        match diagnostic.severity() {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
            _ => {}
        }
        match self.format {
            MessageFormat::Full => say(&diag::full(diagnostic, map, self.style)),
            MessageFormat::Short => say(&diag::short(diagnostic, map)),
            MessageFormat::Json => say(&diag::json(diagnostic, map)),
            MessageFormat::Sarif => self.kept.push(diagnostic.clone()),
        }
    }

    /// Prints the final count, or the SARIF document.
    pub(crate) fn finish(&mut self, map: &SourceMap) {
        if self.format == MessageFormat::Sarif {
            say(&diag::sarif(&self.kept, map, env!("CARGO_PKG_VERSION")));
        } else if self.format == MessageFormat::Full && self.errors + self.warnings > 0 {
            let count = |n: usize, word: &str| match n {
                0 => None,
                1 => Some(format!("1 {word}")),
                n => Some(format!("{n} {word}s")),
            };
            let parts: Vec<String> =
                [count(self.errors, "error"), count(self.warnings, "warning")].into_iter().flatten().collect();
            say(&format!("cufemu: {}\n", parts.join(", ")));
        }
    }

    /// How many errors were printed.
    pub(crate) fn errors(&self) -> usize {
        self.errors
    }
}

/// Writes to standard error, and ignores errors: there is no other place for the text.
pub(crate) fn say(text: &str) {
    let mut err = std::io::stderr().lock();
    let _ = err.write_all(text.as_bytes());
    let _ = err.flush();
}

/// Writes to standard output; returns the exit code.
pub(crate) fn print(text: impl AsRef<[u8]>) -> u8 {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_ref()).and_then(|()| out.flush()) {
        Ok(()) => 0,
        Err(error) => output_lost(&error),
    }
}

/// Handles an error of standard output. A closed pipe is none: its reader has all it wanted.
pub(crate) fn output_lost(error: &std::io::Error) -> u8 {
    if error.kind() == std::io::ErrorKind::BrokenPipe {
        return 0;
    }
    usage(&format!("cannot write to standard output: {error}; later output is lost"))
}

/// Whether the program has launched kernels on the emulator.
pub(crate) fn has_launched(machine: &Machine) -> bool {
    machine.devices().iter().filter_map(DeviceBox::emulator).any(|emulator| emulator.launch_modes().next().is_some())
}

/// Says of each kernel whether several threads ran it, and why not.
pub(crate) fn show_launch_modes(machine: &Machine) {
    for emulator in machine.devices().iter().filter_map(DeviceBox::emulator) {
        for (kernel, mode, count) in emulator.launch_modes() {
            let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
            say(&format!("cufemu: kernel `{kernel}` ran {times} {mode}\n"));
        }
    }
}

/// Prints the findings that have not been shown.
pub(crate) fn show_findings(findings: &Findings, shown: &mut usize, map: &SourceMap, reporter: &mut Reporter) {
    while let Some(finding) = findings.get(*shown) {
        reporter.report(&finding.diagnostic(), map);
        *shown += 1;
    }
}
