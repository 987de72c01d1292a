//! Rows that are not as they should be, and their correct values.

use std::collections::BTreeMap;

use piton_store::port::{Key, TableEntry};

use super::{Damage, DamageKind};

/// A row that is not as it should be.
pub(super) struct RowFlaw {
    pub(super) damage: Damage,
    /// The row as it is, if it exists.
    pub(super) found: Option<TableEntry>,
    /// The correct value; `None` if the row should not exist.
    pub(super) value: Option<Vec<u8>>,
    /// Set when the row may hold information that no other row has. It is then preserved when it is replaced.
    pub(super) is_kept: bool,
}

/// Flaws by the keys of their rows.
#[derive(Default)]
pub(super) struct Flaws(pub(super) BTreeMap<Key, RowFlaw>);

impl Flaws {
    /// Adds a row that can be rebuilt from others.
    pub(super) fn rebuild(
        &mut self,
        key: &Key,
        found: Option<TableEntry>,
        value: Option<Vec<u8>>,
        damage: Damage,
    ) {
        self.0.insert(Key::clone(key), RowFlaw { damage, found, value, is_kept: false });
    }

    /// Adds a row that cannot be rebuilt.
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
