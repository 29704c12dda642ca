//! Makes calls: memory of the program is put into buffers or lent, addresses are translated, and afterwards both back.
//!
//! A call comes as a [`ForeignStep`] with the contents of all memory that C sees, and ends with what has changed; so it can be recorded.
//! Or it is made *directly*, with a room in the program's memory ([`Signature::room_bytes`]) and memory that was lent before.
#![allow(unsafe_code)] // Calls procedures of libraries.

use crate::buffers::Buffers;
use crate::call::{self, Arguments, Incoming};
use crate::end;
use crate::event::Event;
use crate::flush::Flush;
use crate::frame::Frame;
use crate::libraries::Libraries;
use crate::stack::{self, Stack};
use ir::foreign::{
    BY_ADDRESS, CArg, CParam, CScalar, CValue, Callback, Entries, ForeignCall, ForeignEnd, ForeignReturn, ForeignStep,
    Piece, Signature, word_of,
};
use std::collections::BTreeMap;
use std::sync::Arc;

const POINTER: CValue = CValue::Scalar(CScalar::Pointer);

/// Calls the procedures of libraries.
pub struct Caller {
    libraries: Arc<Libraries>,
    /// What memory has such an address that C cannot reach, for messages.
    out_of_reach: fn(u64) -> Option<&'static str>,
    buffers: Buffers,
    flush: Flush,
    /// The procedures that were looked for.
    known: BTreeMap<Arc<str>, Option<Procedure>>,
    /// The calls that are not over, each but the last waits for a procedure of the program that has made the next.
    open: Vec<Open>,
    /// Stacks that no call uses.
    spare: Vec<Stack>,
    /// Whether the program works on memory of C itself: it is lent memory, and needs no copies of what C passes.
    is_direct: bool,
}

impl Drop for Caller {
    fn drop(&mut self) {
        // A library that has crashed may hold its own locks.
        if self.open.is_empty() && !end::has_crashed() {
            self.libraries.close();
        }
    }
}

/// A procedure of a library.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Procedure(usize);

/// Where a scalar goes.
#[derive(Clone, Copy, Debug)]
struct Place {
    scalar: CScalar,
    /// Whether the word in the room is the address of an object that is the scalar.
    is_object: bool,
    class: call::Class,
    number: usize,
}

/// How a procedure is called that is called directly.
#[derive(Clone, Debug)]
pub struct Route {
    procedure: Procedure,
    signature: Arc<Signature>,
    /// The arguments and their registers, if all have one, and no memory that is passed has pointers in it.
    registers: Option<Vec<Place>>,
    first_word: usize,
}

impl Route {
    /// Its signature.
    pub fn signature(&self) -> &Arc<Signature> {
        &self.signature
    }

    /// Whether [`Caller::call_quickly`] can do it.
    pub fn is_quick(&self) -> bool {
        self.registers.is_some()
    }
}

/// What came of a quick call.
#[derive(Debug)]
pub enum Called {
    /// Nothing: it needs memory that is not lent.
    NotLent,
    /// It is over, and its result in the room.
    Over,
    /// It waits for this procedure of the program.
    Waits(Callback),
    /// It failed, for this reason.
    Failed(String),
}

impl From<Result<Option<Callback>, String>> for Called {
    fn from(called: Result<Option<Callback>, String>) -> Called {
        match called {
            Ok(None) => Called::Over,
            Ok(Some(callback)) => Called::Waits(callback),
            Err(reason) => Called::Failed(reason),
        }
    }
}

/// A call that is not over.
struct Open {
    stack: Stack,
    signature: Arc<Signature>,
    /// The frame of the procedure of the program that it waits for, and the signature of that.
    waiting: Option<(*mut Frame, Arc<Signature>)>,
}

// SAFETY: the frame lies on the stack, which goes with it.
unsafe impl Send for Open {}

impl std::fmt::Debug for Caller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Caller").finish_non_exhaustive()
    }
}

/// Pointers in memory that is lent: addresses, and offsets from there.
pub type Pointers = [(u64, Vec<u64>)];

impl Caller {
    /// A caller of the procedures that these libraries have. Messages say what memory has an address that C cannot reach.
    pub fn new(libraries: Arc<Libraries>, out_of_reach: fn(u64) -> Option<&'static str>) -> Caller {
        let flush = Flush::new(&libraries);
        let (known, open, spare) = (BTreeMap::new(), Vec::new(), Vec::new());
        Caller { libraries, out_of_reach, buffers: Buffers::default(), flush, known, open, spare, is_direct: false }
    }

