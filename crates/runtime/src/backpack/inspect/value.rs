//! A value as far as it is shown.

use piton_backpack::Item;
use serde_json::Value;

use super::backpacks::Reveal;
use super::reply::{Hidden, ValueShown};
use crate::bounds::VALUE_SHOWN_BYTES_MAX;

/// A value in use, as much of it as is shown beside other things.
pub(super) fn bounded_value(item: &Item, reveal: Reveal) -> ValueShown {
    render_value(item, hidden(item), reveal, VALUE_SHOWN_BYTES_MAX)
}

/// A value in use, all of it.
pub(super) fn whole_value(item: &Item, reveal: Reveal) -> ValueShown {
    render_value(item, hidden(item), reveal, usize::MAX)
}

/// A value in quarantine.
pub(super) fn aside(item: &Item, reveal: Reveal) -> ValueShown {
    render_value(item, Some(Hidden::Quarantined), reveal, VALUE_SHOWN_BYTES_MAX)
}

/// Why a value in use is not shown to whoever did not ask for it.
fn hidden(item: &Item) -> Option<Hidden> {
    let labels = item.labels();
    if labels.is_pii() {
        Some(Hidden::Pii)
    } else if labels.is_protected() {
        Some(Hidden::Limited)
    } else {
        None
    }
}

fn render_value(
    item: &Item,
    hidden: Option<Hidden>,
    reveal: Reveal,
    bytes_max: usize,
) -> ValueShown {
    let size = item.size();
    let not_shown =
        |hidden| ValueShown { size, text: None, left_out_bytes: 0, hidden: Some(hidden) };
    if let Some(hidden) = hidden.filter(|_| reveal == Reveal::Nothing) {
        return not_shown(hidden);
    }
    if item.is_damaged() {
        return not_shown(Hidden::Damaged);
    }
    let Some(mut text) = text(item) else { return not_shown(Hidden::TooLarge) };
    let end = text.floor_char_boundary(bytes_max);
    let left_out_bytes = text.len() - end;
    text.truncate(end);
    ValueShown { size, text: Some(text), left_out_bytes, hidden: None }
}

/// A value as people read it: a text as it is, anything else as indented JSON. Nothing if it is not at hand.
pub(super) fn text(item: &Item) -> Option<String> {
    match item.value::<Value>().ok()? {
        Value::String(text) => Some(text),
        value => serde_json::to_string_pretty(&value).ok(),
    }
}

/// Whether a value may be shown.
pub(super) fn is_shown(item: &Item, reveal: Reveal) -> bool {
    reveal == Reveal::Protected || !item.labels().is_protected()
}
