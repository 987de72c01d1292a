//! Budgets: bytes, a marker, and a cut that keeps the start.

use std::borrow::Cow;

use piton_core::budget::{BoundedText, TRUNCATION_MARKER, TextTooLong, byte_len, truncate};
use proptest::prelude::*;
use serde_json::json;

// shows: WR-011, WR-012
#[test]
fn a_text_is_measured_in_utf8_bytes() {
    for (text, bytes) in [("", 0), ("a", 1), ("é", 2), ("€", 3), ("😀", 4), ("e\u{301}", 3)] {
        assert_eq!(byte_len(text), bytes, "{text}");
    }
}

// shows: WR-011
#[test]
fn a_bounded_text_counts_bytes_at_the_limit() {
    for character in ["é", "€", "😀"] {
        let width = character.len();
        let fits = character.repeat(12 / width);
        assert_eq!(BoundedText::<12>::new(fits.as_str()).unwrap().as_str(), fits);
        let over = format!("{fits}a");
        let error = TextTooLong { measured_bytes: 13, max_bytes: 12 };
        assert_eq!(BoundedText::<12>::new(over.as_str()), Err(error));
        assert!(serde_json::from_value::<BoundedText<12>>(json!(fits)).is_ok());
        let refused = serde_json::from_value::<BoundedText<12>>(json!(over)).unwrap_err();
        assert_eq!(refused.to_string(), error.to_string());
    }
}

// shows: WR-013
#[test]
fn the_marker_is_thirteen_fixed_bytes() {
    assert_eq!(TRUNCATION_MARKER.as_bytes(), b"\n\n[TRUNCATED]");
    assert_eq!(TRUNCATION_MARKER.len(), 13);
    assert!(truncate(&"a".repeat(100), 50).ends_with(TRUNCATION_MARKER));
}

// shows: WR-014, WR-015
#[test]
fn a_cut_keeps_whole_characters_from_the_start() {
    for (text, budget, expected) in [
        ("short", 5, "short"),
        ("exactly fourteen", 16, "exactly fourteen"),
        ("exactly sixteen!", 15, "ex\n\n[TRUNCATED]"),
        ("éééééééééé", 16, "é\n\n[TRUNCATED]"),
        ("éééééééééé", 17, "éé\n\n[TRUNCATED]"),
        ("😀😀😀😀😀", 16, "\n\n[TRUNCATED]"),
        ("😀😀😀😀😀", 17, "😀\n\n[TRUNCATED]"),
        ("a much longer text", 13, "\n\n[TRUNCATED]"),
        ("a much longer text", 12, "\n\n[TRUNCATED"),
        ("a much longer text", 1, "\n"),
        ("a much longer text", 0, ""),
        ("", 0, ""),
    ] {
        assert_eq!(truncate(text, budget), expected, "{text} in {budget}");
    }
    assert!(matches!(truncate("as it is", 8), Cow::Borrowed("as it is")));
    assert_eq!(BoundedText::<15>::truncated("exactly sixteen!").as_str(), "ex\n\n[TRUNCATED]");
}

proptest! {
    // shows: WR-014, WR-015
    #[test]
    fn a_cut_fits_its_budget_and_loses_no_more_than_it_must(text in ".{0,40}", budget in 0_usize..80) {
        let cut = truncate(&text, budget);
        prop_assert!(byte_len(&cut) <= budget);
        prop_assert_eq!(&cut, &truncate(&text, budget));
        if byte_len(&text) <= budget {
            prop_assert_eq!(&*cut, &*text);
        } else if let Some(kept) = cut.strip_suffix(TRUNCATION_MARKER) {
            prop_assert!(text.starts_with(kept));
            let next = text[kept.len()..].chars().next().unwrap();
            prop_assert!(cut.len() + next.len_utf8() > budget);
        } else {
            prop_assert!(budget < TRUNCATION_MARKER.len());
            prop_assert_eq!(&*cut, &TRUNCATION_MARKER[..budget]);
        }
    }
}
