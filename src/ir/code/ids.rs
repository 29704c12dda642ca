//! Ids of the parts of a module; each prints as in the IR text.

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an index into its table.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    )*};
}

ids! {
    /// A function of a module.
    FuncId "fn";
    /// A basic block of a function.
    Bb "bb";
    /// A virtual register of a function.
    Reg "%";
    /// A global variable of a module.
    GlobalId "g";
    /// A slot of local memory of a function.
    LocalId "l";
    /// A shared variable of a function.
    SharedId "s";
    /// A source variable of a function, for the debugger.
    VarId "v";
    /// A source type of a module, for the debugger.
    DebugTypeId "t";
    /// A call of a function in whose place the body of the called function stands.
    InlineId "in";
}

impl InlineId {
    /// What is no part of such a call.
    pub const NONE: InlineId = InlineId(u32::MAX);
}
