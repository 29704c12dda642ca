//! A device with a module loaded, for tests.

use device::{Arg, Command, Device, KernelLaunch, NoObserver, Progress};
use emu::{Emulator, Options};
use ir::{FuncId, Module, Space};
use mem::{Memory, Region};
use source::Span;
use std::sync::Arc;

pub(crate) struct Rig {
    pub(crate) memory: Memory,
    pub(crate) emulator: Emulator,
    pub(crate) module: Arc<Module>,
    launches: u64,
}

impl Rig {
    pub(crate) fn new(module: Module, options: Options) -> Rig {
        let mut memory = Memory::new();
        let mut emulator = Emulator::new(0, options);
        let mut globals = Vec::new();
        for global in &module.globals {
            let region = if global.space == Space::Host { Region::Host } else { Region::Device(0) };
            let base = memory.alloc(region, global.bytes, &global.name, global.span).expect("room");
            if let ir::GlobalInit::Bytes(bytes) = &global.init {
                memory.write(base, bytes).expect("inside");
            }
            globals.push(base);
        }
        let module = Arc::new(module);
        let program = vm::compile(module.clone(), globals).expect("valid");
        emulator.load(Arc::new(program));
        Rig { memory, emulator, module, launches: 0 }
    }

    pub(crate) fn of(text: &str, options: Options) -> Rig {
        let module = ir::parse::module(text).unwrap_or_else(|e| panic!("{e}"));
        let errors = ir::verify::module(&module);
        assert!(errors.is_empty(), "{errors:?}");
        Rig::new(module, options)
    }

    pub(crate) fn buffer(&mut self, name: &str, bytes: &[u8]) -> u64 {
        let base = self.memory.alloc(Region::Device(0), bytes.len() as u64, name, Span::NONE).expect("room");
        self.memory.write(base, bytes).expect("inside");
        base
    }

    pub(crate) fn words(&mut self, name: &str, words: &[u32]) -> u64 {
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        self.buffer(name, &bytes)
    }

    pub(crate) fn submit(&mut self, func: FuncId, grid: [u32; 3], block: [u32; 3], args: &[u64]) {
        self.launches += 1;
        let launch = KernelLaunch {
            func,
            grid,
            block,
            dynamic_shared: 0,
            stream: 0,
            args: args.iter().map(|&a| Arg::Bits(a)).collect(),
            number: self.launches,
            span: Span::NONE,
        };
        self.emulator.submit(&mut self.memory, Command::Launch(launch)).expect("a valid launch");
    }

    pub(crate) fn finish(&mut self) {
        let progress = self.emulator.advance(&mut self.memory, u64::MAX, &mut NoObserver);
        assert_eq!(progress, Progress::Idle);
    }

    pub(crate) fn launch(&mut self, name: &str, grid: u32, block: u32, args: &[u64]) {
        let func = self.module.find(name).expect("the kernel");
        self.submit(func, [grid, 1, 1], [block, 1, 1], args);
        self.finish();
    }

    pub(crate) fn read(&self, base: u64, count: usize) -> Vec<u32> {
        let mut bytes = vec![0; count * 4];
        self.memory.read(base, &mut bytes).expect("inside");
        bytes.chunks(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
    }

    pub(crate) fn codes(&mut self) -> Vec<String> {
        self.emulator.take_findings().iter().map(|f| f.code().id().to_owned()).collect()
    }
}
