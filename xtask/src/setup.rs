//! Set-up: looks for what is needed and installs what is missing. What is there is left alone and not mentioned.
//!
//! Rust's own parts come by rustup, on every system. Programs come as packages on Debian; elsewhere, or without the right to install
//! packages, everything that is missing is listed with the way to get it.

use crate::{
    debian,
    parts::Part,
    process::{self, cargo},
    site::WASM_TARGET,
    tools,
    workspace::Workspace,
};
use anyhow::{Context as _, Result, bail};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Oldest Node.js that the Playwright tests run on.
const NODE: u32 = 20;

/// Brings along what `run` and `build` need.
pub fn for_building(workspace: &Workspace) -> Result<()> {
    let sysroot = process::output_of(
        Command::new("rustc")
            .args(["--print", "sysroot"])
            .current_dir(&workspace.root),
    )
    .context("rustc is not on the PATH; install Rust from https://rustup.rs")?;
    if Path::new(sysroot.trim()).join("lib/rustlib").join(WASM_TARGET).is_dir() {
        return Ok(());
    }
    rustup(workspace, &["target", "add", WASM_TARGET])
}

/// Brings along what the chosen parts of `test` need.
pub fn for_testing(workspace: &Workspace, parts: &[Part]) -> Result<()> {
    let chosen = |part: Part| parts.contains(&part);
    for (part, command, component) in [(Part::Format, "fmt", "rustfmt"), (Part::Clippy, "clippy", "clippy")] {
        if chosen(part) && !process::quietly(cargo().args([command, "--version"])) {
            rustup(workspace, &["component", "add", component])?;
        }
    }
    debian::provide(&missing_programs(parts))?;
    if chosen(Part::Types) || chosen(Part::Playwright) {
        node_packages(workspace)?;
    }
    if chosen(Part::Deny) {
        // cargo-deny reads the crates of every platform; a build has fetched those of this one.
        process::run(cargo().args(["fetch", "--quiet", "--locked"]))?;
        tools::install_cargo_deny(workspace)?;
    }
    Ok(())
}

fn rustup(workspace: &Workspace, arguments: &[&str]) -> Result<()> {
    if process::find("rustup").is_none() {
        bail!(
            "missing: `rustup {}`, but there is no rustup; install Rust from https://rustup.rs",
            arguments.join(" ")
        );
    }
    process::run(Command::new("rustup").args(arguments).current_dir(&workspace.root))
}

/// A program or a font that comes with the system's packages.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// What it is.
    pub name: &'static str,
    /// Debian's packages of it; none if Debian's are too old.
    pub debian: &'static [&'static str],
    /// How to get it elsewhere.
    pub elsewhere: &'static str,
}

const POSTGRESQL: Program = Program {
    name: "PostgreSQL's server (initdb, postgres), version 15 or newer",
    debian: &["postgresql"],
    elsewhere: "brew install postgresql@17 · dnf install postgresql-server · initdb on the PATH",
};

const REDIS: Program = Program {
    name: "Redis' server (redis-server), version 7 or newer",
    debian: &["redis-server"],
    elsewhere: "brew install redis · dnf install redis",
};

const CHROMIUM: Program = Program {
    name: "Chromium",
    debian: &["chromium"],
    elsewhere: "brew install --cask chromium · dnf install chromium · or set ONCEMART_CHROMIUM to the program of a Chrome",
};

const CHINESE_FONT: Program = Program {
    name: "a font with Chinese characters",
    debian: &["fonts-noto-cjk"],
    elsewhere: "dnf install google-noto-sans-cjk-fonts · macOS has one",
};

const NODE_JS: Program = Program {
    name: "Node.js 20 or newer, with npm",
    debian: &[],
    elsewhere: "https://nodejs.org/en/download · brew install node · dnf install nodejs npm",
};

fn missing_programs(parts: &[Part]) -> Vec<Program> {
    let mut missing = Vec::new();
    let mut need = |program: Program, is_there: bool| {
        if !is_there {
            missing.push(program);
        }
    };
    if parts.contains(&Part::Integration) {
        need(POSTGRESQL, has_postgresql());
        need(REDIS, process::find("redis-server").is_some());
    }
    if parts.contains(&Part::Playwright) {
        need(CHROMIUM, has_chromium());
        need(CHINESE_FONT, cfg!(target_os = "macos") || has_chinese_font());
    }
    if parts.contains(&Part::Playwright) || parts.contains(&Part::Types) {
        need(NODE_JS, has_node());
    }
    missing
}

/// Debian keeps the programs of each version in a directory of its own, off the PATH.
fn has_postgresql() -> bool {
    let in_versions = fs::read_dir("/usr/lib/postgresql").is_ok_and(|mut versions| {
        versions.any(|entry| entry.is_ok_and(|entry| entry.path().join("bin/initdb").is_file()))
    });
    in_versions || process::find("initdb").is_some()
}

fn has_chromium() -> bool {
    std::env::var_os("ONCEMART_CHROMIUM").map_or_else(
        || Path::new("/usr/bin/chromium").is_file(),
        |path| PathBuf::from(path).is_file(),
    )
}

fn has_chinese_font() -> bool {
    process::output_of(Command::new("fc-list").args([":lang=zh-cn", "family"]))
        .is_some_and(|list| !list.trim().is_empty())
}

fn has_node() -> bool {
    let version = process::output_of(Command::new("node").arg("--version")).unwrap_or_default();
    let major = version
        .trim_start_matches('v')
        .split('.')
        .next()
        .and_then(|major| major.parse::<u32>().ok());
    major.is_some_and(|major| major >= NODE) && process::find("npm").is_some()
}

/// Installs the packages of `end2end/` when its lock file is not the one that they were installed from.
fn node_packages(workspace: &Workspace) -> Result<()> {
    let directory = workspace.end2end();
    let locked =
        fs::read(directory.join("package-lock.json")).context("end2end/package-lock.json could not be read")?;
    let installed_from = directory.join("node_modules/.installed-from.json");
    if fs::read(&installed_from).is_ok_and(|installed| installed == locked) {
        return Ok(());
    }
    process::run(
        Command::new("npm")
            .args(["ci", "--no-audit", "--no-fund"])
            .current_dir(&directory),
    )?;
    fs::write(installed_from, locked).context("end2end/node_modules could not be written")
}
