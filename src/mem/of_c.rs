//! Access to memory of C: it is read and written through a door that is open once C code is called.
//!
//! Not here: the door itself (`door`), the program's own memory (`contents`).

use crate::address::Region;
use crate::door::Door;
use crate::memory::Memory;
use crate::words::Word;
use std::sync::Arc;

impl Memory {
    /// Memory of C is reached from now on.
    pub fn open_door(&mut self, door: impl FnOnce() -> Arc<dyn Door>) {
        self.door.get_or_insert_with(door);
    }

    /// Whether it is.
    pub fn reaches_c(&self) -> bool {
        self.door.is_some()
    }

    /// The door to the memory at an address, if that is C's.
    pub(crate) fn door(&self, address: u64) -> Option<&dyn Door> {
        self.door.as_deref().filter(|_| Region::of(address) == Some(Region::OfC))
    }

    /// Gives back what C has allocated for the program; whether it was that.
    pub fn release(&self, address: u64) -> bool {
        self.door(address).is_some_and(|door| door.release(address))
    }

    /// Reads bytes of memory of C.
    #[cold]
    pub(crate) fn read_of_c(&self, address: u64, out: &mut [u8]) -> Option<()> {
        self.door(address)?.read(address, out).then_some(())
    }

    /// Writes bytes to memory of C.
    #[cold]
    pub(crate) fn write_of_c(&self, address: u64, bytes: &[u8]) -> Option<()> {
        self.door(address)?.write(address, bytes).then_some(())
    }

    /// Reads a word of memory of C.
    #[cold]
    pub(crate) fn load_of_c<T: Word>(&self, address: u64) -> Option<T> {
        let mut bytes = [0; 8];
        self.read_of_c(address, &mut bytes[..T::BYTES])?;
        Some(T::from_bytes(bytes))
    }

    /// Writes a word to memory of C.
    #[cold]
    pub(crate) fn store_of_c<T: Word>(&self, address: u64, value: T) -> Option<()> {
        self.write_of_c(address, &value.to_bytes()[..T::BYTES])
    }

    /// Whether the first and the last of so many bytes are memory of C.
    #[cold]
    pub(crate) fn has_of_c(&self, address: u64, len: u64) -> bool {
        let last = address.checked_add(len.max(1) - 1);
        last.is_some_and(|last| [address, last].into_iter().all(|at| self.load_of_c::<u8>(at).is_some()))
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;
    use source::Span;
    use std::sync::Mutex;

    const FIRST: u64 = 0x5500_0000_0000;

    /// Some bytes from `FIRST` on.
    #[derive(Debug)]
    struct Room(Mutex<[u8; 16]>);

    impl Door for Room {
        fn read(&self, address: u64, out: &mut [u8]) -> bool {
            let (room, at) = (self.0.lock().expect("no thread has failed"), (address - FIRST) as usize);
            room.get(at..at + out.len()).map(|bytes| out.copy_from_slice(bytes)).is_some()
        }

        fn write(&self, address: u64, bytes: &[u8]) -> bool {
            let (mut room, at) = (self.0.lock().expect("no thread has failed"), (address - FIRST) as usize);
            room.get_mut(at..at + bytes.len()).map(|to| to.copy_from_slice(bytes)).is_some()
        }

        fn release(&self, address: u64) -> bool {
            address == FIRST
        }
    }

    #[test]
    fn memory_of_c_is_reached_once_the_door_is_open() {
        let mut m = Memory::new();
        let own = m.alloc(Region::Host, 16, "a", Span::NONE).expect("room");
        assert_eq!(m.load::<u32>(FIRST, &mut 0), None);
        m.open_door(|| Arc::new(Room(Mutex::new([7; 16]))));
        assert_eq!(m.load::<u32>(FIRST + 12, &mut 0), Some(0x0707_0707));
        assert_eq!(m.load::<u32>(FIRST + 13, &mut 0), None);
        m.store(FIRST, 1u64, &mut 0).expect("inside");
        m.view().store(FIRST + 8, 2u32, &mut 0).expect("inside");
        m.copy(own, FIRST, 16).expect("inside");
        assert_eq!(m.load::<u64>(own, &mut 0), Some(1));
        assert_eq!(m.load::<u64>(own + 8, &mut 0), Some(0x0707_0707_0000_0002));
        m.clear(FIRST, 16).expect("inside");
        assert_eq!(m.load::<u64>(FIRST + 8, &mut 0), Some(0));
        assert!(m.contains(FIRST, FIRST + 16) && !m.contains(FIRST, FIRST + 17));
        assert!(m.release(FIRST) && !m.release(own));
    }
}
