//! From checked program to IR.
