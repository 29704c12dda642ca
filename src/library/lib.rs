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
mod gemm;
mod half;
mod nvtx;
mod operand;
mod routine;
mod sparse;
mod state;
mod xorwow;

use call::{Call, Notes};
use device::{Device, LibraryCall, Reply, Runtime, Step};
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

/// The names of all routines, library by library.
pub fn names() -> impl Iterator<Item = &'static str> {
    routine::all().map(|(_, routine)| routine.name)
}

impl Library {
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
