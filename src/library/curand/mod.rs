//! cuRAND's host interface: generators whose numbers go to memory of the device, or of the host.
//!
//! The numbers of XORWOW, the default generator, are those of NVIDIA's library, bit for bit: seeds, offsets, the default order,
//! integers and uniform reals. Normal and log-normal reals differ from them in the last bits, because NVIDIA's come from
//! approximate functions of the GPU.
//!
//! The other generators, and numbers of Poisson, are NVIDIA's: they are there on a device that has its library.
//!
//! Source: cuRAND Library, "Host API Overview".

use crate::call::{Call, Outcome, Routine, Status, Statuses};
use crate::element::Element;
use crate::operand::Vector;
use crate::state::Generator;
use device::CudaError;
use mem::Region;
use scalar::xorwow::Xorwow;
use std::f32::consts::TAU as TAU4;
use std::f64::consts::TAU as TAU8;

pub(crate) const STATUSES: Statuses = Statuses { bad_handle: 101, bad_value: 104, failed: 201 };

/// Statuses of this library alone.
const NOT_A_MULTIPLE: i32 = 105;
const TYPE_ERROR: i32 = 103;

/// The generators that there are everywhere: the default one and its other name.
const DEFAULT: i64 = 100;
const XORWOW: i64 = 101;
/// The others of NVIDIA's library; from the last four on they are no pseudo-random ones.
const KINDS: [i64; 9] = [121, 141, 142, 161, QUASI, 201, 202, 203, 204];
/// The first of the quasi-random generators.
const QUASI: i64 = 200;
/// Generators whose sequence cannot be entered at an offset.
const WITHOUT_OFFSET: [i64; 2] = [141, 142];
/// Orders that give the same sequence.
const ORDERS: [i64; 2] = [100, 101];
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

/// A real in (0, 1].
pub(crate) fn uniform(x: u32) -> f32 {
    const SCALE: f32 = 2.328_306_4e-10;
    x as f32 * SCALE + SCALE / 2.0
}

/// The same of 53 bits.
fn uniform8(state: &mut Xorwow) -> f64 {
    const SCALE: f64 = 1.110_223_024_625_156_5e-16;
    let (x, y) = (u64::from(state.next_number()), u64::from(state.next_number()));
    (x ^ y << 21) as f64 * SCALE + SCALE / 2.0
}

/// Two normal reals by the method of Box and Muller.
fn normal(state: &mut Xorwow) -> [f32; 2] {
    const SCALE: f32 = 2.328_306_4e-10;
    let u = uniform(state.next_number());
    let v = state.next_number() as f32 * (SCALE * TAU4) + SCALE * TAU4 / 2.0;
    let s = (-2.0 * u.ln()).sqrt();
    [s * v.sin(), s * v.cos()]
}

fn normal8(state: &mut Xorwow) -> [f64; 2] {
    let (u, v) = (uniform8(state), uniform8(state) * TAU8);
    let s = (-2.0 * u.ln()).sqrt();
    [s * v.sin(), s * v.cos()]
}

fn create<const OF_HOST: bool>(call: &mut Call<'_>) -> Outcome {
    let address = call.word();
    let kind = call.int();
    let is_there = match kind {
        DEFAULT | XORWOW => true,
        _ => KINDS.contains(&kind) && call.may_be_of_vendor(),
    };
    if !is_there {
        let reason = format!("generator {kind} is not supported; `CURAND_RNG_PSEUDO_XORWOW` (101) is");
        return call.wrong(reason).map_err(|_| Status(TYPE_ERROR));
    }
    let generator = Generator { kind, is_of_host: OF_HOST, stream: 0, seed: 0, offset: 0, at: None };
    let handle = call.state.curand.add(generator);
    call.put(address, &handle.to_le_bytes(), "generator")?;
    call.has_made(handle, "curandDestroyGenerator")?;
    call.done()
}

fn destroy(call: &mut Call<'_>) -> Outcome {
    let handle = call.word();
    match call.state.curand.remove(handle) {
        Some(_) => {
            call.has_destroyed(handle);
            call.done()
        }
        None => call.no_handle("generator"),
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
        None => return call.no_handle("generator"),
    }
    call.has_set(handle)?;
    call.done()
}

