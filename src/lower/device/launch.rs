//! Kernel launches.
//!
//! Arguments follow the ordinary conventions: values, addresses, the parts of assumed-shape arrays. A grid or block given as
//! an integer has extents 1 in y and z. The grid `*` is −1 in all three.
//!
//! A kernel that device code launches is the same function; what it does with the launch is up to the device.
//!
//! Not here: CUF kernels (`cuf_kernel`).

use crate::builder::flow::Flow;
use crate::function::FunctionLowering;
use crate::value::arguments::Passed;
use crate::value::lvalue::MemRef;
use ir::{LaunchConfig, Ty, Val};
use sema::checked::{Actual, Expr, LaunchGrid, LaunchSpec, ProcBody, ProcId, ProcKind};

impl<'p> FunctionLowering<'_, 'p> {
    /// `call kernel<<<…>>>(args)`
    pub(crate) fn launch(&mut self, proc: ProcId, spec: &'p LaunchSpec, args: &'p [Option<Actual>]) {
        let callee = self.b.program().proc(proc);
        let has_code = matches!(callee.body, ProcBody::Statements(_) | ProcBody::Foreign { .. });
        if callee.kind != ProcKind::Kernel || !has_code {
            return self.b.unsupported(&format!("kernel `{}`, which no given file defines", callee.name));
        }
        let grid = match &spec.grid {
            Some(grid) => self.extents(grid),
            None => [Val::i32(-1); 3],
        };
        let block = self.extents(&spec.block);
        let bytes = spec.bytes.as_ref().map_or(Val::i64(0), |e| self.int64(e));
        let stream = spec.stream.as_ref().map_or(Val::i64(0), |e| self.int64(e));
        let named = (spec.stream.is_some() && self.b.is_host()).then_some(stream);
        let mut passed = Passed { to_kernel: true, stream: named, ..Passed::default() };
        self.pass_all(proc, args, &mut passed);
        let instance = self.b.module().plain_instance(proc, crate::types::Side::Device);
        let func = self.b.module().instance(instance);
        let config = LaunchConfig { grid, block, bytes, stream };
        let words = std::mem::take(&mut passed.words);
        self.b.launch(func, config, words);
        for (is_there, copy) in std::mem::take(&mut passed.freed_behind) {
            let config = LaunchConfig { grid: [Val::i32(1); 3], block: [Val::i32(1); 3], bytes: Val::i64(0), stream };
            let func = self.b.freeing_kernel();
            self.b.when(is_there, |b| {
                b.launch(func, config, vec![copy]);
            });
        }
        self.b.after_call(passed);
    }

    fn extents(&mut self, grid: &'p LaunchGrid) -> [Val; 3] {
        match grid {
            LaunchGrid::Int(e) => [self.int32(e), Val::i32(1), Val::i32(1)],
            LaunchGrid::Dim3(e) => self.dim3(e),
        }
    }

    /// The three components of a `type(dim3)` value.
    fn dim3(&mut self, e: &'p Expr) -> [Val; 3] {
        let value = self.value(e);
        let mem: MemRef = self.b.as_object(&value);
        [0, 4, 8].map(|offset| self.b.load_scalar(mem.plus(offset), Ty::I32).into())
    }
}
