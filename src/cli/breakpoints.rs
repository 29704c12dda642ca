//! The breakpoints of a program between two sessions of the debugger: a script of commands for each list of source files, kept
//! beside the history.
//!
//! Not here: what the commands are (`debug`).

use crate::cli::files;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;

/// Where the breakpoints of a program are kept.
#[derive(Debug)]
pub(crate) struct Breakpoints(Option<PathBuf>);

impl Breakpoints {
    /// Those of the program with these source files.
    pub(crate) fn of(sources: &[PathBuf]) -> Breakpoints {
        let whole: Vec<PathBuf> = sources.iter().map(|p| p.canonicalize().unwrap_or_else(|_| p.clone())).collect();
        let mut hasher = DefaultHasher::new();
        whole.hash(&mut hasher);
        let stem = sources.first().and_then(|p| p.file_stem()).unwrap_or_default().to_string_lossy();
        let name = format!("breakpoints/{stem}-{:016x}", hasher.finish());
        Breakpoints(files::user_file("XDG_STATE_HOME", ".local/state", &name))
    }

    /// None, for a session that nobody types.
    pub(crate) fn nowhere() -> Breakpoints {
        Breakpoints(None)
    }

    /// The commands that set those of the last session again.
    pub(crate) fn commands(&self) -> Vec<String> {
        // There is no file at first. One that cannot be read is as good as none.
        let text = self.0.as_ref().and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Keeps the present ones. That they cannot be written is none of the user's worries.
    pub(crate) fn keep(&self, script: &str) {
        let Some(path) = &self.0 else { return };
        if script.is_empty() {
            let _ = std::fs::remove_file(path);
        } else if let Some(directory) = path.parent() {
            let _ = std::fs::create_dir_all(directory).and_then(|()| std::fs::write(path, script));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_comes_back_until_nothing_is_kept() {
        let path = std::env::temp_dir().join(format!("cufemu-breakpoints-{}", std::process::id())).join("p");
        let kept = Breakpoints(Some(path.clone()));
        assert!(kept.commands().is_empty());
        kept.keep("break p.cuf:3\ncommands\nsilent\nprint i\nend\ndprintf p.cuf:4,\"x\\n\"\ncondition $bpnum i == 3\ndisplay i\n");
        assert_eq!(kept.commands().len(), 8);
        kept.keep("");
        assert!(kept.commands().is_empty());
        let _ = std::fs::remove_dir(path.parent().expect("a directory"));
        let nowhere = Breakpoints::nowhere();
        nowhere.keep("break 1\n");
        assert!(nowhere.commands().is_empty());
    }
}
