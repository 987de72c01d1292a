//! A value as far as it is shown.

use piton_backpack::Item;
use serde_json::Value;

use super::backpacks::Reveal;
use super::reply::ValueShown;
use crate::bounds::VALUE_SHOWN_BYTES_MAX;

/// Why something that was quarantined is not shown: a prompt or an error may quote a protected value.
const ASIDE: &str = "quarantined";

/// A value in use.
pub(super) fn of(item: &Item, reveal: Reveal) -> ValueShown {
    let labels = item.labels();
    let hidden = if labels.is_pii() {
        Some("pii")
    } else if labels.is_protected() {
        Some("limited")
    } else {
        None
    };
    shown(item, hidden, reveal)
}

/// A value in quarantine.
pub(super) fn aside(item: &Item, reveal: Reveal) -> ValueShown {
    shown(item, Some(ASIDE), reveal)
}

fn shown(item: &Item, hidden: Option<&str>, reveal: Reveal) -> ValueShown {
    let hidden = hidden.filter(|_| reveal == Reveal::Nothing).map(str::to_owned);
    let size = item.size();
    if hidden.is_some() {
        return ValueShown { size, text: None, left_out_bytes: 0, hidden };
    }
    let Some(text) = text(item) else {
        let hidden = Some("too large for the history".to_owned());
        return ValueShown { size, text: None, left_out_bytes: 0, hidden };
    };
    let end = text.floor_char_boundary(VALUE_SHOWN_BYTES_MAX);
    let left_out_bytes = text.len() - end;
    ValueShown { size, text: Some(text[..end].to_owned()), left_out_bytes, hidden: None }
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
