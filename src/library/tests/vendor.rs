//! Routines on a device that has NVIDIA's libraries: what the functions are called with, and what is said without them.
//!
//! The device here takes down calls and runs nothing.

use device::{
    Command, CudaError, Device, LibraryCall, Observer, Progress, Properties, Reply, Runtime, Step, VendorAnswer,
    VendorArg, VendorCall, VendorLibraries, VendorObject,
};
use finding::{ApiFault, Finding, FindingKind};
use library::Library;
use mem::{Memory, Region};
use source::Span;

/// A device with libraries, and what it was asked to do.
struct Recorder {
    properties: Properties,
    /// The start of what functions are not there.
    missing: &'static str,
    asked: Vec<VendorCall>,
    prepared: Vec<VendorObject>,
    submitted: Vec<device::Routine>,
    destroyed: Vec<u64>,
    status: i32,
    /// Whether its results are only compared.
    is_compared: bool,
}

impl VendorLibraries for Recorder {
    fn find(&mut self, function: &str) -> Result<(), String> {
        if !self.missing.is_empty() && function.starts_with(self.missing) {
            return Err(format!("there is no `{}`", self.missing));
        }
        Ok(())
    }

    fn prepare(&mut self, object: &VendorObject) -> Result<i32, String> {
        self.prepared.push(object.clone());
        Ok(self.status)
    }

    /// Every result is 7.
    fn ask(&mut self, call: &VendorCall) -> Result<VendorAnswer, String> {
        self.asked.push(call.clone());
        let seven = |bytes: usize| 7u64.to_le_bytes()[..bytes].to_vec();
        let results = call.args.iter().filter_map(|arg| match arg {
            VendorArg::Result { bytes, .. } => Some(seven(bytes.len())),
            _ => None,
        });
        Ok(VendorAnswer { status: self.status, results: results.collect() })
    }

    fn destroy(&mut self, handle: u64) {
        self.destroyed.push(handle);
    }

    fn is_compared(&self) -> bool {
        self.is_compared
    }

    fn take_status(&mut self) -> Option<i32> {
        None
    }
}

impl Device for Recorder {
    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn alloc(
        &mut self,
        memory: &mut Memory,
        region: Region,
        bytes: u64,
        _: u32,
        name: &str,
        span: Span,
    ) -> Result<u64, CudaError> {
        memory.alloc(region, bytes, name, span).map_err(|_| CudaError::MemoryAllocation)
    }

    fn free(&mut self, memory: &mut Memory, address: u64, span: Span) -> Result<(), CudaError> {
        memory.free(address, span).map(|_| ()).map_err(|_| CudaError::InvalidValue)
    }

    fn submit(&mut self, _: &mut Memory, command: Command) -> Result<(), CudaError> {
        if let Command::Routine(routine) = command {
            self.submitted.push(routine);
        }
        Ok(())
    }

    fn advance(&mut self, _: &mut Memory, _: u64, _: &mut dyn Observer) -> Progress {
        Progress::Idle
    }

    fn read(&mut self, memory: &Memory, address: u64, out: &mut [u8]) -> Result<(), CudaError> {
        memory.read(address, out).ok_or(CudaError::InvalidValue)
    }

    fn write(&mut self, memory: &mut Memory, address: u64, data: &[u8]) -> Result<(), CudaError> {
        memory.write(address, data).ok_or(CudaError::InvalidValue)
    }

    fn reset(&mut self) -> Result<(), CudaError> {
        Ok(())
    }

    fn take_output(&mut self) -> Vec<u8> {
        Vec::new()
    }

    fn take_findings(&mut self) -> Vec<Finding> {
        Vec::new()
    }

    fn take_error(&mut self) -> Option<CudaError> {
        None
    }

    fn vendor(&mut self) -> Option<&mut dyn VendorLibraries> {
        Some(self)
    }
}

/// A run.
struct Run {
    library: Library,
    runtime: Runtime,
    device: Recorder,
    memory: Memory,
}

