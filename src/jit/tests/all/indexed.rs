//! Loads, stores and atomics of lanes that lie anywhere in an allocation of several pages, in shared memory or in local memory, against a loop over the lanes.

use crate::bare;
use crate::frame::{instruction_sets, routine};
use ir::Ty;
use ir::op::AtomOp;
use jit::{
    AddressTerm, Class, End, Indexed, InstructionSet, LocalPart, Movement, Outcome, PatternRow, Place, Segment, State,
    Value, Window, compile_for,
};
use std::ffi::c_void;

/// The first address of shared memory, and its bytes.
const SHARED: u64 = 0x3_0000_0000;
const SHARED_LEN: usize = 4096;

/// The allocation: its first address, its bytes, and its pages, of which the second to last was never written.
const LOW: u64 = 0x7_0000_0000;
const PAGE: usize = 1 << Window::PAGE;
const LEN: usize = 3 * PAGE + 4096;

const ATOMICS: [AtomOp; 7] = [AtomOp::Add, AtomOp::Sub, AtomOp::Min, AtomOp::Max, AtomOp::And, AtomOp::Or, AtomOp::Xor];

struct Allocation {
    bytes: Vec<u8>,
    shared: Vec<u8>,
    slots: Vec<u64>,
    windows: Vec<Window>,
    calls: u32,
    found: u32,
    /// What was told: a number, and an address for each lane.
    told: Vec<(u32, [u64; 32])>,
    /// Between which addresses nothing is to be told, by number.
    quiet: [[u64; 2]; State::QUIET],
}

extern "C" fn find_pages(user: *mut c_void, number: u32, address: u64) -> bool {
    // SAFETY: `run` gave the pointer.
    let of = unsafe { &mut *user.cast::<Allocation>() };
    let entry = &mut of.windows[2 * Window::COUNT + number as usize];
    if address.wrapping_sub(LOW) >= LEN as u64 || entry.len != 0 {
        return false;
    }
    of.found += 1;
    *entry = Window { low: LOW, len: LEN as u64, place: of.slots.as_mut_ptr().cast(), rest: 0 };
    true
}

extern "C" fn tell_lanes(user: *mut c_void, number: u32, base: u64, offsets: *const [u64; 32]) {
    // SAFETY: `run` gave the pointer, and the code has so many offsets.
    let (of, offsets) = unsafe { (&mut *user.cast::<Allocation>(), &*offsets) };
    of.told.push((number, offsets.map(|offset| base.wrapping_add(offset))));
}

extern "C" fn operate(user: *mut c_void, _: u32) -> bool {
    // SAFETY: `run` gave the pointer.
    unsafe { (*user.cast::<Allocation>()).calls += 1 };
    true
}

/// Registers: words and longs, four rows each.
#[derive(Clone, PartialEq, Debug)]
struct Rows {
    words: [[u32; 32]; 4],
    longs: [[u64; 32]; 4],
    scalars: [u64; 4],
}

fn run(of: &mut Allocation, rows: &mut Rows, mask: u32, access: &Indexed, set: InstructionSet) -> State {
    run_with(of, rows, mask, access, set, std::ptr::null_mut())
}

/// The same with rows of local memory.
fn run_with(
    of: &mut Allocation,
    rows: &mut Rows,
    mask: u32,
    access: &Indexed,
    set: InstructionSet,
    local_rows: *mut u32,
) -> State {
    let values = vec![Value::Scalar(0), Value::Scalar(1)];
    let load = Segment { values, indexed: Some(access.clone()), ..Segment::call(7) };
    let mut routine = routine(Segment::empty(8, End::Go(9)));
    routine.segments.insert(0, load);
    let code = compile_for(&routine, set).expect("code");
    let entry = code.entry(7, mask == u32::MAX).expect("an entry");
    let mut preds = [0u32; 1];
    let mut state = State {
        preds: preds.as_mut_ptr(),
        words: rows.words.as_mut_ptr().cast(),
        longs: rows.longs.as_mut_ptr().cast(),
        scalars: rows.scalars.as_mut_ptr(),
        windows: of.windows.as_mut_ptr(),
        budget: 10,
        polls: 3,
        shared: of.shared.as_mut_ptr(),
        shared_len: SHARED_LEN as u64,
        local_rows,
        find_pages,
        operate,
        tell_lanes,
        quiet: of.quiet,
        user: std::ptr::from_mut(of).cast(),
        ..bare::state(mask)
    };
    // SAFETY: the routine names rows that there are, and the functions do not read what is null here.
    let outcome = unsafe { code.run(entry, &raw mut state) };
    assert_eq!((outcome, state.pc), (Outcome::Continue, 9));
    state
}

