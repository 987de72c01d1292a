//! Writes `.tar.gz` archives whose bytes follow from their content alone.
//!
//! # Limitations
//! Paths have at most 100 bytes: the form is ustar, without prefixes.

use std::io::Write as _;

use anyhow::{Result, ensure};
use flate2::{Compression, GzBuilder};
use jiff::Timestamp;

/// Size of a header, and what contents are padded to.
const BLOCK: usize = 512;
/// Longest path of a header.
const PATH_MAX: usize = 100;

/// An archive that grows by one entry at a time.
pub(crate) struct Tarball {
    bytes: Vec<u8>,
    /// Of every entry.
    time: Timestamp,
}

impl Tarball {
    pub(crate) fn new(time: Timestamp) -> Self {
        Self { bytes: Vec::new(), time }
    }

    /// Adds a directory, which comes before what is inside it.
    pub(crate) fn directory(&mut self, path: &str) -> Result<()> {
        self.entry(path, 0o755, b'5', &[])
    }

    /// Adds a file.
    pub(crate) fn file(&mut self, path: &str, mode: u32, content: &[u8]) -> Result<()> {
        self.entry(path, mode, b'0', content)
    }

    /// Ends the archive and compresses it.
    pub(crate) fn finish(mut self) -> Result<Vec<u8>> {
        self.bytes.resize(self.bytes.len() + 2 * BLOCK, 0);
        gzip(&self.bytes)
    }

    fn entry(&mut self, path: &str, mode: u32, kind: u8, content: &[u8]) -> Result<()> {
        ensure!(path.len() <= PATH_MAX, "{path} is too long for an archive");
        let mut header = [0; BLOCK];
        let mut field = |at: usize, text: &str| {
            header[at..at + text.len()].copy_from_slice(text.as_bytes());
        };
        field(0, path);
        field(100, &format!("{mode:07o}"));
        // The owner is root, whoever packs.
        field(108, "0000000");
        field(116, "0000000");
        field(124, &format!("{:011o}", content.len()));
        field(136, &format!("{:011o}", self.time.as_second()));
        // The checksum is counted with blanks in its place.
        field(148, "        ");
        field(257, "ustar\x0000root");
        field(297, "root");
        header[156] = kind;
        let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        self.bytes.extend(header);
        self.bytes.extend(content);
        self.bytes.resize(self.bytes.len().next_multiple_of(BLOCK), 0);
        Ok(())
    }
}

/// Compresses without a name or a time.
pub(crate) fn gzip(content: &[u8]) -> Result<Vec<u8>> {
    let mut writer =
        GzBuilder::new().operating_system(3).write(Vec::new(), Compression::new(super::LEVEL));
    writer.write_all(content)?;
    Ok(writer.finish()?)
}
