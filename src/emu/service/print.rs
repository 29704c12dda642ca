//! PRINT and WRITE in device code, STOP, and errors that compiled code raises.
//!
//! Each lane has its own statement. At the end of the statement its lines go to the output of the launch, in the order of
//! lanes. Output is list-directed, like the host's, or that of C's `printf` (`text`).

use crate::service::Served;
use crate::symbolize::Memories;
use finding::{FindingKind, HostFault};
use ir::rt::Rt;
use ir::{Access, Space, Ty};
use mem::LaneAddresses;
use mem::address::{is_local, is_shared};
use scalar::lanes;
use text::{DeviceStatement, Value, stop_line};
use vm::{AccessEvent, AccessKind, Hooks, Program, RtRequest, Site, Values, Warp};

/// The print statements that the lanes of a warp have begun.
#[derive(Clone, Debug, Default)]
pub(crate) struct PrintState {
    lanes: Vec<Option<DeviceStatement>>,
}

/// Serves a request of the warp, printing to `output`; tells the hooks of the characters that it reads.
pub(crate) fn print(
    program: &Program,
    warp: &mut Warp<32>,
    request: &RtRequest,
    state: &mut PrintState,
    (memory, shared): (&dyn mem::ReadBytes, &[u8]),
    output: &mut Vec<u8>,
    mut hooks: Option<&mut dyn Hooks<32>>,
) -> Served {
    state.lanes.resize_with(32, || None);
    let lanes = lanes(request.mask);
    for lane in lanes {
        let arg = |i| warp.arg(request, i, lane);
        let mut read_text = |address: u64, length: u64| {
            let mut characters = vec![b' '; (length as usize).min(1 << 20)];
            Memories { memory, shared, warp }.read(lane, address, &mut characters)?;
            if let Some(hooks) = hooks.as_deref_mut().filter(|hooks| hooks.wants_accesses()) {
                tell(
                    hooks,
                    warp,
                    request.site,
                    (lane, address),
                    &characters,
                    (AccessKind::Read(Access::Plain), End::Done),
                );
            }
            Some(characters)
        };
        let characters;
        let value = match request.rt {
            Rt::IoBegin => {
                state.lanes[lane] = Some(DeviceStatement::begin(arg(1) as u32));
                continue;
            }
            Rt::IoEnd => {
                if let Some(statement) = state.lanes[lane].take() {
                    statement.finish(output);
                }
                continue;
            }
            Rt::IoPutInt => {
                Value::Int { ty: Ty::integer(arg(1)), bits: scalar::bits::canonical(Ty::integer(arg(1)), arg(0)) }
            }
            Rt::IoPutLogical => {
                Value::Logical { ty: Ty::integer(arg(1)), bits: scalar::bits::canonical(Ty::integer(arg(1)), arg(0)) }
            }
            Rt::IoPutReal4 => Value::Real { ty: Ty::F32, bits: arg(0) },
            Rt::IoPutReal8 => Value::Real { ty: Ty::F64, bits: arg(0) },
            Rt::IoPutComplex4 => Value::Complex { ty: Ty::F32, re: arg(0), im: arg(1) },
            Rt::IoPutComplex8 => Value::Complex { ty: Ty::F64, re: arg(0), im: arg(1) },
            Rt::IoPutChar => {
                let Some(text) = read_text(arg(0), arg(1)) else { return Served::Refused };
                characters = text;
                Value::Char(&characters)
            }
            Rt::Stop => {
                let is_error = arg(0) & 1 != 0;
                let text = match arg(2) {
                    0 => None,
                    address => match read_text(address, arg(3)) {
                        None => return Served::Refused,
                        text => text,
                    },
                };
                let message =
                    text::stop_message(is_error, arg(1) as i32, text.as_deref().filter(|text| !text.is_empty()));
                if is_error {
                    return Served::Error(FindingKind::Host(HostFault::ErrorStop { message }), String::new());
                }
                if let Some(message) = message {
                    output.extend_from_slice(stop_line(&message).as_bytes());
                }
                continue;
            }
            Rt::ErrorBounds | Rt::ErrorShape | Rt::ErrorAllocated | Rt::ErrorAlreadyAllocated => {
                return error(warp, request, lane, Memories { memory, shared, warp });
            }
            _ => return Served::Refused,
        };
        if let Some(statement) = &mut state.lanes[lane] {
            statement.item(value);
        }
    }
    if request.rt == Rt::Stop {
        warp.exit_current();
    } else {
        warp.answer(program, |_, _| 0);
    }
    Served::Done
}

