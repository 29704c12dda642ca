//! Collective operations: what each rank brings, and what each gets.

use crate::basic::Basic;
use crate::communicator::{Communicator, NewCommunicator, split};
use crate::errand::Fold;
use crate::error::Step;
use crate::layout::{Layout, Signature};
use crate::message::{Bytes, Piece};
use crate::reduce::Operator;
use crate::topology::{Cart, Neighbours};
use std::sync::Arc;

/// What is done, as far as the data is concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operation {
    Barrier,
    Broadcast,
    Reduce,
    Allreduce,
    ReduceScatter,
    Scan,
    Exscan,
    Gather,
    Scatter,
    Allgather,
    Alltoall,
    /// Each rank sends pieces to its neighbours.
    Neighbour,
    /// New communicators: of each rank its colour and key.
    Split,
}

impl Operation {
    /// All of them.
    pub(crate) const ALL: [Operation; 13] = [
        Operation::Barrier,
        Operation::Broadcast,
        Operation::Reduce,
        Operation::Allreduce,
        Operation::ReduceScatter,
        Operation::Scan,
        Operation::Exscan,
        Operation::Gather,
        Operation::Scatter,
        Operation::Allgather,
        Operation::Alltoall,
        Operation::Neighbour,
        Operation::Split,
    ];

    /// Combines two pieces of one rank.
    pub(crate) fn local((operator, basic): (Operator, Basic), pieces: Vec<Piece>) -> Vec<Piece> {
        let mut pieces = pieces.into_iter();
        let (Some(first), Some(second)) = (pieces.next(), pieces.next()) else { return Vec::new() };
        let mut data = first.data.to_vec();
        operator.combine(basic, &mut data, &second.data);
        vec![Piece { data: Arc::new(data), ..second }]
    }
}

/// What a rank brings.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) step: Step,
    /// Its request.
    pub(crate) request: u32,
    /// The root, where there is one.
    pub(crate) root: Option<u32>,
    /// How values are combined, and their type, in reductions.
    pub(crate) operator: Option<(Operator, Basic)>,
    /// How the rank combines what it gets, if the operation is one of the program.
    pub(crate) fold: Option<Arc<Fold>>,
    /// The data: one piece, or one for each rank.
    pub(crate) pieces: Vec<Piece>,
    /// Colour and key, or the bytes of each rank's part of a reduction.
    pub(crate) numbers: Vec<i64>,
    /// The grid of the new communicator.
    pub(crate) cart: Option<Arc<Cart>>,
}

impl Part {
    /// The same without its pieces.
    pub(crate) fn without_data(&self) -> Part {
        let Part { step, request, root, operator, ref fold, ref numbers, ref cart, .. } = *self;
        Part {
            step,
            request,
            root,
            operator,
            fold: fold.clone(),
            pieces: Vec::new(),
            numbers: numbers.clone(),
            cart: cart.clone(),
        }
    }
}

/// A collective operation that has begun.
#[derive(Clone, Debug)]
pub(crate) struct Collective {
    pub(crate) operation: Operation,
    /// What each rank brought, by its rank in the communicator.
    pub(crate) parts: Vec<Option<Part>>,
    /// Which ranks have their results.
    pub(crate) given: Vec<bool>,
    /// The rank that came first.
    pub(crate) first: usize,
    /// Whether ranks need not wait for those whose data they do not need.
    pub(crate) is_relaxed: bool,
    /// The results that another process has sent.
    pub(crate) sent: Option<Vec<Piece>>,
    /// What all parts together reduce to.
    reduced: Option<Bytes>,
}

impl Collective {
    pub(crate) fn new(operation: Operation, size: usize, first: usize) -> Collective {
        let (parts, given) = (vec![None; size], vec![false; size]);
        Collective { operation, parts, given, first, is_relaxed: false, sent: None, reduced: None }
    }

    /// Whether, among ranks in different processes, rank 0 gets all parts and sends the results.
    pub(crate) fn is_central(&self) -> bool {
        let is_one = matches!(self.operation, Operation::Barrier | Operation::Allreduce | Operation::ReduceScatter);
        is_one && !self.is_own()
    }

    /// Whether the ranks get what is to be combined, and do so by a procedure of the program.
    fn is_own(&self) -> bool {
        self.parts.iter().flatten().any(|part| matches!(part.operator, Some((Operator::Own(_), _))))
    }

    /// Whether all ranks have come.
    pub(crate) fn is_complete(&self) -> bool {
        self.parts.iter().all(Option::is_some)
    }

    /// The ranks that have not come.
    pub(crate) fn missing(&self) -> Vec<usize> {
        (0..self.parts.len()).filter(|&rank| self.parts[rank].is_none()).collect()
    }

