//! The routines that say what a plan is for, and those that say how much memory such a plan would need.

use super::{ALLOC_FAILED, INVALID_PLAN, INVALID_SIZE, INVALID_TYPE};
use crate::call::{Call, Outcome, Status};
use crate::fft::{Layout, Plan, Shape, Type};
use std::sync::Arc;

/// Lengths of transforms are numbers of C's type `int`, also where the interface has wider ones.
const LONGEST: i64 = i32::MAX as i64;

impl Call<'_> {
    fn size(&mut self, value: i64, what: &str) -> Result<u64, Status> {
        if (1..=LONGEST).contains(&value) {
            return Ok(value as u64);
        }
        self.refuse(INVALID_SIZE, format!("`{what}` is {value}, which is no length of a transform"))
    }

    /// The type of the transform, the next argument.
    fn transform_type(&mut self) -> Result<Type, Status> {
        let number = self.int();
        match Type::of(number) {
            Some(ty) => Ok(ty),
            None => self.refuse(INVALID_TYPE, format!("`type` is {number}, which is no type of transforms")),
        }
    }

    /// How many transforms.
    fn batch(&mut self, value: i64) -> Result<u64, Status> {
        match u64::try_from(value) {
            Ok(batch @ 1..) => Ok(batch),
            _ => self.refuse(INVALID_SIZE, format!("`batch` is {value}, and must be 1 or more")),
        }
    }

    /// The arguments of a plan of so many dimensions with neighbours next to each other. Only one dimension has a batch.
    fn shape<const RANK: usize>(&mut self) -> Result<Shape, Status> {
        let mut sizes = Vec::with_capacity(RANK);
        for what in ["nx", "ny", "nz"].into_iter().take(RANK) {
            let value = self.int();
            sizes.push(self.size(value, what)?);
        }
        let ty = self.transform_type()?;
        let batch = if RANK == 1 { self.int() } else { 1 };
        let batch = self.batch(batch)?;
        self.with_memory(Shape { ty, sizes, batch, layouts: None })
    }

    /// The same for a plan that says all; some of its interfaces have 8 bytes for each number.
    fn shape_of_many<const IS_WIDE: bool>(&mut self) -> Result<Shape, Status> {
        let rank = self.int();
        if !(1..=3).contains(&rank) {
            return self.refuse(INVALID_SIZE, format!("`rank` is {rank}, and must be 1, 2 or 3"));
        }
        let address = self.word();
        let mut sizes = Vec::new();
        for value in self.integers::<IS_WIDE>(address, rank as usize, "n")? {
            sizes.push(self.size(value, "n")?);
        }
        let input = self.layout::<IS_WIDE>(rank as usize, ["inembed", "istride", "idist"])?;
        let output = self.layout::<IS_WIDE>(rank as usize, ["onembed", "ostride", "odist"])?;
        let ty = self.transform_type()?;
        let batch = self.number::<IS_WIDE>();
        let batch = self.batch(batch)?;
        self.with_memory(Shape { ty, sizes, batch, layouts: input.zip(output).map(|(input, output)| [input, output]) })
    }

    fn number<const IS_WIDE: bool>(&mut self) -> i64 {
        if IS_WIDE { self.word() as i64 } else { self.int() }
    }

    /// Integers at an address of the host.
    fn integers<const IS_WIDE: bool>(&mut self, address: u64, count: usize, what: &str) -> Result<Vec<i64>, Status> {
        let width = if IS_WIDE { 8 } else { 4 };
        let bytes = self.host_bytes(address, count * width, what)?;
        let wide = |word: &[u8]| word.try_into().map_or(0, i64::from_le_bytes);
        let narrow = |word: &[u8]| word.try_into().map_or(0, i32::from_le_bytes) as i64;
        Ok(bytes.chunks_exact(width).map(|word| if IS_WIDE { wide(word) } else { narrow(word) }).collect())
    }

    /// Where elements are: the next three arguments. `None` where the first one is a null pointer.
    fn layout<const IS_WIDE: bool>(&mut self, rank: usize, what: [&str; 3]) -> Result<Option<Layout>, Status> {
        let address = self.word();
        let numbers = [self.number::<IS_WIDE>(), self.number::<IS_WIDE>()];
        if address == 0 {
            return Ok(None);
        }
        let embed = self.integers::<IS_WIDE>(address, rank, what[0])?;
        // The first one counts for nothing, and programs leave it at 0.
        let dims = embed.iter().skip(1).map(|&value| (value, what[0]));
        for (value, what) in dims.chain(numbers.into_iter().zip([what[1], what[2]])) {
            if !(0..1 << 40).contains(&value) || (value == 0 && what != "idist" && what != "odist") {
                return self.wrong(format!("`{what}` is {value}, which is no distance between elements"));
            }
        }
        let embed = embed.into_iter().map(|value| value.max(0) as u64).collect();
        Ok(Some(Layout { embed, stride: numbers[0] as u64, distance: numbers[1] as u64 }))
    }

    /// The same shape, if a device has memory for its elements.
    fn with_memory(&mut self, shape: Shape) -> Result<Shape, Status> {
        let memory = self.device.properties().total_global_mem;
        if shape.bytes().is_some_and(|bytes| bytes <= memory) && shape.is_addressable() {
            return Ok(shape);
        }
        self.refuse(
            ALLOC_FAILED,
            format!("the plan is for more elements than the {memory} bytes of the device can have"),
        )
    }

    /// Makes a plan of a shape.
    fn new_plan(&mut self, address: u64, shape: Shape) -> Outcome {
        self.add_plan(address, Plan { shape: Some(Arc::new(shape)), ..Plan::new() })
    }

    /// Says what a plan is for, and how large its work area is.
    fn make_plan(&mut self, number: u64, shape: Shape) -> Outcome {
        if self.plan(number)?.shape.is_some() {
            return self.refuse(INVALID_PLAN, "the plan has its sizes, and cannot be made again".to_owned());
        }
        let bytes = shape.bytes().unwrap_or(0);
        self.plan(number)?.shape = Some(Arc::new(shape));
        let address = self.word();
        self.put(address, &bytes.to_le_bytes(), "workSize")?;
        self.has_made_more(number);
        let bytes = self.work_area_bytes(number, bytes)?;
        self.put(address, &bytes.to_le_bytes(), "workSize")?;
        self.done()
    }
}

