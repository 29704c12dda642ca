//! The module under construction: its functions, those still to be made, its globals and constants.
//!
//! A device procedure is cloned for each combination of address spaces of its by-reference arguments, and any procedure for
//! each combination of procedures passed to its procedure dummies, and of ranks of arguments for its assumed-rank dummies. The IR therefore needs neither indirect calls nor generic
//! addresses for arguments.
//!
//! Not here: making the functions (`driver`, `procedure`).

pub(crate) mod debug_types;
pub(crate) mod generated;
pub(crate) mod globals;

use crate::LowerOptions;
use crate::analysis::usage::Usage;
use crate::module::generated::{ClassHelper, ObjectHelper};
use crate::types::Side;
use ir::{DebugTypeId, FuncId, FuncKind, Function, FunctionBuilder, GlobalId, Module, Space};
use sema::checked::{ProcBody, ProcId, ProcKind, Procedure, Program, Shape, TypeId, VarId, Variable};
use source::{SourceMap, Span};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// What a clone of a procedure is made for, one per dummy.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum ArgKey {
    /// Nothing about it matters.
    Any,
    /// Passed by address, in that space.
    Space(Space),
    /// For a procedure of C: the number that `loc` gives.
    Address,
    /// A procedure.
    Proc(ProcId),
    /// The value of a procedure pointer.
    Pointer,
    /// For an assumed-rank dummy: the rank of the argument, and whether it is an assumed-size array.
    Rank { rank: u8, assumed_size: bool },
}

/// A function to be made from a procedure.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Instance {
    /// The procedure.
    pub(crate) proc: ProcId,
    /// The side that it is made for.
    pub(crate) side: Side,
    /// One per dummy.
    pub(crate) args: Vec<ArgKey>,
}

/// The embedded module by which MPI calls procedures of the program, and its procedure that does so.
pub const MPI_CALLS: [&str; 2] = ["cufemu_mpi_calls", "cufemu_mpi_call_back"];

/// Bytes of a constant, the runs of them that count as uninitialised, alignment, side.
type ConstantKey = (Arc<[u8]>, Vec<(u64, u64)>, u64, Side);

/// The module under construction.
pub(crate) struct ModuleLowering<'p> {
    program: &'p Program,
    options: &'p LowerOptions,
    sources: &'p SourceMap,
    usage: &'p Usage,
    module: Module,
    globals: BTreeMap<(VarId, Side), GlobalId>,
    constants: BTreeMap<ConstantKey, GlobalId>,
    /// The length parameters of static allocatables of the device.
    lengths_globals: BTreeMap<VarId, GlobalId>,
    debug_types: BTreeMap<String, DebugTypeId>,
    /// Functions that copy and free objects of recursive types.
    helpers: BTreeMap<(TypeId, ObjectHelper, Side), FuncId>,
    /// The number that says a dynamic type, and the last one of its extensions; by type.
    tags: &'p [(u64, u64)],
    /// Functions that copy, free and initialise polymorphic objects.
    class_helpers: BTreeMap<(Option<TypeId>, ClassHelper), FuncId>,
    /// The function that calls procedures of the program for C code.
    foreign_answer: Option<FuncId>,
    /// The kernel that gives back memory behind another one.
    freeing_kernel: Option<FuncId>,
    instances: BTreeMap<Instance, FuncId>,
    queue: VecDeque<(Instance, FuncId)>,
    names: BTreeMap<String, u32>,
    mathematics: BTreeMap<&'p str, ProcId>,
    mpi_call_back: Option<ProcId>,
    embedded: BTreeSet<&'p str>,
}

