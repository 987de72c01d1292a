//! Random JSON that has a canonical form, with the characters and numbers that go wrong.

use piton_core::bounds::INTEGER_MAX;
use proptest::prelude::*;
use serde_json::{Map, Value};

pub(crate) fn text() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        4 => proptest::char::range(' ', '~'),
        1 => proptest::char::range('\0', '\u{1f}'),
        1 => proptest::char::range('\u{7f}', '\u{d7ff}'),
        1 => proptest::char::range('\u{e000}', '\u{ffff}'),
        1 => proptest::char::range('\u{10000}', '\u{10ffff}'),
    ];
    proptest::collection::vec(character, 0..12).prop_map(|characters| characters.iter().collect())
}

/// Doubles of every size, also the smallest and the largest.
fn double() -> impl Strategy<Value = f64> {
    let any_bits = any::<u64>().prop_map(f64::from_bits);
    let everyday = (-1_000_000_000_i64..1_000_000_000, 0..12)
        .prop_map(|(digits, shift)| format!("{digits}e-{shift}").parse().expect("a number"));
    #[expect(clippy::cast_precision_loss, reason = "2^53 − 1 is exact in a double")]
    prop_oneof![any_bits, everyday].prop_filter("has a canonical form", |value: &f64| {
        value.is_finite() && (value.abs() <= INTEGER_MAX as f64 || value.abs() >= 1e21)
    })
}

pub(crate) fn json() -> impl Strategy<Value = Value> {
    let safe = i64::try_from(INTEGER_MAX).expect("it has 53 bits");
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-safe..=safe).prop_map(Value::from),
        double().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 64, 8, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            proptest::collection::vec((text(), inner), 0..8)
                .prop_map(|entries| Value::Object(entries.into_iter().collect::<Map<_, _>>())),
        ]
    })
}
