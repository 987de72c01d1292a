//! A backpack as one JSON document: the items in use, the quarantine, the permissions and the last commits.
//!
//! The document also holds the previous items of the keys that its commits change, so that snapshots reach back to the
//! first commit that it carries. See `docs/format/backpack.md`.
//!
//! *Invariants*: a backpack is created from a complete document or not at all. The commits of the document are
//! replayed, and must lead to the items that it lists as in use.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::sync::Arc;

use piton_core::{Digest, FileBytes, TimestampMs, canonical};
use serde::{Deserialize, Serialize};

use crate::access::permissions::Permissions;
use crate::backpack::{Backpack, BackpackPorts, Options};
use crate::backpack_core::{BackpackCore, LargeValue, LargeValueSlot, LargeValues};
use crate::bounds::{DOCUMENT_BYTES_MAX, DOCUMENT_COMMITS, ITEMS_MAX, NODES_MAX, QUARANTINE_MAX};
use crate::error::Error;
use crate::history::commit_id::CommitId;
use crate::history::commits::History;
use crate::names::{BackpackId, BackpackOrigin, Key, NodeId};
use crate::record::{CommitRecord, ItemRecord, QuarantinedRecord, Replay, ValueRecord};
use crate::state::item::{Item, ItemContent, Large, Quarantined};
use crate::state::item_state::ItemState;
use crate::state::labels::check_count;

/// The version that is written and read.
pub(super) const VERSION: u64 = 1;

/// The `format` field of a document.
pub(super) const FORMAT: &str = "piton.backpack";

/// A whole backpack.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Document {
    pub(super) v: u64,
    pub(super) format: String,
    pub(super) id: BackpackId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) origin: Option<BackpackOrigin>,
    pub(super) options: Options,
    /// The items in use, in key order.
    pub(super) items: Vec<ItemRecord>,
    /// The quarantine, oldest first.
    pub(super) quarantined: Vec<QuarantinedRecord>,
    pub(super) permissions: BTreeMap<NodeId, Permissions>,
    /// The number of each node's first commit.
    pub(super) nodes: BTreeMap<NodeId, u64>,
    /// The time of the newest commit.
    pub(super) timestamp_ms: TimestampMs,
    /// The number of the first commit below, or of the next commit if there is none.
    pub(super) first_commit: u64,
    /// The previous items of the keys that the commits below change.
    pub(super) base: Vec<ItemRecord>,
    /// The last commits, oldest first.
    pub(super) commits: Vec<CommitRecord>,
}

/// The fields that are read first, to report a foreign format or version before anything else.
#[derive(Deserialize)]
struct DocumentHead {
    v: u64,
    format: String,
}

impl Backpack {
    /// Reads a backpack from a document. It continues where that backpack stopped, with the same id.
    pub fn from_json(text: &str, ports: BackpackPorts) -> Result<Self, Error> {
        check_count("the bytes of a document", text.len(), DOCUMENT_BYTES_MAX)?;
        let head: DocumentHead =
            serde_json::from_str(text).map_err(|problem| unreadable(&problem))?;
        if head.format != FORMAT {
            return Err(bad(&"format", &format_args!("it is not `{FORMAT}`")));
        }
        if head.v != VERSION {
            return Err(Error::UnsupportedVersion { found: head.v, known: VERSION });
        }
        let document = serde_json::from_str(text).map_err(|problem| unreadable(&problem))?;
        load(document, ports)
    }
}

