//! What holds for every value that has a canonical form.

use piton_core::canonical::encode;
use piton_core::port::fixed::SeededEntropy;
use proptest::prelude::*;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::json_strategy::{json, text};

/// A value whose objects serialize their entries in an order of their own.
enum Shuffled {
    Leaf(Value),
    Array(Vec<Self>),
    Object(Vec<(String, Self)>),
}

impl Shuffled {
    fn new(value: &Value, entropy: &SeededEntropy) -> Self {
        match value {
            Value::Array(items) => {
                Self::Array(items.iter().map(|item| Self::new(item, entropy)).collect())
            }
            Value::Object(object) => {
                let mut entries: Vec<_> = object
                    .iter()
                    .map(|(key, value)| (key.clone(), Self::new(value, entropy)))
                    .collect();
                entries.sort_by_cached_key(|_| entropy.next_u64());
                Self::Object(entries)
            }
            leaf => Self::Leaf(leaf.clone()),
        }
    }
}

impl Serialize for Shuffled {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Leaf(value) => value.serialize(serializer),
            Self::Array(items) => serializer.collect_seq(items),
            Self::Object(entries) => {
                serializer.collect_map(entries.iter().map(|(key, value)| (key, value)))
            }
        }
    }
}

proptest! {
    // shows: WR-001
    #[test]
    fn the_bytes_are_those_of_an_independent_implementation(value in json()) {
        let oracle = serde_json_canonicalizer::to_string(&value).unwrap();
        let encoded = encode(&value).unwrap();
        prop_assert_eq!(encoded.as_str(), oracle);
    }

    // shows: WR-004
    // shows in part: WR-550 (the stability of canonical JSON)
    #[test]
    fn the_order_of_keys_does_not_matter(value in json(), seed in any::<u64>()) {
        let shuffled = Shuffled::new(&value, &SeededEntropy::new(seed));
        prop_assert_eq!(encode(&shuffled).unwrap(), encode(&value).unwrap());
    }

    // shows: WR-001
    // shows in part: WR-550 (the stability of canonical JSON)
    #[test]
    fn what_was_written_reads_back_and_encodes_to_the_same_bytes(value in json()) {
        let once = encode(&value).unwrap();
        let read: Value = serde_json::from_slice(once.as_bytes()).unwrap();
        prop_assert_eq!(encode(&read).unwrap(), once);
    }

    // shows: WR-001
    #[test]
    fn keys_stand_in_utf16_order(keys in proptest::collection::btree_set(text(), 0..20)) {
        let object: Map<_, _> = keys.into_iter().map(|key| (key, Value::Null)).collect();
        let encoded = encode(&object).unwrap();
        let mut expected: Vec<_> = object.keys().collect();
        expected.sort_by_key(|key| key.encode_utf16().collect::<Vec<_>>());
        let expected: Vec<_> = expected
            .into_iter()
            .map(|key| format!("{}:null", encode(key).unwrap()))
            .collect();
        prop_assert_eq!(encoded.as_str(), format!("{{{}}}", expected.join(",")));
    }
}

// shows: WR-004
#[test]
fn no_dependency_turns_on_insertion_order_in_serde_json() {
    // Encoding would stay correct, but every map would have to be sorted, and reading a file and
    // writing it again would depend on a feature that any crate of the tree can switch.
    let value: Value = serde_json::from_str(r#"{"b":1,"a":2}"#).unwrap();
    assert_eq!(value.to_string(), r#"{"a":2,"b":1}"#);
}
