//! Declarations: what is written in a specification part, collected by name and resolved on demand.

mod assumed_type;
mod collect;
mod data;
mod data_made;
mod derived;
mod header;
mod initial;
mod interface;
mod layout;
mod parameterised;
mod procedure;
mod restricted;
mod separate;
mod sequence;
mod shape;
mod shared;
mod sized;
mod storage_rules;
mod types;
mod usage;
mod variable;
