//! Rows that are not what they should be, and what they should be.

use std::collections::BTreeMap;

use piton_store::port::{Key, TableEntry};

use super::{Damage, DamageKind};

/// A row that is not what it should be.
pub(super) struct RowFlaw {
    pub(super) damage: Damage,
    /// The row as it is, if there is one.
    pub(super) found: Option<TableEntry>,
    /// Its value as it should be; nothing if it should not be there.
    pub(super) value: Option<Vec<u8>>,
    /// Whether the row may say something that no other row does, so that it is kept when it is replaced.
    pub(super) is_kept: bool,
}

/// Flaws by the keys of their rows.
#[derive(Default)]
pub(super) struct Flaws(pub(super) BTreeMap<Key, RowFlaw>);

impl Flaws {
    /// A row that can be made again from others.
    pub(super) fn rebuild(
        &mut self,
        key: &Key,
        found: Option<TableEntry>,
        value: Option<Vec<u8>>,
        damage: Damage,
    ) {
        self.0.insert(Key::clone(key), RowFlaw { damage, found, value, is_kept: false });
    }

    /// A row that cannot be made again.
    pub(super) fn take_out(&mut self, row: TableEntry, value: Option<Vec<u8>>, damage: Damage) {
        let flaw = RowFlaw { damage, value, is_kept: true, found: Some(row) };
        let key = flaw.found.as_ref().map(|row| Key::clone(&row.key)).expect("it was just given");
        self.0.insert(key, flaw);
    }
}

impl Damage {
    pub(super) fn new(
        kind: DamageKind,
        what: impl Into<String>,
        detail: impl Into<String>,
    ) -> Self {
        Self { kind, what: what.into(), detail: detail.into() }
    }
}
