//! A frame for compiled code, and the reference that runs segments on it value by value.

use crate::bare;
use ir::Ty;
use ir::eval::{eval_bin, eval_cmp, eval_cvt, eval_tri, eval_un};
use jit::{
    Access, Class, Condition, End, InstructionSet, LocalPart, Outcome, PatternHead, Place, Routine, Segment, State,
    Value, Window, compile_for,
};
use std::ffi::c_void;

/// Slots of each file.
pub(crate) const SLOTS: usize = 24;
/// Bytes of memory, and of shared memory.
pub(crate) const MEMORY: usize = 1 << 14;
/// The address of the first byte of memory.
pub(crate) const MEMORY_BASE: u64 = 0x2_0000_0000;
/// Bytes of the variable in local memory, and the address of the frame's first.
pub(crate) const LOCAL: usize = 256;
pub(crate) const LOCAL_BASE: u64 = 0x5_0000;
/// Where the variable is.
pub(crate) const PART: LocalPart = LocalPart { start: 512, bytes: LOCAL as u64, row: 3 };
/// The address of the first byte of shared memory.
pub(crate) const SHARED_BASE: u64 = 0x1_0000;

/// Everything that a segment can read and write.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct TestFrame {
    pub(crate) preds: Vec<u32>,
    pub(crate) words: Vec<[u32; 32]>,
    pub(crate) longs: Vec<[u64; 32]>,
    pub(crate) scalars: Vec<u64>,
    pub(crate) patterns: Vec<PatternHead>,
    pub(crate) memory: Vec<u8>,
    pub(crate) shared: Vec<u8>,
    /// Rows of local memory.
    pub(crate) local: Vec<[u32; 32]>,
    pub(crate) mask: u32,
    pub(crate) budget: u64,
    pub(crate) polls: u32,
    pub(crate) writes: u64,
    /// Where the interpreter goes on.
    pub(crate) pc: u32,
    /// The lanes that left a loop last.
    pub(crate) left_last: u32,
    pub(crate) left_polls: u32,
    /// Whether lanes that have left a loop go on behind it.
    pub(crate) is_alone: bool,
    /// Accesses that were told: number and lowest address.
    pub(crate) told: Vec<(u32, u64)>,
}

/// Schedule points between two chances for others.
pub(crate) const QUANTUM: u32 = 1 << 14;

/// Words that are worth a try, as bits of any type.
const SPECIAL: [u64; 34] = [
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0x8000,
    0xffff,
    // Real(2): infinity and a NaN; real(4): what is halfway between two of them, or beyond the last.
    0x7c00,
    0xfe01,
    0x477f_f000,
    0x3380_1000,
    0,
    1,
    2,
    3,
    31,
    32,
    33,
    63,
    64,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_1234,
    0xff81_0000,
    0x0000_0001_0000_0000,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_beef,
    0xfff0_0000_0000_0007,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0xffff_ffff_ffff_ffff,
];

/// A word: a special one, a real of moderate size, or anything.
pub(crate) fn word(rng: &mut fastrand::Rng) -> u64 {
    match rng.u32(0..6) {
        0 | 1 => SPECIAL[rng.usize(0..SPECIAL.len())],
        2 => u64::from(((rng.f32() - 0.5) * 1000.0).to_bits()) * 0x1_0000_0001,
        3 => ((rng.f64() - 0.5) * 1.0e10).to_bits(),
        4 => rng.i32(-100..100) as i64 as u64,
        _ => rng.u64(..),
    }
}

