//! The services that call procedures of libraries, and have them call procedures of the program.

use crate::cuda::{After, c_array_call, c_call, c_text, has_runtime_routine};
use crate::foreign::{CallSite, LocalExtent, Pieces, Waiting, args, entry_of, peek, pointer_of};
use crate::outside::Ask;
use crate::protocol::{Args, Halt};
use crate::runtime::Runtime;
use crate::storage;
use ::foreign::Caller;
use device::{Api, Call, LibraryCall};
use finding::HostFault;
use ir::foreign::{CArg, CValue, ForeignCall, ForeignEnd, ForeignReturn, ForeignStep, Piece, Signature, word_of};
use ir::rt::Rt;
use mem::{Memory, Region};
use source::Span;
use std::sync::Arc;

/// The services of foreign code, as a pattern.
macro_rules! foreign_services {
    () => {
        Rt::ForeignCall
            | Rt::ForeignEntry
            | Rt::ForeignTarget
            | Rt::ForeignVariable
            | Rt::ForeignPointers
            | Rt::ForeignNative
            | Rt::ForeignPlace
            | Rt::ForeignCallback
            | Rt::ForeignReturn
    };
}
pub(crate) use foreign_services;

impl Runtime {
    /// One of the services by which procedures of libraries are called; gives its result. The arguments are those of the service. With a
    /// caller they are called at once.
    pub(crate) fn serve_foreign(
        &mut self,
        memory: &mut Memory,
        rt: Rt,
        a: Args<'_>,
        at: &CallSite<'_>,
        caller: Option<&mut Caller>,
    ) -> Result<u64, Halt> {
        if let Some(reason) = self.foreign.direct.failed.take() {
            return Err(failed(&*self.signature(memory, a)?, reason));
        }
        match rt {
            Rt::ForeignEntry => {
                let signature = self.signature(memory, a)?;
                let entry = entry_of(a.bits(2));
                if self.foreign.entries.get(&entry) != Some(&signature) {
                    Arc::make_mut(&mut self.foreign.entries).insert(entry, signature);
                }
                Ok(entry)
            }
            Rt::ForeignTarget => Ok(pointer_of(a.bits(0))),
            Rt::ForeignCallback => self.begin_callback(memory, a.bits(0), at.span),
            Rt::ForeignCall => self.call_foreign(memory, a, at, caller).map(u64::from),
            _ if self.foreign.is_ahead => self.await_turn(),
            Rt::ForeignVariable => self.variable_of_c(memory, caller, a, at),
            Rt::ForeignPointers => {
                self.foreign.direct.note_pointers(a.bits(0), a.bits(1), a.bits(2), a.bits(3));
                Ok(0)
            }
            Rt::ForeignNative => self.native_address(memory, caller, a.bits(0), at),
            Rt::ForeignPlace => self.place_of_native(memory, caller, a.bits(0), at),
            _ => self.end_callback(memory, a, at, caller).map(u64::from),
        }
    }

    /// Waits for the turn of the rank; the service starts again then.
    fn await_turn<T>(&mut self) -> Result<T, Halt> {
        Err(self.answers.open(Ask::Turn))
    }

    /// Makes a call; gives whether it waits for a procedure of the program.
    fn call_foreign(
        &mut self,
        memory: &mut Memory,
        a: Args<'_>,
        at: &CallSite<'_>,
        caller: Option<&mut Caller>,
    ) -> Result<bool, Halt> {
        let signature = self.signature(memory, a)?;
        let (room, locals) = (a.bits(2), at.locals);
        let name = &*signature.name;
        let is_routine = has_runtime_routine(name) || (self.foreign.has_routine)(name);
        if is_routine && !self.foreign.defined.iter().any(|own| own == name) {
            return self.call_routine(memory, &signature, room, at.span).map(|()| false);
        }
        if self.foreign.is_ahead {
            return self.await_turn();
        }
        if let Some(caller) = self.direct_caller(memory, caller, room) {
            return self.call_directly(memory, caller, (a.bits(0), &signature, room), at);
        }
        match self.answers.foreign() {
            Some(end) => self.take_end(memory, &signature, room, locals, end),
            None => {
                let args = args(memory, &signature, room)?;
                let pieces = self.pieces(memory, &signature, room, locals)?;
                let entries = self.foreign.entries.clone();
                let call = ForeignCall { signature, args, memory: pieces, entries };
                Err(self.answers.open(Ask::Foreign(Arc::new(ForeignStep::Call(call)))))
            }
        }
    }

