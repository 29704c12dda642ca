//! Who shares what a launch touches: the analysis of `ir::analysis::footprint`, by place in the compact code.
//!
//! A launch is looked at with the arguments, extents and memory that it begins with. Programs launch the same kernel with the
//! same arguments over and over, so that results are kept; one that depends on memory (descriptors, scalars by reference) is
//! used again only if the same is still there.
//!
//! Of a launch that is not free of races by itself it is also looked at what is known under guards (`checks::guard`), and if that is
//! not enough, under guards which say too that scatters store to each byte once, or that all threads store the same.

use crate::once_proof::OnceProof;
use device::KernelLaunch;
use ir::analysis::footprint::{
    AccessId, Extent, Footprint, Guards, LaunchFacts, Reduction, Sharing, alike, footprint, guarded,
};
use ir::analysis::reached;
use ir::rt::Rt;
use ir::{FuncId, InstKind, Module, ParamKind, Ty};
use mem::Memory;
use mem::address::{LOCAL_BASE, SHARED_BASE, WINDOW};
use race::UsedBytes;
use std::sync::{Arc, OnceLock};
use vm::{Program, Site};

/// What a guard assumes, from the least: that loose accesses stay away from others; that too, and that what is left are alike stores,
/// or that loose stores touch each byte once.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Assumed {
    Apart,
    Alike,
    Once,
}

/// What is known of each access of a launch.
#[derive(Debug)]
pub struct SiteSharing {
    footprint: Footprint,
    /// By function and operation: the number of the access there, if it is one.
    numbers: Arc<Vec<Vec<Option<u32>>>>,
    /// By function and operation: whether no other thread touches what the access there touches, unless both read, both are
    /// atomic, or a barrier is between.
    private: Arc<Vec<Vec<bool>>>,
    /// Those of them that touch no memory but shared memory.
    private_shared: Arc<Vec<Vec<bool>>>,
    /// By function and operation: whether an access is loose (`Guards`), and if so, whether it is a load.
    loose: Arc<Vec<Vec<Option<bool>>>>,
    /// By function and operation: the number of an alike store (`Guards`) among those of the launch.
    alike_numbers: Arc<Vec<Vec<Option<u32>>>>,
    /// Where they are, and how many bytes each stores.
    alike_stores: Vec<(Site, u64)>,
    /// Of `private` and `private_shared`, those that are neither loose nor alike.
    unguarded: [Arc<Vec<Vec<bool>>>; 2],
    /// The global memory that the launch uses, if that is known; worked out when it is asked for.
    used: OnceLock<Option<UsedBytes>>,
    /// That loose stores touch each byte once, if that was found out.
    once_proof: OnceProof,
    /// What is known if its guards hold, if that is more.
    guarded: Option<Arc<SiteSharing>>,
    /// What is known if its loose stores touch each byte once, too, if only then it is free of races.
    once: Option<Arc<SiteSharing>>,
    /// What is known but for the races of alike stores with themselves, if only these are left.
    alike: Option<Arc<SiteSharing>>,
}

impl SiteSharing {
    /// Looks at a launch that is about to begin.
    pub fn new(program: &Program, memory: &Memory, launch: &KernelLaunch) -> SiteSharing {
        let numbers = numbers(program, launch.func);
        let Looked { plain, guarded, once, alike } = look(program, memory, launch);
        let plain = SiteSharing::with(plain, numbers.clone());
        let [guarded, once, alike] =
            [guarded, once, alike].map(|found| found.map(|found| Arc::new(SiteSharing::with(found, numbers.clone()))));
        let is_more = |guarded: &Arc<SiteSharing>| guarded.private_count() > plain.private_count();
        SiteSharing { guarded: guarded.filter(is_more), once, alike, ..plain }
    }