impl<'p> ModuleLowering<'p> {
    /// An empty module for the program.
    pub(crate) fn new(
        program: &'p Program,
        options: &'p LowerOptions,
        sources: &'p SourceMap,
        usage: &'p Usage,
        tags: &'p [(u64, u64)],
    ) -> ModuleLowering<'p> {
        let mathematics = program
            .procs
            .iter()
            .enumerate()
            .filter_map(|(i, p)| Some((p.qualified.strip_prefix("cufemu_math.")?, ProcId(i as u32))))
            .collect();
        let embedded: BTreeSet<&str> = program.modules.iter().filter(|m| m.embedded).map(|m| &*m.name).collect();
        ModuleLowering {
            program,
            options,
            sources,
            usage,
            module: Module::default(),
            globals: BTreeMap::new(),
            constants: BTreeMap::new(),
            lengths_globals: BTreeMap::new(),
            debug_types: BTreeMap::new(),
            helpers: BTreeMap::new(),
            tags,
            class_helpers: BTreeMap::new(),
            foreign_answer: None,
            freeing_kernel: None,
            instances: BTreeMap::new(),
            queue: VecDeque::new(),
            names: BTreeMap::new(),
            mathematics,
            mpi_call_back: {
                let name = MPI_CALLS.join(".");
                program.procs.iter().position(|p| *p.qualified == *name).map(|i| ProcId(i as u32))
            },
            embedded,
        }
    }

    /// The instance of a kernel or host procedure, whose dummies have fixed spaces.
    pub(crate) fn plain_instance(&self, proc: ProcId, side: Side) -> Instance {
        Instance { proc, side, args: vec![ArgKey::Any; self.program.proc(proc).params.len()] }
    }

    /// Makes the main program a root.
    pub(crate) fn add_main(&mut self) {
        if let Some(main) = self.program.main {
            let id = self.instance(Instance { proc: main, side: Side::Host, args: Vec::new() });
            self.module.main = Some(id);
        }
    }

    /// The next instance that is to be made.
    pub(crate) fn next_instance(&mut self) -> Option<(Instance, FuncId)> {
        self.queue.pop_front()
    }

    /// The finished module.
    pub(crate) fn finish(self) -> Module {
        self.module
    }

    /// The function of an instance; it is made later if it is new.
    pub(crate) fn instance(&mut self, instance: Instance) -> FuncId {
        if let Some(&id) = self.instances.get(&instance) {
            return id;
        }
        let proc = self.program.proc(instance.proc);
        let kind = match (instance.side, proc.kind) {
            (Side::Host, _) => FuncKind::Host,
            (Side::Device, ProcKind::Kernel) => FuncKind::Kernel,
            (Side::Device, _) => FuncKind::Device,
        };
        let id = self.new_function(&proc.qualified, kind, proc.span);
        self.instances.insert(instance.clone(), id);
        self.queue.push_back((instance, id));
        id
    }

    /// A function without a body yet, of a name derived from `name`.
    pub(crate) fn new_function(&mut self, name: &str, kind: FuncKind, span: Span) -> FuncId {
        let count = self.names.entry(name.to_owned()).or_insert(0);
        *count += 1;
        let unique = if *count == 1 { name.to_owned() } else { format!("{name}.{count}") };
        let id = FuncId(self.module.funcs.len() as u32);
        self.module.funcs.push(placeholder(&unique, kind, span));
        id
    }

    /// The checked program.
    pub(crate) fn program(&self) -> &'p Program {
        self.program
    }

    /// The options of this lowering.
    pub(crate) fn options(&self) -> &'p LowerOptions {
        self.options
    }

    /// What each procedure does with its variables.
    pub(crate) fn usage(&self) -> &'p Usage {
        self.usage
    }

    /// The tag of each derived type and the last one of its extensions.
    pub(crate) fn tags(&self) -> &'p [(u64, u64)] {
        self.tags
    }

    /// The line of a place in the source.
    pub(crate) fn line_of(&self, span: Span) -> usize {
        self.sources.location(span).map_or(0, |l| l.line)
    }

    /// What a function is.
    pub(crate) fn function_kind(&self, id: FuncId) -> FuncKind {
        self.module.func(id).kind
    }

    /// Whether a variable has a global of the host already.
    pub(crate) fn has_global(&self, v: VarId) -> bool {
        self.globals.contains_key(&(v, Side::Host))
    }

    /// A global.
    pub(crate) fn global_data(&self, id: GlobalId) -> &ir::Global {
        self.module.global(id)
    }

    /// Says which variable a designator of device code names.
    pub(crate) fn designate(&mut self, span: Span, v: VarId) {
        self.module.designated.insert(span, v.0);
    }

    /// The function that was made to handle objects of a recursive type.
    pub(crate) fn object_helper(&self, key: (TypeId, ObjectHelper, Side)) -> Option<FuncId> {
        self.helpers.get(&key).copied()
    }

    /// Keeps such a function.
    pub(crate) fn set_object_helper(&mut self, key: (TypeId, ObjectHelper, Side), func: FuncId) {
        self.helpers.insert(key, func);
    }

    /// The function that was made to handle objects of a class.
    pub(crate) fn class_helper(&self, key: (Option<TypeId>, ClassHelper)) -> Option<FuncId> {
        self.class_helpers.get(&key).copied()
    }

    /// Keeps such a function.
    pub(crate) fn set_class_helper(&mut self, key: (Option<TypeId>, ClassHelper), func: FuncId) {
        self.class_helpers.insert(key, func);
    }

    /// The function that calls procedures of the program for C code, if it was made.
    pub(crate) fn foreign_answer(&self) -> Option<FuncId> {
        self.foreign_answer
    }

    /// Keeps that function.
    pub(crate) fn set_foreign_answer(&mut self, func: FuncId) {
        self.foreign_answer = Some(func);
    }

    /// The kernel that gives back memory, if it was made.
    pub(crate) fn freeing_kernel(&self) -> Option<FuncId> {
        self.freeing_kernel
    }

    /// Keeps that kernel.
    pub(crate) fn set_freeing_kernel(&mut self, func: FuncId) {
        self.freeing_kernel = Some(func);
    }

    /// Says why code at a place is refused.
    pub(crate) fn refuse(&mut self, span: Span, what: &str) {
        self.module.refusals.entry(span).or_insert_with(|| what.into());
    }

    /// Says that another file defines a kernel.
    pub(crate) fn import(&mut self, func: FuncId, symbol: Arc<str>) {
        self.module.imports.push(ir::Import { func, symbol });
    }

    /// Puts a finished function in its place.
    pub(crate) fn set_function(&mut self, id: FuncId, made: Function) {
        self.module.funcs[id.index()] = made;
    }

    /// The name that a function got.
    pub(crate) fn function_name(&self, id: FuncId) -> Arc<str> {
        self.module.func(id).name.clone()
    }

    /// Whether a procedure is one of the embedded modules. Those have no statements to step through.
    pub(crate) fn is_embedded(&self, id: ProcId) -> bool {
        self.embedded.contains(module_of(self.program.proc(id)))
    }

    /// Whether a dummy is an assumed-rank one for which procedures are cloned by rank. Services take an address and the bytes of
    /// an element, and so do procedures of embedded modules, but for a dummy that is `contiguous`.
    pub(crate) fn is_ranked(&self, dummy: &Variable) -> bool {
        let is_service = |p: ProcId| matches!(self.program.proc(p).body, ProcBody::Service(_));
        let has_rank = |p: ProcId| !self.is_embedded(p) || dummy.attrs.contiguous;
        matches!(dummy.shape, Shape::AssumedRank) && dummy.owner.is_some_and(|p| has_rank(p) && !is_service(p))
    }

    /// The embedded procedure that calls procedures of the program for MPI, if it is there.
    pub(crate) fn mpi_call_back(&self) -> Option<ProcId> {
        self.mpi_call_back
    }

    /// The procedure of the embedded module of device procedures with that name.
    pub(crate) fn of_device_module(&self, name: &str) -> Option<ProcId> {
        let is_it = |p: &Procedure| p.qualified.strip_prefix("cudadevice.").is_some_and(|rest| rest == name);
        self.program.procs.iter().position(is_it).map(|i| ProcId(i as u32))
    }

    /// The procedure of the embedded mathematics module with that name.
    pub(crate) fn mathematics(&self, name: &str) -> Option<ProcId> {
        self.mathematics.get(name).copied()
    }
}

/// The name of the module that a procedure belongs to; empty if there is none.
fn module_of(proc: &Procedure) -> &str {
    proc.qualified.split_once('.').map_or("", |(module, _)| module)
}

fn placeholder(name: &str, kind: FuncKind, span: Span) -> Function {
    FunctionBuilder::new(name, kind, span).finish()
}
