//! Reading a backpack from its document.
//!
//! *Invariants*: a backpack is created from a complete document or not at all. The commits of the document are
//! replayed, and must lead to the items that it lists as in use.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::sync::Arc;

use piton_core::{Digest, FileBytes, TimestampMs};
use serde::Deserialize;

use super::form::{Document, FORMAT, VERSION};
use crate::backpack::Backpack;
use crate::backpack_core::{InitialState, LargeValue, LargeValueSlot, LargeValues};
use crate::bounds::{DOCUMENT_BYTES_MAX, ITEMS_MAX, NODES_MAX, QUARANTINE_MAX};
use crate::commit_id::CommitId;
use crate::error::Error;
use crate::history::History;
use crate::item::Item;
use crate::item_content::{ItemContent, Large};
use crate::item_state::ItemState;
use crate::labels::check_count;
use crate::options::{BackpackPorts, Options};
use crate::quarantined::Quarantined;
use crate::record::{CommitRecord, ItemRecord, QuarantinedRecord, Replay};
use crate::text::Key;

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
    let (id, origin) = (document.id, document.origin);
    let beginning = InitialState { id, origin, state, history, large, permissions };
    Ok(Backpack::begin(beginning, options, ports))
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
