//! The services that host code calls: one arm for each row of `ir::rt`.
//!
//! A service either gives its results or halts with what it needs; then it is begun again from its beginning when the answer
//! is there. Arms therefore ask before they change anything, or change only what a second beginning does not mind.

use crate::cuda::call::cuda_call;
use crate::cuda::symbol::symbol_call;
use crate::io::input::Object;
use crate::io::output::integer_type;
use crate::outside::{Answer, Ask, Stream};
use crate::random::{DEFAULT_SEED, Random};
use crate::runtime::{Halt, Runtime};
use crate::service::characters;
use crate::storage::{self, is_plain_host};
use device::{Api, Call, Fill};
use finding::{Access, Actor, Finding, FindingKind, HostFault, Place};
use ir::rt::Rt;
use mem::{FreeError, Memory, Region};
use scalar::Ty;
use source::Span;
use text::Value;

/// `stat=` of an allocation that failed.
const STAT_FAILED: u64 = 1;

/// The results of a service, as many as its row has.
pub(crate) type Results = [u64; 2];

/// The arguments of a service as their types have them.
#[derive(Clone, Copy)]
pub(crate) struct Args<'a>(pub(crate) &'a [u64]);

impl Args<'_> {
    pub(crate) fn bits(&self, i: usize) -> u64 {
        self.0.get(i).copied().unwrap_or(0)
    }

    pub(crate) fn int(&self, i: usize) -> i32 {
        self.bits(i) as i32
    }

    pub(crate) fn long(&self, i: usize) -> i64 {
        self.bits(i) as i64
    }

    /// A length or count; negative ones are 0.
    pub(crate) fn size(&self, i: usize) -> u64 {
        self.long(i).max(0) as u64
    }

    pub(crate) fn flag(&self, i: usize) -> bool {
        self.int(i) != 0
    }
}

impl Runtime {
    /// Serves one call.
    pub(crate) fn serve(&mut self, memory: &mut Memory, rt: Rt, args: Args<'_>, span: Span) -> Result<Results, Halt> {
        self.at = span;
        match self.dispatch(memory, rt, args, span) {
            Err(Halt::Condition(condition)) => {
                self.meet(condition)?;
                if rt == Rt::IoEnd {
                    return self.end(memory).map(|code| [code as u32 as u64, 0]);
                }
                Ok([0, 0])
            }
            other => other,
        }
    }

