//! `cargo xtask chaos`: the tests that kill and cut, for many more rounds than the check has time for.

use crate::{
    build,
    counts::{Counts, Summary},
    parts::Part,
    process, setup,
    workspace::Workspace,
};
use anyhow::Result;
use std::{process::ExitCode, time::Instant};

/// What the tests' names have in common, and what it is about. Races have rounds of their own.
const SUITES: [(&str, &str); 2] = [
    (
        "payments::survives",
        "callbacks acknowledged, servers killed, transactions failed; in as many rounds as asked for",
    ),
    (
        "payments::racing",
        "200 payments around the closing time, two channels at once in 50 rounds",
    ),
];

/// Runs each suite for so many rounds and prints its counts.
pub fn run(workspace: &Workspace, rounds: u32) -> Result<ExitCode> {
    setup::for_building(workspace)?;
    setup::for_testing(workspace, &[Part::Integration])?;
    build::server_and_tests(workspace)?;
    let mut summary = Summary::default();
    for (suite, about) in SUITES {
        println!("\n== {suite}: {about}");
        let start = Instant::now();
        let mut counts = Counts::default();
        let mut command = build::shop_tests(workspace);
        command
            .args(["--test", "it", suite, "--", "--nocapture"])
            .env("ONCEMART_TEST_ROUNDS", rounds.to_string());
        let succeeded = process::follow(&mut command, |line| counts.add_line(line))?;
        summary.note(suite, start.elapsed(), counts.or_failed(succeeded));
    }
    summary.print();
    Ok(if summary.total().failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
