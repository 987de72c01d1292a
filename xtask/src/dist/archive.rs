//! The `.tar.gz`: one directory, to be unpacked anywhere.

use anyhow::Result;

use super::contents::Contents;
use super::names::{PROGRAM, TARGET};
use super::package::Package;
use super::tarball::Tarball;

pub(crate) fn pack(contents: &Contents) -> Result<Package> {
    let stem = format!("{PROGRAM}-{}-{TARGET}", contents.version);
    let mut tar = Tarball::new(contents.time);
    tar.directory(&format!("{stem}/"))?;
    tar.file(&format!("{stem}/{PROGRAM}"), 0o755, &contents.program)?;
    let beside = [&contents.readme, &contents.changelog];
    for document in beside.into_iter().chain(&contents.licenses) {
        tar.file(&format!("{stem}/{}", document.name), 0o644, &document.text)?;
    }
    for (directory, documents) in
        [("completions", &contents.completions), ("man/man1", &contents.manual)]
    {
        for (slash, _) in format!("{directory}/").match_indices('/') {
            tar.directory(&format!("{stem}/{}/", &directory[..slash]))?;
        }
        for document in documents {
            tar.file(&format!("{stem}/{directory}/{}", document.name), 0o644, &document.text)?;
        }
    }
    Ok(Package { name: format!("{stem}.tar.gz"), bytes: tar.finish()? })
}
