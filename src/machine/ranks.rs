//! Several ranks of MPI in one process: a machine for each, which take turns.
//!
//! A rank keeps its turn until it waits for another one, looks for a message that is not there, or ends; with windows also until it
//! has made some calls, as it may look in its own memory for what another rank puts there. So the order of
//! everything that ranks do is the same in every run. A seed other than 0 varies the order of turns, and with it which of
//! several messages a receive from any rank takes. What is between ranks goes with the turn (`mpi::World`). A wait that is over
//! ends at once, in the order of ranks, so that those that have waited go on before their turn (`ahead`).
//!
//! Standard input is that of rank 0. As under `mpirun`, ranks find their number in the environment.

use crate::ahead::{Ahead, run_ahead};
use crate::machine::{Machine, MachineStop};
use crate::solo::{MOST_BYTES, Records, Solo};
use crate::whereabouts::Whereabouts;
use crate::world::World;
use device::NoObserver;
use diag::Severity;
use emu::Threads;
use finding::Findings;
use foreign::Caller;
use host::{Answer, Ask, Stream};

/// What launchers call the number of a rank in the environment, and how many ranks there are.
const NAMES_OF_RANK: [&str; 3] = ["OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "PMI_RANK"];
const NAMES_OF_SIZE: [&str; 3] = ["OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", "PMI_SIZE"];

/// A rank that gives so many turns away after many calls, and waits in none, does nothing but look.
const MOST_HELD: u32 = 1000;

/// The ranks of a program.
#[derive(Debug)]
pub struct Ranks {
    machines: Vec<Machine>,
    /// What each has done before its turn.
    ahead: Vec<Ahead>,
    threads: Option<Threads>,
    /// Who calls procedures of libraries for each, once one does: memory of different ranks has the same addresses.
    callers: Vec<Option<Caller>>,
    between: mpi::World,
    /// The order of turns in this round, and whose turn it is.
    order: Vec<usize>,
    turn: usize,
    /// How many turns, or parts of them, there were.
    turns: u64,
    /// Whether no rank has done anything in this round but look for messages, and those that did.
    is_idle: bool,
    polling: Vec<u32>,
    /// How many turns of each have ended after many calls since it has waited.
    held: Vec<u32>,
    /// The state between ranks at the start of the round.
    changes: u64,
    /// The state of the choice of orders; 0 keeps the order of ranks.
    random: u64,
    findings: Findings,
    /// How many findings of each machine are among those.
    taken: Vec<usize>,
    /// The exit code of the first rank that failed.
    code: i32,
}

/// Why [`Ranks::advance`] returned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RanksStop {
    /// The budget is used up.
    Budget,
    /// All ranks are over.
    Done,
}

impl Ranks {
    /// As many ranks of a program at its start; `None` if its devices cannot be copied. `findings` takes those of all.
    pub fn new(first: &Machine, count: u32, seed: u64, findings: Findings) -> Option<Ranks> {
        let machine = |rank: u32| {
            let mut machine = first.copy()?;
            machine.rank = rank;
            Some(machine)
        };
        let machines = (0..count).map(machine).collect::<Option<Vec<_>>>()?;
        let mut ranks = Ranks {
            taken: vec![0; machines.len()],
            held: vec![0; machines.len()],
            threads: first.devices.first().and_then(|device| Some(device.emulator()?.threads())),
            ahead: machines.iter().map(|_| Ahead::default()).collect(),
            callers: machines.iter().map(|_| None).collect(),
            order: (0..machines.len()).collect(),
            machines,
            between: mpi::World::new(count, seed),
            turn: 0,
            turns: 0,
            is_idle: true,
            polling: Vec::new(),
            changes: 0,
            random: seed,
            findings,
            code: 0,
        };
        ranks.shuffle();
        Some(ranks)
    }

    /// From now on these choices decide which messages receives from any rank take; they take none as long as a rank can go on.
    pub fn direct(&mut self, choices: &[u32]) {
        self.between.direct(choices);
    }

    /// The choices that were made so far, each of how many; and whether a rank has asked which message is there, so that more may
    /// happen than the choices vary.
    pub fn choices(&self) -> (&[(u32, u32)], bool) {
        (self.between.choices(), self.between.has_asked())
    }

    /// Keeps records of what each rank gets from the others and from outside.
    pub fn keep_records(&mut self) {
        self.machines.iter_mut().for_each(|machine| machine.solo = Solo::keep());
    }

    /// The entries that the record of a rank has by now, as bytes; it gives them away.
    pub fn take_record(&mut self, rank: u32) -> Vec<u8> {
        self.machines.get_mut(rank as usize).map_or_else(Vec::new, |machine| machine.solo.take_bytes_before_last())
    }

