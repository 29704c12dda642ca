//! Messages whose order is directed: a receive from any rank takes no message before no rank can go on. Then one of all
//! messages that it could take is chosen from outside.
//!
//! A message stays in its mailbox as long as a receive from any rank could take it, also if a later receive from its rank alone
//! waits, since receives take the messages of a rank in order.

use crate::message::{Mailbox, Pattern};
use crate::world::World;
use crate::world::rank::Until;

/// Which messages are chosen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Directed {
    /// What is chosen, by its place among what can be; the first, if there are more choices than that.
    choices: Vec<u32>,
    /// What was chosen so far, of how many.
    made: Vec<(u32, u32)>,
    /// Whether a rank has asked what is there, which is answered as it is.
    has_asked: bool,
}

/// A message and a receive that could take it, in the mailbox of that key.
#[derive(Clone, Copy)]
struct Match {
    key: (u32, u32),
    posted: usize,
    arrived: usize,
}

impl World {
    /// From now on these choices decide which messages receives from any rank take.
    pub fn direct(&mut self, choices: &[u32]) {
        self.directed = Some(Directed { choices: choices.to_vec(), ..Directed::default() });
    }

    /// The choices that were made so far, each of how many; those of one are none.
    pub fn choices(&self) -> &[(u32, u32)] {
        self.directed.as_ref().map_or(&[], |directed| &directed.made)
    }

    /// Whether a rank has asked what is there, so that more may happen than the choices vary.
    pub fn has_asked(&self) -> bool {
        self.directed.as_ref().is_some_and(|directed| directed.has_asked)
    }

    /// A rank asks what is there.
    pub(crate) fn asks(&mut self) {
        if let Some(directed) = &mut self.directed {
            directed.has_asked = true;
        }
    }

    /// A rank waits. For one of several things it asks which is there.
    pub(crate) fn asks_by_waiting(&mut self, until: &Until) {
        match until {
            Until::Any(requests) if requests.len() > 1 => self.asks(),
            Until::Probe { pattern, .. } if pattern.is_any() => self.asks(),
            Until::All(_) | Until::Any(_) | Until::Probe { .. } | Until::Called | Until::Window { .. } => {}
        }
    }

    /// Whether a receive waits for a choice, or a message for one that has to be made before.
    pub(crate) fn is_deferred(&self, mailbox: &Mailbox, pattern: Pattern) -> bool {
        self.directed.is_some()
            && (pattern.is_any()
                || mailbox.find(pattern, |_| 0).is_some_and(|at| mailbox.is_wanted_before(at, mailbox.posted.len())))
    }

    /// No rank can go on: chooses a message for a receive from any rank, if there is one. Whether there was.
    pub fn choose_message(&mut self) -> bool {
        let mut all: Vec<Match> = Vec::new();
        for (&key, mailbox) in &self.mailboxes {
            for (posted, (_, pattern)) in mailbox.posted.iter().enumerate() {
                let free = mailbox.candidates(*pattern).into_iter().filter(|&at| !mailbox.is_wanted_before(at, posted));
                all.extend(free.map(|arrived| Match { key, posted, arrived }));
            }
        }
        let Some(directed) = &mut self.directed else { return false };
        if all.is_empty() {
            return false;
        }
        let mut chosen = 0;
        if all.len() > 1 {
            chosen = directed.choices.get(directed.made.len()).map_or(0, |&n| (n as usize).min(all.len() - 1));
            directed.made.push((chosen as u32, all.len() as u32));
        }
        let Match { key, posted, arrived } = all[chosen];
        let Some(mailbox) = self.mailboxes.get_mut(&key) else { return false };
        let (Some((request, _)), Some(message)) = (mailbox.posted.remove(posted), mailbox.arrived.remove(arrived))
        else {
            return false;
        };
        self.matched(key.1, request, message);
        self.changed();
        true
    }
}
