//! States of a backpack: the items in use after a commit, the items in quarantine, and their values as far as they may
//! be shown.

use piton_backpack::flow::run::RUNNER;
use piton_backpack::{BackpackId, CommitId, Item, Key, NodeIdentity};
use piton_core::{Envelope, TimestampMs};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::backpacks::{Backpacks, Reveal};
use super::commits::no_key;
use super::differences::DiffSide;
use super::reference::{BackpackReference, PointReference};
use crate::backpack::short;
use crate::bounds::{ITEMS_SHOWN_MAX, VALUE_SHOWN_BYTES_MAX, is_zero};
use crate::page::Page;

/// The state after a commit.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackpackState {
    pub backpack: BackpackId,
    /// The last commit that belongs to the state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Items in use, in key order.
    pub items: Vec<ItemLine>,
    /// Number of items left out.
    pub left_out: usize,
}

/// A key in use.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ItemLine {
    pub key: Key,
    /// The node that packed the value.
    pub by: NodeIdentity,
    pub timestamp_ms: TimestampMs,
    pub version: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// A few words about the value. A protected value is not shown.
    pub summary: String,
    /// Size of the value in bytes.
    pub size: u64,
}

/// A key in use, with its value.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ItemShown {
    pub backpack: BackpackId,
    /// The last commit that belongs to the state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    #[serde(flatten)]
    pub line: ItemLine,
    pub value: ValueShown,
}

/// The quarantined items of a backpack.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuarantineList {
    pub backpack: BackpackId,
    /// Newest first.
    pub entries: Vec<QuarantineLine>,
    /// Number of entries left out.
    pub left_out: usize,
}

/// An entry of the quarantine.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuarantineLine {
    /// The commit that quarantined the item.
    pub commit: CommitId,
    /// The short form of the commit id.
    pub short: String,
    pub timestamp_ms: TimestampMs,
    pub by: NodeIdentity,
    pub key: Key,
    pub reason: String,
    /// Size of the value in bytes.
    pub size: u64,
    /// The value; absent if the trace was configured not to keep it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<ValueShown>,
}

piton_core::closed_set! {
    /// Why a value is not shown.
    pub enum Hidden {
        /// It is about a person.
        Pii => "pii",
        /// It is for some nodes only.
        Limited => "limited",
        /// It was taken out of use: a prompt or an error may quote a protected value.
        Quarantined => "quarantined",
        /// The history that it was to come from does not hold it.
        TooLarge => "too large for the history",
        /// The store cannot give what was packed.
        Damaged => "damaged",
    }
}

impl Hidden {
    /// True if the value is shown on explicit request.
    pub const fn can_be_revealed(self) -> bool {
        match self {
            Self::Pii | Self::Limited | Self::Quarantined => true,
            Self::TooLarge | Self::Damaged => false,
        }
    }
}

/// A value, as far as it is shown.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ValueShown {
    /// Size of the value in canonical JSON, in bytes.
    pub size: u64,
    /// The value as readable JSON; absent if it is not shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Number of bytes left out at the beginning of the text.
    #[serde(skip_serializing_if = "is_zero")]
    pub from_byte: usize,
    /// Number of bytes left out at the end of the text.
    pub left_out_bytes: usize,
    /// Reason that the value is not shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<Hidden>,
}

impl Backpacks {
    /// Lists the items in use at a point in time.
    pub async fn at(
        &self,
        reference: &BackpackReference,
        point: &PointReference,
        page: Page,
    ) -> Result<BackpackState, Envelope> {
        let (state, DiffSide { backpack, commit }) = self.state(reference, point).await?;
        let items: Vec<ItemLine> = state
            .debug()
            .items()
            .iter()
            .filter(|item| item.source().id.as_str() != RUNNER)
            .map(|item| line(item))
            .collect();
        let (items, left_out) = page.of(items, ITEMS_SHOWN_MAX);
        Ok(BackpackState { backpack, commit, items, left_out })
    }

    /// Returns the whole value of one key at a point in time.
    pub async fn item_at(
        &self,
        reference: &BackpackReference,
        point: &PointReference,
        key: &str,
        reveal: Reveal,
    ) -> Result<ItemShown, Envelope> {
        let (state, DiffSide { backpack, commit }) = self.state(reference, point).await?;
        let item = state.debug().item(key)?;
        let item = item.ok_or_else(|| no_key(&backpack, &state, key))?;
        if item.is_damaged()
            && let Err(error) = item.text()
        {
            return Err(Envelope::from(error).with_suggestion(format!(
                "Every other key works. See what is damaged with `piton backpack verify {backpack}`; `piton backpack repair \
                 {backpack}` takes the key out of use, so that it can be packed again."
            )));
        }
        let (line, value) = (line(&item), show_value(&item, reveal, usize::MAX));
        Ok(ItemShown { backpack, commit, line, value })
    }

