//! Lists that fit into a reply: what does not fit is counted.

use schemars::JsonSchema;
use serde::Serialize;

use crate::bounds::PAGE_REPLY_BYTES_MAX;

/// The entries of a list that are shown, and the number of others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ShownListOf{T}")]
pub struct ShownList<T> {
    /// The entries.
    pub items: Vec<T>,
    /// Number of entries that are left out.
    pub left_out: usize,
}

impl<T> Default for ShownList<T> {
    fn default() -> Self {
        Self { items: Vec::new(), left_out: 0 }
    }
}

impl<T> ShownList<T> {
    /// Keeps the first `max` of `items`.
    pub(crate) fn first(items: Vec<T>, max: usize) -> Self {
        let (items, left_out) = crate::bounds::cut(items, max);
        Self { items, left_out }
    }

    /// True if there are no entries, shown or not.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty() && self.left_out == 0
    }

    /// Returns the number of entries, shown or not.
    pub fn total(&self) -> usize {
        self.items.len() + self.left_out
    }
}

/// The room that is left in a reply of bounded size. Lists take of it in the order of their importance.
pub(crate) struct ReplyRoom {
    left_bytes: usize,
}

impl ReplyRoom {
    /// Creates the room of a reply to a page.
    pub(crate) fn new() -> Self {
        Self::of(PAGE_REPLY_BYTES_MAX)
    }

    /// Creates room for so many bytes.
    pub(crate) fn of(left_bytes: usize) -> Self {
        Self { left_bytes }
    }

    /// Takes the room of an entry, if there is any.
    pub(crate) fn fits(&mut self, entry: &impl Serialize) -> bool {
        // Measured as JSON, because a text of control characters takes six times its length there.
        let bytes = serde_json::to_vec(entry).map_or(usize::MAX, |bytes| bytes.len() + 1);
        let left = self.left_bytes.checked_sub(bytes);
        self.left_bytes = left.unwrap_or(self.left_bytes);
        left.is_some()
    }

    /// Keeps the newest entries for which there is room. `items` are oldest first, and stay so.
    pub(crate) fn newest<T: Serialize>(&mut self, items: Vec<T>) -> ShownList<T> {
        let total = items.len();
        let mut kept: Vec<T> = items.into_iter().rev().take_while(|item| self.fits(item)).collect();
        kept.reverse();
        ShownList { left_out: total - kept.len(), items: kept }
    }

    /// Keeps every entry for which there is room.
    pub(crate) fn each<T: Serialize>(&mut self, items: Vec<T>) -> ShownList<T> {
        let total = items.len();
        let kept: Vec<T> = items.into_iter().filter(|item| self.fits(item)).collect();
        ShownList { left_out: total - kept.len(), items: kept }
    }
}

#[cfg(test)]
mod tests {
    use super::{PAGE_REPLY_BYTES_MAX, ReplyRoom};

    #[test]
    fn what_does_not_fit_is_counted_and_the_newest_stay() {
        let text = |letter: &str, bytes: usize| letter.repeat(bytes);
        let half = PAGE_REPLY_BYTES_MAX / 2;
        let items = vec![text("a", half), text("b", half / 2), text("c", half / 2)];
        let newest = ReplyRoom::new().newest(items.clone());
        assert_eq!((newest.items.len(), newest.left_out), (2, 1));
        assert!(newest.items[0].starts_with('b'), "they stay in their order");
        let each = ReplyRoom::new().each(vec![text("\u{1}", half), text("b", 5)]);
        assert_eq!((each.items, each.left_out), (vec!["bbbbb".to_owned()], 1));
    }
}
