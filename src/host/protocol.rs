//! How host code calls a service of the run time: its arguments, its results, and how it halts when it needs an answer.

use crate::condition::Condition;
use crate::outside::{Answer, Ask, MpiCall};
use crate::storage::Outside;
use device::{Call, Reply};
use finding::HostFault;
use ir::foreign::ForeignEnd;

/// The results of a service, as many as its row has.
pub(crate) type Results = [u64; 2];

/// The arguments of a service as their types have them.
#[derive(Clone, Copy)]
pub(crate) struct Args<'a>(pub(crate) &'a [u64]);

impl Args<'_> {
    pub(crate) fn bits(&self, i: usize) -> u64 {
        self.0.get(i).copied().unwrap_or(0)
    }

    pub(crate) fn int(&self, i: usize) -> i32 {
        self.bits(i) as i32
    }

    pub(crate) fn long(&self, i: usize) -> i64 {
        self.bits(i) as i64
    }

    /// A length or count; negative ones are 0.
    pub(crate) fn size(&self, i: usize) -> u64 {
        self.long(i).max(0) as u64
    }

    pub(crate) fn flag(&self, i: usize) -> bool {
        self.int(i) != 0
    }
}

/// Why a service did not give its results.
#[derive(Debug)]
pub(crate) enum Halt {
    /// A question to the world; the service starts again when the answer is there.
    Ask(Ask),
    /// A call of the CUDA runtime; the service starts again when the reply is there.
    Api(Call),
    /// A call of MPI; the service starts again when it is done.
    Mpi(MpiCall),
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

/// What a service that was served at once came to, of which the host has yet to stop to hear.
#[derive(Clone, Debug)]
pub(crate) enum Late {
    Condition(Condition),
    Outside(Outside),
}

impl From<Late> for Halt {
    fn from(late: Late) -> Halt {
        match late {
            Late::Condition(condition) => Halt::Condition(condition),
            Late::Outside(outside) => Halt::Outside(outside),
        }
    }
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

/// The answers that the service at hand has received so far.
///
/// A halted service starts again from its beginning when its answer is there. It must therefore ask before it changes
/// anything, or change only what a second run changes to the same (`restart` checks it).
#[derive(Clone, Debug, Default)]
pub(crate) struct Answers {
    /// Answers that are not used up, with their questions.
    known: Vec<(Option<Ask>, Answer)>,
    /// All answers since the service began.
    log: Vec<(Option<Ask>, Answer)>,
    /// The question that is open.
    open: Option<Ask>,
}

impl Answers {
    /// The answer to a question that a service asks before it changes anything. The answer stays until the service is done.
    pub(crate) fn ask(&mut self, question: Ask) -> Result<Answer, Halt> {
        match self.known.iter().find(|(q, _)| q.as_ref() == Some(&question)) {
            Some((_, answer)) => Ok(answer.clone()),
            None => Err(self.open(question)),
        }
    }

    /// The answer to a question that a service may ask again and again; it is used up.
    pub(crate) fn ask_once(&mut self, question: Ask) -> Result<Answer, Halt> {
        match self.known.iter().position(|(q, _)| q.as_ref() == Some(&question)) {
            Some(i) => Ok(self.known.remove(i).1),
            None => Err(self.open(question)),
        }
    }

    /// The reply of the CUDA runtime to a call; a service makes at most one.
    pub(crate) fn call(&mut self, call: impl FnOnce() -> Call) -> Result<Reply, Halt> {
        let reply = self.known.iter().find_map(|(_, answer)| match answer {
            Answer::Device(reply) => Some(*reply),
            _ => None,
        });
        reply.ok_or_else(|| Halt::Api(call()))
    }

    /// What the call of a library's procedure came to; a service makes at most one.
    pub(crate) fn foreign(&self) -> Option<Result<ForeignEnd, String>> {
        self.known.iter().find_map(|(_, answer)| match answer {
            Answer::Foreign(end) => Some(end.clone()),
            _ => None,
        })
    }

    /// What the call of MPI that a service makes came to, if it is made: whether it is interrupted. A service makes at most one.
    pub(crate) fn mpi(&self) -> Option<bool> {
        self.known.iter().filter(|(question, _)| question.is_none()).find_map(|(_, answer)| match answer {
            Answer::Done(_) => Some(false),
            Answer::CallBack => Some(true),
            _ => None,
        })
    }

    /// Asks.
    pub(crate) fn open(&mut self, question: Ask) -> Halt {
        self.open = Some(question.clone());
        Halt::Ask(question)
    }

    /// Takes the answer to the open question.
    pub(crate) fn receive(&mut self, answer: Answer) {
        let answer = (self.open.take(), answer);
        self.log.push(answer.clone());
        self.known.push(answer);
    }

    /// The service is done.
    pub(crate) fn clear(&mut self) {
        self.known.clear();
        self.log.clear();
        self.open = None;
    }

    /// The answers of a service that has asked nothing yet, with all of its answers known beforehand.
    pub(crate) fn replay(&self) -> Answers {
        Answers { known: self.log.clone(), log: self.log.clone(), open: None }
    }

    /// How many answers the service has received.
    pub(crate) fn count(&self) -> usize {
        self.log.len()
    }
}
