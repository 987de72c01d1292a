//! What has no canonical form is refused by name.

use std::collections::BTreeMap;

use piton_core::bounds::{DEPTH_MAX, INTEGER_MAX};
use piton_core::canonical::{encode, encode_into};
use piton_core::{CanonicalBytes, CanonicalError};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

fn refusal<T: Serialize>(value: &T) -> CanonicalError {
    encode(value).expect_err("it must be refused")
}

fn text(encoded: Result<CanonicalBytes, CanonicalError>) -> String {
    encoded.expect("it has a canonical form").to_string()
}

/// A map that keeps whatever order and duplicates it is given.
struct Entries<'a>(&'a [(&'a str, u8)]);

impl Serialize for Entries<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

#[test]
fn a_whole_number_outside_the_safe_range_is_refused_in_every_type() {
    let beyond = i128::from(INTEGER_MAX) + 1;
    let out_of_range = |error| matches!(error, CanonicalError::IntegerOutOfRange { .. });
    assert!(out_of_range(refusal(&(INTEGER_MAX + 1))));
    assert!(out_of_range(refusal(&u64::MAX)));
    assert!(out_of_range(refusal(&i64::MAX)));
    assert!(out_of_range(refusal(&i64::MIN)));
    assert!(out_of_range(refusal(&beyond)));
    assert!(out_of_range(refusal(&-beyond)));
    assert!(out_of_range(refusal(&i128::MIN)));
    assert!(out_of_range(refusal(&u128::MAX)));
    assert!(out_of_range(refusal(&9_007_199_254_740_992.0_f64)));
    assert!(out_of_range(refusal(&-1e17_f64)));
    assert!(out_of_range(refusal(&999_999_999_999_999_900_000.0_f64)));
    assert!(out_of_range(refusal(&1e20_f32)));

    assert_eq!(text(encode(&INTEGER_MAX)), "9007199254740991");
    assert_eq!(text(encode(&(beyond - 1))), "9007199254740991");
    assert_eq!(text(encode(&(1 - beyond))), "-9007199254740991");
    assert_eq!(text(encode(&7_u128)), "7");
    assert_eq!(text(encode(&1e21_f64)), "1e+21");
}

#[test]
fn what_is_not_a_number_is_refused() {
    for (value, name) in
        [(f64::NAN, "NaN"), (-f64::NAN, "NaN"), (f64::INFINITY, "inf"), (f64::NEG_INFINITY, "-inf")]
    {
        assert_eq!(refusal(&value), CanonicalError::NotFinite { value: name });
    }
    assert!(matches!(refusal(&f32::NAN), CanonicalError::NotFinite { .. }));
}

#[test]
fn a_duplicate_key_is_refused_wherever_the_second_one_stands() {
    for entries in [
        &[("a", 1), ("a", 1)][..],
        &[("a", 1), ("b", 2), ("a", 3)],
        &[("b", 1), ("a", 2), ("b", 3)],
        &[("b", 1), ("a", 2), ("c", 3), ("a", 4)],
    ] {
        assert!(
            matches!(refusal(&Entries(entries)), CanonicalError::DuplicateKey { .. }),
            "{entries:?}"
        );
    }
    assert_eq!(
        refusal(&Entries(&[("\n\u{fb33}", 1), ("x", 1), ("\n\u{fb33}", 2)])),
        CanonicalError::DuplicateKey { key: "\n\u{fb33}".to_owned() }
    );
}

#[test]
fn a_flattened_field_that_repeats_a_field_is_refused() {
    #[derive(Serialize)]
    struct Outer {
        name: u8,
        #[serde(flatten)]
        rest: BTreeMap<&'static str, u8>,
    }
    let outer = Outer { name: 1, rest: BTreeMap::from([("name", 2)]) };
    assert_eq!(refusal(&outer), CanonicalError::DuplicateKey { key: "name".to_owned() });
}

#[test]
fn a_key_that_is_not_a_string_is_refused() {
    let key = |error| match error {
        CanonicalError::NonStringKey { found } => found,
        other => panic!("{other}"),
    };
    assert_eq!(key(refusal(&BTreeMap::from([(1_u8, 0)]))), "an integer");
    assert_eq!(key(refusal(&BTreeMap::from([(-1_i128, 0)]))), "an integer");
    assert_eq!(key(refusal(&BTreeMap::from([(true, 0)]))), "a boolean");
    assert_eq!(key(refusal(&BTreeMap::from([((), 0)]))), "null");
    assert_eq!(key(refusal(&BTreeMap::from([(None::<&str>, 0)]))), "null");
    assert_eq!(key(refusal(&BTreeMap::from([(["a"], 0)]))), "an array");
    assert_eq!(key(refusal(&BTreeMap::from([(BTreeMap::from([("a", 0)]), 0)]))), "an object");
}

#[test]
fn nesting_is_bounded_by_what_can_be_read_back() {
    let nested = |depth: usize| (0..depth).fold(json!(1), |inner, _| json!([inner]));
    let deepest = encode(&nested(DEPTH_MAX)).unwrap();
    assert!(serde_json::from_slice::<Value>(deepest.as_bytes()).is_ok());
    assert_eq!(refusal(&nested(DEPTH_MAX + 1)), CanonicalError::TooDeep);

    let objects = |depth: usize| (0..depth).fold(json!(1), |inner, _| json!({ "a": inner }));
    assert!(encode(&objects(DEPTH_MAX)).is_ok());
    assert_eq!(refusal(&objects(DEPTH_MAX + 1)), CanonicalError::TooDeep);
}

#[test]
fn a_variant_with_content_counts_as_a_level() {
    #[derive(Serialize)]
    enum Nest {
        In(Box<Nest>),
        Pair(Box<Nest>, u8),
        Named { inner: Box<Nest> },
        End,
    }
    let chain = |depth: usize| (0..depth).fold(Nest::End, |inner, _| Nest::In(Box::new(inner)));
    assert!(encode(&chain(DEPTH_MAX)).is_ok());
    assert_eq!(refusal(&chain(DEPTH_MAX + 1)), CanonicalError::TooDeep);

    // A tuple or struct variant is an object around an array or object: two levels each.
    let last = |inner| Nest::Named { inner: Box::new(Nest::Pair(Box::new(inner), 0)) };
    assert!(encode(&last(chain(DEPTH_MAX - 4))).is_ok());
    assert_eq!(refusal(&last(chain(DEPTH_MAX - 3))), CanonicalError::TooDeep);
    // Levels are given back: many variants beside each other are not deep.
    let wide: Vec<Nest> = (0..1000).map(|_| last(Nest::End)).collect();
    assert!(encode(&wide).is_ok());
}

#[test]
fn a_private_form_of_serde_json_is_refused_instead_of_written_as_an_object() {
    #[derive(Serialize)]
    #[serde(rename = "$serde_json::private::RawValue")]
    struct Raw {
        #[serde(rename = "$serde_json::private::RawValue")]
        text: &'static str,
    }
    assert_eq!(refusal(&Raw { text: "1.0" }), CanonicalError::RawJson);
}

#[test]
fn an_error_of_the_value_itself_is_passed_on() {
    struct Broken;
    impl Serialize for Broken {
        fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("half written"))
        }
    }
    assert_eq!(refusal(&[Broken]).to_string(), "the value could not be serialized: half written");
}

#[test]
fn a_failed_append_leaves_the_output_as_it_was() {
    let mut out = b"before ".to_vec();
    encode_into(&json!({"a": [1, 2]}), &mut out).unwrap();
    assert_eq!(out, br#"before {"a":[1,2]}"#);

    let half = json!({"b": 1, "c": {"d": [1, u64::MAX]}});
    assert!(encode_into(&half, &mut out).is_err());
    assert_eq!(out, br#"before {"a":[1,2]}"#);
}

#[test]
fn every_refusal_says_what_is_wrong_in_one_plain_line() {
    let lines: Vec<String> = [
        refusal(&u64::MAX),
        refusal(&f64::NAN),
        refusal(&Entries(&[("twice", 1), ("twice", 2)])),
        refusal(&BTreeMap::from([(1, 1)])),
        CanonicalError::TooDeep,
        CanonicalError::RawJson,
    ]
    .iter()
    .map(ToString::to_string)
    .collect();
    insta::assert_snapshot!(lines.join("\n"));
}