    /// Another caller of the same procedures, which has nothing yet.
    #[must_use]
    pub fn another(&self) -> Caller {
        Caller::new(self.libraries.clone(), self.out_of_reach)
    }

    /// The libraries whose procedures are called.
    pub fn libraries(&self) -> &Arc<Libraries> {
        &self.libraries
    }

    /// The address that C has for one of the program's.
    pub fn to_native(&self, address: u64) -> u64 {
        self.buffers.to_native(address)
    }

    /// The address that the program has for one of C's; what is not the program's stays as it is.
    pub fn to_program(&self, address: u64) -> u64 {
        self.buffers.to_program(address)
    }

    /// How the procedure of a signature is called directly; the reason if there is none.
    pub fn route(&mut self, signature: &Arc<Signature>) -> Result<Route, String> {
        let is_by_address = &*signature.name == BY_ADDRESS;
        let procedure = if is_by_address { Procedure(0) } else { self.procedure(&signature.name)? };
        let scalars = signature.params.iter().map(|param| match param {
            CParam::Value(value) => value.as_scalar(),
            CParam::Reference { element: (_, pointers), .. } | CParam::Descriptor { element: (_, pointers) } => {
                pointers.is_empty().then_some(CScalar::Pointer)
            }
        });
        let is_scalar = signature.result.as_ref().is_none_or(|value| value.as_scalar().is_some());
        let scalars = scalars.collect::<Option<Vec<_>>>().filter(|_| is_scalar);
        let scalars = scalars.filter(|_| !is_by_address);
        let registers = scalars.and_then(|scalars| call::registers(scalars.into_iter()));
        let registers = registers.map(|registers| {
            let is_object = |param: &CParam| matches!(param, CParam::Value(CValue::Object { .. }));
            let places = signature.params.iter().map(is_object).zip(registers);
            places.map(|(is_object, (scalar, class, number))| Place { scalar, is_object, class, number }).collect()
        });
        let first_word = signature.result_bytes() as usize;
        Ok(Route { procedure, signature: signature.clone(), registers, first_word })
    }

    /// The procedure of that name; the reason if there is none.
    fn procedure(&mut self, name: &Arc<str>) -> Result<Procedure, String> {
        let known = match self.known.get(name) {
            Some(known) => *known,
            None => {
                let found = self.libraries.symbol(name).map(Procedure);
                self.known.insert(name.clone(), found);
                found
            }
        };
        known.ok_or_else(|| self.libraries.why_missing(name))
    }

    /// Makes a call or lets one go on, until it is over or needs a procedure of the program; the reason if that cannot be done.
    pub fn step(&mut self, step: &ForeignStep) -> Result<ForeignEnd, String> {
        match step {
            ForeignStep::Call(call) => self.call(call),
            ForeignStep::Return(back) => self.go_on(back),
        }
    }

    fn call(&mut self, call: &ForeignCall) -> Result<ForeignEnd, String> {
        let signature = &call.signature;
        let (function, skipped) = match call.args.first() {
            Some(&CArg::Word(address)) if &*signature.name == BY_ADDRESS => (Procedure(address as usize), 1),
            _ => (self.procedure(&signature.name)?, 0),
        };
        self.buffers.learn(&call.entries, &self.libraries)?;
        self.buffers.fill(&call.memory);
        let mut stack = self.begin(signature)?;
        for (param, arg) in signature.params.iter().zip(&call.args).skip(skipped) {
            self.add(stack.arguments(), param, arg);
        }
        self.open(stack, function, signature);
        self.end(&call.memory, &call.entries)
    }

    fn go_on(&mut self, back: &ForeignReturn) -> Result<ForeignEnd, String> {
        self.buffers.learn(&back.entries, &self.libraries)?;
        self.buffers.fill(&back.memory);
        self.give_back(&back.result, &back.copies)?;
        self.end(&back.memory, &back.entries)
    }

    /// Runs C, and says what it came to and what has changed.
    fn end(&mut self, memory: &[Piece], entries: &Entries) -> Result<ForeignEnd, String> {
        let callback = self.advance(entries)?;
        let mut result = Vec::new();
        if callback.is_none()
            && let Some((stack, signature)) = self.close()
        {
            result = self.result(stack, &signature);
        }
        Ok(ForeignEnd { result, written: self.buffers.changes(memory), callback })
    }

    /// Lends memory of the program to C. That of one allocation is always lent at the same place.
    ///
    /// # Safety
    /// So many bytes are at `first`, and are there whenever a call is made until they are taken back; then nobody else uses them.
    pub unsafe fn lend(&mut self, base: u64, bytes: u64, first: *mut u8) {
        self.is_direct = true;
        // SAFETY: the caller's.
        unsafe { self.buffers.lend(base, bytes as usize, first) }
    }

