//! The part of the C interface of CUDA's runtime that takes symbols, CUDA arrays and structures (CUDA Runtime API, "Memory Management").
//!
//! A symbol is the address of a variable on the device. A CUDA array is the address of its memory, whose extents are known here; its rows
//! follow each other. Structures that are passed by value have come apart into their words.
//!
//! Not here: the rest of the interface (`c`), the same calls of module `cudafor`.

use crate::cuda::symbol::{INVALID_SYMBOL, Symbols};
use crate::protocol::{Args, Halt};
use crate::storage;
use device::{Api, CopyKind, CudaError, Fill, Pitched, Strided};
use mem::{Memory, Region};
use std::collections::BTreeMap;

/// The names of the routines.
pub(super) const NAMES: [&str; 22] = [
    "cudaGetSymbolAddress",
    "cudaGetSymbolSize",
    "cudaMemcpyToSymbol",
    "cudaMemcpyToSymbolAsync",
    "cudaMemcpyFromSymbol",
    "cudaMemcpyFromSymbolAsync",
    "cudaMallocArray",
    "cudaMalloc3DArray",
    "cudaFreeArray",
    "cudaGetChannelDesc",
    "cudaMalloc3D",
    "cudaMemcpyToArray",
    "cudaMemcpyFromArray",
    "cudaMemcpyArrayToArray",
    "cudaMemcpy2DToArray",
    "cudaMemcpy2DToArrayAsync",
    "cudaMemcpy2DFromArray",
    "cudaMemcpy2DFromArrayAsync",
    "cudaMemcpy2DArrayToArray",
    "cudaMemcpy3D",
    "cudaMemcpy3DAsync",
    "cudaMemset3D",
];

/// Extents of a CUDA array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CArray {
    /// Bytes of an element.
    bytes: u64,
    width: u64,
    height: u64,
    depth: u64,
    /// Its `cudaChannelFormatDesc`.
    parts: [i32; 5],
}

impl CArray {
    fn row(&self) -> u64 {
        self.bytes * self.width
    }

    /// Where a rectangle begins: x and width in bytes, y and height in rows; nothing if it is not in the array.
    fn rectangle(&self, base: u64, (x, y): (u64, u64), (width, height): (u64, u64)) -> Option<u64> {
        let fits = x.checked_add(width)? <= self.row() && y.checked_add(height)? <= self.height;
        fits.then(|| base + x + y * self.row())
    }

    /// Where so many bytes begin, which may go on in the next rows.
    fn bytes_at(&self, base: u64, (x, y): (u64, u64), count: u64) -> Option<u64> {
        let first = y.checked_mul(self.row())?.checked_add(x)?;
        let fits = x < self.row().max(1) && first.checked_add(count)? <= self.row() * self.height;
        fits.then(|| base + first)
    }
}

/// The CUDA arrays of a program, by their handles.
pub(crate) type CArrays = BTreeMap<u64, CArray>;

/// What a call leaves behind if it succeeds.
#[derive(Debug)]
pub(crate) enum After {
    Nothing,
    /// Bytes in host memory.
    Tells(u64, Vec<u8>),
    /// A CUDA array, whose handle is there in host memory.
    Made(u64, CArray),
    /// No CUDA array of that handle.
    Freed(u64),
}

