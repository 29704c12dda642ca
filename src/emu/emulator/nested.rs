//! What device code asks for about launches of its own: launches, streams, errors, waiting.
//!
//! Not here: which of the grids runs when (`crate::nested`).

use super::Emulator;
use crate::block::Block;
use crate::checks::RacePass;
use crate::kernel::kernel_info;
use crate::launch::{ActiveLaunch, Failure};
use crate::nested::{Aside, MOST_DEPTH, Made, Nested, Running};
use crate::parallel::Parallel;
use crate::report;
use crate::schedule::{Grid, mix};
use crate::symbolize::Memories;
use ::device::{Arg, CudaError, KernelInfo, KernelLaunch, Observer, launch_error, launch_fault};
use finding::{Access, Actor, ApiFault, Finding, FindingKind, LaunchFault, Launcher, Space, What};
use ir::rt::Rt;
use ir::{FuncId, Function, ParamKind, VarLoc};
use mem::Memory;
use mem::address::{is_local, is_shared};
use scalar::lanes;
use std::collections::BTreeMap;
use std::sync::Arc;
use vm::{LaunchRequest, Program, RtRequest};

/// The flags with which device code can make a stream: `cudaStreamNonBlocking`, as the guide wants it, and `cudaStreamDefault`, which
/// GPUs take too (CUDA 13 on an H200).
const STREAM_FLAGS: [u32; 2] = [1, 0];

/// `cudaEventDisableTiming`: the one kind of event that device code can make.
const DISABLE_TIMING: u64 = 2;

/// Whether a service is about launches from device code.
pub(super) fn is_about_launches(rt: Rt) -> bool {
    matches!(
        rt,
        Rt::NestedWait | Rt::NestedError | Rt::NestedStreamCreate | Rt::NestedStreamDestroy | Rt::NestedStreamWait
    ) || matches!(rt, Rt::NestedEventCreate | Rt::NestedEventRecord | Rt::NestedEventDestroy | Rt::NestedAsk)
        || matches!(rt, Rt::NestedKernel | Rt::NestedFail)
}

impl Emulator {
    /// Lanes of a warp of the running block launch kernels; gives why the whole launch fails if it does.
    pub(super) fn launch_nested(
        &mut self,
        program: &Program,
        memory: &Memory,
        warp: usize,
        requests: &[LaunchRequest],
    ) -> Option<Failure> {
        let ActiveLaunch { grid, checks, nested, tracer, .. } = self.launch.as_mut()?;
        if let Some(tracer) = tracer {
            // What nested grids do is not written down.
            tracer.cut();
        }
        for request in requests {
            let block = grid.active.front()?;
            let tid = block.warps[warp].number() * 32 + request.lane;
            let thread = report::thread(grid, block.linear, tid);
            let mut stack =
                block.warps[warp].split_of(request.lane).map(|split| split.call_stack()).unwrap_or_default();
            match stack.first_mut() {
                Some(innermost) => *innermost = request.site,
                None => stack.push(request.site),
            }
            // A copy or fill is told where the program asks for it.
            let span = report::own_span(program, &stack).unwrap_or_else(|| program.span(request.site));
            let kernel = program.module().func(request.func);
            let args = match arguments(program, kernel, memory, block, warp, request) {
                Ok(args) => args,
                Err((space, address)) => {
                    let access = Access::new(Actor::Thread(thread), What::Read, space, span).address(address, 0);
                    let found = Finding::new(FindingKind::PrivateArgument, vec![access]);
                    let found = found.in_launch(report::launch_info(program, grid)).with_seed(grid.replay);
                    return Some((found, CudaError::InvalidAddressSpace));
                }
            };
            let launch = KernelLaunch {
                func: request.func,
                // `*` is refused in device code: all zeros are extents that were computed.
                grid: if request.grid == [0; 3] { [0, 1, 1] } else { request.grid },
                block: request.block,
                dynamic_shared: request.bytes as u64,
                stream: request.stream as u64,
                args,
                number: finding::nested_number(grid.launch.number, nested.next_index()),
                span,
            };
            if let Some((kind, error)) = fault_of(program, nested, &self.properties, block.number, &launch) {
                let access = Access::step(Actor::Thread(thread), span);
                nested.fail((block.number, tid), error, request.site, || {
                    let mut found = Finding::new(kind, vec![access]).in_launch(report::launch_info(program, grid));
                    if error == CudaError::InvalidResourceHandle {
                        let note = "device code launches in streams that threads of its block have made";
                        found.notes.push(note.to_owned());
                    }
                    found.with_seed(grid.replay)
                });
                continue;
            }
            let name = program.module().func(grid.launch.func).short_name().to_owned();
            let by = Arc::new(Launcher { kernel: name, thread, span, grid: request.grid });
            let known = checks.race.known_to(block, block.warps[warp].number(), request.lane as usize);
            nested.push(Made { launch, by, block: block.number, tid, known, before: Vec::new() });
        }
        grid.active.front_mut()?.warps[warp].answer(program, |_, _| 0);
        let is_put_off = grid.seed != 0 && mix(grid.seed ^ mix(nested.made())) & 1 != 0;
        if !is_put_off {
            nested.make_all_due();
        }
        None
    }

