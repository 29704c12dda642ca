//! Write buffers: what each kind of access does, and speculation with in-order commit against plain execution.

use super::*;
use crate::address::Region;
use crate::lanes::{LaneAddresses, Strided};
use crate::loads::Hint;
use crate::view::MemoryView;
use crate::words::Word;
use proptest::prelude::*;
use source::Span;

fn base() -> (Memory, u64, u64) {
    let mut m = Memory::new();
    let mut alloc = |name| m.alloc(Region::Device(0), 10_000, name, Span::NONE).unwrap_or_default();
    let (a, b) = (alloc("a"), alloc("b"));
    m.write(a, &[1; 10_000]).expect("inside");
    (m, a, b)
}

fn buffer(base: &Memory, by_byte: &[bool]) -> WriteBuffer {
    let mut buffer = WriteBuffer::default();
    buffer.begin(base, &by_byte.into(), 100);
    buffer
}

fn load(buffer: &WriteBuffer, base: &Memory, address: u64) -> Option<u32> {
    buffer.over(base).load(address, &mut 0)
}

fn store<T: Word>(buffer: &WriteBuffer, base: &Memory, address: u64, value: T) -> bool {
    buffer.over(base).store(address, value, &mut 0).is_some()
}

#[test]
fn a_buffer_shows_its_own_words_and_leaves_the_base_alone_until_it_is_applied() {
    let (mut base, a, _) = base();
    let buffer = buffer(&base, &[true, true]);
    assert!(store(&buffer, &base, a + 8, 77u32) && store(&buffer, &base, a + 13, 2u8));
    let words = [a, a + 8, a + 12].map(|at| load(&buffer, &base, at));
    assert_eq!(words, [0x0101_0101, 77, 0x0101_0201].map(Some));
    let mut bytes = [0; 4];
    assert!(buffer.over(&base).read(a + 10, &mut bytes).is_some());
    assert_eq!(bytes, [0, 0, 1, 2]);
    assert_eq!(base.load::<u32>(a + 8, &mut 0), Some(0x0101_0101));
    assert_eq!((load(&buffer, &base, a + 10_000), load(&buffer, &base, a - 4)), (None, None));
    let view = MemoryView::Buffered(buffer.over(&base));
    assert!(view.contains(a, a + 10_000) && !view.contains(a, a + 10_001));
    assert!(!buffer.is_aborted() && buffer.apply(&mut base).is_some());
    assert_eq!([a + 4, a + 8, a + 12].map(|at| base.load(at, &mut 0)), [0x0101_0101, 77, 0x0101_0201u32].map(Some));
}

#[test]
fn rows_are_as_their_words() {
    let (mut base, a, b) = base();
    let buffer = buffer(&base, &[true, true]);
    let row = |first| LaneAddresses::<32>::Strided(Strided::contiguous(first, 4));
    let values: [u32; 32] = std::array::from_fn(|i| i as u32 + 5);
    let mut out = [0u32; 32];
    let memory = buffer.over(&base);
    for first in [b, b + 4, b + 4000, b + 4096 - 64] {
        assert_eq!(memory.store_lanes(&row(first), u32::MAX, &values, &mut 0), 0);
        assert_eq!(memory.load_lanes(&row(first), u32::MAX, &mut out, &mut 0), 0);
        assert_eq!(out, values);
    }
    assert_eq!(memory.store_lanes(&row(a), 0xff, &values, &mut 0), 0);
    assert_eq!(memory.load_lanes(&row(a), u32::MAX, &mut out, &mut 0), 0);
    assert_eq!((out[7], out[8]), (12, 0x0101_0101));
    assert_eq!(memory.store_lanes(&row(a + 9_900), u32::MAX, &values, &mut 0), 0xfe00_0000);
    assert!(buffer.apply(&mut base).is_some());
    assert_eq!([b, b + 128, b + 4096 + 60].map(|at| base.load(at, &mut 0)), [5u32, 36, 36].map(Some));
}

#[test]
fn a_buffer_conflicts_with_what_it_read_before_it_wrote_it() {
    let (base, a, b) = base();
    let [earlier, elsewhere, same, own] = [(); 4].map(|()| buffer(&base, &[true, true]));
    assert!(store(&earlier, &base, a + 64, 3u32));
    assert_eq!((load(&elsewhere, &base, a + 60), load(&elsewhere, &base, b)), (Some(0x0101_0101), Some(0)));
    assert_eq!(load(&same, &base, a + 64), Some(0x0101_0101));
    assert!(store(&own, &base, a + 64, 4u32));
    assert_eq!(load(&own, &base, a + 64), Some(4));
    assert_eq!([&elsewhere, &same, &own].map(|buffer| buffer.conflicts_with(&earlier)), [false, true, false]);
}

