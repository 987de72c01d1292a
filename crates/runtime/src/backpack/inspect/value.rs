//! Rendering of values, as far as they may be shown.

use piton_backpack::Item;
use serde_json::Value;

use super::backpacks::Reveal;
use super::reply::{Hidden, ValueShown};
use crate::bounds::VALUE_SHOWN_BYTES_MAX;

/// Renders a value in use, up to the size that fits beside other output.
pub(super) fn bounded_value(item: &Item, reveal: Reveal) -> ValueShown {
    render_value(item, hidden(item), reveal, VALUE_SHOWN_BYTES_MAX)
}

/// Renders the whole of a value in use.
pub(super) fn whole_value(item: &Item, reveal: Reveal) -> ValueShown {
    render_value(item, hidden(item), reveal, usize::MAX)
}

/// Renders a value in quarantine.
pub(super) fn aside(item: &Item, reveal: Reveal) -> ValueShown {
    render_value(item, Some(Hidden::Quarantined), reveal, VALUE_SHOWN_BYTES_MAX)
}

/// Returns the reason that a value in use is hidden unless it was asked for.
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
    // Protection comes before damage: a hidden value is reported as hidden, whatever its state.
    if let Some(hidden) = hidden.filter(|_| reveal == Reveal::Nothing) {
        return not_shown(hidden);
    }
    if item.is_damaged() {
        return not_shown(Hidden::Damaged);
    }
    let Some(mut text) = text(item) else { return not_shown(Hidden::TooLarge) };
    // Cut at a character boundary, so that the text stays valid UTF-8.
    let end = text.floor_char_boundary(bytes_max);
    let left_out_bytes = text.len() - end;
    text.truncate(end);
    ValueShown { size, text: Some(text), left_out_bytes, hidden: None }
}

/// Returns a value as people read it: text verbatim, anything else as indented JSON. `None` if it is not available.
pub(super) fn text(item: &Item) -> Option<String> {
    match item.value::<Value>().ok()? {
        Value::String(text) => Some(text),
        value => serde_json::to_string_pretty(&value).ok(),
    }
}

/// True if a value may be shown.
pub(super) fn is_shown(item: &Item, reveal: Reveal) -> bool {
    reveal == Reveal::Protected || !item.labels().is_protected()
}
