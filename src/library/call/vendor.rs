//! What NVIDIA's own function is called with, on a device that has it: arguments are noted while a routine takes them.
//!
//! An argument that nothing is noted of is a word: an integer, or an address of the device. So a routine says once what its arguments
//! are, when it takes and checks them, and has a call of NVIDIA's function for it.
//!
//! Not here: making the call (`gpu`).

use super::{Call, Outcome, Status};
use crate::handles::Kind;
use crate::state::Home;
use device::{Section, Vendor, VendorAnswer, VendorArg, VendorCall, VendorObject};
use finding::{ApiFault, MemoryPlace, What};
use mem::Region;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is known of the arguments of a call.
#[derive(Debug)]
pub(crate) struct Notes {
    /// The name of the function in C.
    function: &'static str,
    /// By position; `None` is no argument of the function.
    noted: BTreeMap<usize, Option<VendorArg>>,
    /// The handle, where the program gives none.
    handle: Option<VendorArg>,
    /// Arguments behind those of the program.
    more: Vec<VendorArg>,
    /// Whether a scalar is in memory of the host, and whether one is in that of the device.
    scalars: [bool; 2],
}

impl Notes {
    /// Those of a call of a routine, if a library may have its function.
    pub(crate) fn of(function: &'static str) -> Option<Notes> {
        Vendor::of(function)?;
        Some(Notes { function, noted: BTreeMap::new(), handle: None, more: Vec::new(), scalars: [false; 2] })
    }
}

