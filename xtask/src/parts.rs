//! The parts of `cargo xtask test`.

use crate::{
    build,
    counts::Counts,
    playwright,
    process::{self, cargo},
    site, size, tools,
    workspace::Workspace,
};
use anyhow::Result;
use clap::ValueEnum;

/// One part, in the order in which they run: the quick ones first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// `cargo fmt --check`.
    Format,
    /// Types of the Playwright tests.
    Types,
    /// Clippy with warnings denied: all targets of the workspace, and the islands as the browser gets them.
    Clippy,
    /// `cargo doc` with warnings denied.
    Doc,
    /// Unit and property tests.
    Unit,
    /// The server over HTTP, on the embedded database and on the production services.
    Integration,
    /// What the browser downloads, against its limit.
    Size,
    /// Licences, bans and sources of the dependencies.
    Deny,
    /// The pages in a browser, with and without JavaScript.
    Playwright,
}

/// What has to be built before a part.
#[derive(Clone, Copy, Debug, Default)]
pub struct Needs {
    /// The browser's side.
    pub site: bool,
    /// The server.
    pub server: bool,
    /// The Rust tests, which bring the server with them.
    pub tests: bool,
}

impl Part {
    /// All parts, in order.
    pub const ALL: &[Self] = &[
        Self::Format,
        Self::Types,
        Self::Clippy,
        Self::Doc,
        Self::Unit,
        Self::Integration,
        Self::Size,
        Self::Deny,
        Self::Playwright,
    ];

    /// Its name on the command line.
    pub fn name(self) -> String {
        self.to_possible_value()
            .map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// What has to be built before.
    pub fn needs(self) -> Needs {
        match self {
            Self::Unit | Self::Integration => Needs {
                tests: true,
                ..Needs::default()
            },
            Self::Size => Needs {
                site: true,
                ..Needs::default()
            },
            Self::Playwright => Needs {
                site: true,
                server: true,
                ..Needs::default()
            },
            Self::Format | Self::Types | Self::Clippy | Self::Doc | Self::Deny => Needs::default(),
        }
    }

    /// Runs it.
    pub fn run(self, workspace: &Workspace) -> Result<Counts> {
        match self {
            Self::Format => Ok(Counts::one(process::succeeds(
                cargo().args(["fmt", "--all", "--check"]),
            )?)),
            Self::Types => playwright::check_types(workspace),
            Self::Clippy => clippy(workspace),
            Self::Doc => doc(),
            Self::Unit => unit(workspace),
            Self::Integration => integration(workspace),
            Self::Size => size::check(workspace),
            Self::Deny => deny(workspace),
            Self::Playwright => playwright::test(workspace),
        }
    }
}

fn clippy(workspace: &Workspace) -> Result<Counts> {
    let leptos = &workspace.leptos;
    let on_the_server =
        process::succeeds(cargo().args(["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"]))?;
    // With the profile of the site, whose procedural macros are built already.
    let in_the_browser = process::succeeds(
        cargo()
            .args([
                "clippy",
                "--package",
                &leptos.lib_package,
                "--lib",
                "--target",
                site::WASM_TARGET,
            ])
            .args([
                "--profile",
                &leptos.lib_profile_release,
                "--features",
                &leptos.lib_features.join(","),
            ])
            .args(["--", "--deny", "warnings"]),
    )?;
    Ok(Counts::one(on_the_server && in_the_browser))
}

fn doc() -> Result<Counts> {
    let holds = process::succeeds(
        cargo()
            .args(["doc", "--workspace", "--no-deps", "--document-private-items"])
            .env("RUSTDOCFLAGS", "--deny warnings"),
    )?;
    Ok(Counts::one(holds))
}

fn unit(workspace: &Workspace) -> Result<Counts> {
    let mut counts = Counts::default();
    let shop = process::follow(build::shop_tests(workspace).args(["--lib", "--bins"]), |line| {
        counts.add_line(line)
    })?;
    let own = process::follow(cargo().args(["test", "--package", "xtask"]), |line| {
        counts.add_line(line)
    })?;
    Ok(counts.or_failed(shop && own))
}

fn integration(workspace: &Workspace) -> Result<Counts> {
    let mut counts = Counts::default();
    let succeeded = process::follow(build::shop_tests(workspace).args(["--test", "it"]), |line| {
        counts.add_line(line)
    })?;
    Ok(counts.or_failed(succeeded))
}

fn deny(workspace: &Workspace) -> Result<Counts> {
    let mut command = tools::cargo_deny(workspace);
    Ok(Counts::one(process::succeeds(command.args([
        "--offline",
        "check",
        "--hide-inclusion-graph",
        "bans",
        "licenses",
        "sources",
    ]))?))
}