    /// The first addresses of what is lent, and its bytes.
    pub fn lent(&self) -> Vec<(u64, u64)> {
        self.buffers.lent().collect()
    }

    /// C has no use any more for what was lent there.
    pub fn take_back(&mut self, base: u64) {
        self.buffers.take_back(base);
    }

    /// Where so many bytes of the program are that are lent.
    pub fn lent_at(&self, address: u64, bytes: u64) -> Option<*mut u8> {
        self.buffers.lent_at(address, bytes)
    }

    /// Makes a call directly; gives the procedure of the program that it waits for, if it is not over. Else its result is in the room.
    ///
    /// # Safety
    /// The procedure is that of the signature. The room lies there, with room for its result, and memory that is lent is where it was.
    pub unsafe fn call_directly(
        &mut self,
        route: &Route,
        args: &[CArg],
        room: *mut u8,
        pointers: &Pointers,
        entries: &Entries,
    ) -> Result<Option<Callback>, String> {
        let signature = &route.signature;
        self.buffers.learn(entries, &self.libraries)?;
        self.translate(pointers, Buffers::to_native);
        let (function, skipped) = match args.first() {
            Some(&CArg::Word(address)) if &*signature.name == BY_ADDRESS => (Procedure(address as usize), 1),
            _ => (route.procedure, 0),
        };
        let mut stack = self.begin(signature)?;
        for (param, arg) in signature.params.iter().zip(args).skip(skipped) {
            self.add(stack.arguments(), param, arg);
        }
        self.open(stack, function, signature);
        // SAFETY: the caller's.
        unsafe { self.end_directly(room, pointers, entries) }
    }

    /// Makes a call directly that [`Route::is_quick`]. `is_lendable` says which addresses are of memory that has to be lent.
    ///
    /// # Safety
    /// As of `call_directly`; the words of the arguments are in the room.
    pub unsafe fn call_quickly(
        &mut self,
        route: &Route,
        room: *mut u8,
        entries: &Entries,
        is_lendable: fn(u64) -> bool,
    ) -> Called {
        let stack = self.spare.pop().map_or_else(Stack::new, Ok);
        let (mut stack, registers) = match (stack, &route.registers) {
            (Ok(stack), Some(registers)) if self.buffers.known() >= entries.len() => (stack, registers),
            (Err(reason), _) => return Called::Failed(reason),
            _ => return Called::NotLent,
        };
        stack.arguments().begin(None);
        let mut word = room.wrapping_add(route.first_word).cast_const();
        for &Place { scalar, is_object, class, number } in registers {
            // SAFETY: the caller says that the word is there.
            let mut value = u64::from_le_bytes(unsafe { word.cast::<[u8; 8]>().read() });
            if is_object {
                let Some(object) = self.buffers.lent_at(value, scalar.bytes()) else {
                    self.spare.push(stack);
                    return Called::NotLent;
                };
                let mut bytes = [0; 8];
                // SAFETY: so many bytes are lent there.
                unsafe { std::ptr::copy_nonoverlapping(object, bytes.as_mut_ptr(), scalar.bytes() as usize) };
                value = u64::from_le_bytes(bytes);
            }
            value = scalar.extended(value);
            word = word.wrapping_add(8);
            if scalar == CScalar::Pointer && value != 0 {
                let native = self.buffers.to_native(value);
                if native == value && is_lendable(value) {
                    self.spare.push(stack);
                    return Called::NotLent;
                }
                value = native;
            }
            stack.arguments().put(class, number, value);
        }
        stack.begin(route.procedure.0 as *const ());
        // SAFETY: the program declares what the procedure takes, and the user has given the library.
        let event = unsafe { stack.run() };
        if let Event::Done = event {
            self.flush.flush();
            // SAFETY: the caller says that there is room.
            unsafe { self.put_scalar(&mut stack, &route.signature, room) };
            self.spare.push(stack);
            return Called::Over;
        }
        self.open.push(Open { stack, signature: route.signature.clone(), waiting: None });
        self.interrupted(event, entries).into()
    }

    /// Puts a result that is a scalar, if there is one, into the room.
    ///
    /// # Safety
    /// There is room.
    unsafe fn put_scalar(&self, stack: &mut Stack, signature: &Signature, room: *mut u8) {
        let Some(scalar) = signature.result.as_ref().and_then(CValue::as_scalar) else { return };
        let mut word = stack.arguments().scalar_result(scalar);
        if scalar == CScalar::Pointer {
            word = self.buffers.to_program(word);
        }
        let bytes = word.to_le_bytes();
        // SAFETY: the caller's.
        unsafe {
            match scalar.bytes() {
                8 => room.cast::<[u8; 8]>().write(bytes),
                n => std::ptr::copy_nonoverlapping(bytes.as_ptr(), room, n as usize),
            }
        }
    }

