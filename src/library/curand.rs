//! cuRAND's host interface: generators whose numbers go to memory of the device, or of the host.
//!
//! The numbers are those of NVIDIA's library, bit for bit: seeds, offsets, orders, dimensions, integers and uniform reals of XORWOW,
//! MRG32k3a, MTGP32, Philox, MT19937 and the Sobol' sequences of 32 and 64 bits, plain and scrambled. Normal and log-normal reals differ
//! from them in the last bits. Numbers of Poisson are of the same distribution, and others.
//!
//! The dynamic order follows from the GPU: it is there on a device that has NVIDIA's library.
//!
//! Source: cuRAND Library, "Host API Overview".

use crate::call::{Call, Outcome, Routine, Status, Statuses};
use crate::element::Element;
use crate::handles::GENERATOR;
use crate::operand::{Operand, Vector};
use crate::random::{DIMENSIONS, MOST_MEAN, Mt19937, Mtgp32, Poisson, Sequence, Sobol, Subsequences};
use crate::state::Generator;
use device::{Agreement, CudaError};
use finding::MemoryPlace;
use mem::Region;

pub(crate) const STATUSES: Statuses = Statuses { bad_handle: 101, bad_value: 104, failed: 201 };

/// Statuses of this library alone.
const NOT_A_MULTIPLE: i32 = 105;
const TYPE_ERROR: i32 = 103;

/// The default generator and its other name.
const DEFAULT: i64 = 100;
const XORWOW: i64 = 101;
const MRG32K3A: i64 = 121;
const MTGP32: i64 = 141;
const MT19937: i64 = 142;
const PHILOX: i64 = 161;
/// The first of the quasi-random generators: the default one, and its other name.
const QUASI: i64 = 200;
const SOBOL32: i64 = 201;
const SCRAMBLED_SOBOL32: i64 = 202;
const SOBOL64: i64 = 203;
const SCRAMBLED_SOBOL64: i64 = 204;
const KINDS: [i64; 11] =
    [DEFAULT, XORWOW, MRG32K3A, MTGP32, MT19937, PHILOX, QUASI, SOBOL32, SCRAMBLED_SOBOL32, SOBOL64, SCRAMBLED_SOBOL64];
/// The first generator of 64 bits.
const OF_64_BITS: i64 = SOBOL64;
/// Generators whose sequence cannot be entered at an offset.
const WITHOUT_OFFSET: [i64; 2] = [MTGP32, MT19937];
/// Orders: two names of the usual one, one with a seed for each subsequence, and the one of before.
const BEST: i64 = 100;
const USUAL: i64 = 101;
const SEEDED: i64 = 102;
const LEGACY: i64 = 103;
/// The order that depends on the GPU.
const DYNAMIC: i64 = 104;
/// The order of quasi-random generators.
const QUASI_ORDER: i64 = 201;
/// Rounding units in which normal reals of 4 and 8 bytes agree with those of NVIDIA's library.
const UNITS: [f64; 2] = [25.0, 45.0];
/// The version of the library.
const VERSION: i32 = 10_309;

/// Table: the routines.
pub(crate) static ROUTINES: &[Routine] = &[
    Routine { name: "curandCreateGenerator", run: create::<false> },
    Routine { name: "curandCreateGeneratorHost", run: create::<true> },
    Routine { name: "curandDestroyGenerator", run: destroy },
    Routine { name: "curandGetVersion", run: version },
    Routine { name: "curandSetStream", run: set_stream },
    Routine { name: "curandSetPseudoRandomGeneratorSeed", run: set_seed },
    Routine { name: "curandSetGeneratorOffset", run: set_offset },
    Routine { name: "curandSetGeneratorOrdering", run: set_order },
    Routine { name: "curandSetQuasiRandomGeneratorDimensions", run: set_dimensions },
    Routine { name: "curandGenerateSeeds", run: generate_seeds },
    Routine { name: "curandGenerate", run: generate },
    Routine { name: "curandGenerateLongLong", run: generate_long },
    Routine { name: "curandGenerateUniform", run: generate_uniform },
    Routine { name: "curandGenerateUniformDouble", run: generate_uniform8 },
    Routine { name: "curandGenerateNormal", run: generate_normal::<false> },
    Routine { name: "curandGenerateNormalDouble", run: generate_normal8::<false> },
    Routine { name: "curandGenerateLogNormal", run: generate_normal::<true> },
    Routine { name: "curandGenerateLogNormalDouble", run: generate_normal8::<true> },
    Routine { name: "curandGeneratePoisson", run: generate_poisson },
];

