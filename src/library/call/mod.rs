//! A call of a routine: its arguments one after another, what is wrong with them, and the command that it becomes.
//!
//! The arguments are words as C passes them. What a routine finds wrong it reports in a sentence, and gives the status that
//! NVIDIA's library gives; a status that the program does not look at says nothing to it.

mod vendor;

pub(crate) use vendor::Notes;

use crate::element::Element;
use crate::handles::Kind;
use crate::operand::{Integers, Matrix, Operand, Vector};
use crate::state::{Home, State};
use device::{Bytes, CudaError, Device, Runtime, Section, Step, VendorArg, Written};
use finding::{ApiFault, HandleLife, MemoryPlace, What};
use mem::{Memory, Region};
use source::Span;
use std::sync::Arc;

/// A status other than success.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Status(pub(crate) i32);

/// Leading dimensions are less, so that addresses can be computed.
const MOST_LEADING: i64 = 1 << 40;

/// What becomes of a call.
pub(crate) type Outcome = Result<Step, Status>;

/// The statuses of a library that more than one of its routines gives.
#[derive(Debug)]
pub(crate) struct Statuses {
    /// A handle that is none.
    pub(crate) bad_handle: i32,
    /// An argument that is wrong.
    pub(crate) bad_value: i32,
    /// The device cannot do it.
    pub(crate) failed: i32,
}

/// A routine: its C name, and what makes a command of a call.
pub(crate) struct Routine {
    pub(crate) name: &'static str,
    pub(crate) run: fn(&mut Call<'_>) -> Outcome,
}

/// A call.
pub(crate) struct Call<'a> {
    pub(crate) name: &'static str,
    pub(crate) statuses: &'static Statuses,
    pub(crate) args: &'a [u64],
    /// What NVIDIA's function is called with, on a device that has it.
    pub(crate) notes: Option<Notes>,
    /// Positions of arguments that the routine does not take.
    pub(crate) hidden: &'a [usize],
    /// Whether the interface is that of a module: there the place of a scalar says whether it is the device's.
    pub(crate) is_of_module: bool,
    /// Whether the routine is one of the first interface of cuBLAS: without a handle, options are letters, scalars are values.
    pub(crate) is_legacy: bool,
    /// Where arrays belong.
    pub(crate) home: Home,
    /// Whether sizes, increments and leading dimensions have 8 bytes.
    pub(crate) is_wide: bool,
    /// How many arguments were taken.
    pub(crate) taken: usize,
    pub(crate) state: &'a mut State,
    pub(crate) runtime: &'a mut Runtime,
    pub(crate) device: &'a mut dyn Device,
    pub(crate) memory: &'a mut Memory,
    pub(crate) span: Span,
}

