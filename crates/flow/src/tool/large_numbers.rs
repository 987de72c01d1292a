//! Whole numbers that JSON readers cannot keep.
//!
//! Everything that is stored is canonical JSON (RFC 8785), whose numbers are doubles: beyond ±(2^53 − 1) two different
//! integers would become one. Databases and APIs hand out such numbers as ids, so they are kept as texts with the same
//! digits, as those APIs themselves do for their JavaScript clients.
//!
//! *Limitations*: what does not fit into 64 bits has lost digits before it gets here, when its JSON was read.

use piton_core::bounds::INTEGER_MAX;
use serde_json::{Number, Value};

/// Turns every whole number beyond ±(2^53 − 1) in `value` into a text of its digits; returns how many there were.
pub(crate) fn keep_as_text(value: &mut Value) -> usize {
    match value {
        Value::Number(number) if is_too_large(number) => {
            *value = Value::String(digits(number));
            1
        }
        Value::Array(entries) => entries.iter_mut().map(keep_as_text).sum(),
        Value::Object(fields) => fields.values_mut().map(keep_as_text).sum(),
        _ => 0,
    }
}

fn is_too_large(number: &Number) -> bool {
    match (number.as_i64(), number.as_u64()) {
        (Some(signed), _) => signed.unsigned_abs() > INTEGER_MAX,
        (None, Some(_)) => true,
        // Only what the canonical form has no text for: beyond 10^21 it writes an exponent.
        (None, None) => piton_core::canonical::encode(number).is_err(),
    }
}

fn digits(number: &Number) -> String {
    // A float prints in full here, where JSON would write `1e20`.
    if number.is_f64() {
        format!("{}", number.as_f64().unwrap_or_default())
    } else {
        number.to_string()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_whole_numbers_beyond_2_to_the_53_become_texts() {
        let table = [
            (json!(9_007_199_254_740_991_u64), json!(9_007_199_254_740_991_u64), 0),
            (json!(9_007_199_254_740_993_u64), json!("9007199254740993"), 1),
            (json!(-9_007_199_254_740_993_i64), json!("-9007199254740993"), 1),
            (json!(u64::MAX), json!("18446744073709551615"), 1),
            (json!(i64::MIN), json!("-9223372036854775808"), 1),
            (json!(1e20), json!("100000000000000000000"), 1),
            (json!(1e21), json!(1e21), 0),
            (json!(0.5), json!(0.5), 0),
            (
                json!({ "a": [1, { "id": u64::MAX }, u64::MAX] }),
                json!({ "a": [1, { "id": "18446744073709551615" }, "18446744073709551615"] }),
                2,
            ),
        ];
        for (mut value, expected, count) in table {
            assert_eq!(keep_as_text(&mut value), count, "{value}");
            assert_eq!(value, expected);
            piton_core::canonical::encode(&value).unwrap();
        }
    }
}
