//! Memory faults, uninitialised reads and leaks.

use super::phrase::{address, allocation, array, count, name, noun, object, present, who};
use super::{start, subject};
use crate::fact::DEFAULT_VALUES;
use crate::{Access, Actor, Allocation, ClusterFault, Finding, FindingKind, FreeFault, LeakKind, Origin, Space};
use diag::Diagnostic;
use source::Span;

pub(super) fn word(finding: &Finding) -> Diagnostic {
    if let FindingKind::Leak { what, allocation } = &finding.kind {
        return leak(finding, *what, allocation);
    }
    let nobody = Access::step(Actor::Host, Span::NONE);
    let access = finding.accesses.last().unwrap_or(&nobody);
    let at = |message: String| {
        Diagnostic::new(finding.code(), finding.span(), message).label(format!(
            "{} {} {}here",
            who(&access.actor),
            present(access.what),
            if access.bytes > 0 { format!("{} ", count(access.bytes, "byte")) } else { String::new() },
        ))
    };
    match &finding.kind {
        FindingKind::OutOfBounds { nearest } => out_of_bounds(access, nearest.as_ref(), at),
        FindingKind::Subscript { dimension, rank, subscript, lower, upper } => {
            let which = if *rank == 1 { "subscript".to_owned() } else { format!("subscript {dimension}") };
            let array = array(access);
            let message = if upper < lower {
                format!("{which} of {array} is {subscript}, but the array has no elements")
            } else {
                format!("{which} of {array} is {subscript}, outside its bounds {lower}:{upper}")
            };
            let d = at(message).label(format!("{} {} {} here", who(&access.actor), present(access.what), name(access)));
            if matches!(access.actor, Actor::Thread(_)) && subscript > upper {
                d.help("guard the access with an `if`, or launch no more threads than there are elements")
            } else {
                d
            }
        }
        FindingKind::PrivateArgument => {
            let (what, whose) = match access.space {
                Space::Shared => ("shared memory", "of the launching block"),
                _ => ("local memory", "of the launching thread"),
            };
            start(finding, format!("{what} {whose} is passed to a kernel, which cannot reach it"))
                .help("pass a scalar by value (attribute `value` of the dummy argument), an array in global memory")
        }
        FindingKind::ClusterAccess { fault } => match fault {
            ClusterFault::NoSuchBlock { rank, blocks } => {
                let block = match rank {
                    Some(rank) => format!("block {rank} of a cluster of {}", count(*blocks, "block")),
                    None => format!("a block whose rank is not from 1 to {blocks}"),
                };
                at(format!("access to shared memory of {block}")).help(
                    "ranks count from 1; `cluster_dims(x, y, z)` of the kernel says how many blocks a cluster has",
                )
            }
            ClusterFault::PerhapsNotBegun { rank } => {
                at(format!("access to shared memory of block {rank} of the cluster, which may not have begun"))
                    .help("call `syncthreads(cluster)` first: behind it all blocks of the cluster have begun")
            }
            ClusterFault::Ended { rank } => {
                at(format!("access to shared memory of block {rank} of the cluster, which has ended"))
                    .help("call `syncthreads(cluster)` behind the access, so that all blocks wait for it")
            }
        },
        FindingKind::SharedBeyondLaunch { available, needed } => at(format!(
            "{} lies beyond the shared memory of the launch, which has {} of it",
            subject(finding, "the address"),
            count(*available, "byte"),
        ))
        .help(format!("launch with `<<<grid, block, bytes>>>` where bytes is at least {needed}")),
        FindingKind::UseAfterFree { allocation: memory, freed_at } => {
            at(format!("{} of {} after its memory was freed", noun(access.what), name(access)))
                .secondary(*freed_at, format!("{} freed here", allocation(memory)))
                .secondary(memory.span, format!("{} allocated here", allocation(memory)))
        }
        FindingKind::NeverAllocated => {
            let message =
                format!("{} at {}, where nothing was ever allocated", noun(access.what), address(access.address));
            at(message).help("check that the pointer or the address was set before")
        }
        FindingKind::HostMemoryOnDevice => at(format!(
            "{} is in host memory, which device code cannot reach",
            subject(finding, &format!("address {}", address(access.address))),
        ))
        .help("copy it to a `device` array before the launch, or declare it `managed`"),
        FindingKind::DeviceMemoryOnHost => at(format!(
            "{} is in device memory, which host code cannot reach",
            subject(finding, &format!("address {}", address(access.address))),
        ))
        .help("copy it to a host variable first, by an assignment"),
        FindingKind::Misaligned { needed } => at(format!(
            "{} of {} at an address that is not a multiple of {}",
            noun(access.what),
            name(access),
            count(*needed, "byte"),
        ))
        .note(format!("the address is {}", address(access.address))),
        FindingKind::Null => null(access, at),
        FindingKind::DoubleFree { allocation: memory, freed_at } => {
            at(format!("memory of {} is freed twice", allocation(memory)))
                .label("freed again here")
                .secondary(*freed_at, "freed here before")
                .secondary(memory.span, "allocated here")
        }
        FindingKind::InvalidFree { fault } => invalid_free(finding, access, fault),
        FindingKind::CopyOutOfBounds { call, requested, available } => start(
            finding,
            format!(
                "`{call}` of {} goes beyond the end of {}, which has {} from here",
                count(*requested, "byte"),
                subject(finding, "the array"),
                available,
            ),
        )
        .help(if call == "assignment" {
            "the two sides have different shapes; what both have was copied"
        } else {
            "counts are in elements, not in bytes, unless the arguments are `c_ptr` or `c_devptr`"
        }),
        FindingKind::Uninitialised { origin } => uninitialised(access, origin.as_ref(), at),
        // The other kinds have their own files.
        _ => start(finding, finding.code().title()),
    }
}