    fn dispatch(&mut self, memory: &mut Memory, rt: Rt, a: Args<'_>, span: Span) -> Result<Results, Halt> {
        let nothing = |()| [0, 0];
        let code = |code: i32| [u64::from(code as u32), 0];
        match rt {
            Rt::IoBegin => {
                self.begin(a.int(0), a.int(1), a.long(2), a.int(3));
                Ok([0, 0])
            }
            Rt::IoFormat => self.set_format(memory, a.bits(0), a.size(1)).map(nothing),
            Rt::IoInternal => {
                let statement = self.statement()?;
                let file = &mut statement.internal;
                (file.address, file.length, file.count, file.next) = (a.bits(0), a.size(1), a.size(2), 0);
                Ok([0, 0])
            }
            Rt::IoOption => self.set_option(memory, a.int(0), a.long(1), a.long(2)).map(nothing),
            Rt::IoPutInt => {
                let ty = integer_type(a.int(1));
                let bits = scalar::bits::canonical(ty, a.bits(0));
                self.put(memory, Value::Int { ty, bits }).map(nothing)
            }
            Rt::IoPutLogical => {
                let ty = integer_type(a.int(1));
                let bits = scalar::bits::canonical(ty, a.bits(0));
                // As nvfortran does, a test looks at the lowest bit; bytes of an unformatted record stay as they are.
                let shown = match self.statement()?.form {
                    crate::io::statement::Form::Unformatted => bits,
                    _ => bits & 1,
                };
                self.put(memory, Value::Logical { ty, bits: shown }).map(nothing)
            }
            Rt::IoPutReal4 => self.put(memory, Value::Real { ty: Ty::F32, bits: a.bits(0) }).map(nothing),
            Rt::IoPutReal8 => self.put(memory, Value::Real { ty: Ty::F64, bits: a.bits(0) }).map(nothing),
            Rt::IoPutComplex4 | Rt::IoPutComplex8 => {
                let ty = if rt == Rt::IoPutComplex4 { Ty::F32 } else { Ty::F64 };
                self.put(memory, Value::Complex { ty, re: a.bits(0), im: a.bits(1) }).map(nothing)
            }
            Rt::IoPutChar => {
                let text = storage::read(memory, a.bits(0), a.size(1))?;
                self.put(memory, Value::Char(&text)).map(nothing)
            }
            Rt::IoGet => {
                let object = Object { class: a.int(0), kind: a.int(1), address: a.bits(2), length: a.size(3) };
                self.get(memory, object).map(nothing)
            }
            Rt::IoEnd => self.end(memory).map(code),
            Rt::IoOpen => {
                let text = storage::read(memory, a.bits(2), a.size(3))?;
                self.open(memory, a.long(0), a.bits(1), &String::from_utf8_lossy(&text)).map(code)
            }
            Rt::IoClose => self.close(memory, a.long(0), a.flag(1), a.int(2)).map(code),
            Rt::IoPosition => self.position(memory, a.long(0), a.int(1), a.int(2)).map(code),
            Rt::IoInquire => {
                let path = match a.bits(1) {
                    0 => None,
                    address => Some(storage::read(memory, address, a.size(2))?),
                };
                let path = path.map(|p| String::from_utf8_lossy(&p).into_owned());
                self.inquire(a.long(0), path.as_deref(), a.int(3)).map(|n| [n as u64, 0])
            }
            Rt::IoInquireText => {
                let path = (a.bits(1) != 0).then(|| storage::read_name(memory, a.bits(1), a.size(2)));
                let specifier = storage::read_name(memory, a.bits(3), a.size(4));
                let answer = self.inquire_text(a.long(0), path.as_deref(), &specifier)?;
                storage::write_text(memory, a.bits(5), a.size(6), answer.as_bytes())?;
                Ok([0, 0])
            }

            Rt::Alloc => self.alloc(memory, a, span),
            Rt::Free => self.free(memory, a, span),
            Rt::Copy => self.copy(memory, a, span).map(nothing),
            Rt::CopyStrided => {
                let (destination, element_bytes) = storage::read_descriptor(memory, a.bits(0))?;
                let (source, _) = storage::read_descriptor(memory, a.bits(1))?;
                if is_plain_host(destination.base) && is_plain_host(source.base) {
                    let done = device::copy_strided(memory, &destination, &source, element_bytes);
                    return done.map(nothing).map_err(|at| outside(at, element_bytes, true));
                }
                self.transfer(|| Api::CopyStrided { destination, source, element_bytes }, span).map(nothing)
            }
            Rt::Fill | Rt::FillFrom => {
                let (target, element_bytes) = storage::read_descriptor(memory, a.bits(0))?;
                let element = if rt == Rt::Fill {
                    a.bits(1).to_le_bytes()[..element_bytes.min(8) as usize].to_vec()
                } else {
                    storage::read(memory, a.bits(1), element_bytes)?
                };
                let fill = Fill { target, element: element.into() };
                if is_plain_host(fill.target.base) || fill.target.count() == 0 {
                    let done = device::fill(memory, &fill);
                    return done.map(nothing).map_err(|at| outside(at, element_bytes, true));
                }
                self.transfer(|| Api::Fill(fill), span).map(nothing)
            }

            Rt::CharAssign => {
                let text = storage::read(memory, a.bits(2), a.size(3))?;
                storage::write_text(memory, a.bits(0), a.size(1), &text)?;
                Ok([0, 0])
            }
            Rt::CharCompare => {
                let (left, right) =
                    (storage::read(memory, a.bits(0), a.size(1))?, storage::read(memory, a.bits(2), a.size(3))?);
                Ok(code(characters::compare(&left, &right) as i32))
            }
            Rt::CharIndex | Rt::CharScan | Rt::CharVerify => {
                let text = storage::read(memory, a.bits(0), a.size(1))?;
                let other = storage::read(memory, a.bits(2), a.size(3))?;
                let back = a.flag(4);
                let found = match rt {
                    Rt::CharIndex => characters::index(&text, &other, back),
                    _ => characters::scan(&text, &other, back, rt == Rt::CharScan),
                };
                Ok([found, 0])
            }
            Rt::CharLenTrim => {
                let text = storage::read(memory, a.bits(0), a.size(1))?;
                Ok([characters::len_trim(&text) as u64, 0])
            }
            Rt::CharAdjust => {
                let text = storage::read(memory, a.bits(1), a.size(2))?;
                storage::write(memory, a.bits(0), &characters::adjust(&text, a.flag(3)))?;
                Ok([0, 0])
            }

            Rt::Stop => Err(self.stop(memory, a)),
            Rt::SystemClock => Ok([self.nanoseconds(Ask::Clock)?, 1_000_000_000]),
            Rt::CpuTime => Ok([(self.nanoseconds(Ask::CpuClock)? as f64 / 1e9).to_bits(), 0]),
            Rt::DateTime => {
                let Answer::Date(values) = self.ask(Ask::Date)? else { return Ok([0, 0]) };
                let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
                storage::write(memory, a.bits(0), &bytes)?;
                Ok([0, 0])
            }
            Rt::Sleep => {
                self.ask(Ask::Sleep { milliseconds: a.size(0) })?;
                Ok([0, 0])
            }
            Rt::RandomNumber => Ok([self.random.uniform().to_bits(), 0]),
            Rt::RandomSeed => {
                self.random = Random::new(if a.bits(0) == 0 { DEFAULT_SEED } else { a.bits(0) });
                Ok([0, 0])
            }
            Rt::Command => {
                // The command finds the files of the program as they are now.
                for number in self.units.map.keys().copied().collect::<Vec<_>>() {
                    self.sync(number)?;
                }
                let text = storage::read(memory, a.bits(0), a.size(1))?;
                let text = String::from_utf8_lossy(&text).trim_end().to_owned();
                let Answer::Command(Some(end)) = self.ask(Ask::Command { text })? else {
                    return Ok([u64::from(u32::MAX), 0]);
                };
                self.send(Stream::Stdout, &end.output);
                self.send(Stream::Stderr, &end.errors);
                Ok([u64::from(end.code as u32), 0])
            }
            Rt::ArgCount => Ok([self.arguments.len().saturating_sub(1) as u64, 0]),
            Rt::ArgGet => {
                let text = usize::try_from(a.int(0)).ok().and_then(|i| self.arguments.get(i)).cloned();
                give_text(memory, text.as_deref(), a)
            }
            Rt::CommandGet => give_text(memory, Some(&self.arguments.join(&b' ')), a),
            Rt::EnvGet => {
                let name = storage::read(memory, a.bits(3), a.size(4))?;
                let name = String::from_utf8_lossy(&name).trim_end().to_owned();
                let text = match self.ask(Ask::Environment { name })? {
                    Answer::Text(text) => text,
                    _ => None,
                };
                give_text(memory, text.as_deref(), a)
            }

            Rt::ErrorBounds => {
                let name = storage::read_name(memory, a.bits(4), a.size(5));
                let (subscript, lower, upper) = (a.long(0), a.long(1), a.long(2));
                let dimension = a.int(3).max(1) as u32;
                let kind = FindingKind::Subscript { dimension, rank: dimension, subscript, lower, upper };
                let access = Access::step(Actor::Host, span).at(Place::variable(name));
                Err(Halt::Finding(Box::new(Finding::new(kind, vec![access]))))
            }
            Rt::ErrorAllocated => {
                let name = storage::read_name(memory, a.bits(0), a.size(1));
                Err(Halt::Fault(HostFault::NotAllocatedUse { name }))
            }
            Rt::ErrorAlreadyAllocated => {
                let name = storage::read_name(memory, a.bits(0), a.size(1));
                Err(Halt::Fault(HostFault::AlreadyAllocated { name }))
            }
            Rt::ErrorShape => Err(Halt::Fault(HostFault::NonconformingShapes {
                dimension: a.int(2).max(1) as u32,
                left: a.long(0),
                right: a.long(1),
            })),

            Rt::CudaGetErrorString => {
                let text = device::error_string(a.int(2));
                storage::write_text(memory, a.bits(0), a.size(1), text.as_bytes())?;
                Ok([0, 0])
            }
            Rt::CudaFreeArray => {
                let address = storage::read_descriptor(memory, a.bits(0))?.0.base;
                let reply = self.call(|| Call { api: Api::CudaFree { address, host: false }, span })?;
                if reply.code == 0 {
                    storage::write(memory, a.bits(0), &[0; 8])?;
                }
                Ok(code(reply.code))
            }
            Rt::CudaMallocArray | Rt::CudaMallocManagedArray => {
                let (at, count) = (a.bits(0), a.size(1));
                let element_bytes = storage::read_descriptor(memory, at)?.1;
                let bytes = count.saturating_mul(element_bytes);
                let region = if rt == Rt::CudaMallocArray { Region::Device(0) } else { Region::Managed };
                let reply = self.call(|| Call { api: Api::Malloc { region, at, bytes }, span })?;
                if reply.code == 0 {
                    storage::write_shape(memory, at, element_bytes, &[count])?;
                }
                Ok(code(reply.code))
            }
            Rt::CudaMallocPitchArray => {
                let (at, pitch_at, width, height) = (a.bits(0), a.bits(1), a.size(2), a.size(3));
                let element_bytes = storage::read_descriptor(memory, at)?.1;
                let api = Api::MallocPitch { at, pitch_at, element_bytes, width, height };
                let reply = self.call(|| Call { api, span })?;
                if reply.code == 0 {
                    let pitch = storage::read(memory, pitch_at, 8)?.try_into().map_or(0, u64::from_le_bytes);
                    storage::write_shape(memory, at, element_bytes, &[pitch, height])?;
                }
                Ok(code(reply.code))
            }
            Rt::CudaMalloc3dArray => {
                let (at, extent_at) = (a.bits(0), a.bits(1));
                let element_bytes = storage::read_descriptor(memory, at)?.1;
                let mut extents = [0; 3];
                for (extent, i) in extents.iter_mut().zip(0..) {
                    *extent = storage::read(memory, extent_at + 8 * i, 8)?.try_into().map_or(0, u64::from_le_bytes);
                }
                let bytes = extents.iter().fold(element_bytes, |bytes, &n| bytes.saturating_mul(n));
                let reply = self.call(|| Call { api: Api::Malloc { region: Region::Device(0), at, bytes }, span })?;
                if reply.code == 0 {
                    storage::write_shape(memory, at, element_bytes, &extents)?;
                }
                Ok(code(reply.code))
            }
            Rt::CudaSymbolAddress
            | Rt::CudaSymbolSize
            | Rt::CudaMemcpyToSymbol
            | Rt::CudaMemcpyFromSymbol
            | Rt::CudaMemcpyToSymbolAsync
            | Rt::CudaMemcpyFromSymbolAsync => {
                let api = symbol_call(&self.symbols, memory, rt, a)?;
                Ok(code(self.call(|| Call { api, span })?.code))
            }
            cuda => {
                let api = cuda_call(memory, cuda, a)?;
                let reply = self.call(|| Call { api, span })?;
                Ok(if cuda == Rt::CudaGetDefaultStream { [reply.value, 0] } else { code(reply.code) })
            }
        }
    }