impl TestFrame {
    pub(crate) fn new(rng: &mut fastrand::Rng) -> TestFrame {
        TestFrame {
            preds: (0..SLOTS).map(|_| rng.u32(..)).collect(),
            words: (0..SLOTS).map(|_| std::array::from_fn(|_| word(rng) as u32)).collect(),
            longs: (0..SLOTS).map(|_| std::array::from_fn(|_| word(rng))).collect(),
            scalars: (0..SLOTS).map(|_| word(rng)).collect(),
            patterns: Vec::new(),
            memory: (0..MEMORY).map(|_| rng.u8(..)).collect(),
            shared: (0..MEMORY).map(|_| rng.u8(..)).collect(),
            local: (0..PART.row as usize + LOCAL / 4).map(|_| std::array::from_fn(|_| rng.u32(..))).collect(),
            mask: if rng.bool() { u32::MAX } else { rng.u32(1..) },
            budget: 1000,
            polls: 0,
            writes: 0,
            pc: 0,
            left_last: 0,
            left_polls: 0,
            is_alone: false,
            told: Vec::new(),
        }
    }

    /// Runs the routine compiled for an instruction set, from its first segment on.
    pub(crate) fn run(&mut self, routine: &Routine, set: InstructionSet) -> Result<Outcome, jit::CompileError> {
        let code = compile_for(routine, set)?;
        let entry = code.entry(routine.segments[0].pc, self.mask == u32::MAX).expect("an entry");
        let mut windows = vec![Window::EMPTY; 2 * Window::COUNT + Window::ALLOCATIONS];
        let mut environment = Environment {
            memory: self.memory.as_mut_ptr(),
            windows: windows.as_mut_ptr(),
            first_word: self.words.as_mut_ptr().cast(),
            told: &raw mut self.told,
        };
        let threads: Vec<[u32; 32]> = (0..3).map(|d| std::array::from_fn(|i| (i / (d + 1)) as u32)).collect();
        let mut geometry: [u32; 9] = std::array::from_fn(|i| 100 + i as u32);
        let mut state = State {
            preds: self.preds.as_mut_ptr(),
            words: self.words.as_mut_ptr().cast(),
            longs: self.longs.as_mut_ptr().cast(),
            scalars: self.scalars.as_mut_ptr(),
            windows: windows.as_mut_ptr(),
            patterns: self.patterns.as_mut_ptr().cast(),
            budget: self.budget,
            writes: self.writes,
            polls: self.polls,
            is_alone: u32::from(self.is_alone),
            shared: self.shared.as_mut_ptr(),
            shared_len: self.shared.len() as u64,
            local_base: LOCAL_BASE,
            local_rows: self.local.as_mut_ptr().cast(),
            own_rows: 0,
            threads: threads.as_ptr().cast(),
            geometry: geometry.as_mut_ptr(),
            refill,
            operate,
            tell,
            user: std::ptr::from_mut(&mut environment).cast(),
            ..bare::state(self.mask)
        };
        // SAFETY: the segments of the tests name slots, patterns and windows that there are.
        let outcome = unsafe { code.run(entry, &raw mut state) };
        (self.budget, self.writes, self.polls, self.pc) = (state.budget, state.writes, state.polls, state.pc);
        (self.mask, self.left_last, self.left_polls) = (state.mask, state.left_last, state.left_polls);
        Ok(outcome)
    }

