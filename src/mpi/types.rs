//! The datatypes of a rank: those that have a name in the standard, and those that it made, with how it made them.

use crate::basic::{Basic, COMPOSED, LOWER_MARKER, UPPER_MARKER};
use crate::handle::{FIRST_OWN, free_number};
use crate::layout::Layout;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// The layouts of the datatypes that have a name in the standard, in the order of their numbers, from 1.
static NAMED: LazyLock<Vec<Layout>> = LazyLock::new(|| {
    let composed = COMPOSED.iter().filter_map(|(name, parts)| {
        match *name {
            LOWER_MARKER => return Some(Layout::marker([true, false])),
            UPPER_MARKER => return Some(Layout::marker([false, true])),
            _ => {}
        }
        let parts: Vec<Layout> = parts.iter().filter_map(|name| Basic::named(name)).map(Layout::basic).collect();
        let (mut blocks, mut end) = (Vec::new(), 0i64);
        for part in &parts {
            let at = end + (-end).rem_euclid(part.extent);
            blocks.push((at, 1, part));
            end = at + part.extent;
        }
        Layout::of_blocks(blocks).and_then(Layout::padded)
    });
    Basic::all().map(Layout::basic).chain(composed).collect()
});

/// The call that makes a datatype, as `MPI_Type_get_contents` gives it back.
#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    /// `MPI_COMBINER_…`.
    pub(crate) combiner: i32,
    pub(crate) ints: Vec<i32>,
    pub(crate) longs: Vec<i64>,
    /// Counts, and what counts like them, of a call whose counts are of kind `MPI_COUNT_KIND`.
    pub(crate) larges: Vec<i64>,
    pub(crate) types: Vec<Datatype>,
}

/// A datatype.
#[derive(Clone, Debug)]
pub(crate) struct Datatype {
    pub(crate) layout: Layout,
    pub(crate) is_committed: bool,
    /// The number of a datatype that the program cannot free.
    pub(crate) fixed: Option<u32>,
    /// How it was made; `None` for those that have a name in the standard.
    pub(crate) recipe: Option<Arc<Recipe>>,
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
        match NAMED.get((number as usize).wrapping_sub(1)) {
            Some(layout) => {
                Some(Datatype { layout: layout.clone(), is_committed: true, fixed: Some(number), recipe: None })
            }
            None => self.own.get(&number).cloned(),
        }
    }

    /// The datatype of a program with that number, to change it.
    pub(crate) fn own_mut(&mut self, number: u32) -> Option<&mut Datatype> {
        self.own.get_mut(&number).filter(|datatype| datatype.fixed.is_none())
    }

    /// Adds one; gives its number.
    pub(crate) fn add(&mut self, datatype: Datatype) -> u32 {
        let number = free_number(&mut self.next, |number| self.own.contains_key(&number));
        self.own.insert(number, datatype);
        number
    }

    /// The datatype that the rank has made by this call before and cannot free, or a new one; gives its number.
    pub(crate) fn fixed(&mut self, recipe: Recipe, layout: Layout) -> u32 {
        let is_same = |known: &Datatype| {
            let made = known.recipe.as_ref().filter(|_| known.fixed.is_some());
            made.is_some_and(|made| (made.combiner, &made.ints) == (recipe.combiner, &recipe.ints))
        };
        if let Some((number, _)) = self.own.iter().find(|(_, known)| is_same(known)) {
            return *number;
        }
        let recipe = Some(Arc::new(recipe));
        let number = self.add(Datatype { layout, is_committed: true, fixed: None, recipe });
        if let Some(datatype) = self.own.get_mut(&number) {
            datatype.fixed = Some(number);
        }
        number
    }

    /// Frees one.
    pub(crate) fn free(&mut self, number: u32) {
        self.own.remove(&number);
    }
}
