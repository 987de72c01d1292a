//! The wheel: pip puts the program where it puts scripts, and a small module finds it there.

use std::fmt::Write as _;

use anyhow::Result;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

use super::contents::Contents;
use super::names::{LICENSE, PROGRAM, PYPI, REPOSITORY, SUMMARY, python_version};
use super::package::Package;
use super::zip::Zip;

/// The module, which has the name of the program.
const MODULE: [(&str, &str); 2] = [
    ("__init__.py", include_str!("files/__init__.py")),
    ("__main__.py", include_str!("files/__main__.py")),
];

pub(crate) fn pack(contents: &Contents) -> Result<Package> {
    let version = python_version(&contents.version)?;
    let stem = format!("{}-{version}", PYPI.replace('-', "_"));
    let tag = format!("py3-none-{}", contents.needs.wheel_platform());
    let mut wheel = Wheel { zip: Zip::new(contents.time)?, record: String::new() };
    for (name, text) in MODULE {
        wheel.file(&format!("{PROGRAM}/{name}"), 0o644, text.as_bytes())?;
    }
    wheel.file(&format!("{stem}.data/scripts/{PROGRAM}"), 0o755, &contents.program)?;
    let info = format!("{stem}.dist-info");
    for license in &contents.licenses {
        wheel.file(&format!("{info}/licenses/{}", license.name), 0o644, &license.text)?;
    }
    let bill = &contents.bill_of_materials;
    wheel.file(&format!("{info}/sboms/{}", bill.name), 0o644, &bill.text)?;
    wheel.file(&format!("{info}/METADATA"), 0o644, metadata(contents, &version).as_bytes())?;
    let about = format!(
        "Wheel-Version: 1.0\nGenerator: {PROGRAM} xtask\nRoot-Is-Purelib: false\nTag: {tag}\n"
    );
    wheel.file(&format!("{info}/WHEEL"), 0o644, about.as_bytes())?;
    Ok(Package { name: format!("{stem}-{tag}.whl"), bytes: wheel.finish(&info)? })
}

/// An archive that records the digest of every file.
struct Wheel {
    zip: Zip,
    record: String,
}

impl Wheel {
    fn file(&mut self, path: &str, mode: u32, content: &[u8]) -> Result<()> {
        let digest = URL_SAFE_NO_PAD.encode(Sha256::digest(content));
        writeln!(self.record, "{path},sha256={digest},{}", content.len())?;
        self.zip.file(path, mode, content)
    }

    /// Adds the record, which cannot have a digest of itself.
    fn finish(mut self, info: &str) -> Result<Vec<u8>> {
        writeln!(self.record, "{info}/RECORD,,")?;
        self.zip.file(&format!("{info}/RECORD"), 0o644, self.record.as_bytes())?;
        self.zip.finish()
    }
}

fn metadata(contents: &Contents, version: &str) -> String {
    let licenses: Vec<&str> = contents.licenses.iter().map(|file| file.name.as_str()).collect();
    let licenses = licenses.join("\nLicense-File: ");
    format!(
        "Metadata-Version: 2.4\nName: {PYPI}\nVersion: {version}\nSummary: {SUMMARY}\n\
         Project-URL: Repository, {REPOSITORY}\nLicense-Expression: {LICENSE}\nLicense-File: {licenses}\n\
         Requires-Python: >=3.8\nDescription-Content-Type: text/markdown\n\n{}",
        String::from_utf8_lossy(&contents.readme.text)
    )
}
