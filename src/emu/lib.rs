//! The deterministic GPU emulator.
