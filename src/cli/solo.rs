//! `--ranks` under the debugger: one rank of several at a time. All ranks run first; then a rank runs alone, by its record of that.
//! With `--replay` the records are in files.
//!
//! Not here: what is in the record (`machine`), its files (`recording`), the debugger (`debugging`, `editor`).

use crate::cli::libraries::Loaded;
use crate::cli::options::Options;
use crate::cli::recording;
use crate::cli::report::say;
use crate::cli::setup::Loader;
use crate::cli::slice::Slices;
use host::{Answer, Ask, Stream};
use machine::{LoadError, Machine, Ranks, RanksStop, RealWorld, Records, World};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

/// One rank of several under the debugger.
pub(crate) struct OneRank {
    /// How many ranks run first; none if there are records of an earlier run.
    ranks: u32,
    /// The rank that is debugged at first.
    first: u32,
    options: Options,
    libraries: Loaded,
    /// The records of the last run, with the arguments of the program.
    known: Mutex<Option<(Vec<String>, Arc<Records>)>>,
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
    /// The rank that the options name, or the first, if there are several.
    pub(crate) fn new(options: &Options, libraries: &Loaded) -> Option<OneRank> {
        let (ranks, first) = match &options.replay {
            Some(path) => (0, recording::rank_of(path).unwrap_or(0)),
            None => (options.ranks.filter(|ranks| *ranks > 1)?, options.rank.unwrap_or(0)),
        };
        let (options, libraries) = (options.clone(), libraries.clone());
        Some(OneRank { ranks, first, options, libraries, known: Mutex::default(), interrupt: Arc::default() })
    }

    /// The rank that is debugged at first.
    pub(crate) fn first(&self) -> u32 {
        self.first
    }

    /// What Ctrl-C is to set.
    pub(crate) fn interrupt(&self) -> Arc<Interrupt> {
        self.interrupt.clone()
    }

    /// The program of a rank at its start.
    pub(crate) fn machine(&self, loader: &Loader, arguments: &[String], rank: u32) -> Result<Machine, LoadError> {
        let mut machine = loader.machine(arguments)?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let records = match known.take() {
            Some((before, records)) if before == arguments => Some(records),
            _ => match &self.options.replay {
                Some(path) => {
                    let records = recording::read(path, loader.program).map_err(LoadError::new)?;
                    say(&format!("cufemu: this is rank {rank} of {}, as it was recorded\n", records.count()));
                    Some(Arc::new(records))
                }
                None => self.record(&machine, rank).map(Arc::new),
            },
        };
        if let Some(records) = records {
            machine.follow_records(records.clone(), rank);
            *known = Some((arguments.to_vec(), records));
        }
        Ok(machine)
    }

    /// Runs all ranks.
    fn record(&self, machine: &Machine, rank: u32) -> Option<Records> {
        let mut ranks = Ranks::new(machine, self.ranks, self.options.seed(), machine.findings().clone())?;
        if let Some(order) = self.options.order() {
            ranks.direct(order.messages());
        }
        ranks.keep_records();
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
            if ranks.are_records_full() {
                end = "have run until there was no room for more";
                break;
            }
        }
        say(&format!("cufemu: the {} ranks {end}; this is rank {rank}\n", self.ranks));
        Some(ranks.into_records())
    }
}

/// The world of ranks that run before the debugger begins: what they print is not shown, and nothing is read from the terminal.
struct Unheard(RealWorld);

impl World for Unheard {
    fn enter(&mut self, rank: usize) {
        self.0.enter(rank);
    }

    fn ask(&mut self, question: &Ask) -> Answer {
        if *question == Ask::ReadLine { Answer::Line(None) } else { self.0.ask(question) }
    }

    fn write(&mut self, _: Stream, _: &[u8]) {}
}
