//! `cargo xtask …`: everything that a fresh clone needs, as one program in the workspace's own language.
//!
//! `run` and `test` bring along what they need themselves ([`setup`]), so that neither the README nor the machine that checks a change
//! has a list of steps that could fall behind. The browser's side is built here too ([`site`]), because installing `cargo-leptos`
//! from source takes longer than all the rest; `cargo leptos watch` keeps working for those who have it, from the same settings.

mod advisories;
mod build;
mod chaos;
mod compress;
mod counts;
mod debian;
mod parts;
mod playwright;
mod process;
mod run;
mod setup;
mod site;
mod size;
mod test;
mod tools;
mod workspace;

use anyhow::Result;
use clap::{Parser, Subcommand};
use parts::Part;
use std::process::ExitCode;
use workspace::Workspace;

/// Sets up, builds, runs and tests Oncemart.
///
/// Every command installs what it needs and is missing, says what it does, and can be repeated at any time; what is already there is
/// left alone. Needed beforehand: Rust by rustup, a C compiler, and for `test` also Node.js.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Build and start the shop on 127.0.0.1:3000, with its data in `data/`; no service needed.
    ///
    /// Adds the wasm target, builds the browser's side and the server, and starts `oncemart serve`, which brings its tables up to date,
    /// fills an empty catalogue and prints its address. Environment variables reach the server: `ONCEMART_ADDR`, `ONCEMART_DATA_DIR`,
    /// `DATABASE_URL`, `REDIS_URL` and the others of `oncemart serve --help`.
    Run {
        /// Further arguments for `oncemart serve`.
        #[arg(last = true)]
        arguments: Vec<String>,
    },
    /// Build the browser's side (`target/site`) and the server (`target/debug/oncemart`).
    Build,
    /// Check everything: formatting, lints, documentation, tests on every database, licences, sizes and the pages in a browser.
    ///
    /// Installs what is missing first. Each part prints its seconds and counts; a part that fails does not stop the later ones, except
    /// that nothing is tested that could not be built. The last line is `N passed, N failed`.
    Test {
        /// Run this part alone; may be repeated.
        #[arg(long, value_name = "PART")]
        only: Vec<Part>,
        /// Stop after the first part that fails.
        #[arg(long)]
        fail_fast: bool,
    },
    /// Run the tests that kill and cut for many more rounds than `test` does, and print their counts.
    Chaos {
        /// Rounds of each.
        #[arg(long, default_value_t = 100)]
        rounds: u32,
    },
    /// Ask the advisory database about known weaknesses in the dependencies. Needs the network.
    Advisories,
    /// Install what `run` and `test` need, and nothing else.
    Setup,
}

fn main() -> ExitCode {
    match perform(Arguments::parse().task) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("\nxtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn perform(task: Task) -> Result<ExitCode> {
    let workspace = Workspace::load()?;
    match task {
        Task::Run { arguments } => run::run(&workspace, &arguments),
        Task::Build => {
            setup::for_building(&workspace)?;
            build::site_and_server(&workspace)?;
            Ok(ExitCode::SUCCESS)
        }
        Task::Test { only, fail_fast } => test::test(&workspace, &only, fail_fast),
        Task::Chaos { rounds } => chaos::run(&workspace, rounds),
        Task::Advisories => advisories::check(&workspace),
        Task::Setup => {
            setup::for_building(&workspace)?;
            setup::for_testing(&workspace, Part::ALL)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_well_formed() {
        Arguments::command().debug_assert();
    }
}
