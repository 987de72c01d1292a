//! What a write that was cut off can look like, and what it cannot.
//!
//! A group goes out in one write behind everything that is durable, and is acknowledged after a sync. If the process
//! dies, the file ends anywhere inside of the group. If the power goes, each sector of the group is as it was
//! written, or reads as zeros because it never arrived, or lies behind the end of the file. Nothing else happens to
//! a byte: so a group that is all there, and still does not verify, was changed after it was written.
//!
//! *Limitations*: a sector that was lost after it had been acknowledged looks like one that never arrived. Nothing
//! behind the newest group could tell the two apart.

use crate::bounds::SECTOR_BYTES;

/// Whether a sector of `text`, which stands at `offset` in its file, never arrived: it holds zeros only. Text of ours
/// has no zeros.
pub(crate) fn lacks_a_sector(text: &[u8], offset: u64) -> bool {
    let sector = usize::try_from(SECTOR_BYTES).unwrap_or(usize::MAX);
    let into_first = usize::try_from(offset % SECTOR_BYTES).unwrap_or(0);
    let (first, rest) = text.split_at(text.len().min(sector - into_first));
    std::iter::once(first)
        .chain(rest.chunks(sector))
        .any(|part| !part.is_empty() && part.iter().all(|&byte| byte == 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_sector_of_zeros_never_arrived() {
        let sector = usize::try_from(SECTOR_BYTES).unwrap();
        let written = vec![b'x'; 3 * sector];
        let with = |zeros: std::ops::Range<usize>| {
            let mut text = written.clone();
            text[zeros].fill(0);
            text
        };
        assert!(!lacks_a_sector(&written, 0) && !lacks_a_sector(b"", 7));
        assert!(lacks_a_sector(&with(sector..2 * sector), 0));
        assert!(!lacks_a_sector(&with(sector..2 * sector), 1), "it lies across two sectors");
        assert!(!lacks_a_sector(&with(5..6), 0), "a flipped bit makes a space a zero");
        // The first and the last sector belong to it in part only.
        assert!(lacks_a_sector(&with(0..100), SECTOR_BYTES - 100));
        assert!(lacks_a_sector(&with(3 * sector - 1..3 * sector), 1 + SECTOR_BYTES * 7));
    }
}
