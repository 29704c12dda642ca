//! Handles: the stream, and where scalars are; and the arguments that many routines have.

use crate::call::{Call, Outcome, Status};
use crate::element::Element;
use crate::handles::CUBLAS;
use crate::operand::Vector;
use crate::state::{CublasHandle as Handle, Home};
use crate::transpose::Operation;
use device::{Bytes, CudaError, Section, VendorArg, VendorCall};
use mem::Region;

/// The version of the library that the routines are those of: 12.8.
const VERSION: i32 = 12_800;

/// The function that destroys a handle.
const DESTROY: &str = "cublasDestroy_v2";

/// A scalar argument: its value, or where it will be when the routine runs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Scalar<T> {
    Value(T),
    Device(u64),
}

impl<T: Element> Scalar<T> {
    pub(crate) fn get(self, memory: &mut dyn Bytes) -> Result<T, CudaError> {
        match self {
            Scalar::Value(value) => Ok(value),
            Scalar::Device(address) => Ok(Vector::<T>::scalar(address).load(memory)?[0]),
        }
    }

    /// What is read for it.
    pub(crate) fn section(self) -> Option<Section> {
        match self {
            Scalar::Value(_) => None,
            Scalar::Device(address) => Some(Vector::<T>::scalar(address).section()),
        }
    }
}

impl Call<'_> {
    /// The handle, which is the first argument.
    pub(super) fn handle(&mut self) -> Result<Handle, Status> {
        if self.is_legacy {
            let number = self.default_handle();
            self.note_handle(number);
            return Ok(self.state.cublas.get(number).cloned().unwrap_or_default());
        }
        let handle = self.word();
        if self.home == Home::Any {
            return self.xt_handle(handle);
        }
        self.note_object(handle);
        match self.state.cublas.get(handle) {
            Some(found) => {
                self.home = found.home;
                Ok(found.clone())
            }
            None => self.no_handle(&CUBLAS, handle),
        }
    }

    /// The handle of the routines that take none.
    fn default_handle(&mut self) -> u64 {
        if let Some(handle) = self.state.default_handle {
            return handle;
        }
        let handle = self.state.cublas.add(Handle::default());
        self.state.default_handle = Some(handle);
        let make = VendorCall { function: "cublasCreate_v2".into(), args: vec![VendorArg::New] };
        self.state.add_object(handle, make, DESTROY);
        handle
    }

    /// Whether a scalar or a result is in device memory: by the handle, or in the modules of nvfortran by its place.
    pub(crate) fn is_on_device(&self, handle: &Handle, address: u64) -> bool {
        if self.is_of_module {
            // What both sides reach goes by the handle.
            return match Region::of(address) {
                Some(Region::Device(_)) => true,
                Some(Region::Managed | Region::Pinned) => handle.takes_device_scalars,
                _ => false,
            };
        }
        handle.takes_device_scalars
    }

    /// A scalar.
    pub(super) fn scalar<T: Element>(&mut self, handle: &Handle, what: &str) -> Result<Scalar<T>, Status> {
        if self.is_legacy {
            let words = T::BYTES.div_ceil(8);
            let bytes: Vec<u8> = (0..words).flat_map(|_| self.word().to_le_bytes()).collect();
            if words > 1 {
                self.note_nothing();
            }
            self.note_before(words - 1, VendorArg::Bytes(bytes[..T::BYTES].into()));
            self.note_scalar(false);
            return Ok(Scalar::Value(T::from_bytes(&bytes[..T::BYTES])));
        }
        let address = self.word();
        self.scalar_at(handle, address, what)
    }

    /// A scalar at an address.
    pub(crate) fn scalar_at<T: Element>(
        &mut self,
        handle: &Handle,
        address: u64,
        what: &str,
    ) -> Result<Scalar<T>, Status> {
        let is_on_device = self.is_on_device(handle, address);
        self.note_scalar(is_on_device);
        if is_on_device {
            self.check_device(address, what)?;
            return Ok(Scalar::Device(address));
        }
        self.host(address, what).map(Scalar::Value)
    }

    /// Where a scalar result of so many bytes goes, and whether the host waits for it.
    pub(super) fn result(&mut self, handle: &Handle, bytes: usize) -> Result<(u64, bool), Status> {
        let address = self.word();
        let is_on_device = self.is_on_device(handle, address);
        self.note_scalar(is_on_device);
        if is_on_device {
            self.check_device(address, "result")?;
        } else {
            self.put(address, &vec![0; bytes], "result")?;
        }
        Ok((address, !is_on_device))
    }

    /// A number, or that of a letter; -1 for another one.
    fn option(&mut self, letters: &[&str]) -> i64 {
        if !self.is_legacy {
            return self.int();
        }
        let letter = char::from(self.word() as u8).to_ascii_lowercase();
        let number = letters.iter().position(|known| known.starts_with(letter)).map_or(-1, |at| at as i64);
        self.note(VendorArg::Word(number as u64));
        number
    }

    /// What is done to a matrix.
    pub(crate) fn operation(&mut self, what: &str) -> Result<Operation, Status> {
        match self.option(&["n", "t", "c"]) {
            0 => Ok(Operation::Plain),
            1 => Ok(Operation::Transposed),
            2 => Ok(Operation::Conjugated),
            n => self.wrong(format!("`{what}` is {n}, which is no operation")),
        }
    }

    /// Whether a choice between two numbers is the second.
    pub(crate) fn choice(&mut self, what: &str) -> Result<bool, Status> {
        let letters = match what {
            "uplo" => ["l", "u"],
            "diag" => ["n", "u"],
            _ => ["l", "r"],
        };
        match self.option(&letters) {
            n @ (0 | 1) => Ok(n == 1),
            n => self.wrong(format!("`{what}` is {n}, and must be 0 or 1")),
        }
    }
}

