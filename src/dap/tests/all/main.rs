//! Whole conversations of a client with the server, over pipes.

mod client;
mod live;
mod recorded;
