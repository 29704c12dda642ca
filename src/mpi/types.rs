//! The datatypes of a rank: basic ones and those that it made.

use crate::basic::Basic;
use crate::handle::{END, FIRST_OWN};
use crate::layout::Layout;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The layouts of the basic datatypes, in the order of their numbers, from 1.
static BASIC: LazyLock<Vec<Layout>> = LazyLock::new(|| Basic::all().map(Layout::basic).collect());

/// A datatype.
#[derive(Clone, Debug)]
pub(crate) struct Datatype {
    pub(crate) layout: Layout,
    pub(crate) is_committed: bool,
}

/// The datatypes that a rank has made, by their numbers.
#[derive(Clone, Debug)]
pub(crate) struct Types {
    own: BTreeMap<u32, Datatype>,
    next: u32,
}

impl Default for Types {
    fn default() -> Types {
        Types { own: BTreeMap::new(), next: FIRST_OWN }
    }
}

impl Types {
    /// The datatype with that number.
    pub(crate) fn get(&self, number: u32) -> Option<Datatype> {
        match BASIC.get((number as usize).wrapping_sub(1)) {
            Some(layout) => Some(Datatype { layout: layout.clone(), is_committed: true }),
            None => self.own.get(&number).cloned(),
        }
    }

    /// The datatype of a program with that number, to change it.
    pub(crate) fn own_mut(&mut self, number: u32) -> Option<&mut Datatype> {
        self.own.get_mut(&number)
    }

    /// Adds one; gives its number.
    pub(crate) fn add(&mut self, layout: Layout) -> u32 {
        let number = self.next;
        self.next = (number + 1).min(END - 1);
        self.own.insert(number, Datatype { layout, is_committed: false });
        number
    }

    /// Frees one.
    pub(crate) fn free(&mut self, number: u32) {
        self.own.remove(&number);
    }
}
