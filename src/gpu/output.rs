//! Records of kernels as the program's output and as findings.
//!
//! A line comes from one statement of one thread, list-directed as on the host. Lines are in the order of blocks and threads.
//!
//! Not here: the buffer (`record_buffer`), the words of findings (`finding`).

use crate::record_buffer::{Drained, Fault, FaultKind, PrintItem, PrintRecord};
use device::KernelLaunch;
use finding::{Access, Actor, Finding, FindingKind, HostFault, LaunchInfo, Place};
use ir::{FuncId, FuncKind, Function, Module, Ty};
use scalar::bits;
use text::{DeviceStatement, Value, stop_line, stop_message};

/// What a launch printed and what was found, of the records that it and those that it has launched left.
pub(crate) fn output_of(drained: &Drained, launch: &KernelLaunch, module: &Module) -> (Vec<u8>, Vec<Finding>) {
    let (mut output, mut findings) = (Vec::new(), Vec::new());
    let mut statement: Option<DeviceStatement> = None;
    let mut thread = None;
    for record in &drained.records {
        // A statement of a thread that ended within it is dropped with its thread.
        let who = (record.grid, record.block, record.thread);
        if thread.replace(who) != Some(who) {
            statement = None;
        }
        match &record.item {
            PrintItem::Begin { form, .. } => statement = Some(DeviceStatement::begin(*form)),
            PrintItem::End => {
                if let Some(statement) = statement.take() {
                    statement.finish(&mut output);
                }
            }
            PrintItem::Fault(fault) => match stopped(fault) {
                Some((false, message)) => {
                    output.extend_from_slice(message.map_or_else(String::new, |m| stop_line(&m)).as_bytes());
                }
                _ => findings.push(finding_of(record, fault, launch, module)),
            },
            item => {
                if let (Some(statement), Some(value)) = (&mut statement, value_of(item)) {
                    statement.item(value);
                }
            }
        }
    }
    if drained.lost > 0 {
        let feature = format!("{} more records of what kernels print than the buffer holds", drained.lost);
        let access = Access::step(Actor::Host, launch.span);
        findings.push(Finding::new(FindingKind::Unsupported { feature }, vec![access]).in_launch(info(launch, module)));
    }
    (output, findings)
}

fn value_of(item: &PrintItem) -> Option<Value<'_>> {
    let integer = |kind: u32| Ty::integer(kind.into());
    Some(match item {
        PrintItem::Int(value, kind) => {
            Value::Int { ty: integer(*kind), bits: bits::from_signed(integer(*kind), *value) }
        }
        PrintItem::Logical(value, kind) => {
            Value::Logical { ty: integer(*kind), bits: bits::from_signed(integer(*kind), *value) }
        }
        PrintItem::Real4(word) => Value::Real { ty: Ty::F32, bits: u64::from(*word) },
        PrintItem::Real8(word) => Value::Real { ty: Ty::F64, bits: *word },
        PrintItem::Complex4(re, im) => Value::Complex { ty: Ty::F32, re: u64::from(*re), im: u64::from(*im) },
        PrintItem::Complex8(re, im) => Value::Complex { ty: Ty::F64, re: *re, im: *im },
        PrintItem::Char(text) => Value::Char(text),
        PrintItem::Begin { .. } | PrintItem::End | PrintItem::Fault(_) => return None,
    })
}

fn info(launch: &KernelLaunch, module: &Module) -> LaunchInfo {
    let kernel = module.func(launch.func).short_name().to_owned();
    LaunchInfo { number: launch.number, kernel, stream: launch.stream, by: None }
}

/// Whether a thread ended with ERROR STOP, if with one or STOP, and what it says.
fn stopped(fault: &Fault) -> Option<(bool, Option<String>)> {
    let FaultKind::Stop { error, code } = fault.kind else { return None };
    let text = Some(&*fault.text).filter(|text| !text.is_empty());
    Some((error, stop_message(error, code, text)))
}