    /// Does what a segment says, value by value and lane by lane; false if it would be left to the interpreter.
    pub(crate) fn reference(&mut self, segment: &Segment) -> bool {
        let is_polling = segment.has_back_edge && self.polls >= QUANTUM - segment.loads;
        if self.budget < u64::from(segment.points) || is_polling {
            self.pc = segment.pc;
            return false;
        }
        self.update_patterns(&segment.patterns_before);
        let mut values: Vec<[u64; 32]> = Vec::new();
        let first = self.mask.trailing_zeros() as usize;
        let mut addresses = vec![None; segment.accesses.len()];
        for value in &segment.values {
            if let Value::ScalarLoad(a) | Value::Load(_, a) = *value {
                addresses[a as usize] = self.addresses(&segment.accesses[a as usize], &values);
            }
            let get = |v: u32| values[v as usize];
            let lanes: [u64; 32] = match *value {
                Value::Scalar(slot) => [self.scalars[slot as usize]; 32],
                Value::Constant(word) => [word; 32],
                Value::Geometry(i) => [100 + u64::from(i); 32],
                Value::FirstThread(_) => [0; 32],
                Value::FirstPred(slot) => [u64::from(self.preds[slot as usize] >> first & 1); 32],
                Value::FirstRow(Class::Long, slot) => [self.longs[slot as usize][first]; 32],
                Value::FirstRow(_, slot) => [u64::from(self.words[slot as usize][first]); 32],
                Value::ScalarUn(op, ty, a) | Value::Un(op, ty, a) => get(a).map(|x| eval_un(op, ty, x)),
                Value::ScalarBin(op, ty, a, b) | Value::Bin(op, ty, a, b) => {
                    std::array::from_fn(|i| eval_bin(op, ty, get(a)[i], get(b)[i]))
                }
                Value::ScalarCmp(op, ty, a, b) | Value::Cmp(op, ty, a, b) => {
                    std::array::from_fn(|i| u64::from(eval_cmp(op, ty, get(a)[i], get(b)[i])))
                }
                Value::ScalarCvt(op, from, to, a) | Value::Cvt(op, from, to, a) => {
                    get(a).map(|x| eval_cvt(op, from, to, x))
                }
                Value::ScalarSelect(c, a, b) | Value::Select(_, c, a, b) => {
                    std::array::from_fn(|i| if get(c)[i] != 0 { get(a)[i] } else { get(b)[i] })
                }
                Value::ScalarTri(op, ty, a, b, c) | Value::Tri(op, ty, a, b, c) => {
                    std::array::from_fn(|i| eval_tri(op, ty, get(a)[i], get(b)[i], get(c)[i]))
                }
                Value::Word(slot) => self.words[slot as usize].map(u64::from),
                Value::Long(slot) => self.longs[slot as usize],
                Value::Pred(slot) => std::array::from_fn(|i| u64::from(self.preds[slot as usize] >> i & 1)),
                Value::Thread(d) => std::array::from_fn(|i| (i / (d as usize + 1)) as u64),
                Value::Splat(Class::Word, a) => get(a).map(|x| x & 0xffff_ffff),
                Value::Splat(_, a) => get(a),
                Value::ScalarLoad(a) | Value::Load(_, a) => {
                    let access = &segment.accesses[a as usize];
                    let Some(at) = addresses[a as usize] else {
                        self.pc = segment.pc;
                        return false;
                    };
                    std::array::from_fn(|i| self.fetch(access, i, at[i]))
                }
            };
            values.push(lanes);
        }
        let mut stores = Vec::new();
        for store in &segment.stores {
            let access = &segment.accesses[store.access as usize];
            let Some(at) = self.addresses(access, &values) else {
                self.pc = segment.pc;
                return false;
            };
            addresses[store.access as usize] = Some(at);
            stores.push((access.clone(), at, values[store.value as usize]));
        }
        for &(id, number) in &segment.told {
            let base = match segment.accesses[id as usize].place {
                Place::Shared(base) => base,
                Place::Local(_) => LOCAL_BASE + PART.start,
                Place::Memory => MEMORY_BASE,
            };
            let lowest = addresses[id as usize].iter().flatten().min().copied().unwrap_or(0);
            self.told.push((number, base + lowest as u64));
        }
        for (access, at, row) in stores {
            for lane in (0..32).filter(|i| self.mask >> i & 1 != 0) {
                let bytes = access.bytes as usize;
                let to = match access.place {
                    Place::Shared(_) => &mut self.shared,
                    Place::Memory => &mut self.memory,
                    Place::Local(_) => {
                        for (at, byte) in (at[lane]..).zip(&row[lane].to_le_bytes()[..bytes]) {
                            let word = &mut self.local[PART.row as usize + at / 4][lane];
                            *word = *word & !(0xff << (at % 4 * 8)) | u32::from(*byte) << (at % 4 * 8);
                        }
                        continue;
                    }
                };
                to[at[lane]..at[lane] + bytes].copy_from_slice(&row[lane].to_le_bytes()[..bytes]);
            }
            self.writes += 1;
        }
        for out in &segment.outs {
            let row = values[out.value as usize];
            for i in (0..32).filter(|i| self.mask >> i & 1 != 0) {
                let slot = out.slot as usize;
                match out.class {
                    Class::Word => self.words[slot][i] = row[i] as u32,
                    Class::Long => self.longs[slot][i] = row[i],
                    Class::Pred => {
                        self.preds[slot] = self.preds[slot] & !(1 << i) | ((row[i] as u32 & 1) << i);
                    }
                    Class::Scalar => self.scalars[slot] = row[first],
                }
            }
        }
        self.update_patterns(&segment.patterns);
        self.budget -= u64::from(segment.points);
        self.polls = if segment.stores.is_empty() { self.polls + segment.loads } else { 0 };
        self.pc = match segment.end {
            End::Go(pc) => pc,
            End::Branch { condition: Condition::Scalar(v), then_pc, else_pc, .. } => {
                if values[v as usize][0] != 0 {
                    then_pc
                } else {
                    else_pc
                }
            }
            End::Branch { condition: Condition::Pred(v), then_pc, else_pc, pc, .. } => {
                let bits = (0..32).fold(0, |bits, i| bits | ((values[v as usize][i] as u32 & 1) << i)) & self.mask;
                match bits {
                    0 => else_pc,
                    _ if bits == self.mask => then_pc,
                    _ => pc,
                }
            }
        };
        true
    }

