//! Launches and calls of the CUDA runtime.

use super::phrase::count;
use super::{start, subject};
use crate::{ApiFault, Axis, Finding, FindingKind, HandleLife, LaunchFault, MemoryPlace};
use diag::Diagnostic;

pub(super) fn word(finding: &Finding) -> Diagnostic {
    match &finding.kind {
        FindingKind::Launch { fault } => launch(finding, fault),
        FindingKind::Api { call, fault } => api(finding, call, fault),
        FindingKind::DeviceHeapExhausted { requested, limit } => start(
            finding,
            format!("no room for {} in the device heap, which has {limit}", count(*requested, "byte")),
        )
        .help(
            "raise it with `cudaDeviceSetLimit(cudaLimitMallocHeapSize, n)`, or `deallocate` what is no longer needed",
        ),
        FindingKind::DeviceStackOverflow { limit } => {
            start(finding, format!("the calls of this thread need more than its stack of {}", count(*limit, "byte")))
                .help("raise it with `cudaDeviceSetLimit(cudaLimitStackSize, n)`, or bound the recursion")
        }
        // The other kinds have their own files.
        _ => start(finding, finding.code().title()),
    }
}

fn launch(finding: &Finding, fault: &LaunchFault) -> Diagnostic {
    let d = match fault {
        LaunchFault::Extent { axis, value, limit } => {
            let (what, i) = match axis {
                Axis::Grid(i) => ("grid", *i),
                Axis::Block(i) => ("block", *i),
            };
            let letter = letter(i);
            let d =
                start(finding, format!("launch with {what}%{letter} = {value}, which must be between 1 and {limit}"));
            if *value == 0 && what == "grid" {
                d.help(
                    "skip the launch if there are no elements; otherwise round up with `(n + threads - 1) / threads`",
                )
            } else {
                d
            }
        }
        LaunchFault::TooManyThreads { threads, limit } => {
            start(finding, format!("launch with {threads} threads in a block, but at most {limit} are possible"))
                .help("use smaller blocks and more of them")
        }
        LaunchFault::SharedMemory { dynamic_bytes, .. } if *dynamic_bytes > i64::MAX as u64 => {
            start(finding, format!("launch with {} bytes of shared memory in a block", *dynamic_bytes as i64))
                .note("CUDA takes the number as one without a sign")
        }
        LaunchFault::SharedMemory { static_bytes, dynamic_bytes, limit } => {
            let d = start(
                finding,
                format!(
                    "launch with {} of shared memory in a block, but at most {limit} are possible",
                    count(static_bytes + dynamic_bytes, "byte")
                ),
            )
            .note(format!("{static_bytes} are declared in the kernel, {dynamic_bytes} asked for by the launch"));
            if static_bytes > limit {
                // The attribute of the kernel raises the limit of dynamic shared memory only.
                d.help("declare the array with `(*)` and launch with `<<<grid, block, bytes>>>`; the limit of that can be raised")
            } else {
                d.help(
                    "raise the limit with `cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, n)`",
                )
            }
        }
        LaunchFault::LaunchBounds { threads, bound } => start(
            finding,
            format!("launch with {threads} threads in a block, but `launch_bounds` of the kernel allows {bound}"),
        ),
        LaunchFault::ClusterMultiple { axis, grid, cluster } => {
            let letter = letter(*axis);
            let text = format!(
                "launch with grid%{letter} = {grid}, which is not a multiple of the {} of a cluster",
                count(u64::from(*cluster), "block")
            );
            let (n, m) = (grid, cluster);
            start(finding, text).help(format!(
                "`cluster_dims` of the kernel asks for it: launch with grid%{letter} = {}",
                n.div_ceil(*m) * m
            ))
        }
        LaunchFault::Depth { limit } => {
            start(finding, format!("launch inside {limit} launches from device code, and no more are possible"))
                .help("end the recursion earlier, or launch from the host")
        }
        LaunchFault::ClusterSize { blocks, limit } => start(
            finding,
            format!("launch of a kernel with {blocks} blocks in a cluster, but at most {limit} are possible"),
        )
        .help("make the product of `cluster_dims` smaller"),
    };
    d.note("the kernel did not run; the program can find out with `cudaGetLastError()`")
}

