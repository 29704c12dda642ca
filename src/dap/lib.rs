//! The Debug Adapter Protocol front end of the debugger.