#[test]
fn allocations_that_are_followed_as_a_whole_are_read_or_stored_to() {
    let (mut base, a, b) = base();
    let [earlier, reader, writer] = [(); 3].map(|()| buffer(&base, &[]));
    assert!(store(&earlier, &base, a + 64, 3u32));
    assert!(store(&writer, &base, a + 128, 5u32) && store(&writer, &base, a + 128, 6u32));
    assert_eq!((load(&reader, &base, a), load(&writer, &base, b)), (Some(0x0101_0101), Some(0)));
    let mut uses = [0; 2];
    earlier.collect_uses(&mut uses);
    assert_eq!(uses, [2, 0]);
    let conflict = |buffer: &WriteBuffer| (buffer.reads_written(&uses), buffer.conflicts_with(&earlier));
    assert_eq!([&reader, &writer].map(conflict), [(true, true), (false, false)]);
    assert!(earlier.apply(&mut base).is_some() && writer.apply(&mut base).is_some());
    assert_eq!([a + 64, a + 128].map(|at| base.load(at, &mut 0)), [3u32, 6].map(Some));
    assert_eq!((load(&writer, &base, a), writer.is_aborted()), (None, true));
    writer.collect_uses(&mut uses);
    assert_eq!(uses, [3, 1]);
}

#[test]
fn what_is_only_read_has_windows_until_it_is_stored_to() {
    let (mut base, a, b) = base();
    let mut buffer = buffer(&base, &[false, true]);
    let window = |buffer: &WriteBuffer, address, to_write| {
        MemoryView::Buffered(buffer.over(&base)).window(address, 1, to_write).map(|w| (w.low, w.len))
    };
    let generation = |buffer: &WriteBuffer| MemoryView::Buffered(buffer.over(&base)).generation();
    assert_eq!(window(&buffer, a + 70, false), Some((a, 10_000)));
    assert_eq!(
        (window(&buffer, a, true), window(&buffer, b, false), window(&buffer, a - 1, false)),
        (None, None, None)
    );
    let mut uses = [0; 2];
    buffer.collect_uses(&mut uses);
    assert_eq!(uses, [1, 0]);
    assert!(!store(&buffer, &base, a, 1u32) && buffer.is_aborted());
    let first = generation(&buffer);
    buffer.begin(&base, &[].into(), 100);
    let second = generation(&buffer);
    assert!(store(&buffer, &base, b, 1u32));
    assert_eq!((window(&buffer, b, false), window(&buffer, a, false)), (None, Some((a, 10_000))));
    buffer.defer(&base, a, 4);
    assert!(buffer.is_aborted());
    buffer.begin(&base, &[].into(), 100);
    assert!(store(&buffer, &base, b, 1u32));
    buffer.end_speculation();
    // In its turn the piece may store anywhere.
    assert_eq!(window(&buffer, a, false), None);
    assert_eq!([first, second, generation(&buffer)].iter().collect::<std::collections::BTreeSet<_>>().len(), 3);
    assert!(buffer.apply(&mut base).is_some());
}

#[test]
fn bytes_of_a_deferred_atomic_abort_the_buffer_that_reads_them() {
    let (mut base, a, _) = base();
    let by_byte: Arc<[bool]> = [true, true].into();
    let mut buffer = buffer(&base, &by_byte);
    buffer.defer(&base, a + 4, 4);
    assert_eq!((load(&buffer, &base, a), buffer.is_aborted()), (Some(0x0101_0101), false));
    assert_eq!((load(&buffer, &base, a + 4), buffer.is_aborted()), (None, true));
    buffer.begin(&base, &by_byte, 100);
    assert_eq!(buffer.pages(), 0);
    assert_eq!((load(&buffer, &base, a + 4), buffer.is_aborted(), buffer.pages()), (Some(0x0101_0101), false, 1));
    assert!(store(&buffer, &base, a + 4, 9u32));
    buffer.defer(&base, a + 4, 4);
    assert!(buffer.apply(&mut base).is_some() && base.store::<u32>(a + 4, 10, &mut 0).is_some());
    buffer.end_speculation();
    assert_eq!((load(&buffer, &base, a + 4), buffer.is_aborted()), (Some(10), false));
}

#[test]
fn a_buffer_that_grows_too_large_is_aborted() {
    let (base, a, b) = base();
    let mut buffer = buffer(&base, &[]);
    buffer.begin(&base, &[true, true].into(), 3);
    assert!([a, a + 4096, a + 8192].into_iter().all(|at| store(&buffer, &base, at, 1u32)));
    assert!(!buffer.is_aborted());
    assert!(!store(&buffer, &base, b, 1u32) && buffer.is_aborted());
}

