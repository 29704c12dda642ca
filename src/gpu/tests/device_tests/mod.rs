//! Memory at the program's own addresses, and the GPU as the runtime's device.

use crate::{cases, open, open_by, words_to_bytes};
use device::{Command, Device, KernelLaunch, Order, Progress, Strided};
use gpu::{GpuDevice, GpuOptions};
use ir::op::BinOp;
use ir::rt::Rt;
use ir::{Access, FuncId, FuncKind, FunctionBuilder, Global, GlobalInit, Module, Space, Ty, Val};
use mem::{Memory, Region};
use source::Span;

#[test]
fn memory_is_mapped_at_the_numbers_of_every_region() {
    let Some(mut gpu) = open() else { return };
    let mut refused = Vec::new();
    for region in [Region::Pinned, Region::Managed, Region::Device(0), Region::Device(1)] {
        let base = region.base() + 256;
        match gpu.map(base, 5 << 20) {
            Ok(()) => {
                let mut bytes = [1; 16];
                gpu.read(base + (5 << 20) - 16, &mut bytes).unwrap();
                assert_eq!(bytes, [0; 16]);
                gpu.map(base + (5 << 20) + 256, 100).unwrap();
                gpu.write(base + (5 << 20) + 256, &[7; 100]).unwrap();
                gpu.unmap(base).unwrap();
                let mut bytes = [0; 100];
                gpu.read(base + (5 << 20) + 256, &mut bytes).unwrap();
                assert_eq!(bytes, [7; 100]);
                gpu.unmap(base + (5 << 20) + 256).unwrap();
                eprintln!("{region:?} at {base:#x}: mapped");
            }
            Err(error) => refused.push(format!("{region:?} at {base:#x}: {error}")),
        }
    }
    if !refused.is_empty() {
        for bits in 40..49 {
            let mapped = gpu.map(1 << bits, 256).is_ok();
            eprintln!("address 2**{bits}: {}", if mapped { "mapped" } else { "refused" });
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

/// Runs a device until it has nothing to do.
fn finish(device: &mut GpuDevice, memory: &mut Memory) {
    device.finish();
    while device.advance(memory, 1 << 20, &mut device::NoObserver) != Progress::Idle {}
    assert_eq!(device.take_error(), None);
}

#[test]
fn device_runs_commands_on_the_addresses_of_the_program() {
    let Some(mut device) = open_by(|| GpuDevice::open(0, 0)) else { return };
    let mut memory = Memory::new();
    // Element i of an array of pointers points to what is to be doubled; a module variable counts.
    let mut b = FunctionBuilder::new("m.double", FuncKind::Kernel, Span::NONE);
    let table = b.param(Ty::I64, "table");
    let by = b.bytes_param(12, 4, "by");
    let thread = cases::global_thread(&mut b);
    let index = b.cvt(ir::op::CvtOp::Cast, Ty::I32, Ty::I64, thread);
    let offset = b.bin(BinOp::Shl, Ty::I64, index, Val::i64(3));
    let at = b.bin(BinOp::Add, Ty::I64, table, offset);
    let pointer = b.load(Ty::I64, Space::Global, Access::Plain, at, 0);
    let value = b.load(Ty::F32, Space::Generic, Access::Plain, pointer, 0);
    let factor = b.load(Ty::F32, Space::Local, Access::Plain, by, 8);
    let value = b.bin(BinOp::Mul, Ty::F32, value, factor);
    b.store(Ty::F32, Space::Generic, Access::Plain, pointer, 0, value);
    let counter = b.addr_global(ir::GlobalId(0));
    b.atomic(ir::op::AtomOp::Add, Ty::I32, Space::Global, ir::Scope::Device, counter, Val::i32(1));
    b.rt(Rt::IoBegin, vec![Val::i32(0), Val::i32(0), Val::i64(-1), Val::i32(0)]);
    b.rt(Rt::IoPutInt, vec![index.into(), Val::i32(4)]);
    b.rt(Rt::IoEnd, Vec::new());
    b.ret(Vec::new());
    let mut module = Module { funcs: vec![b.finish()], ..Module::default() };
    module.globals.push(Global {
        name: "m.counter".into(),
        space: Space::Global,
        managed: false,
        bytes: 4,
        align: 4,
        init: GlobalInit::Zero,
        holes: Vec::new(),
        read_only: false,
        var: None,
        span: Span::NONE,
    });
    let alloc = |device: &mut GpuDevice, memory: &mut Memory, region, bytes| {
        device.alloc(memory, region, bytes, 1, "a", Span::NONE).unwrap()
    };
    let counter = alloc(&mut device, &mut memory, Region::Device(0), 4);
    device.write(&mut memory, counter, &5u32.to_le_bytes()).unwrap();
    device.load(module.into(), &[counter], &GpuOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    assert!(device.refused().is_empty());

    let host = memory.alloc(Region::Host, 64, "h", Span::NONE).unwrap();
    let values = alloc(&mut device, &mut memory, Region::Device(0), 8);
    let managed = alloc(&mut device, &mut memory, Region::Managed, 8);
    let pinned = alloc(&mut device, &mut memory, Region::Pinned, 8);
    let table = alloc(&mut device, &mut memory, Region::Device(0), 32);
    memory.write(host, &words_to_bytes(&[values, values + 4, managed + 4, pinned])).unwrap();
    memory.write(host + 32, &[1.5f32.to_le_bytes(), (-2.0f32).to_le_bytes()].concat()).unwrap();
    memory.write(managed + 4, &3.0f32.to_le_bytes()).unwrap();
    memory.write(pinned, &4.0f32.to_le_bytes()).unwrap();
    let copy = |to, from, bytes| Command::Copy { destination: to, source: from, bytes, stream: 0, span: Span::NONE };
    device.submit(&mut memory, copy(table, host, 32)).unwrap();
    device.submit(&mut memory, copy(values, host + 32, 8)).unwrap();
    let by: Vec<u8> = [0u32.to_le_bytes(), 0u32.to_le_bytes(), 2.0f32.to_bits().to_le_bytes()].concat();
    let launch = KernelLaunch {
        func: FuncId(0),
        grid: [2, 1, 1],
        block: [2, 1, 1],
        dynamic_shared: 0,
        stream: 0,
        args: vec![device::Arg::Bits(table), device::Arg::Bytes(by.into(), [].into())],
        number: 1,
        span: Span::NONE,
    };
    device.order(Order::Recorded { event: 1, stream: 0 });
    device.submit(&mut memory, Command::Launch(launch)).unwrap();
    device.order(Order::Recorded { event: 2, stream: 0 });
    device.submit(&mut memory, copy(host, values, 8)).unwrap();
    finish(&mut device, &mut memory);

    let real = |memory: &Memory, address| f32::from_bits(memory.load::<u32>(address, &mut 0).unwrap());
    assert_eq!([host, host + 4, managed + 4, pinned].map(|a| real(&memory, a)), [3.0, -4.0, 6.0, 8.0]);
    let mut count = [0; 4];
    device.read(&memory, counter, &mut count).unwrap();
    assert_eq!(u32::from_le_bytes(count), 9);
    let output = String::from_utf8(device.take_output()).unwrap();
    assert_eq!(output.lines().map(str::trim).collect::<Vec<_>>(), ["0", "1", "2", "3"]);
    assert!(device.elapsed_ms(1, 2).unwrap() > 0.0);

    // Strided: every second element of a matrix on the device.
    let matrix = alloc(&mut device, &mut memory, Region::Device(0), 4 * 600);
    let all = Strided { base: matrix, dims: vec![(600, 4)] };
    let element = device::Fill::with_value(all, 7u32.to_le_bytes().into());
    device.submit(&mut memory, Command::Fill { fill: element, stream: 0, span: Span::NONE }).unwrap();
    let part = Strided { base: matrix + 4, dims: vec![(15, 8), (20, 120)] };
    let odd = device::Fill::with_value(part.clone(), 9u32.to_le_bytes().into());
    device.submit(&mut memory, Command::Fill { fill: odd, stream: 0, span: Span::NONE }).unwrap();
    let target = memory.alloc(Region::Host, 4 * 300, "t", Span::NONE).unwrap();
    let dense = Strided { base: target, dims: vec![(15, 4), (20, 60)] };
    let command =
        Command::CopyStrided { destination: dense, source: part, element_bytes: 4, stream: 0, span: Span::NONE };
    device.submit(&mut memory, command).unwrap();
    finish(&mut device, &mut memory);
    let mut bytes = vec![0; 2400];
    device.read(&memory, matrix, &mut bytes).unwrap();
    let found: Vec<u32> = bytes.chunks_exact(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect();
    assert!(found.iter().enumerate().all(|(i, &v)| v == if i % 2 == 1 { 9 } else { 7 }));
    assert!((0..300).all(|i| memory.load::<u32>(target + 4 * i, &mut 0) == Some(9)));
    device.free(&mut memory, matrix, Span::NONE).unwrap();
}
