//! ptxas, where there is one: named by `CUFEMU_PTXAS`, or on the `PATH`.

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

fn ptxas() -> Option<&'static PathBuf> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    let find = || {
        let named = std::env::var_os("CUFEMU_PTXAS").map(PathBuf::from);
        let path = std::env::var_os("PATH").unwrap_or_default();
        named.or_else(|| std::env::split_paths(&path).map(|dir| dir.join("ptxas")).find(|p| p.is_file()))
    };
    FOUND.get_or_init(find).as_ref()
}

/// What ptxas has against the text; nothing where there is no ptxas.
pub fn assemble(text: &str, sm: u32) -> Result<(), String> {
    let Some(ptxas) = ptxas() else { return Ok(()) };
    let path = std::env::temp_dir().join(format!("cufemu-fuzz-{}.ptx", std::process::id()));
    std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    let run = Command::new(ptxas).arg(format!("-arch=sm_{sm}")).args(["-O0", "-o", "/dev/null"]).arg(&path).output();
    let _ = std::fs::remove_file(&path);
    let output = run.map_err(|e| format!("{}: {e}", ptxas.display()))?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}