impl Run {
    fn new() -> Run {
        let device = Recorder {
            properties: Properties::emulated(90),
            missing: "",
            asked: Vec::new(),
            prepared: Vec::new(),
            submitted: Vec::new(),
            destroyed: Vec::new(),
            status: 0,
            is_compared: false,
        };
        Run { library: Library::default(), runtime: Runtime::new(1), device, memory: Memory::new() }
    }

    /// Memory of the device with room for so many reals of 8 bytes.
    fn array(&mut self, count: u64) -> u64 {
        self.memory.alloc(Region::Device(0), 8 * count, "a", Span::NONE).expect("room")
    }

    /// Memory of the host with these bytes.
    fn host(&mut self, bytes: &[u8]) -> u64 {
        let address = self.memory.alloc(Region::Host, bytes.len() as u64, "h", Span::NONE).expect("room");
        self.memory.write(address, bytes).expect("inside");
        address
    }

    fn word(&self, address: u64) -> u64 {
        let mut bytes = [0; 8];
        self.memory.read(address, &mut bytes).expect("inside");
        u64::from_le_bytes(bytes)
    }

    /// Calls a routine; its status.
    fn call(&mut self, name: &str, args: &[u64]) -> i32 {
        let call = LibraryCall { name: name.into(), args: args.to_vec() };
        let Run { library, runtime, device, memory } = self;
        match library.begin(runtime, device, memory, &call, Span::NONE) {
            Step::Done(Reply { code, .. }) => code,
            Step::Wait(_) => 0,
        }
    }

    /// Makes a handle.
    fn handle(&mut self, create: &str) -> u64 {
        let place = self.host(&[0; 8]);
        assert_eq!(self.call(create, &[place]), 0);
        self.word(place)
    }

    /// The function of the last routine, with its arguments.
    fn last(&self) -> &VendorCall {
        self.device.submitted.last().expect("a routine").vendor.as_ref().expect("NVIDIA's function")
    }

    fn faults(&mut self) -> Vec<ApiFault> {
        let faults = self.runtime.take_findings().into_iter().filter_map(|found| match found.kind {
            FindingKind::Api { fault, .. } => Some(fault),
            _ => None,
        });
        faults.collect()
    }

    fn reasons(&mut self) -> Vec<String> {
        let reasons = self.faults().into_iter().map(|fault| match fault {
            ApiFault::InvalidArgument { reason } => reason,
            ApiFault::RunsOnHost { reason } => format!("on the host: {reason}"),
            ApiFault::WrongMemory { what, belongs } => format!("{what} belongs in memory of the {belongs:?}"),
            other => format!("{other:?}"),
        });
        reasons.collect()
    }
}

fn word(value: u64) -> VendorArg {
    VendorArg::Word(value)
}

fn bytes(of: &[u8]) -> VendorArg {
    VendorArg::Bytes(of.into())
}

fn settings(object: &VendorArg) -> Vec<(&str, &[VendorArg])> {
    let VendorArg::Object(object) = object else { panic!("{object:?} is no object") };
    object.set.iter().map(|(_, call)| (&*call.function, &call.args[1..])).collect()
}

const TWO: [u8; 8] = 2f64.to_le_bytes();

#[test]
fn scalars_of_the_host_are_bytes_and_the_handle_knows_it() {
    let mut run = Run::new();
    let (h, two) = (run.handle("cublasCreate_v2"), run.host(&TWO));
    let (a, b, c) = (run.array(9), run.array(9), run.array(9));
    assert_eq!(run.call("cublasDgemm_v2", &[h, 0, 1, 3, 3, 3, two, a, 3, b, 3, two, c, 3]), 0);
    let call = run.last().clone();
    assert_eq!(call.function, "cublasDgemm_v2");
    let words = |of: &[u64]| of.iter().copied().map(word).collect::<Vec<_>>();
    let expected =
        [words(&[0, 1, 3, 3, 3]), vec![bytes(&TWO)], words(&[a, 3, b, 3]), vec![bytes(&TWO)], words(&[c, 3])];
    assert_eq!(call.args[1..], expected.concat());
    assert_eq!(settings(&call.args[0]), [("cublasSetPointerMode_v2", &[word(0)][..])]);
}

