//! `cargo xtask test`: the whole check, or parts of it.

use crate::{
    build,
    counts::{Counts, Summary},
    parts::Part,
    setup, site,
    workspace::Workspace,
};
use anyhow::Result;
use std::{process::ExitCode, time::Instant};

/// Runs the parts and sums them up.
pub fn test(workspace: &Workspace, only: &[Part], fail_fast: bool) -> Result<ExitCode> {
    let parts: Vec<Part> = Part::ALL
        .iter()
        .copied()
        .filter(|part| only.is_empty() || only.contains(part))
        .collect();
    let mut summary = Summary::default();
    let set_up = || {
        setup::for_building(workspace)?;
        setup::for_testing(workspace, &parts)
    };
    // Without its tools or its build, a part would only repeat what went wrong there.
    if preparation(&mut summary, "setup", set_up) {
        let mut build = None;
        for part in &parts {
            let needs = part.needs();
            if needs.site || needs.server || needs.tests {
                let is_built =
                    *build.get_or_insert_with(|| preparation(&mut summary, "build", || build_for(workspace, &parts)));
                if !is_built {
                    println!("\n== {}: left out, because the build failed", part.name());
                    continue;
                }
            }
            let failed = examine(&mut summary, workspace, *part);
            if failed && fail_fast {
                break;
            }
        }
    }
    summary.print();
    Ok(if summary.total().failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Does what the parts rest on. It counts only when it fails.
fn preparation(summary: &mut Summary, name: &str, work: impl FnOnce() -> Result<()>) -> bool {
    println!("\n== {name}");
    let start = Instant::now();
    let result = work();
    if let Err(error) = &result {
        println!("{error:#}");
    }
    let failed = u64::from(result.is_err());
    summary.note(
        name,
        start.elapsed(),
        Counts {
            failed,
            ..Counts::default()
        },
    );
    result.is_ok()
}

/// Runs one part; true when it failed.
fn examine(summary: &mut Summary, workspace: &Workspace, part: Part) -> bool {
    println!("\n== {}", part.name());
    let start = Instant::now();
    let counts = part.run(workspace).unwrap_or_else(|error| {
        println!("{error:#}");
        Counts::one(false)
    });
    summary.note(&part.name(), start.elapsed(), counts);
    counts.failed > 0
}

/// Builds once what all the chosen parts need.
fn build_for(workspace: &Workspace, parts: &[Part]) -> Result<()> {
    let needed = |which: fn(&Part) -> bool| parts.iter().any(which);
    if needed(|part| part.needs().site) {
        site::build(workspace)?;
    }
    if needed(|part| part.needs().tests) {
        build::server_and_tests(workspace)
    } else if needed(|part| part.needs().server) {
        build::server(workspace)
    } else {
        Ok(())
    }
}