pub(super) fn create(call: &mut Call<'_>) -> Outcome {
    let address = call.word();
    let handle = call.state.cublas.add(Handle::default());
    call.put(address, &handle.to_le_bytes(), "handle")?;
    call.has_made(handle, &CUBLAS, DESTROY)?;
    call.done()
}

pub(super) fn destroy(call: &mut Call<'_>) -> Outcome {
    let handle = call.word();
    match call.state.cublas.remove(handle) {
        Some(_) => {
            call.has_destroyed(handle);
            call.done()
        }
        None => call.no_handle(&CUBLAS, handle),
    }
}

/// The handle of the routines that take none: its number is the reply's value.
pub(super) fn default(call: &mut Call<'_>) -> Outcome {
    let handle = call.default_handle();
    let address = call.word();
    call.put(address, &handle.to_le_bytes(), "handle")?;
    call.done()
}

/// What has nothing to do.
pub(super) fn nothing(call: &mut Call<'_>) -> Outcome {
    call.done()
}

/// The stream of the routines that take no handle.
pub(super) fn set_default_stream(call: &mut Call<'_>) -> Outcome {
    let (handle, stream) = (call.default_handle(), call.word());
    use_stream(call, handle, stream)
}

/// The handle of the routines on arrays of the host.
pub(super) fn of_host(call: &mut Call<'_>) -> Outcome {
    let known = call.state.host_handle;
    let new = || Handle { home: Home::Host, ..Handle::default() };
    let handle = known.unwrap_or_else(|| call.state.cublas.add(new()));
    call.state.host_handle = Some(handle);
    let address = call.word();
    call.put(address, &handle.to_le_bytes(), "handle")?;
    call.done()
}

/// Changes what a handle holds.
fn change(call: &mut Call<'_>, handle: u64, set: impl FnOnce(&mut Handle)) -> Outcome {
    match call.state.cublas.get(handle) {
        Some(found) => set(found),
        None => return call.no_handle(&CUBLAS, handle),
    }
    call.done()
}

pub(super) fn set_stream(call: &mut Call<'_>) -> Outcome {
    let (handle, stream) = (call.word(), call.word());
    use_stream(call, handle, stream)
}

fn use_stream(call: &mut Call<'_>, handle: u64, stream: u64) -> Outcome {
    let failed = Status(call.statuses.failed);
    call.runtime.check_stream(stream, call.name, call.span).map_err(|_| failed)?;
    let set =
        VendorCall { function: "cublasSetStream_v2".into(), args: vec![VendorArg::This, VendorArg::Stream(stream)] };
    call.state.set_object(handle, set);
    change(call, handle, |handle| handle.stream = stream)
}

pub(super) fn stream(call: &mut Call<'_>) -> Outcome {
    let stream = call.handle()?.stream;
    let address = call.word();
    call.put(address, &stream.to_le_bytes(), "stream")?;
    call.done()
}

pub(super) fn set_pointer_mode(call: &mut Call<'_>) -> Outcome {
    let handle = call.word();
    let mode = call.choice("mode")?;
    call.has_set(handle)?;
    change(call, handle, |handle| handle.takes_device_scalars = mode)
}

pub(super) fn pointer_mode(call: &mut Call<'_>) -> Outcome {
    let mode = i32::from(call.handle()?.takes_device_scalars);
    let address = call.word();
    call.put(address, &mode.to_le_bytes(), "mode")?;
    call.done()
}

/// Modes trade accuracy for speed; nothing is traded here.
pub(super) fn set_math_mode(call: &mut Call<'_>) -> Outcome {
    set_number(call, |handle| &mut handle.math_mode)
}

pub(super) fn math_mode(call: &mut Call<'_>) -> Outcome {
    number(call, |handle| handle.math_mode)
}

/// Whether atomics may be used; results are the same here.
pub(super) fn set_atomics_mode(call: &mut Call<'_>) -> Outcome {
    set_number(call, |handle| &mut handle.atomics_mode)
}

pub(super) fn atomics_mode(call: &mut Call<'_>) -> Outcome {
    number(call, |handle| handle.atomics_mode)
}

/// How many multiprocessors are to be used.
pub(super) fn set_multiprocessors(call: &mut Call<'_>) -> Outcome {
    set_number(call, |handle| &mut handle.multiprocessors)
}

pub(super) fn multiprocessors(call: &mut Call<'_>) -> Outcome {
    number(call, |handle| handle.multiprocessors)
}

/// Memory to work in, which is not needed.
pub(super) fn set_workspace(call: &mut Call<'_>) -> Outcome {
    call.handle()?;
    let address = call.word();
    call.check_device(address, "workspace")?;
    call.done()
}

fn set_number(call: &mut Call<'_>, of: fn(&mut Handle) -> &mut i32) -> Outcome {
    let (handle, number) = (call.word(), call.int());
    call.has_set(handle)?;
    change(call, handle, |handle| *of(handle) = number as i32)
}

fn number(call: &mut Call<'_>, of: fn(&Handle) -> i32) -> Outcome {
    let number = of(&call.handle()?);
    let address = call.word();
    call.put(address, &number.to_le_bytes(), "mode")?;
    call.done()
}

pub(super) fn version(call: &mut Call<'_>) -> Outcome {
    call.handle()?;
    let address = call.word();
    call.put(address, &VERSION.to_le_bytes(), "version")?;
    call.answered()
}
