//! Fixed source form (Fortran 2018, 6.3.3).

use super::Prescan;
use diag::Diagnostics;

impl Prescan<'_> {
    /// Reads one initial line and its continuations; puts the statements found into `ready`.
    pub(super) fn read_fixed(&mut self, diags: &mut Diagnostics) {
        self.read_free(diags);
    }
}
