//! Copies and fills between the memory of the GPU and the other memory of the program.
//!
//! Addresses in the region of a device belong to a GPU, all others to the program ([`mem::Memory`]). A copy gathers into a
//! host buffer and scatters from there, as if through a temporary, unless both ends are contiguous and on a GPU. An array of
//! many short rows on the GPU moves as one block, from its lowest to its highest byte.
//!
//! What stays on GPUs is put on the stream, and the host goes on; all else is done when the call returns, and begins without regard
//! to what is on streams.

use crate::driver::Stream;
use crate::error::DriverError;
use crate::gpu::Gpu;
use device::{Bytes, CudaError, Fill, Strided};
use mem::{Memory, Region};

/// Bytes that a contiguous copy moves at once.
const PIECE: u64 = 16 << 20;
/// An array of more rows than this moves as one block if that is not much larger than the rows.
const FEW_ROWS: u64 = 16;

/// The two memories.
pub(crate) struct Memories<'a> {
    /// The GPU.
    pub gpu: &'a mut Gpu,
    /// Everything else.
    pub memory: &'a mut Memory,
    /// The stream for what stays on GPUs.
    pub stream: Stream,
}

/// A copy of bytes: to, from, how many.
pub(crate) type Move = (u64, u64, u64);

/// Whether an address is in the memory of a GPU.
pub(crate) fn is_on_gpu(address: u64) -> bool {
    matches!(Region::of(address), Some(Region::Device(_)))
}

/// The copy of bytes that a copy of elements is, if both arrays are contiguous.
pub(crate) fn as_bytes(to: &Strided, from: &Strided, element_bytes: u64) -> Option<Move> {
    let ((to, bytes), (from, other)) = (only_run(to, element_bytes)?, only_run(from, element_bytes)?);
    (bytes == other).then_some((to, from, bytes))
}

/// Whether a GPU fills the array by itself.
pub(crate) fn fills_itself(fill: &Fill) -> bool {
    let contiguous = only_run(&fill.target, fill.element.len() as u64).is_some();
    is_on_gpu(fill.target.base) && contiguous && pattern(&fill.element).is_some()
}

/// The runtime's error for one of the driver's; their numbers are the same.
pub(crate) fn cuda_error(error: &DriverError) -> CudaError {
    CudaError::from_code(error.code() as i32).unwrap_or(CudaError::Unknown)
}

type Done = Result<(), CudaError>;

impl Bytes for Memories<'_> {
    fn get(&mut self, address: u64, out: &mut [u8]) -> Done {
        Memories::read(self, address, out)
    }

    fn put(&mut self, address: u64, data: &[u8]) -> Done {
        Memories::write(self, address, data)
    }
}