/// The component of a `dim3`.
fn letter(axis: u8) -> char {
    match axis {
        0 => 'x',
        1 => 'y',
        _ => 'z',
    }
}

fn api(finding: &Finding, call: &str, fault: &ApiFault) -> Diagnostic {
    match fault {
        ApiFault::Unchecked { error, meaning } => {
            let d = start(finding, format!("{} failed with `{error}`, and the program did not check it", quoted(call)));
            let d = if meaning.is_empty() { d } else { d.note(format!("it means: {meaning}")) };
            if call.starts_with("launch of") {
                d.help("check `cudaGetLastError()` after the launch, and the result of `cudaDeviceSynchronize()`")
            } else {
                d.help("compare the result of the call with `cudaSuccess`")
            }
        }
        ApiFault::InvalidHandle { what, made_by, life } => {
            let end = match life {
                HandleLife::Unknown => "was never created or is destroyed",
                HandleLife::None => "was never created",
                HandleLife::Destroyed(_) => "is destroyed",
            };
            let d = start(finding, format!("{} with {} {what} that {end}", quoted(call), article(what)));
            match life {
                HandleLife::Destroyed(span) => d
                    .secondary(*span, format!("the {what} is destroyed here"))
                    .help(format!("destroy the {what} after the last call that uses it")),
                _ => d.help(format!("use {} {what} that `{made_by}` has made, and look at its status", article(what))),
            }
        }
        ApiFault::OtherDevice { what, of, wanted } => {
            let text = format!("{} for device {wanted} with {} {what} of device {of}", quoted(call), article(what));
            start(finding, text).help(format!("call `cudaSetDevice` first, or make the {what} for device {wanted}"))
        }
        ApiFault::EventNotRecorded => start(finding, format!("{} of an event that was not recorded", quoted(call)))
            .help("call `cudaEventRecord` on both events, and `cudaEventSynchronize` on the second"),
        ApiFault::CaptureBroken { by, at } => {
            start(finding, format!("{} of a capture that has failed before", quoted(call)))
                .secondary(*at, format!("{} failed here, and the capture with it", quoted(by)))
                .help("what waits for captured work, or uses a stream that waits for it, stands outside of the capture")
        }
        ApiFault::Pageable => {
            let what = subject(finding, "host memory");
            start(finding, format!("{} with {what}, which is not pinned, is not asynchronous", quoted(call)))
                .help("declare the host array `pinned`")
        }
        ApiFault::OutOfMemory { requested, used, total } => start(
            finding,
            format!("no device memory for {} of {}", count(*requested, "byte"), subject(finding, "the array")),
        )
        .note(format!("{used} of {} are in use", count(*total, "byte"))),
        ApiFault::InvalidArgument { reason } => start(finding, format!("{}: {reason}", quoted(call))),
        ApiFault::WrongMemory { what, belongs } => {
            let (is, belongs, help) = match belongs {
                MemoryPlace::Device => (
                    "host",
                    "device",
                    "give it a variable with the attribute `device` or `managed`, to which the values were copied",
                ),
                MemoryPlace::Host => {
                    ("device", "host", "give it a variable of the host, and copy the values from or to the device")
                }
            };
            let text = format!("{}: {what} is in {is} memory, and belongs in {belongs} memory", quoted(call));
            start(finding, text).help(help)
        }
        ApiFault::RunsOnHost { reason } => {
            start(finding, format!("{} runs on the host, not on the GPU: {reason}", quoted(call)))
                .note("it works on copies of the arrays: results are those of the emulator, times mean nothing")
        }
        ApiFault::NoSuchDevice { number, count: devices } => start(
            finding,
            format!(
                "{} asks for device {number}, but there {}",
                quoted(call),
                match devices {
                    1 => "is only device 0".to_owned(),
                    0 => "is none".to_owned(),
                    n => format!("are only devices 0 to {}", n - 1),
                }
            ),
        ),
    }
}

/// A routine's name in backticks; `launch of …` names a kernel instead.
fn quoted(call: &str) -> String {
    match call.strip_prefix("launch of ") {
        Some(kernel) => format!("launch of `{kernel}`"),
        None => format!("`{call}`"),
    }
}

fn article(word: &str) -> &'static str {
    if word.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}
