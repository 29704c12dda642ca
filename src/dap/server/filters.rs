//! Table: the filters of findings that stop the program, and the families of codes of each.

use serde_json::{Value, json};

/// A filter.
pub(crate) struct Filter {
    /// Its name in the protocol.
    pub(crate) name: &'static str,
    /// What the user reads.
    pub(crate) label: &'static str,
    /// What is behind it.
    pub(crate) description: &'static str,
    /// The beginnings of the codes of its findings.
    pub(crate) codes: &'static [&'static str],
}

const fn filter(
    name: &'static str,
    label: &'static str,
    description: &'static str,
    codes: &'static [&'static str],
) -> Filter {
    Filter { name, label, description, codes }
}

/// The filters, in the order in which they are shown.
pub(crate) const FILTERS: &[Filter] = &[
    filter("race", "Data races", "At the second access of a race. Needs --race.", &["R01"]),
    filter("memory", "Memory faults", "At accesses outside of allocations, freed memory and the like.", &["R02"]),
    filter("init", "Uninitialised values", "At reads of what nothing has written. Needs --check init.", &["R03"]),
    filter("sync", "Barriers and deadlocks", "At barriers that some threads never reach.", &["R04"]),
    filter("api", "Launches and API calls", "At impossible launches and calls with invalid arguments.", &["R07"]),
    filter("host", "Errors of the host", "At errors of Fortran, such as end of file.", &["R06", "R08", "R09"]),
];

/// The filters as the client learns them.
pub(crate) fn list() -> Value {
    let row = |f: &Filter| json!({ "filter": f.name, "label": f.label, "description": f.description, "default": true });
    FILTERS.iter().map(row).collect()
}

/// The beginnings of the codes of findings that do not stop the program if these filters are on.
pub(crate) fn passed(on: &[String]) -> Vec<String> {
    let off = FILTERS.iter().filter(|f| !on.iter().any(|name| name == f.name));
    off.flat_map(|f| f.codes).map(|&code| code.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_chosen_passes() {
        assert_eq!(
            passed(&["race".into(), "memory".into(), "nonsense".into()]),
            ["R03", "R04", "R07", "R06", "R08", "R09"]
        );
    }
}