#[test]
fn lanes_are_moved_from_and_to_anywhere_or_nothing_is_done() {
    instruction_sets().into_iter().for_each(check);
}

fn check(set: InstructionSet) {
    let mut rng = fastrand::Rng::with_seed(5);
    let (mut in_code, mut by_call, mut atomics) = (0, 0, 0);
    for round in 0..6000 {
        let mut of = Allocation {
            bytes: (0..4 * PAGE).map(|i| (i * 7 + i / 251) as u8).collect(),
            slots: Vec::new(),
            shared: (0..SHARED_LEN).map(|i| (i * 5 + i / 127) as u8).collect(),
            windows: vec![Window::EMPTY; 2 * Window::COUNT + 2 * Window::ALLOCATIONS],
            calls: 0,
            found: 0,
            told: Vec::new(),
            quiet: [[0; 2]; State::QUIET],
        };
        // Page 2 was never written; page 1 is marked.
        let place = |page: usize| of.bytes.as_ptr() as u64 + (page * PAGE) as u64;
        of.slots = vec![place(0), place(1) | 1, 0, place(3)];
        let mut bytes = [1, 2, 4, 8, 4, 8][rng.usize(0..6)];
        let class = if bytes == 8 { Class::Long } else { Class::Word };
        let wraps = rng.bool();
        let mask = if rng.bool() { u32::MAX } else { rng.u32(1..) };
        let is_shared = rng.u32(0..3) == 0;
        let movement = match rng.u32(0..4) {
            0 if is_shared => {
                bytes = bytes.max(4);
                Movement::Atomic { op: ATOMICS[rng.usize(0..ATOMICS.len())], polls: 5 }
            }
            0 | 1 => Movement::Load,
            _ => Movement::Store,
        };
        let is_store = movement == Movement::Store;
        let (low, len) = if is_shared { (SHARED, SHARED_LEN) } else { (LOW, LEN) };
        let goes_wrong = rng.u32(0..4) == 0;
        let is_skewed = rng.u32(0..16) == 0 && bytes > 2;
        let mut rows = Rows {
            words: std::array::from_fn(|_| std::array::from_fn(|_| rng.u32(..))),
            longs: std::array::from_fn(|_| std::array::from_fn(|_| rng.u64(..))),
            scalars: [rng.u64(0..100), rng.u64(0..100), 0, 0],
        };
        if rng.u32(0..8) == 0 {
            // An atomic that changes nothing, in most cases.
            (rows.words[2], rows.longs[2]) = ([0; 32], [0; 32]);
        }
        // The address is the first one + bytes * (sum of rows [+ 3 + scalar 0]) + bytes * scalar 1.
        let (mut offsets, unit) = ([0u64; 32], u64::from(bytes));
        for (lane, offset) in offsets.iter_mut().enumerate() {
            let is_active = mask >> lane & 1 != 0;
            // Page 1 must not be written.
            let page = if is_shared || is_store { [0, 0, 3, 0] } else { [0, 1, 3, 0] }[rng.usize(0..4)];
            let room = if page == 3 { 4096 } else { PAGE };
            *offset = (page * PAGE) as u64 + rng.u64(0..room as u64 / unit) * unit;
            if is_shared {
                *offset = rng.u64(0..SHARED_LEN as u64 / unit) * unit;
            }
            if is_active && goes_wrong && rng.u32(0..8) == 0 {
                *offset = match rng.u32(0..4) {
                    0 => len as u64 - u64::from(bytes) / 2,
                    1 if !is_shared => (2 * PAGE) as u64 + 8,
                    2 if !is_shared => PAGE as u64 + 16,
                    _ => len as u64 + rng.u64(0..1 << 33) / 8 * 8,
                };
            }
            let index = (*offset / u64::from(bytes)) as i64 - rows.scalars[1] as i64;
            let index = index - if wraps { 3 + rows.scalars[0] as i64 } else { 0 };
            let first = rng.i32(-1000..1000);
            rows.words[0][lane] = first as u32;
            rows.longs[0][lane] = index.wrapping_sub(2 * i64::from(first)) as u64;
            if !is_active {
                rows.longs[0][lane] = rng.u64(..);
            }
        }
        let term = |value| AddressTerm { value, is_narrow: false, factor: i64::from(bytes) };
        let mut access = Indexed {
            place: if is_shared { Place::Shared(SHARED) } else { Place::Memory },
            movement,
            rows: vec![
                PatternRow { class: Class::Long, slot: 0, factor: 1 },
                PatternRow { class: Class::Word, slot: 0, factor: 2 },
            ],
            factor: i64::from(bytes),
            wraps,
            index_base: 3,
            index_terms: vec![AddressTerm { value: 0, is_narrow: true, factor: 1 }],
            base: low as i64 + if is_skewed { 2 } else { 0 },
            terms: vec![term(1)],
            bytes,
            register: (class, if rng.bool() { 0 } else { 2 }),
            number: rng.u32(0..40),
            told: rng.bool().then_some(rng.u32(0..24)),
        };
        // Quiet is what nobody has set, the allocation, more than it, or a part of it.
        let zones = [[0, 0], [LOW, LOW + LEN as u64], [0, u64::MAX], [LOW + 1, u64::MAX], [0, LOW + LEN as u64 - 1]];
        let quiet = zones[rng.usize(0..zones.len())];
        let is_quiet = !is_shared && quiet[0] <= LOW && quiet[1] >= LOW + LEN as u64;
        let number = access.told.filter(|&number| !(is_quiet && (number as usize) < State::QUIET));
        if let Some(zone) = access.told.and_then(|number| of.quiet.get_mut(number as usize)) {
            *zone = quiet;
        }
        if matches!(movement, Movement::Atomic { .. }) {
            access.register.1 = 2;
            if rng.bool() {
                // All lanes do it to one word.
                (access.rows, access.wraps) = (Vec::new(), false);
                offsets = [rows.scalars[1] * u64::from(bytes); 32];
            }
        }
        let n = bytes as usize;
        let place = |lane: usize| offsets[lane] as usize / n * n;
        let fits = |lane: usize| {
            let page = place(lane) / PAGE;
            place(lane) + n <= len && (is_shared || page != 2 && (page != 1 || !is_store))
        };
        let all_fit = (0..32).filter(|lane| mask >> lane & 1 != 0).all(fits);
        let is_done = all_fit && !is_skewed && set == InstructionSet::Avx512;
        let (mut expected, slot) = (rows.clone(), access.register.1 as usize);
        let mut bytes_then = if is_shared { of.shared.clone() } else { of.bytes.clone() };
        let mut has_changed = is_store;
        for lane in (0..32).filter(|lane| is_done && mask >> lane & 1 != 0) {
            let at = place(lane)..place(lane) + n;
            if is_store {
                let word = if class == Class::Long { rows.longs[slot][lane] } else { rows.words[slot][lane].into() };
                bytes_then[at].copy_from_slice(&word.to_le_bytes()[..n]);
                continue;
            }
            let word = bytes_then[at.clone()].iter().rev().fold(0u64, |word, &b| word << 8 | u64::from(b));
            if let Movement::Atomic { op, .. } = movement {
                let operand = if class == Class::Long { rows.longs[slot][lane] } else { rows.words[slot][lane].into() };
                let ty = if class == Class::Long { Ty::I64 } else { Ty::I32 };
                let new = ir::eval::eval_atomic(op, ty, word, operand, 0);
                has_changed |= new != word;
                bytes_then[at].copy_from_slice(&new.to_le_bytes()[..n]);
                continue;
            }
            match class {
                Class::Long => expected.longs[slot][lane] = word,
                _ => expected.words[slot][lane] = word as u32,
            }
        }
        let state = run(&mut of, &mut rows, mask, &access, set);
        assert_eq!(of.told.len(), usize::from(is_done && number.is_some()), "round {round} with {set:?}, {access:?}");
        for (told, addresses) in &of.told {
            assert_eq!(Some(*told), number);
            let is_right = |lane: usize| addresses[lane] == low + place(lane) as u64;
            assert!((0..32).filter(|lane| mask >> lane & 1 != 0).all(is_right), "round {round}, {access:?}");
        }
        assert_eq!(of.calls, u32::from(!is_done), "round {round} with {set:?}, {access:?}");
        assert!(rows == expected, "round {round} with {set:?}, {access:?}");
        let bytes_now = if is_shared { &of.shared } else { &of.bytes };
        assert!(*bytes_now == bytes_then, "round {round} with {set:?}, {access:?}");
        let counts = match (is_done, movement) {
            (true, _) if has_changed => (9, 0, 1),
            (true, Movement::Atomic { polls, .. }) => (9, 3 + polls, 0),
            (true, _) => (9, 4, 0),
            (false, _) => (10, 3, 0),
        };
        atomics += u32::from(is_done && matches!(movement, Movement::Atomic { .. }));
        assert_eq!((state.budget, state.polls, state.writes), counts, "round {round}");
        assert!(of.found <= 1);
        if is_done { in_code += 1 } else { by_call += 1 }
    }
    let expected = if set == InstructionSet::Avx512 { 3000 } else { 0 };
    assert!(in_code >= expected && by_call > 100, "{in_code} in code, {by_call} by call");
    assert!(atomics >= expected / 15, "{atomics} atomics");
}

