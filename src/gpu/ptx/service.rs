//! Services of the run time in device code.
//!
//! What a kernel prints, and why it ends a program, becomes records ([`super::record`]). A thread that ends the program exits
//! after it has written its record, and the host ends the run when it reads that. Allocation is the device heap's `malloc`,
//! which the driver links. Services of the host are refused by name.

use super::EmitError;
use super::body::{Body, Width, ins};
use super::library::Helper;
use super::record::Kind;
use ir::rt::Rt;
use ir::{Reg, Trap, Ty, Val};
use source::Span;

/// STAT of an allocation for which the device heap has no room.
const STAT_NO_MEMORY: i32 = 1;
/// What the addresses that the device heap gives are multiples of (CUDA C++ Programming Guide, dynamic global memory).
const HEAP_ALIGNMENT: i64 = 16;

impl Body<'_, '_> {
    /// Calls a service.
    pub(super) fn service(&mut self, rt: Rt, args: &[Val], results: &[Reg]) -> Result<(), EmitError> {
        if args.len() != rt.params().len() || results.len() != rt.results().len() {
            return self.refuse(format!("`{rt}` with another number of arguments"));
        }
        match rt {
            Rt::IoBegin => {
                if args[0] == Val::i32(1) {
                    return self.refuse("a READ");
                }
                self.record(Kind::Begin, args[1], Some((Ty::I64, args[2])), None);
            }
            Rt::IoPutInt => self.record(Kind::Int, args[1], Some((Ty::I64, args[0])), None),
            Rt::IoPutReal4 => self.record(Kind::Real4, Val::i32(4), Some((Ty::F32, args[0])), None),
            Rt::IoPutReal8 => self.record(Kind::Real8, Val::i32(8), Some((Ty::F64, args[0])), None),
            Rt::IoPutComplex4 => {
                self.record(Kind::Complex4, Val::i32(4), Some((Ty::F32, args[0])), Some((Ty::F32, args[1])));
            }
            Rt::IoPutComplex8 => {
                self.record(Kind::Complex8, Val::i32(8), Some((Ty::F64, args[0])), Some((Ty::F64, args[1])));
            }
            Rt::IoPutLogical => self.record(Kind::Logical, args[1], Some((Ty::I64, args[0])), None),
            Rt::IoPutChar => self.text(args[0], args[1]),
            Rt::IoEnd => {
                self.record(Kind::End, Val::i32(0), None, None);
                self.mov(Ty::I32, results[0], Val::i32(0));
            }
            Rt::Alloc | Rt::AllocAligned => self.allocate(args, results),
            Rt::Free => {
                let mut address = self.in_register(Ty::I64, args[1]);
                if self.unit.has_aligned {
                    address = self.room_of(&address);
                }
                self.call_helper(Helper::Free, &[address], None);
                self.mov(Ty::I32, results[0], Val::i32(0));
            }
            Rt::CharAssign => {
                let args: Vec<String> = args.iter().map(|&a| self.in_register(Ty::I64, a)).collect();
                self.call_helper(Helper::CharAssign, &args, None);
            }
            Rt::CharCompare => {
                let args: Vec<String> = args.iter().map(|&a| self.in_register(Ty::I64, a)).collect();
                let dst = self.reg(results[0]);
                self.call_helper(Helper::CharCompare, &args, Some(&dst));
            }
            Rt::Stop => {
                self.record(Kind::Stop, args[0], Some((Ty::I32, args[1])), None);
                self.record_place();
                if args[2] != Val::Imm(0) {
                    self.text(args[2], args[3]);
                }
                ins!(self, "exit");
            }
            Rt::ErrorBounds => {
                self.record(Kind::Bounds, args[3], Some((Ty::I64, args[0])), Some((Ty::I64, args[1])));
                self.record(Kind::Upper, Val::i32(0), Some((Ty::I64, args[2])), None);
                self.record_place();
                self.text(args[4], args[5]);
                ins!(self, "exit");
            }
            Rt::ErrorShape => {
                self.record(Kind::Shape, args[2], Some((Ty::I64, args[0])), Some((Ty::I64, args[1])));
                self.record_place();
                ins!(self, "exit");
            }
            Rt::ErrorAllocated | Rt::ErrorAlreadyAllocated => {
                let kind = if rt == Rt::ErrorAllocated { Kind::Unallocated } else { Kind::Allocated };
                self.record(kind, Val::i32(0), None, None);
                self.record_place();
                self.text(args[0], args[1]);
                ins!(self, "exit");
            }
            Rt::PipelineCopy => {
                let [to, from] = [args[0], args[1]].map(|a| self.in_register(Ty::I64, a));
                let Val::Imm(bytes) = args[2] else { return self.refuse("a copy of an unknown number of bytes") };
                let [shared, global] = [(); 2].map(|()| self.temp(Width::W64));
                ins!(self, "cvta.to.shared.u64 {shared}, {to}");
                ins!(self, "cvta.to.global.u64 {global}, {from}");
                ins!(self, "cp.async.ca.shared.global [{shared}], [{global}], {bytes}");
            }
            Rt::PipelineCommit => ins!(self, "cp.async.commit_group"),
            Rt::PipelineWait => match args[0] {
                // Of no group too, all are waited for.
                Val::Imm(n) => ins!(self, "cp.async.wait_group {}", (n as i32).max(0)),
                // The number is part of the instruction; waiting for all is waiting for enough.
                Val::Reg(_) => ins!(self, "cp.async.wait_all"),
            },
            Rt::BarrierInit
            | Rt::BarrierExpect
            | Rt::BarrierArrive
            | Rt::BarrierTry
            | Rt::ProxyFence
            | Rt::BulkLoad
            | Rt::BulkStore
            | Rt::BulkCommit
            | Rt::BulkWait => self.bulk(rt, args, results),
            Rt::ClusterMap => {
                let address = self.in_register(Ty::I64, args[0]);
                let rank = self.in_register(Ty::I32, args[1]);
                let dst = self.reg(results[0]);
                ins!(self, "mapa.u64 {dst}, {address}, {rank}");
            }
            Rt::NestedError => self.last_error(args[0], results[0])?,
            Rt::NestedStreamCreate => self.of_runtime(Helper::StreamCreate, args, results[0])?,
            Rt::NestedStreamDestroy => self.of_runtime(Helper::StreamDestroy, args, results[0])?,
            Rt::NestedEventCreate => self.of_runtime(Helper::EventCreate, args, results[0])?,
            Rt::NestedEventRecord => self.of_runtime(Helper::EventRecord, args, results[0])?,
            Rt::NestedEventDestroy => self.of_runtime(Helper::EventDestroy, args, results[0])?,
            Rt::NestedStreamWait => self.of_runtime(Helper::StreamWait, args, results[0])?,
            Rt::NestedAsk => self.of_runtime(Helper::Ask, args, results[0])?,
            Rt::NestedKernel => self.ask_of_kernel(args, results[0])?,
            // The runtime notes what its own routines make; there is no way to tell it of others.
            Rt::NestedFail => {
                let code = self.in_register(Ty::I32, args[0]);
                let dst = self.reg(results[0]);
                ins!(self, "mov.b32 {dst}, {code}");
            }
            Rt::NestedWait => {
                return self.refuse("`cudaDeviceSynchronize` in device code, which CUDA 12 and later do not have,");
            }
            // Only the emulator looks at what real operations make; a GPU computes the same without a word.
            Rt::RealMade => {}
            // The other rows are the host's; a test assembles every row that device code may call.
            _ => return self.refuse(format!("the service `{rt}`")),
        }
        Ok(())
    }

