//! Kinds of damage, the rows that have it with their correct values, and the check that finds them.

use std::collections::BTreeMap;

use piton_store::port::BoxFuture;
use piton_store::port::{Key, TableEntry};
use serde::Serialize;

use super::frames::FrameCheck;
use super::trees::TreeCheck;
use crate::rows::RowKind;
use crate::{Context, Error};

piton_core::closed_set! {
    /// What is damaged.
    pub enum DamageKind {
        /// A recorded tree, the current one or a label.
        Root => "root",
        /// A tree node.
        Node => "node",
        /// A frame, but for its content.
        Frame => "frame",
        /// The content of a frame.
        Content => "content",
        /// The set of a path's frames.
        Set => "set",
        /// A head.
        Head => "head",
        /// An index: of places, bases, dependents or runs.
        Index => "index",
        /// The number of the next append, or when a frame became the head again.
        Sequence => "sequence",
        /// A mark of a frame, or a note about a rename or about what changed.
        Note => "note",
    }
}

/// A damaged item.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Damage {
    pub kind: DamageKind,
    /// Name of the item, for people.
    pub what: String,
    pub detail: String,
}

/// Result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Validation {
    pub roots: u64,
    pub nodes: u64,
    pub frames: u64,
    pub heads: u64,
    /// Number of items that a repair took out of use, or that are missing because of that. They cannot be shown, but
    /// nothing else is wrong with them.
    #[serde(skip_serializing_if = "crate::is_zero")]
    pub lost: u64,
    /// Sorted by kind.
    pub damage: Vec<Damage>,
}

impl Validation {
    /// True if nothing is damaged.
    pub fn is_sound(&self) -> bool {
        self.damage.is_empty()
    }

    pub(super) fn add(
        &mut self,
        kind: DamageKind,
        what: impl Into<String>,
        detail: impl Into<String>,
    ) {
        self.damage.push(Damage::new(kind, what, detail));
    }

    /// Records an error about damage as a finding. Any other error ends the check.
    pub(super) fn absorb<T>(
        &mut self,
        kind: DamageKind,
        outcome: Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        match outcome {
            Ok(value) => Ok(Some(value)),
            Err(Error::Integrity { what, detail }) => {
                self.add(kind, what, detail);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

impl Context {
    /// Checks every recorded tree, node, frame, content, set, head and index.
    ///
    /// Rows are read one after another, so a concurrent writer can make them look inconsistent. If anything is found,
    /// the check is therefore repeated on a snapshot of the table.
    pub async fn validate(&self) -> Result<Validation, Error> {
        let found = self.check().await?;
        if found.is_sound() {
            return Ok(found);
        }
        let mut still = self.clone();
        still.ports.table = self.ports.table.snapshot().await?;
        still.check().await
    }

    /// Checks everything once.
    fn check(&self) -> BoxFuture<'_, Result<Validation, Error>> {
        Box::pin(async move {
            let mut found = Validation::default();
            TreeCheck::new(self).run(&mut found).await?;
            let flaws = FrameCheck::new(self).run(&mut found).await?;
            found.damage.extend(flaws.0.into_values().map(|flaw| flaw.damage));
            found.damage.sort_unstable();
            found.damage.dedup();
            Ok(found)
        })
    }

    /// Visits all rows of a kind, page by page.
    pub(super) async fn each_row(
        &self,
        row: RowKind,
        mut visit: impl FnMut(TableEntry),
    ) -> Result<(), Error> {
        let prefix = self.keys.all(row);
        let mut pages = self.pages(&prefix);
        while let Some(rows) = pages.next().await? {
            rows.into_iter().for_each(&mut visit);
        }
        Ok(())
    }
}

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
        let key = Key::clone(&row.key);
        self.0.insert(key, RowFlaw { damage, value, is_kept: true, found: Some(row) });
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
