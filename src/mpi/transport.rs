//! What carries notes between ranks in different processes.

use crate::world::remote::{Packet, Place};
use std::fmt::Debug;

/// Carries notes between the processes of ranks. Those from one process to another come in the order in which they were sent.
pub trait Transport: Debug + Send {
    /// Where this process is, and how many ranks there are.
    fn place(&self) -> (Place, u32);

    /// Sends a note; does not wait for its receiver.
    fn send(&mut self, packet: Packet);

    /// The next note that has come, and the rank that sent it. If there is none, waits for one as long as that.
    fn receive(&mut self, milliseconds: u64) -> Option<(u32, Vec<u8>)>;

    /// Ends all processes, with this code. It may return if they are ended later.
    fn abort(&mut self, code: i32);

    /// Nothing is sent any more: waits until all that was sent is on its way, and leaves.
    fn finish(&mut self);
}
