//! The host program and the Fortran runtime as a state machine.
