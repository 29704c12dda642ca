//! Options that this version knows and does not do yet: one sentence each.

use crate::cli::options::{Check, Options};

/// The sentence for the first option asked for that is not there yet.
pub(crate) fn refusal(options: &Options) -> Option<String> {
    let not_yet = |what: &str| Some(format!("{what} is not there yet; it comes with a later version"));
    if options.many_seeds.is_some() {
        return Some("`--many-seeds` is not there yet; run `--schedule seed:N` for each seed".to_owned());
    }
    if options.check.contains(&Check::Fp) {
        return not_yet("`--check fp`");
    }
    None
}