fn create<const OF_HOST: bool>(call: &mut Call<'_>) -> Outcome {
    let address = call.word();
    let kind = call.int();
    if !KINDS.contains(&kind) {
        let reason = format!("generator {kind} is none that there is; `CURAND_RNG_PSEUDO_XORWOW` (101) is one");
        return call.wrong(reason).map_err(|_| Status(TYPE_ERROR));
    }
    let generator = Generator {
        kind,
        is_of_host: OF_HOST,
        stream: 0,
        seed: 0,
        offset: 0,
        given: 0,
        order: USUAL,
        dimensions: 1,
        at: None,
    };
    let handle = call.state.curand.add(generator);
    call.put(address, &handle.to_le_bytes(), "generator")?;
    call.has_made(handle, &GENERATOR, "curandDestroyGenerator")?;
    call.done()
}

fn destroy(call: &mut Call<'_>) -> Outcome {
    let handle = call.word();
    match call.state.curand.remove(handle) {
        Some(_) => {
            call.has_destroyed(handle);
            call.done()
        }
        None => call.no_handle(&GENERATOR, handle),
    }
}

fn version(call: &mut Call<'_>) -> Outcome {
    let address = call.word();
    call.put(address, &VERSION.to_le_bytes(), "version")?;
    call.answered()
}

/// Changes a generator.
fn change(call: &mut Call<'_>, handle: u64, set: impl FnOnce(&mut Generator)) -> Outcome {
    match call.state.curand.get(handle) {
        Some(generator) => set(generator),
        None => return call.no_handle(&GENERATOR, handle),
    }
    call.has_set(handle)?;
    call.done()
}

/// The type of a generator.
fn kind_of(call: &mut Call<'_>, handle: u64) -> Result<i64, Status> {
    match call.state.curand.get(handle) {
        Some(generator) => Ok(generator.kind),
        None => call.no_handle(&GENERATOR, handle),
    }
}

/// What a generator of this type does not have.
fn not_of_kind<T>(call: &mut Call<'_>, kind: i64, what: &str) -> Result<T, Status> {
    call.wrong(format!("generator {kind} has no {what}")).map_err(|_| Status(TYPE_ERROR))
}

fn set_stream(call: &mut Call<'_>) -> Outcome {
    let (handle, stream) = (call.word(), call.stream_word());
    let failed = Status(call.statuses.failed);
    call.runtime.check_stream(stream, call.name, call.span).map_err(|_| failed)?;
    change(call, handle, |generator| generator.stream = stream)
}

fn set_seed(call: &mut Call<'_>) -> Outcome {
    let (handle, seed) = (call.word(), call.word());
    let kind = kind_of(call, handle)?;
    if kind >= QUASI {
        return not_of_kind(call, kind, "seed");
    }
    change(call, handle, |generator| {
        if generator.seed != seed && generator.may_begin_anew() {
            generator.begin_anew();
            generator.seed = seed;
        }
    })
}

fn set_offset(call: &mut Call<'_>) -> Outcome {
    let (handle, offset) = (call.word(), call.word());
    let kind = kind_of(call, handle)?;
    if WITHOUT_OFFSET.contains(&kind) {
        return not_of_kind(call, kind, "offset");
    }
    change(call, handle, |generator| (generator.offset, generator.given, generator.at) = (offset, 0, None))
}