    /// What a call came to, or why it waits; gives whether it does.
    fn take_end(
        &mut self,
        memory: &mut Memory,
        signature: &Arc<Signature>,
        room: u64,
        locals: LocalExtent<'_>,
        end: Result<ForeignEnd, String>,
    ) -> Result<bool, Halt> {
        let ForeignEnd { result, written, callback } = end.map_err(|reason| failed(signature, reason))?;
        let passed = Pieces::of(memory, signature, room, locals)?;
        self.foreign.keep_pointers(&passed);
        let passed = passed.extents;
        for (address, bytes) in &written {
            storage::write(memory, *address, bytes)?;
        }
        // Bytes that were written and have not changed are not among those.
        for (&base, piece) in passed.iter().filter(|(_, piece)| !piece.reads_only) {
            memory.mark_initialised(base, piece.bytes);
        }
        let passed = passed.into_iter().map(|(base, piece)| (base, piece.bytes));
        self.foreign.keep(memory, locals, passed);
        let Some(callback) = callback else {
            storage::write(memory, room, &result)?;
            return Ok(false);
        };
        let waits = self.foreign.wait_for(signature, room, callback);
        waits.map(|()| true).map_err(|reason| failed(signature, reason))
    }

    /// Puts what a procedure of the program is called with into a room; gives what a pointer to it holds.
    fn begin_callback(&mut self, memory: &mut Memory, room: u64, span: Span) -> Result<u64, Halt> {
        let Some(waiting) = self.foreign.waiting.last_mut() else { return Ok(0) };
        let callee = &waiting.callee;
        let mut objects = room + callee.objects_at();
        for (i, (param, arg)) in callee.params.iter().zip(&waiting.callback.args).enumerate() {
            let word = match arg {
                CArg::Word(word) => *word,
                CArg::Object(bytes) => {
                    storage::write(memory, objects, bytes)?;
                    objects += param.object_bytes();
                    objects - param.object_bytes()
                }
                CArg::Copy(native, bytes) => {
                    let size = bytes.len() as u64;
                    let Ok(copy) = memory.alloc(Region::Host, size, "", span) else {
                        let reason = "there is no memory for what it passes to a procedure of the program".to_owned();
                        return Err(failed(&waiting.signature, reason));
                    };
                    waiting.copies.push((copy, *native, size));
                    storage::write(memory, copy, bytes)?;
                    copy
                }
            };
            storage::write(memory, room + callee.result_bytes() + 8 * i as u64, &word.to_le_bytes())?;
        }
        Ok(pointer_of(waiting.callback.entry))
    }

    /// Lets a call go on that waits; gives whether it waits again.
    fn end_callback(
        &mut self,
        memory: &mut Memory,
        a: Args<'_>,
        at: &CallSite<'_>,
        caller: Option<&mut Caller>,
    ) -> Result<bool, Halt> {
        let (signature, room, locals) = (self.signature(memory, a)?, a.bits(2), at.locals);
        if let Some(end) = self.answers.foreign() {
            if let Some(waiting) = self.foreign.waiting.pop() {
                waiting.free_copies(memory, at.span);
            }
            return self.take_end(memory, &signature, room, locals, end);
        }
        let Some(waiting) = self.foreign.waiting.last() else { return Ok(false) };
        let bytes = waiting.callee.result.as_ref().map_or(0, CValue::bytes);
        let result = peek(memory, a.bits(3), bytes)?;
        let mut copies = Vec::new();
        for &(copy, native, size) in &waiting.copies {
            copies.push((native, peek(memory, copy, size)?));
        }
        if let Some(caller) = self.direct_caller(memory, caller, room) {
            let pointers = waiting_pointers(self.foreign.waiting.last(), &result);
            self.lend_pointed(memory, caller, &pointers, at)?;
            if let Some(waiting) = self.foreign.waiting.pop() {
                waiting.free_copies(memory, at.span);
            }
            return self.go_on_directly(memory, caller, (&signature, room), (&result, &copies), at);
        }
        let pieces = self.pieces(memory, &signature, room, locals)?;
        let entries = self.foreign.entries.clone();
        let back = ForeignReturn { result, copies, memory: pieces, entries };
        Err(self.answers.open(Ask::Foreign(Arc::new(ForeignStep::Return(back)))))
    }

