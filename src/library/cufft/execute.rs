//! The routines that transform: a plan and two arrays become a command of a stream.

use super::{INVALID_PLAN, INVALID_TYPE, NO_WORKSPACE};
use crate::call::{Call, Outcome, Status};
use crate::element::Element;
use crate::fft::{Kind, Lines, Plan, Prepared, Real, Shape, Type};
use crate::operand::{Grid, Operand, Vector};
use device::{Section, Written};
use num_complex::Complex;
use std::sync::Arc;

/// A call with what it rests on.
struct Request<T> {
    stream: u64,
    shape: Arc<Shape>,
    prepared: Prepared<T>,
    input: u64,
    output: u64,
    work_area: Option<Section>,
}

/// The parts of numbers that there are, and where a plan keeps what is prepared for them.
pub(super) trait Part: Real {
    fn prepared(plan: &Plan) -> Prepared<Self>;
}

impl Part for f32 {
    fn prepared(plan: &Plan) -> Prepared<f32> {
        plan.single.clone()
    }
}

impl Part for f64 {
    fn prepared(plan: &Plan) -> Prepared<f64> {
        plan.double.clone()
    }
}

impl Call<'_> {
    /// The arguments that all have: the plan, whose type must be that of the routine, and the arrays.
    fn request<T: Part>(&mut self, kind: Kind) -> Result<Request<T>, Status> {
        let number = self.plan_number();
        let plan = self.plan(number)?.clone();
        let Some(shape) = plan.shape.clone() else {
            let reason = "the plan was created, and no `cufftMakePlan…` says what it is for";
            return self.refuse(INVALID_PLAN, reason.to_owned());
        };
        let ty = Type { kind, part: T::BYTES as u64 };
        if shape.ty != ty {
            let reason = format!("the plan is of type `{}`, and the routine takes `{}`", shape.ty.name(), ty.name());
            return self.refuse(INVALID_TYPE, reason);
        }
        let (input, output) = (self.word(), self.word());
        self.check_device(input, "idata")?;
        self.check_device(output, "odata")?;
        let bytes = self.work_area_bytes(number, shape.bytes().unwrap_or(0))?;
        let work_area = match plan.work_area {
            Some(address) => Some(Vector::<f64>::new(address, bytes.div_ceil(8) as usize, 1).section()),
            None if plan.allocates || bytes == 0 => None,
            None => {
                let reason = format!("the plan allocates no memory, and no `cufftSetWorkArea` gives it {bytes} bytes");
                return self.refuse(NO_WORKSPACE, reason);
            }
        };
        Ok(Request { stream: plan.stream, shape, prepared: T::prepared(&plan), input, output, work_area })
    }

    /// Puts the transform of all elements on the stream of the plan. `room` gives a vector for the elements, and `keep` takes the results
    /// when they are stored.
    fn transform<T: Part, I: Element, O: Element>(
        &mut self,
        request: Request<T>,
        room: impl Fn(&Lines<T>) -> Vec<I> + Send + Sync + 'static,
        work: impl Fn(&Lines<T>, &Shape, Vec<I>) -> Vec<O> + Send + Sync + 'static,
        keep: impl Fn(&Lines<T>, Vec<O>) + Send + Sync + 'static,
    ) -> Outcome
    where
        Complex<T>: Element,
    {
        let Request { stream, shape, prepared, input, output, work_area } = request;
        let (from, to): (Grid<I>, Grid<O>) = shape.grids(input, output);
        let writes = [to.written()].into_iter().chain(work_area.map(Written::undefined)).collect();
        self.submit(stream, vec![from.section()], writes, false, move |memory| {
            let lines = prepared.get_or_init(|| Lines::new(&shape.sizes));
            let out = work(lines, &shape, from.load(memory, room(lines))?);
            let stored = to.store(memory, &out);
            keep(lines, out);
            stored
        })
    }
}

pub(super) fn complex<T: Part>(call: &mut Call<'_>) -> Outcome
where
    Complex<T>: Element,
{
    let request = call.request::<T>(Kind::Complex)?;
    let is_forward = match call.int() {
        -1 => true,
        1 => false,
        direction => {
            return call
                .wrong(format!("`direction` is {direction}, and must be `CUFFT_FORWARD` (-1) or `CUFFT_INVERSE` (1)"));
        }
    };
    let work = move |lines: &Lines<T>, shape: &Shape, values| lines.complex(&shape.sizes, values, is_forward);
    call.transform(request, Lines::room, work, Lines::keep)
}

pub(super) fn from_real<T: Part>(call: &mut Call<'_>) -> Outcome
where
    Complex<T>: Element,
{
    let request = call.request::<T>(Kind::FromReal)?;
    let work = |lines: &Lines<T>, shape: &Shape, values: Vec<T>| lines.of_reals(&shape.sizes, &values);
    call.transform(request, |_| Vec::new(), work, |_, _| {})
}

pub(super) fn to_real<T: Part>(call: &mut Call<'_>) -> Outcome
where
    Complex<T>: Element,
{
    let request = call.request::<T>(Kind::ToReal)?;
    let work = |lines: &Lines<T>, shape: &Shape, values| lines.to_real(&shape.sizes, values);
    call.transform(request, |_| Vec::new(), work, |_, _| {})
}
