//! The limit on what a buyer's browser downloads before the form is alive.

use crate::{compress, counts::Counts, site, workspace::Workspace};
use anyhow::{Context as _, Result};
use std::fs;

/// Most bytes of WebAssembly and JavaScript together, compressed with brotli as they are sent.
const LIMIT: u64 = 100_000;

/// Prints the sizes and compares them with the limit.
pub fn check(workspace: &Workspace) -> Result<Counts> {
    let mut sum = 0;
    println!("{:<6} {:>10} {:>10} {:>10}", "", "plain", "gzip", "brotli");
    for (kind, file) in site::built_files(workspace)? {
        let size = |path: &std::path::Path| -> Result<u64> {
            Ok(fs::metadata(path)
                .with_context(|| format!("{} is missing", path.display()))?
                .len())
        };
        let brotli = size(&compress::twin(&file, "br"))?;
        println!(
            "{kind:<6} {:>10} {:>10} {brotli:>10}",
            size(&file)?,
            size(&compress::twin(&file, "gz"))?
        );
        if kind != "css" {
            sum += brotli;
        }
    }
    println!("WebAssembly and JavaScript, brotli: {sum} bytes of at most {LIMIT}");
    Ok(Counts::one(sum <= LIMIT))
}
