//! When functions are compiled, and which frames use the code.

use super::liveness::each_write;
use super::translate::{Translation, class_of, translate};
use crate::code::{Code, Line, NativeFunction, Op, Program, RegFile, Restored, Variant};
use crate::frame::lane_pattern::LanePattern;
use crate::observe::Observer;
use crate::warp::{Context, Warp};
use ir::FuncId;
use jit::{Class, PatternKey, Routine};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Takes the compiled code of a frame, if there is some that tells the observer of what it wants to know.
pub(crate) fn take<const W: usize>(
    program: &Program,
    warp: &mut Warp<W>,
    number: u32,
    ctx: &Context<'_>,
    observer: Option<&Observer<'_, W>>,
) -> Option<Arc<NativeFunction>> {
    let frame = warp.frame_mut(number)?;
    let (func, block) = (frame.func, ctx.geometry.block);
    let code = program.code.get(func.index())?;
    let native = match frame.native.take().filter(|native| native.is_of(func, block)) {
        Some(native) => native,
        None => code.native.get(block, |keys| make(code, (func, block), keys, (&|_| false, false)))?,
    };
    let Some(observer) = observer.filter(|observer| !is_fit(&native, Some(observer))) else { return Some(native) };
    let telling = if observer.follows_code {
        let is_atomic = |pc: u32| matches!(code.ops.get(pc as usize), Some(Op::Atomic(_)));
        let wants = |pc| observer.wants(func, pc) || is_atomic(pc) && observer.wants_atomics();
        let calls = observer.takes_values;
        code.native.get_telling(block, calls, wants, |keys, wants| make(code, (func, block), keys, (wants, calls)))
    } else {
        None
    };
    if telling.is_none() {
        frame.native = Some(native);
    }
    telling
}

/// Whether code does nothing that the observer wants to know and is not told.
pub(super) fn is_fit<const W: usize>(native: &NativeFunction, observer: Option<&Observer<'_, W>>) -> bool {
    let is_wanted = |observer: &Observer<'_, W>| {
        native.has_atomics && observer.wants_atomics()
            || native.untold.iter().any(|&pc| observer.wants(native.func, pc))
    };
    match observer {
        None => native.told.is_empty(),
        Some(observer) => {
            let is_told = observer.follows_code && native.calls == observer.takes_values;
            (native.told.is_empty() || is_told) && !is_wanted(observer)
        }
    }
}

/// Gives the compiled code of a frame back to it.
pub(crate) fn put_back<const W: usize>(warp: &mut Warp<W>, number: u32, native: Arc<NativeFunction>) {
    if let Some(frame) = warp.frame_mut(number).filter(|frame| frame.func == native.func) {
        frame.native = Some(native);
    }
}

/// Notes what the interpreter has found out of a frame when its lanes end or stop for a while, and that they have passed so many points.
/// Whether code may be made of it that there was not before.
pub(crate) fn note<const W: usize>(
    code: &Code,
    (has_ended, points): (bool, u64),
    warp: &Warp<W>,
    number: u32,
    ctx: &Context<'_>,
) -> bool {
    let Some(frame) = warp.frame(number) else { return false };
    code.native.note(ctx.geometry.block, has_ended, points, frame.patterns.iter().map(LanePattern::usual))
}

/// Notes that code was left where it was entered. If that happens often because lanes differ in other ways than before, other code is
/// made.
#[cold]
pub(crate) fn miss<const W: usize>(code: &Code, native: &NativeFunction, warp: &Warp<W>, number: u32) {
    if native.miss()
        && let Some(frame) = warp.frame(number)
    {
        code.native.reconsider(native, frame.patterns.iter().map(LanePattern::key_of_all));
    }
}

/// Notes that lanes have often not followed the rules of patterns that code goes by: other code is made.
#[cold]
pub(crate) fn strayed(program: &Program, native: &NativeFunction, patterns: &mut [LanePattern<32>]) {
    if let Some(code) = program.code.get(native.func.index()) {
        let strays = patterns.iter_mut().map(|pattern| pattern.take_strays().then_some(PatternKey::IRREGULAR));
        code.native.reconsider(native, strays);
    }
}

/// Makes code; `tells` says which loads and stores it has to tell an observer. With `calls` it leaves those to the interpreter.
fn make(
    code: &Code,
    (func, block): (FuncId, [u32; 3]),
    keys: &[Option<PatternKey>],
    (tells, calls): (&dyn Fn(u32) -> bool, bool),
) -> Option<NativeFunction> {
    let variant = code.variants.get(code.variant(block))?;
    let Translation { mut routine, untold, has_atomics, told } =
        translate(code, variant, (block, keys), (tells, calls));
    if routine.segments.is_empty() {
        return None;
    }
    let restored = restored(code, variant, &routine);
    routine.restored = restored.iter().map(|r| (r.class, r.slot)).collect();
    let native = jit::compile(&routine).ok()?;
    let mut entries = vec![[None; 2]; code.ops.len()];
    for pc in native.entries() {
        if let Some(of) = entries.get_mut(pc as usize) {
            *of = [native.entry(pc, true), native.entry(pc, false)];
        }
    }
    let keys = keys.to_vec();
    let (misses, is_stale) = (0.into(), false.into());
    let line = Line::of(block);
    Some(NativeFunction {
        func,
        block,
        code: native,
        entries,
        untold,
        has_atomics,
        told,
        calls,
        restored,
        keys,
        line,
        misses,
        is_stale,
        is_early: false.into(),
    })
}

/// The registers of a frame that begins that the routine writes.
fn restored(code: &Code, variant: &Variant, routine: &Routine) -> Vec<Restored> {
    let narrow = code.variants.last().map_or(0, |v| v.uniforms[0]);
    // The scalar of a row's register, if that is uniform.
    let scalar_of = |class: Class, slot: u32| match class {
        Class::Long => (slot < variant.uniforms[1]).then_some(narrow + slot),
        Class::Word => (slot < variant.uniforms[0]).then_some(slot),
        Class::Pred | Class::Scalar => None,
    };
    let mut written: BTreeSet<(Class, u32)> =
        routine.segments.iter().flat_map(|s| &s.outs).map(|out| (out.class, out.slot)).collect();
    for call in routine.segments.iter().filter(|s| s.is_call) {
        let Some(op) = variant.ops.get(call.pc as usize) else { continue };
        each_write(op, &mut |(file, slot)| {
            let class = class_of(file);
            // An atomic, a vote or a shuffle sets the scalar too.
            written.extend(scalar_of(class, slot).map(|scalar| (Class::Scalar, scalar)));
            written.insert((class, slot));
        });
    }
    let params = code.params.iter().enumerate().map(|(i, &(place, is_row))| (place, is_row, Some(i)));
    let unset = code.unset.iter().map(|&(place, is_row)| (place, is_row, None));
    let mut out = Vec::new();
    for ((ty, slot), is_row, param) in params.chain(unset) {
        let class = class_of(RegFile::of(ty));
        let scalar = scalar_of(class, slot);
        let row = (is_row || scalar.is_none()).then_some((class, slot));
        for (class, slot) in scalar.map(|slot| (Class::Scalar, slot)).into_iter().chain(row) {
            if written.contains(&(class, slot)) {
                out.push(Restored { class, slot, param });
            }
        }
    }
    out
}