impl Call<'_> {
    /// Notes what the argument is that was taken last.
    pub(crate) fn note(&mut self, arg: VendorArg) {
        self.note_before(0, arg);
    }

    /// Notes what the argument is that was taken before so many others and the last.
    pub(crate) fn note_before(&mut self, others: usize, arg: VendorArg) {
        let at = self.taken.saturating_sub(1 + others);
        if let Some(notes) = &mut self.notes {
            notes.noted.insert(at, Some(arg));
        }
    }

    /// The argument that was taken last is part of the one before.
    pub(crate) fn note_nothing(&mut self) {
        let last = self.taken.saturating_sub(1);
        if let Some(notes) = &mut self.notes {
            notes.noted.insert(last, None);
        }
    }

    /// The argument that was taken last is a handle.
    pub(crate) fn note_object(&mut self, handle: u64) {
        if let Some(object) = self.state.objects.get(&handle) {
            let arg = VendorArg::Object(object.clone());
            self.note(arg);
        }
    }

    /// The function takes a handle that the routine has not.
    pub(crate) fn note_handle(&mut self, handle: u64) {
        if let (Some(notes), Some(object)) = (&mut self.notes, self.state.objects.get(&handle)) {
            notes.handle = Some(VendorArg::Object(object.clone()));
        }
    }

    /// The function takes words behind the arguments of the program.
    pub(crate) fn note_more(&mut self, words: &[u64]) {
        if let Some(notes) = &mut self.notes {
            notes.more.extend(words.iter().map(|&word| VendorArg::Word(word)));
        }
    }

    /// A stream, the next argument.
    pub(crate) fn stream_word(&mut self) -> u64 {
        let stream = self.word();
        self.note(VendorArg::Stream(stream));
        stream
    }

    /// Whether a scalar is in memory of the device.
    pub(crate) fn note_scalar(&mut self, is_on_device: bool) {
        if let Some(notes) = &mut self.notes {
            notes.scalars[usize::from(is_on_device)] = true;
        }
    }

    /// The bytes of the host at an address that is an argument.
    pub(crate) fn note_bytes(&mut self, address: u64, bytes: &[u8]) {
        self.note_at(address, |_| VendorArg::Bytes(bytes.into()));
    }

    /// The bytes of the host at an address that is an argument; the function writes there.
    pub(crate) fn note_result(&mut self, address: u64, bytes: &[u8]) {
        self.note_at(address, |to| VendorArg::Result { bytes: bytes.into(), to });
    }

    fn note_at(&mut self, address: u64, arg: impl Fn(u64) -> VendorArg) {
        let Some(notes) = &mut self.notes else { return };
        for (at, _) in self.args.iter().enumerate().take(self.taken).filter(|(_, word)| **word == address) {
            notes.noted.insert(at, Some(arg(address)));
        }
    }

    /// The arguments so far.
    fn noted(&self, notes: &Notes, count: usize) -> Vec<VendorArg> {
        let word = |at: usize| VendorArg::Word(self.args.get(at).copied().unwrap_or(0));
        let given = (0..count).filter_map(|at| notes.noted.get(&at).cloned().unwrap_or_else(|| Some(word(at))));
        notes.handle.iter().cloned().chain(given).chain(notes.more.iter().cloned()).collect()
    }

    /// All arguments, where the first one is the handle that is made or set.
    fn call_with(&self, first: VendorArg) -> Option<VendorCall> {
        let notes = self.notes.as_ref()?;
        let mut args = self.noted(notes, self.args.len().max(self.taken));
        *args.first_mut()? = first;
        // Nobody looks at what such a function leaves beside the handle.
        for arg in &mut args {
            if let VendorArg::Result { bytes, .. } = arg {
                *arg = VendorArg::Bytes(bytes.clone());
            }
        }
        Some(VendorCall { function: notes.function.into(), args })
    }

    /// This call has made a handle.
    pub(crate) fn has_made(&mut self, handle: u64, kind: &'static Kind, destroy: &'static str) -> Result<(), Status> {
        self.state.lives.begin(handle, kind, self.span);
        let Some(call) = self.call_with(VendorArg::New) else { return Ok(()) };
        self.state.add_object(handle, call, destroy);
        self.prepare(handle)
    }

    /// This call has done more of what makes a handle.
    pub(crate) fn has_made_more(&mut self, handle: u64) {
        let call = self.call_with(VendorArg::This);
        if let (Some(call), Some(object)) = (call, self.state.objects.get_mut(&handle)) {
            Arc::make_mut(object).make.push(call);
        }
    }

    /// This call has set what a handle holds.
    pub(crate) fn has_set(&mut self, handle: u64) -> Result<(), Status> {
        let Some(call) = self.call_with(VendorArg::This) else { return Ok(()) };
        self.state.set_object(handle, call);
        self.prepare(handle)
    }

    /// Makes and sets what a handle stands for, so that this call has the status of that.
    fn prepare(&mut self, handle: u64) -> Result<(), Status> {
        if !self.is_of_vendor() {
            return Ok(());
        }
        let (Some(object), Some(vendor)) = (self.state.objects.get(&handle), self.device.vendor()) else {
            return Ok(());
        };
        let failed = Status(self.statuses.failed);
        match vendor.prepare(object) {
            Ok(0) => Ok(()),
            Ok(status) => self.wrong(format!("NVIDIA's library gives status {status}")).map_err(|_| Status(status)),
            Err(reason) => self.wrong(reason).map_err(|_| failed),
        }
    }

    /// This call has destroyed a handle.
    pub(crate) fn has_destroyed(&mut self, handle: u64) {
        self.state.lives.end(handle, self.span);
        self.state.objects.remove(&handle);
        if let Some(vendor) = self.device.vendor() {
            vendor.destroy(handle);
        }
    }

    /// Whether the device runs this routine by NVIDIA's function. Says once why it does not although it has the libraries.
    pub(crate) fn is_of_vendor(&mut self) -> bool {
        let Some(notes) = &self.notes else { return false };
        let found = match self.home {
            Home::Device | Home::Any => self.device.vendor().map(|vendor| vendor.find(notes.function)),
            // What BLAS does on arrays of the host is none of CUDA.
            Home::Host => None,
        };
        match found {
            Some(Ok(())) => true,
            Some(Err(reason)) => {
                self.runs_on_host(reason);
                false
            }
            None => {
                self.notes = None;
                false
            }
        }
    }

    /// The routine is not NVIDIA's; says why once.
    fn runs_on_host(&mut self, reason: String) {
        if self.state.told.insert(reason.clone()) {
            self.runtime.report(self.name, ApiFault::RunsOnHost { reason }, self.span);
        }
        self.notes = None;
    }

    /// Notes the arrays of a routine that takes them in any memory: NVIDIA's function gets copies of those of the host. Where it cannot,
    /// the routine runs on the host.
    pub(super) fn note_arrays(&mut self, extents: &[(Section, What)]) {
        let Some(notes) = &self.notes else { return };
        let args = &self.args[..self.taken.min(self.args.len())];
        let is_of_host = |word: u64| matches!(Region::of(word), Some(Region::Host | Region::HostStack));
        let arrays: Option<Vec<Array>> = extents.iter().map(|extent| Array::of(extent, args, is_of_host)).collect();
        let is_alone = |array: &Array| args.iter().filter(|word| **word == array.address).count() == 1;
        let mut arrays = match arrays {
            Some(arrays) if !notes.scalars[1] => arrays,
            _ => return self.runs_on_host("NVIDIA's cuBLASXt gets arrays and scalars of the host only".to_owned()),
        };
        if !arrays.iter().all(|array| !array.is_written || is_alone(array)) {
            let reason = "the result is another array of the call too, and NVIDIA's cuBLASXt gets copies of arrays";
            return self.runs_on_host(reason.to_owned());
        }
        // Of two at one address the larger one counts, and what is written as that.
        arrays.sort_unstable();
        for Array { is_written, bytes, address } in arrays {
            let mut bytes = vec![0; bytes as usize];
            // What is not inside of an array was reported.
            if self.memory.read(address, &mut bytes).is_none() {
                continue;
            }
            if is_written {
                self.note_result(address, &bytes);
            } else {
                self.note_bytes(address, &bytes);
            }
        }
    }

    /// The call of NVIDIA's function, if the device has it.
    pub(crate) fn vendor_call(&mut self) -> Result<Option<VendorCall>, Status> {
        if !self.is_of_vendor() {
            return Ok(None);
        }
        let Some(notes) = &self.notes else { return Ok(None) };
        let mut args = self.noted(notes, self.args.len().max(self.taken));
        let function = notes.function;
        let is_locked = |arg: &VendorArg| matches!(arg, VendorArg::Word(word) if self.memory.is_locked(*word, 1));
        if args.iter().any(is_locked) {
            // The GPU has only a copy of the program's memory.
            self.runs_on_host("NVIDIA's libraries do not reach memory that `cudaHostRegister` has locked".to_owned());
            return Ok(None);
        }
        self.check_words(&args)?;
        self.set_pointer_mode(&mut args)?;
        Ok(Some(VendorCall { function: function.into(), args }))
    }

    /// Checks that no word is an address that NVIDIA's function cannot reach.
    fn check_words(&mut self, args: &[VendorArg]) -> Result<(), Status> {
        let of_host = |word: u64| matches!(Region::of(word), Some(Region::Host | Region::HostStack));
        match args.iter().position(|arg| matches!(arg, VendorArg::Word(word) if of_host(*word))) {
            Some(at) => self.in_wrong_memory(format!("argument {}", at + 1), MemoryPlace::Device),
            None => Ok(()),
        }
    }

    /// Lets the handle, which is the first argument, know where scalars are.
    fn set_pointer_mode(&mut self, args: &mut [VendorArg]) -> Result<(), Status> {
        let Some(Notes { function, scalars, .. }) = &self.notes else { return Ok(()) };
        let function = match Vendor::of(function) {
            Some(Vendor::Cusparse) => "cusparseSetPointerMode",
            _ => "cublasSetPointerMode_v2",
        };
        if self.home == Home::Any {
            return Ok(());
        }
        let [on_host, on_device] = *scalars;
        if on_host && on_device {
            let reason = "of the scalars, one is in host memory and one in device memory; on a GPU they must be in one";
            return self.wrong(reason.to_owned());
        }
        if (on_host || on_device)
            && let Some(VendorArg::Object(handle)) = args.first_mut()
        {
            let mode = VendorArg::Word(u64::from(on_device));
            Arc::make_mut(handle).set(VendorCall { function: function.into(), args: vec![VendorArg::This, mode] });
        }
        Ok(())
    }

    /// The end of a routine that tells something: what it has put is the answer of this library, and NVIDIA's is put in place of it
    /// where the device has that.
    pub(crate) fn answered(&mut self) -> Outcome {
        let Some(call) = self.vendor_call()? else { return self.done() };
        let answer = self.ask(&call)?;
        for (to, bytes) in call.places().zip(&answer.results) {
            self.put(to, bytes, "result")?;
        }
        self.done()
    }

    /// How much the routine works in: what another function says of the arguments at these positions, or all so far. Its name may be
    /// the end of one. Its results have so many bytes, and the first counts. `own` is what is enough for this library.
    pub(crate) fn work_size(
        &mut self,
        function: &'static str,
        positions: Option<&[usize]>,
        own: u64,
        results: &[usize],
    ) -> Result<u64, Status> {
        if !self.is_of_vendor() {
            return Ok(own);
        }
        let Some(notes) = &self.notes else { return Ok(own) };
        let mut args = self.noted(notes, self.taken);
        if let Some(positions) = positions {
            args = positions.iter().filter_map(|&at| args.get(at).cloned()).collect();
        }
        self.set_pointer_mode(&mut args)?;
        self.work_size_of(function, args, own, results)
    }

    /// The same of other arguments.
    pub(crate) fn work_size_of(
        &mut self,
        function: &'static str,
        mut args: Vec<VendorArg>,
        own: u64,
        results: &[usize],
    ) -> Result<u64, Status> {
        if !self.is_of_vendor() {
            return Ok(own);
        }
        let Some(notes) = &self.notes else { return Ok(own) };
        args.extend(results.iter().map(|&bytes| VendorArg::Result { bytes: vec![0; bytes].into(), to: 0 }));
        let function = match function.strip_prefix('_') {
            Some(_) => Cow::Owned(format!("{}{function}", notes.function)),
            None => Cow::Borrowed(function),
        };
        let answer = self.ask(&VendorCall { function, args })?;
        let mut word = [0; 8];
        let told = answer.results.first().map_or(&[][..], Vec::as_slice);
        word.iter_mut().zip(told).for_each(|(to, from)| *to = *from);
        Ok(u64::from_le_bytes(word))
    }

    /// Calls a function of NVIDIA's library now.
    fn ask(&mut self, call: &VendorCall) -> Result<VendorAnswer, Status> {
        self.check_words(&call.args)?;
        let failed = Status(self.statuses.failed);
        let Some(vendor) = self.device.vendor() else { return Err(failed) };
        match vendor.ask(call) {
            Ok(answer) if answer.status == 0 => Ok(answer),
            Ok(VendorAnswer { status, .. }) => {
                let function = &call.function;
                self.wrong(format!("`{function}` of NVIDIA's library gives status {status}"))
                    .map_err(|_| Status(status))
            }
            Err(reason) => self.wrong(reason).map_err(|_| failed),
        }
    }

    /// Whether the results are those of NVIDIA's library alone, if the device has it for this routine; says nothing if not.
    pub(crate) fn may_be_of_vendor(&mut self) -> bool {
        let Some(notes) = &self.notes else { return false };
        self.device.vendor().is_some_and(|vendor| !vendor.is_compared() && vendor.find(notes.function).is_ok())
    }
}

/// An array of the host that is an argument: its address, and the bytes up to its last element that counts.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Array {
    is_written: bool,
    bytes: u64,
    address: u64,
}

impl Array {
    /// That of what is used of it. What is used may begin behind the first element, as a triangle without its diagonal does.
    fn of(((section, element), what): &(Section, What), args: &[u64], is_of_host: fn(u64) -> bool) -> Option<Array> {
        let (first, end) = section.hull(*element).unwrap_or((section.base, section.base));
        let address = args.iter().copied().filter(|word| is_of_host(*word) && *word <= first).max();
        let address = address.filter(|_| is_of_host(first))?;
        Some(Array { is_written: *what == What::Write, bytes: end - address, address })
    }
}

impl crate::state::State {
    /// Keeps how a handle is made.
    pub(crate) fn add_object(&mut self, handle: u64, make: VendorCall, destroy: &'static str) {
        let object = VendorObject { handle, make: vec![make], set: Vec::new(), destroy };
        self.objects.insert(handle, Arc::new(object));
    }

    /// Keeps a setting of a handle.
    pub(crate) fn set_object(&mut self, handle: u64, call: VendorCall) {
        if let Some(object) = self.objects.get_mut(&handle) {
            Arc::make_mut(object).set(call);
        }
    }
}