impl Call<'_> {
    /// The next argument; one that the program does not declare is 0.
    pub(crate) fn word(&mut self) -> u64 {
        while self.hidden.contains(&self.taken) {
            self.taken += 1;
        }
        let word = self.args.get(self.taken).copied().unwrap_or(0);
        self.taken += 1;
        word
    }

    /// Leaves arguments out.
    pub(crate) fn skip(&mut self, count: usize) {
        self.taken += count;
    }

    pub(crate) fn int(&mut self) -> i64 {
        i64::from(self.word() as i32)
    }

    /// A size, an increment or a leading dimension.
    fn size_word(&mut self) -> i64 {
        let size = if self.is_wide { self.word() as i64 } else { self.int() };
        if self.home == Home::Any {
            // Such functions take 8 bytes, whatever the interface has.
            self.note(VendorArg::Word(size as u64));
        }
        size
    }

    /// The distance of matrices in elements. Results need one if there are several.
    pub(crate) fn stride(&mut self, what: &str, stride: i64, needs_one: bool) -> Result<i64, Status> {
        if stride.saturating_abs() >= MOST_LEADING {
            return self.wrong(format!("the stride of `{what}` is {stride}, which is more than there can be"));
        }
        if needs_one && stride == 0 {
            return self.wrong(format!("the stride of `{what}` is 0, so that its matrices are at one place"));
        }
        Ok(stride)
    }

    pub(crate) fn real4(&mut self) -> f32 {
        f32::from_bits(self.real_word() as u32)
    }

    pub(crate) fn real8(&mut self) -> f64 {
        f64::from_bits(self.real_word())
    }

    /// The bits of a real.
    fn real_word(&mut self) -> u64 {
        let word = self.word();
        self.note(VendorArg::Real(word));
        word
    }

    /// A real of the size of a part.
    pub(crate) fn part<T: Element>(&mut self) -> f64 {
        if T::Real::BYTES == 4 { f64::from(self.real4()) } else { self.real8() }
    }

    /// A count of elements.
    pub(crate) fn count(&mut self, what: &str) -> Result<usize, Status> {
        let count = self.size_word();
        self.checked_count(count, what)
    }

    /// A count of elements, of which a negative number is none, as in level 1 of BLAS.
    pub(crate) fn vector_count(&mut self, what: &str) -> Result<usize, Status> {
        let count = self.size_word();
        self.checked_count(count.max(0), what)
    }

    /// A count of elements in 8 bytes.
    pub(crate) fn wide_count(&mut self, what: &str) -> Result<usize, Status> {
        let count = self.word() as i64;
        self.checked_count(count, what)
    }

    fn checked_count(&mut self, count: i64, what: &str) -> Result<usize, Status> {
        if (0..1 << 31).contains(&count) {
            return Ok(count as usize);
        }
        let wrong = if count < 0 { "less than 0" } else { "more than there can be" };
        self.wrong(format!("`{what}` is {count}, which is {wrong}"))
    }

    /// Reports an argument that is wrong.
    pub(crate) fn wrong<T>(&mut self, reason: String) -> Result<T, Status> {
        self.runtime.report(self.name, ApiFault::InvalidArgument { reason }, self.span);
        Err(Status(self.statuses.bad_value))
    }

    /// Reports a handle that is none.
    pub(crate) fn no_handle<T>(&mut self, kind: &'static Kind, handle: u64) -> Result<T, Status> {
        let (what, made_by) = (kind.what.to_owned(), kind.made_by.to_owned());
        let life = match self.state.lives.destroyed_at(handle) {
            Some(span) => HandleLife::Destroyed(span),
            None => HandleLife::None,
        };
        self.runtime.report(self.name, ApiFault::InvalidHandle { what, made_by, life }, self.span);
        Err(Status(self.statuses.bad_handle))
    }

    /// Reports an argument that belongs in other memory.
    pub(crate) fn in_wrong_memory<T>(&mut self, what: String, belongs: MemoryPlace) -> Result<T, Status> {
        self.runtime.report(self.name, ApiFault::WrongMemory { what, belongs }, self.span);
        Err(Status(self.statuses.bad_value))
    }

    /// Reads a value at an address of the host.
    pub(crate) fn host<T: Element>(&mut self, address: u64, what: &str) -> Result<T, Status> {
        Ok(T::from_bytes(&self.host_bytes(address, T::BYTES, what)?))
    }

    /// Reads bytes at an address of the host.
    pub(crate) fn host_bytes(&mut self, address: u64, count: usize, what: &str) -> Result<Vec<u8>, Status> {
        let mut bytes = vec![0; count];
        self.check_host(address, what)?;
        match self.memory.read(address, &mut bytes) {
            Some(()) => {
                self.note_bytes(address, &bytes);
                Ok(bytes)
            }
            None => self.wrong(format!("the address of `{what}` is none of the program's")),
        }
    }

    /// Writes bytes at an address of the host.
    pub(crate) fn put(&mut self, address: u64, bytes: &[u8], what: &str) -> Result<(), Status> {
        self.check_host(address, what)?;
        match self.memory.write(address, bytes) {
            Some(()) => {
                self.note_result(address, bytes);
                Ok(())
            }
            None => self.wrong(format!("the address of `{what}` is none of the program's")),
        }
    }

    pub(crate) fn check_host(&mut self, address: u64, what: &str) -> Result<(), Status> {
        if Region::of(address).is_some_and(|region| !region.is_host_accessible()) {
            return self.in_wrong_memory(format!("`{what}`"), MemoryPlace::Host);
        }
        Ok(())
    }

    /// Checks that an array or a scalar is where the device, or a routine of the host, takes it.
    pub(crate) fn check_device(&mut self, address: u64, what: &str) -> Result<(), Status> {
        match self.home {
            Home::Device => {}
            Home::Host => return self.check_host(address, what),
            Home::Any => return Ok(()),
        }
        let is_out_of_reach = |region: Region| !region.is_device_accessible() && !self.memory.is_locked(address, 1);
        if Region::of(address).is_some_and(is_out_of_reach) {
            return self.in_wrong_memory(format!("`{what}`"), MemoryPlace::Device);
        }
        Ok(())
    }

    /// A vector of the device: its address and the step between its elements.
    pub(crate) fn vector<T: Element>(&mut self, count: usize, what: &str) -> Result<Vector<T>, Status> {
        let (address, step) = (self.word(), self.size_word());
        self.check_device(address, what)?;
        Ok(Vector::new(address, count, step))
    }

    /// The same with a step that must not be 0.
    pub(crate) fn stepped<T: Element>(&mut self, count: usize, what: &str) -> Result<Vector<T>, Status> {
        let vector = self.vector(count, what)?;
        if vector.step == 0 {
            return self.wrong(format!("the increment of `{what}` is 0"));
        }
        Ok(vector)
    }

    /// Integers in device memory.
    pub(crate) fn device_integers(&mut self, what: &str, count: usize) -> Result<Integers, Status> {
        let address = self.word();
        self.device_integers_at(address, what, count)
    }

    /// The same at an address.
    pub(crate) fn device_integers_at(&mut self, address: u64, what: &str, count: usize) -> Result<Integers, Status> {
        self.check_device(address, what)?;
        Ok(Integers { address, count })
    }

    /// An address of the device, and the distance between the columns of a matrix there.
    pub(crate) fn strided(&mut self) -> (u64, i64) {
        (self.word(), self.size_word())
    }

    /// A matrix of the device: its address and the distance between its columns.
    pub(crate) fn matrix<T: Element>(&mut self, rows: usize, columns: usize, what: &str) -> Result<Matrix<T>, Status> {
        let (address, leading) = self.strided();
        self.matrix_at(address, leading, rows, columns, what)
    }

    /// The same of an address and a leading dimension.
    pub(crate) fn matrix_at<T: Element>(
        &mut self,
        address: u64,
        leading: i64,
        rows: usize,
        columns: usize,
        what: &str,
    ) -> Result<Matrix<T>, Status> {
        if leading >= MOST_LEADING {
            return self
                .wrong(format!("the leading dimension of `{what}` is {leading}, which is more than there can be"));
        }
        if leading < rows.max(1) as i64 {
            let reason = format!("the leading dimension of `{what}` is {leading}, and the matrix has {rows} rows");
            return self.wrong(reason);
        }
        self.check_device(address, what)?;
        Ok(Matrix::new(address, rows, columns, leading as usize))
    }

    /// Checks that sections are inside what the program has allocated, and puts the work on a stream. The host `waits` for a
    /// result in its own memory.
    pub(crate) fn submit(
        &mut self,
        stream: u64,
        reads: Vec<Section>,
        results: Vec<Written>,
        waits: bool,
        work: impl Fn(&mut dyn Bytes) -> Result<(), CudaError> + Send + Sync + 'static,
    ) -> Outcome {
        self.submit_needing(stream, (reads, Vec::new()), results, waits, work)
    }

    /// The same for sections of which some must have been written before.
    pub(crate) fn submit_needing(
        &mut self,
        stream: u64,
        (reads, needs): (Vec<Section>, Vec<Section>),
        results: Vec<Written>,
        waits: bool,
        work: impl Fn(&mut dyn Bytes) -> Result<(), CudaError> + Send + Sync + 'static,
    ) -> Outcome {
        let writes: Vec<Section> = results.iter().flat_map(|result| result.sections.iter().cloned()).collect();
        let of =
            |sections: &[Section], what| sections.iter().map(|section| (section.clone(), what)).collect::<Vec<_>>();
        let extents = [of(&reads, What::Read), of(&writes, What::Write)].concat();
        self.perform(stream, Uses { extents, reads, writes, results, needs, ..Uses::default() }, waits, work)
    }

    /// The same for what operands use.
    pub(crate) fn perform(
        &mut self,
        stream: u64,
        uses: Uses,
        waits: bool,
        work: impl Fn(&mut dyn Bytes) -> Result<(), CudaError> + Send + Sync + 'static,
    ) -> Outcome {
        let failed = Status(self.statuses.failed);
        for (section, what) in &uses.extents {
            self.check_inside(section, *what)?;
        }
        if let Some(sharing) = uses.sharing {
            self.check_apart(&uses, sharing)?;
        }
        if self.home == Home::Any {
            self.note_arrays(&uses.extents);
        }
        let vendor = self.vendor_call()?.map(Arc::new);
        let (name, span) = (self.name, self.span);
        let Uses { reads, writes, results, needs, .. } = uses;
        let routine =
            device::Routine { name, reads, writes, results, needs, stream, span, work: Arc::new(work), vendor };
        let waits = waits || self.home != Home::Device;
        self.runtime.routine(self.device, self.memory, routine, waits).map_err(|_| failed)
    }

    /// Checks that no element is in two results, or in a result and in what is read beside it: threads of a GPU reach them in any order.
    fn check_apart(&mut self, uses: &Uses, sharing: Sharing) -> Result<(), Status> {
        let hulls = |sections: &[Section]| sections.iter().filter_map(|(array, bytes)| array.hull(*bytes)).collect();
        let (results, inputs): (Vec<_>, Vec<_>) = (hulls(&uses.writes), hulls(&uses.inputs));
        let is_near = |input: &(u64, u64)| results.iter().any(|result| input.0 < result.1 && result.0 < input.1);
        if results.len() < 2 && !inputs.iter().any(is_near) {
            return Ok(());
        }
        let runs = |(array, bytes): &Section| array.runs(*bytes).map(|(first, bytes)| (first, first + bytes));
        let mut written: Vec<(u64, u64)> = uses.writes.iter().flat_map(runs).collect();
        written.sort_unstable();
        let twice = written.windows(2).find(|pair| pair[1].0 < pair[0].1).map(|pair| pair[1].0);
        if let Some(address) = twice {
            let of = self.name_of(address);
            return self.wrong(format!("two of its results share elements{of}, and which of them stays is chance"));
        }
        let is_in_place = |input: &Section| sharing == Sharing::InPlace && uses.writes.contains(input);
        let read = uses.inputs.iter().filter(|input| !is_in_place(input)).flat_map(runs);
        let shared = |(first, end): (u64, u64)| {
            let (from, _) = *written.get(written.partition_point(|run| run.1 <= first))?;
            (from < end).then_some(first.max(from))
        };
        match read.into_iter().find_map(shared) {
            Some(address) => {
                let of = self.name_of(address);
                self.wrong(format!(
                    "its result and what it reads beside that share elements{of}, and whether the old ones or the new ones are read is chance"
                ))
            }
            None => Ok(()),
        }
    }

    /// The name of the variable at an address, for a sentence.
    fn name_of(&self, address: u64) -> String {
        let name = self.memory.find(address).map(|id| &*self.memory.info(id).name);
        name.filter(|name| !name.is_empty()).map_or_else(String::new, |name| format!(" of `{name}`"))
    }

    /// Checks that a section is inside what the program has allocated.
    pub(crate) fn check_inside(&mut self, section: &Section, what: What) -> Result<(), Status> {
        let failed = Status(self.statuses.failed);
        self.runtime.check_section(self.memory, section, what, self.name, self.span).map_err(|_| failed)
    }

    /// That a call is done.
    pub(crate) fn done(&self) -> Outcome {
        Ok(Step::Done(device::Reply::default()))
    }
}

