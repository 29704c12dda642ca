//! CUF kernels.

use crate::fx::Fx;
use sema::checked::CufKernel;
use source::Span;

impl<'p> Fx<'_, 'p> {
    pub(crate) fn cuf_kernel(&mut self, _cuf: &'p CufKernel, _span: Span) {
        self.unsupported();
    }
}