/// The call of the runtime that a routine with these words is.
pub(crate) fn c_array_call(
    name: &str,
    a: Args<'_>,
    memory: &Memory,
    symbols: &Symbols,
    arrays: &CArrays,
) -> Result<Option<(Api, After)>, Halt> {
    let Some(&name) = NAMES.iter().find(|known| **known == name) else { return Ok(None) };
    let wrong = |error: CudaError| (Api::Answer { name, code: error.code() }, After::Nothing);
    let tells = |at: u64, bytes: Vec<u8>| (Api::Answer { name, code: 0 }, After::Tells(at, bytes));
    let array = |i: usize| arrays.get(&a.bits(i)).map(|array| (a.bits(i), *array));
    let silent = |api: Option<Api>| (api.unwrap_or(wrong(CudaError::InvalidValue).0), After::Nothing);
    let pair = |i: usize| (a.size(i), a.size(i + 1));
    let copy = |destination: Option<u64>, source: Option<u64>, bytes: u64, kind: usize| {
        let Some(kind) = CopyKind::from_code(a.int(kind)) else {
            return Some(wrong(CudaError::InvalidMemcpyDirection).0);
        };
        Some(Api::Memcpy { destination: destination?, source: source?, bytes, kind, stream: None })
    };
    let copy_2d = |to: Option<(u64, u64)>, from: Option<(u64, u64)>, size: (u64, u64), kind: usize| {
        let Some(kind) = CopyKind::from_code(a.int(kind)) else {
            return Some(wrong(CudaError::InvalidMemcpyDirection).0);
        };
        let ((destination, destination_pitch), (source, source_pitch)) = (to?, from?);
        let extent = Pitched { width: size.0, height: size.1 };
        let stream = name.ends_with("Async").then(|| a.bits(8));
        Some(Api::Memcpy2D { destination, destination_pitch, source, source_pitch, extent, kind, stream })
    };
    let rectangle = |of: Option<(u64, CArray)>, at: (u64, u64), size: (u64, u64)| {
        let (base, array) = of?;
        Some((array.rectangle(base, at, size)?, array.row()))
    };
    let bytes_at = |of: Option<(u64, CArray)>, at: (u64, u64), count: u64| {
        let (base, array) = of?;
        array.bytes_at(base, at, count)
    };
    Ok(Some(match name {
        "cudaGetSymbolAddress" | "cudaGetSymbolSize" => match symbols.at(a.bits(1)) {
            None => (Api::Answer { name, code: INVALID_SYMBOL }, After::Nothing),
            Some((address, _)) if name == "cudaGetSymbolAddress" => tells(a.bits(0), address.to_le_bytes().to_vec()),
            Some((_, bytes)) => tells(a.bits(0), bytes.to_le_bytes().to_vec()),
        },
        "cudaMemcpyToSymbol" | "cudaMemcpyToSymbolAsync" | "cudaMemcpyFromSymbol" | "cudaMemcpyFromSymbolAsync" => {
            let is_to = name.starts_with("cudaMemcpyTo");
            let stream = name.ends_with("Async").then(|| a.bits(5));
            let Some((symbol, size)) = symbols.at(a.bits(usize::from(!is_to))) else {
                return Ok(Some((Api::Answer { name, code: INVALID_SYMBOL }, After::Nothing)));
            };
            let (bytes, offset) = pair(2);
            let Some(kind) = CopyKind::from_code(a.int(4)) else {
                return Ok(Some(wrong(CudaError::InvalidMemcpyDirection)));
            };
            if offset.checked_add(bytes).is_none_or(|end| end > size) {
                return Ok(Some(wrong(CudaError::InvalidValue)));
            }
            let (destination, source) = if is_to { (symbol + offset, a.bits(1)) } else { (a.bits(0), symbol + offset) };
            (Api::Memcpy { destination, source, bytes, kind, stream }, After::Nothing)
        }
        "cudaMallocArray" | "cudaMalloc3DArray" => {
            let depth = if name == "cudaMalloc3DArray" { a.size(4) } else { 0 };
            match described(memory, a.bits(1), [a.size(2), a.size(3), depth])? {
                None => wrong(CudaError::InvalidValue),
                Some((array, bytes)) => {
                    (Api::Malloc { region: Region::Device(0), at: a.bits(0), bytes }, After::Made(a.bits(0), array))
                }
            }
        }
        "cudaFreeArray" => match array(0) {
            Some((address, _)) => (Api::CudaFree { address, host: false }, After::Freed(address)),
            None if a.bits(0) == 0 => (Api::Answer { name, code: 0 }, After::Nothing),
            None => wrong(CudaError::InvalidValue),
        },
        "cudaGetChannelDesc" => match array(1) {
            Some((_, array)) => tells(a.bits(0), array.parts.into_iter().flat_map(i32::to_le_bytes).collect()),
            None => wrong(CudaError::InvalidValue),
        },
        "cudaMalloc3D" => {
            let (at, extent) = (a.bits(0), [a.size(1), a.size(2), a.size(3)]);
            let api = Api::MallocPitch {
                at,
                pitch_at: at + 8,
                element_bytes: 1,
                width: extent[0],
                height: extent[1].saturating_mul(extent[2]),
            };
            (api, After::Tells(at + 16, extent[..2].iter().flat_map(|n| n.to_le_bytes()).collect()))
        }
        "cudaMemcpyToArray" => {
            let count = a.size(4);
            silent(copy(bytes_at(array(0), pair(1), count), Some(a.bits(3)), count, 5))
        }
        "cudaMemcpyFromArray" => {
            let count = a.size(4);
            silent(copy(Some(a.bits(0)), bytes_at(array(1), pair(2), count), count, 5))
        }
        "cudaMemcpyArrayToArray" => {
            let count = a.size(6);
            silent(copy(bytes_at(array(0), pair(1), count), bytes_at(array(3), pair(4), count), count, 7))
        }
        "cudaMemcpy2DToArray" | "cudaMemcpy2DToArrayAsync" => {
            let size = pair(5);
            silent(copy_2d(rectangle(array(0), pair(1), size), Some(pair(3)), size, 7))
        }
        "cudaMemcpy2DFromArray" | "cudaMemcpy2DFromArrayAsync" => {
            let size = pair(5);
            silent(copy_2d(Some(pair(0)), rectangle(array(2), pair(3), size), size, 7))
        }
        "cudaMemcpy2DArrayToArray" => {
            let size = pair(6);
            silent(copy_2d(rectangle(array(0), pair(1), size), rectangle(array(3), pair(4), size), size, 8))
        }
        "cudaMemset3D" => {
            let [address, pitch, rows, width, height, depth] = [0, 1, 3, 5, 6, 7].map(|i| a.size(i));
            if width > pitch || height > rows && depth > 1 {
                return Ok(Some(wrong(CudaError::InvalidValue)));
            }
            let target = cuboid(address, (width, pitch, pitch.saturating_mul(rows)), height, depth);
            (Api::Memset3D { fill: Fill::with_value(target, [a.bits(4) as u8].into()) }, After::Nothing)
        }
        _ => {
            let words = storage::read_array::<156>(memory, a.bits(0))?;
            let stream = (name == "cudaMemcpy3DAsync").then(|| a.bits(1));
            match copy_3d(&words, arrays) {
                Ok((sides, kind)) => (Api::Memcpy3D { sides: sides.into(), kind, stream }, After::Nothing),
                Err(error) => wrong(error),
            }
        }
    }))
}

