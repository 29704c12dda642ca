//! Reads the kernels of CUDA C that the command line gives: PTX files, and sources, which NVRTC compiles.
//!
//! Not here: what is made of them (`compile`, `ptx`), calling NVRTC (`foreign`).

use crate::cli::files;
use compile::PtxFile;
use diag::Diagnostics;
use foreign::Inputs;
use source::{FileId, SourceMap};
use std::path::Path;

/// Reads all of them into the map. What is no PTX goes to `diags`; any other error is for the user.
pub(crate) fn read(map: &mut SourceMap, inputs: &Inputs, diags: &mut Diagnostics) -> Result<Vec<PtxFile>, String> {
    let mut out = Vec::new();
    for path in &inputs.kernels {
        let text = files::text_of(path)?;
        let name = path.display().to_string();
        let (id, source) = if path.extension().is_some_and(|e| e == "cu") {
            let ptx = foreign::compile_cuda(&name, &text, &inputs.options)?;
            let source = map.add(name.clone(), text);
            (map.add(format!("<PTX of {name}>"), ptx), Some(source))
        } else {
            (map.add(name, text), None)
        };
        let text = map.file(id).map(|file| file.text().clone()).unwrap_or_default();
        match compile::parse_ptx(id, &text) {
            Ok(ptx) => {
                let sources = sources(map, &ptx, path, source);
                out.push(PtxFile { ptx, sources });
            }
            Err(told) => {
                diags.push(*told);
            }
        }
    }
    Ok(out)
}

/// The files that the lines of a PTX file come from, as far as they can be read: where they were when it was made, or beside
/// it. `compiled` is the one that it was made of just now.
fn sources(map: &mut SourceMap, ptx: &compile::Ptx, path: &Path, compiled: Option<FileId>) -> Vec<(u32, FileId)> {
    let names: Vec<_> = ptx.sources().map(|(number, name)| (number, name.clone())).collect();
    let mut out = Vec::new();
    for (number, name) in names {
        let named = Path::new(&*name);
        let own = compiled.filter(|_| named.file_name() == path.file_name());
        let beside = named.file_name().map(|file| path.with_file_name(file));
        let id = own.or_else(|| {
            let places = beside.into_iter().chain([named.to_path_buf()]);
            places.filter(|place| place.is_file()).find_map(|place| files::read(map, &place).ok())
        });
        out.extend(id.map(|id| (number, id)));
    }
    out
}