    /// Begins the next grid that must begin before the present one goes on, or lets the one go on that has polled. False if there is none.
    pub(super) fn begin_nested(&mut self, observer: &mut dyn Observer) -> bool {
        let Some(launch) = &mut self.launch else { return false };
        if let Some(Aside { running, here, made }) = launch.nested.take_turned() {
            let outer = launch.run_instead(running);
            launch.nested.enter_again(outer, here, made);
            return true;
        }
        let Some((made, clocks)) = launch.nested.next_due() else { return false };
        let outer_seed = launch.grid.seed;
        let seed = if outer_seed == 0 { 0 } else { mix(outer_seed ^ mix(made.launch.number)) | 1 };
        let mut grid = Grid::new(made.launch.clone(), seed);
        grid.replay = launch.grid.replay;
        grid.by = Some(made.by.clone());
        launch.nested.grids.add(&mut grid, (made.block, made.tid));
        if !launch.checks.race.is_undone(self.options.rehearse) {
            observer.on_launch(&grid.launch);
        }
        let (parallel, mode) = (Parallel::Undecided, Parallel::Undecided.mode());
        let outer = launch.run_instead(Running { grid, parallel, mode, clocks: Some(clocks) });
        launch.nested.enter(outer, made);
        true
    }

    /// The present grid only polls: the one that has launched it goes on. False if none can make progress any more; then the present grid is
    /// that of the host.
    pub(super) fn set_grid_aside(&mut self) -> bool {
        let Some(launch) = &mut self.launch else { return false };
        loop {
            let Some((outer, here, made)) = launch.nested.take_outer() else { return false };
            let running = launch.run_instead(outer);
            if launch.nested.set_aside(&mut launch.grid, Aside { running, here, made }) {
                return true;
            }
            // The two are stuck together, unless the grid outside of them helps.
        }
    }

    /// The present grid has ended: what waits in it begins, or the grid that has launched it goes on. False if the whole launch has ended.
    pub(super) fn leave_grid(&mut self) -> bool {
        let Some(launch) = &mut self.launch else { return false };
        let ActiveLaunch { grid, checks, nested, mode, .. } = launch;
        if nested.make_all_due() {
            return true;
        }
        let ended = checks.nested.as_ref().map(|clocks| clocks.ended.clone()).unwrap_or_default();
        let Some(outer) = nested.leave(&ended) else { return false };
        *self.modes.entry((grid.launch.func, *mode)).or_default() += 1;
        if matches!(checks.race, RacePass::Decide(_)) || checks.init.is_some() {
            nested.grids.keep_witness(grid);
        }
        launch.run_instead(outer);
        if let Some(clocks) = &mut launch.checks.nested {
            clocks.ended.join(&ended);
        }
        true
    }

