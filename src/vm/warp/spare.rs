//! Frames of functions that have returned, kept for later calls.

use crate::frame::Frame;
use ir::FuncId;

/// Frames that a warp keeps at most. The host, which has one warp, keeps as many for each function.
const MOST: usize = 16;

/// See the module. A clone has none: it is a checkpoint, which need not hold them.
#[derive(Debug, Default)]
#[allow(clippy::vec_box)] // They move to the frames of the warp and back as they are.
pub(crate) struct SpareFrames<const W: usize> {
    /// Those of a warp of device code.
    any: Vec<Box<Frame<W>>>,
    /// Those of the host, by function.
    by_function: Vec<Vec<Box<Frame<W>>>>,
}

impl<const W: usize> Clone for SpareFrames<W> {
    fn clone(&self) -> SpareFrames<W> {
        SpareFrames::default()
    }
}

impl<const W: usize> SpareFrames<W> {
    /// A frame of a function, if there is one.
    #[inline(always)]
    pub(crate) fn take(&mut self, func: FuncId) -> Option<Box<Frame<W>>> {
        if W == 1 {
            return self.by_function.get_mut(func.index())?.pop();
        }
        let at = self.any.iter().position(|frame| frame.func == func)?;
        Some(self.any.swap_remove(at))
    }

    /// Keeps a frame, unless there are enough.
    #[inline(always)]
    pub(crate) fn put(&mut self, frame: Box<Frame<W>>) {
        let kept = if W == 1 {
            let at = frame.func.index();
            if self.by_function.len() <= at {
                self.by_function.resize_with(at + 1, Vec::new);
            }
            &mut self.by_function[at]
        } else {
            &mut self.any
        };
        if kept.len() < MOST {
            kept.push(frame);
        }
    }
}