    /// The end of the record of a rank.
    pub fn end_record(&mut self, rank: u32) -> Vec<u8> {
        let code = self.code;
        self.machines.get_mut(rank as usize).map_or_else(Vec::new, |machine| machine.end_record(code))
    }

    /// Whether they have no room for more.
    pub fn are_records_full(&self) -> bool {
        self.machines.iter().map(|machine| machine.solo.bytes()).sum::<u64>() > MOST_BYTES
    }

    /// The records that were kept.
    pub fn into_records(mut self) -> Records {
        let code = self.code;
        let records = self.machines.iter_mut().filter_map(|machine| machine.solo.take_record());
        Records { ranks: records.map(|record| Some(record.ended_with(code))).collect() }
    }

    /// The machines, by rank.
    pub fn machines(&self) -> &[Machine] {
        &self.machines
    }

    /// The findings of all ranks.
    pub fn findings(&self) -> &Findings {
        &self.findings
    }

    /// The rank whose turn it is, and where it is.
    pub fn whereabouts(&self) -> (usize, Whereabouts) {
        let rank = self.order[self.turn];
        (rank, self.machines[rank].whereabouts())
    }

    /// The exit code of the whole run, see [`Machine::exit_code`].
    pub fn exit_code(&self, threshold: Option<Severity>, findings_code: i32) -> i32 {
        let failed = self.code == 0 && threshold.is_some_and(|t| self.findings.fails(t));
        if failed { findings_code } else { self.code }
    }

    /// Ends all ranks from outside.
    pub fn end(&mut self, code: i32) {
        self.code = if self.code == 0 { code } else { self.code };
        (0..self.machines.len()).for_each(|rank| self.end_rank(rank, code));
    }

    /// Runs for about `budget` schedule points of all ranks together.
    pub fn advance(&mut self, budget: u64, world: &mut dyn World) -> RanksStop {
        let mut budget = budget;
        loop {
            if self.turn == self.order.len() && !self.next_round() {
                return RanksStop::Done;
            }
            // Where ranks reach into each other's memory, all that they do has its turn.
            if !self.between.has_windows() {
                self.end_waits(world);
                self.go_ahead();
            }
            let rank = self.order[self.turn];
            let is_over = self.machines[rank].is_over();
            if is_over || (self.machines[rank].waits_for_messages() && !self.between.is_ready(rank as u32)) {
                self.turn += 1;
                continue;
            }
            let before = self.machines[rank].points();
            let stop = self.run(rank, budget, world);
            self.take_findings(rank);
            budget = budget.saturating_sub(self.machines[rank].points() - before);
            self.end_all_if_one_did();
            match stop {
                MachineStop::OthersTurn if !self.machines[rank].waits_for_messages() => {
                    self.polling.push(rank as u32);
                    self.end_turn(rank);
                }
                MachineStop::OthersTurn => {
                    self.is_idle = false;
                    self.held[rank] = 0;
                    self.end_turn(rank);
                }
                MachineStop::Done(code) => {
                    self.code = if self.code == 0 { code } else { self.code };
                    self.is_idle = false;
                    self.end_turn(rank);
                }
                MachineStop::Budget if self.machines[rank].has_held_long() => {
                    self.held[rank] += 1;
                    self.is_idle &= self.held[rank] > MOST_HELD;
                    self.polling.push(rank as u32);
                    self.end_turn(rank);
                }
                MachineStop::Budget | MachineStop::Fault | MachineStop::Host(_) | MachineStop::Device => {
                    self.is_idle = false;
                }
            }
            if budget == 0 {
                return RanksStop::Budget;
            }
        }
    }

    fn end_turn(&mut self, rank: usize) {
        self.machines[rank].calls_in_turn = 0;
        self.turn += 1;
    }

    /// Ends the waits that are over, in the order of turns.
    fn end_waits(&mut self, world: &mut dyn World) {
        for i in 0..self.order.len() {
            let rank = self.order[i];
            if self.machines[rank].waits_for_messages() && self.between.is_ready(rank as u32) {
                self.is_idle = false;
                self.run(rank, 1, world);
                self.take_findings(rank);
                self.end_all_if_one_did();
            }
        }
    }

    /// Lets ranks go on before their turn, but where records say in whose turn something was done.
    fn go_ahead(&mut self) {
        if !self.machines.iter().any(|machine| machine.solo.is_kept()) {
            run_ahead(&mut self.machines, &mut self.ahead, self.threads.as_ref());
        }
    }

