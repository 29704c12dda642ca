//! The services that host code calls: one arm for each row of `ir::rt`.
//!
//! A service either gives its results or halts with a question; then it starts again from its beginning when the answer is
//! there. Arms therefore ask before they change anything, or change only what a second run changes to the same.

use super::foreign_services;
use crate::cuda::{SymbolCall, cuda_call, symbol_call};
use crate::io::{IoService, Object};
use crate::outside::{Answer, Ask, Stream};
use crate::protocol::{Args, Halt, Results};
use crate::random::{DEFAULT_SEED, Random, SEED_BYTES};
use crate::runtime::Runtime;
use crate::service::characters;
use crate::service::memory::outside;
use crate::storage::{self, is_plain_host};
use device::{Api, Call, Fill};
use finding::{Access, Actor, Finding, FindingKind, HostFault, Place};
use ir::rt::Rt;
use mem::{Memory, Region};
use source::Span;
use text::Value;

impl Runtime {
    pub(crate) fn io(&mut self) -> IoService<'_> {
        IoService { io: &mut self.io, answers: &mut self.answers }
    }

    /// The end of the program: every file gets what was written to it.
    pub(crate) fn close_all(&mut self) -> Result<(), (Halt, Span)> {
        self.io().close_all()
    }

    /// Serves one call.
    pub(crate) fn serve(&mut self, memory: &mut Memory, rt: Rt, args: Args<'_>, span: Span) -> Result<Results, Halt> {
        self.io.at = span;
        let served = match self.late.take() {
            Some(late) => Err(late.into()),
            None => self.dispatch(memory, rt, args, span),
        };
        match served {
            Err(Halt::Condition(condition)) => {
                self.io().meet(condition)?;
                if rt == Rt::IoEnd {
                    return self.io().end(memory).map(|code| [code as u32 as u64, 0]);
                }
                // The statement does nothing more with the object.
                Ok(if rt == Rt::IoChild { [u64::MAX, 0] } else { [0, 0] })
            }
            other => other,
        }
    }

    fn dispatch(&mut self, memory: &mut Memory, rt: Rt, a: Args<'_>, span: Span) -> Result<Results, Halt> {
        let nothing = |()| [0, 0];
        let code = |code: i32| [u64::from(code as u32), 0];
        match rt {
            Rt::IoBegin => {
                self.io().begin(a.int(0), a.int(1), a.long(2), a.int(3));
                Ok([0, 0])
            }
            Rt::IoFormat => self.io().set_format(memory, a.bits(0), a.size(1)).map(nothing),
            Rt::IoInternal => {
                self.io.statement()?.set_internal(a);
                Ok([0, 0])
            }
            Rt::IoOption => self.io().set_option(memory, a.int(0), a.long(1), a.long(2)).map(nothing),
            Rt::IoPutInt
            | Rt::IoPutLogical
            | Rt::IoPutReal2
            | Rt::IoPutReal4
            | Rt::IoPutReal8
            | Rt::IoPutComplex4
            | Rt::IoPutComplex8 => match self.io.item(rt, a)? {
                Some(value) => self.io().put(memory, value).map(nothing),
                None => Ok([0, 0]),
            },
            Rt::IoPutChar => {
                let text = storage::read(memory, a.bits(0), a.size(1))?;
                self.io().put(memory, Value::Char(&text)).map(nothing)
            }
            Rt::IoGet => {
                let object = Object { class: a.int(0), kind: a.int(1), address: a.bits(2), length: a.size(3) };
                self.io().get(memory, object).map(nothing)
            }
            Rt::IoChild => self.io().child(memory, a.flag(0)),
            Rt::IoNamelistNext => self.io().next_of_group(memory),
            Rt::IoChildText => self.io().child_text(memory, [a.bits(0), a.bits(1), a.bits(2)]).map(nothing),
            Rt::IoChildEnd => self.io().child_end(memory, a.int(0), (a.bits(1), a.size(2))).map(nothing),
            Rt::IoEnd => self.io().end(memory).map(code),
            Rt::IoOpen => {
                let text = storage::read(memory, a.bits(2), a.size(3))?;
                self.io().open(memory, a.long(0), a.bits(1), &String::from_utf8_lossy(&text)).map(code)
            }
            Rt::IoClose => self.io().close(memory, a.long(0), a.int(1), a.int(2), (a.bits(3), a.bits(4))).map(code),
            Rt::IoPosition => {
                self.io().position(memory, a.long(0), a.int(1), a.int(2), (a.bits(3), a.bits(4))).map(code)
            }
            Rt::IoByte => self.io().byte(a.long(0), a.int(1), a.long(2)).map(|n| [n as u64, 0]),
            Rt::IoInquire if a.int(3) == 10 => Ok([u64::from(self.io.has_failed()), 0]),
            Rt::IoInquire => {
                let path = match a.bits(1) {
                    0 => None,
                    address => Some(storage::read(memory, address, a.size(2))?),
                };
                let path = path.map(|p| String::from_utf8_lossy(&p).into_owned());
                self.io().inquire(a.long(0), path.as_deref(), a.int(3)).map(|n| [n as u64, 0])
            }
            Rt::IoInquireText => {
                let path = (a.bits(1) != 0).then(|| storage::read_name(memory, a.bits(1), a.size(2)));
                let specifier = storage::read_name(memory, a.bits(3), a.size(4));
                let answer = self.io().inquire_text(a.long(0), path.as_deref(), &specifier)?;
                storage::write_text(memory, a.bits(5), a.size(6), answer.as_bytes())?;
                Ok([0, 0])
            }

            Rt::Alloc => self.alloc(memory, a, 1, span),
            Rt::AllocAligned => self.alloc(memory, a, a.size(5) as u32, span),
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
                let fill = if rt == Rt::Fill {
                    Fill::with_value(target, a.bits(1).to_le_bytes()[..element_bytes.min(8) as usize].into())
                } else {
                    storage::filled_with(memory, target, a.bits(1), element_bytes)?
                };
                if is_plain_host(fill.target.base) || fill.target.count() == 0 {
                    let done = device::fill(memory, &fill);
                    return done.map(nothing).map_err(|at| outside(at, element_bytes, true));
                }
                self.transfer(|| Api::Fill(fill), span).map(nothing)
            }

            Rt::MatrixProduct => Runtime::matrix_product(memory, a),

            Rt::CharAssign => {
                let (to, from) = (a.bits(0), a.bits(2));
                let (text, holes) = storage::read_copied(memory, from, a.size(3))?;
                storage::write_text(memory, to, a.size(1), &text)?;
                for (first, len) in holes.into_iter().filter(|hole| hole.0 < a.size(1)) {
                    memory.mark_copied_hole(to + first, from + first, len.min(a.size(1) - first));
                }
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
                Ok([characters::find(rt, &text, &other, a.flag(4)), 0])
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
                let Answer::Date(values) = self.answers.ask(Ask::Date)? else { return Ok([0, 0]) };
                let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
                storage::write(memory, a.bits(0), &bytes)?;
                Ok([0, 0])
            }
            Rt::Sleep => {
                self.answers.ask(Ask::Sleep { milliseconds: a.size(0) })?;
                Ok([0, 0])
            }
            Rt::RandomNumber => Ok([self.random.uniform().to_bits(), 0]),
            Rt::RandomSeed => {
                match a.int(0) {
                    0 => self.random = Random::new(DEFAULT_SEED),
                    1 => self.random = Random::from_seed(&storage::read(memory, a.bits(1), SEED_BYTES)?),
                    _ => storage::write(memory, a.bits(1), &self.random.seed())?,
                }
                Ok([0, 0])
            }
            Rt::RealOp | Rt::RealState => self.reals.serve(memory, rt, a).map(|bits| [bits, 0]),
            Rt::Command => {
                // The command finds the files of the program as they are now.
                for number in self.io.units.map.keys().copied().collect::<Vec<_>>() {
                    self.io().sync(number)?;
                }
                let text = storage::read(memory, a.bits(0), a.size(1))?;
                let text = String::from_utf8_lossy(&text).trim_end().to_owned();
                let environment = self.environment.clone();
                let Answer::Command(Some(end)) = self.answers.ask(Ask::Command { text, environment })? else {
                    return Ok([u64::from(u32::MAX), 0]);
                };
                self.io.send(Stream::Stdout, &end.output);
                self.io.send(Stream::Stderr, &end.errors);
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
                if let Some(text) = self.environment.get(&name) {
                    return give_text(memory, Some(text.as_bytes()), a);
                }
                let text = match self.answers.ask(Ask::Environment { name })? {
                    Answer::Text(text) => text,
                    _ => None,
                };
                give_text(memory, text.as_deref(), a)
            }
            Rt::EnvSet => {
                let text = |at, len| storage::read(memory, at, len).map(|t| String::from_utf8_lossy(&t).into_owned());
                let (name, value) = (text(a.bits(0), a.size(1))?, text(a.bits(2), a.size(3))?);
                self.environment.insert(name.trim_end().to_owned(), value);
                Ok([0, 0])
            }

            Rt::MpiCall => self.call_mpi(memory, a, span).map(|is_interrupted| [u64::from(is_interrupted), 0]),

            // The host makes these calls itself, because it knows the local variables that are passed.
            foreign_services!() => Ok([0, 0]),

            Rt::ErrorBounds => {
                let name = storage::read_name(memory, a.bits(4), a.size(5));
                let (subscript, lower, upper) = (a.long(0), a.long(1), a.long(2));
                if a.int(3) == 0 {
                    return Err(Halt::Fault(HostFault::Substring { name, place: subscript, length: upper }));
                }
                if a.int(3) < 0 {
                    let fault = HostFault::of_argument(name, subscript, (lower, upper), a.int(3) == -2);
                    return Err(Halt::Fault(fault));
                }
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
            Rt::ErrorLength => Err(Halt::Fault(HostFault::DifferentLengths {
                parameter: storage::read_name(memory, a.bits(0), a.size(1)),
                wanted: a.long(2),
                given: a.long(3),
            })),
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
            Rt::CudaFreeArray | Rt::CudaFreeAsyncArray => {
                let address = storage::read_descriptor(memory, a.bits(0))?.0.base;
                let api = match rt {
                    Rt::CudaFreeAsyncArray => Api::FreeAsync { address, stream: a.bits(1) },
                    _ => Api::CudaFree { address, host: false },
                };
                let reply = self.answers.call(|| Call { api, span })?;
                if reply.code == 0 {
                    storage::write(memory, a.bits(0), &[0; 8])?;
                }
                Ok(code(reply.code))
            }
            Rt::CudaMallocArray | Rt::CudaMallocManagedArray | Rt::CudaMallocAsyncArray => {
                let (at, count) = (a.bits(0), a.size(1));
                let element_bytes = storage::read_descriptor(memory, at)?.1;
                let bytes = count.saturating_mul(element_bytes);
                let api = match rt {
                    Rt::CudaMallocAsyncArray => Api::MallocAsync { at, bytes, stream: a.bits(2) },
                    Rt::CudaMallocArray => Api::Malloc { region: Region::Device(0), at, bytes },
                    _ => Api::Malloc { region: Region::Managed, at, bytes },
                };
                let reply = self.answers.call(|| Call { api, span })?;
                if reply.code == 0 {
                    storage::write_shape(memory, at, element_bytes, &[count])?;
                }
                Ok(code(reply.code))
            }
            Rt::CudaMallocPitchArray => {
                let (at, pitch_at, width, height) = (a.bits(0), a.bits(1), a.size(2), a.size(3));
                let element_bytes = storage::read_descriptor(memory, at)?.1;
                let api = Api::MallocPitch { at, pitch_at, element_bytes, width, height };
                let reply = self.answers.call(|| Call { api, span })?;
                if reply.code == 0 {
                    let pitch = u64::from_le_bytes(storage::read_array(memory, pitch_at)?);
                    storage::write_shape(memory, at, element_bytes, &[pitch, height])?;
                }
                Ok(code(reply.code))
            }
            Rt::CudaMalloc3dArray => {
                let (at, extent_at) = (a.bits(0), a.bits(1));
                let element_bytes = storage::read_descriptor(memory, at)?.1;
                let mut extents = [0; 3];
                for (extent, i) in extents.iter_mut().zip(0..) {
                    *extent = u64::from_le_bytes(storage::read_array(memory, extent_at + 8 * i)?);
                }
                let bytes = extents.iter().fold(element_bytes, |bytes, &n| bytes.saturating_mul(n));
                let reply =
                    self.answers.call(|| Call { api: Api::Malloc { region: Region::Device(0), at, bytes }, span })?;
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
                let SymbolCall { api, told } = symbol_call(&self.symbols, memory, rt, a)?;
                let reply = self.answers.call(|| Call { api, span })?;
                if let Some((at, value)) = told.filter(|_| reply.code == 0) {
                    storage::write(memory, at, &value.to_le_bytes())?;
                }
                Ok(code(reply.code))
            }
            cuda => {
                let api = cuda_call(memory, cuda, a)?;
                let reply = self.answers.call(|| Call { api, span })?;
                Ok(if cuda == Rt::CudaGetDefaultStream { [reply.value, 0] } else { code(reply.code) })
            }
        }
    }

    fn nanoseconds(&mut self, question: Ask) -> Result<u64, Halt> {
        match self.answers.ask(question)? {
            Answer::Nanoseconds(n) => Ok(n),
            _ => Ok(0),
        }
    }

    fn stop(&mut self, memory: &Memory, a: Args<'_>) -> Halt {
        let (is_error, is_quiet) = (a.int(0) & 1 != 0, a.int(0) & 2 != 0);
        let code = a.int(1);
        if is_quiet {
            return Halt::Stop(code);
        }
        let text = match a.bits(2) {
            0 => None,
            address => storage::read(memory, address, a.size(3)).ok(),
        };
        let message = text::stop_message(is_error, code, text.as_deref());
        if is_error {
            return Halt::ErrorStop(code, message);
        }
        if let Some(message) = message {
            self.io.send(Stream::Stderr, text::stop_line(&message).as_bytes());
        }
        Halt::Stop(code)
    }
}

/// Puts a text at the destination in arguments 1 and 2; gives its length, −1 if there is none.
fn give_text(memory: &mut Memory, text: Option<&[u8]>, a: Args<'_>) -> Result<Results, Halt> {
    if a.bits(1) != 0 {
        storage::write_text(memory, a.bits(1), a.size(2), text.unwrap_or_default())?;
    }
    Ok([text.map_or(-1, |t| t.len() as i64) as u64, 0])
}
