//! Items: a value with everything that is known about it, in use or in quarantine.

use std::fmt;
use std::sync::Arc;

use piton_core::{BoundedText, Digest, Namespace, TimestampMs, canonical, shorten};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::labels::Labels;
use crate::bounds::{REASON_BYTES_MAX, SUMMARY_BYTES_MAX, VALUE_BYTES_MAX, VALUE_DEPTH_MAX};
use crate::error::Error;
use crate::history::commit_id::CommitId;
use crate::names::{Key, NodeIdentity};

/// A value under its key, and its origin. Cheap to share; it never changes.
#[derive(Clone, PartialEq, Eq)]
pub struct Item {
    pub(crate) key: Key,
    pub(crate) content: ItemContent,
    pub(crate) source: Arc<NodeIdentity>,
    pub(crate) timestamp: TimestampMs,
    pub(crate) version: u64,
    pub(crate) labels: Option<Arc<Labels>>,
}

impl Item {
    /// Returns the key.
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// Returns the node that packed this version.
    pub fn source(&self) -> &NodeIdentity {
        &self.source
    }

    /// Returns the namespace of the node that packed it.
    pub fn namespace(&self) -> Option<&Namespace> {
        self.source.namespace.as_ref()
    }

    /// Returns the time at which it was packed.
    pub fn timestamp(&self) -> TimestampMs {
        self.timestamp
    }

    /// Returns how many times the key has been packed, including this time.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Returns the tags and the access control.
    pub fn labels(&self) -> &Labels {
        self.labels.as_deref().unwrap_or(Labels::NONE)
    }

    /// Returns the size of the value in bytes of canonical JSON.
    pub fn size(&self) -> u64 {
        self.content.size()
    }

    /// True if the value is in memory. Otherwise it was too large for the history that this item comes from.
    pub fn is_available(&self) -> bool {
        self.content.held().is_some()
    }

    /// Returns the value in canonical JSON.
    pub fn text(&self) -> Result<&str, Error> {
        match &self.content {
            ItemContent::Held(text) => Ok(text),
            ItemContent::Large(large) => {
                Err(Error::Unavailable { key: self.key.clone(), size: large.size })
            }
            ItemContent::Damaged(large) => {
                Err(Error::DamagedValue { key: self.key.clone(), size: large.size })
            }
        }
    }

    /// Deserializes the value as a `T`.
    pub fn value<T: DeserializeOwned>(&self) -> Result<T, Error> {
        read(&self.key, self.text()?, self.labels())
    }

    /// Describes the value for people in at most 200 bytes. A protected value is not shown.
    pub fn summary(&self) -> String {
        summarize(&self.content, self.labels())
    }

    /// True if the value is damaged.
    pub fn is_damaged(&self) -> bool {
        matches!(self.content, ItemContent::Damaged(_))
    }

    /// Returns the same item, marked as one whose value the store cannot return.
    pub(crate) fn with_damage(&self) -> Self {
        match &self.content {
            ItemContent::Large(large) => {
                Self { content: ItemContent::Damaged(Arc::clone(large)), ..self.clone() }
            }
            ItemContent::Held(_) | ItemContent::Damaged(_) => self.clone(),
        }
    }

    /// Returns the same item with its value filled in.
    pub(crate) fn with_text(&self, text: Arc<str>) -> Self {
        Self { content: ItemContent::Held(text), ..self.clone() }
    }
}

impl fmt::Debug for Item {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Item")
            .field("key", &self.key)
            .field("version", &self.version)
            .field("source", &self.source.id)
            .field("content", &self.content)
            .finish_non_exhaustive()
    }
}

/// Deserializes a value as a `T`. The error contains the parser's message only if the value may be shown.
pub(crate) fn read<T: DeserializeOwned>(
    key: &Key,
    text: &str,
    labels: &Labels,
) -> Result<T, Error> {
    serde_json::from_str(text).map_err(|problem| Error::WrongType {
        key: key.clone(),
        wanted: std::any::type_name::<T>(),
        found: kind(text),
        // Messages of the parser quote parts of the value.
        problem: if labels.is_protected() { None } else { Some(cut(&problem.to_string())) },
    })
}

/// A value, or its size and its location.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum ItemContent {
    /// The value in canonical JSON.
    Held(Arc<str>),
    /// Too large for the history. `BackpackCore` keeps the value of an item in use.
    Large(Arc<Large>),
    /// Too large for the history, and the store cannot return it.
    Damaged(Arc<Large>),
}

/// The part of a large value that the history keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Large {
    pub(crate) size: u64,
    /// The digest of its blob, if there is a journal.
    pub(crate) digest: Option<Digest>,
}

