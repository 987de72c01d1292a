//! Texts that fit their budget by construction.

use std::fmt::Write as _;

use piton_core::byte_len;

use crate::bounds::LISTED_ITEM_BYTES_MIN;

/// Reason for a loop to end if its step submitted nothing that decides.
pub(super) const NO_DECISION: &str = "no valid decision was handed in";

/// Mark where something was left out.
const MARK: &str = "…";

/// Number of bytes at the start of a list line.
const LINE: usize = byte_len("\n- ");

/// Maximum number of bytes of the line that counts the items that a list leaves out.
const MORE_BYTES_MAX: usize = byte_len("\n- and  more") + 20;

/// Returns the start of `text`, marked if it is cut, in at most `max_bytes`.
pub(super) fn excerpt(text: &str, max_bytes: usize) -> String {
    if byte_len(text) <= max_bytes {
        return text.to_owned();
    }
    let room = max_bytes - byte_len(MARK);
    [&text[..text.floor_char_boundary(room)], MARK].concat()
}

/// Returns `head`, followed by each of `items` on a line of its own, in at most `max_bytes`. An item takes at most
/// `item_bytes_max`, and less if that lets the list show more of them. Items that do not fit are counted.
pub(super) fn list(
    head: &str,
    items: &[String],
    item_bytes_max: usize,
    max_bytes: usize,
) -> String {
    let wanted: usize = items.iter().map(|item| LINE + byte_len(item).min(item_bytes_max)).sum();
    let item_bytes_max = if byte_len(head) + wanted <= max_bytes {
        item_bytes_max
    } else {
        // Not everything fits at full length. Share the room evenly, but never cut items so short that they say
        // nothing.
        let room = max_bytes.saturating_sub(byte_len(head) + MORE_BYTES_MAX);
        (room / items.len()).saturating_sub(LINE).clamp(LISTED_ITEM_BYTES_MIN, item_bytes_max)
    };
    let mut text = head.to_owned();
    for (index, item) in items.iter().enumerate() {
        let left = items.len() - index;
        let item = excerpt(item, item_bytes_max);
        // Every item but the last leaves room for the line that counts the rest.
        let room = if left == 1 { max_bytes } else { max_bytes - MORE_BYTES_MAX };
        if byte_len(&text) + LINE + byte_len(&item) > room {
            write!(text, "\n- and {left} more").expect("writing to a string does not fail");
            break;
        }
        text.push_str("\n- ");
        text.push_str(&item);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{excerpt, list};

    #[test]
    fn an_excerpt_is_cut_at_a_character_and_marked() {
        assert_eq!(excerpt("ääää", 8), "ääää");
        assert_eq!(excerpt("äääää", 8), "ää…");
    }

    #[test]
    fn a_list_counts_what_it_leaves_out_and_never_outgrows_its_budget() {
        assert_eq!(list("Head:", &["one".into(), "two".into()], 80, 100), "Head:\n- one\n- two");
        let items: Vec<_> = (0..300).map(|number| format!("item {number}")).collect();
        for max_bytes in 40..4000 {
            let text = list("Head:", &items, 80, max_bytes);
            assert!(text.len() <= max_bytes, "{max_bytes}: {text}");
            let listed = text.matches("item").count();
            let left = items.len() - listed;
            assert_eq!(text.ends_with(&format!("- and {left} more")), left > 0, "{text}");
        }
    }
    #[test]
    fn long_items_make_room_for_the_others() {
        let items = ["a".repeat(300), "b".repeat(20), "c".repeat(300)];
        let text = list("Head:", &items, 280, 400);
        let expected =
            format!("Head:\n- {}…\n- {}\n- {}…", "a".repeat(115), "b".repeat(20), "c".repeat(115));
        assert_eq!(text, expected);
    }
}
