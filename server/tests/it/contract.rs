//! The contract of an idempotent write, row by row of its table: which key, what meaning, which answer.

mod answers;
mod form;
mod keys;
mod meaning;