    /// Serves what a warp of the running block asks about launches of its own, or puts it off until what is waited for has ended.
    pub(super) fn serve_nested(&mut self, program: &Program, warp: usize, request: RtRequest) {
        let inquiry = Inquiry {
            properties: &self.properties,
            number: self.number,
            devices: self.options.devices,
            limits: &self.limits,
        };
        let Some(ActiveLaunch { grid, checks, nested, .. }) = &mut self.launch else { return };
        if request.rt == Rt::NestedWait && nested.make_all_due() {
            nested.ask(warp, request);
            return;
        }
        let Some(block) = grid.active.front() else { return };
        let number = block.warps[warp].number();
        let mut results = [0; 32];
        for lane in lanes(request.mask) {
            let arg = || block.warps[warp].arg(&request, 0, lane);
            let second = || block.warps[warp].arg(&request, 1, lane);
            let thread = (block.number, number * 32 + lane as u32);
            let code = |error: Option<CudaError>| error.map_or(0, |error| u64::from(error.code() as u32));
            let no_handle = |nested: &mut Nested| {
                nested.note(thread, CudaError::InvalidResourceHandle);
                code(Some(CudaError::InvalidResourceHandle))
            };
            results[lane] = match request.rt {
                Rt::NestedError => code(nested.error(thread, arg() & 1 != 0)),
                Rt::NestedStreamCreate if STREAM_FLAGS.contains(&(arg() as u32)) => nested.make_stream(block.number),
                Rt::NestedStreamDestroy if !nested.drop_stream(block.number, arg()) => no_handle(nested),
                Rt::NestedEventCreate if u64::from(arg() as u32) == DISABLE_TIMING => nested.make_event(block.number),
                Rt::NestedEventRecord if !nested.record(block.number, arg(), second()) => no_handle(nested),
                Rt::NestedStreamWait if !nested.wait_for_event(block.number, arg(), second()) => no_handle(nested),
                Rt::NestedFail => {
                    let error = CudaError::from_code(arg() as u32 as i32).unwrap_or(CudaError::Unknown);
                    nested.note(thread, error);
                    code(Some(error))
                }
                Rt::NestedKernel => {
                    let info = kernel_info(program, FuncId(arg() as u32));
                    let threads = block.warps[warp].arg(&request, 2, lane) as u32 as i32;
                    let shared = block.warps[warp].arg(&request, 3, lane);
                    inquiry.of_kernel(info, second() as u32, threads, shared) as u64
                }
                Rt::NestedAsk => {
                    let of_device = block.warps[warp].arg(&request, 2, lane) as u32 as i32;
                    inquiry.answer(arg() as u32, second() as u32 as i32, of_device) as u64
                }
                Rt::NestedEventDestroy if !nested.drop_event(block.number, arg()) => no_handle(nested),
                _ => 0,
            };
        }
        if request.rt == Rt::NestedWait
            && let Some(ended) = nested.ended(block.number)
        {
            checks.race.on_wait(block, (number, request.mask), ended);
        }
        if let Some(block) = grid.active.front_mut() {
            block.warps[warp].answer(program, |_, lane| results[lane]);
        }
    }
}

/// What device code may ask about devices.
struct Inquiry<'a> {
    properties: &'a ::device::Properties,
    number: u8,
    devices: u8,
    limits: &'a BTreeMap<i32, u64>,
}

/// What CUDA's device runtime says of its version: that of CUDA 13 on an H200 still names 6.0.
const DEVICE_RUNTIME_VERSION: i64 = 6000;