/// The type of a generator.
fn kind_of(call: &mut Call<'_>, handle: u64) -> Result<i64, Status> {
    match call.state.curand.get(handle) {
        Some(generator) => Ok(generator.kind),
        None => call.no_handle("generator"),
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
    change(call, handle, |generator| (generator.seed, generator.at) = (seed, None))
}

fn set_offset(call: &mut Call<'_>) -> Outcome {
    let (handle, offset) = (call.word(), call.word());
    let kind = kind_of(call, handle)?;
    if WITHOUT_OFFSET.contains(&kind) {
        return not_of_kind(call, kind, "offset");
    }
    change(call, handle, |generator| (generator.offset, generator.at) = (offset, None))
}

fn set_order(call: &mut Call<'_>) -> Outcome {
    let handle = call.word();
    let order = call.int();
    if !ORDERS.contains(&order) && !call.may_be_of_vendor() {
        return call.wrong(format!("order {order} is not supported; `CURAND_ORDERING_PSEUDO_DEFAULT` (101) is"));
    }
    change(call, handle, |generator| generator.at = None)
}

fn set_dimensions(call: &mut Call<'_>) -> Outcome {
    let handle = call.word();
    call.word();
    let kind = kind_of(call, handle)?;
    if kind < QUASI {
        return not_of_kind(call, kind, "dimensions");
    }
    change(call, handle, |_| {})
}

/// What a generator prepares is prepared by the first call in any case.
fn generate_seeds(call: &mut Call<'_>) -> Outcome {
    let handle = call.word();
    let kind = kind_of(call, handle)?;
    if kind <= XORWOW
        && let Some(generator) = call.state.curand.get(handle)
    {
        generator.subsequences();
    }
    call.done()
}

/// Fills an array with what the subsequences give in turn, `PER_TURN` elements each.
fn fill<T: Element, const PER_TURN: usize>(
    call: &mut Call<'_>,
    handle: u64,
    (address, count): (u64, u64),
    draw: impl Fn(&mut Xorwow) -> [T; PER_TURN],
) -> Outcome {
    let Some(generator) = call.state.curand.get(handle) else { return call.no_handle("generator") };
    let (is_of_host, stream, kind) = (generator.is_of_host, generator.stream, generator.kind);
    if count % PER_TURN as u64 != 0 && kind < QUASI {
        let reason = format!("the number of elements is {count}, and must be even");
        return call.wrong(reason).map_err(|_| Status(NOT_A_MULTIPLE));
    }
    let wrong = match Region::of(address) {
        Some(region) if is_of_host && !region.is_host_accessible() => Some(("device", "host")),
        Some(region) if !is_of_host && !region.is_device_accessible() => Some(("host", "device")),
        _ => None,
    };
    if let Some((is, belongs)) = wrong {
        return call.wrong(format!("the array is in {is} memory, and belongs in {belongs} memory"));
    }
    let array = Vector::<T>::new(address, count as usize, 1);
    // Bad arrays are found before so many numbers are made.
    let failed = Status(call.statuses.failed);
    let checked = call.runtime.check_section(call.memory, &array.section(), finding::What::Write, call.name, call.span);
    checked.map_err(|_| failed)?;
    if call.is_of_vendor() {
        if is_of_host {
            call.note_result(address, &vec![0; count as usize * T::BYTES]);
        }
        return call.submit(stream, Vec::new(), vec![array.section()], is_of_host, |_| Err(CudaError::NotSupported));
    }
    if kind > XORWOW {
        return call.wrong(format!("generator {kind} needs NVIDIA's library")).map_err(|_| Status(TYPE_ERROR));
    }
    let mut values = Vec::with_capacity(count as usize);
    if let Some(generator) = call.state.curand.get(handle) {
        generator.subsequences().turns(count as usize / PER_TURN, |state| values.extend(draw(state)));
    }
    call.submit(stream, Vec::new(), vec![array.section()], is_of_host, move |memory| array.store(memory, &values))
}

/// The generator and the array, the first arguments.
fn head(call: &mut Call<'_>) -> (u64, (u64, u64)) {
    let handle = call.word();
    call.note_object(handle);
    (handle, (call.word(), call.word()))
}

/// Numbers of 64 bits, which quasi-random generators have.
fn generate_long(call: &mut Call<'_>) -> Outcome {
    let (handle, array) = head(call);
    of_vendor::<f64>(call, handle, array, "numbers of 64 bits")
}

/// Integers with a mean.
fn generate_poisson(call: &mut Call<'_>) -> Outcome {
    let (handle, array) = head(call);
    call.real8();
    of_vendor::<f32>(call, handle, array, "numbers of Poisson")
}

/// Fills an array by NVIDIA's library, which alone can do it.
fn of_vendor<T: Element>(call: &mut Call<'_>, handle: u64, array: (u64, u64), what: &str) -> Outcome {
    let kind = kind_of(call, handle)?;
    if call.notes.is_none() {
        return not_of_kind(call, kind, &format!("{what} without NVIDIA's library (`--device gpu`)"));
    }
    if !call.is_of_vendor() {
        return not_of_kind(call, kind, &format!("{what} without NVIDIA's library"));
    }
    fill(call, handle, array, |_| [T::ZERO])
}

fn generate(call: &mut Call<'_>) -> Outcome {
    let (handle, array) = head(call);
    fill(call, handle, array, |state| [f32::from_bits(state.next_number())])
}

fn generate_uniform(call: &mut Call<'_>) -> Outcome {
    let (handle, array) = head(call);
    fill(call, handle, array, |state| [uniform(state.next_number())])
}

fn generate_uniform8(call: &mut Call<'_>) -> Outcome {
    let (handle, array) = head(call);
    fill(call, handle, array, |state| [uniform8(state)])
}

fn generate_normal<const IS_LOG: bool>(call: &mut Call<'_>) -> Outcome {
    let (handle, array) = head(call);
    let (mean, deviation) = (call.real4(), call.real4());
    let shape = move |x: f32| if IS_LOG { (mean + deviation * x).exp() } else { mean + deviation * x };
    fill(call, handle, array, move |state| normal(state).map(shape))
}

fn generate_normal8<const IS_LOG: bool>(call: &mut Call<'_>) -> Outcome {
    let (handle, array) = head(call);
    let (mean, deviation) = (call.real8(), call.real8());
    let shape = move |x: f64| if IS_LOG { (mean + deviation * x).exp() } else { mean + deviation * x };
    fill(call, handle, array, move |state| normal8(state).map(shape))
}
