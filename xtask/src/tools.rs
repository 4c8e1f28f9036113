//! `cargo-deny`, which Debian has no package of: built from source into the target directory, at a stated version.

use crate::{process, workspace::Workspace};
use anyhow::{Context as _, Result};
use std::{path::PathBuf, process::Command};

/// The version whose verdicts this repository was written against.
const CARGO_DENY: &str = "0.20.2";

/// Starts a `cargo-deny` command in the workspace.
pub fn cargo_deny(workspace: &Workspace) -> Command {
    let mut command = Command::new(program(workspace));
    command.current_dir(&workspace.root);
    command
}

/// Builds it when it is missing or of another version. Speed of the program does not matter, that of its build does: hence without
/// optimisation.
pub fn install_cargo_deny(workspace: &Workspace) -> Result<()> {
    let version = process::output_of(Command::new(program(workspace)).arg("--version"));
    if version.is_some_and(|version| version.split_whitespace().nth(1) == Some(CARGO_DENY)) {
        return Ok(());
    }
    println!("cargo-deny {CARGO_DENY} is missing; building it takes a minute or two");
    process::run(
        process::cargo()
            .args([
                "install",
                "cargo-deny",
                "--version",
                CARGO_DENY,
                "--locked",
                "--debug",
                "--no-default-features",
            ])
            .arg("--root")
            .arg(workspace.tools()),
    )
    .with_context(|| format!("cargo-deny {CARGO_DENY} is needed and could not be built"))
}

fn program(workspace: &Workspace) -> PathBuf {
    workspace
        .tools()
        .join("bin")
        .join(format!("cargo-deny{}", std::env::consts::EXE_SUFFIX))
}