fn load(document: Document, ports: BackpackPorts) -> Result<Backpack, Error> {
    check_count("the items of a document", document.items.len(), ITEMS_MAX)?;
    check_count("the nodes of a document", document.nodes.len(), NODES_MAX)?;
    check_count("the quarantine of a document", document.quarantined.len(), QUARANTINE_MAX)?;
    let options = document.options.clamped();
    let mut large = LargeValues::new();
    let items = items(document.items, &options, &mut large)?;
    let quarantined = quarantined(document.quarantined, &options, &mut large)?;
    // Work out the state before the first commit, replay the commits on it, and compare the result with the lists.
    let base = base(&items, &quarantined, document.base, &document.commits)?;

    let mut history = History::new(base.clone(), document.first_commit);
    // The time before the first commit is unknown, so take the latest that does not make a commit go back in time.
    history.remember(document.nodes, document.timestamp_ms.min(earliest(&document.commits)));
    let mut replay = Replay::new(base, history);
    for (place, record) in document.commits.into_iter().enumerate() {
        replay
            .add(record, &options)
            .map_err(|problem| bad(&format_args!("commits[{place}]"), &problem))?;
    }
    let Replay { state, history, .. } = replay;
    // A document that was edited by hand must not yield a history that contradicts the state.
    if !state.items.values().eq(items.values()) {
        return Err(bad(&"items", &"they are not what the commits lead to"));
    }
    if !state.quarantine.iter().eq(&quarantined) {
        return Err(bad(&"quarantined", &"it is not what the commits lead to"));
    }
    let mut permissions = imbl::OrdMap::new();
    for (node, declared) in document.permissions {
        declared.check()?;
        permissions.insert(node, Arc::new(declared));
    }
    let core = BackpackCore { history, large, permissions, ..BackpackCore::new(state) };
    Ok(Backpack::begin((document.id, document.origin), core, options, ports))
}

/// Computes the state before the first commit of the document.
fn base(
    items: &BTreeMap<Key, Arc<Item>>,
    quarantined: &[Arc<Quarantined>],
    records: Vec<ItemRecord>,
    commits: &[CommitRecord],
) -> Result<ItemState, Error> {
    let mut base = ItemState::default();
    let own_changes = commits.iter().filter(|record| record.is_change());
    let changed: BTreeSet<&Key> = own_changes.map(|record| &record.key).collect();
    // A key that no commit of the document changes held the same item before them.
    for item in items.values().filter(|item| !changed.contains(&item.key)) {
        base.insert(item);
    }
    for (place, record) in records.into_iter().enumerate() {
        let item =
            record.item().map_err(|problem| bad(&format_args!("base[{place}]"), &problem))?;
        base.insert(&Arc::new(item));
    }
    // A fork carries quarantined entries along; they were made by commits of the backpack that it comes from.
    let own: BTreeSet<CommitId> = commits.iter().map(|record| record.commit).collect();
    for entry in quarantined.iter().filter(|entry| !own.contains(&entry.commit)) {
        base.set_aside(Arc::clone(entry));
    }
    Ok(base)
}

fn quarantined(
    records: Vec<QuarantinedRecord>,
    options: &Options,
    large: &mut LargeValues,
) -> Result<Vec<Arc<Quarantined>>, Error> {
    let mut entries = Vec::with_capacity(records.len());
    for (place, record) in records.into_iter().enumerate() {
        let at = format!("quarantined[{place}]");
        let mut entry = record.entry().map_err(|problem| bad(&at, &problem))?;
        if let Some(item) = &entry.item {
            let slot = LargeValueSlot::Quarantined(entry.commit);
            entry.item = Some(Arc::new(sorted(item, options, slot, large)));
        }
        entries.push(Arc::new(entry));
    }
    Ok(entries)
}

/// Returns the time of the first commit.
fn earliest(commits: &[CommitRecord]) -> TimestampMs {
    commits.first().map_or(TimestampMs(u64::MAX), |record| record.timestamp_ms)
}

fn items(
    records: Vec<ItemRecord>,
    options: &Options,
    large: &mut LargeValues,
) -> Result<BTreeMap<Key, Arc<Item>>, Error> {
    let mut items = BTreeMap::new();
    for (place, record) in records.into_iter().enumerate() {
        let at = format!("items[{place}]");
        let item = record.item().map_err(|problem| bad(&at, &problem))?;
        // Unlike the history, the list of items in use must hold every value.
        if !item.is_available() {
            return Err(bad(&at, &"its value is absent"));
        }
        let item = sorted(&item, options, LargeValueSlot::Active(item.key.clone()), large);
        if items.insert(item.key.clone(), Arc::new(item)).is_some() {
            return Err(bad(&at, &"its key stands there already"));
        }
    }
    Ok(items)
}

