//! The context that `prep` and `post` are given.
//!
//! It gives no access to the backpack itself, to the debug handle or to another node's name:
//!
//! ```compile_fail,E0599
//! # fn around_the_checks(context: &piton_backpack::flow::NodeContext) {
//! context.debug();
//! # }
//! ```
//!
//! ```compile_fail,E0616
//! # fn around_the_checks(context: &piton_backpack::flow::NodeContext) {
//! context.scope;
//! # }
//! ```
// shows in part: BP-003, BP-007 (what nodes of a flow are given)

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use piton_core::RunId;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::error::NodeError;
use crate::flow::event::Tap;
use crate::{Item, Key, NodeIdentity, PackOptions, Scope, WriteOutcome};

/// A node's own view of the run: its scope of the backpack, and its parameters.
pub struct NodeContext {
    pub(crate) scope: Scope,
    pub(crate) params: Arc<Map<String, Value>>,
    pub(crate) run: RunId,
    pub(crate) tap: Tap,
    pub(crate) protected: Arc<Protected>,
}

impl NodeContext {
    /// Returns the identity of the node.
    pub fn identity(&self) -> &NodeIdentity {
        self.scope.identity()
    }

    /// Returns the id of the run.
    pub const fn run(&self) -> RunId {
        self.run
    }

    /// Returns the parameters of this pass through the flow, such as one entry of a batch.
    pub fn params(&self) -> &Map<String, Value> {
        &self.params
    }

    /// Stores a value. In a lenient backpack a refused write changes nothing and is reported as an event.
    pub async fn pack<T: Serialize + Sync + ?Sized>(
        &self,
        key: &str,
        value: &T,
    ) -> Result<(), NodeError> {
        self.pack_with(key, value, &PackOptions::new()).await
    }

    /// Stores a value and sets labels of the item.
    pub async fn pack_with<T: Serialize + Sync + ?Sized>(
        &self,
        key: &str,
        value: &T,
        options: &PackOptions,
    ) -> Result<(), NodeError> {
        self.saved(self.scope.pack_with(key, value, options)?).await.map(drop)
    }

    /// Reads a value. Returns `None` if there is none.
    pub async fn unpack<T: DeserializeOwned + Send>(
        &self,
        key: &str,
    ) -> Result<Option<T>, NodeError> {
        self.read(self.scope.item(key)?).await?.map(|item| Ok(item.value()?)).transpose()
    }

    /// Reads a value that must exist.
    pub async fn unpack_required<T: DeserializeOwned + Send>(
        &self,
        key: &str,
    ) -> Result<T, NodeError> {
        if let Some(value) = self.unpack(key).await? {
            return Ok(value);
        }
        let key = Key::parse(key).map_err(crate::Error::from)?;
        Err(crate::Error::Missing { key }.into())
    }

    /// Reads the readable values of all namespaces that a pattern selects.
    pub async fn unpack_by_namespace<T: DeserializeOwned + Send>(
        &self,
        pattern: &str,
    ) -> Result<Vec<(Key, T)>, NodeError> {
        let items = self.scope.items_by_namespace(pattern)?;
        self.scope.keep_up().await?;
        let mut values = Vec::with_capacity(items.len());
        for item in items {
            self.protected.note(&item);
            values.push((item.key().clone(), item.value()?));
        }
        Ok(values)
    }

    /// Reads a value without committing the read. Only a refusal is committed.
    pub async fn peek<T: DeserializeOwned + Send>(
        &self,
        key: &str,
    ) -> Result<Option<T>, NodeError> {
        self.read(self.scope.peek_item(key)?).await?.map(|item| Ok(item.value()?)).transpose()
    }

    /// Returns the keys that the node may read, in order.
    pub fn keys(&self) -> Vec<Key> {
        self.scope.keys()
    }

    /// Removes a key. Returns true if it existed.
    pub async fn delete(&self, key: &str) -> Result<bool, NodeError> {
        Ok(self.saved(self.scope.delete(key)?).await?.done().is_some())
    }

    /// Takes a key out of use and keeps it for the trace. Returns true if it existed.
    pub async fn quarantine(&self, key: &str, reason: &str) -> Result<bool, NodeError> {
        Ok(self.saved(self.scope.quarantine(key, reason)?).await?.done().is_some())
    }

    /// Puts a value straight into quarantine, for the trace only. No node ever sees it.
    pub async fn quarantine_value<T: Serialize + Sync + ?Sized>(
        &self,
        key: &str,
        value: &T,
        reason: &str,
    ) -> Result<(), NodeError> {
        self.saved(self.scope.quarantine_value(key, value, reason)?).await.map(drop)
    }

    async fn saved(&self, outcome: WriteOutcome) -> Result<WriteOutcome, NodeError> {
        Ok(self.scope.saved(outcome).await?)
    }

    /// Notes what the node has read, so that nothing protected gets into an event.
    async fn read(&self, item: Option<Arc<Item>>) -> Result<Option<Arc<Item>>, NodeError> {
        self.scope.keep_up().await?;
        if let Some(item) = &item {
            self.protected.note(item);
        }
        Ok(item)
    }

    /// Notifies subscribers of something noteworthy that is not a failure.
    pub fn warn(&self, message: &str) {
        self.tap.warn(&self.protected.clean(message));
    }
}

/// Minimum length of protected texts to look for: `a` is in every message.
const TEXT_BYTES_MIN: usize = 3;

/// The protected texts that one visit of a node has read.
///
/// The output of a node, in errors or through its model, may repeat a value that it was granted to read. Once it has
/// read a protected value, its streamed output is withheld from events and its errors are cleaned.
#[derive(Debug, Default)]
pub(crate) struct Protected(Mutex<Vec<String>>);

impl Protected {
    /// Records an item that was read.
    pub(crate) fn note(&self, item: &Item) {
        if item.labels().is_protected()
            && let Ok(value) = item.value::<Value>()
        {
            self.note_value(&value);
        }
    }

    /// Records a value that may contain protected texts.
    pub(crate) fn note_value(&self, value: &Value) {
        let mut texts = Vec::new();
        collect(value, &mut texts);
        // The value itself counts even if it contains no text to look for.
        texts.push(value.to_string());
        self.lock().extend(texts);
    }

    /// True if anything protected was read.
    pub(crate) fn is_any(&self) -> bool {
        !self.lock().is_empty()
    }

    /// Returns `text` without protected parts.
    pub(crate) fn clean(&self, text: &str) -> String {
        let texts = self.lock();
        let mut long: Vec<&str> = texts.iter().map(String::as_str).collect();
        long.retain(|secret| secret.len() >= TEXT_BYTES_MIN);
        // Longest first: replacing a text inside a longer one would leave the rest of that one readable.
        long.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        long.iter().fold(text.to_owned(), |text, secret| text.replace(secret, "[protected]"))
    }

    fn lock(&self) -> MutexGuard<'_, Vec<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Collects the texts and numbers inside a value.
fn collect(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Number(number) => texts.push(number.to_string()),
        Value::Array(values) => values.iter().for_each(|value| collect(value, texts)),
        Value::Object(fields) => fields.values().for_each(|value| collect(value, texts)),
        Value::Null | Value::Bool(_) => {}
    }
}
