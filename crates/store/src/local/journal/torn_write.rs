//! Telling what a crash can leave of a write from damage.
//!
//! A plan is acknowledged after the sync of its write to the control file, and never before. So bytes at the end of a
//! control file were certainly never acknowledged only if a crash before that sync explains every one of them. Anything
//! else is damage, and is reported as such. A crash explains:
//! - an *end* at any byte: the file did not grow to its full length;
//! - *holes*: sectors that did not reach the medium. Such a sector reads as zeros from where the write entered it to
//!   where it ends, or to where the file ends.
//!
//! It does not explain a byte that is neither the one that was written nor in a hole. So a flipped bit in a complete
//! record is never taken for an unfinished write, not even one that hits its last newline.
//!
//! In a session, the segment of a plan is complete and durable before the plan's group is written, and the group
//! follows from the segment (`record::of_segment`). So the intended bytes are known exactly, and [`is_torn`] compares
//! with them. The log of a backpack holds its records itself, so only the record tells what it should be: a record that
//! is all there and does not verify is torn if [a sector of it](lacks_a_sector) never arrived, and damaged otherwise.
//!
//! *Limitations*: a control file that something else cut inside its newest group is, byte for byte, what a crash
//! leaves. For a log, the note of its length tells the two apart, if it is there. For a manifest nothing does: the next
//! writer keeps both the bytes and the segment aside, and `verify` says so.

use crate::bounds::SECTOR_BYTES;

/// True if a crash during the write of `written` at `offset` can have left `found` from there to the end of the file.
/// `written` must not contain a zero byte.
pub(super) fn is_torn(found: &[u8], written: &[u8], offset: u64) -> bool {
    // Longer is not a part of this write, and equal is a complete one.
    if found.len() > written.len() || found == written {
        return false;
    }
    let mut at = 0;
    while at < found.len() {
        if found[at] == written[at] {
            at += 1;
            continue;
        }
        // A hole begins where its sector does, or where the write does.
        let place = offset + at as u64;
        if at > 0 && !place.is_multiple_of(SECTOR_BYTES) {
            return false;
        }
        // A sector is lost as a whole, so everything up to its end, or to the end of the file, must be zeros.
        let left = SECTOR_BYTES - place % SECTOR_BYTES;
        let end = usize::try_from(left).map_or(found.len(), |left| found.len().min(at + left));
        if found[at..end].iter().any(|&byte| byte != 0) {
            return false;
        }
        at = end;
    }
    true
}

/// True if a sector of `text`, which stands at `offset` in its file, never arrived: it holds only zeros, which our text
/// never contains.
pub(super) fn lacks_a_sector(text: &[u8], offset: u64) -> bool {
    let sector = usize::try_from(SECTOR_BYTES).unwrap_or(usize::MAX);
    let into_first = usize::try_from(offset % SECTOR_BYTES).unwrap_or(0);
    // The text may begin in the middle of a sector: the first part is what that sector has of it.
    let (first, rest) = text.split_at(text.len().min(sector - into_first));
    std::iter::once(first)
        .chain(rest.chunks(sector))
        .any(|part| !part.is_empty() && part.iter().all(|&byte| byte == 0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SECTOR: usize = 512;

    /// A text without zeros that spans several sectors, and its offset in the file.
    fn written() -> impl Strategy<Value = (Vec<u8>, u64)> {
        (prop::collection::vec(1_u8.., 1..2_000), 0_u64..2_000)
    }

    proptest! {
        #[test]
        fn whatever_sectors_and_length_reach_the_medium_it_is_torn(
            (text, offset) in written(),
            kept in prop::collection::vec(any::<bool>(), 8),
            end in any::<prop::sample::Index>(),
        ) {
            let mut found = vec![0; text.len()];
            let first = usize::try_from(offset).unwrap() / SECTOR;
            for (at, byte) in text.iter().enumerate() {
                if kept[(usize::try_from(offset).unwrap() + at) / SECTOR - first] {
                    found[at] = *byte;
                }
            }
            found.truncate(end.index(text.len() + 1));
            prop_assert_eq!(is_torn(&found, &text, offset), found != text);
        }

        #[test]
        fn a_changed_byte_of_a_complete_record_is_never_torn(
            (text, offset) in written(),
            at in any::<prop::sample::Index>(),
            change in 1_u8..,
        ) {
            let at = at.index(text.len());
            let mut found = text.clone();
            found[at] ^= change;
            // A zero that fills a sector, or the write's whole part of one, is indistinguishable from a hole.
            let place = offset + at as u64;
            let begins = at == 0 || place.is_multiple_of(SECTOR_BYTES);
            let ends = at + 1 == text.len() || (place + 1).is_multiple_of(SECTOR_BYTES);
            prop_assert_eq!(is_torn(&found, &text, offset), found[at] == 0 && begins && ends);
        }
    }

    #[test]
    fn what_is_longer_or_whole_is_not_torn() {
        assert!(!is_torn(b"abc", b"abc", 0));
        assert!(!is_torn(b"abcd", b"abc", 0));
        assert!(is_torn(b"ab", b"abc", 7));
        assert!(is_torn(b"\0\0\0", b"abc", 7));
        assert!(!is_torn(b"a\0c", b"abc", 7));
        // The write enters the next sector with its second byte.
        assert!(is_torn(b"a\0\0", b"abc", 511));
        assert!(is_torn(b"\0bc", b"abc", 511));
        assert!(!is_torn(b"a\0c", b"abc", 511));
    }

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
        // The first and the last sector belong to the text only in part.
        assert!(lacks_a_sector(&with(0..100), SECTOR_BYTES - 100));
        assert!(lacks_a_sector(&with(3 * sector - 1..3 * sector), 1 + SECTOR_BYTES * 7));
    }
}
