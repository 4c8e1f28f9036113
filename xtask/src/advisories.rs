//! `cargo xtask advisories`: apart from the test run, because its verdict depends on the day and on the network.

use crate::{process, setup, tools, workspace::Workspace};
use anyhow::Result;
use std::process::ExitCode;

/// Asks the advisory database about the dependencies.
pub fn check(workspace: &Workspace) -> Result<ExitCode> {
    setup::for_building(workspace)?;
    tools::install_cargo_deny(workspace)?;
    if !process::succeeds(tools::cargo_deny(workspace).args(["fetch", "db"]))? {
        println!(
            "The advisory database (https://github.com/RustSec/advisory-db) could not be reached: nothing was checked."
        );
        return Ok(ExitCode::FAILURE);
    }
    let holds = process::succeeds(tools::cargo_deny(workspace).args(["check", "--disable-fetch", "advisories"]))?;
    Ok(if holds { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
