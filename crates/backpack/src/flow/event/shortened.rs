//! Shortening the texts of events.

use crate::flow::bounds::EVENT_TEXT_BYTES_MAX;

/// Returns the start of a text, up to the limit for events.
pub(crate) fn cut(text: &str) -> String {
    piton_core::truncate(text, EVENT_TEXT_BYTES_MAX).into_owned()
}
