//! The speed of this machine, from one fixed piece of work.
//!
//! Some measures have nothing of their own kind to be compared with. A bar in microseconds would then judge the
//! processor rather than the code: it would miss on a slow machine and hide a regression on a fast one. So such a bar
//! is stretched by how long this work takes here, measured right before the bar is judged.
//!
//! The work is a mix of what Piton spends its time on: parsing and writing JSON, hashing, and small allocations in a
//! sorted map. It uses no code of Piton, so that nothing we change moves the bars.

use std::collections::BTreeMap;
use std::hint::black_box;

use serde_json::Value;

use super::cost::thread_cpu;
use super::statistics::summary;

/// CPU time of the work on the machine that the bars were set on, in microseconds.
const REFERENCE_US: f64 = 600.0;

const ROUNDS: usize = 15;

/// Returns how much longer this machine takes than the one that the bars were set on.
pub(crate) fn slowness() -> f64 {
    let text = document();
    let times: Vec<f64> =
        (0..ROUNDS).map(|_| thread_cpu(|| work(&text)).1.as_secs_f64() * 1e6).collect();
    summary(&times).median / REFERENCE_US
}

fn work(text: &str) {
    let value: Value = serde_json::from_str(black_box(text)).expect("the document is JSON");
    let bytes = serde_json::to_vec(&value).expect("a value can be written");
    let mut words = BTreeMap::new();
    for word in bytes.split(|byte| *byte == b'"') {
        *words.entry(word.to_vec()).or_insert(0_usize) += 1;
    }
    let mixed = bytes.iter().fold(0_u64, |sum, byte| {
        (sum.rotate_left(5) ^ u64::from(*byte)).wrapping_mul(0x517c_c1b7_2722_0a95)
    });
    black_box((words, mixed));
}

fn document() -> String {
    let entry = |number: usize| {
        serde_json::json!({
            "name": format!("entry-{number}"), "number": number, "ratio": 0.5, "words": ["some", "words", "in", "a", "list"],
        })
    };
    Value::from((0..300).map(entry).collect::<Vec<_>>()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_neither_infinitely_fast_nor_slow() {
        let slowness = slowness();
        assert!(slowness > 0.001 && slowness < 1_000.0, "{slowness}");
    }
}
