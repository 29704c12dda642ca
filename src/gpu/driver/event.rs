//! Events of the driver: points of a stream that others wait for, and the time between them.
//!
//! Not here: who waits for one on a stream ([`Context::wait_for_event`]).

use super::{Context, Result, Stream, check};
use crate::error::DriverError;
use cudarc::driver::sys;
use std::sync::Arc;

/// The answer of a query.
fn is_ready(answer: Result<()>) -> Result<bool> {
    match answer {
        Ok(()) => Ok(true),
        Err(DriverError::Call { code, .. }) if code == sys::CUresult::CUDA_ERROR_NOT_READY as u32 => Ok(false),
        Err(error) => Err(error),
    }
}

/// An event.
#[derive(Debug)]
pub(crate) struct Event {
    context: Arc<Context>,
    handle: usize,
}

impl Event {
    /// A new event.
    pub(crate) fn new(context: &Arc<Context>) -> Result<Event> {
        context.enter()?;
        let mut event = std::ptr::null_mut();
        cu!(cuEventCreate(&raw mut event, 0))?;
        Ok(Event { context: context.clone(), handle: event as usize })
    }

    /// The context that it was made in.
    pub(crate) fn context(&self) -> &Context {
        &self.context
    }

    /// Whether it is of that context: only there it can be recorded.
    pub(crate) fn is_of(&self, context: &Arc<Context>) -> bool {
        Arc::ptr_eq(&self.context, context)
    }

    /// The handle of CUDA.
    pub(super) fn raw(&self) -> sys::CUevent {
        self.handle as sys::CUevent
    }

    /// Records the event after what was put on the stream so far.
    pub(crate) fn record(&self, stream: &Stream) -> Result<()> {
        self.context.enter()?;
        cu!(cuEventRecord(self.raw(), stream.raw()))
    }

    /// Whether the event has happened; one that was never recorded has.
    pub(crate) fn is_done(&self) -> Result<bool> {
        self.context.enter()?;
        is_ready(cu!(cuEventQuery(self.raw())))
    }

    /// Milliseconds from `start` to this event; both have to have happened.
    pub(crate) fn elapsed_since(&self, start: &Event) -> Result<f32> {
        self.context.enter()?;
        let mut milliseconds = 0.0;
        cu!(cuEventElapsedTime(&raw mut milliseconds, start.raw(), self.raw()))?;
        Ok(milliseconds)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if self.context.enter().is_ok() {
            let _ = cu!(cuEventDestroy_v2(self.raw()));
        }
    }
}