    fn with(footprint: Footprint, numbers: Arc<Vec<Vec<Option<u32>>>>) -> SiteSharing {
        let private = by_site(&numbers, |id| id.is_some_and(|id| !footprint.races(id)));
        let private_shared =
            by_site(&numbers, |id| id.is_some_and(|id| !footprint.races(id) && !footprint.is_global(id)));
        let [private, private_shared] = [private, private_shared].map(Arc::new);
        let mut alike_stores = Vec::new();
        let (loose, alike_numbers, unguarded) = match footprint.guards() {
            None => (Arc::default(), Arc::default(), [private.clone(), private_shared.clone()]),
            Some(guards) => {
                let is_assumed = |id: AccessId| guards.loose.contains_key(&id) || guards.alike.contains_key(&id);
                let is_tight = |id: Option<AccessId>| !id.is_some_and(is_assumed);
                let tight = |is_private: &dyn Fn(AccessId) -> bool| {
                    Arc::new(by_site(&numbers, |id| is_tight(id) && id.is_some_and(is_private)))
                };
                let unguarded =
                    [tight(&|id| !footprint.races(id)), tight(&|id| !footprint.races(id) && !footprint.is_global(id))];
                let pc_of = |id: &AccessId| {
                    let of_func = numbers.get(id.func.index())?;
                    of_func.iter().position(|number| *number == Some(id.number))
                };
                let store = |(id, bytes): (&AccessId, &u64)| {
                    (Site { func: id.func, pc: pc_of(id).unwrap_or_default() as u32 }, *bytes)
                };
                alike_stores.extend(guards.alike.iter().map(store));
                let number = |id: AccessId| guards.alike.keys().position(|alike| *alike == id);
                let alike_numbers = by_site(&numbers, |id| number(id?).map(|number| number as u32));
                let loose = by_site(&numbers, |id| guards.loose.get(&id?).copied());
                (Arc::new(loose), Arc::new(alike_numbers), unguarded)
            }
        };
        SiteSharing {
            footprint,
            numbers,
            private,
            private_shared,
            loose,
            alike_numbers,
            alike_stores,
            unguarded,
            used: OnceLock::new(),
            once_proof: OnceProof::default(),
            guarded: None,
            once: None,
            alike: None,
        }
    }

    /// What is known if its guards hold; `None` if that is no more.
    pub fn guarded(&self) -> Option<&Arc<SiteSharing>> {
        self.guarded.as_ref()
    }

    /// What is known if its guards hold and its loose stores touch each byte once; `None` if that does not make it free of races, or
    /// it is without that.
    pub fn once(&self) -> Option<&Arc<SiteSharing>> {
        self.once.as_ref()
    }

    /// What is known but for the races of alike stores with themselves; `None` if other races may be left, or it is without that.
    pub fn alike(&self) -> Option<&Arc<SiteSharing>> {
        self.alike.as_ref()
    }

    /// By function and operation: the number of an alike store among those of the launch.
    pub(crate) fn alike_numbers(&self) -> &Arc<Vec<Vec<Option<u32>>>> {
        &self.alike_numbers
    }