    fn nanoseconds(&mut self, question: Ask) -> Result<u64, Halt> {
        match self.ask(question)? {
            Answer::Nanoseconds(n) => Ok(n),
            _ => Ok(0),
        }
    }

    fn stop(&mut self, memory: &Memory, a: Args<'_>) -> Halt {
        let is_error = a.flag(0);
        let code = a.int(1);
        let message = match a.bits(2) {
            0 => (code != 0 && !(is_error && code == 1)).then(|| code.to_string()),
            address => storage::read(memory, address, a.size(3))
                .ok()
                .map(|text| String::from_utf8_lossy(&text).trim_end().to_owned()),
        };
        if is_error {
            return Halt::ErrorStop(code, message);
        }
        if let Some(message) = message {
            self.send(crate::Stream::Stderr, format!("STOP {message}\n").as_bytes());
        }
        Halt::Stop(code)
    }

    fn alloc(&mut self, memory: &mut Memory, a: Args<'_>, span: Span) -> Result<Results, Halt> {
        let (bytes, has_stat) = (a.long(1), a.flag(4));
        let region = region_of(a.int(0));
        let name = storage::read_name(memory, a.bits(2), a.size(3));
        let wanted = u64::try_from(bytes).unwrap_or(u64::MAX);
        if region == Region::Host {
            return match memory.alloc(Region::Host, wanted, &name, span) {
                Ok(address) => Ok([address, 0]),
                Err(_) if has_stat => Ok([0, STAT_FAILED]),
                Err(e) => Err(Halt::Fault(HostFault::AllocationTooLarge { name: shown(&name), bytes: e.bytes })),
            };
        }
        let variable = name.clone();
        let reply = self.call(|| Call { api: Api::Alloc { region, bytes: wanted, name: variable }, span })?;
        match reply.code {
            0 => Ok([reply.value, 0]),
            code if has_stat => Ok([0, code as u64]),
            // The device has room, but the computer has not.
            2 if wanted <= memory.free_bytes(region) => {
                Err(Halt::Fault(HostFault::AllocationTooLarge { name: shown(&name), bytes: wanted }))
            }
            2 => {
                let fault = finding::ApiFault::OutOfMemory {
                    requested: wanted,
                    used: memory.limit(region) - memory.free_bytes(region),
                    total: memory.limit(region),
                };
                let kind = FindingKind::Api { call: "allocate".to_owned(), fault };
                let access = Access::step(Actor::Host, span).at(Place::variable(shown(&name)));
                Err(Halt::Finding(Box::new(Finding::new(kind, vec![access]))))
            }
            code => Err(failed("allocate", code, span)),
        }
    }

