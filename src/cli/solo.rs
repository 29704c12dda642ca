//! `--rank`: one rank of several under the debugger. All ranks run first; then the rank runs alone, by the record of that.
//!
//! Not here: what is in the record (`machine`), the debugger (`debugging`, `editor`).

use crate::cli::libraries::Loaded;
use crate::cli::options::Options;
use crate::cli::report::say;
use crate::cli::setup::Loader;
use crate::cli::slice::Slices;
use host::{Answer, Ask, Stream};
use machine::{LoadError, Machine, Ranks, RanksStop, RealWorld, Record, World};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

/// One rank of several under the debugger.
pub(crate) struct OneRank {
    ranks: u32,
    rank: u32,
    options: Options,
    libraries: Loaded,
    /// The record of the last run, with the arguments of the program.
    known: Mutex<Option<(Vec<String>, Arc<Record>)>>,
    interrupt: Arc<Interrupt>,
}

/// What Ctrl-C sets: it ends the run of all ranks, or interrupts the debugger once there is one.
#[derive(Default)]
pub(crate) struct Interrupt {
    early: AtomicBool,
    session: OnceLock<Arc<AtomicBool>>,
}

impl Interrupt {
    fn flag(&self) -> &AtomicBool {
        self.session.get().map_or(&self.early, |flag| flag)
    }

    /// The user has interrupted.
    pub(crate) fn raise(&self) {
        self.flag().store(true, Ordering::Relaxed);
    }

    /// There is a debugger, which has this flag.
    pub(crate) fn belongs_to(&self, flag: Arc<AtomicBool>) {
        // A session sets it once.
        let _ = self.session.set(flag);
    }
}

impl OneRank {
    /// The rank that the options name, if there are others.
    pub(crate) fn new(options: &Options, libraries: &Loaded) -> Option<OneRank> {
        let (ranks, rank) = (options.ranks.filter(|ranks| *ranks > 1)?, options.rank?);
        let (options, libraries) = (options.clone(), libraries.clone());
        Some(OneRank { ranks, rank, options, libraries, known: Mutex::default(), interrupt: Arc::default() })
    }

    /// What Ctrl-C is to set.
    pub(crate) fn interrupt(&self) -> Arc<Interrupt> {
        self.interrupt.clone()
    }

    /// The program at its start.
    pub(crate) fn machine(&self, loader: &Loader, arguments: &[String]) -> Result<Machine, LoadError> {
        let mut machine = loader.machine(arguments)?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let record = match known.take() {
            Some((before, record)) if before == arguments => Some(record),
            _ => self.record(&machine).map(Arc::new),
        };
        if let Some(record) = record {
            machine.follow_record(record.clone());
            *known = Some((arguments.to_vec(), record));
        }
        Ok(machine)
    }

    /// Runs all ranks.
    fn record(&self, machine: &Machine) -> Option<Record> {
        let mut ranks = Ranks::new(machine, self.ranks, self.options.seed(), machine.findings().clone())?;
        if let Some(order) = self.options.order() {
            ranks.direct(order.messages());
        }
        ranks.keep_record(self.rank);
        let mut world = Unheard(self.libraries.world(RealWorld::new()));
        let mut slices = Slices::new();
        let mut end = "have run";
        loop {
            let slice = Instant::now();
            if ranks.advance(slices.points(), &mut world) == RanksStop::Done {
                break;
            }
            slices.adapt(slice.elapsed());
            if self.interrupt.flag().swap(false, Ordering::Relaxed) {
                end = "have run until they were interrupted";
                break;
            }
            if ranks.is_record_full() {
                end = "have run until there was no room for more";
                break;
            }
        }
        say(&format!("cufemu: the {} ranks {end}; this is rank {}\n", self.ranks, self.rank));
        ranks.into_record()
    }
}

/// The world of ranks that run before the debugger begins: what they print is not shown, and nothing is read from the terminal.
struct Unheard(RealWorld);

impl World for Unheard {
    fn ask(&mut self, question: &Ask) -> Answer {
        if *question == Ask::ReadLine { Answer::Line(None) } else { self.0.ask(question) }
    }

    fn write(&mut self, _: Stream, _: &[u8]) {}
}
