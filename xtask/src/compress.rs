//! Compressed twins beside the files of the site, so that the server compresses nothing while it answers.

use anyhow::{Context as _, Result};
use brotli::enc::BrotliEncoderParams;
use flate2::{Compression, write::GzEncoder};
use std::{
    ffi::OsString,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

/// Kinds of files that become smaller; pictures and fonts are compressed already.
const COMPRESSIBLE: [&str; 10] = [
    "css",
    "html",
    "ico",
    "js",
    "json",
    "svg",
    "txt",
    "wasm",
    "webmanifest",
    "xml",
];

/// Writes `.br` and `.gz` beside a file, if that is of use.
pub fn write_twins(file: &Path) -> Result<()> {
    let extension = file.extension().and_then(|extension| extension.to_str());
    if !extension.is_some_and(|extension| COMPRESSIBLE.contains(&extension)) {
        return Ok(());
    }
    let content = fs::read(file).with_context(|| format!("{} could not be read", file.display()))?;
    write(&twin(file, "br"), &brotli(&content)?)?;
    write(&twin(file, "gz"), &gzip(&content)?)
}

/// The path of a file's compressed twin.
pub fn twin(file: &Path, extension: &str) -> PathBuf {
    let mut name = OsString::from(file);
    name.push(".");
    name.push(extension);
    PathBuf::from(name)
}

fn brotli(content: &[u8]) -> Result<Vec<u8>> {
    let parameters = BrotliEncoderParams {
        quality: 11,
        lgwin: 22,
        size_hint: content.len(),
        ..Default::default()
    };
    let mut compressed = Vec::new();
    brotli::BrotliCompress(&mut &content[..], &mut compressed, &parameters)?;
    Ok(compressed)
}

fn gzip(content: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content)?;
    Ok(encoder.finish()?)
}

fn write(path: &Path, content: &[u8]) -> Result<()> {
    fs::write(path, content).with_context(|| format!("{} could not be written", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;

    #[test]
    fn twins_hold_what_the_file_holds() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("a.css");
        let content = "body { color: black }\n".repeat(50);
        fs::write(&file, &content).unwrap();

        write_twins(&file).unwrap();

        let mut from_brotli = Vec::new();
        brotli::BrotliDecompress(&mut &fs::read(twin(&file, "br")).unwrap()[..], &mut from_brotli).unwrap();
        assert_eq!(from_brotli, content.as_bytes());
        let mut from_gzip = String::new();
        let gzipped = fs::read(twin(&file, "gz")).unwrap();
        flate2::read::GzDecoder::new(&gzipped[..])
            .read_to_string(&mut from_gzip)
            .unwrap();
        assert_eq!(from_gzip, content);
    }

    #[test]
    fn pictures_get_no_twins() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("a.png");
        fs::write(&file, "not looked at").unwrap();

        write_twins(&file).unwrap();

        assert!(!twin(&file, "br").exists() && !twin(&file, "gz").exists());
    }
}
