//! Summaries of values for people, in at most 200 bytes. A protected value appears only as its size.

use piton_core::shorten;

use crate::bounds::SUMMARY_BYTES_MAX;
use crate::item_content::ItemContent;
use crate::labels::Labels;

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
