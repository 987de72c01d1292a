//! Texts of events are short.

use crate::bounds::EVENT_TEXT_BYTES_MAX;

/// The start of a text, as long as an event may have it.
pub(crate) fn cut(text: &str) -> String {
    piton_core::truncate(text, EVENT_TEXT_BYTES_MAX).into_owned()
}
