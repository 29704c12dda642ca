//! CUDA's libraries as routines on memory of the device.
//!
//! A program calls a routine by its C name through an interface with `bind(c)`: one of the embedded modules (`cublas`, `cufft`
//! …) or its own. [`Library::begin`] decodes the arguments and makes a command of a stream, [`device::Routine`], so that calls
//! are ordered, watched for races and checked like copies are.
//!
//! To add a routine: a row in the table of its library and a function that takes a [`call::Call`], an interface in the module
//! (`src/compile/modules`; for cuBLAS a row in `src/compile/cublas.rs`).
//!
//! On a device that has NVIDIA's libraries the command is a call of those (`call::vendor`): a routine notes what its arguments are while
//! it takes and checks them.
//!
//! Not here: the interfaces of the modules (`compile`), who calls (`host`), when commands run (`emu`).

mod call;
mod columns;
mod cublas;
mod cufft;
mod curand;
mod cusolver;
mod cusparse;
mod dense;
mod element;
mod fft;
mod half;
mod handles;
mod nccl;
mod nvtx;
mod operand;
mod random;
mod routine;
mod sort;
mod sparse;
mod state;
mod transpose;

use call::{Call, Notes};
use device::{Device, LibraryCall, Reply, Runtime, Step};
use finding::{Allocation, Finding, FindingKind, LeakKind};
use mem::Memory;
use source::Span;
use state::{Home, State};

/// The libraries of a run.
#[derive(Clone, Debug, Default)]
pub struct Library {
    state: State,
}

/// Whether there is a routine of that name.
pub fn has(name: &str) -> bool {
    routine::find(name).is_some()
}

/// Whether a routine gives a number, as functions of the first interface of cuBLAS do, and no status. Its last argument is where.
pub fn gives_result(name: &str) -> bool {
    routine::find(name).is_some_and(|called| called.is_legacy && cublas::has_result(called.name))
}

/// The names of the procedures that stand for those of files of CUDA C++; a library of the program may define them.
pub fn wrappers() -> impl Iterator<Item = &'static str> {
    sort::ROUTINES.iter().map(|routine| routine.name).filter(|name| name.ends_with("_wrapper"))
}

/// The names of all routines, library by library.
pub fn names() -> impl Iterator<Item = &'static str> {
    routine::all().map(|(_, routine)| routine.name)
}

impl Library {
    /// The handles that the program has made and not destroyed, as findings.
    pub fn leaks(&self) -> impl Iterator<Item = Finding> + '_ {
        self.state.lives.alive().map(|(kind, span)| {
            let what = LeakKind::Handle { what: kind.what, destroyed_by: kind.destroyed_by };
            let allocation = Allocation { name: None, base: 0, bytes: 0, span };
            Finding::new(FindingKind::Leak { what, allocation }, Vec::new())
        })
    }

    /// Takes a call: checks it, submits commands. The reply's code is the status.
    pub fn begin(
        &mut self,
        runtime: &mut Runtime,
        device: &mut dyn Device,
        memory: &mut Memory,
        call: &LibraryCall,
        span: Span,
    ) -> Step {
        let Some(called) = routine::find(&call.name) else {
            return Step::Done(Reply { code: 1, value: 0 });
        };
        let notes = device.vendor().and_then(|_| Notes::of(called.function));
        let mut call = Call {
            notes,
            hidden: &[],
            name: called.name,
            statuses: called.statuses,
            is_legacy: called.is_legacy,
            is_of_module: call.name.starts_with(routine::MODULE),
            home: Home::Device,
            is_wide: false,
            args: &call.args,
            taken: 0,
            state: &mut self.state,
            runtime,
            device,
            memory,
            span,
        };
        match (called.run)(&mut call) {
            Ok(step) => step,
            Err(status) => Step::Done(Reply { code: status.0, value: 0 }),
        }
    }
}