    /// Returns the part of one value that begins at a byte of its text, for readers that cannot take it whole.
    pub async fn item_part(
        &self,
        reference: &BackpackReference,
        point: &PointReference,
        key: &str,
        reveal: Reveal,
        from_byte: usize,
    ) -> Result<ItemShown, Envelope> {
        let mut shown = self.item_at(reference, point, key, reveal).await?;
        if let Some(text) = &mut shown.value.text {
            // Both ends are at character boundaries, so that parts one after the other are the whole.
            let start = text.floor_char_boundary(from_byte);
            let end = text.floor_char_boundary(start.saturating_add(VALUE_SHOWN_BYTES_MAX));
            shown.value.left_out_bytes = text.len() - end;
            shown.value.from_byte = start;
            *text = text[start..end].to_owned();
        }
        Ok(shown)
    }

    /// Lists the items now in quarantine, newest first.
    pub async fn quarantined(
        &self,
        reference: &BackpackReference,
        reveal: Reveal,
        page: Page,
    ) -> Result<QuarantineList, Envelope> {
        let backpack = self.open(reference).await?;
        let all = backpack.debug().quarantined();
        let (newest, left_out) = page.of(all.iter().rev().collect(), ITEMS_SHOWN_MAX);
        let entries = newest.into_iter().map(|entry| QuarantineLine {
            commit: entry.commit(),
            short: short(entry.commit()),
            timestamp_ms: entry.timestamp(),
            by: entry.by().clone(),
            key: entry.key().clone(),
            reason: entry.reason().to_owned(),
            size: entry.size(),
            value: entry.item().map(|item| show_quarantined(item, reveal)),
        });
        let entries = entries.collect();
        Ok(QuarantineList { backpack: backpack.id().clone(), entries, left_out })
    }
}

fn line(item: &Item) -> ItemLine {
    ItemLine {
        key: item.key().clone(),
        by: item.source().clone(),
        timestamp_ms: item.timestamp(),
        version: item.version(),
        tags: item.labels().tags.iter().map(ToString::to_string).collect(),
        summary: item.summary(),
        size: item.size(),
    }
}

/// Renders at most so many bytes of a value in use.
pub(super) fn show_value(item: &Item, reveal: Reveal, bytes_max: usize) -> ValueShown {
    let labels = item.labels();
    let protected = if labels.is_pii() { Hidden::Pii } else { Hidden::Limited };
    render(item, labels.is_protected().then_some(protected), reveal, bytes_max)
}

/// Renders a value in quarantine.
pub(super) fn show_quarantined(item: &Item, reveal: Reveal) -> ValueShown {
    render(item, Some(Hidden::Quarantined), reveal, VALUE_SHOWN_BYTES_MAX)
}

fn render(item: &Item, hidden: Option<Hidden>, reveal: Reveal, bytes_max: usize) -> ValueShown {
    let size = item.size();
    let not_shown = |hidden| ValueShown {
        size,
        text: None,
        from_byte: 0,
        left_out_bytes: 0,
        hidden: Some(hidden),
    };
    // Protection comes before damage: a hidden value is reported as hidden, whatever its state.
    if let Some(hidden) = hidden.filter(|_| reveal == Reveal::Nothing) {
        return not_shown(hidden);
    }
    if item.is_damaged() {
        return not_shown(Hidden::Damaged);
    }
    let Some(mut text) = readable(item) else { return not_shown(Hidden::TooLarge) };
    // Cut at a character boundary, so that the text stays valid UTF-8.
    let end = text.floor_char_boundary(bytes_max);
    let left_out_bytes = text.len() - end;
    text.truncate(end);
    ValueShown { size, text: Some(text), from_byte: 0, left_out_bytes, hidden: None }
}

/// Returns a value as people read it: text verbatim, anything else as indented JSON. `None` if it is not available.
pub(super) fn readable(item: &Item) -> Option<String> {
    match item.value::<Value>().ok()? {
        Value::String(text) => Some(text),
        value => serde_json::to_string_pretty(&value).ok(),
    }
}

/// True if a value may be shown.
pub(super) fn is_shown(item: &Item, reveal: Reveal) -> bool {
    reveal == Reveal::Protected || !item.labels().is_protected()
}
