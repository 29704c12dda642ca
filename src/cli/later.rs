//! Options that this version knows and does not do yet: one sentence each.

use crate::cli::options::{Check, Options};

/// The sentence for the first option asked for that is not there yet.
pub(crate) fn refusal(options: &Options) -> Option<String> {
    let is_asked = options.check.contains(&Check::Fp);
    is_asked.then(|| "`--check fp` is not there yet; it comes with a later version".to_owned())
}