/// Rows of local memory: those before and behind the variable too.
const ROWS: usize = 24;
/// The variable: 12 words from the third row on, 32 bytes behind the beginning of the frame's local memory.
const PART: LocalPart = LocalPart { start: 32, bytes: 48, row: 3 };

#[test]
fn words_of_local_memory_are_moved_by_lane_or_nothing_is_done() {
    instruction_sets().into_iter().for_each(check_local);
}

fn check_local(set: InstructionSet) {
    let mut rng = fastrand::Rng::with_seed(6);
    let (mut in_code, mut by_call) = (0, 0);
    for round in 0..3000 {
        let bytes = [4, 8][rng.usize(0..2)];
        let class = if bytes == 8 { Class::Long } else { Class::Word };
        let mask = if rng.bool() { u32::MAX } else { rng.u32(1..) };
        let movement = if rng.bool() { Movement::Load } else { Movement::Store };
        let mut local: Vec<[u32; 32]> = (0..ROWS).map(|_| std::array::from_fn(|_| rng.u32(..))).collect();
        let mut rows = Rows {
            words: std::array::from_fn(|_| std::array::from_fn(|_| rng.u32(..))),
            longs: std::array::from_fn(|_| std::array::from_fn(|_| rng.u64(..))),
            scalars: [rng.u64(0..100), rng.u64(0..100), 0, 0],
        };
        let units = PART.bytes / u64::from(bytes);
        let goes_wrong = rng.u32(0..4) == 0;
        let mut indices = [0; 32];
        for (lane, index) in indices.iter_mut().enumerate() {
            let is_wrong = goes_wrong && mask >> lane & 1 != 0 && rng.u32(0..16) == 0;
            *index = if is_wrong { [units, u64::MAX, 1 << 40][rng.usize(0..3)] } else { rng.u64(0..units) };
            rows.longs[0][lane] = index.wrapping_sub(rows.scalars[1]);
        }
        let access = Indexed {
            place: Place::Local(PART),
            movement,
            rows: vec![PatternRow { class: Class::Long, slot: 0, factor: 1 }],
            factor: i64::from(bytes),
            wraps: false,
            index_base: 0,
            index_terms: Vec::new(),
            base: PART.start as i64,
            terms: vec![AddressTerm { value: 1, is_narrow: false, factor: i64::from(bytes) }],
            bytes,
            register: (class, 2),
            number: 0,
            told: None,
        };
        let is_done = set == InstructionSet::Avx512
            && (0..32).filter(|lane| mask >> lane & 1 != 0).all(|lane| indices[lane] < units);
        let (mut expected, mut local_then) = (rows.clone(), local.clone());
        for lane in (0..32).filter(|lane| is_done && mask >> lane & 1 != 0) {
            let row = PART.row as usize + indices[lane] as usize * bytes as usize / 4;
            match (movement, class) {
                (Movement::Load, Class::Long) => {
                    let word = u64::from(local[row][lane]) | u64::from(local[row + 1][lane]) << 32;
                    expected.longs[2][lane] = word;
                }
                (Movement::Load, _) => expected.words[2][lane] = local[row][lane],
                (_, Class::Long) => {
                    local_then[row][lane] = rows.longs[2][lane] as u32;
                    local_then[row + 1][lane] = (rows.longs[2][lane] >> 32) as u32;
                }
                _ => local_then[row][lane] = rows.words[2][lane],
            }
        }
        let mut of = Allocation {
            bytes: Vec::new(),
            slots: Vec::new(),
            shared: vec![0; 8],
            windows: vec![Window::EMPTY; 2 * Window::COUNT + 2 * Window::ALLOCATIONS],
            calls: 0,
            found: 0,
            told: Vec::new(),
            quiet: [[0; 2]; State::QUIET],
        };
        let state = run_with(&mut of, &mut rows, mask, &access, set, local.as_mut_ptr().cast());
        assert_eq!(of.calls, u32::from(!is_done), "round {round} with {set:?}, {access:?}");
        assert!(rows == expected && local == local_then, "round {round} with {set:?}, {access:?}");
        let counts = match movement {
            _ if !is_done => (10, 3, 0),
            Movement::Store => (9, 0, 1),
            _ => (9, 4, 0),
        };
        assert_eq!((state.budget, state.polls, state.writes), counts, "round {round}");
        if is_done { in_code += 1 } else { by_call += 1 }
    }
    let expected = if set == InstructionSet::Avx512 { 1500 } else { 0 };
    assert!(in_code >= expected && by_call > 100, "{in_code} in code, {by_call} by call");
}
