//! Host and device run together: the run loop, the world outside, checkpoints and verification.