fn set_order(call: &mut Call<'_>) -> Outcome {
    let handle = call.word();
    let order = call.int();
    let kind = kind_of(call, handle)?;
    let is_there = match order {
        BEST | USUAL | LEGACY => kind < QUASI,
        SEEDED => kind <= XORWOW,
        QUASI_ORDER => kind >= QUASI,
        _ => false,
    };
    if !is_there && !call.may_be_of_vendor() {
        if order == DYNAMIC && kind < QUASI && ![MTGP32, MT19937].contains(&kind) {
            let reason = "the dynamic order (104) depends on the GPU and works with `--device gpu`";
            return call.wrong(reason.to_owned());
        }
        let usual =
            if kind < QUASI { "CURAND_ORDERING_PSEUDO_DEFAULT` (101)" } else { "CURAND_ORDERING_QUASI_DEFAULT` (201)" };
        return call.wrong(format!("generator {kind} has no order {order} here; it has `{usual}"));
    }
    change(call, handle, |generator| {
        if generator.order != order {
            generator.begin_anew();
            generator.order = order;
        }
    })
}

fn set_dimensions(call: &mut Call<'_>) -> Outcome {
    let handle = call.word();
    let dimensions = call.int();
    let kind = kind_of(call, handle)?;
    if kind < QUASI {
        return not_of_kind(call, kind, "dimensions");
    }
    if dimensions < 1 {
        return call.wrong(format!("the number of dimensions is {dimensions}, and must be 1 or more"));
    }
    let most = DIMENSIONS as i64;
    if dimensions > most && !call.may_be_of_vendor() {
        return call.wrong(format!(
            "the number of dimensions is {dimensions}; there are {most} without NVIDIA's library (`--device gpu`)"
        ));
    }
    change(call, handle, |generator| (generator.dimensions, generator.given, generator.at) = (dimensions, 0, None))
}

/// What a generator prepares is prepared by the first call in any case.
fn generate_seeds(call: &mut Call<'_>) -> Outcome {
    let handle = call.word();
    call.note_object(handle);
    kind_of(call, handle)?;
    let mut stream = 0;
    if let Some(generator) = call.state.curand.get(handle) {
        stream = generator.stream;
        if generator.kind < QUASI && generator.may_begin_anew() {
            generator.begin_anew();
        }
        generator.sequence();
    }
    if call.is_of_vendor() && call.may_be_of_vendor() {
        return call.submit(stream, Vec::new(), Vec::new(), false, |_| Err(CudaError::NotSupported));
    }
    call.done()
}

impl Generator {
    /// Whether the seed counts still: MTGP32 keeps the one with which it has begun.
    fn may_begin_anew(&self) -> bool {
        self.kind != MTGP32 || self.at.is_none()
    }

    /// Prepares it anew, for another seed or order, or because the program asks for that. That does not lead to where it began: XORWOW and
    /// MRG32k3a go on at the same place, Philox does at a fourth of the numbers that it has given (NVIDIA does not document this;
    /// it was seen in what cuRAND 10.4 gives), and MT19937 begins again.
    fn begin_anew(&mut self) {
        let end = self.offset.wrapping_add(self.given);
        self.offset = match self.kind {
            DEFAULT | XORWOW | MRG32K3A => end,
            PHILOX => self.offset.wrapping_add(end / 4).wrapping_sub(self.offset / 4),
            _ => self.offset,
        };
        (self.given, self.at) = (0, None);
    }