/// What a routine uses of memory.
#[derive(Default)]
pub(crate) struct Uses {
    /// What has to be inside of arrays.
    extents: Vec<(Section, What)>,
    reads: Vec<Section>,
    writes: Vec<Section>,
    results: Vec<Written>,
    /// What must have been written before.
    needs: Vec<Section>,
    /// What is certainly read beside the results.
    inputs: Vec<Section>,
    /// Which elements results may share with that; if it is not said, nobody looks.
    sharing: Option<Sharing>,
}

/// What results may share with what is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sharing {
    /// Nothing.
    Nothing,
    /// A result may be one of the operands, element by element.
    InPlace,
}

impl Uses {
    /// No result may share elements with another one, or with what is read.
    pub(crate) fn apart(self) -> Uses {
        Uses { sharing: Some(Sharing::Nothing), ..self }
    }

    /// The same, but a result may take the place of an operand.
    pub(crate) fn apart_or_in_place(self) -> Uses {
        Uses { sharing: Some(Sharing::InPlace), ..self }
    }

    pub(crate) fn read(self, operand: &impl Operand) -> Uses {
        self.read_if(operand, true)
    }

    /// An operand that is read, and which values it has counts only where that is sure.
    pub(crate) fn read_if(mut self, operand: &impl Operand, is_sure: bool) -> Uses {
        if is_sure {
            self.inputs.extend(operand.sections());
        }
        self.look(operand, is_sure)
    }

