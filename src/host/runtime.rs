//! The state of the Fortran run time, and how its services say that they cannot go on.

use crate::condition::Condition;
use crate::cuda::symbol::Symbols;
use crate::io::statement::Statement;
use crate::io::unit::Units;
use crate::outside::{Answer, Ask, Stream};
use crate::random::{DEFAULT_SEED, Random};
use crate::storage::Outside;
use device::{Call, Reply};
use finding::HostFault;
use source::Span;
use std::collections::VecDeque;
use std::sync::Arc;

/// Why a service did not give its results.
#[derive(Debug)]
pub(crate) enum Halt {
    /// The world is asked; the service begins again when the answer is there.
    Ask(Ask),
    /// The CUDA runtime is called; the same.
    Api(Call),
    /// An input or output condition.
    Condition(Condition),
    /// An error that ends the program.
    Fault(HostFault),
    /// Memory that the host may not touch.
    Outside(Outside),
    /// STOP with its exit code.
    Stop(i32),
    /// ERROR STOP with its exit code and its message.
    ErrorStop(i32, Option<String>),
    /// An error whose finding is made already.
    Finding(Box<finding::Finding>),
}

impl From<Outside> for Halt {
    fn from(outside: Outside) -> Halt {
        Halt::Outside(outside)
    }
}

impl From<Condition> for Halt {
    fn from(condition: Condition) -> Halt {
        Halt::Condition(condition)
    }
}

impl From<text::IoError> for Halt {
    fn from(error: text::IoError) -> Halt {
        Halt::Condition(Condition::Text(error))
    }
}

/// The state of the run time.
#[derive(Clone, Debug)]
pub(crate) struct Runtime {
    pub(crate) units: Units,
    /// The statements in progress: a function called in an item list may have its own.
    pub(crate) statements: Vec<Statement>,
    /// Bytes for the standard streams.
    pub(crate) outbox: VecDeque<(Stream, Vec<u8>)>,
    /// What the service at hand has asked so far, and the answers.
    answers: Vec<(Option<Ask>, Answer)>,
    /// The question that is open.
    asked: Option<Ask>,
    pub(crate) random: Random,
    /// The statement that the service at hand belongs to.
    pub(crate) at: Span,
    /// Whether unformatted files have their bytes the other way round unless OPEN says otherwise.
    pub(crate) swaps_bytes: bool,
    /// The arguments of the program, its name first.
    pub(crate) arguments: Arc<[Vec<u8>]>,
    /// The variables on the device that a program can speak of by name.
    pub(crate) symbols: Symbols,
}

impl Runtime {
    pub(crate) fn new(arguments: Arc<[Vec<u8>]>, symbols: Symbols) -> Runtime {
        Runtime {
            units: Units::new(),
            statements: Vec::new(),
            outbox: VecDeque::new(),
            answers: Vec::new(),
            asked: None,
            random: Random::new(DEFAULT_SEED),
            at: Span::NONE,
            swaps_bytes: false,
            arguments,
            symbols,
        }
    }

    /// Sends bytes to a standard stream; those for the same one are joined.
    pub(crate) fn send(&mut self, stream: Stream, bytes: &[u8]) {
        match self.outbox.back_mut() {
            Some((last, queue)) if *last == stream && queue.len() < 1 << 16 => queue.extend_from_slice(bytes),
            _ if bytes.is_empty() => {}
            _ => self.outbox.push_back((stream, bytes.to_vec())),
        }
    }

    /// The answer to a question; the question itself when it was not asked yet. A service begins anew after each answer: what
    /// it asks before anything has changed is asked with [`Runtime::ask`], whose answer stays until the service is done;
    /// what it asks again and again, with [`Runtime::ask_once`].
    pub(crate) fn ask(&mut self, question: Ask) -> Result<Answer, Halt> {
        match self.answers.iter().find(|(q, _)| q.as_ref() == Some(&question)) {
            Some((_, answer)) => Ok(answer.clone()),
            None => Err(self.put_question(question)),
        }
    }

    /// The answer to a question, used up by this.
    pub(crate) fn ask_once(&mut self, question: Ask) -> Result<Answer, Halt> {
        match self.answers.iter().position(|(q, _)| q.as_ref() == Some(&question)) {
            Some(i) => Ok(self.answers.remove(i).1),
            None => Err(self.put_question(question)),
        }
    }

    /// The reply of the CUDA runtime to a call; a service makes at most one.
    pub(crate) fn call(&mut self, call: impl FnOnce() -> Call) -> Result<Reply, Halt> {
        let reply = self.answers.iter().find_map(|(_, answer)| match answer {
            Answer::Device(reply) => Some(*reply),
            _ => None,
        });
        reply.ok_or_else(|| Halt::Api(call()))
    }

    fn put_question(&mut self, question: Ask) -> Halt {
        self.asked = Some(question.clone());
        Halt::Ask(question)
    }

    /// Takes an answer.
    pub(crate) fn answered(&mut self, answer: Answer) {
        let question = self.asked.take();
        self.answers.push((question, answer));
    }

    /// The service at hand is done.
    pub(crate) fn forget_answers(&mut self) {
        self.answers.clear();
        self.asked = None;
    }
}
