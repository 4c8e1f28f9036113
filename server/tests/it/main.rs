//! Integration tests: the real server over real HTTP, on real SQLite and on real PostgreSQL with real Redis, which the tests start
//! themselves as throwaway processes.

mod support;

mod contract;
mod crashes;
mod duplicates;
mod gate;
mod money;
mod order_row;
mod surface;
mod tokens;
