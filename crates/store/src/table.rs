//! Rules that every table adapter shares: the calls that are refused, and the keys that a scan covers.
//!
//! Pure, so that no two adapters can differ in them.

use std::collections::HashSet;

use crate::Error;
use crate::bounds::{
    TABLE_BATCH_BYTES_MAX, TABLE_BATCH_MAX, TABLE_GET_MAX, TABLE_KEY_BYTES_MAX, TABLE_PAGE_MAX,
    TABLE_VALUE_BYTES_MAX, check_size,
};
use crate::port::{EntryChange, Key, TableWrite};

/// Refuses a batch that breaks a limit or names a key twice.
pub(crate) fn check_batch(batch: &[TableWrite]) -> Result<(), Error> {
    if batch.len() > TABLE_BATCH_MAX {
        return Err(Error::BadRequest {
            problem: "a commit has too many keys; make several commits",
        });
    }
    let mut keys = HashSet::with_capacity(batch.len());
    let mut bytes = 0;
    for write in batch {
        check_key(&write.key)?;
        bytes += write.key.len();
        if let EntryChange::Put(value) = &write.change {
            check_size("a table value", value.len(), TABLE_VALUE_BYTES_MAX)?;
            bytes += value.len();
        }
        if !keys.insert(&write.key) {
            return Err(Error::BadRequest { problem: "a commit names a key twice" });
        }
    }
    check_size("a commit", bytes, TABLE_BATCH_BYTES_MAX)
}

/// Refuses a key, or a part of one, that is longer than keys can be.
pub(crate) fn check_key(key: &[u8]) -> Result<(), Error> {
    check_size("a table key", key.len(), TABLE_KEY_BYTES_MAX)
}

/// Refuses too many keys in one read, and keys that are too long.
pub(crate) fn check_keys(keys: &[Key]) -> Result<(), Error> {
    if keys.len() > TABLE_GET_MAX {
        return Err(Error::BadRequest {
            problem: "too many keys are read at once; read some of them",
        });
    }
    keys.iter().try_for_each(|key| check_key(key))
}

/// Refuses a scan for keys that are too long, for a page of no entries, and for one of too many. Returns the keys that
/// any other scan covers.
pub(crate) fn check_scan(
    prefix: &[u8],
    after: Option<&[u8]>,
    limit: usize,
) -> Result<KeyRange, Error> {
    check_key(prefix)?;
    check_key(after.unwrap_or_default())?;
    if !(1..=TABLE_PAGE_MAX).contains(&limit) {
        return Err(Error::BadRequest {
            problem: "a page has at least one entry, and not more than the largest page",
        });
    }
    Ok(KeyRange::new(prefix, after))
}

/// Returns the error for a commit to a table that shows one moment.
pub(crate) fn what_was() -> Error {
    Error::BadRequest {
        problem: "a snapshot of a table shows what was; commit to the table itself",
    }
}

/// The keys that a scan covers: from one on, and before another if there is an end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct KeyRange {
    pub(crate) from: Vec<u8>,
    pub(crate) before: Option<Vec<u8>>,
}

impl KeyRange {
    /// Returns the range of keys that start with `prefix` and come after `after`.
    fn new(prefix: &[u8], after: Option<&[u8]>) -> Self {
        let from = match after {
            // The first key after another one is that key with a zero byte added.
            Some(after) if after >= prefix => [after, &[0]].concat(),
            _ => prefix.to_vec(),
        };
        Self { from, before: after_all_with(prefix) }
    }

    /// True if no key can lie in the range.
    pub(crate) fn is_empty(&self) -> bool {
        self.before.as_ref().is_some_and(|before| *before <= self.from)
    }
}

/// Returns the first key after all that start with `prefix`, unless those reach to the end.
fn after_all_with(prefix: &[u8]) -> Option<Vec<u8>> {
    // Bytes of 255 cannot be raised, so they are cut off and the byte before them is raised.
    let last = prefix.iter().rposition(|byte| *byte != u8::MAX)?;
    let mut end = prefix[..=last].to_vec();
    end[last] += 1;
    Some(end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_range_ends_where_the_prefix_does() {
        let cases: [(&[u8], Option<&[u8]>); 5] = [
            (b"", None),
            (b"a", Some(b"b")),
            (b"a\xff", Some(b"b")),
            (b"\xff\xff", None),
            (b"a\xff\xffb", Some(b"a\xff\xffc")),
        ];
        for (prefix, before) in cases {
            assert_eq!(KeyRange::new(prefix, None).before.as_deref(), before, "{prefix:?}");
        }
    }

    proptest! {
        #[test]
        fn a_range_holds_exactly_the_keys_that_are_asked_for(
            // Few values, so that keys are often equal, prefixes of each other, or at the end.
            prefix in prop::collection::vec(prop::sample::select(vec![0_u8, 1, 254, 255]), 0..4),
            after in prop::option::of(
                prop::collection::vec(prop::sample::select(vec![0_u8, 1, 254, 255]), 0..5),
            ),
            key in prop::collection::vec(prop::sample::select(vec![0_u8, 1, 254, 255]), 0..5),
        ) {
            let range = KeyRange::new(&prefix, after.as_deref());
            let inside =
                range.from <= key && range.before.as_ref().is_none_or(|before| key < *before);
            let wanted =
                key.starts_with(&prefix) && after.as_ref().is_none_or(|after| key > *after);
            prop_assert_eq!(inside, wanted);
            prop_assert!(!(range.is_empty() && wanted));
        }
    }
}