/// What code does to memory.
#[derive(Clone, Debug)]
enum Step {
    Load(u64, u8),
    Store(u64, u8, u64),
    LoadRow(Strided<32>, u32),
    StoreRow(Strided<32>, u32, u32),
    /// Adds to a word of 4 bytes; nobody uses what was there.
    Add(u64, u32),
    /// Waits for its turn.
    Wait,
}

/// What a piece has read, in order; `None` where it could not.
type Seen = Vec<Option<u64>>;

/// Does a step, but for atomics and waiting.
fn step(memory: &MemoryView<'_>, step: &Step, seen: &mut Seen) {
    let hint = &mut 0;
    match *step {
        Step::Load(at, width) => seen.push(match width {
            1 => memory.load::<u8>(at, hint).map(u64::from),
            2 => memory.load::<u16>(at, hint).map(u64::from),
            4 => memory.load::<u32>(at, hint).map(u64::from),
            _ => memory.load::<u64>(at, hint),
        }),
        Step::Store(at, width, value) => {
            let _ = match width {
                1 => memory.store(at, value as u8, hint),
                2 => memory.store(at, value as u16, hint),
                4 => memory.store(at, value as u32, hint),
                _ => memory.store(at, value, hint),
            };
        }
        Step::LoadRow(ref rule, mask) => {
            let mut out = [0u32; 32];
            if !memory.load_strided(rule, mask, &mut out, &mut Hint::default()) {
                let bad = memory.load_lanes(&LaneAddresses::Strided(*rule), mask, &mut out, hint);
                seen.push((bad == 0).then_some(0));
            }
            seen.extend((0..32).filter(|lane| mask >> lane & 1 != 0).map(|lane| Some(u64::from(out[lane]))));
        }
        Step::StoreRow(ref rule, mask, value) => {
            let values: [u32; 32] = std::array::from_fn(|lane| value.wrapping_add(lane as u32));
            if !memory.store_strided(rule, mask, &values, hint) {
                memory.store_lanes(&LaneAddresses::Strided(*rule), mask, &values, hint);
            }
        }
        Step::Add(..) | Step::Wait => {}
    }
}

fn add(memory: &mut Memory, at: u64, by: u32) {
    let old: u32 = memory.load(at, &mut 0).expect("inside");
    memory.store(at, old.wrapping_add(by), &mut 0).expect("inside");
}

/// Runs steps on a plain memory.
fn plainly(memory: &mut Memory, steps: &[Step]) -> Seen {
    let mut seen = Seen::new();
    for s in steps {
        if let Step::Add(at, by) = *s { add(memory, at, by) } else { step(&memory.view(), s, &mut seen) }
    }
    seen
}

/// A piece that has run ahead of its turn.
struct Piece<'a> {
    buffer: WriteBuffer,
    adds: Vec<(u64, u32)>,
    seen: Seen,
    /// The steps that wait for its turn.
    rest: &'a [Step],
}

impl Piece<'_> {
    fn run<'a>(base: &Memory, steps: &'a [Step], by_byte: &Arc<[bool]>, limit: usize) -> Piece<'a> {
        let mut piece = Piece { buffer: WriteBuffer::default(), adds: Vec::new(), seen: Seen::new(), rest: &[] };
        piece.buffer.begin(base, by_byte, limit);
        for (i, s) in steps.iter().enumerate() {
            match *s {
                Step::Wait => {
                    piece.rest = &steps[i..];
                    break;
                }
                Step::Add(at, by) => {
                    piece.buffer.defer(base, at, 4);
                    piece.adds.push((at, by));
                }
                _ => step(&MemoryView::Buffered(piece.buffer.over(base)), s, &mut piece.seen),
            }
        }
        piece
    }

    /// Commits the piece and goes on in its turn. Atomics are done at once there, through the buffer, as the executor does.
    fn commit(&mut self, base: &mut Memory) {
        self.buffer.apply(base).expect("room");
        self.adds.drain(..).for_each(|(at, by)| add(base, at, by));
        self.buffer.end_speculation();
        for s in self.rest {
            let memory = MemoryView::Buffered(self.buffer.over(base));
            if let Step::Add(at, by) = *s {
                let old: u32 = memory.load(at, &mut 0).expect("inside");
                memory.store(at, old.wrapping_add(by), &mut 0).expect("inside");
            } else {
                step(&memory, s, &mut self.seen);
            }
        }
        self.buffer.apply(base).expect("room");
    }
}