#[test]
fn results_go_where_they_belong() {
    let mut run = Run::new();
    let (h, a, result) = (run.handle("cublasCreate_v2"), run.array(4), run.host(&[0; 8]));
    assert_eq!(run.call("nvfortran:cublasDnrm2_v2", &[h, 4, a, 1, result]), 0);
    assert_eq!(run.last().args[4], VendorArg::Result { bytes: [0; 8].into(), to: result });
    let on_device = run.array(1);
    assert_eq!(run.call("nvfortran:cublasDnrm2_v2", &[h, 4, a, 1, on_device]), 0);
    assert_eq!(run.last().args[4], word(on_device));
    assert_eq!(settings(&run.last().args[0]), [("cublasSetPointerMode_v2", &[word(1)][..])]);
    // One of each cannot be.
    let two = run.host(&TWO);
    assert_eq!(run.call("nvfortran:cublasDrot_v2", &[h, 4, a, 1, a, 1, two, on_device]), 7);
    let expected = "of the scalars, one is in host memory and one in device memory; on a GPU they must be in one";
    assert_eq!(run.reasons(), [expected]);
}

#[test]
fn the_first_interface_of_cublas_is_translated() {
    let mut run = Run::new();
    let (a, b) = (run.array(9), run.array(9));
    let letters = ['L', 'u', 'N', 'n'].map(|letter| letter as u64);
    let args = [&letters[..], &[3, 3, 2f64.to_bits(), a, 3, b, 3]].concat();
    assert_eq!(run.call("cublasDtrmm", &args), 0);
    let call = run.last().clone();
    assert_eq!(call.function, "cublasDtrmm_v2");
    let mut expected = [0, 1, 0, 0, 3, 3].map(word).to_vec();
    expected.push(bytes(&TWO));
    expected.extend([a, 3, b, 3, b, 3].map(word));
    assert_eq!(call.args[1..], expected);
    // Both words of a complex scalar are one argument.
    let scalar = [1f64.to_bits(), 2f64.to_bits()];
    assert_eq!(run.call("cublasZaxpy", &[2, scalar[0], scalar[1], a, 1, b, 1]), 0);
    let of_scalar = [1f64.to_le_bytes(), 2f64.to_le_bytes()].concat();
    assert_eq!(run.last().args[1..3], [word(2), bytes(&of_scalar)]);
    assert_eq!(run.last().args.len(), 7);
}

#[test]
fn types_that_are_arguments_stay_arguments() {
    let mut run = Run::new();
    let (h, a, result) = (run.handle("cublasCreate_v2"), run.array(4), run.host(&[0; 8]));
    assert_eq!(run.call("cublasDotEx", &[h, 4, a, 1, 1, a, 1, 1, result, 1, 1]), 0);
    let args = &run.last().args;
    assert_eq!(args[1..8], [4, a, 1, 1, a, 1, 1].map(word));
    assert_eq!(args[8..], [VendorArg::Result { bytes: [0; 8].into(), to: result }, word(1), word(1)]);
}

#[test]
fn a_generator_has_its_seed_and_reals_are_reals() {
    let mut run = Run::new();
    let place = run.host(&[0; 8]);
    assert_eq!(run.call("curandCreateGenerator", &[place, 161]), 0);
    let g = run.word(place);
    assert_eq!(run.call("curandSetPseudoRandomGeneratorSeed", &[g, 5]), 0);
    assert_eq!(run.call("curandSetPseudoRandomGeneratorSeed", &[g, 5]), 0);
    let a = run.array(10);
    let reals = [0.5f32, 2.0].map(|x| u64::from(x.to_bits()));
    assert_eq!(run.call("curandGenerateNormal", &[g, a, 10, reals[0], reals[1]]), 0);
    let args = run.last().args.clone();
    assert_eq!(args[1..], [word(a), word(10), VendorArg::Real(reals[0]), VendorArg::Real(reals[1])]);
    let VendorArg::Object(generator) = &args[0] else { panic!("{args:?}") };
    assert_eq!(generator.make[0].args, [VendorArg::New, word(161)]);
    // A seed that is set again makes the sequence begin again.
    assert_eq!(generator.set[0].0, 1);
    assert_eq!(generator.set[0].1.args, [VendorArg::This, word(5)]);
    assert_eq!(run.call("curandDestroyGenerator", &[g]), 0);
    assert_eq!(run.device.destroyed, [g]);
}