/// The finding of a fault. STOP ends its thread and is none.
fn finding_of(record: &PrintRecord, fault: &Fault, launch: &KernelLaunch, module: &Module) -> Finding {
    let mut launch = launch.clone();
    if let Some([grid, block]) = fault.extents {
        (launch.grid, launch.block) = (grid, block);
        // The kernel in whose text it is; records do not say which one has called a procedure.
        let is_before = |func: &Function| func.span.file == fault.span.file && func.span.start <= fault.span.start;
        let ids = (0..module.funcs.len() as u32).map(FuncId).filter(|&id| is_before(module.func(id)));
        let nearest = ids.max_by_key(|&id| module.func(id).span.start);
        launch.func = nearest.filter(|&id| module.func(id).kind == FuncKind::Kernel).unwrap_or(launch.func);
    }
    let name = String::from_utf8_lossy(&fault.text).into_owned();
    let mut access = Access::step(Actor::Thread(launch.thread(record.block, record.thread)), fault.span);
    let kind = match fault.kind {
        FaultKind::Stop { .. } => {
            FindingKind::Host(HostFault::ErrorStop { message: stopped(fault).and_then(|(_, message)| message) })
        }
        FaultKind::Bounds { subscript, upper, dim: 0, .. } => {
            FindingKind::Host(HostFault::Substring { name, place: subscript, length: upper })
        }
        FaultKind::Bounds { subscript, lower, upper, dim } if (dim as i32) < 0 => {
            FindingKind::Host(HostFault::of_argument(name, subscript, (lower, upper), dim as i32 == -2))
        }
        FaultKind::Bounds { subscript, lower, upper, dim } => {
            if !name.is_empty() {
                access = access.at(Place::variable(&*name));
            }
            // The rank is not recorded; at least as many dimensions as the one that was wrong.
            FindingKind::Subscript { dimension: dim, rank: dim.max(1), subscript, lower, upper }
        }
        FaultKind::Shape { dim, left, right } => {
            FindingKind::Host(HostFault::NonconformingShapes { dimension: dim.max(1), left, right })
        }
        FaultKind::Unallocated => FindingKind::Host(HostFault::NotAllocatedUse { name }),
        FaultKind::Allocated => FindingKind::Host(HostFault::AlreadyAllocated { name }),
        FaultKind::NoMemory(requested) => FindingKind::DeviceHeapExhausted { requested, limit: DEVICE_HEAP_BYTES },
        FaultKind::ZeroStep => FindingKind::Host(HostFault::ZeroStep),
        FaultKind::ZeroDivisor => FindingKind::Host(HostFault::DivisionByZero),
        FaultKind::Unsupported => FindingKind::Unsupported { feature: "this statement in device code".to_owned() },
    };
    Finding::new(kind, vec![access]).in_launch(info(&launch, module))
}

/// The device heap that CUDA gives a context unless told otherwise.
const DEVICE_HEAP_BYTES: u64 = 8 << 20;

#[cfg(test)]
mod tests {
    use super::*;
    use ir::FunctionBuilder;
    use source::{FileId, Span};

    fn launch() -> KernelLaunch {
        KernelLaunch {
            func: FuncId(0),
            grid: [2, 2, 1],
            block: [4, 8, 1],
            dynamic_shared: 0,
            stream: 0,
            args: Vec::new(),
            number: 3,
            span: Span::NONE,
        }
    }

    /// Two kernels, at bytes 10 and 30 of their file.
    fn module() -> Module {
        let kernel = |name: &str, start| {
            let mut b = FunctionBuilder::new(name, FuncKind::Kernel, Span::new(FileId(0), start, start + 5));
            b.ret(Vec::new());
            b.finish()
        };
        Module { funcs: vec![kernel("m.k", 10), kernel("m.child", 30)], ..Module::default() }
    }

    fn record(block: u64, thread: u32, item: PrintItem) -> PrintRecord {
        PrintRecord { grid: 1, block, thread, item }
    }

    #[test]
    fn statements_become_lines_in_the_order_of_threads() {
        let items = [PrintItem::Begin { form: 0, unit: -1 }, PrintItem::Int(-5, 4), PrintItem::End];
        let records = items.iter().flat_map(|i| [record(0, 1, i.clone())]);
        let more = [PrintItem::Begin { form: 0, unit: -1 }, PrintItem::Char(b"hi".to_vec()), PrintItem::End];
        let records = records.chain(more.iter().map(|i| record(3, 0, i.clone()))).collect();
        let (output, findings) = output_of(&Drained { records, lost: 0, faults: 0 }, &launch(), &module());
        let text = String::from_utf8_lossy(&output).into_owned();
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        assert_eq!(lines, ["-5", "hi"]);
        assert!(findings.is_empty());
    }

    #[test]
    fn fault_names_the_thread_from_one_and_loss_is_told() {
        let kind = FaultKind::Bounds { subscript: 9, lower: 1, upper: 8, dim: 1 };
        let fault = PrintItem::Fault(Fault { kind, text: b"a".to_vec(), span: Span::NONE, extents: None });
        let drained = Drained { records: vec![record(3, 9, fault)], lost: 2, faults: 1 };
        let (output, findings) = output_of(&drained, &launch(), &module());
        assert!(output.is_empty());
        assert_eq!(findings.len(), 2);
        let Actor::Thread(who) = &findings[0].accesses[0].actor else { panic!("a thread did it") };
        assert_eq!((who.block, who.thread, who.lane), ([2, 2, 1], [2, 3, 1], 9));
        assert_eq!(findings[0].launch.as_ref().map(|l| l.kernel.as_str()), Some("k"));
        assert!(matches!(&findings[1].kind, FindingKind::Unsupported { feature } if feature.starts_with("2 more")));
    }

    #[test]
    fn fault_in_a_launched_kernel_names_its_kernel_and_thread() {
        let fault = Fault {
            kind: FaultKind::ZeroStep,
            text: Vec::new(),
            span: Span::new(FileId(0), 40, 44),
            extents: Some([[1, 3, 1], [2, 2, 1]]),
        };
        let records = vec![record(2, 3, PrintItem::Fault(fault))];
        let (_, findings) = output_of(&Drained { records, lost: 0, faults: 1 }, &launch(), &module());
        let Actor::Thread(who) = &findings[0].accesses[0].actor else { panic!("a thread did it") };
        assert_eq!((who.block, who.thread), ([1, 3, 1], [2, 2, 1]));
        assert_eq!(findings[0].launch.as_ref().map(|l| l.kernel.as_str()), Some("child"));
    }
}