impl ItemContent {
    /// Returns the size of the value in bytes of canonical JSON.
    pub(crate) fn size(&self) -> u64 {
        match self {
            Self::Held(text) => text.len() as u64,
            Self::Large(large) | Self::Damaged(large) => large.size,
        }
    }

    pub(crate) fn held(&self) -> Option<&Arc<str>> {
        match self {
            Self::Held(text) => Some(text),
            Self::Large(_) | Self::Damaged(_) => None,
        }
    }

    /// Returns the digest of a value that is not held here.
    pub(crate) fn digest(&self) -> Option<Digest> {
        match self {
            Self::Held(_) => None,
            Self::Large(large) | Self::Damaged(large) => large.digest,
        }
    }
}

impl fmt::Debug for ItemContent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.held().is_some() { "held" } else { "large" };
        write!(formatter, "{kind}, {} bytes", self.size())
    }
}

/// Encodes a value for `key` as canonical JSON and checks its limits.
pub(crate) fn encode<T: Serialize + ?Sized>(key: &Key, value: &T) -> Result<Arc<str>, Error> {
    let encoded = canonical::encode(value)
        .map_err(|problem| Error::BadValue { key: key.clone(), problem: Box::new(problem) })?;
    if encoded.len() > VALUE_BYTES_MAX {
        return Err(Error::ValueTooLarge { key: key.clone(), measured: encoded.len() });
    }
    if is_too_deep(encoded.as_bytes()) {
        return Err(Error::TooDeep { key: key.clone() });
    }
    Ok(encoded.as_str().into())
}

/// True if arrays and objects nest too deeply in a canonical text.
fn is_too_deep(text: &[u8]) -> bool {
    // Every level takes at least two bytes, so a short text cannot nest too deeply.
    if text.len() <= 2 * VALUE_DEPTH_MAX {
        return false;
    }
    let (mut depth, mut in_string, mut is_escaped) = (0_usize, false, false);
    for byte in text {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                if depth > VALUE_DEPTH_MAX {
                    return true;
                }
            }
            b']' | b'}' if !in_string => depth -= 1,
            _ => {}
        }
    }
    false
}

/// Summarizes a value.
pub(crate) fn summarize(content: &ItemContent, labels: &Labels) -> String {
    let size = content.size();
    if labels.is_pii() {
        return format!("[pii, {size} bytes]");
    }
    if labels.is_protected() {
        return format!("[limited, {size} bytes]");
    }
    match content {
        ItemContent::Held(text) => cut(text),
        ItemContent::Large(_) => format!("[large, {size} bytes]"),
        ItemContent::Damaged(_) => format!("[damaged, {size} bytes]"),
    }
}

/// Returns the start of a text, at most 200 bytes.
pub(crate) fn cut(text: &str) -> String {
    shorten(text, SUMMARY_BYTES_MAX).into_owned()
}

/// Names the kind of JSON value in a canonical text.
pub(crate) fn kind(text: &str) -> &'static str {
    match text.as_bytes().first() {
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b'"') => "a string",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    }
}

/// The reason for a quarantine.
pub type Reason = BoundedText<REASON_BYTES_MAX>;

/// An entry of the quarantine. Nodes never see it; the debug handle does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quarantined {
    pub(crate) key: Key,
    pub(crate) commit: CommitId,
    pub(crate) timestamp: TimestampMs,
    pub(crate) by: Arc<NodeIdentity>,
    pub(crate) reason: Reason,
    pub(crate) size: u64,
    /// Absent if the value was quarantined without keeping it for the trace.
    pub(crate) item: Option<Arc<Item>>,
}

impl Quarantined {
    /// Returns the key.
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// Returns the commit that quarantined the value.
    pub fn commit(&self) -> CommitId {
        self.commit
    }

    /// Returns the time of the quarantine.
    pub fn timestamp(&self) -> TimestampMs {
        self.timestamp
    }

    /// Returns the node that quarantined the value.
    pub fn by(&self) -> &NodeIdentity {
        &self.by
    }

    /// Returns the reason for the quarantine.
    pub fn reason(&self) -> &str {
        self.reason.as_str()
    }

    /// Returns the size of the value in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the quarantined item, if the trace keeps it.
    pub fn item(&self) -> Option<&Item> {
        self.item.as_deref()
    }

    /// Returns the quarantined value, if the trace keeps it.
    pub fn value<T: DeserializeOwned>(&self) -> Result<Option<T>, Error> {
        self.item.as_ref().map(|item| item.value()).transpose()
    }
}
