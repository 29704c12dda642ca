//! A GPU as a device of the runtime: memory, commands, progress.

use crate::gpu_device::{GpuDevice, Item, POLLS, Wait};
use crate::transfer::cuda_error;
use device::{Command, CudaError, Device, Observer, Order, Progress, Properties, VendorLibraries};
use finding::Finding;
use mem::{Memory, Region};
use source::Span;

impl Device for GpuDevice {
    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn alloc(
        &mut self,
        memory: &mut Memory,
        region: Region,
        bytes: u64,
        align: u32,
        name: &str,
        span: Span,
    ) -> Result<u64, CudaError> {
        let region = if matches!(region, Region::Device(_)) { self.region() } else { region };
        memory.set_limit(region, self.properties.total_global_mem);
        let address =
            memory.alloc_aligned(region, bytes, align, name, span).map_err(|_| CudaError::MemoryAllocation)?;
        if region.is_device_accessible()
            && let Err(error) = self.gpu.map(address, bytes)
        {
            // What cannot be backed is as if it had never been.
            let _ = memory.free(address, span);
            return Err(cuda_error(&error));
        }
        self.largest.largest_allocation = self.largest.largest_allocation.max(bytes);
        Ok(address)
    }

    fn free(&mut self, memory: &mut Memory, address: u64, span: Span) -> Result<(), CudaError> {
        self.settle(memory);
        memory.free(address, span).map_err(|_| CudaError::InvalidValue)?;
        if Region::of(address).is_some_and(Region::is_device_accessible) {
            self.gpu.unmap(address).map_err(|e| cuda_error(&e))?;
        }
        Ok(())
    }

    fn lock(&mut self, address: u64, bytes: u64) -> Result<(), CudaError> {
        self.gpu.map(address, bytes).map_err(|e| cuda_error(&e))
    }

    fn unlock(&mut self, memory: &mut Memory, address: u64) -> Result<(), CudaError> {
        self.settle(memory);
        self.gpu.unmap(address).map_err(|e| cuda_error(&e))
    }

    fn submit(&mut self, memory: &mut Memory, mut command: Command) -> Result<(), CudaError> {
        if let Some(error) = self.sticky {
            return Err(error);
        }
        if let Command::Launch(launch) = &mut command {
            // An allocation of later does not concern this launch, so code that is made here stays good for it.
            self.renew_code(memory, launch)?;
            if launch.grid == [0; 3] {
                launch.grid = self.resident_grid(launch);
            }
            self.check(launch)?;
        }
        self.queue.push_back(Item::Command(command));
        Ok(())
    }

    fn advance(&mut self, memory: &mut Memory, budget: u64, _: &mut dyn Observer) -> Progress {
        let mut polls = budget.clamp(1, POLLS);
        loop {
            let next = match (&self.waiting, self.queue.front()) {
                (Some(waiting), _) => {
                    let what = waiting.what;
                    match self.has_come() {
                        Ok(false) if polls > 0 => {
                            polls -= 1;
                            std::thread::yield_now();
                            continue;
                        }
                        Ok(false) => return Progress::Busy,
                        Ok(true) => {
                            self.waiting = None;
                            self.is_next_ready = true;
                            self.arrive(memory, what)
                        }
                        Err(error) => {
                            self.waiting = None;
                            Err(cuda_error(&error))
                        }
                    }
                }
                (None, None) => match self.host_waits.take() {
                    None => {
                        self.is_next_ready = false;
                        return Progress::Idle;
                    }
                    Some(what) => self.wait(what).map_err(|e| cuda_error(&e)),
                },
                (None, Some(_)) if self.sticky.is_some() => {
                    self.queue.clear();
                    Ok(())
                }
                (None, Some(Item::Command(command))) => {
                    match self.needs(memory, command).filter(|_| !self.is_next_ready) {
                        Some(what) => self.wait(what).map_err(|e| cuda_error(&e)),
                        None => {
                            self.is_next_ready = false;
                            match self.queue.pop_front() {
                                Some(Item::Command(command)) => self.put(memory, command),
                                _ => Ok(()),
                            }
                        }
                    }
                }
                (None, Some(Item::Order(order))) => {
                    let order = *order;
                    self.queue.pop_front();
                    self.put_order(order).map_err(|e| cuda_error(&e))
                }
            };
            if let Err(error) = next {
                self.fail(error);
            }
        }
    }

    fn order(&mut self, order: Order) {
        let wait = match order {
            Order::HostWaitsForDevice => Wait::Everything,
            Order::HostWaitsForStream(stream) => Wait::Stream(stream),
            Order::HostWaitsForEvent(event) => Wait::Event(event),
            _ => return self.queue.push_back(Item::Order(order)),
        };
        let before = self.host_waits.filter(|&before| before != wait);
        self.host_waits = Some(if before.is_some() { Wait::Everything } else { wait });
    }

    fn finish(&mut self) {
        self.host_waits = Some(Wait::Everything);
    }

    fn elapsed_ms(&mut self, start: u64, end: u64) -> Option<f64> {
        self.flight().drain();
        for event in [start, end] {
            while matches!(self.flight().is_event_done(event), Ok(false)) {
                std::thread::yield_now();
            }
        }
        self.flight().milliseconds(start, end).map(f64::from)
    }

    fn read(&mut self, memory: &Memory, address: u64, out: &mut [u8]) -> Result<(), CudaError> {
        if Region::of(address) != Some(self.region()) {
            return memory.read(address, out).ok_or(CudaError::InvalidValue);
        }
        self.flush();
        self.gpu.synchronize().map_err(|e| cuda_error(&e))?;
        self.gpu.read(address, out).map_err(|e| cuda_error(&e))
    }

    fn write(&mut self, memory: &mut Memory, address: u64, data: &[u8]) -> Result<(), CudaError> {
        self.settle(memory);
        self.memories(memory, 0).write(address, data)
    }

    fn reset(&mut self) -> Result<(), CudaError> {
        // A sticky error has corrupted the driver's context, and all memory and code of the program is in that.
        match self.sticky {
            Some(error) => Err(error),
            None => {
                self.error = None;
                Ok(())
            }
        }
    }

    fn vendor(&mut self) -> Option<&mut dyn VendorLibraries> {
        if self.vendors.are_there() { Some(self) } else { None }
    }

    fn take_output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.output)
    }

    fn take_findings(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.findings)
    }

    fn take_error(&mut self) -> Option<CudaError> {
        self.sticky.or_else(|| self.error.take())
    }

    fn set_limit(&mut self, limit: i32, value: u64) {
        // Only the stack and the heap are the driver's to know before a launch; a wrong value shows at the launch that needs it.
        match limit {
            0 => {
                self.stack_bytes = Some(value);
                self.flight().drain();
                let _ = self.gpu.set_stack_bytes(value);
            }
            2 => {
                self.flight().drain();
                let _ = self.gpu.set_heap_bytes(value);
            }
            _ => {}
        }
    }
}
