//! Makes calls: memory is put into buffers, addresses are translated, and afterwards both back.
#![allow(unsafe_code)] // Calls procedures of libraries.

use crate::buffers::Buffers;
use crate::call::{self, Arguments};
use crate::libraries::Libraries;
use ir::foreign::{CArg, CParam, CScalar, CValue, ForeignCall, ForeignEnd};
use std::sync::Arc;

/// Calls the procedures of libraries.
pub struct Caller {
    libraries: Arc<Libraries>,
    buffers: Buffers,
    /// The C library's `fflush`, so that what C prints comes in order with what the program prints.
    flush: Option<usize>,
}

impl std::fmt::Debug for Caller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Caller").finish_non_exhaustive()
    }
}

impl Caller {
    /// A caller of the procedures that these libraries have.
    pub fn new(libraries: Arc<Libraries>) -> Caller {
        let flush = libraries.symbol("fflush");
        Caller { libraries, buffers: Buffers::default(), flush }
    }

    /// Makes a call; the reason if it cannot be made.
    pub fn call(&mut self, call: &ForeignCall) -> Result<ForeignEnd, String> {
        let signature = &call.signature;
        let function = self.libraries.symbol(&signature.name).ok_or("no library has it")?;
        self.buffers.fill(&call.memory);
        let mut arguments = Arguments::default();
        for (param, arg) in signature.params.iter().zip(&call.args) {
            self.add(&mut arguments, param, arg);
        }
        // SAFETY: the program declares what the procedure takes, and the user has given the library.
        let mut result = unsafe { call::call(function as *const (), arguments, signature.result.as_ref()) }?;
        if let Some(flush) = self.flush {
            let mut all = Arguments::default();
            all.add(&CValue::Scalar(CScalar::Pointer), &[0]);
            // SAFETY: `int fflush(FILE *)` takes a null pointer for all streams.
            let _ = unsafe { call::call(flush as *const (), all, None) };
        }
        for at in signature.result.as_ref().map_or_else(Vec::new, CValue::pointers) {
            self.put_back(&mut result, at as usize);
        }
        Ok(ForeignEnd { result, written: self.buffers.changes(&call.memory) })
    }

    fn add(&self, arguments: &mut Arguments, param: &CParam, arg: &CArg) {
        let pointer = CValue::Scalar(CScalar::Pointer);
        match (param, arg) {
            (CParam::Value(value), CArg::Object(bytes)) => {
                let word = |chunk: &[u8]| {
                    let mut word = [0; 8];
                    word[..chunk.len()].copy_from_slice(chunk);
                    u64::from_le_bytes(word)
                };
                let mut words: Vec<u64> = bytes.chunks(8).map(word).collect();
                for at in value.pointers() {
                    if let Some(word) = words.get_mut(at as usize / 8) {
                        *word = self.buffers.to_native(*word);
                    }
                }
                arguments.add(value, &words);
            }
            (CParam::Value(value), CArg::Word(word)) if *value != pointer => arguments.add(value, &[*word]),
            (_, CArg::Word(word)) => arguments.add(&pointer, &[self.buffers.to_native(*word)]),
            (CParam::Reference { .. }, CArg::Object(_)) => {}
        }
    }

    /// Makes the pointer at an offset of the result the program's.
    fn put_back(&self, result: &mut [u8], at: usize) {
        let Some(word) = result.get_mut(at..at + 8) else { return };
        let address = word.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
        word.copy_from_slice(&self.buffers.to_program(address).to_le_bytes());
    }
}
