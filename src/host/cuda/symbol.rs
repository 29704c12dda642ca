//! Symbols: variables in device or constant memory that a program names by character strings, and the calls that take them.
//!
//! In CUDA C a symbol is the variable itself. The Fortran interfaces take a `type(cudaSymbol)`, which is given a name by
//! assignment; here a name is `variable` or `module.variable`, in any case. A name that no variable has, or that variables of
//! several modules have, is no symbol: the call returns `cudaErrorInvalidSymbol`.
//!
//! Source: CUDA Fortran Programming Guide, "cudaMemcpyToSymbol" and the calls after it. Allocatable variables are not symbols:
//! their data lie where `allocate` puts them.

use crate::cuda::call::kind;
use crate::protocol::{Args, Halt};
use crate::storage;
use device::{Api, CopyKind, CudaError};
use ir::rt::Rt;
use mem::Memory;
use std::sync::Arc;
use vm::Program;

/// `cudaErrorInvalidSymbol`
pub(super) const INVALID_SYMBOL: i32 = 13;

/// The characters of a `type(cudaSymbol)`, its only component.
const NAME_LENGTH: u64 = 128;

/// A variable in device or constant memory.
#[derive(Debug)]
struct Symbol {
    /// `module.variable`
    name: Arc<str>,
    address: u64,
    bytes: u64,
}

/// The symbols of a program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Symbols(Arc<[Symbol]>);

impl Symbols {
    pub(crate) fn new(program: &Program) -> Symbols {
        let globals = program.module().globals.iter().zip(program.globals());
        let on_device = globals.filter(|(g, _)| matches!(g.space, ir::Space::Global | ir::Space::Const));
        let symbol = |(g, &address): (&ir::Global, &u64)| Symbol { name: g.name.clone(), address, bytes: g.bytes };
        Symbols(on_device.filter(|(g, _)| g.var.is_some()).map(symbol).collect())
    }

    /// The address and the bytes of the symbol that begins there.
    pub(super) fn at(&self, address: u64) -> Option<(u64, u64)> {
        self.0.iter().find(|s| s.address == address).map(|s| (s.address, s.bytes))
    }

    fn find(&self, name: &str) -> Option<&Symbol> {
        let name = name.to_ascii_lowercase();
        let is_it = |s: &&Symbol| *s.name == *name || s.name.rsplit('.').next() == Some(&name);
        let mut found = self.0.iter().filter(is_it);
        found.next().filter(|_| found.next().is_none())
    }
}

/// A call with a symbol.
pub(crate) struct SymbolCall {
    pub(crate) api: Api,
    /// What the call tells of the symbol: where in host memory, and the eight bytes that it stores there if it succeeds.
    pub(crate) told: Option<(u64, u64)>,
}

/// The call that a service with a symbol stands for.
pub(crate) fn symbol_call(symbols: &Symbols, memory: &Memory, rt: Rt, a: Args<'_>) -> Result<SymbolCall, Halt> {
    let (name, at_index) = match rt {
        Rt::CudaSymbolAddress => ("cudaGetSymbolAddress", 1),
        Rt::CudaSymbolSize => ("cudaGetSymbolSize", 1),
        Rt::CudaMemcpyToSymbol => ("cudaMemcpyToSymbol", 0),
        Rt::CudaMemcpyToSymbolAsync => ("cudaMemcpyToSymbolAsync", 0),
        Rt::CudaMemcpyFromSymbol => ("cudaMemcpyFromSymbol", 2),
        _ => ("cudaMemcpyFromSymbolAsync", 2),
    };
    let text = storage::read_name(memory, a.bits(at_index), NAME_LENGTH);
    let silent = |api: Api| SymbolCall { api, told: None };
    let Some(symbol) = symbols.find(text.trim()) else {
        return Ok(silent(Api::Answer { name, code: INVALID_SYMBOL }));
    };
    let stream = matches!(rt, Rt::CudaMemcpyToSymbolAsync | Rt::CudaMemcpyFromSymbolAsync).then(|| a.bits(6));
    // Element size, elements and elements to skip; what would leave the symbol is refused, whatever lies behind it.
    let range = |element: usize| {
        let bytes = a.size(3).checked_mul(a.size(element))?;
        let offset = a.size(4).checked_mul(a.size(element))?;
        (offset.checked_add(bytes)? <= symbol.bytes).then_some((symbol.address + offset, bytes))
    };
    let direction = |memory: &Memory, usual: CopyKind| match kind(memory, a.bits(5)) {
        Ok(Some(CopyKind::Default)) => Ok(Some(usual)),
        other => other,
    };
    let refused = |code: CudaError| Api::Answer { name, code: code.code() };
    let tells = |value: u64| SymbolCall { api: Api::Answer { name, code: 0 }, told: Some((a.bits(0), value)) };
    Ok(match rt {
        Rt::CudaSymbolAddress => tells(symbol.address),
        Rt::CudaSymbolSize => tells(symbol.bytes),
        Rt::CudaMemcpyToSymbol | Rt::CudaMemcpyToSymbolAsync => {
            silent(match (range(2), direction(memory, CopyKind::HostToDevice)?) {
                (Some((destination, bytes)), Some(kind)) => {
                    Api::Memcpy { destination, source: a.bits(1), bytes, kind, stream }
                }
                (None, _) => refused(CudaError::InvalidValue),
                (_, None) => refused(CudaError::InvalidMemcpyDirection),
            })
        }
        _ => silent(match (range(1), direction(memory, CopyKind::DeviceToHost)?) {
            (Some((source, bytes)), Some(kind)) => Api::Memcpy { destination: a.bits(0), source, bytes, kind, stream },
            (None, _) => refused(CudaError::InvalidValue),
            (_, None) => refused(CudaError::InvalidMemcpyDirection),
        }),
    })
}