#[test]
fn a_plan_is_made_like_the_program_makes_it() {
    let mut run = Run::new();
    let (place, size) = (run.host(&[0; 8]), run.host(&[0; 8]));
    let n: Vec<u8> = [4i32, 6].iter().flat_map(|n| n.to_le_bytes()).collect();
    let n_at = run.host(&n);
    assert_eq!(run.call("cufftCreate", &[place]), 0);
    let plan = run.word(place) & 0xffff_ffff;
    assert_eq!(run.call("cufftSetAutoAllocation", &[plan, 0]), 0);
    assert_eq!(run.call("cufftMakePlanMany", &[plan, 2, n_at, 0, 1, 0, 0, 1, 0, 0x29, 1, size]), 0);
    assert_eq!(run.word(size), 7);
    let area = run.array(1);
    assert_eq!(run.call("cufftSetWorkArea", &[plan, area]), 0);
    let x = run.array(48);
    assert_eq!(run.call("cufftExecC2C", &[plan, x, x, -1i64 as u64]), 0);
    let VendorArg::Object(plan) = &run.last().args[0] else { panic!("no plan") };
    let names: Vec<&str> = plan.make.iter().map(|call| &*call.function).collect();
    assert_eq!(names, ["cufftCreate", "cufftSetAutoAllocation", "cufftMakePlanMany"]);
    assert_eq!(plan.make[2].args[..4], [VendorArg::This, word(2), bytes(&n), word(0)]);
    assert_eq!(plan.set[0].1.args, [VendorArg::This, word(area)]);
}

#[test]
fn memory_to_work_in_is_as_large_as_nvidia_says() {
    let mut run = Run::new();
    let (h, a, info, place) = (run.handle("cusolverDnCreate"), run.array(9), run.array(1), run.host(&[0; 8]));
    assert_eq!(run.call("cusolverDnDpotrf_bufferSize", &[h, 0, 3, a, 3, place]), 0);
    assert_eq!(run.word(place), 7);
    let (little, enough) = (run.array(6), run.array(7));
    assert_eq!(run.call("cusolverDnDpotrf", &[h, 0, 3, a, 3, little, 6, info]), 3);
    assert_eq!(run.reasons(), ["`Lwork` is 6, and `cusolverDnDpotrf_bufferSize` gives 7"]);
    assert_eq!(run.call("cusolverDnDpotrf", &[h, 0, 3, a, 3, enough, 7, info]), 0);
    assert_eq!(run.last().args[1..], [0, 3, a, 3, enough, 7, info].map(word));
    assert_eq!(run.device.asked.last().expect("a question").function, "cusolverDnDpotrf_bufferSize");
    // The routines for the size of these take fewer arguments.
    let tau = run.array(3);
    assert_eq!(run.call("cusolverDnDgeqrf", &[h, 3, 3, a, 3, tau, enough, 7, info]), 0);
    let result = VendorArg::Result { bytes: [0; 4].into(), to: 0 };
    let asked = |run: &Run| run.device.asked.last().expect("a question").args[1..].to_vec();
    assert_eq!(asked(&run), [word(3), word(3), word(a), word(3), result.clone()]);
    let jobs = [u64::from(b'N'); 2];
    assert_eq!(run.call("cusolverDnDgesvd", &[h, jobs[0], jobs[1], 3, 3, a, 3, a, 0, 1, 0, 1, enough, 7, 0, info]), 0);
    assert_eq!(asked(&run), [word(3), word(3), result.clone()]);
    // Where the number of eigenvalues goes is an address of the host.
    let found = run.host(&[0; 4]);
    let args = [h, 1, 1001, 0, 3, a, 3, 0, 0, 0, 0, found, a, enough, 7, info];
    assert_eq!(run.call("cusolverDnDsyevdx", &args), 0);
    assert_eq!(asked(&run)[10], VendorArg::Result { bytes: [0; 4].into(), to: found });
}