    /// Writes a record.
    fn record(&mut self, kind: Kind, extra: Val, a: Option<(Ty, Val)>, b: Option<(Ty, Val)>) {
        let extra = self.in_register(Ty::I32, extra);
        let [a, b] = [a, b].map(|v| v.map_or_else(|| "0".to_owned(), |(ty, value)| self.word(ty, value)));
        self.call_helper(Helper::Record, &[(kind as u32).to_string(), extra, a, b], None);
    }

    /// Writes the bytes of a character value.
    fn text(&mut self, address: Val, length: Val) {
        let args = [self.in_register(Ty::I64, address), self.in_register(Ty::I64, length)];
        self.call_helper(Helper::Text, &args, None);
    }

    /// Writes the place of the instruction in hand, for the fault just recorded.
    fn record_place(&mut self) {
        let Span { file, start, end } = self.span();
        let at = |offset: u32| Some((Ty::I64, Val::Imm(u64::from(offset))));
        self.record(Kind::Place, Val::Imm(u64::from(file.0)), at(start), at(end));
        if self.unit.has_launches {
            self.record_extents();
        }
    }

    /// Where the room begins that the device heap has given for memory at an address; none for none.
    fn room_of(&mut self, address: &str) -> String {
        let (room, is_some) = (self.temp(Width::W64), self.temp(Width::Pred));
        ins!(self, "setp.ne.s64 {is_some}, {address}, 0");
        ins!(self, "mov.b64 {room}, 0");
        ins!(self, "@{is_some} ld.u64 {room}, [{address} + -8]");
        room
    }

