//! Builds what the browser loads: the islands as WebAssembly with their JavaScript, the style sheet and the files of `public/`.
//!
//! The result looks as `cargo leptos` makes it: `NAME.HASH.js`, `NAME.HASH.wasm` and `NAME.HASH.css` in the package directory, and
//! `hash.txt` beside the server's program, from which Leptos learns the names. The `wasm-bindgen` step is a library call at the
//! version in `Cargo.lock`: no program to install, never out of step with the code.

use crate::{compress, process, workspace::Workspace};
use anyhow::{Context as _, Result, bail};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest as _, Sha256};
use std::{
    fs,
    path::{Path, PathBuf},
    time::{Instant, UNIX_EPOCH},
};
use wasm_bindgen_cli_support::Bindgen;

/// The target that browsers run.
pub const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// The three built files, in the words of `hash.txt`.
pub const KINDS: [&str; 3] = ["js", "wasm", "css"];

/// Builds the site, unless the one that is there was made from the same inputs.
pub fn build(workspace: &Workspace) -> Result<()> {
    let wasm = compile(workspace)?;
    let inputs = Inputs::gather(workspace, &wasm)?;
    let digest = inputs.digest()?;
    let stamp = workspace.target.join("site.sha256");
    let is_current = fs::read_to_string(&stamp).is_ok_and(|previous| previous == digest);
    if is_current && built_files(workspace).is_ok_and(|files| files.iter().all(|(_, file)| file.is_file())) {
        return Ok(());
    }
    let start = Instant::now();
    let site = assemble(workspace, &inputs)?;
    fs::write(&stamp, digest)?;
    println!(
        "{}: {} files in {:.1} s",
        workspace.leptos.site_root.display(),
        site,
        start.elapsed().as_secs_f64()
    );
    Ok(())
}

/// The built files by their kind, as `hash.txt` names them.
pub fn built_files(workspace: &Workspace) -> Result<Vec<(String, PathBuf)>> {
    let hashes = fs::read_to_string(workspace.hashes()).context("the site is not built: run `cargo xtask build`")?;
    let directory = workspace.site().join(&workspace.leptos.site_pkg_dir);
    Ok(hashes
        .lines()
        .filter_map(|line| line.split_once(": "))
        .map(|(kind, hash)| {
            (
                kind.to_owned(),
                directory.join(format!("{}.{hash}.{kind}", workspace.leptos.name)),
            )
        })
        .collect())
}

fn compile(workspace: &Workspace) -> Result<PathBuf> {
    let leptos = &workspace.leptos;
    process::run(
        process::cargo()
            .args([
                "build",
                "--package",
                &leptos.lib_package,
                "--lib",
                "--target",
                WASM_TARGET,
            ])
            .args([
                "--profile",
                &leptos.lib_profile_release,
                "--features",
                &leptos.lib_features.join(","),
            ]),
    )?;
    let file = format!("{}.wasm", leptos.lib_package.replace('-', "_"));
    Ok(workspace
        .target
        .join(WASM_TARGET)
        .join(&leptos.lib_profile_release)
        .join(file))
}

/// What the site is made from.
struct Inputs {
    wasm: Vec<u8>,
    style: Vec<u8>,
    /// Path below the site's root, and content.
    assets: Vec<(PathBuf, Vec<u8>)>,
}

impl Inputs {
    fn gather(workspace: &Workspace, wasm: &Path) -> Result<Self> {
        let mut assets = Vec::new();
        collect(
            &workspace.root.join(&workspace.leptos.assets_dir),
            Path::new(""),
            &mut assets,
        )?;
        assets.sort();
        Ok(Self {
            wasm: read(wasm)?,
            style: read(&workspace.root.join(&workspace.leptos.style_file))?,
            assets,
        })
    }

    /// Changes when an input changes, or the program that makes the site from them.
    fn digest(&self) -> Result<String> {
        let program = fs::metadata(std::env::current_exe()?)?;
        let built = program.modified()?.duration_since(UNIX_EPOCH)?;
        let mut digest = Sha256::new();
        digest.update(program.len().to_be_bytes());
        digest.update(built.as_nanos().to_be_bytes());
        for content in [&self.wasm, &self.style] {
            digest.update(Sha256::digest(content));
        }
        for (path, content) in &self.assets {
            digest.update(Sha256::digest(path.to_string_lossy().as_bytes()));
            digest.update(Sha256::digest(content));
        }
        Ok(URL_SAFE_NO_PAD.encode(digest.finalize()))
    }
}

/// Puts the site together in a new directory and swaps it in, so that no file of an older build stays behind. Says how many files it has.
fn assemble(workspace: &Workspace, inputs: &Inputs) -> Result<usize> {
    let leptos = &workspace.leptos;
    let fresh = tempfile::tempdir_in(&workspace.target)?;
    let bindings = tempfile::tempdir_in(&workspace.target)?;
    Bindgen::new()
        .input_bytes(&leptos.name, inputs.wasm.clone())
        .web(true)?
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .out_name(&leptos.name)
        .generate(bindings.path())?;
    if bindings.path().join("snippets").exists() {
        bail!(
            "a crate brings JavaScript snippets, which would need names of their own in {}",
            leptos.site_pkg_dir
        );
    }

    let contents = [
        read(&bindings.path().join(format!("{}.js", leptos.name)))?,
        read(&bindings.path().join(format!("{}_bg.wasm", leptos.name)))?,
        inputs.style.clone(),
    ];
    let mut hashes = String::new();
    let mut files: Vec<(PathBuf, Vec<u8>)> = inputs.assets.clone();
    for (kind, content) in KINDS.iter().zip(contents) {
        let hash = short_hash(&content);
        hashes.push_str(&format!("{kind}: {hash}\n"));
        files.push((
            Path::new(&leptos.site_pkg_dir).join(format!("{}.{hash}.{kind}", leptos.name)),
            content,
        ));
    }
    for (path, content) in &files {
        let path = fresh.path().join(path);
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory)?;
        }
        fs::write(&path, content).with_context(|| format!("{} could not be written", path.display()))?;
        compress::write_twins(&path)?;
    }
    swap_in(workspace, fresh)?;
    fs::create_dir_all(workspace.target.join("debug"))?;
    fs::write(workspace.hashes(), hashes)?;
    Ok(files.len())
}

fn swap_in(workspace: &Workspace, fresh: tempfile::TempDir) -> Result<()> {
    let site = workspace.site();
    if site.exists() {
        fs::remove_dir_all(&site).with_context(|| format!("{} could not be removed", site.display()))?;
    }
    if let Some(directory) = site.parent() {
        fs::create_dir_all(directory)?;
    }
    open_to_all(fresh.path())?;
    fs::rename(fresh.keep(), &site).with_context(|| format!("{} could not be put in place", site.display()))
}

/// Temporary directories are private to their owner; the site may be served by another user.
#[cfg(unix)]
fn open_to_all(directory: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;

    Ok(fs::set_permissions(directory, fs::Permissions::from_mode(0o755))?)
}

#[cfg(not(unix))]
fn open_to_all(_directory: &Path) -> Result<()> {
    Ok(())
}

/// Names a file after its content: 128 bits of its SHA-256.
fn short_hash(content: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(&Sha256::digest(content)[..16])
}

fn collect(root: &Path, below: &Path, files: &mut Vec<(PathBuf, Vec<u8>)>) -> Result<()> {
    let directory = root.join(below);
    if !directory.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let path = below.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            collect(root, &path, files)?;
        } else {
            files.push((path, read(&entry.path())?));
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("{} could not be read", path.display()))
}