    /// Makes a call of a routine of CUDA's runtime or libraries, which takes addresses as they are and gives a status.
    fn call_routine(&mut self, memory: &mut Memory, signature: &Signature, room: u64, span: Span) -> Result<(), Halt> {
        let mut words = Vec::new();
        for arg in args(memory, signature, room)? {
            match arg {
                CArg::Word(word) => words.push(word),
                CArg::Object(bytes) | CArg::Copy(_, bytes) => words.extend(bytes.chunks(8).map(word_of)),
            }
        }
        if let Some(text) = c_text(&signature.name, words.first().map_or(0, |&word| word as i32)) {
            let address = self.text_for_c(memory, text, span)?;
            storage::write(memory, room, &address.to_le_bytes())?;
            return Ok(());
        }
        // What a function of the first interface of cuBLAS gives goes where others have an argument for it.
        let gives_result = (self.foreign.gives_result)(&signature.name);
        if gives_result {
            words.push(room);
        }
        let (api, after) =
            match c_array_call(&signature.name, Args(&words), memory, &self.symbols, &self.foreign.arrays)? {
                Some(known) => known,
                None => {
                    let api = c_call(&signature.name, Args(&words));
                    let library = || Api::Library(LibraryCall { name: signature.name.clone(), args: words });
                    (api.unwrap_or_else(library), After::Nothing)
                }
            };
        let reply = self.answers.call(|| Call { api, span })?;
        match after {
            After::Tells(at, bytes) if reply.code == 0 => storage::write(memory, at, &bytes)?,
            After::Made(at, array) if reply.code == 0 => {
                let handle = u64::from_le_bytes(storage::read_array(memory, at)?);
                self.foreign.arrays.insert(handle, array);
            }
            After::Freed(handle) if reply.code == 0 => _ = self.foreign.arrays.remove(&handle),
            _ => {}
        }
        if let Some(result) = &signature.result
            && !gives_result
        {
            let status = i64::from(reply.code).to_le_bytes();
            storage::write(memory, room, &status[..result.bytes().min(8) as usize])?;
        }
        Ok(())
    }

    /// The address of a text that ends with a zero, the same at each call.
    fn text_for_c(&mut self, memory: &mut Memory, text: &'static str, span: Span) -> Result<u64, Halt> {
        if let Some(&known) = self.foreign.texts.get(text) {
            return Ok(known);
        }
        let bytes = [text.as_bytes(), &[0]].concat();
        // Without room there is no text.
        let Ok(address) = memory.alloc(Region::Host, bytes.len() as u64, "", span) else { return Ok(0) };
        storage::write(memory, address, &bytes)?;
        self.foreign.texts.insert(text, address);
        Ok(address)
    }

    fn signature(&mut self, memory: &Memory, a: Args<'_>) -> Result<Arc<Signature>, Halt> {
        if let Some(known) = self.foreign.signatures.get(&a.bits(0)) {
            return Ok(known.clone());
        }
        let text = storage::read(memory, a.bits(0), a.size(1))?;
        let text = String::from_utf8_lossy(&text);
        let Some(signature) = Signature::parse(&text).map(Arc::new) else {
            let reason = "its signature is wrong".to_owned();
            return Err(Halt::Fault(HostFault::Foreign { name: text.into_owned(), reason }));
        };
        self.foreign.signatures.insert(a.bits(0), signature.clone());
        Ok(signature)
    }

    /// The memory that a call sees.
    fn pieces(
        &self,
        memory: &Memory,
        signature: &Signature,
        room: u64,
        locals: LocalExtent<'_>,
    ) -> Result<Vec<Piece>, Halt> {
        let mut passed = self.passed(memory, signature, room, locals)?;
        passed.add_kept(&self.foreign.kept);
        passed.read()
    }

    /// What a call is given, and what the calls were given that wait.
    pub(crate) fn passed<'m>(
        &self,
        memory: &'m Memory,
        signature: &Signature,
        room: u64,
        locals: LocalExtent<'m>,
    ) -> Result<Pieces<'m>, Halt> {
        let mut passed = Pieces::of(memory, signature, room, locals)?;
        for waiting in &self.foreign.waiting {
            passed.add_arguments(&waiting.signature, waiting.room)?;
        }
        passed.add_pointers(&self.foreign.pointers)?;
        let direct = &self.foreign.direct;
        let of_c = direct.variables.iter().map(|(first, offsets)| (first, offsets)).chain(&direct.objects);
        of_c.for_each(|(first, offsets)| passed.add_pointed_of_c(*first, offsets));
        Ok(passed)
    }
}

/// The pointers in the result of the procedure that a call waits for.
fn waiting_pointers(waiting: Option<&Waiting>, result: &[u8]) -> Vec<u64> {
    let offsets = waiting.and_then(|waiting| waiting.callee.result.as_ref()).map(CValue::pointers);
    let word = |at: u64| result.get(at as usize..at as usize + 8).map(word_of);
    offsets.into_iter().flatten().filter_map(word).collect()
}

impl Waiting {
    fn free_copies(&self, memory: &mut Memory, span: Span) {
        for &(copy, ..) in &self.copies {
            let _ = memory.free(copy, span);
        }
    }
}

/// That a procedure cannot be called.
pub(super) fn failed(signature: &Signature, reason: String) -> Halt {
    Halt::Fault(HostFault::Foreign { name: signature.name.to_string(), reason })
}