impl Memories<'_> {
    /// Reads bytes of one memory; a range outside of the live allocations is an error.
    pub(crate) fn read(&mut self, address: u64, out: &mut [u8]) -> Done {
        if !is_on_gpu(address) {
            return self.memory.read(address, out).ok_or(CudaError::InvalidValue);
        }
        self.check(address, out.len() as u64)?;
        self.gpu.read(address, out).map_err(|e| cuda_error(&e))
    }

    /// Writes bytes of one memory.
    pub(crate) fn write(&mut self, address: u64, data: &[u8]) -> Done {
        if !is_on_gpu(address) {
            return self.memory.write(address, data).ok_or(CudaError::InvalidValue);
        }
        self.check(address, data.len() as u64)?;
        self.gpu.write(address, data).map_err(|e| cuda_error(&e))
    }

    fn check(&self, address: u64, bytes: u64) -> Done {
        let id = self.memory.find(address).ok_or(CudaError::InvalidValue)?;
        let info = self.memory.info(id);
        let room = info.bytes.saturating_sub(address - info.base);
        if bytes <= room { Ok(()) } else { Err(CudaError::InvalidValue) }
    }

    /// Copies bytes.
    pub(crate) fn copy(&mut self, to: u64, from: u64, bytes: u64) -> Done {
        if bytes == 0 {
            return Ok(());
        }
        match (is_on_gpu(to), is_on_gpu(from)) {
            (false, false) => self.memory.copy(to, from, bytes).ok_or(CudaError::InvalidValue),
            (true, true) => {
                self.check(to, bytes)?;
                self.check(from, bytes)?;
                self.gpu.copy_on(&self.stream, to, from, bytes).map_err(|e| cuda_error(&e))
            }
            _ => {
                let mut buffer = vec![0; bytes.min(PIECE) as usize];
                let mut at = 0;
                while at < bytes {
                    let n = (bytes - at).min(PIECE) as usize;
                    self.read(from + at, &mut buffer[..n])?;
                    self.write(to + at, &buffer[..n])?;
                    at += n as u64;
                }
                Ok(())
            }
        }
    }

    /// Copies the elements of one array to another of the same shape.
    pub(crate) fn copy_strided(&mut self, to: &Strided, from: &Strided, element_bytes: u64) -> Done {
        if !is_on_gpu(to.base) && !is_on_gpu(from.base) {
            return device::copy_strided(self.memory, to, from, element_bytes).map_err(|_| CudaError::InvalidValue);
        }
        if let (Some((a, bytes)), Some((b, other))) = (only_run(to, element_bytes), only_run(from, element_bytes)) {
            return if bytes == other { self.copy(a, b, bytes) } else { Err(CudaError::InvalidValue) };
        }
        let data = self.gather(from, element_bytes)?;
        self.scatter(to, element_bytes, &data)
    }

    /// Sets every element of an array.
    pub(crate) fn fill(&mut self, fill: &Fill) -> Done {
        let (target, size) = (&fill.target, fill.element.len() as u64);
        if !is_on_gpu(target.base) {
            return device::fill(self.memory, fill).map_err(|_| CudaError::InvalidValue);
        }
        if let Some((address, bytes)) = only_run(target, size)
            && let Some((unit, value)) = pattern(&fill.element)
        {
            self.check(address, bytes)?;
            let count = bytes / u64::from(unit);
            return self.gpu.fill_on(&self.stream, address, (unit, value), count).map_err(|e| cuda_error(&e));
        }
        let data: Vec<u8> = fill.element.repeat(usize::try_from(target.count()).unwrap_or(usize::MAX));
        self.scatter(target, size, &data)
    }

    /// The bytes of an array's elements, in array element order.
    fn gather(&mut self, array: &Strided, element_bytes: u64) -> Result<Vec<u8>, CudaError> {
        let bytes = array.count().saturating_mul(element_bytes);
        let mut data = vec![0; usize::try_from(bytes).map_err(|_| CudaError::InvalidValue)?];
        let block = self.block_of(array, element_bytes)?;
        let mut at = 0;
        for (address, len) in array.runs(element_bytes) {
            let row = &mut data[at..at + len as usize];
            match &block {
                Some((low, block)) => row.copy_from_slice(&block[(address - low) as usize..][..len as usize]),
                None => self.read(address, row)?,
            }
            at += len as usize;
        }
        Ok(data)
    }

    /// Gives an array's elements these bytes, in array element order.
    fn scatter(&mut self, array: &Strided, element_bytes: u64, data: &[u8]) -> Done {
        let mut block = self.block_of(array, element_bytes)?;
        let mut at = 0;
        for (address, len) in array.runs(element_bytes) {
            let row = data.get(at..at + len as usize).ok_or(CudaError::InvalidValue)?;
            match &mut block {
                Some((low, block)) => block[(address - *low) as usize..][..len as usize].copy_from_slice(row),
                None => self.write(address, row)?,
            }
            at += len as usize;
        }
        match block {
            Some((low, block)) => self.write(low, &block),
            None => Ok(()),
        }
    }

    /// All bytes from the lowest to the highest of an array, with the lowest address, where moving them at once is better
    /// than row by row.
    fn block_of(&mut self, array: &Strided, element_bytes: u64) -> Result<Option<(u64, Vec<u8>)>, CudaError> {
        let Some((low, high)) = array.hull(element_bytes) else { return Ok(None) };
        let bytes = array.count().saturating_mul(element_bytes);
        let rows = array.runs(element_bytes).take(FEW_ROWS as usize + 1).count() as u64;
        if !is_on_gpu(array.base) || rows <= FEW_ROWS || high.saturating_sub(low) > bytes.saturating_mul(8) {
            return Ok(None);
        }
        let mut block = vec![0; (high - low) as usize];
        self.read(low, &mut block)?;
        Ok(Some((low, block)))
    }
}

/// Address and bytes of an array that is contiguous.
fn only_run(array: &Strided, element_bytes: u64) -> Option<(u64, u64)> {
    let mut runs = array.runs(element_bytes);
    let first = runs.next()?;
    runs.next().is_none().then_some(first)
}

/// The smallest unit of 1, 2 or 4 bytes of whose repetition an element is made, with its value.
fn pattern(element: &[u8]) -> Option<(u32, u32)> {
    [1usize, 2, 4].into_iter().find_map(|unit| {
        let first = element.get(..unit)?;
        let repeats = element.len().is_multiple_of(unit) && element.chunks_exact(unit).all(|c| c == first);
        repeats.then(|| (unit as u32, first.iter().rev().fold(0, |word, &b| word << 8 | u32::from(b))))
    })
}

#[cfg(test)]
mod tests {
    use super::{only_run, pattern};
    use device::Strided;

    #[test]
    fn element_of_repeated_units_is_filled_by_the_smallest() {
        assert_eq!(pattern(&[0; 8]), Some((1, 0)));
        assert_eq!(pattern(&[1, 2, 1, 2]), Some((2, 0x0201)));
        assert_eq!(pattern(&[1, 2, 3, 4, 1, 2, 3, 4]), Some((4, 0x0403_0201)));
        assert_eq!(pattern(&1.0f64.to_le_bytes()), None);
        assert_eq!(pattern(&[1, 2, 3]), None);
    }

    #[test]
    fn contiguous_array_is_one_run() {
        assert_eq!(only_run(&Strided { base: 256, dims: vec![(3, 4), (2, 12)] }, 4), Some((256, 24)));
        assert_eq!(only_run(&Strided { base: 256, dims: vec![(2, 4), (2, 12)] }, 4), None);
        assert_eq!(only_run(&Strided { base: 256, dims: vec![(0, 4)] }, 4), None);
    }
}