/// How far an access is that hooks are told of.
#[derive(Clone, Copy)]
pub(super) enum End {
    /// It is done.
    Done,
    /// It is told of at its other end ([`Hooks::on_access_under_way`]).
    UnderWay,
}

/// Tells the hooks that a lane reads or writes bytes, in words as large as their place allows.
pub(super) fn tell(
    hooks: &mut dyn Hooks<32>,
    warp: &Warp<32>,
    site: Site,
    (lane, mut address): (usize, u64),
    mut characters: &[u8],
    (kind, end): (AccessKind, End),
) {
    let Some(split) = warp.split_of(lane as u32) else { return };
    let space = match address {
        a if is_shared(a) => Space::Shared,
        a if is_local(a) => Space::Local,
        _ => Space::Global,
    };
    while !characters.is_empty() {
        let bytes = 1 << address.trailing_zeros().min(characters.len().ilog2()).min(3);
        let (word, rest) = characters.split_at(bytes);
        let value = word.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
        let event = AccessEvent {
            site,
            frame: split.frame_number(),
            mask: 1 << lane,
            kind,
            space,
            bytes,
            lanes: &LaneAddresses::uniform(address),
            values: Values::Same(value),
            order: None,
        };
        match end {
            End::Done => hooks.on_access(warp, &event),
            End::UnderWay => hooks.on_access_under_way(warp, &event),
        }
        address += bytes as u64;
        characters = rest;
    }
}

/// The error that compiled code raises in a lane.
fn error(warp: &Warp<32>, request: &RtRequest, lane: usize, from: Memories<'_>) -> Served {
    let arg = |i| warp.arg(request, i, lane);
    let name = |at: usize| {
        let mut bytes = vec![0; (arg(at + 1) as usize).min(256)];
        let read = from.read(lane, arg(at), &mut bytes);
        read.map_or_else(String::new, |()| String::from_utf8_lossy(&bytes).into_owned())
    };
    let name = match request.rt {
        Rt::ErrorBounds => name(4),
        Rt::ErrorShape => String::new(),
        _ => name(0),
    };
    let kind = match request.rt {
        Rt::ErrorBounds => {
            let dimension = arg(3) as u32;
            // The rank is not told; at least as many dimensions as the one that is wrong.
            let [subscript, lower, upper] = [arg(0), arg(1), arg(2)].map(|v| v as i64);
            if dimension == 0 {
                let fault = HostFault::Substring { name: name.clone(), place: subscript, length: upper };
                return Served::Error(FindingKind::Host(fault), name);
            }
            if (dimension as i32) < 0 {
                let fault = HostFault::of_argument(name.clone(), subscript, (lower, upper), dimension as i32 == -2);
                return Served::Error(FindingKind::Host(fault), name);
            }
            FindingKind::Subscript { dimension, rank: dimension, subscript, lower, upper }
        }
        Rt::ErrorShape => FindingKind::Host(HostFault::NonconformingShapes {
            dimension: (arg(2) as u32).max(1),
            left: arg(0) as i64,
            right: arg(1) as i64,
        }),
        Rt::ErrorAlreadyAllocated => FindingKind::Host(HostFault::AlreadyAllocated { name: name.clone() }),
        _ => FindingKind::Host(HostFault::NotAllocatedUse { name: name.clone() }),
    };
    Served::Error(kind, name)
}