    /// Makes room for the parts of as many ranks.
    pub(crate) fn resize(&mut self, size: usize) {
        self.parts.resize(size, None);
        self.given.resize(size, false);
    }

    /// The ranks in other processes that a rank sends its part to.
    pub(crate) fn receivers(&self, rank: usize) -> Vec<usize> {
        let size = self.parts.len();
        let only = |one: usize| if one == rank { Vec::new() } else { vec![one] };
        let all_from = |first: usize| (first..size).filter(|&to| to != rank).collect();
        match self.operation {
            _ if self.is_central() => only(0),
            Operation::Reduce | Operation::Gather => only(self.root()),
            Operation::Broadcast | Operation::Scatter if rank != self.root() => Vec::new(),
            Operation::Scan | Operation::Exscan => all_from(rank),
            _ => all_from(0),
        }
    }

    /// The ranks whose parts a rank in a process of its own needs before it has its results.
    pub(crate) fn needed(&self, rank: usize) -> Vec<usize> {
        let all = || (0..self.parts.len()).collect();
        match self.operation {
            Operation::Broadcast | Operation::Scatter => vec![self.root()],
            Operation::Reduce | Operation::Gather if rank != self.root() => Vec::new(),
            Operation::Scan | Operation::Exscan => (0..rank).collect(),
            _ if self.is_central() && rank != 0 => vec![0],
            _ => all(),
        }
    }

    /// Whether a rank in a process of its own has all that its results are made of.
    pub(crate) fn has_needed(&self, rank: usize) -> bool {
        if self.is_central() && rank != 0 {
            return self.sent.is_some();
        }
        self.needed(rank).into_iter().all(|from| self.parts[from].is_some())
    }

    /// Forgets the data when a rank in a process of its own has its results; who called what stays.
    pub(crate) fn forget_data(&mut self) {
        self.parts.iter_mut().flatten().for_each(|part| part.pieces.clear());
        (self.sent, self.reduced) = (None, None);
    }

    pub(crate) fn root(&self) -> usize {
        self.parts.iter().flatten().find_map(|part| part.root).unwrap_or(0) as usize
    }

    /// Whether a rank that has come could go on if ranks waited only for data that they need.
    pub(crate) fn could_go_on(&self, rank: usize) -> bool {
        let has_come = |rank: usize| self.parts.get(rank).is_some_and(Option::is_some);
        let is_enough = match self.operation {
            Operation::Broadcast | Operation::Scatter => has_come(self.root()),
            Operation::Reduce | Operation::Gather => rank != self.root(),
            Operation::Scan | Operation::Exscan => (0..rank).all(has_come),
            _ => false,
        };
        is_enough && has_come(rank) && !self.given[rank]
    }

    /// Whether the results of a rank are there.
    pub(crate) fn is_ready(&self, rank: usize) -> bool {
        !self.given[rank] && (self.is_complete() || (self.is_relaxed && self.could_go_on(rank)))
    }

    /// What a rank gets; its results are there.
    pub(crate) fn results(&mut self, rank: usize) -> Vec<Piece> {
        let Some(own) = &self.parts[rank] else { return Vec::new() };
        let (step, root) = (own.step, self.root());
        let first_of = |from: usize| self.parts[from].as_ref().and_then(|part| part.pieces.first()).cloned();
        match self.operation {
            Operation::Barrier | Operation::Split => Vec::new(),
            Operation::Broadcast if rank == root => Vec::new(),
            Operation::Broadcast => first_of(root).into_iter().collect(),
            Operation::Gather if rank != root => Vec::new(),
            Operation::Gather | Operation::Allgather => (0..self.parts.len()).filter_map(first_of).collect(),
            Operation::Scatter => self.piece_for(root, rank).into_iter().collect(),
            Operation::Alltoall => (0..self.parts.len()).filter_map(|from| self.piece_for(from, rank)).collect(),
            Operation::Neighbour => self.of_neighbours(rank),
            Operation::Reduce if rank != root => Vec::new(),
            _ if self.is_own() => self.unreduced(rank),
            Operation::Reduce | Operation::Allreduce => vec![self.values(self.all_reduced(), rank, step)],
            Operation::ReduceScatter => {
                let all = self.all_reduced();
                let own = all.get(self.share(rank)).unwrap_or_default().to_vec();
                vec![self.values(Arc::new(own), rank, step)]
            }
            Operation::Scan => vec![self.values(self.reduce(0..rank + 1), rank, step)],
            Operation::Exscan if rank == 0 => Vec::new(),
            Operation::Exscan => vec![self.values(self.reduce(0..rank), rank, step)],
        }
    }