#[test]
fn sparse_matrices_are_objects_and_their_arrays_words() {
    let mut run = Run::new();
    let (h, arrays, two) = (run.handle("cusparseCreate"), [run.array(9), run.array(9), run.array(9)], run.host(&TWO));
    let [rows, columns, values] = arrays;
    let mut made = |name: &str, args: &[u64]| {
        let place = run.host(&[0; 8]);
        assert_eq!(run.call(name, &[&[place], args].concat()), 0);
        run.word(place)
    };
    let matrix = made("cusparseCreateCsr", &[2, 2, 3, rows, columns, values, 2, 2, 0, 1]);
    let (x, y) = (made("cusparseCreateDnVec", &[2, values, 1]), made("cusparseCreateDnVec", &[2, values, 1]));
    let buffer = run.array(1);
    assert_eq!(run.call("cusparseSpMV", &[h, 0, two, matrix, x, two, y, 1, 0, buffer]), 0);
    let args = run.last().args.clone();
    let VendorArg::Object(matrix) = &args[3] else { panic!("{args:?}") };
    assert_eq!(matrix.make[0].args[1..], [2, 2, 3, rows, columns, values, 2, 2, 0, 1].map(word));
    assert_eq!((&args[2], &args[9]), (&bytes(&TWO), &word(buffer)));
    assert!(args[4] != args[6], "each vector has its own descriptor");
    // What does not fit is found before NVIDIA's library is asked.
    let place = run.host(&[0; 8]);
    assert_eq!(run.call("cusparseCreateDnVec", &[place, 3, values, 1]), 0);
    let (long, asked) = (run.word(place), run.device.asked.len());
    let VendorArg::Object(matrix) = &args[3] else { panic!("{args:?}") };
    assert_eq!(run.call("cusparseSpMV", &[h, 0, two, matrix.handle, long, two, y, 1, 0, buffer]), 3);
    assert_eq!(run.reasons(), ["a matrix of 2 x 2 times one of 3 x 1 does not give one of 2 x 1"]);
    assert_eq!(run.device.asked.len(), asked);
}

#[test]
fn a_missing_library_is_told_once_and_the_routine_runs_on_the_host() {
    let mut run = Run::new();
    run.device.missing = "cublas";
    let (h, two, a) = (run.handle("cublasCreate_v2"), run.host(&TWO), run.array(4));
    for _ in 0..2 {
        assert_eq!(run.call("cublasDscal_v2", &[h, 4, two, a, 1]), 0);
        assert_eq!(run.device.submitted.last().expect("a routine").vendor, None);
    }
    assert_eq!(run.reasons(), ["on the host: there is no `cublas`"]);
}

#[test]
fn wrong_arguments_are_found_before_the_call() {
    let mut run = Run::new();
    let (h, two, a, of_host) = (run.handle("cublasCreate_v2"), run.host(&TWO), run.array(4), run.host(&[0; 32]));
    assert_eq!(run.call("cublasDscal_v2", &[h, 4, two, of_host, 1]), 7);
    assert_eq!(run.call("cublasDscal_v2", &[h, 4, a, a, 1]), 7);
    assert_eq!(run.call("cublasDscal_v2", &[h, 5, two, a, 1]), 13);
    assert_eq!(run.device.submitted.len(), 0);
    let said = run.reasons();
    assert_eq!(said[0], "`x` belongs in memory of the Device");
    assert_eq!(said[1], "`alpha` belongs in memory of the Host");
    // The vectors of singular values have an argument that no routine here looks at.
    let (solver, info, work) = (run.handle("cusolverDnCreate"), run.array(1), run.array(7));
    let [m, n] = [2, 2];
    let args = [solver, u64::from(b'N'), u64::from(b'N'), m, n, a, 2, a, 0, 1, 0, 1, work, 7, of_host, info];
    assert_eq!(run.call("cusolverDnDgesvd", &args), 3);
    assert_eq!(run.reasons(), ["argument 15 belongs in memory of the Device"]);
}

