//! The Playwright tests of `end2end/`.

use crate::{counts::Counts, process, workspace::Workspace};
use anyhow::{Context as _, Result};
use serde::Deserialize;
use std::{fs, path::Path, process::Command};

#[derive(Deserialize)]
struct Report {
    stats: Stats,
}

#[derive(Deserialize)]
struct Stats {
    expected: u64,
    unexpected: u64,
    flaky: u64,
    skipped: u64,
}

/// Checks the types of the tests.
pub fn check_types(workspace: &Workspace) -> Result<Counts> {
    Ok(Counts::one(process::succeeds(
        program(workspace, "tsc").arg("--noEmit"),
    )?))
}

/// Runs the tests against the built server.
pub fn test(workspace: &Workspace) -> Result<Counts> {
    let report = workspace.target.join("playwright.json");
    // A report of an earlier run must not be taken for this one's.
    if report.exists() {
        fs::remove_file(&report)?;
    }
    let succeeded = process::succeeds(
        program(workspace, "playwright")
            .arg("test")
            .env("ONCEMART_BINARY", workspace.server())
            .env("PLAYWRIGHT_JSON_OUTPUT_FILE", &report)
            .envs(workspace.server_environment()),
    )?;
    Ok(read(&report)?.or_failed(succeeded))
}

fn read(report: &Path) -> Result<Counts> {
    let text = fs::read_to_string(report).context("Playwright has left no report")?;
    let stats = serde_json::from_str::<Report>(&text)
        .context("Playwright's report is not understood")?
        .stats;
    // There are no retries; were there any, a test that needs one would not have passed.
    Ok(Counts {
        passed: stats.expected,
        failed: stats.unexpected + stats.flaky,
        skipped: stats.skipped,
    })
}

fn program(workspace: &Workspace, name: &str) -> Command {
    let mut command = Command::new(workspace.end2end().join("node_modules/.bin").join(name));
    command.current_dir(workspace.end2end());
    command
}
