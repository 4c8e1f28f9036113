//! Where things are. The names and places of the built site stand once, in `[[workspace.metadata.leptos]]` of the root `Cargo.toml`,
//! where `cargo leptos` reads them too; here they are asked of `cargo metadata`.

use crate::process;
use anyhow::{Context as _, Result, bail};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// This workspace.
pub struct Workspace {
    /// The directory of the root `Cargo.toml`.
    pub root: PathBuf,
    /// Cargo's target directory.
    pub target: PathBuf,
    /// The settings shared with `cargo leptos`.
    pub leptos: LeptosSettings,
}

/// The part of `cargo leptos`' settings that is needed here. `hash-files` is taken for granted.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct LeptosSettings {
    /// First part of the names of the built files.
    pub name: String,
    /// Package of the server.
    pub bin_package: String,
    /// Name of the server's program.
    pub bin_target: String,
    /// Package of the browser's side.
    pub lib_package: String,
    /// Profile that the browser's side is built with.
    pub lib_profile_release: String,
    /// Features of the browser's side.
    pub lib_features: Vec<String>,
    /// Directory that the server serves, below the workspace's root.
    pub site_root: PathBuf,
    /// Directory of the built files, below the site's root.
    pub site_pkg_dir: String,
    /// The style sheet.
    pub style_file: PathBuf,
    /// Directory of files that are served as they are.
    pub assets_dir: PathBuf,
}

#[derive(Deserialize)]
struct Metadata {
    workspace_root: PathBuf,
    target_directory: PathBuf,
    metadata: WorkspaceMetadata,
}

#[derive(Deserialize)]
struct WorkspaceMetadata {
    leptos: Vec<LeptosSettings>,
}

impl Workspace {
    /// Asks cargo.
    pub fn load() -> Result<Self> {
        let output = process::cargo()
            .args(["metadata", "--format-version", "1", "--no-deps"])
            .output()
            .context("cargo could not be started")?;
        if !output.status.success() {
            bail!("`cargo metadata` failed:\n{}", String::from_utf8_lossy(&output.stderr));
        }
        let metadata: Metadata = serde_json::from_slice(&output.stdout)
            .context("[[workspace.metadata.leptos]] of Cargo.toml lacks a setting that the build needs")?;
        let leptos = metadata
            .metadata
            .leptos
            .into_iter()
            .next()
            .context("[[workspace.metadata.leptos]] is empty")?;
        Ok(Self {
            root: metadata.workspace_root,
            target: metadata.target_directory,
            leptos,
        })
    }

    /// The directory that the server serves.
    pub fn site(&self) -> PathBuf {
        self.root.join(&self.leptos.site_root)
    }

    /// The server's program, in the profile that runs and tests share.
    pub fn server(&self) -> PathBuf {
        self.target
            .join("debug")
            .join(format!("{}{}", self.leptos.bin_target, std::env::consts::EXE_SUFFIX))
    }

    /// Leptos looks for the hashes of the built files beside the server's program.
    pub fn hashes(&self) -> PathBuf {
        self.target.join("debug/hash.txt")
    }

    /// Programs that are built from source for the checks.
    pub fn tools(&self) -> PathBuf {
        self.target.join("tools")
    }

    /// The Playwright tests.
    pub fn end2end(&self) -> PathBuf {
        self.root.join("end2end")
    }

    /// What the server has to be told to find the built site.
    pub fn server_environment(&self) -> Vec<(&'static str, String)> {
        let site = shown(&self.site());
        vec![
            ("LEPTOS_OUTPUT_NAME", self.leptos.name.clone()),
            ("LEPTOS_SITE_ROOT", site.clone()),
            ("LEPTOS_SITE_PKG_DIR", self.leptos.site_pkg_dir.clone()),
            ("LEPTOS_HASH_FILES", "true".to_owned()),
            ("ONCEMART_SITE_ROOT", site),
        ]
    }
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