    /// Ends the thread with an error that compiled code raises.
    pub(super) fn record_trap(&mut self, trap: Trap) {
        let number = match trap {
            Trap::ZeroStep => 0,
            Trap::Unsupported | Trap::Unreachable => 1,
            Trap::ZeroDivisor => 2,
        };
        self.record(Kind::Trap, Val::i32(number), None, None);
        self.record_place();
        ins!(self, "exit");
    }

    fn allocate(&mut self, args: &[Val], results: &[Reg]) {
        let bytes = self.in_register(Ty::I64, args[1]);
        let (wanted, failed) = (self.temp(Width::W64), self.temp(Width::Pred));
        let (address, stat) = (self.reg(results[0]), self.reg(results[1]));
        // An array without elements is still allocated: its address must differ from the null address.
        ins!(self, "max.s64 {wanted}, {bytes}, 1");
        let align = self.unit.has_aligned.then(|| {
            let align = self.temp(Width::W64);
            let asked = args.get(5).map_or_else(|| HEAP_ALIGNMENT.to_string(), |&n| self.in_register(Ty::I64, n));
            ins!(self, "max.s64 {align}, {asked}, {HEAP_ALIGNMENT}");
            ins!(self, "add.s64 {wanted}, {wanted}, {align}");
            align
        });
        let got = self.temp(Width::W64);
        self.call_helper(Helper::Malloc, std::slice::from_ref(&wanted), Some(&got));
        ins!(self, "setp.eq.s64 {failed}, {got}, 0");
        let done = self.label();
        if args[4] != Val::i32(1) {
            ins!(self, "@!{failed} bra {done}");
            let flag = self.in_register(Ty::I32, args[4]);
            let caught = self.temp(Width::Pred);
            ins!(self, "setp.ne.s32 {caught}, {flag}, 0");
            ins!(self, "@{caught} bra {done}");
            self.record(Kind::NoMemory, Val::i32(0), Some((Ty::I64, args[1])), None);
            self.record_place();
            self.text(args[2], args[3]);
            ins!(self, "exit");
            self.place_label(&done);
        }
        match align {
            Some(align) => {
                let (place, mask) = (self.temp(Width::W64), self.temp(Width::W64));
                ins!(self, "add.s64 {place}, {got}, {align}");
                ins!(self, "neg.s64 {mask}, {align}");
                ins!(self, "and.b64 {place}, {place}, {mask}");
                ins!(self, "@!{failed} st.u64 [{place} + -8], {got}");
                ins!(self, "selp.b64 {address}, 0, {place}, {failed}");
            }
            None => ins!(self, "mov.b64 {address}, {got}"),
        }
        ins!(self, "selp.b32 {stat}, {STAT_NO_MEMORY}, 0, {failed}");
    }
}
