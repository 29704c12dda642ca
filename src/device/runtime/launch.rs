//! Launches: checks the configuration and submits the kernel.
//!
//! Every launch is checked here before it is submitted, so a device never sees one that exceeds its limits.
//!
//! Source: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".

use super::{Half, Runtime, Step, Waiting};
use crate::{Arg, Command, CudaError, Device, KernelInfo, KernelLaunch, Kernels, OrderStep, Properties, Reply, Work};
use finding::{Axis, LaunchFault};
use ir::LaunchConfig;
use mem::Memory;
use source::Span;

/// Most blocks of a cluster on every device that has clusters ("portable cluster size").
const MOST_CLUSTER_BLOCKS: u64 = 8;

impl Runtime {
    pub(super) fn launch(
        &mut self,
        device: &mut dyn Device,
        memory: &mut Memory,
        launch: KernelLaunch,
        span: Span,
        kernels: &dyn Kernels,
    ) -> Step {
        let info = kernels.kernel(launch.func).unwrap_or_default();
        let mut launch = launch;
        if launch.stream == 0 {
            launch.stream = self.default_stream;
        }
        if launch.stream == LaunchConfig::STREAM_OF_ARRAYS as u64 {
            let bits = |a: &Arg| if let Arg::Bits(bits) = a { Some(*bits) } else { None };
            launch.stream = self.implicit_stream(memory, launch.args.iter().filter_map(bits));
        }
        let of = self.device_of(launch.stream);
        let checked = self.stream(launch.stream, "launch", span);
        if let Err(error) = checked.and_then(|()| self.fit_device(("stream", of), self.current, "launch", span)) {
            return Step::Done(self.fail("launch", span, error));
        }
        launch.number = self.launches + 1;
        launch.span = span;
        let most = self.shared_limit(device.properties(), launch.func);
        let fault = launch_fault(device.properties(), &launch, &info, most);
        let (number, stream) = (launch.number, launch.stream);
        let (kernel, is_cooperative) = (info.name.clone(), info.is_cooperative);
        self.last_launch = Some((info.name, span));
        if let Some(fault) = fault {
            let error = launch_error(&fault);
            self.launch_fault = Some(fault);
            return Step::Done(self.fail("launch", span, error));
        }
        match self.graphs.take_launch(&launch, &kernel, is_cooperative) {
            Ok(false) => {}
            Ok(true) => return Step::Done(Reply::default()),
            Err(error) => return Step::Done(self.fail("launch", span, error)),
        }
        match device.submit(memory, Command::Launch(launch)) {
            Ok(()) => {
                self.launches += 1;
                let work = Work::Launch { number, kernel };
                self.steps.push(OrderStep::Submitted { work, device: self.current, stream, span });
                Step::Wait(Waiting { call: "launch", span, half: Half::Launch })
            }
            Err(error) => Step::Done(self.fail("launch", span, error)),
        }
    }
}

/// What is wrong with the configuration of a launch by the limits of the device; a block may have `most` bytes of shared memory.
pub fn launch_fault(p: &Properties, launch: &KernelLaunch, kernel: &KernelInfo, most: u64) -> Option<LaunchFault> {
    let any = launch.grid == [0; 3];
    let grid = (0..3u8).zip(launch.grid).zip(p.max_grid_size).filter(|_| !any).map(|((i, n), m)| (Axis::Grid(i), n, m));
    let block = (0..3u8).zip(launch.block).zip(p.max_threads_dim).map(|((i, n), m)| (Axis::Block(i), n, m));
    let threads: u64 = launch.block.iter().map(|&n| u64::from(n)).fold(1, u64::saturating_mul);
    let limit = u64::from(p.max_threads_per_block);
    if let Some((axis, value, most)) = grid.chain(block).find(|&(_, n, most)| n == 0 || n > most)
        && threads <= limit.max(1)
    {
        return Some(LaunchFault::Extent { axis, value: i64::from(value as i32), limit: i64::from(most) });
    }
    if threads > limit {
        return Some(LaunchFault::TooManyThreads { threads, limit });
    }
    if let Some(bound) = kernel.max_threads.map(u64::from).filter(|&bound| threads > bound) {
        return Some(LaunchFault::LaunchBounds { threads, bound });
    }
    if let Some(cluster) = kernel.cluster {
        let blocks: u64 = cluster.iter().map(|&n| u64::from(n)).fold(1, u64::saturating_mul);
        if blocks > MOST_CLUSTER_BLOCKS {
            return Some(LaunchFault::ClusterSize { blocks, limit: MOST_CLUSTER_BLOCKS });
        }
        let uneven = (0..3u8).zip(launch.grid).zip(cluster).find(|&((_, grid), cluster)| grid % cluster.max(1) != 0);
        if let Some(((axis, grid), cluster)) = uneven {
            return Some(LaunchFault::ClusterMultiple { axis, grid, cluster });
        }
    }
    let (static_bytes, dynamic_bytes) = (kernel.shared_bytes, launch.dynamic_shared);
    (static_bytes.saturating_add(dynamic_bytes) > most).then_some(LaunchFault::SharedMemory {
        static_bytes,
        dynamic_bytes,
        limit: most,
    })
}

/// The error that CUDA reports for it.
pub fn launch_error(fault: &LaunchFault) -> CudaError {
    match fault {
        LaunchFault::Extent { .. } | LaunchFault::TooManyThreads { .. } => CudaError::InvalidConfiguration,
        LaunchFault::Depth { .. } => CudaError::LaunchMaxDepthExceeded,
        LaunchFault::LaunchBounds { .. } => CudaError::LaunchOutOfResources,
        LaunchFault::SharedMemory { .. } => CudaError::InvalidValue,
        LaunchFault::ClusterMultiple { .. } | LaunchFault::ClusterSize { .. } => CudaError::InvalidClusterSize,
    }
}
