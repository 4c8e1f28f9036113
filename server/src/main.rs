//! The `oncemart` program: see `oncemart --help`.

use std::process::ExitCode;

fn main() -> ExitCode {
    server::cli::main()
}