    /// What it is at; nothing for a generator that there is not.
    fn sequence(&mut self) -> Option<&mut Sequence> {
        let Generator { kind, seed, offset, order, dimensions, .. } = *self;
        let begin = || match kind {
            DEFAULT | XORWOW if order == SEEDED => Some(Sequence::Xorwow(Subsequences::of_seeds(seed, offset))),
            DEFAULT | XORWOW => Some(Sequence::Xorwow(Subsequences::of_xorwow(seed, offset))),
            MRG32K3A => Some(Sequence::Mrg32k3a(Subsequences::of_mrg32k3a(seed, offset, order == LEGACY))),
            MTGP32 => Some(Sequence::Mtgp32(Mtgp32::new(seed, order == LEGACY))),
            MT19937 => Some(Sequence::Mt19937(Mt19937::new(seed))),
            PHILOX => Some(Sequence::Philox { seed, at: offset }),
            QUASI | SOBOL32 => Some(Sequence::Sobol(Sobol::new(32, dimensions as usize, offset, false))),
            SCRAMBLED_SOBOL32 => Some(Sequence::Sobol(Sobol::new(32, dimensions as usize, offset, true))),
            SOBOL64 => Some(Sequence::Sobol(Sobol::new(64, dimensions as usize, offset, false))),
            SCRAMBLED_SOBOL64 => Some(Sequence::Sobol(Sobol::new(64, dimensions as usize, offset, true))),
            _ => None,
        };
        if self.at.is_none() {
            self.at = begin();
        }
        self.at.as_mut()
    }
}

/// How numbers are grouped, and how far they agree with NVIDIA's.
struct Kind {
    /// Whether they come in pairs.
    in_pairs: bool,
    /// `None` if they do not agree.
    agreement: Option<Agreement>,
}

const SAME: Kind = Kind { in_pairs: false, agreement: Some(Agreement::Bits) };

/// Fills an array with the next numbers.
fn fill<T: Element>(
    call: &mut Call<'_>,
    handle: u64,
    (address, count): (u64, u64),
    kind_of_numbers: &Kind,
    next: impl FnOnce(&mut Sequence, usize) -> Vec<T>,
) -> Outcome {
    let Some(generator) = call.state.curand.get(handle) else { return call.no_handle(&GENERATOR, handle) };
    let (is_of_host, stream, kind) = (generator.is_of_host, generator.stream, generator.kind);
    let dimensions = generator.dimensions as u64;
    if kind_of_numbers.in_pairs && count % 2 != 0 && kind < QUASI && ![MTGP32, MT19937].contains(&kind) {
        let reason = format!("the number of elements is {count}, and must be even");
        return call.wrong(reason).map_err(|_| Status(NOT_A_MULTIPLE));
    }
    if count % dimensions != 0 {
        let reason =
            format!("the number of elements is {count}, and must be a multiple of {dimensions}, the dimensions");
        return call.wrong(reason).map_err(|_| Status(NOT_A_MULTIPLE));
    }
    let wrong = match Region::of(address) {
        Some(region) if is_of_host && !region.is_host_accessible() => Some(MemoryPlace::Host),
        Some(region) if !is_of_host && !region.is_device_accessible() && !call.memory.is_locked(address, 1) => {
            Some(MemoryPlace::Device)
        }
        _ => None,
    };
    if let Some(belongs) = wrong {
        return call.in_wrong_memory("the array".to_owned(), belongs);
    }
    let array = Vector::<T>::new(address, count as usize, 1);
    // Bad arrays are found before so many numbers are made.
    let failed = Status(call.statuses.failed);
    let checked = call.runtime.check_section(call.memory, &array.section(), finding::What::Write, call.name, call.span);
    checked.map_err(|_| failed)?;
    let is_of_vendor = call.is_of_vendor();
    if is_of_vendor && is_of_host {
        call.note_result(address, &vec![0; count as usize * T::BYTES]);
    }
    let written = match kind_of_numbers.agreement {
        Some(agreement) => array.written().within(agreement),
        None => device::Written::undefined(array.section()),
    };
    if is_of_vendor && call.may_be_of_vendor() {
        return call.submit(stream, Vec::new(), vec![written], is_of_host, |_| Err(CudaError::NotSupported));
    }
    let sequence = call.state.curand.get(handle).and_then(Generator::sequence);
    let Some(sequence) = sequence else {
        return call.wrong(format!("generator {kind} is none that there is")).map_err(|_| Status(TYPE_ERROR));
    };
    let values = next(sequence, count as usize);
    if let Some(generator) = call.state.curand.get(handle) {
        // A pair of normal reals counts once where it is made of one number each of two.
        let is_of_pairs = kind_of_numbers.in_pairs && [DEFAULT, XORWOW, MRG32K3A].contains(&kind);
        generator.given += if is_of_pairs { count / 2 } else { count };
    }
    call.submit(stream, Vec::new(), vec![written], is_of_host, move |memory| array.store(memory, &values))
}

