//! Plans by their handles: what is known before anything is transformed.

use super::{INCOMPLETE, INVALID_PLAN, STATUSES};
use crate::call::{Call, Outcome, Status};
use crate::fft::Plan;
use crate::handles::PLAN;
use device::VendorArg;

/// The version of the library that the routines are those of: 11.3.3.
const VERSION: [i32; 3] = [11, 3, 3];

impl Call<'_> {
    /// The next argument, which is the number of a plan.
    pub(super) fn plan_number(&mut self) -> u64 {
        let number = u64::from(self.word() as u32);
        self.note_object(number);
        number
    }

    /// The plan of that number.
    pub(super) fn plan(&mut self, number: u64) -> Result<&mut Plan, Status> {
        if self.state.cufft.get(number).is_none() {
            return self.no_handle(&PLAN, number);
        }
        self.state.cufft.get(number).ok_or(Status(STATUSES.bad_handle))
    }

    /// Makes a plan and writes its number at that address.
    pub(super) fn add_plan(&mut self, address: u64, plan: Plan) -> Outcome {
        let number = self.state.cufft.add(plan);
        self.put(address, &(number as i32).to_le_bytes(), "plan")?;
        self.has_made(number, &PLAN, "cufftDestroy")?;
        self.done()
    }

    /// Writes a number of bytes at the address that is the next argument.
    pub(super) fn put_size(&mut self, bytes: u64) -> Outcome {
        let address = self.word();
        self.put(address, &bytes.to_le_bytes(), "workSize")?;
        self.answered()
    }

    /// The bytes of the work area of a plan; `own` are enough here.
    pub(super) fn work_area_bytes(&mut self, number: u64, own: u64) -> Result<u64, Status> {
        match self.state.objects.get(&number).cloned() {
            Some(plan) => self.work_size_of("cufftGetSize", vec![VendorArg::Object(plan)], own, &[size_of::<usize>()]),
            None => Ok(own),
        }
    }
}

pub(super) fn create(call: &mut Call<'_>) -> Outcome {
    let address = call.word();
    call.add_plan(address, Plan::new())
}

pub(super) fn destroy(call: &mut Call<'_>) -> Outcome {
    let number = call.plan_number();
    match call.state.cufft.remove(number) {
        Some(_) => {
            call.has_destroyed(number);
            call.done()
        }
        None => call.no_handle(&PLAN, number),
    }
}

pub(super) fn set_stream(call: &mut Call<'_>) -> Outcome {
    let (number, stream) = (call.plan_number(), call.stream_word());
    call.plan(number)?;
    let failed = Status(call.statuses.failed);
    call.runtime.check_stream(stream, call.name, call.span).map_err(|_| failed)?;
    call.plan(number)?.stream = stream;
    call.has_set(number)?;
    call.done()
}

pub(super) fn set_auto_allocation(call: &mut Call<'_>) -> Outcome {
    let (number, allocates) = (call.plan_number(), call.int() != 0);
    call.plan(number)?.allocates = allocates;
    call.has_made_more(number);
    call.done()
}

pub(super) fn set_work_area(call: &mut Call<'_>) -> Outcome {
    let (number, address) = (call.plan_number(), call.word());
    call.plan(number)?;
    call.check_device(address, "workArea")?;
    call.plan(number)?.work_area = Some(address);
    call.has_set(number)?;
    call.done()
}

/// The bytes of the work area of a plan.
pub(super) fn size(call: &mut Call<'_>) -> Outcome {
    let number = call.plan_number();
    match call.plan(number)?.shape.clone() {
        Some(shape) => call.put_size(shape.bytes().unwrap_or(0)),
        None => {
            call.refuse(INVALID_PLAN, "the plan was created, and no `cufftMakePlan…` says what it is for".to_owned())
        }
    }
}

pub(super) fn version(call: &mut Call<'_>) -> Outcome {
    let address = call.word();
    let [major, minor, patch] = VERSION;
    let version = 1000 * major + 100 * minor + patch;
    call.put(address, &version.to_le_bytes(), "version")?;
    call.answered()
}

/// A part of the version by its number: major, minor, patch.
pub(super) fn property(call: &mut Call<'_>) -> Outcome {
    let (kind, address) = (call.int(), call.word());
    match usize::try_from(kind).ok().and_then(|kind| VERSION.get(kind)) {
        Some(part) => call.put(address, &part.to_le_bytes(), "value")?,
        None => return call.wrong(format!("`type` is {kind}, which is no property")),
    }
    call.answered()
}

/// What a plan is for, as module `cufftxt` asks: writes rank, lengths, type, how many transforms, and the stream.
pub(super) fn describe(call: &mut Call<'_>) -> Outcome {
    let number = call.plan_number();
    let addresses = [(); 5].map(|()| call.word());
    let plan = call.plan(number)?;
    let (stream, Some(shape)) = (plan.stream, plan.shape.clone()) else { return Err(INCOMPLETE) };
    let sizes = shape.sizes.iter().flat_map(|size| (*size as i32).to_le_bytes()).collect::<Vec<_>>();
    let number = |value: i64| (value as i32).to_le_bytes().to_vec();
    let values = [
        number(shape.sizes.len() as i64),
        sizes,
        number(shape.ty.number()),
        number(shape.batch as i64),
        stream.to_le_bytes().to_vec(),
    ];
    for (address, bytes) in addresses.into_iter().zip(values) {
        call.put(address, &bytes, "plan")?;
    }
    call.done()
}