    /// Works patterns out as the code itself does; the call that does the others does nothing in these tests.
    fn update_patterns(&mut self, patterns: &[jit::PatternUpdate]) {
        for update in patterns {
            let Some(offsets) = update.key.offsets() else { continue };
            let value = |row: &jit::PatternRow, i: usize| match row.class {
                Class::Long => (self.longs[row.slot as usize][i] as i64).wrapping_mul(row.factor),
                _ => i64::from(self.words[row.slot as usize][i] as i32).wrapping_mul(row.factor),
            };
            let sum = |i| update.rows.iter().flatten().map(|row| value(row, i)).fold(0, i64::wrapping_add);
            let values: [i64; 32] = std::array::from_fn(sum);
            // Sums of negative multiples, and patterns of some lanes, are left to the call.
            let is_called = update.rows.iter().flatten().any(|row| row.factor < 0)
                && (update.rows[1].is_some() || update.rows[0].is_some_and(|row| row.class == Class::Long));
            if self.mask == u32::MAX && !is_called && (0..32).all(|i| values[i] == values[0].wrapping_add(offsets[i])) {
                self.patterns[update.pattern as usize] =
                    PatternHead { first: values[0], key: update.key, mask: u32::MAX, ..PatternHead::default() };
            }
        }
    }

    /// Where the word of each lane is in its memory; `None` if a lane, active or not, is outside.
    fn addresses(&self, access: &Access, values: &[[u64; 32]]) -> Option<[usize; 32]> {
        let sum = |terms: &[jit::AddressTerm]| {
            terms.iter().fold(0i64, |sum, t| {
                let word = values[t.value as usize][0];
                let word = if t.is_narrow { i64::from(word as i32) } else { word as i64 };
                sum.wrapping_add(word.wrapping_mul(t.factor))
            })
        };
        let mut out = [0; 32];
        let offsets = access.index.as_ref().map_or(Some([0; 32]), |i| i.key.offsets())?;
        for (i, out) in out.iter_mut().enumerate() {
            let mut address = access.base.wrapping_add(sum(&access.terms));
            if access.is_local {
                address = address.wrapping_add(LOCAL_BASE as i64);
            }
            if let Some(index) = &access.index {
                let head = index.pattern.map(|pattern| self.patterns[pattern as usize]);
                if head.is_some_and(|head| head.key != index.key || self.mask & !head.mask != 0) {
                    return None;
                }
                let mut value = head.map_or(0, |head| head.first).wrapping_add(offsets[i]);
                if index.wraps {
                    value = value.wrapping_add(index.base).wrapping_add(sum(&index.terms));
                    i32::try_from(value).ok()?;
                }
                address = address.wrapping_add(value.wrapping_mul(index.factor));
            }
            let (base, len) = match access.place {
                Place::Shared(base) => (base, MEMORY),
                Place::Local(_) => (LOCAL_BASE + PART.start, LOCAL),
                Place::Memory => (MEMORY_BASE, MEMORY),
            };
            let at = (address as u64).wrapping_sub(base);
            if at > (len - access.bytes as usize) as u64 || at % u64::from(access.bytes) != 0 {
                return None;
            }
            *out = at as usize;
        }
        Some(out)
    }