pub(super) fn plan<const RANK: usize>(call: &mut Call<'_>) -> Outcome {
    let address = call.word();
    let shape = call.shape::<RANK>()?;
    call.new_plan(address, shape)
}

pub(super) fn plan_many(call: &mut Call<'_>) -> Outcome {
    let address = call.word();
    let shape = call.shape_of_many::<false>()?;
    call.new_plan(address, shape)
}

pub(super) fn make<const RANK: usize>(call: &mut Call<'_>) -> Outcome {
    let number = call.plan_number();
    let shape = call.shape::<RANK>()?;
    call.make_plan(number, shape)
}

pub(super) fn make_many<const IS_WIDE: bool>(call: &mut Call<'_>) -> Outcome {
    let number = call.plan_number();
    let shape = call.shape_of_many::<IS_WIDE>()?;
    call.make_plan(number, shape)
}

pub(super) fn estimate<const RANK: usize>(call: &mut Call<'_>) -> Outcome {
    let bytes = call.shape::<RANK>()?.bytes();
    call.put_size(bytes.unwrap_or(0))
}

pub(super) fn estimate_many(call: &mut Call<'_>) -> Outcome {
    let bytes = call.shape_of_many::<false>()?.bytes();
    call.put_size(bytes.unwrap_or(0))
}

pub(super) fn size<const RANK: usize>(call: &mut Call<'_>) -> Outcome {
    let number = call.plan_number();
    call.plan(number)?;
    estimate::<RANK>(call)
}

pub(super) fn size_many<const IS_WIDE: bool>(call: &mut Call<'_>) -> Outcome {
    let number = call.plan_number();
    call.plan(number)?;
    let bytes = call.shape_of_many::<IS_WIDE>()?.bytes();
    call.put_size(bytes.unwrap_or(0))
}
