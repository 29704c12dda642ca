//! Who started the process: what a launcher such as `mpirun` says in the environment.

use std::path::PathBuf;

/// A family of MPI libraries with one binary interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Open MPI 4 and 5.
    OpenMpi,
    /// MPICH 3 and 4, and those that are compatible with it.
    Mpich,
}

impl Kind {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Kind::OpenMpi => "Open MPI",
            Kind::Mpich => "MPICH",
        }
    }

    /// What its library is called, in the order in which names are tried.
    pub(crate) fn files(self) -> &'static [&'static str] {
        match self {
            Kind::OpenMpi => &["libmpi.so.40"],
            Kind::Mpich => &["libmpich.so.12", "libmpi.so.12"],
        }
    }
}

/// A process that a launcher has started as one of several.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Launch {
    /// The family of the launcher, if the environment says it.
    pub kind: Option<Kind>,
    /// The number of the process.
    pub rank: u32,
    /// How many there are.
    pub ranks: u32,
    /// How many of them are on this computer.
    pub local_ranks: u32,
    /// Directories where the launcher's library may be, beside those where the loader looks.
    pub directories: Vec<PathBuf>,
}

/// What launchers call the number of a rank and how many there are: on all computers, and on this one.
const NAMES: [(Option<Kind>, [&str; 3]); 3] = [
    (Some(Kind::OpenMpi), ["OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"]),
    (Some(Kind::Mpich), ["PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS"]),
    (None, ["SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_TASKS_PER_NODE"]),
];

impl Launch {
    /// What the environment says; `None` if the process is alone.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Option<Launch> {
        let number = |name: &str| variable(name)?.split(['(', ',']).next()?.trim().parse::<u32>().ok();
        for (kind, [rank, ranks, local_ranks]) in NAMES {
            if let (Some(rank), Some(ranks)) = (number(rank), number(ranks)) {
                let local_ranks = number(local_ranks).unwrap_or(1).max(1);
                return Some(Launch { kind, rank, ranks, local_ranks, directories: Vec::new() });
            }
        }
        None
    }

    /// The same, where the program that started the process is known: its library is beside it.
    #[must_use]
    pub fn started_by(mut self, launcher: Option<PathBuf>) -> Launch {
        let prefix = launcher.and_then(|path| Some(path.parent()?.parent()?.to_owned()));
        self.directories = prefix.iter().flat_map(|prefix| ["lib", "lib64"].map(|name| prefix.join(name))).collect();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(set: &[(&str, &str)]) -> Option<Launch> {
        Launch::read(|name| set.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn the_environment_says_who_started_the_process() {
        assert_eq!(read(&[("HOME", "/")]), None);
        let open = [("OMPI_COMM_WORLD_RANK", "1"), ("OMPI_COMM_WORLD_SIZE", "4"), ("OMPI_COMM_WORLD_LOCAL_SIZE", "2")];
        let launch = read(&open).expect("a launch");
        assert_eq!((launch.kind, launch.rank, launch.ranks, launch.local_ranks), (Some(Kind::OpenMpi), 1, 4, 2));
        let mpich = read(&[("PMI_RANK", "0"), ("PMI_SIZE", "2")]).expect("a launch");
        assert_eq!((mpich.kind, mpich.rank, mpich.ranks, mpich.local_ranks), (Some(Kind::Mpich), 0, 2, 1));
        let slurm = read(&[("SLURM_PROCID", "3"), ("SLURM_STEP_NUM_TASKS", "8"), ("SLURM_TASKS_PER_NODE", "4(x2)")]);
        assert_eq!(slurm.map(|s| (s.kind, s.rank, s.local_ranks)), Some((None, 3, 4)));
    }

    #[test]
    fn the_library_may_be_beside_the_launcher() {
        let launch = read(&[("PMI_RANK", "0"), ("PMI_SIZE", "2")]).expect("a launch");
        let launch = launch.started_by(Some(PathBuf::from("/opt/mpich/bin/hydra_pmi_proxy")));
        assert_eq!(launch.directories, [PathBuf::from("/opt/mpich/lib"), PathBuf::from("/opt/mpich/lib64")]);
    }
}
