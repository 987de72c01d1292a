//! Writes ZIP archives, which wheels are, whose bytes follow from their content alone.
//!
//! # Limitations
//! Neither a file nor the archive reaches 4 GiB.

use std::io::Write as _;

use anyhow::{Context as _, Result};
use flate2::Compression;
use flate2::write::DeflateEncoder;
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// An archive that grows by one file at a time.
pub(crate) struct Zip {
    bytes: Vec<u8>,
    /// The directory at the end.
    index: Vec<u8>,
    files: u16,
    /// Date and time as ZIP has them, of every file.
    time: u32,
}

impl Zip {
    /// Begins an archive whose files have this time.
    pub(crate) fn new(time: Timestamp) -> Result<Self> {
        Ok(Self { bytes: Vec::new(), index: Vec::new(), files: 0, time: dos_time(time)? })
    }

    /// Adds a file.
    pub(crate) fn file(&mut self, path: &str, mode: u32, content: &[u8]) -> Result<()> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(super::LEVEL));
        encoder.write_all(content)?;
        let packed = encoder.finish()?;
        let offset = size(self.bytes.len())?;
        let mut fields = Vec::new();
        // Version 2.0 to read; names are UTF-8; deflated.
        for field in [20_u16, 1 << 11, 8] {
            fields.extend(field.to_le_bytes());
        }
        let sizes = [size(packed.len())?, size(content.len())?];
        for field in [self.time, crc32fast::hash(content), sizes[0], sizes[1]] {
            fields.extend(field.to_le_bytes());
        }
        fields.extend(u16::try_from(path.len())?.to_le_bytes());
        fields.extend([0; 2]);
        self.bytes.extend(b"PK\x03\x04");
        self.bytes.extend(&fields);
        self.bytes.extend(path.as_bytes());
        self.bytes.extend(packed);
        // Written by version 2.0 on Unix, so that the upper half of the attributes is the mode.
        self.index.extend(b"PK\x01\x02\x14\x03");
        self.index.extend(fields);
        self.index.extend([0; 6]);
        self.index.extend(((0o100_000 | mode) << 16).to_le_bytes());
        self.index.extend(offset.to_le_bytes());
        self.index.extend(path.as_bytes());
        self.files += 1;
        Ok(())
    }

    /// Ends the archive.
    pub(crate) fn finish(mut self) -> Result<Vec<u8>> {
        let (start, length) = (size(self.bytes.len())?, size(self.index.len())?);
        self.bytes.extend(self.index);
        self.bytes.extend(b"PK\x05\x06\0\0\0\0");
        self.bytes.extend([self.files.to_le_bytes(), self.files.to_le_bytes()].concat());
        self.bytes.extend([length.to_le_bytes(), start.to_le_bytes()].concat());
        self.bytes.extend([0; 2]);
        Ok(self.bytes)
    }
}

fn size(length: usize) -> Result<u32> {
    u32::try_from(length).context("a wheel cannot hold 4 GiB")
}

/// Date above, time below, in steps of two seconds; they begin with 1980.
fn dos_time(time: Timestamp) -> Result<u32> {
    let time = time.to_zoned(TimeZone::UTC);
    let years = u32::try_from(time.year() - 1980).context("ZIP knows no time before 1980")?;
    let [month, day, hour, minute, second] =
        [time.month(), time.day(), time.hour(), time.minute(), time.second()]
            .map(|field| u32::from(field.unsigned_abs()));
    Ok((years << 25) | (month << 21) | (day << 16) | (hour << 11) | (minute << 5) | (second / 2))
}

#[cfg(test)]
mod tests {
    use super::dos_time;

    #[test]
    fn a_time_has_the_form_of_zip() {
        let check = |time: &str, expected: Option<u32>| {
            assert_eq!(dos_time(time.parse().unwrap()).ok(), expected, "{time}");
        };
        check("1980-01-01T00:00:00Z", Some((1 << 21) | (1 << 16)));
        let (date, time) = ((43 << 9) | (11 << 5) | 0b0_1110, (22 << 11) | (13 << 5) | 0b0_1010);
        check("2023-11-14T22:13:21Z", Some((date << 16) | time));
        check("1979-12-31T23:59:59Z", None);
    }
}