    fn free(&mut self, memory: &mut Memory, a: Args<'_>, span: Span) -> Result<Results, Halt> {
        let (address, has_stat) = (a.bits(1), a.flag(4));
        let name = storage::read_name(memory, a.bits(2), a.size(3));
        if address == 0 {
            return if has_stat {
                Ok([STAT_FAILED, 0])
            } else {
                Err(Halt::Fault(HostFault::NotAllocated { name: shown(&name) }))
            };
        }
        if !is_plain_host(address) {
            let variable = name.clone();
            let reply = self.call(|| Call { api: Api::Free { address, name: variable }, span })?;
            return match reply.code {
                0 => Ok([0, 0]),
                code if has_stat => Ok([code as u64, 0]),
                code => Err(failed("deallocate", code, span)),
            };
        }
        match memory.free(address, span) {
            Ok(_) => Ok([0, 0]),
            Err(_) if has_stat => Ok([STAT_FAILED, 0]),
            Err(FreeError::Unknown | FreeError::Inside(_)) => {
                Err(Halt::Fault(HostFault::NotFromAllocate { name: shown(&name) }))
            }
            Err(error @ FreeError::Freed(_)) => {
                let access = Access::new(Actor::Host, finding::What::Free, finding::Space::Host, span)
                    .address(address, 0)
                    .at(Place::variable(shown(&name)));
                let kind = device::free_fault(memory, error);
                Err(Halt::Finding(Box::new(Finding::new(kind, vec![access]))))
            }
        }
    }

