//! Numbers of a value that its stored form cannot hold.
//!
//! Everything stored is canonical JSON (RFC 8785), whose numbers are doubles: beyond ±(2^53 − 1) two different integers
//! would become one. Databases and APIs use such numbers as ids, so they are kept as texts with the same digits, as
//! those APIs themselves do for their JavaScript clients.
//!
//! *Limitations*: a number that does not fit into 64 bits is a float in a value. If it comes from JSON text, its digits
//! are saved before that is parsed, or they are lost. Such numbers are counted separately, and never written with
//! digits that look exact.

use piton_core::bounds::INTEGER_MAX;
use serde_json::{Number, Value};

/// Counts of numbers in a value that are too large for canonical JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LargeNumbers {
    /// Integers that became texts of their digits.
    pub(crate) whole: usize,
    /// Floats that may have been longer integers.
    pub(crate) floats: usize,
    /// Those of the floats that became texts.
    pub(crate) float_texts: usize,
}

/// Turns every integer beyond ±(2^53 − 1) in `value` into a text of its digits, and every float without a canonical
/// form into a text in exponent notation.
pub(crate) fn keep_as_text(value: &mut Value) -> LargeNumbers {
    let mut found = LargeNumbers::default();
    keep_all(value, &mut found);
    found
}

fn keep_all(value: &mut Value, found: &mut LargeNumbers) {
    match value {
        Value::Number(number) if is_large_integer(number) => {
            found.whole += 1;
            *value = Value::String(number.to_string());
        }
        Value::Number(number) => {
            let float = number.as_f64().filter(|float| is_large_float(number, *float));
            let Some(float) = float else { return };
            found.floats += 1;
            // The canonical form has no whole floats below 10^21.
            if piton_core::canonical::encode(number).is_err() {
                found.float_texts += 1;
                *value = Value::String(format!("{float:e}"));
            }
        }
        Value::Array(entries) => entries.iter_mut().for_each(|entry| keep_all(entry, found)),
        Value::Object(fields) => fields.values_mut().for_each(|field| keep_all(field, found)),
        _ => {}
    }
}

fn is_large_integer(number: &Number) -> bool {
    let signed = number.as_i64().is_some_and(|signed| signed.unsigned_abs() > INTEGER_MAX);
    signed || number.as_i64().is_none() && number.as_u64().is_some()
}

/// True if a number is a float that may have been a longer integer.
fn is_large_float(number: &Number, float: f64) -> bool {
    const EXACT_MAX: f64 = 9_007_199_254_740_991.0;
    number.is_f64() && float.fract() == 0.0 && float.abs() > EXACT_MAX
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_whole_numbers_beyond_2_to_the_53_become_texts() {
        let exactly = |whole| LargeNumbers { whole, ..LargeNumbers::default() };
        let float = |float_texts| LargeNumbers { whole: 0, floats: 1, float_texts };
        let long = |digits: &str| serde_json::from_str::<Value>(digits).unwrap();
        let table = [
            (json!(9_007_199_254_740_991_u64), json!(9_007_199_254_740_991_u64), exactly(0)),
            (json!(9_007_199_254_740_993_u64), json!("9007199254740993"), exactly(1)),
            (json!(-9_007_199_254_740_993_i64), json!("-9007199254740993"), exactly(1)),
            (json!(u64::MAX), json!("18446744073709551615"), exactly(1)),
            (json!(i64::MIN), json!("-9223372036854775808"), exactly(1)),
            (long("-9223372036854775809"), json!("-9.223372036854776e18"), float(1)),
            (long("123456789012345678901234567890"), json!(1.234_567_890_123_456_8e29), float(0)),
            (json!(1e20), json!("1e20"), float(1)),
            (json!(0.5), json!(0.5), exactly(0)),
            (
                json!({ "a": [1, { "id": u64::MAX }, u64::MAX] }),
                json!({ "a": [1, { "id": "18446744073709551615" }, "18446744073709551615"] }),
                exactly(2),
            ),
        ];
        for (mut value, expected, count) in table {
            assert_eq!(keep_as_text(&mut value), count, "{value}");
            assert_eq!(value, expected);
            piton_core::canonical::encode(&value).unwrap();
        }
    }
}
