//! DWARF for generated code: writing and reading.
