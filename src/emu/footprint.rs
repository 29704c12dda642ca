//! Who shares what a launch touches: the analysis of `ir::analysis::footprint`, by place in the compact code.
//!
//! A launch is looked at with the arguments, extents and memory that it begins with. Programs launch the same kernel with the
//! same arguments over and over, so that results are kept; one that depends on memory (descriptors, scalars by reference) is
//! used again only if the same is still there.

use device::KernelLaunch;
use ir::analysis::footprint::{AccessId, Extent, Footprint, LaunchFacts, Reduction, Sharing, footprint};
use ir::{FuncId, ParamKind, Ty};
use mem::address::{LOCAL_BASE, SHARED_BASE, WINDOW};
use mem::{Memory, Region};
use std::sync::Arc;
use vm::{Program, Site};

/// What is known of each access of a launch.
#[derive(Clone, Debug)]
pub struct SiteSharing {
    footprint: Footprint,
    /// By function and operation: the number of the access there, if it is one.
    numbers: Arc<Vec<Vec<Option<u32>>>>,
    /// By function and operation: whether no other thread touches what the access there touches, unless both read, both are
    /// atomic, or a barrier is between.
    private: Arc<Vec<Vec<bool>>>,
}

impl SiteSharing {
    /// Looks at a launch that is about to begin.
    pub fn new(program: &Program, memory: &Memory, launch: &KernelLaunch) -> SiteSharing {
        SiteSharing::with(look(program, memory, launch), numbers(program))
    }

    fn with(footprint: Footprint, numbers: Arc<Vec<Vec<Option<u32>>>>) -> SiteSharing {
        let is_private = |func: usize, number: Option<u32>| {
            let Some(number) = number else { return false };
            let id = AccessId { func: FuncId(func as u32), number };
            !footprint.races(id)
        };
        let private =
            numbers.iter().enumerate().map(|(f, all)| all.iter().map(|&n| is_private(f, n)).collect()).collect();
        SiteSharing { footprint, numbers, private: Arc::new(private) }
    }

    /// Who may touch what the access at a site touches.
    pub fn of(&self, site: Site) -> Sharing {
        self.id(site).map_or(Sharing::Unknown, |id| self.footprint.sharing(id))
    }

    /// The worst of all accesses that the one at a site may share bytes with, directly or through others.
    pub fn group(&self, site: Site) -> Sharing {
        self.id(site).map_or(Sharing::Unknown, |id| self.footprint.group(id))
    }

    /// What all accesses of the site's group do, if they are reductions of one kind.
    pub fn reduction(&self, site: Site) -> Option<Reduction> {
        self.footprint.reduction(self.id(site)?)
    }

    /// By function and operation: whether no access of another thread can race with the one there.
    pub fn private(&self) -> &Arc<Vec<Vec<bool>>> {
        &self.private
    }

    /// Whether that is so for all accesses of the launch.
    pub fn is_free_of_races(&self) -> bool {
        self.footprint.is_free_of_races()
    }

    /// The worst of all accesses of the launch.
    pub fn worst(&self) -> Sharing {
        self.footprint.worst()
    }

    /// Whether no two threads of different blocks race.
    pub fn keeps_races_in_blocks(&self) -> bool {
        self.footprint.keeps_races_in_blocks()
    }

    /// Whether the result holds only as long as memory has what was read from it.
    pub fn trusts_memory(&self) -> bool {
        !self.footprint.trusted().is_empty()
    }

    /// The bytes that the launch may touch; `None` if they may be any.
    pub fn extents(&self) -> Option<&[Extent]> {
        self.footprint.extents()
    }

    /// Whether something but an access may end the launch before its time.
    pub fn may_stop(&self) -> bool {
        self.footprint.may_stop()
    }

    fn id(&self, site: Site) -> Option<AccessId> {
        let number = (*self.numbers.get(site.func.index())?.get(site.pc as usize)?)?;
        Some(AccessId { func: site.func, number })
    }
}

