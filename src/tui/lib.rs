//! The terminal user interface of the debugger.