/// An array by a `cudaChannelFormatDesc` and its extents, and its bytes; nothing if there is none such.
fn described(memory: &Memory, desc: u64, extents: [u64; 3]) -> Result<Option<(CArray, u64)>, Halt> {
    let mut parts = [0; 5];
    for (part, at) in parts.iter_mut().zip((desc..).step_by(4)) {
        *part = i32::from_le_bytes(storage::read_array(memory, at)?);
    }
    let bits = parts[..4].iter().map(|&part| i64::from(part)).sum::<i64>();
    if parts[..4].iter().any(|&part| part < 0) || bits <= 0 || bits % 8 != 0 || extents[0] == 0 {
        return Ok(None);
    }
    let [width, height, depth] = extents.map(|n| n.max(1));
    let array = CArray { bytes: bits as u64 / 8, width, height, depth, parts };
    let bytes = [width, height, depth].into_iter().try_fold(array.bytes, u64::checked_mul);
    Ok(bytes.filter(|&bytes| bytes <= 1 << 60).map(|bytes| (array, bytes)))
}

/// Bytes in rows and planes.
fn cuboid(base: u64, (width, row, plane): (u64, u64, u64), height: u64, depth: u64) -> Strided {
    Strided { base, dims: vec![(width as i64, 1), (height as i64, row as i64), (depth as i64, plane as i64)] }
}

/// Both sides of the copy that a `cudaMemcpy3DParms` says. The width of the extent is in bytes, or in elements of a CUDA array that takes
/// part, and so are the positions.
fn copy_3d(parms: &[u8; 156], arrays: &CArrays) -> Result<([Strided; 2], CopyKind), CudaError> {
    let word = |i: usize| u64::from_le_bytes(std::array::from_fn(|b| parms[8 * i + b]));
    let kind = i32::from_le_bytes(std::array::from_fn(|b| parms[8 * 19 + b]));
    let kind = CopyKind::from_code(kind).ok_or(CudaError::InvalidMemcpyDirection)?;
    let array = |i: usize| match word(i) {
        0 => Ok(None),
        handle => arrays.get(&handle).map(|array| Some((handle, *array))).ok_or(CudaError::InvalidValue),
    };
    let (from, to) = (array(0)?, array(8)?);
    let element = match (from, to) {
        (Some((_, from)), Some((_, to))) if from.bytes != to.bytes => return Err(CudaError::InvalidValue),
        (Some((_, array)), _) | (_, Some((_, array))) => array.bytes,
        _ => 1,
    };
    let (width, height, depth) = (word(16).saturating_mul(element), word(17), word(18));
    let side = |array: Option<(u64, CArray)>, i: usize| {
        let [x, y, z] = [1, 2, 3].map(|k| word(i + k));
        let (base, element, row, rows) = match array {
            Some((base, array)) => (base, array.bytes, array.row(), array.height),
            None => (word(i + 4), 1, word(i + 5), word(i + 7)),
        };
        let end = |from: u64, count: u64| from.checked_add(count);
        let x = x.checked_mul(element)?;
        let mut fits = end(x, width)? <= row;
        if let Some((_, array)) = array {
            fits &= end(y, height)? <= rows && end(z, depth)? <= array.depth;
        }
        let plane = row.checked_mul(rows)?;
        let first = base.checked_add(x)?.checked_add(row.checked_mul(y)?)?.checked_add(plane.checked_mul(z)?)?;
        fits.then(|| cuboid(first, (width, row, plane), height, depth))
    };
    let [from, to] = [side(from, 0), side(to, 8)];
    Ok(([to.ok_or(CudaError::InvalidValue)?, from.ok_or(CudaError::InvalidValue)?], kind))
}