/// Results for the launches of late.
#[derive(Clone, Debug, Default)]
pub struct KnownLaunches {
    /// The latest is the last.
    known: Vec<(KernelLaunch, Arc<SiteSharing>)>,
}

/// Launches that are remembered.
const KNOWN: usize = 16;

impl KnownLaunches {
    /// What is known of a launch that is about to begin; looks at it if it was not seen before.
    pub fn of(&mut self, program: &Program, memory: &Memory, launch: &KernelLaunch) -> Arc<SiteSharing> {
        let same = |k: &KernelLaunch| {
            k.func == launch.func && k.grid == launch.grid && k.block == launch.block && are_alike(program, k, launch)
        };
        if let Some(at) = self.known.iter().position(|(k, _)| same(k)) {
            let entry = self.known.remove(at);
            let holds = |&(address, ty, bits): &(u64, Ty, u64)| read(memory, address, ty) == Some(bits);
            if entry.1.footprint.trusted().iter().all(holds) {
                self.known.push(entry);
                return self.known[self.known.len() - 1].1.clone();
            }
        }
        let numbers = self.known.last().map_or_else(|| numbers(program), |(_, known)| known.numbers.clone());
        let found = Arc::new(SiteSharing::with(look(program, memory, launch), numbers));
        if self.known.len() == KNOWN {
            self.known.remove(0);
        }
        self.known.push((launch.clone(), found.clone()));
        found
    }
}

/// Whether the launches of one kernel have the same arguments, as far as addresses can depend on them: of reals, and of
/// objects passed by value, the analysis knows nothing.
fn are_alike(program: &Program, a: &KernelLaunch, b: &KernelLaunch) -> bool {
    let f = program.module().func(a.func);
    f.params.iter().enumerate().all(|(i, param)| {
        let is_number = param.kind == ParamKind::Value && f.ty(param.reg).is_int();
        !is_number || a.args.get(i) == b.args.get(i)
    })
}

fn look(program: &Program, memory: &Memory, launch: &KernelLaunch) -> Footprint {
    let args: Vec<Option<u64>> = launch
        .args
        .iter()
        .map(|a| match a {
            device::Arg::Bits(bits) => Some(*bits),
            device::Arg::Bytes(_) => None,
        })
        .collect();
    let facts = LaunchFacts {
        grid: launch.grid,
        block: launch.block,
        args: &args,
        globals: program.globals(),
        shared: (SHARED_BASE as i64, (SHARED_BASE + WINDOW - 1) as i64),
        shared_at: &|func, id| {
            let dynamic = || SHARED_BASE + program.dynamic_shared_offset(launch.func);
            Some(program.shared_address(func, id).unwrap_or_else(dynamic) as i64)
        },
        local: (LOCAL_BASE as i64, (LOCAL_BASE + WINDOW - 1) as i64),
        windows: (SHARED_BASE as i64, (LOCAL_BASE + WINDOW) as i64),
        read: &|address, ty| read(memory, address, ty),
    };
    footprint(program.module(), launch.func, &facts)
}

fn read(memory: &Memory, address: u64, ty: Ty) -> Option<u64> {
    if !Region::of(address).is_some_and(Region::is_device_accessible) {
        return None;
    }
    let mut bytes = [0; 8];
    memory.read(address, bytes.get_mut(..ty.bytes() as usize)?)?;
    Some(u64::from_le_bytes(bytes))
}

fn numbers(program: &Program) -> Arc<Vec<Vec<Option<u32>>>> {
    let of = |func| {
        let mut out = vec![None; program.site_count(func)];
        for (number, site) in program.access_sites(func).enumerate() {
            if let Some(slot) = out.get_mut(site.pc as usize) {
                *slot = Some(number as u32);
            }
        }
        out
    };
    Arc::new((0..program.module().funcs.len()).map(|i| of(FuncId(i as u32))).collect())
}