    /// Lets a rank run.
    fn run(&mut self, rank: usize, budget: u64, world: &mut dyn World) -> MachineStop {
        let size = self.machines.len();
        self.turns += 1;
        world.enter(rank);
        self.machines.iter_mut().for_each(|machine| machine.solo.begin_turn(self.turns));
        self.ahead[rank].show(world);
        std::mem::swap(&mut self.machines[rank].mpi, &mut self.between);
        let mut of_rank = RankWorld { rank, size, world, caller: &mut self.callers[rank] };
        let stop = self.machines[rank].advance(budget, &mut of_rank, &mut NoObserver);
        std::mem::swap(&mut self.machines[rank].mpi, &mut self.between);
        let accessed = self.between.accessed();
        for &target in &accessed {
            let rank = target as usize;
            let mut of_rank = RankWorld { rank, size, world, caller: &mut self.callers[rank] };
            self.machines[rank].serve(&mut self.between, &mut of_rank);
        }
        if !accessed.is_empty() {
            // What is found about the accesses is found in the turn of this rank.
            std::mem::swap(&mut self.machines[rank].mpi, &mut self.between);
            self.machines[rank].gather_mpi();
            std::mem::swap(&mut self.machines[rank].mpi, &mut self.between);
        }
        if let MachineStop::Done(code) = stop {
            self.machines[rank].solo.over(code);
        }
        self.note_waits();
        stop
    }

    /// Writes down what each rank waits for, if records are kept.
    fn note_waits(&mut self) {
        for (rank, machine) in self.machines.iter_mut().enumerate() {
            if machine.solo.changes().is_some() && machine.waits_for_messages() {
                machine.solo.waits(self.between.waits_for(rank as u32));
            }
        }
    }

    /// Begins a round; whether there is a rank that is not over.
    fn next_round(&mut self) -> bool {
        if self.machines.iter().all(Machine::is_over) {
            return false;
        }
        if self.is_idle && self.changes == self.between.changes() && !self.between.choose_message() {
            self.between.settle(&self.polling);
            for mut finding in self.between.take_findings() {
                finding.rank = None;
                self.machines.iter_mut().for_each(|machine| machine.solo.found_last(&finding));
                self.findings.add(finding);
            }
            self.end_all_if_one_did();
        }
        self.changes = self.between.changes();
        self.is_idle = true;
        self.polling.clear();
        self.turn = 0;
        self.shuffle();
        true
    }

    fn end_all_if_one_did(&mut self) {
        let Some(code) = self.between.end_code() else { return };
        self.code = if self.code == 0 { code } else { self.code };
        for rank in 0..self.machines.len() {
            // One that has come to its end before its turn has not ended.
            if !self.machines[rank].is_ending() || self.ahead[rank].is_used() {
                self.machines[rank].solo.end_all(code);
                self.end_rank(rank, code);
            }
        }
    }

    /// Ends a rank from outside. What it did before its turn was not done.
    fn end_rank(&mut self, rank: usize, code: i32) {
        if self.ahead[rank].forget() {
            self.taken[rank] = self.machines[rank].findings().len();
        }
        self.machines[rank].end(code);
    }

    /// Adds what a machine has found since the last time.
    fn take_findings(&mut self, rank: usize) {
        let found = self.machines[rank].findings();
        for finding in found.iter().skip(self.taken[rank]) {
            let mut finding = finding.clone();
            if !matches!(finding.kind, finding::FindingKind::Mpi(_)) {
                finding.rank = Some(rank as u32);
            }
            self.findings.add(finding);
        }
        self.taken[rank] = found.len();
    }

    /// Another order of turns, if there is a seed.
    fn shuffle(&mut self) {
        if self.random == 0 {
            return;
        }
        for last in (1..self.order.len()).rev() {
            self.random ^= self.random << 13;
            self.random ^= self.random >> 7;
            self.random ^= self.random << 17;
            self.order.swap(last, (self.random % (last as u64 + 1)) as usize);
        }
    }
}

/// The world as a rank sees it.
struct RankWorld<'a> {
    rank: usize,
    size: usize,
    world: &'a mut dyn World,
    caller: &'a mut Option<Caller>,
}

impl World for RankWorld<'_> {
    fn ask(&mut self, question: &Ask) -> Answer {
        let text = |number: usize| Answer::Text(Some(number.to_string().into_bytes()));
        match question {
            Ask::ReadLine if self.rank > 0 => Answer::Line(None),
            Ask::Environment { name } if NAMES_OF_RANK.contains(&name.as_str()) => text(self.rank),
            Ask::Environment { name } if NAMES_OF_SIZE.contains(&name.as_str()) => text(self.size),
            _ => self.world.ask(question),
        }
    }

    fn caller(&mut self) -> Option<&mut Caller> {
        let first = self.world.caller()?;
        Some(self.caller.get_or_insert_with(|| first.another()))
    }

    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        self.world.write(stream, bytes);
    }
}