    /// The bytes of all values that a rank gets of a reduction that is scattered.
    fn share(&self, rank: usize) -> std::ops::Range<usize> {
        let part = self.parts[rank].as_ref();
        let bytes = |at: usize| part.and_then(|part| part.numbers.get(at)).map_or(0, |&bytes| bytes as usize);
        let start: usize = (0..rank).map(bytes).sum();
        start..start + bytes(rank)
    }

    /// What a rank gets that combines it itself, in the order of ranks.
    fn unreduced(&self, rank: usize) -> Vec<Piece> {
        let ranks = match self.operation {
            Operation::Scan => 0..rank + 1,
            Operation::Exscan => 0..rank,
            _ => 0..self.parts.len(),
        };
        let pieces = self.parts[ranks].iter().flatten().filter_map(|part| part.pieces.first()).cloned();
        if self.operation != Operation::ReduceScatter {
            return pieces.collect();
        }
        let share = self.share(rank);
        let of = |data: &[u8]| Arc::new(data.get(share.clone()).unwrap_or_default().to_vec());
        pieces.map(|piece| Piece { data: of(&piece.data), ..piece }).collect()
    }

    /// Who is next to a rank that has come.
    pub(crate) fn neighbours(&self, rank: usize) -> Option<Neighbours> {
        Neighbours::of_numbers(&self.parts.get(rank)?.as_ref()?.numbers)
    }

    /// What the neighbours of a rank send it, by their places; an empty piece from one that sends nothing.
    fn of_neighbours(&self, rank: usize) -> Vec<Piece> {
        let Some((own, part)) = self.neighbours(rank).zip(self.parts[rank].as_ref()) else { return Vec::new() };
        let sources = own.sources.iter().enumerate();
        let real = sources.filter_map(|(place, &source)| Some((place, usize::try_from(source).ok()?)));
        let piece = |(place, source): (usize, usize)| {
            let at = own.piece_of(place, &self.neighbours(source)?, rank as u32)?;
            self.piece_for(source, at)
        };
        let nothing = Piece { data: Bytes::default(), signature: Signature::empty(), step: part.step };
        real.map(|at| piece(at).unwrap_or_else(|| nothing.clone())).collect()
    }

    fn piece_for(&self, from: usize, to: usize) -> Option<Piece> {
        self.parts[from].as_ref()?.pieces.get(to).cloned()
    }

    /// The values of a reduction as what a rank gets.
    fn values(&self, data: Bytes, rank: usize, step: Step) -> Piece {
        let basic = self.parts[rank].as_ref().and_then(|part| part.operator).map(|operator| operator.1);
        let signature = match basic {
            Some(basic) => Layout::basic(basic).signature(data.len() as u64 / basic.bytes().max(1)),
            None => Signature::empty(),
        };
        Piece { data, signature, step }
    }

    fn all_reduced(&self) -> Bytes {
        self.reduced.clone().unwrap_or_else(|| self.reduce(0..self.parts.len()))
    }

    /// Keeps what all parts reduce to, before each rank gets it.
    pub(crate) fn prepare(&mut self) {
        let keeps = matches!(self.operation, Operation::Allreduce | Operation::ReduceScatter);
        if keeps && !self.is_own() && self.is_complete() && self.reduced.is_none() {
            self.reduced = Some(self.reduce(0..self.parts.len()));
        }
    }

    fn reduce(&self, ranks: std::ops::Range<usize>) -> Bytes {
        let mut parts = self.parts[ranks].iter().flatten();
        let Some(first) = parts.next() else { return Bytes::default() };
        let mut out = first.pieces.first().map(|piece| piece.data.to_vec()).unwrap_or_default();
        for part in parts {
            if let (Some((operator, basic)), Some(piece)) = (part.operator, part.pieces.first()) {
                operator.combine(basic, &mut out, &piece.data);
            }
        }
        Arc::new(out)
    }

    /// The communicator that each rank gets; all have come.
    pub(crate) fn communicators(&self, parent: &Communicator) -> Vec<Option<NewCommunicator>> {
        let number = |part: &Part, i: usize| part.numbers.get(i).copied().unwrap_or(0);
        let numbers: Vec<[i64; 2]> =
            self.parts.iter().flatten().map(|part| [number(part, 0), number(part, 1)]).collect();
        let groups = split(&parent.group, &numbers);
        let carts = self.parts.iter().flatten().map(|part| part.cart.clone());
        groups.into_iter().zip(carts).map(|(group, cart)| Some(NewCommunicator { group: group?, cart })).collect()
    }
}