const SIZES: [u64; 3] = [300, 4096, 9000];

fn start() -> (Memory, [u64; 3]) {
    let mut m = Memory::new();
    let all = SIZES.map(|bytes| m.alloc(Region::Device(0), bytes, "a", Span::NONE).expect("room"));
    for (at, bytes) in all.into_iter().zip(SIZES) {
        let data: Vec<u8> = (0..bytes).map(|i| (i * 7 % 251) as u8).collect();
        m.write(at, &data).expect("inside");
    }
    (m, all)
}

fn steps() -> impl Strategy<Value = Step> {
    let (_, all) = start();
    // Mostly few places, so that pieces meet; also some at the border of an allocation.
    let at = move || {
        (0..3usize, prop_oneof![4 => 0..40u64, 1 => 0..300u64, 1 => 4080..4100u64]).prop_map(move |(n, at)| all[n] + at)
    };
    let width = || prop_oneof![Just(1u8), Just(2), Just(4), Just(8)];
    let stride = || prop_oneof![3 => Just(4i64), 1 => Just(0), 1 => Just(8), 1 => Just(-4)];
    let rule = move || {
        let (lanes, row) = (prop_oneof![3 => Just(32u32), 1 => Just(16)], prop_oneof![Just(64i64), Just(0), Just(-64)]);
        let first = (0..3usize, 0..50u64, prop_oneof![Just(0u64), Just(4096 - 64), Just(200)]);
        (first, lanes, stride(), row).prop_map(move |((n, at, more), lanes, step, row)| {
            Strided::new(all[n] + 4 * at + more, lanes, step, row).expect("a rule")
        })
    };
    let mask = || prop_oneof![2 => Just(u32::MAX), 1 => any::<u32>()];
    prop_oneof![
        4 => (at(), width()).prop_map(|(at, width)| Step::Load(at, width)),
        4 => (at(), width(), any::<u64>()).prop_map(|(at, width, value)| Step::Store(at, width, value)),
        2 => (rule(), mask()).prop_map(|(rule, mask)| Step::LoadRow(rule, mask)),
        2 => (rule(), mask(), any::<u32>()).prop_map(|(rule, mask, value)| Step::StoreRow(rule, mask, value)),
        2 => (0..3usize, 0..75u64, 0..1000u32).prop_map(move |(n, word, by)| Step::Add(all[n] + 4 * word, by)),
        1 => Just(Step::Wait),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 3 } else { 600 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Rounds of pieces that begin from one memory and are committed in order, where what cannot be committed begins again,
    /// leave what plain execution leaves, and each committed piece has read what it would have read in its turn.
    #[test]
    fn speculation_with_commits_in_order_is_plain_execution(
        pieces in proptest::collection::vec(proptest::collection::vec(steps(), 0..12), 1..6),
        by_byte in proptest::collection::vec(any::<bool>(), 3),
        limit in prop_oneof![3 => Just(100usize), 1 => 1..4usize],
    ) {
        let (mut expected, all) = start();
        let (mut base, _) = start();
        let by_byte: Arc<[bool]> = by_byte.into();
        let mut begun = 0;
        while begun < pieces.len() {
            let mut round: Vec<Piece> = pieces[begun..].iter().map(|steps| Piece::run(&base, steps, &by_byte, limit)).collect();
            let mut uses = [0; 3];
            let mut through = 0;
            while through < round.len() {
                let (earlier, rest) = round.split_at_mut(through);
                let piece = &mut rest[0];
                let conflicts = earlier.iter().any(|e| piece.buffer.conflicts_with(&e.buffer));
                // The quick question may say yes too often, never no.
                prop_assert!(!conflicts || piece.buffer.reads_written(&uses));
                if piece.buffer.is_aborted() || conflicts {
                    break;
                }
                piece.commit(&mut base);
                prop_assert_eq!(&piece.seen, &plainly(&mut expected, &pieces[begun + through]));
                piece.buffer.collect_uses(&mut uses);
                through += 1;
            }
            begun += through;
            if through == 0 {
                // A piece that is aborted though nothing is before it has its turn without a buffer.
                let plain = plainly(&mut base, &pieces[begun]);
                prop_assert_eq!(plain, plainly(&mut expected, &pieces[begun]));
                begun += 1;
            }
        }
        for (at, bytes) in all.into_iter().zip(SIZES) {
            let contents = |m: &Memory| {
                let mut out = vec![0; bytes as usize];
                m.read(at, &mut out).map(|()| out)
            };
            prop_assert_eq!(contents(&base), contents(&expected));
        }
    }
}