fn out_of_bounds(access: &Access, nearest: Option<&Allocation>, at: impl Fn(String) -> Diagnostic) -> Diagnostic {
    let verb = noun(access.what);
    let Some(memory) = nearest else {
        return at(format!("{verb} of {}, which is outside every array", name(access)));
    };
    let end = memory.base.saturating_add(memory.bytes);
    let (side, off) = if access.address >= end {
        ("past the end of", access.address - end)
    } else if access.address < memory.base {
        ("before the beginning of", memory.base - access.address)
    } else {
        ("across the end of", 0)
    };
    let distance = if off == 0 { "right".to_owned() } else { count(off, "byte") };
    let what = name(access);
    let message = match (&access.place, side) {
        (Some(_), "across the end of") => format!("{verb} of {what}, which lies {side} {}", allocation(memory)),
        (Some(_), _) => format!("{verb} of {what}, which lies {distance} {side} {}", allocation(memory)),
        (None, "across the end of") => format!("{verb} {side} {}", allocation(memory)),
        (None, _) => format!("{verb} {distance} {side} {}", allocation(memory)),
    };
    let mut d = at(message);
    d = d.secondary(memory.span, format!("{} has {}", allocation(memory), count(memory.bytes, "byte")));
    if matches!(access.actor, Actor::Thread(_)) && side != "before the beginning of" {
        d = d.help("guard the access with `if (i <= n)`, or launch no more threads than there are elements");
    }
    d
}

fn null(access: &Access, at: impl Fn(String) -> Diagnostic) -> Diagnostic {
    match &access.place {
        Some(place) => {
            let d = at(format!("{} of `{place}`, but `{}` is not allocated", noun(access.what), place.array));
            if access.actor == Actor::Host {
                d.help("allocate it before this statement")
            } else {
                d.help("allocate it before the launch")
            }
        }
        None => at(format!("{} through a null address", noun(access.what)))
            .help("allocate the array, or associate the pointer, before the launch"),
    }
}

fn invalid_free(finding: &Finding, access: &Access, fault: &FreeFault) -> Diagnostic {
    let what = if access.place.is_some() { name(access) } else { address(access.address) };
    match fault {
        FreeFault::NotTheStart => {
            start(finding, format!("free of {what}, which is not the first element of its array"))
                .help("free the array as a whole")
        }
        FreeFault::WrongRoutine { made_by, freed_by } => {
            start(finding, format!("{what} was allocated by `{made_by}` and is freed by another routine"))
                .help(format!("memory from `{made_by}` is freed by `{freed_by}`"))
        }
        FreeFault::NotAllocated => start(finding, format!("free of {what}, where nothing was allocated")),
    }
}