#[test]
fn routines_whose_results_are_compared_are_both_called_and_done_here() {
    let mut run = Run::new();
    run.device.is_compared = true;
    let place = run.host(&[0; 8]);
    assert_eq!(run.call("curandCreateGenerator", &[place, 161]), 0);
    let (generator, array) = (run.word(place), run.array(4));
    assert_eq!(run.call("curandGenerateUniformDouble", &[generator, array, 4]), 0);
    let routine = run.device.submitted.last().expect("a routine").clone();
    assert_eq!(&*routine.vendor.expect("NVIDIA's function").function, "curandGenerateUniformDouble");
    assert_eq!((routine.work)(&mut run.memory), Ok(()));
    assert!(f64::from_bits(run.word(array)) > 0.0);
    assert_eq!(routine.results[0].agreement, device::Agreement::Bits);
    // What only NVIDIA's library has cannot be compared.
    assert_eq!(run.call("curandSetGeneratorOrdering", &[generator, 104]), 104);
    assert_eq!(run.reasons().len(), 1);
}

#[test]
fn a_status_of_nvidia_is_that_of_the_routine() {
    let mut run = Run::new();
    let place = run.host(&[0; 8]);
    run.device.status = 102;
    assert_eq!(run.call("curandCreateGenerator", &[place, 101]), 102);
    assert_eq!(run.reasons(), ["NVIDIA's library gives status 102"]);
}

#[test]
fn arrays_of_the_host_go_to_cublasxt_as_copies() {
    let mut run = Run::new();
    let (h, devices, two) = (run.handle("cublasXtCreate"), run.host(&[0; 4]), run.host(&TWO));
    assert_eq!(run.call("cublasXtDeviceSelect", &[h, 1, devices]), 0);
    let [a, c] = [[1u8; 32], [2; 32]].map(|bytes| run.host(&bytes));
    // A result of one column; the smaller matrix lies at the address of the larger one.
    let args = [h, 0, 0, 2, 1, 2, two, a, 2, a, 2, two, c, 3];
    assert_eq!(run.call("cublasXtDgemm", &args), 0);
    let args = run.last().args.clone();
    let VendorArg::Object(handle) = &args[0] else { panic!("{args:?}") };
    assert_eq!(handle.set[0].1.args, [VendorArg::This, word(1), bytes(&[0; 4])]);
    assert_eq!(handle.destroy, "cublasXtDestroy");
    assert_eq!((&args[7], &args[9], &args[13]), (&bytes(&[1; 32]), &bytes(&[1; 32]), &word(3)));
    assert_eq!(args[12], VendorArg::Result { bytes: [2; 16].into(), to: c });
    // The lower triangle without its diagonal begins behind the first element.
    let result = run.host(&[3; 16]);
    assert_eq!(run.call("cublasXtDtrmm", &[h, 0, 0, 0, 1, 2, 1, two, a, 2, c, 2, result, 2]), 0);
    assert_eq!((&run.last().args[8], &run.last().args[10]), (&bytes(&[1; 16]), &bytes(&[2; 16])));
    // What it cannot be given is done here.
    let d = run.array(4);
    assert_eq!(run.call("cublasXtDgemm", &[h, 0, 0, 2, 1, 2, two, d, 2, d, 2, two, c, 2]), 0);
    assert_eq!(run.device.submitted.last().expect("a routine").vendor, None);
    assert_eq!(run.reasons().len(), 1);
    // A result that is an operand.
    assert_eq!(run.call("cublasXtDgemm", &[h, 0, 0, 2, 1, 2, two, c, 2, c, 2, two, c, 2]), 7);
}