    fn look(mut self, operand: &impl Operand, is_sure: bool) -> Uses {
        let sections = operand.sections();
        self.extents.push((operand.extent(), What::Read));
        self.needs.extend(sections.iter().filter(|_| is_sure).cloned());
        self.reads.extend(sections);
        self
    }

    pub(crate) fn write(mut self, operand: &impl Operand) -> Uses {
        self.extents.push((operand.extent(), What::Write));
        self.writes.extend(operand.sections());
        self.results.push(operand.written());
        self
    }

    /// A number that says how it went.
    pub(crate) fn status(mut self, info: &Integers) -> Uses {
        self.extents.push((info.extent(), What::Write));
        self.writes.push(info.extent());
        self.results.push(info.status());
        self
    }

    /// An operand that is read, if that is sure, and then written.
    pub(crate) fn change(self, operand: &impl Operand, is_read: bool) -> Uses {
        if is_read { self.look(operand, true).write(operand) } else { self.write(operand) }
    }

    /// Adds what a scalar is read from, if it is in memory of the device.
    pub(crate) fn with(mut self, scalar: Option<Section>) -> Uses {
        self.extents.extend(scalar.iter().map(|section| (section.clone(), What::Read)));
        self.needs.extend(scalar.clone());
        self.reads.extend(scalar);
        self
    }
}
