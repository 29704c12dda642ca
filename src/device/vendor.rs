//! Calls of NVIDIA's own libraries, as data: what a routine of a library is on a GPU.
//!
//! A call names a function of C and has its arguments. A handle is given by what makes it ([`VendorObject`]), so that each device
//! makes its own when the first call needs it, and a call that is made again later finds the settings of its time.
//!
//! Not here: which arguments a routine has (`library`), loading and calling the libraries (`foreign`, `gpu`).

use std::borrow::Cow;
use std::sync::Arc;

/// A library of NVIDIA.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Vendor {
    /// cuBLAS.
    Cublas,
    /// cuFFT.
    Cufft,
    /// cuRAND.
    Curand,
    /// cuSOLVER.
    Cusolver,
    /// cuSPARSE.
    Cusparse,
}

impl Vendor {
    /// All of them.
    pub const ALL: [Vendor; 5] = [Vendor::Cublas, Vendor::Cufft, Vendor::Curand, Vendor::Cusolver, Vendor::Cusparse];

    /// The name of its file, without `lib` and `.so`; so do its functions begin.
    pub fn file(self) -> &'static str {
        match self {
            Vendor::Cublas => "cublas",
            Vendor::Cufft => "cufft",
            Vendor::Curand => "curand",
            Vendor::Cusolver => "cusolver",
            Vendor::Cusparse => "cusparse",
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Vendor::Cublas => "cuBLAS",
            Vendor::Cufft => "cuFFT",
            Vendor::Curand => "cuRAND",
            Vendor::Cusolver => "cuSOLVER",
            Vendor::Cusparse => "cuSPARSE",
        }
    }

    /// The library that has a function of this name.
    pub fn of(function: &str) -> Option<Vendor> {
        Vendor::ALL.into_iter().find(|library| function.starts_with(library.file()))
    }
}

/// A call of a function.
#[derive(Clone, PartialEq, Debug)]
pub struct VendorCall {
    /// The name of the function.
    pub function: Cow<'static, str>,
    /// Its arguments.
    pub args: Vec<VendorArg>,
}

impl VendorCall {
    /// Where its results go in the program, in the order of the arguments.
    pub fn places(&self) -> impl Iterator<Item = u64> {
        self.args.iter().filter_map(|arg| match arg {
            VendorArg::Result { to, .. } => Some(*to),
            _ => None,
        })
    }
}

/// An argument.
#[derive(Clone, PartialEq, Debug)]
pub enum VendorArg {
    /// An integer, or an address of the device.
    Word(u64),
    /// The bits of a real of 4 or 8 bytes.
    Real(u64),
    /// A stream of the program.
    Stream(u64),
    /// A handle, plan, generator or descriptor.
    Object(Arc<VendorObject>),
    /// The address of these bytes.
    Bytes(Arc<[u8]>),
    /// The same; what the function leaves there goes to an address of the program.
    Result {
        /// What is there before.
        bytes: Arc<[u8]>,
        /// Where it goes.
        to: u64,
    },
    /// Where the handle goes that is made.
    New,
    /// The handle that is being made or set.
    This,
}

/// What a handle of the program stands for: the calls that make it, and those that set it.
#[derive(Clone, PartialEq, Debug)]
pub struct VendorObject {
    /// The handle in the program; no other object ever has it.
    pub handle: u64,
    /// What makes it; the first one has [`VendorArg::New`].
    pub make: Vec<VendorCall>,
    /// What sets it. A setting that differs from the last one, or has another number, is made before the object is used.
    pub set: Vec<(u64, VendorCall)>,
    /// The function that destroys it.
    pub destroy: &'static str,
}

impl VendorObject {
    /// Adds a setting, in place of one by the same function.
    pub fn set(&mut self, call: VendorCall) {
        match self.set.iter_mut().find(|(_, known)| known.function == call.function) {
            Some((number, known)) => (*number, *known) = (*number + 1, call),
            None => self.set.push((0, call)),
        }
    }
}

/// What a function gave at once.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct VendorAnswer {
    /// Its status.
    pub status: i32,
    /// What it left in its results, in the order of the arguments.
    pub results: Vec<Vec<u8>>,
}

/// NVIDIA's libraries on a device.
pub trait VendorLibraries {
    /// Looks for a function; loads its library. The error is for the user.
    fn find(&mut self, function: &str) -> Result<(), String>;

    /// Makes and sets an object now; the first status that is an error, or 0.
    fn prepare(&mut self, object: &VendorObject) -> Result<i32, String>;

    /// Calls a function that puts nothing on a stream.
    fn ask(&mut self, call: &VendorCall) -> Result<VendorAnswer, String>;

    /// Destroys the object of a handle, if it was made.
    fn destroy(&mut self, handle: u64);

    /// Whether routines are run by this library too, which gives the results; those of NVIDIA's are only compared with them.
    fn is_compared(&self) -> bool {
        false
    }

    /// The status of the last routine, if that is an error; forgets it.
    fn take_status(&mut self) -> Option<i32>;
}
