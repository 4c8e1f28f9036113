//! Integration tests: the real server over real HTTP, on real SQLite and on real PostgreSQL with real Redis, which the tests start
//! themselves as throwaway processes.

#![expect(clippy::unwrap_used, reason = "a test whose ground is missing ends, and says where")]

mod support;

mod claim;
mod contract;
mod crashes;
mod duplicates;
mod gate;
mod money;
mod order_row;
mod payments;
mod surface;
mod tokens;
