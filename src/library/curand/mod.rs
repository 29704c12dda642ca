//! cuRAND's host interface: generators whose numbers go to memory of the device, or of the host.
//!
//! The numbers of XORWOW, the default generator, are those of NVIDIA's library, bit for bit: seeds, offsets, the default order,
//! integers and uniform reals. Normal and log-normal reals differ from them in the last bits, because NVIDIA's come from
//! approximate functions of the GPU.
//!
//! Source: cuRAND Library, "Host API Overview".

use crate::call::{Call, Outcome, Routine, Status, Statuses};
use crate::element::Element;
use crate::operand::Vector;
use crate::state::Generator;
use mem::Region;
use scalar::xorwow::Xorwow;
use std::f32::consts::TAU as TAU4;
use std::f64::consts::TAU as TAU8;

pub(crate) const STATUSES: Statuses = Statuses { bad_handle: 101, bad_value: 104, failed: 201 };

/// Statuses of this library alone.
const NOT_A_MULTIPLE: i32 = 105;
const TYPE_ERROR: i32 = 103;

/// The generators that there are: the default one and its other name.
const DEFAULT: i64 = 100;
const XORWOW: i64 = 101;
/// Orders of which all give the same sequence.
const ORDERS: [i64; 3] = [100, 101, 104];
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
    Routine { name: "curandGenerateSeeds", run: generate_seeds },
    Routine { name: "curandGenerate", run: generate },
    Routine { name: "curandGenerateUniform", run: generate_uniform },
    Routine { name: "curandGenerateUniformDouble", run: generate_uniform8 },
    Routine { name: "curandGenerateNormal", run: generate_normal::<false> },
    Routine { name: "curandGenerateNormalDouble", run: generate_normal8::<false> },
    Routine { name: "curandGenerateLogNormal", run: generate_normal::<true> },
    Routine { name: "curandGenerateLogNormalDouble", run: generate_normal8::<true> },
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
    match call.int() {
        DEFAULT | XORWOW => {}
        kind => {
            let reason = format!("generator {kind} is not supported; `CURAND_RNG_PSEUDO_XORWOW` (101) is");
            call.wrong::<()>(reason).map_err(|_| Status(TYPE_ERROR))?;
        }
    }
    let generator = Generator { is_of_host: OF_HOST, stream: 0, seed: 0, offset: 0, at: None };
    let handle = call.state.curand.add(generator);
    call.put(address, &handle.to_le_bytes(), "generator")?;
    call.done()
}

fn destroy(call: &mut Call<'_>) -> Outcome {
    let handle = call.word();
    match call.state.curand.remove(handle) {
        Some(_) => call.done(),
        None => call.no_handle("generator"),
    }
}

fn version(call: &mut Call<'_>) -> Outcome {
    let address = call.word();
    call.put(address, &VERSION.to_le_bytes(), "version")?;
    call.done()
}

/// Changes a generator.
fn change(call: &mut Call<'_>, handle: u64, set: impl FnOnce(&mut Generator)) -> Outcome {
    match call.state.curand.get(handle) {
        Some(generator) => set(generator),
        None => return call.no_handle("generator"),
    }
    call.done()
}

fn set_stream(call: &mut Call<'_>) -> Outcome {
    let (handle, stream) = (call.word(), call.word());
    let failed = Status(call.statuses.failed);
    call.runtime.check_stream(stream, call.name, call.span).map_err(|_| failed)?;
    change(call, handle, |generator| generator.stream = stream)
}

fn set_seed(call: &mut Call<'_>) -> Outcome {
    let (handle, seed) = (call.word(), call.word());
    change(call, handle, |generator| (generator.seed, generator.at) = (seed, None))
}

fn set_offset(call: &mut Call<'_>) -> Outcome {
    let (handle, offset) = (call.word(), call.word());
    change(call, handle, |generator| (generator.offset, generator.at) = (offset, None))
}

fn set_order(call: &mut Call<'_>) -> Outcome {
    let handle = call.word();
    let order = call.int();
    if !ORDERS.contains(&order) {
        return call.wrong(format!("order {order} is not supported; `CURAND_ORDERING_PSEUDO_DEFAULT` (101) is"));
    }
    change(call, handle, |generator| generator.at = None)
}

fn generate_seeds(call: &mut Call<'_>) -> Outcome {
    let handle = call.word();
    change(call, handle, |generator| {
        generator.subsequences();
    })
}

/// Fills an array with what the subsequences give in turn, `PER_TURN` elements each.
fn fill<T: Element, const PER_TURN: usize>(
    call: &mut Call<'_>,
    handle: u64,
    (address, count): (u64, u64),
    draw: impl Fn(&mut Xorwow) -> [T; PER_TURN],
) -> Outcome {
    let Some(generator) = call.state.curand.get(handle) else { return call.no_handle("generator") };
    let (is_of_host, stream) = (generator.is_of_host, generator.stream);
    if count % PER_TURN as u64 != 0 {
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
    let mut values = Vec::with_capacity(count as usize);
    if let Some(generator) = call.state.curand.get(handle) {
        generator.subsequences().turns(count as usize / PER_TURN, |state| values.extend(draw(state)));
    }
    call.submit(stream, Vec::new(), vec![array.section()], is_of_host, move |memory| array.store(memory, &values))
}

fn generate(call: &mut Call<'_>) -> Outcome {
    let (handle, array) = (call.word(), (call.word(), call.word()));
    fill(call, handle, array, |state| [f32::from_bits(state.next_number())])
}

fn generate_uniform(call: &mut Call<'_>) -> Outcome {
    let (handle, array) = (call.word(), (call.word(), call.word()));
    fill(call, handle, array, |state| [uniform(state.next_number())])
}

fn generate_uniform8(call: &mut Call<'_>) -> Outcome {
    let (handle, array) = (call.word(), (call.word(), call.word()));
    fill(call, handle, array, |state| [uniform8(state)])
}

fn generate_normal<const IS_LOG: bool>(call: &mut Call<'_>) -> Outcome {
    let (handle, array) = (call.word(), (call.word(), call.word()));
    let (mean, deviation) = (call.real4(), call.real4());
    let shape = move |x: f32| if IS_LOG { (mean + deviation * x).exp() } else { mean + deviation * x };
    fill(call, handle, array, move |state| normal(state).map(shape))
}

fn generate_normal8<const IS_LOG: bool>(call: &mut Call<'_>) -> Outcome {
    let (handle, array) = (call.word(), (call.word(), call.word()));
    let (mean, deviation) = (call.real8(), call.real8());
    let shape = move |x: f64| if IS_LOG { (mean + deviation * x).exp() } else { mean + deviation * x };
    fill(call, handle, array, move |state| normal8(state).map(shape))
}
