//! Calls of NVIDIA's libraries, and the handles that they have made for those of the program.
//!
//! A handle is made when the first call needs it, by the calls that its object tells, and is set where its settings differ from those
//! of the last call.
//!
//! Not here: loading the libraries and C's convention (`foreign`), when a call is made (`gpu_device`).

use device::{VendorAnswer, VendorArg, VendorCall, VendorObject};
use foreign::{CudaArg, CudaFunction, CudaLibraries};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// The handle of CUDA for a stream of the program.
pub(crate) type StreamOf<'a> = &'a dyn Fn(u64) -> u64;

/// The libraries of a GPU and what they have made.
#[derive(Debug, Default)]
pub(crate) struct Vendors {
    libraries: Option<Arc<CudaLibraries>>,
    functions: BTreeMap<String, Result<CudaFunction, String>>,
    objects: BTreeMap<u64, Made>,
    /// The status of the last routine, if that is an error.
    pub(crate) status: Option<i32>,
}

/// What a library has made.
#[derive(Debug)]
struct Made {
    handle: u64,
    /// How many of the calls that make it were done.
    calls: usize,
    set: Vec<(u64, VendorCall)>,
    destroy: &'static str,
}

/// Something that a library has refused by a status, or that cannot be called, with the reason for the user.
enum Failed {
    Status(i32),
    Call(String),
}

impl From<String> for Failed {
    fn from(reason: String) -> Failed {
        Failed::Call(reason)
    }
}

impl Vendors {
    /// Gives the GPU its libraries.
    pub(crate) fn use_libraries(&mut self, libraries: Arc<CudaLibraries>) {
        self.libraries = Some(libraries);
    }

    /// Whether there are any.
    pub(crate) fn are_there(&self) -> bool {
        self.libraries.is_some()
    }

    /// The library of device code that launches kernels.
    pub(crate) fn device_runtime(&self) -> Option<PathBuf> {
        self.libraries.as_ref().and_then(|all| all.archive("cudadevrt"))
    }

    /// The function of that name.
    pub(crate) fn function(&mut self, name: &str) -> Result<CudaFunction, String> {
        if let Some(known) = self.functions.get(name) {
            return known.clone();
        }
        let none = || format!("no library of NVIDIA has `{name}`");
        let library = device::Vendor::of(name).ok_or_else(none)?;
        let found = self.libraries.as_ref().map_or_else(|| Err(none()), |all| all.function(library.file(), name));
        self.functions.insert(name.to_owned(), found.clone());
        found
    }

    /// Makes and sets an object; gives the first status that is an error.
    pub(crate) fn prepare(&mut self, object: &VendorObject, stream_of: StreamOf<'_>) -> Result<i32, String> {
        match self.handle_of(object, stream_of) {
            Ok(_) => Ok(0),
            Err(Failed::Status(status)) => Ok(status),
            Err(Failed::Call(reason)) => Err(reason),
        }
    }

    /// Calls a function.
    pub(crate) fn call(&mut self, call: &VendorCall, stream_of: StreamOf<'_>) -> Result<VendorAnswer, String> {
        match self.call_on(None, call, stream_of) {
            Ok((answer, _)) => Ok(answer),
            Err(Failed::Status(status)) => Ok(VendorAnswer { status, results: Vec::new() }),
            Err(Failed::Call(reason)) => Err(reason),
        }
    }

    /// Destroys what was made for a handle of the program. Its status is nobody's.
    pub(crate) fn destroy(&mut self, handle: u64) {
        if let Some(made) = self.objects.remove(&handle)
            && let Ok(function) = self.function(made.destroy)
        {
            function.call(&mut [CudaArg::Word(made.handle)]);
        }
    }

    /// The handle of an object, made and set.
    fn handle_of(&mut self, object: &VendorObject, stream_of: StreamOf<'_>) -> Result<u64, Failed> {
        let mut made = match self.objects.remove(&object.handle) {
            Some(made) => made,
            None => Made { handle: 0, calls: 0, set: Vec::new(), destroy: object.destroy },
        };
        let done = self.make_and_set(&mut made, object, stream_of);
        let handle = made.handle;
        if made.calls > 0 {
            self.objects.insert(object.handle, made);
        }
        done.map(|()| handle)
    }

    fn make_and_set(&mut self, made: &mut Made, object: &VendorObject, stream_of: StreamOf<'_>) -> Result<(), Failed> {
        for call in object.make.iter().skip(made.calls) {
            let (answer, new) = self.call_on(Some(made.handle), call, stream_of)?;
            succeeded(&answer)?;
            made.handle = new.unwrap_or(made.handle);
            made.calls += 1;
        }
        for setting in &object.set {
            if made.set.contains(setting) {
                continue;
            }
            // A setting that is refused leaves the handle as it was, and is not tried again.
            made.set.retain(|(_, known)| known.function != setting.1.function);
            made.set.push(setting.clone());
            let (answer, _) = self.call_on(Some(made.handle), &setting.1, stream_of)?;
            succeeded(&answer)?;
        }
        Ok(())
    }

    /// Calls a function; `this` is the handle that is made or set. Also gives the handle that it has made.
    fn call_on(
        &mut self,
        this: Option<u64>,
        call: &VendorCall,
        stream_of: StreamOf<'_>,
    ) -> Result<(VendorAnswer, Option<u64>), Failed> {
        let function = self.function(&call.function)?;
        let mut handles = Vec::new();
        for arg in &call.args {
            if let VendorArg::Object(object) = arg {
                handles.push(self.handle_of(object, stream_of)?);
            }
        }
        let mut buffers: Vec<Vec<u8>> = call.args.iter().map(buffer_of).collect();
        let mut handles = handles.into_iter();
        let mut args: Vec<CudaArg<'_>> = call
            .args
            .iter()
            .zip(&mut buffers)
            .map(|(arg, buffer)| match arg {
                VendorArg::Word(word) => CudaArg::Word(*word),
                VendorArg::Real(bits) => CudaArg::Real(*bits),
                VendorArg::Stream(stream) => CudaArg::Word(stream_of(*stream)),
                VendorArg::Object(_) => CudaArg::Word(handles.next().unwrap_or(0)),
                VendorArg::This => CudaArg::Word(this.unwrap_or(0)),
                VendorArg::Bytes(_) | VendorArg::Result { .. } | VendorArg::New => CudaArg::Bytes(buffer),
            })
            .collect();
        let status = function.call(&mut args);
        let made = |(arg, buffer): (&VendorArg, &Vec<u8>)| match arg {
            VendorArg::New => buffer.as_slice().try_into().ok().map(u64::from_le_bytes),
            _ => None,
        };
        let new = call.args.iter().zip(&buffers).find_map(made);
        let of_result =
            |(arg, buffer): (&VendorArg, Vec<u8>)| matches!(arg, VendorArg::Result { .. }).then_some(buffer);
        let results = call.args.iter().zip(buffers).filter_map(of_result).collect();
        Ok((VendorAnswer { status, results }, new))
    }
}

/// What an argument has the address of, before the call.
fn buffer_of(arg: &VendorArg) -> Vec<u8> {
    match arg {
        VendorArg::Bytes(bytes) | VendorArg::Result { bytes, .. } => bytes.to_vec(),
        VendorArg::New => vec![0; size_of::<u64>()],
        _ => Vec::new(),
    }
}

fn succeeded(answer: &VendorAnswer) -> Result<(), Failed> {
    if answer.status == 0 { Ok(()) } else { Err(Failed::Status(answer.status)) }
}
