//! Everything that serde can serialize comes out as `serde_json` would write it, in order.

use std::collections::{BTreeMap, HashMap};

use piton_core::canonical::encode;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

/// Both ways to the same bytes: straight from the type, and through a JSON value.
fn check<T: Serialize>(value: &T, expected: &str) {
    let straight = encode(value).expect("it has a canonical form");
    assert_eq!(straight.as_str(), expected);
    let as_value: Value = serde_json::to_value(value).expect("it has a JSON form");
    assert_eq!(encode(&as_value), Ok(straight));
}

#[derive(Serialize)]
struct Unit;

#[derive(Serialize)]
struct Newtype(u8);

#[derive(Serialize)]
struct Tuple(u8, &'static str);

#[derive(Serialize)]
struct Unsorted {
    zebra: u8,
    apple: Option<u8>,
    mango: Inner,
}

#[derive(Serialize)]
struct Inner {
    y: [u8; 2],
    x: (),
}

#[derive(Serialize)]
enum External {
    Unit,
    Newtype(u8),
    Tuple(u8, u8),
    Struct { b: u8, a: u8 },
}

#[derive(Serialize)]
#[serde(tag = "kind")]
enum Internal {
    Unit,
    Struct { z: u8, a: u8 },
}

#[derive(Serialize)]
#[serde(tag = "kind", content = "body")]
enum Adjacent {
    Tuple(u8, u8),
}

#[derive(Serialize)]
#[serde(untagged)]
enum Untagged {
    Number(u8),
    Struct { b: u8, a: u8 },
}

#[test]
fn scalars_and_sequences() {
    check(&true, "true");
    check(&(), "null");
    check(&None::<u8>, "null");
    check(&Some('é'), "\"é\"");
    check(&Unit, "null");
    check(&Newtype(3), "3");
    check(&Tuple(1, "a"), r#"[1,"a"]"#);
    check(&(1, -2_i8, "x"), r#"[1,-2,"x"]"#);
    check(&[[0_u8; 0]; 2], "[[],[]]");
    check(&0.5_f32, "0.5");
    check(&0.1_f32, "0.10000000149011612");
}

#[test]
fn a_struct_is_sorted_at_every_level() {
    let value = Unsorted { zebra: 1, apple: None, mango: Inner { y: [1, 2], x: () } };
    check(&value, r#"{"apple":null,"mango":{"x":null,"y":[1,2]},"zebra":1}"#);
    check(&BTreeMap::<String, u8>::new(), "{}");
}

/// A map that keeps the order of an array.
struct Ordered<T>(T);
impl<K: Serialize + Copy, V: Serialize, const N: usize> Serialize for Ordered<[(K, V); N]> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (*key, value)))
    }
}

#[test]
fn an_object_inside_an_entry_that_moves_moves_with_it() {
    let inner = || HashMap::from([("b", json!([{"d": 1, "c": 2}])), ("a", json!({}))]);
    let value = [("z", inner()), ("m", inner()), ("a", inner())];
    let inside = r#"{"a":{},"b":[{"c":2,"d":1}]}"#;
    check(&Ordered(value), &format!(r#"{{"a":{inside},"m":{inside},"z":{inside}}}"#));
}

#[test]
fn enums_of_every_tagging() {
    check(&External::Unit, r#""Unit""#);
    check(&External::Newtype(1), r#"{"Newtype":1}"#);
    check(&External::Tuple(1, 2), r#"{"Tuple":[1,2]}"#);
    check(&External::Struct { b: 1, a: 2 }, r#"{"Struct":{"a":2,"b":1}}"#);
    check(&Internal::Unit, r#"{"kind":"Unit"}"#);
    check(&Internal::Struct { z: 1, a: 2 }, r#"{"a":2,"kind":"Struct","z":1}"#);
    check(&Adjacent::Tuple(1, 2), r#"{"body":[1,2],"kind":"Tuple"}"#);
    check(&Untagged::Number(1), "1");
    check(&Untagged::Struct { b: 1, a: 2 }, r#"{"a":2,"b":1}"#);
}

#[test]
fn flattened_fields_are_sorted_among_the_others() {
    #[derive(Serialize)]
    struct Outer {
        m: u8,
        #[serde(flatten)]
        inner: Inner,
        #[serde(flatten)]
        tagged: Internal,
        #[serde(flatten)]
        rest: Value,
    }
    check(
        &Outer {
            m: 1,
            inner: Inner { y: [1, 2], x: () },
            tagged: Internal::Struct { z: 3, a: 4 },
            rest: json!({"n": {"q": 1, "p": 2}, "b": []}),
        },
        r#"{"a":4,"b":[],"kind":"Struct","m":1,"n":{"p":2,"q":1},"x":null,"y":[1,2],"z":3}"#,
    );
}

#[test]
fn keys_may_be_anything_that_is_a_string_in_json() {
    #[derive(Serialize, PartialEq, Eq, PartialOrd, Ord)]
    enum Key {
        Second,
        First,
    }
    #[derive(Serialize, PartialEq, Eq, PartialOrd, Ord)]
    struct Name(&'static str);
    check(&BTreeMap::from([(Key::Second, 2), (Key::First, 1)]), r#"{"First":1,"Second":2}"#);
    check(&BTreeMap::from([(Name("n"), 1)]), r#"{"n":1}"#);
    check(&BTreeMap::from([('é', 1), ('e', 2)]), r#"{"e":2,"é":1}"#);
}

#[test]
fn bytes_are_an_array_of_numbers() {
    struct Bytes(&'static [u8]);
    impl Serialize for Bytes {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_bytes(self.0)
        }
    }
    check(&Bytes(&[0, 7, 255]), "[0,7,255]");
}