    /// Where the alike stores are and how many bytes they have, by number.
    pub(crate) fn alike_stores(&self) -> impl Iterator<Item = (Site, u64)> + '_ {
        self.alike_stores.iter().copied()
    }

    /// What its guards assume, if it has some.
    pub(crate) fn assumed(&self) -> Option<Assumed> {
        let guards = self.guards()?;
        Some(match (guards.is_once, guards.alike.is_empty()) {
            (true, _) => Assumed::Once,
            (false, true) => Assumed::Apart,
            (false, false) => Assumed::Alike,
        })
    }

    /// By function and operation: whether an access is not an alike store.
    pub(crate) fn unlike(&self) -> Arc<Vec<Vec<bool>>> {
        Arc::new(self.alike_numbers.iter().map(|of| of.iter().map(Option::is_none).collect()).collect())
    }

    /// That loose stores touch each byte once, as far as earlier launches have shown.
    pub(crate) fn once_proof(&self) -> &OnceProof {
        &self.once_proof
    }

    /// What has to hold for this to be known.
    pub fn guards(&self) -> Option<&Guards> {
        self.footprint.guards()
    }

    /// By function and operation: whether an access is loose, and if so, whether it is a load.
    pub(crate) fn loose(&self) -> &Arc<Vec<Vec<Option<bool>>>> {
        &self.loose
    }

    /// Of [`SiteSharing::private`], or of [`SiteSharing::private_shared`], those that are neither loose nor alike stores.
    pub(crate) fn unguarded(&self, is_shared: bool) -> &Arc<Vec<Vec<bool>>> {
        &self.unguarded[usize::from(is_shared)]
    }

    /// How many accesses need not be watched.
    fn private_count(&self) -> usize {
        self.private.iter().flatten().filter(|is_private| **is_private).count()
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

    /// Those of [`SiteSharing::private`] that touch no memory but shared memory.
    pub fn private_shared(&self) -> &Arc<Vec<Vec<bool>>> {
        &self.private_shared
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

    /// Whether memory has all that this was found out from, under guards too.
    fn holds_in(&self, memory: &Memory) -> bool {
        let has = |&(address, ty, bits): &(u64, Ty, u64)| read(memory, address, ty) == Some(bits);
        let mut under_guards = [&self.guarded, &self.once, &self.alike].into_iter().flatten();
        self.footprint.trusted().iter().all(has) && under_guards.all(|of| of.holds_in(memory))
    }

    /// The bytes that the launch may touch; `None` if they may be any.
    pub fn extents(&self) -> Option<&[Extent]> {
        self.footprint.extents()
    }

    /// The global memory that the launch uses if it ends without a fault; `None` if that is not known exactly.
    pub(crate) fn used(&self) -> Option<&UsedBytes> {
        let work_out = || {
            let mut used = UsedBytes::default();
            for runs in self.footprint.runs()? {
                let set = if runs.is_write { &mut used.written } else { &mut used.read };
                runs.for_each(&mut |low| set.extend_range(low, runs.bytes));
            }
            used.seen = used.read.clone();
            used.drop_overwritten();
            Some(used)
        };
        self.used.get_or_init(work_out).as_ref()
    }

    /// Whether nothing can end the launch before its last block has ended, in memory as it is.
    pub(crate) fn cannot_fail(&self, memory: &Memory) -> bool {
        let inside = |low: u64, high: u64| {
            high >= low && memory.is_device_accessible(low, high - low) && memory.contains(low, high)
        };
        !self.may_stop() && self.extents().is_some_and(|all| all.iter().all(|e| e.is_aligned && inside(e.low, e.high)))
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
const KNOWN: usize = 512;
/// The same of those that have worked out which bytes they use.
const LARGE_KNOWN: usize = 16;
/// The same of those that may keep what decides where their stores go.
const PROVEN_KNOWN: usize = 4;

impl KnownLaunches {
    /// What is known of a launch that is about to begin; looks at it if it was not seen before.
    pub fn of(&mut self, program: &Program, memory: &Memory, launch: &KernelLaunch) -> Arc<SiteSharing> {
        let same = |k: &KernelLaunch| {
            k.func == launch.func && k.grid == launch.grid && k.block == launch.block && are_alike(program, k, launch)
        };
        if let Some(at) = self.known.iter().position(|(k, _)| same(k)) {
            let entry = self.known.remove(at);
            if entry.1.holds_in(memory) {
                self.known.push(entry);
                return self.known[self.known.len() - 1].1.clone();
            }
        }
        let found = Arc::new(SiteSharing::new(program, memory, launch));
        self.known.push((launch.clone(), found.clone()));
        if self.known.len() > KNOWN {
            self.known.remove(0);
        }
        for (back, (_, known)) in self.known.iter().rev().enumerate() {
            if let Some(once) = known.once() {
                once.once_proof().give_up_unless(back < PROVEN_KNOWN, memory);
            }
        }
        // What has worked out the bytes that it uses is large.
        if let Some(old) = self.known.len().checked_sub(LARGE_KNOWN)
            && self.known[old].1.used.get().is_some()
        {
            self.known.remove(old);
        }
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

/// What is known of each access, by function and operation; those without a number have none.
fn by_site<T>(numbers: &[Vec<Option<u32>>], of: impl Fn(Option<AccessId>) -> T) -> Vec<Vec<T>> {
    let id = |func: usize, number: u32| AccessId { func: FuncId(func as u32), number };
    let of_func = |(func, all): (usize, &Vec<Option<u32>>)| all.iter().map(|n| of(n.map(|n| id(func, n)))).collect();
    numbers.iter().enumerate().map(of_func).collect()
}

/// What is known of a launch: by itself, under guards, and under guards by which loose stores touch each byte once, or some stores
/// are alike.
struct Looked {
    plain: Footprint,
    guarded: Option<Footprint>,
    once: Option<Footprint>,
    alike: Option<Footprint>,
}

fn look(program: &Program, memory: &Memory, launch: &KernelLaunch) -> Looked {
    let args: Vec<Option<u64>> = launch
        .args
        .iter()
        .map(|a| match a {
            device::Arg::Bits(bits) => Some(*bits),
            device::Arg::Bytes(..) => None,
        })
        .collect();
    let facts = LaunchFacts {
        grid: launch.grid,
        block: launch.block,
        cluster: program.module().func(launch.func).cluster.unwrap_or([1; 3]),
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
    let (module, func) = (program.module(), launch.func);
    let plain = footprint(module, func, &facts);
    let may_guard = !plain.is_free_of_races() && can_be_undone(module, func);
    let apart = if may_guard { guarded(module, func, &facts, false) } else { None };
    let is_enough = apart.as_ref().is_none_or(Footprint::is_free_of_races);
    let once = if is_enough { None } else { guarded(module, func, &facts, true).filter(Footprint::is_free_of_races) };
    // The pass that finds the threads to name ends before it has found what else is wrong.
    let may_be_alike = may_guard
        && !apart.as_ref().is_some_and(Footprint::is_free_of_races)
        && nothing_orders(module, func)
        && reaches_only(module, func, |kind| !matches!(kind, InstKind::Rt { rt: Rt::RealMade, .. }));
    let alike = if may_be_alike { alike(module, func, &facts).filter(Footprint::is_free_of_races) } else { None };
    Looked { plain, guarded: apart, once, alike }
}

/// Whether nothing orders the threads of a launch of a kernel.
fn nothing_orders(module: &Module, kernel: FuncId) -> bool {
    let orders =
        |kind: &InstKind| matches!(kind, InstKind::Barrier { .. } | InstKind::SyncWarp { .. } | InstKind::Fence { .. });
    !module.func(kernel).cooperative && reaches_only(module, kernel, |kind| !orders(kind))
}

/// Whether a launch of a kernel does nothing but to access memory, so that it can be undone.
fn can_be_undone(module: &Module, kernel: FuncId) -> bool {
    let may_fail = [Rt::ErrorBounds, Rt::ErrorShape, Rt::ErrorAllocated, Rt::ErrorAlreadyAllocated, Rt::RealMade];
    reaches_only(module, kernel, |kind| match kind {
        InstKind::Rt { rt, .. } => may_fail.contains(rt),
        InstKind::Launch { .. } => false,
        _ => true,
    })
}

/// Whether all instructions of a kernel, and of the functions that it calls, are such; calls count as such.
fn reaches_only(module: &Module, kernel: FuncId, is_such: impl Fn(&InstKind) -> bool) -> bool {
    let is_such = |kind: &InstKind| matches!(kind, InstKind::Call { .. }) || is_such(kind);
    let of = |func: FuncId| module.funcs.get(func.index()).map(|f| f.blocks.iter().flat_map(|b| &b.insts));
    reached(module, kernel).into_iter().all(|func| of(func).is_some_and(|mut all| all.all(|i| is_such(&i.kind))))
}

fn read(memory: &Memory, address: u64, ty: Ty) -> Option<u64> {
    if !memory.is_device_accessible(address, u64::from(ty.bytes())) {
        return None;
    }
    let mut bytes = [0; 8];
    memory.read(address, bytes.get_mut(..ty.bytes() as usize)?)?;
    Some(u64::from_le_bytes(bytes))
}

/// The numbers of the accesses by operation, of a kernel and what it calls; other functions have none.
fn numbers(program: &Program, kernel: FuncId) -> Arc<Vec<Vec<Option<u32>>>> {
    let of = |func| {
        let mut out = vec![None; program.site_count(func)];
        for (number, site) in program.access_sites(func).enumerate() {
            if let Some(slot) = out.get_mut(site.pc as usize) {
                *slot = Some(number as u32);
            }
        }
        out
    };
    let mut out = vec![Vec::new(); program.module().funcs.len()];
    for func in reached(program.module(), kernel) {
        if let Some(slot) = out.get_mut(func.index()) {
            *slot = of(func);
        }
    }
    Arc::new(out)
}