    fn copy(&mut self, memory: &mut Memory, a: Args<'_>, span: Span) -> Result<(), Halt> {
        let (destination, source, bytes) = (a.bits(0), a.bits(1), a.size(2));
        if !(is_plain_host(destination) && is_plain_host(source)) && bytes > 0 {
            return self.transfer(|| Api::Copy { destination, source, bytes }, span);
        }
        if memory.copy(destination, source, bytes).is_some() {
            return Ok(());
        }
        let good = storage::read(memory, source, bytes).is_ok();
        Err(outside(if good { destination } else { source }, bytes, good))
    }

    /// A transfer that the program did not ask a code of: a failure ends the program.
    fn transfer(&mut self, api: impl FnOnce() -> Api, span: Span) -> Result<(), Halt> {
        let reply = self.call(|| Call { api: api(), span })?;
        match device::CudaError::from_code(reply.code) {
            None if reply.code == 0 => Ok(()),
            // A device that has failed for good does nothing any more; why was told, and the program goes on as under CUDA.
            Some(error) if error.is_sticky() => Ok(()),
            _ => Err(failed("assignment", reply.code, span)),
        }
    }
}

/// The region that a service names by a number; which device it is, the CUDA runtime knows.
fn region_of(location: i32) -> Region {
    match location {
        0 => Region::Host,
        2 => Region::Managed,
        3 => Region::Pinned,
        _ => Region::Device(0),
    }
}

/// Puts a text at the destination in arguments 1 and 2; gives its length, −1 if there is none.
fn give_text(memory: &mut Memory, text: Option<&[u8]>, a: Args<'_>) -> Result<Results, Halt> {
    if a.bits(1) != 0 {
        storage::write_text(memory, a.bits(1), a.size(2), text.unwrap_or_default())?;
    }
    Ok([text.map_or(-1, |t| t.len() as i64) as u64, 0])
}

/// A name for a message.
fn shown(name: &str) -> String {
    if name.is_empty() { "the array".to_owned() } else { name.to_owned() }
}

fn outside(address: u64, bytes: u64, write: bool) -> Halt {
    Halt::Outside(storage::Outside { address, bytes, write })
}

/// An implicit call failed with an error code.
fn failed(call: &str, code: i32, span: Span) -> Halt {
    let error = device::CudaError::from_code(code);
    let name = error.map_or_else(|| code.to_string(), |e| e.name().to_owned());
    let reason = format!("it failed with `{name}` ({})", device::error_string(code));
    let kind = FindingKind::Api { call: call.to_owned(), fault: finding::ApiFault::InvalidArgument { reason } };
    Halt::Finding(Box::new(Finding::new(kind, vec![Access::step(Actor::Host, span)])))
}
