//! Choices of messages: all of them, each once.
//!
//! A run makes choices in a row, each of so many things, and depends on nothing else. So the runs are the ways through a tree. A run that
//! follows given choices and then takes the first of each shows how many others there are beside its way.

use std::collections::VecDeque;

/// Searches all choices.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    waiting: VecDeque<Vec<u32>>,
}

impl Choices {
    /// Takes the choices of a run that was begun by the choices `given`: what was chosen, of how many.
    pub fn record(&mut self, given: &[u32], made: &[(u32, u32)]) {
        let chosen: Vec<u32> = made.iter().map(|&(chosen, _)| chosen).collect();
        for (at, &(_, count)) in made.iter().enumerate().skip(given.len()) {
            for other in 1..count {
                let mut choices = chosen[..at].to_vec();
                choices.push(other);
                self.waiting.push_back(choices);
            }
        }
    }

    /// The next choices to begin a run with, if some are left.
    pub fn next_choices(&mut self) -> Option<Vec<u32>> {
        self.waiting.pop_front()
    }

    /// How many are known that wait to be made.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }
}