    /// Lets a call that was made directly go on, behind a procedure of the program that has given so many bytes, and has changed copies
    /// of memory of C. Gives what `call_directly` gives.
    ///
    /// # Safety
    /// As of `call_directly`; the copies are those of the callback.
    pub unsafe fn go_on_directly(
        &mut self,
        (result, copies): (&[u8], &[(u64, Vec<u8>)]),
        room: *mut u8,
        pointers: &Pointers,
        entries: &Entries,
    ) -> Result<Option<Callback>, String> {
        self.buffers.learn(entries, &self.libraries)?;
        self.translate(pointers, Buffers::to_native);
        self.give_back(result, copies)?;
        // SAFETY: the caller's.
        unsafe { self.end_directly(room, pointers, entries) }
    }

    /// Runs C, and puts the result into the room if the call is over.
    ///
    /// # Safety
    /// As of `call_directly`.
    unsafe fn end_directly(
        &mut self,
        room: *mut u8,
        pointers: &Pointers,
        entries: &Entries,
    ) -> Result<Option<Callback>, String> {
        let callback = self.advance(entries);
        self.translate(pointers, Buffers::to_program);
        if let Some(callback) = callback? {
            return Ok(Some(callback));
        }
        let Some((mut stack, signature)) = self.close() else { return Ok(None) };
        if signature.result.as_ref().is_none_or(|value| value.as_scalar().is_some()) {
            // SAFETY: the caller says that there is room.
            unsafe { self.put_scalar(&mut stack, &signature, room) };
            self.spare.push(stack);
        } else {
            let bytes = self.result(stack, &signature);
            // SAFETY: the same.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), room, bytes.len()) };
        }
        Ok(None)
    }

    fn translate(&mut self, pointers: &Pointers, translated: fn(&Buffers, u64) -> u64) {
        for (base, offsets) in pointers {
            self.buffers.translate(*base, offsets, translated);
        }
    }

    /// A stack for a call, whose arguments are to be added.
    fn begin(&mut self, signature: &Signature) -> Result<Stack, String> {
        let mut stack = self.spare.pop().map_or_else(Stack::new, Ok)?;
        stack.arguments().begin(signature.result.as_ref());
        Ok(stack)
    }

    /// The call is made when C runs next.
    fn open(&mut self, mut stack: Stack, function: Procedure, signature: &Arc<Signature>) {
        stack.begin(function.0 as *const ());
        self.open.push(Open { stack, signature: signature.clone(), waiting: None });
    }

    /// The stack of the last call, which is over, and its signature.
    fn close(&mut self) -> Option<(Stack, Arc<Signature>)> {
        self.open.pop().map(|open| (open.stack, open.signature))
    }

    /// The bytes of the result of a call that is over.
    fn result(&mut self, mut stack: Stack, signature: &Signature) -> Vec<u8> {
        let mut bytes = Vec::new();
        if let Some(value) = &signature.result {
            let words = 0..value.bytes().div_ceil(8) as usize;
            bytes.extend(words.flat_map(|i| stack.arguments().result_word(value, i).to_le_bytes()));
            bytes.truncate(value.bytes() as usize);
            self.translate_pointers(value, &mut bytes, Buffers::to_program);
        }
        self.spare.push(stack);
        bytes
    }

    /// Gives the last call that waits the result of the procedure of the program.
    fn give_back(&mut self, result: &[u8], copies: &[(u64, Vec<u8>)]) -> Result<(), String> {
        let waiting = self.open.last_mut().and_then(|open| open.waiting.take());
        let Some((frame, callee)) = waiting else { return Err("no call waits".to_owned()) };
        for (address, bytes) in copies {
            // SAFETY: C has passed the address, and waits; that many bytes were read there.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), *address as *mut u8, bytes.len()) };
        }
        if let Some(CValue::Scalar(scalar)) = &callee.result {
            let mut bytes = [0; 8];
            let n = result.len().min(8);
            bytes[..n].copy_from_slice(&result[..n]);
            let mut word = u64::from_le_bytes(bytes);
            if *scalar == CScalar::Pointer {
                word = self.buffers.to_native(word);
            }
            // SAFETY: C waits.
            call::give_scalar(unsafe { &mut *frame }, *scalar, word);
        } else if let Some(value) = &callee.result {
            let mut bytes = result.to_vec();
            self.translate_pointers(value, &mut bytes, Buffers::to_native);
            // SAFETY: C has called the procedure as one with that result, and waits.
            unsafe { call::give(&mut *frame, value, &words(&bytes)) };
        }
        Ok(())
    }