fn uninitialised(access: &Access, origin: Option<&Origin>, at: impl Fn(String) -> Diagnostic) -> Diagnostic {
    const FILL: &str = "let the threads of the block fill it first, then `call syncthreads()`";
    const GIVE: &str = "give it a value first";
    let is_default = |m: &Allocation| m.name.as_deref() == Some(DEFAULT_VALUES);
    let of_defaults = origin.filter(|origin| origin.memory.as_ref().is_some_and(is_default));
    if let (Some(origin), None) = (origin, of_defaults) {
        let named = origin.memory.as_ref().filter(|memory| memory.name.is_some());
        let of = named.map_or_else(String::new, |memory| format!(" of {}", allocation(memory)));
        let d = at(format!("read of {}, to which bytes{of} were copied that nothing had written", object(access)));
        let d = match named {
            _ if !origin.span.is_none() => {
                d.secondary(origin.span, format!("read from {} memory here and copied", origin.space))
            }
            Some(memory) if !memory.span.is_none() => {
                d.secondary(memory.span, format!("{} allocated here", allocation(memory)))
            }
            _ => d,
        };
        return match origin.space {
            Space::Shared => d.help(FILL),
            Space::Local => d.help(GIVE),
            _ => d.help("write all of it before it is copied"),
        };
    }
    let d = match of_defaults {
        // What an object begins with is copied from memory that no variable has.
        Some(origin) => {
            let d = at(format!(
                "read of {}: this part has no default value, and nothing was assigned to it",
                object(access)
            ));
            if origin.span.is_none() { d } else { d.secondary(origin.span, "gets the default values of its type here") }
        }
        None => at(format!("read of {}, to which nothing was ever written", object(access))),
    };
    match access.space {
        Space::Shared => d.help(FILL),
        Space::Local => d.help(GIVE),
        Space::Global | Space::Managed if access.actor != Actor::Host => {
            d.help("copy data to it or set it to zero, such as `a_d = 0`, before the launch")
        }
        _ => d.help("assign to it first"),
    }
}

fn leak(finding: &Finding, what: LeakKind, memory: &Allocation) -> Diagnostic {
    let bytes = count(memory.bytes, "byte");
    let named = memory.name.as_ref().map_or_else(String::new, |n| format!(" `{n}`"));
    let (message, help) = match what {
        LeakKind::Device => {
            (format!("{bytes} of device memory{} never freed", of(memory)), "add `deallocate` or `cudaFree`")
        }
        LeakKind::Pinned => {
            (format!("{bytes} of pinned memory{} never freed", of(memory)), "add `deallocate` or `cudaFreeHost`")
        }
        LeakKind::Heap => (
            format!("{bytes}{} allocated in device code and never freed", of(memory)),
            "add `deallocate` in device code: the host cannot free it",
        ),
        LeakKind::Stream => (format!("stream{named} never destroyed"), "add `cudaStreamDestroy`"),
        LeakKind::Graph => (format!("graph{named} never destroyed"), "add `cudaGraphDestroy`"),
        LeakKind::ExecutableGraph => (format!("executable graph{named} never destroyed"), "add `cudaGraphExecDestroy`"),
        LeakKind::Event => (format!("event{named} never destroyed"), "add `cudaEventDestroy`"),
        LeakKind::Handle { what, destroyed_by } => {
            let message = format!("{what}{named} never destroyed");
            return Diagnostic::new(finding.code(), memory.span, message)
                .label("created here")
                .help(format!("add `{destroyed_by}`"));
        }
    };
    let made =
        if matches!(what, LeakKind::Device | LeakKind::Pinned | LeakKind::Heap) { "allocated" } else { "created" };
    Diagnostic::new(finding.code(), memory.span, message).label(format!("{made} here")).help(help)
}

fn of(memory: &Allocation) -> String {
    memory.name.as_ref().map_or_else(String::new, |name| format!(" of `{name}`"))
}
