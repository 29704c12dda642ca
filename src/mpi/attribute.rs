//! Attributes of communicators, datatypes and windows: keys that a rank makes, and the values that it keeps under them.

use crate::errand::Procedure;
use crate::handle::{Kind, Table};
use std::collections::BTreeMap;

/// A key.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    /// Of what objects it is for.
    pub(crate) kind: Kind,
    pub(crate) copy: Procedure,
    pub(crate) delete: Procedure,
    pub(crate) extra: i64,
    /// Whether its values are default integers, as those of the deprecated routines.
    pub(crate) is_narrow: bool,
    /// Whether the program has freed it; its values stay where they are.
    pub(crate) is_freed: bool,
}

/// The keys and attributes of a rank.
#[derive(Clone, Default, Debug)]
pub(crate) struct Attributes {
    pub(crate) keys: Table<Key>,
    /// Of each object, by its handle, keys and values in the order in which they were set.
    values: BTreeMap<i32, Vec<(u32, i64)>>,
}

impl Attributes {
    /// The attributes of an object.
    pub(crate) fn of(&self, object: i32) -> &[(u32, i64)] {
        self.values.get(&object).map_or(&[], |values| values)
    }

    pub(crate) fn get(&self, object: i32, key: u32) -> Option<i64> {
        self.of(object).iter().find(|(k, _)| *k == key).map(|(_, value)| *value)
    }

    pub(crate) fn set(&mut self, object: i32, key: u32, value: i64) {
        let values = self.values.entry(object).or_default();
        match values.iter_mut().find(|(k, _)| *k == key) {
            Some((_, old)) => *old = value,
            None => values.push((key, value)),
        }
    }

    pub(crate) fn remove(&mut self, object: i32, key: u32) {
        if let Some(values) = self.values.get_mut(&object) {
            values.retain(|(k, _)| *k != key);
        }
    }
}
