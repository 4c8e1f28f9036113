//! Building what runs. One optimised profile without link-time optimisation (`dev`) serves `run`, the tests and Playwright, so that
//! nothing is compiled twice; the browser's side always has its size profile.

use crate::{process, site, workspace::Workspace};
use anyhow::Result;
use std::process::Command;

/// Builds the browser's side and the server.
pub fn site_and_server(workspace: &Workspace) -> Result<()> {
    site::build(workspace)?;
    server(workspace)
}

/// Builds the server.
pub fn server(workspace: &Workspace) -> Result<()> {
    let leptos = &workspace.leptos;
    process::run(process::cargo().args(["build", "--package", &leptos.bin_package, "--bin", &leptos.bin_target]))
}

/// `cargo test` over the two halves of the shop. The selection of packages is always the same one: cargo unites the features of what is
/// selected, and another selection would compile half of the dependencies anew.
pub fn shop_tests(workspace: &Workspace) -> Command {
    let leptos = &workspace.leptos;
    let mut command = process::cargo();
    command.args([
        "test",
        "--no-fail-fast",
        "--package",
        &leptos.lib_package,
        "--package",
        &leptos.bin_package,
    ]);
    command
}

/// Builds the server together with all tests of the shop.
pub fn server_and_tests(workspace: &Workspace) -> Result<()> {
    process::run(shop_tests(workspace).arg("--no-run"))
}
