//! Tracking of protected values that a node has read.
//!
//! The output of a node, in errors or through its model, may repeat a value that it was granted to read. Once it has
//! read a protected value, its streamed output is withheld from events and its errors are cleaned.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::Item;

/// Minimum length of protected texts to look for: `a` is in every message.
const TEXT_BYTES_MIN: usize = 3;

/// The protected texts that one visit of a node has read.
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