/// Returns the item as the history holds it. A large value goes into `slot` instead.
fn sorted(item: &Item, options: &Options, slot: LargeValueSlot, large: &mut LargeValues) -> Item {
    match item.content.held() {
        Some(text) if text.len() > options.max_value_size => {
            let digest = Some(Digest::of(&FileBytes(text.as_bytes())));
            let size = text.len() as u64;
            large.insert(slot, LargeValue::Whole(Arc::clone(text)));
            Item { content: ItemContent::Large(Arc::new(Large { size, digest })), ..item.clone() }
        }
        _ => item.clone(),
    }
}

fn bad(at: &dyn Display, problem: &dyn Display) -> Error {
    Error::BadDocument { at: at.to_string(), problem: problem.to_string() }
}

fn unreadable(problem: &serde_json::Error) -> Error {
    // The position is reported in a field of its own, so cut it from the end of the message.
    let at = format!("line {} column {}", problem.line(), problem.column());
    let text = problem.to_string();
    let problem = text.strip_suffix(&format!(" at {at}")).unwrap_or(&text).to_owned();
    Error::BadDocument { at, problem }
}

impl Backpack {
    /// Encodes the backpack as JSON, with its last 1,000 commits.
    ///
    /// The text contains every value, including protected ones: handle it accordingly.
    pub fn to_json(&self) -> Result<String, Error> {
        self.to_json_with(DOCUMENT_COMMITS)
    }

    /// Encodes the backpack as JSON, with its last `commits` commits that are in memory.
    ///
    /// Fails if a value in use was too large for the history that the backpack comes from.
    pub fn to_json_with(&self, commits: usize) -> Result<String, Error> {
        let core = self.inner.lock();
        let history = &core.history;
        let window = commits.min(history.commits().len());
        let first = history.next_number() - window as u64;
        let last = || history.commits().iter().skip(history.commits().len() - window);
        // The document says what the changed keys held before its first commit, so that a reader can replay from there.
        let before = history.state_after(first);
        let changed: BTreeSet<_> = last().filter(|c| c.is_change()).map(|c| &c.key).collect();
        let base = changed.into_iter().filter_map(|key| before.items.get(key));
        let document = Document {
            v: VERSION,
            format: FORMAT.to_owned(),
            id: self.inner.id.clone(),
            origin: self.inner.origin.clone(),
            options: self.inner.options,
            items: item_records(&core)?,
            quarantined: quarantined_records(&core)?,
            permissions: core
                .permissions
                .iter()
                .map(|(node, permissions)| (node.clone(), (**permissions).clone()))
                .collect(),
            nodes: history.nodes().clone(),
            timestamp_ms: history.last_timestamp(),
            first_commit: first,
            base: base.map(|item| ItemRecord::of(item)).collect(),
            commits: last().map(CommitRecord::of).collect(),
        };
        // Encoding can take long for a large backpack; the document is a copy, so release the lock first.
        drop(core);
        let text = canonical::encode(&document).expect("every part of a document is canonical");
        Ok(text.as_str().to_owned())
    }
}

fn item_records(core: &BackpackCore) -> Result<Vec<ItemRecord>, Error> {
    core.state.items.values().map(|item| in_full(&core.in_full(item))).collect()
}

fn quarantined_records(core: &BackpackCore) -> Result<Vec<QuarantinedRecord>, Error> {
    let entries = core.state.quarantine.iter();
    entries
        .map(|entry| {
            let item = entry.item.as_ref().map(|item| {
                in_full(&core.filled(item, || LargeValueSlot::Quarantined(entry.commit)))
            });
            Ok(QuarantinedRecord { item: item.transpose()?, ..QuarantinedRecord::of(entry) })
        })
        .collect()
}

fn in_full(item: &Item) -> Result<ItemRecord, Error> {
    let value = ValueRecord::of_text(item.text()?);
    Ok(ItemRecord { value, ..ItemRecord::of(item) })
}
