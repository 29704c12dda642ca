//! Where each variable of a function is stored.
//!
//! Not here: giving variables their storage, which evaluates bounds and lengths (`procedure::storage`).

pub(crate) mod blocks;

use crate::value::Value;
use crate::value::array_view::ArrayView;
use crate::value::descriptor::Descriptor;
use crate::value::lvalue::MemRef;
use ir::{Reg, Val};
use sema::checked::{ProcId, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// Where a variable lives.
#[derive(Clone, Debug)]
pub(crate) enum VarStorage {
    /// A scalar in a register.
    Reg(Reg),
    /// A complex scalar in two.
    Complex(Reg, Reg),
    /// A scalar in memory; characters have a length.
    Scalar(MemRef, Option<Val>),
    /// An array whose bounds do not change.
    Array(ArrayView),
    /// An allocatable or pointer.
    Described(Descriptor),
    /// An ASSOCIATE name of a value.
    Value(Value),
    /// A procedure dummy, as it is in this clone.
    Procedure(ProcId),
}

/// What is known of a variable, while something else stands for it.
#[derive(Debug)]
pub(crate) struct Taken {
    storage: Option<VarStorage>,
    lengths: Option<Vec<Option<Val>>>,
}

/// The storage of the variables of a function, as far as they have any yet.
#[derive(Debug, Default)]
pub(crate) struct StorageTable {
    of: BTreeMap<VarId, VarStorage>,
    /// The length parameters that declarations give, as they were on entry.
    lengths: BTreeMap<VarId, Vec<Option<Val>>>,
    /// Where the length parameters of flat allocatables are.
    lengths_places: BTreeMap<VarId, MemRef>,
    /// Whether optional variables are present, where that is another question than whether they have an address.
    presence: BTreeMap<VarId, Val>,
    /// The allocatables and pointers that came to life in this function.
    made_here: BTreeSet<VarId>,
    dynamic_shared: Option<Val>,
}

impl StorageTable {
    /// The storage of a variable.
    pub(crate) fn get(&self, v: VarId) -> Option<&VarStorage> {
        self.of.get(&v)
    }

    /// Whether a variable has storage.
    pub(crate) fn has(&self, v: VarId) -> bool {
        self.of.contains_key(&v)
    }

    /// Gives a variable storage.
    pub(crate) fn set(&mut self, v: VarId, storage: VarStorage) {
        self.of.insert(v, storage);
    }

    /// The length parameters that the declaration of a variable gives to its type, where they are evaluated.
    pub(crate) fn lengths(&self, v: VarId) -> Option<&[Option<Val>]> {
        self.lengths.get(&v).map(Vec::as_slice)
    }

    /// Says which length parameters the declaration of a variable gives.
    pub(crate) fn set_lengths(&mut self, v: VarId, lengths: Vec<Option<Val>>) {
        self.lengths.insert(v, lengths);
    }

    /// Where the length parameters of a flat allocatable are.
    pub(crate) fn lengths_place(&self, v: VarId) -> Option<MemRef> {
        self.lengths_places.get(&v).copied()
    }

    /// Says where the length parameters of a flat allocatable are.
    pub(crate) fn set_lengths_place(&mut self, v: VarId, place: MemRef) {
        self.lengths_places.insert(v, place);
    }

    /// Whether an optional variable is present, a predicate, if its storage does not say so.
    pub(crate) fn presence(&self, v: VarId) -> Option<Val> {
        self.presence.get(&v).copied()
    }

    /// Says whether an optional variable is present.
    pub(crate) fn set_presence(&mut self, v: VarId, present: Val) {
        self.presence.insert(v, present);
    }

    /// Whether an allocatable or pointer came to life in this function.
    pub(crate) fn is_made_here(&self, v: VarId) -> bool {
        self.made_here.contains(&v)
    }

    /// Says that an allocatable or pointer came to life in this function.
    pub(crate) fn note_made_here(&mut self, v: VarId) {
        self.made_here.insert(v);
    }

    /// Takes from a variable what is known of it.
    pub(crate) fn take(&mut self, v: VarId) -> Taken {
        Taken { storage: self.of.remove(&v), lengths: self.lengths.remove(&v) }
    }

    /// Gives a variable back what [`StorageTable::take`] took.
    pub(crate) fn restore(&mut self, v: VarId, taken: Taken) {
        drop(self.take(v));
        if let Some(storage) = taken.storage {
            self.set(v, storage);
        }
        if let Some(lengths) = taken.lengths {
            self.set_lengths(v, lengths);
        }
    }

    /// The variables that have storage.
    pub(crate) fn variables(&self) -> Vec<VarId> {
        self.of.keys().copied().collect()
    }

    /// Bytes of dynamic shared memory that automatic shared arrays use so far.
    pub(crate) fn dynamic_shared(&self) -> Val {
        self.dynamic_shared.unwrap_or(Val::i64(0))
    }

    /// Says how many bytes of dynamic shared memory are used.
    pub(crate) fn set_dynamic_shared(&mut self, bytes: Val) {
        self.dynamic_shared = Some(bytes);
    }
}
