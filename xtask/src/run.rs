//! `cargo xtask run`: from a fresh clone to a shop that can be tried in the browser.

use crate::{build, setup, workspace::Workspace};
use anyhow::Result;
use std::{
    env,
    process::{Command, ExitCode},
};

/// Builds everything and becomes the server.
pub fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode> {
    setup::for_building(workspace)?;
    build::site_and_server(workspace)?;
    let mut server = Command::new(workspace.server());
    // From the root, so that `data/` is the same whatever directory this was called in.
    server.arg("serve").args(arguments).current_dir(&workspace.root);
    // What the caller has set in the environment has the last word.
    server.envs(
        workspace
            .server_environment()
            .into_iter()
            .filter(|(name, _)| env::var_os(name).is_none()),
    );
    become_program(server)
}

/// The server takes this process over, so that Ctrl-C and every other signal reach it directly.
#[cfg(unix)]
fn become_program(mut program: Command) -> Result<ExitCode> {
    use std::os::unix::process::CommandExt as _;

    // Only returns when the program could not be started.
    Err(anyhow::Error::new(program.exec()).context("the server could not be started"))
}

#[cfg(not(unix))]
fn become_program(mut program: Command) -> Result<ExitCode> {
    use anyhow::Context as _;

    let status = program.status().context("the server could not be started")?;
    Ok(if status.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
