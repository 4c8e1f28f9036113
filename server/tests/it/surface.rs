//! The surface that strangers touch: bodies and texts of every kind, other people's orders, other sites, answers' headers, logs.

mod bodies;
mod foreign;
mod headers;
mod operation;
mod text;
