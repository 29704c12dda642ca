//! The preprocessor.
use crate::prescan::{Line, split};
use crate::{ParseOptions, SourceForm};
use diag::Diagnostics;
use source::{FileId, SourceMap};

pub(crate) fn run(
    map: &mut SourceMap,
    file: FileId,
    _form: SourceForm,
    _options: &ParseOptions,
    _include: &mut dyn FnMut(&str, FileId) -> Option<(String, String)>,
    _diags: &mut Diagnostics,
) -> Vec<Line> {
    split(map, file)
}
