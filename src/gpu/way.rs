//! How a command for a GPU is done: on its stream by the driver, through buffers, or by the host.
//!
//! Not here: doing it (`gpu_device`, `transfer`, `flight`).

use crate::transfer::{Move, as_bytes, fills_itself, is_on_gpu};
use device::Command;
use mem::Region;

/// How a command is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    /// On its stream.
    OnStream,
    /// By buffers to the GPU, on its stream.
    In(Move),
    /// By buffers from the GPU, on its stream.
    Out(Move),
    /// By the host, which waits for the stream before.
    ByHost,
}

impl Way {
    /// That of a command.
    pub(crate) fn of(command: &Command) -> Way {
        let moved = |to, from, bytes| {
            let locked = |address| Region::of(address) == Some(Region::Pinned);
            match (is_on_gpu(to), is_on_gpu(from)) {
                (true, true) => Way::OnStream,
                (true, false) if locked(from) => Way::In((to, from, bytes)),
                (false, true) if locked(to) => Way::Out((to, from, bytes)),
                _ => Way::ByHost,
            }
        };
        match command {
            Command::Launch(_) => Way::OnStream,
            Command::Copy { destination, source, bytes, .. } => moved(*destination, *source, *bytes),
            Command::CopyStrided { destination, source, element_bytes, .. } => {
                match as_bytes(destination, source, *element_bytes) {
                    Some((to, from, bytes)) => moved(to, from, bytes),
                    None => Way::ByHost,
                }
            }
            Command::Fill { fill, .. } if fills_itself(fill) => Way::OnStream,
            Command::Routine(routine) if routine.vendor.is_some() => Way::OnStream,
            Command::Fill { .. } | Command::Routine(_) => Way::ByHost,
        }
    }
}
