//! Packing and unpacking: values, versions, provenance.

use std::collections::BTreeMap;

use piton_backpack::{Error, Filter, PackOptions, WriteOutcome};
use serde_json::json;

use crate::rig::{Rig, done};

// shows: BP-001
#[test]
fn a_second_pack_replaces_the_value_and_raises_its_version() {
    let rig = Rig::new();
    let node = rig.node("a");
    done(node.pack("answer", &41));
    done(node.pack("answer", &json!({ "is": 42 })));
    let item = node.item("answer").unwrap().unwrap();
    assert_eq!((item.version(), item.text().unwrap()), (2, r#"{"is":42}"#));
}

// shows: BP-001
#[test]
fn a_value_without_a_faithful_json_form_is_an_error_and_changes_nothing() {
    let rig = Rig::new();
    let node = rig.node("a");
    done(node.pack("kept", &1));
    let numbers_as_keys = BTreeMap::from([(1, "one")]);
    let refused = [
        node.pack("kept", &f64::NAN),
        node.pack("kept", &f64::INFINITY),
        node.pack("kept", &vec![1.0, f64::NEG_INFINITY]),
        node.pack("kept", &numbers_as_keys),
        node.pack("kept", &u64::MAX),
    ];
    for outcome in refused {
        assert!(matches!(outcome, Err(Error::BadValue { .. })), "{outcome:?}");
    }
    assert_eq!(node.peek("kept").unwrap(), Some(1));
    assert_eq!(rig.history_len(), 1);
}

// shows: BP-002
#[test]
fn an_item_says_who_packed_it_when_and_how_often() {
    let rig = Rig::new();
    let node = rig.node_in("search-1", "sales.research");
    done(node.pack_with("query", &"prices", &PackOptions::new().tagged(["draft"]).unwrap()));
    let item = rig.backpack.debug().item("query").unwrap().unwrap();
    assert_eq!(item.source().id.as_str(), "search-1");
    assert_eq!(item.source().name.as_str(), "search-1 node");
    assert_eq!(item.namespace().unwrap().as_str(), "sales.research");
    assert_eq!((item.timestamp().get(), item.version()), (1_000, 1));
    assert!(item.labels().tags.contains("draft"));
}

// shows: BP-004, BP-005
#[test]
fn a_value_is_missing_or_typed_or_clearly_of_another_type() {
    let rig = Rig::new();
    let node = rig.node("a");
    done(node.pack("age", &"forty"));
    assert_eq!(node.unpack::<u32>("nothing").unwrap(), None);
    assert_eq!(node.unpack::<String>("age").unwrap().as_deref(), Some("forty"));
    let error = node.unpack::<u32>("age").unwrap_err();
    assert_eq!(
        error.to_string(),
        "the value of `age` is a string, which does not read as `u32`: invalid type: string \"forty\", \
         expected u32 at line 1 column 7"
    );
    let error = node.unpack_required::<u32>("nothing").unwrap_err();
    assert_eq!(error.to_string(), "there is nothing under `nothing`");
    assert!(matches!(error, Error::Missing { key } if key.as_str() == "nothing"));
}

// shows: BP-008
#[test]
fn a_delete_is_a_commit_and_the_history_keeps_the_value() {
    let rig = Rig::new();
    let node = rig.node("a");
    let packed = done(node.pack("gone", &"value"));
    let deleted = done(node.delete("gone"));
    assert_eq!(node.peek::<String>("gone").unwrap(), None);
    let commit = rig.backpack.debug().commit(deleted).unwrap();
    assert_eq!(commit.previous().unwrap().text().unwrap(), "\"value\"");
    let before = rig.backpack.snapshot_at_commit(packed).unwrap();
    assert_eq!(before.debug().peek::<String>("gone").unwrap().as_deref(), Some("value"));
    assert_eq!(node.delete("gone").unwrap(), WriteOutcome::Missing);
    assert_eq!(rig.backpack.debug().history(&Filter::default()).unwrap().len(), 2);
}

// shows: BP-009
#[test]
fn a_text_that_is_not_a_key_is_an_error_and_changes_nothing() {
    let rig = Rig::new();
    let node = rig.node("a");
    let long = "k".repeat(257);
    let bad = ["", "a\nb", "\u{0}", "tab\t", "\u{85}", long.as_str()];
    for key in bad {
        assert!(matches!(node.pack(key, &1), Err(Error::BadText(_))), "{key:?}");
        assert!(matches!(node.unpack::<u8>(key), Err(Error::BadText(_))), "{key:?}");
        assert!(matches!(node.delete(key), Err(Error::BadText(_))), "{key:?}");
        assert!(matches!(node.quarantine(key, "why"), Err(Error::BadText(_))), "{key:?}");
    }
    assert_eq!((rig.history_len(), node.keys().len()), (0, 0));
    assert_eq!(node.pack("", &1).unwrap_err().to_string(), "a key is empty");
    for key in [&"k".repeat(256), "ключ", "__proto__", "a b/c.d", " "] {
        done(node.pack(key, &1));
        assert_eq!(node.peek(key).unwrap(), Some(1), "{key:?}");
    }
}

#[test]
fn eight_threads_of_a_thousand_packs_lose_nothing() {
    let rig = Rig::new();
    std::thread::scope(|threads| {
        for number in 0..8 {
            let node = rig.node(&format!("node-{number}"));
            threads.spawn(move || {
                for count in 0..1_000 {
                    done(node.pack("shared", &count));
                }
            });
        }
    });
    let commits = rig.backpack.debug().history(&Filter::default()).unwrap();
    assert_eq!(commits.len(), 8_000);
    assert!(commits.windows(2).all(|pair| pair[0].id() < pair[1].id()));
    assert_eq!(rig.node("a").item("shared").unwrap().unwrap().version(), 8_000);
}