impl Inquiry<'_> {
    /// The answer to [`Rt::NestedAsk`].
    fn answer(&self, what: u32, number: i32, device: i32) -> i64 {
        let answer = match what {
            0 => Some(i64::from(self.number)),
            1 => Some(i64::from(self.devices)),
            2 => Some(DEVICE_RUNTIME_VERSION),
            3 if !(0..i32::from(self.devices)).contains(&device) => {
                return -i64::from(CudaError::InvalidDevice.code());
            }
            3 => ::device::attribute(self.properties, number),
            _ => {
                let default = usize::try_from(number).ok().and_then(|n| ::device::DEFAULT_LIMITS.get(n));
                default.map(|default| self.limits.get(&number).copied().unwrap_or(*default) as i64)
            }
        };
        answer.unwrap_or(-i64::from(CudaError::InvalidValue.code()))
    }

    /// The answer to [`Rt::NestedKernel`].
    fn of_kernel(&self, info: Option<KernelInfo>, what: u32, threads: i32, shared: u64) -> i64 {
        let limit = self.properties.shared_mem_per_block;
        let Some(info) = info else { return -i64::from(CudaError::InvalidDeviceFunction.code()) };
        if what == 0 {
            let blocks = info.most_blocks(self.properties, threads, shared, limit);
            return blocks.map_or_else(|error| -i64::from(error.code()), i64::from);
        }
        let (longs, words) = info.attributes(self.properties, limit);
        let mut all = longs.into_iter().chain(words.into_iter().map(|word| u64::from(word as u32)));
        all.nth(what as usize - 1).map_or(-i64::from(CudaError::InvalidValue.code()), |value| value as i64)
    }
}

/// Why a launch cannot begin, and the error of CUDA.
fn fault_of(
    program: &Program,
    nested: &Nested,
    properties: &::device::Properties,
    block: u64,
    launch: &KernelLaunch,
) -> Option<(FindingKind, CudaError)> {
    let info = kernel_info(program, launch.func).unwrap_or_default();
    let too_deep = (nested.depth() >= MOST_DEPTH).then_some(LaunchFault::Depth { limit: MOST_DEPTH as u64 });
    let fault = too_deep.or_else(|| launch_fault(properties, launch, &info, properties.shared_mem_per_block));
    if let Some(fault) = fault {
        let error = launch_error(&fault);
        return Some((FindingKind::Launch { fault }, error));
    }
    (!nested.has_stream(block, launch.stream)).then(|| {
        let fault = ApiFault::InvalidHandle {
            what: "stream".to_owned(),
            made_by: "cudaStreamCreateWithFlags".to_owned(),
            life: finding::HandleLife::Unknown,
        };
        (FindingKind::Api { call: "launch".to_owned(), fault }, CudaError::InvalidResourceHandle)
    })
}

/// The arguments of a launch by a lane, or an address among them that only the lane or its block can reach.
fn arguments(
    program: &Program,
    kernel: &Function,
    memory: &Memory,
    block: &Block,
    warp: usize,
    request: &LaunchRequest,
) -> Result<Vec<Arg>, (Space, u64)> {
    let is_embedded = program.module().embedded_files.contains(&kernel.span.file);
    let reach = Memories { memory, shared: &block.shared, warp: &block.warps[warp] };
    let args = kernel.params.iter().zip(&request.args).map(|(param, &bits)| {
        let names_it = |var: &ir::DebugVar| matches!(var.loc, VarLoc::At(reg) if reg == param.reg);
        // A copy or fill by the runtime has two addresses at most, and no variables that anybody sees.
        let is_address = kernel.vars.iter().any(names_it) || is_embedded && matches!(&*param.name, "dst" | "src");
        match param.kind {
            ParamKind::Value if is_address && is_local(bits) => Err((Space::Local, bits)),
            ParamKind::Value if is_address && is_shared(bits) => Err((Space::Shared, bits)),
            ParamKind::Value => Ok(Arg::Bits(bits)),
            ParamKind::Bytes { bytes, .. } => {
                let mut data = vec![0; bytes as usize];
                // What cannot be read was reported where the object was made.
                let _ = reach.read(request.lane as usize, bits, &mut data);
                Ok(Arg::Bytes(data.into(), [].into()))
            }
        }
    });
    args.collect()
}