/// The generator and the array, the first arguments.
fn head(call: &mut Call<'_>) -> (u64, (u64, u64)) {
    let handle = call.word();
    call.note_object(handle);
    (handle, (call.word(), call.word()))
}

/// Numbers of 64 bits, which some quasi-random generators have.
fn generate_long(call: &mut Call<'_>) -> Outcome {
    let (handle, array) = head(call);
    let kind = kind_of(call, handle)?;
    if kind < OF_64_BITS {
        return not_of_kind(call, kind, "numbers of 64 bits");
    }
    fill(call, handle, array, &SAME, |sequence, count| sequence.longs(count).into_iter().map(f64::from_bits).collect())
}

/// Integers with a mean.
fn generate_poisson(call: &mut Call<'_>) -> Outcome {
    let (handle, array) = head(call);
    let mean = call.real8();
    if !(mean > 0.0 && mean <= MOST_MEAN) {
        return call.wrong(format!("`lambda` is {mean}, and must be more than 0 and at most {MOST_MEAN}"));
    }
    fill(call, handle, array, &Kind { in_pairs: false, agreement: None }, |sequence, count| {
        sequence.poisson(count, &Poisson::new(mean)).into_iter().map(f32::from_bits).collect()
    })
}

fn generate(call: &mut Call<'_>) -> Outcome {
    let (handle, array) = head(call);
    let kind = kind_of(call, handle)?;
    if kind >= OF_64_BITS {
        return not_of_kind(call, kind, "numbers of 32 bits");
    }
    fill(call, handle, array, &SAME, |sequence, count| sequence.words(count).into_iter().map(f32::from_bits).collect())
}

fn generate_uniform(call: &mut Call<'_>) -> Outcome {
    let (handle, array) = head(call);
    fill(call, handle, array, &SAME, Sequence::uniform4)
}

fn generate_uniform8(call: &mut Call<'_>) -> Outcome {
    let (handle, array) = head(call);
    fill(call, handle, array, &SAME, Sequence::uniform8)
}

fn generate_normal<const IS_LOG: bool>(call: &mut Call<'_>) -> Outcome {
    let (handle, array) = head(call);
    let (mean, deviation) = (call.real4(), call.real4());
    let shape = move |x: f32| if IS_LOG { (mean + deviation * x).exp() } else { mean + deviation * x };
    let kind = Kind { in_pairs: true, agreement: Some(Agreement::Units(UNITS[0])) };
    fill(call, handle, array, &kind, |sequence, count| sequence.normal4(count).into_iter().map(shape).collect())
}

fn generate_normal8<const IS_LOG: bool>(call: &mut Call<'_>) -> Outcome {
    let (handle, array) = head(call);
    let (mean, deviation) = (call.real8(), call.real8());
    let shape = move |x: f64| if IS_LOG { (mean + deviation * x).exp() } else { mean + deviation * x };
    let kind = Kind { in_pairs: true, agreement: Some(Agreement::Units(UNITS[1])) };
    fill(call, handle, array, &kind, |sequence, count| sequence.normal8(count).into_iter().map(shape).collect())
}
