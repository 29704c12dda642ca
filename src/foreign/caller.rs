//! Makes calls: memory is put into buffers, addresses are translated, and afterwards both back.
#![allow(unsafe_code)] // Calls procedures of libraries.

use crate::buffers::Buffers;
use crate::call::{self, Arguments, Incoming};
use crate::frame::Frame;
use crate::job::{Event, Job};
use crate::libraries::Libraries;
use crate::stack::{self, Stack};
use ir::foreign::{
    CArg, CParam, CScalar, CValue, Callback, Entries, ForeignCall, ForeignEnd, ForeignReturn, ForeignStep, Piece,
    Signature, word_of,
};
use std::sync::Arc;

/// Calls the procedures of libraries.
pub struct Caller {
    libraries: Arc<Libraries>,
    buffers: Buffers,
    /// The C library's `fflush`, so that what C prints comes in order with what the program prints.
    flush: Option<usize>,
    /// The calls that are not over, each but the last waits for a procedure of the program that has made the next.
    open: Vec<Open>,
    /// Stacks that no call uses.
    spare: Vec<Stack>,
}

/// A call that is not over.
struct Open {
    stack: Stack,
    result: Option<CValue>,
    /// The frame of the procedure of the program that it waits for, and the result of that.
    waiting: Option<(*mut Frame, Option<CValue>)>,
}

// SAFETY: the frame lies on the stack, which goes with it.
unsafe impl Send for Open {}

impl std::fmt::Debug for Caller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Caller").finish_non_exhaustive()
    }
}

impl Caller {
    /// A caller of the procedures that these libraries have.
    pub fn new(libraries: Arc<Libraries>) -> Caller {
        let flush = libraries.symbol("fflush");
        Caller { libraries, buffers: Buffers::default(), flush, open: Vec::new(), spare: Vec::new() }
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
        let function = self.libraries.symbol(&signature.name).ok_or("no library has it")?;
        self.buffers.learn(&call.entries)?;
        self.buffers.fill(&call.memory);
        let mut arguments = Arguments::default();
        for (param, arg) in signature.params.iter().zip(&call.args) {
            self.add(&mut arguments, param, arg);
        }
        let mut stack = self.spare.pop().map_or_else(Stack::new, Ok)?;
        let result = signature.result.clone();
        stack.begin(Job { function: function as *const (), arguments, result: result.clone() });
        self.open.push(Open { stack, result, waiting: None });
        self.advance(&call.memory, &call.entries)
    }

    fn go_on(&mut self, back: &ForeignReturn) -> Result<ForeignEnd, String> {
        self.buffers.learn(&back.entries)?;
        self.buffers.fill(&back.memory);
        let waiting = self.open.last_mut().and_then(|open| open.waiting.take());
        let Some((frame, result)) = waiting else { return Err("no call waits".to_owned()) };
        for (address, bytes) in &back.copies {
            // SAFETY: C has passed the address, and waits; that many bytes were read there.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), *address as *mut u8, bytes.len()) };
        }
        if let Some(result) = result {
            let mut bytes = back.result.clone();
            self.translate_pointers(&result, &mut bytes, Buffers::to_native);
            // SAFETY: C has called the procedure as one with that result, and waits.
            unsafe { call::give(&mut *frame, &result, &words(&bytes)) };
        }
        self.advance(&back.memory, &back.entries)
    }

    /// Runs C. The call that is the last of those open goes on.
    fn advance(&mut self, memory: &[Piece], entries: &Entries) -> Result<ForeignEnd, String> {
        let Some(open) = self.open.last_mut() else { return Err("no call waits".to_owned()) };
        // SAFETY: the program declares what the procedure takes, and the user has given the library.
        let event = unsafe { open.stack.run() };
        if let (Some(flush), false) = (self.flush, matches!(event, Event::Crashed(_))) {
            let mut all = Arguments::default();
            all.add(&CValue::Scalar(CScalar::Pointer), &[0]);
            // SAFETY: `int fflush(FILE *)` takes a null pointer for all streams.
            let _ = unsafe { call::call(flush as *const (), all, None) };
        }
        let frame = match event {
            Event::Called(frame) => frame,
            Event::Crashed(signal) => return Err(stack::crash(signal).to_owned()),
            Event::Done(result) => {
                let Some(Open { stack, result: value, .. }) = self.open.pop() else { return Ok(ForeignEnd::default()) };
                self.spare.push(stack);
                let mut result = result?;
                if let Some(value) = &value {
                    self.translate_pointers(value, &mut result, Buffers::to_program);
                }
                return Ok(ForeignEnd { result, written: self.buffers.changes(memory), callback: None });
            }
        };
        // SAFETY: the frame is there until the stack goes on.
        let entry = unsafe { stack::entry_of(&*frame) };
        let known = self.buffers.procedure(entry).and_then(|address| Some((address, entries.get(&address)?)));
        let Some((entry, signature)) = known else {
            return Err("it has called a procedure of the program that is not there any more".to_owned());
        };
        open.waiting = Some((frame, signature.result.clone()));
        // SAFETY: the same; C passes what the procedure takes, as the program says.
        let args = unsafe { self.incoming(&*frame, signature) };
        let callback = Some(Callback { entry, args });
        Ok(ForeignEnd { result: Vec::new(), written: self.buffers.changes(memory), callback })
    }

    /// The arguments with which C has called a procedure of the program.
    ///
    /// # Safety
    /// C has called it with such arguments and waits.
    unsafe fn incoming(&self, frame: &Frame, signature: &Signature) -> Vec<CArg> {
        let pointer = CValue::Scalar(CScalar::Pointer);
        let mut incoming = Incoming::new(frame, signature.result.as_ref());
        let mut take = |param: &CParam| {
            let value = if let CParam::Value(value) = param { value } else { &pointer };
            // SAFETY: as the caller says.
            let words = unsafe { incoming.take(value) };
            let word = words.first().copied().unwrap_or(0);
            match param {
                CParam::Value(CValue::Object { bytes, .. }) => {
                    let mut object: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                    object.truncate(*bytes as usize);
                    self.translate_pointers(value, &mut object, Buffers::to_program);
                    CArg::Object(object)
                }
                CParam::Value(value) if *value != pointer => CArg::Word(word),
                CParam::Reference { extent, .. }
                    if *extent > 0 && word != 0 && self.buffers.to_program(word) == word =>
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
        let pointer = CValue::Scalar(CScalar::Pointer);
        match (param, arg) {
            (CParam::Value(value), CArg::Object(bytes)) => {
                let mut bytes = bytes.clone();
                self.translate_pointers(value, &mut bytes, Buffers::to_native);
                arguments.add(value, &words(&bytes));
            }
            (CParam::Value(value), CArg::Word(word)) if *value != pointer => arguments.add(value, &[*word]),
            (_, CArg::Word(word)) => arguments.add(&pointer, &[self.buffers.to_native(*word)]),
            (CParam::Reference { .. }, CArg::Object(_)) | (_, CArg::Copy(..)) => {}
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