    fn fetch(&self, access: &Access, lane: usize, at: usize) -> u64 {
        let byte = |at: usize| match access.place {
            Place::Shared(_) => self.shared[at],
            Place::Local(_) => (self.local[PART.row as usize + at / 4][lane] >> (at % 4 * 8)) as u8,
            Place::Memory => self.memory[at],
        };
        (0..access.bytes as usize).rev().fold(0, |word, i| word << 8 | u64::from(byte(at + i)))
    }
}

struct Environment {
    memory: *mut u8,
    windows: *mut Window,
    first_word: *mut u32,
    told: *mut Vec<(u32, u64)>,
}

extern "C" fn refill(user: *mut c_void, address: u64, extent: u64, salt: u32, writes: bool) -> bool {
    // SAFETY: `run` gave the pointer.
    let environment = unsafe { &mut *user.cast::<Environment>() };
    let Some(limit) = (MEMORY as u64).checked_sub(extent) else { return false };
    if address.wrapping_sub(MEMORY_BASE) > limit {
        return false;
    }
    let window = Window { low: MEMORY_BASE, len: MEMORY as u64, place: environment.memory, rest: 0 };
    // SAFETY: the table has so many windows.
    unsafe { *environment.windows.add(Window::entry(address, salt, writes)) = window };
    true
}

/// An operation that is done by a call sets word 0 of the first row to its number, unless that is odd.
extern "C" fn operate(user: *mut c_void, pc: u32) -> bool {
    // SAFETY: `run` gave the pointer.
    let environment = unsafe { &mut *user.cast::<Environment>() };
    let is_done = pc.is_multiple_of(2);
    if is_done {
        // SAFETY: there is a row.
        unsafe { *environment.first_word = pc };
    }
    is_done
}

extern "C" fn tell(user: *mut c_void, number: u32, address: u64) {
    // SAFETY: `run` gave the pointer.
    let environment = unsafe { &mut *user.cast::<Environment>() };
    // SAFETY: the list lives while the code runs, and nobody else uses it.
    unsafe { (*environment.told).push((number, address)) };
}

/// A segment without anything.
pub(crate) fn empty() -> Segment {
    Segment::empty(7, End::Go(9))
}

/// A routine of one segment.
pub(crate) fn routine(segment: Segment) -> Routine {
    Routine {
        segments: vec![segment],
        pattern_stride: size_of::<PatternHead>() as u32,
        poll_quantum: QUANTUM,
        barriers: Vec::new(),
        ends: Vec::new(),
        patterns: 0,
        restored: Vec::new(),
        straight: None,
    }
}

/// The class of a row of a type.
pub(crate) fn class(ty: Ty) -> Class {
    match ty {
        Ty::Pred => Class::Pred,
        Ty::I64 | Ty::F64 => Class::Long,
        _ => Class::Word,
    }
}

/// The instruction sets that code is made and run for; says which are skipped.
pub(crate) fn instruction_sets() -> Vec<InstructionSet> {
    let all = [InstructionSet::Avx2, InstructionSet::Avx512];
    let available = InstructionSet::available();
    for set in all.iter().filter(|set| !available.contains(set)) {
        eprintln!("skipped: the processor has no {set:?}");
    }
    available
}
