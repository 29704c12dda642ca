//! The whole pipeline from source text to IR as one call, with the embedded modules.