    /// Runs C. The call that is the last of those open goes on, until it is over or waits for a procedure of the program.
    fn advance(&mut self, entries: &Entries) -> Result<Option<Callback>, String> {
        let Some(open) = self.open.last_mut() else { return Err("no call waits".to_owned()) };
        // SAFETY: the program declares what the procedure takes, and the user has given the library.
        let event = unsafe { open.stack.run() };
        self.interrupted(event, entries)
    }

    /// What it means that the last call of those open has ended or waits.
    fn interrupted(&mut self, event: Event, entries: &Entries) -> Result<Option<Callback>, String> {
        let frame = match event {
            Event::Crashed(signal, address) => {
                self.open.pop();
                end::note_crash();
                self.flush.flush();
                return Err(stack::crash(signal, (self.out_of_reach)(address)));
            }
            Event::Called(frame) => frame,
            Event::Done => {
                self.flush.flush();
                return Ok(None);
            }
        };
        self.flush.flush();
        // SAFETY: the frame is there until the stack goes on.
        let entry = unsafe { stack::entry_of(&*frame) };
        let known = self.buffers.procedure(entry).and_then(|address| Some((address, entries.get(&address)?)));
        let Some((entry, signature)) = known else {
            return Err("it has called a procedure of the program that is not there any more".to_owned());
        };
        if let Some(open) = self.open.last_mut() {
            open.waiting = Some((frame, signature.clone()));
        }
        // SAFETY: the same; C passes what the procedure takes, as the program says.
        let args = unsafe { self.incoming(&*frame, signature) };
        Ok(Some(Callback { entry, args }))
    }

    /// The arguments with which C has called a procedure of the program.
    ///
    /// # Safety
    /// C has called it with such arguments and waits.
    unsafe fn incoming(&self, frame: &Frame, signature: &Signature) -> Vec<CArg> {
        let mut incoming = Incoming::new(frame, signature.result.as_ref());
        let mut take = |param: &CParam| {
            let scalar = if let CParam::Value(CValue::Scalar(scalar)) = param { *scalar } else { CScalar::Pointer };
            if let CParam::Value(value @ CValue::Object { bytes, .. }) = param {
                // SAFETY: as the caller says.
                let words = unsafe { incoming.take(value) };
                let mut object: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                object.truncate(*bytes as usize);
                self.translate_pointers(value, &mut object, Buffers::to_program);
                return CArg::Object(object);
            }
            // SAFETY: as the caller says.
            let word = unsafe { incoming.take_scalar(scalar) };
            match param {
                CParam::Value(_) if scalar != CScalar::Pointer => CArg::Word(word),
                CParam::Reference { extent, .. }
                    if !self.is_direct && *extent > 0 && word != 0 && self.buffers.to_program(word) == word =>
                {
                    // SAFETY: C passes the address of so many bytes.
                    let bytes = unsafe { std::slice::from_raw_parts(word as *const u8, *extent as usize) };
                    CArg::Copy(word, bytes.to_vec())
                }
                _ => CArg::Word(self.buffers.to_program(word)),
            }
        };
        signature.params.iter().map(&mut take).collect()
    }

    fn add(&self, arguments: &mut Arguments, param: &CParam, arg: &CArg) {
        match (param, arg) {
            (CParam::Value(value), CArg::Object(bytes)) => {
                let mut bytes = bytes.clone();
                self.translate_pointers(value, &mut bytes, Buffers::to_native);
                arguments.add(value, &words(&bytes));
            }
            (CParam::Value(value), CArg::Word(word)) if *value != POINTER => arguments.add(value, &[*word]),
            (_, CArg::Word(word)) => arguments.add(&POINTER, &[self.buffers.to_native(*word)]),
            (CParam::Reference { .. } | CParam::Descriptor { .. }, CArg::Object(_)) | (_, CArg::Copy(..)) => {}
        }
    }

    /// Translates the pointers in the bytes of a value.
    fn translate_pointers(&self, value: &CValue, bytes: &mut [u8], translated: fn(&Buffers, u64) -> u64) {
        for at in value.pointers() {
            let at = at as usize;
            let Some(word) = bytes.get_mut(at..at + 8) else { continue };
            word.copy_from_slice(&translated(&self.buffers, word_of(word)).to_le_bytes());
        }
    }
}

/// The words of bytes, the last one filled up with zeros.
fn words(bytes: &[u8]) -> Vec<u64> {
    bytes.chunks(8).map(word_of).collect()
}
