//! Closed sets: names are fixed, and nothing else parses.

use piton_core::{Code, Domain, MeasuredSize, UnknownValue};
use serde_json::json;

piton_core::closed_set! {
    /// A set as another crate declares it.
    pub enum Mode {
        /// One.
        FirstMode => "first_mode",
        /// Two.
        Second => "second",
    }
}

// shows: WR-019
#[test]
fn a_value_has_one_name_in_text_and_json() {
    assert_eq!(Mode::ALL, [Mode::FirstMode, Mode::Second]);
    assert_eq!(Mode::NAMES, ["first_mode", "second"]);
    for mode in Mode::ALL {
        assert_eq!(mode.to_string(), mode.as_str());
        assert_eq!(mode.as_str().parse(), Ok(*mode));
        assert_eq!(serde_json::to_value(mode).unwrap(), json!(mode.as_str()));
        assert_eq!(serde_json::from_value::<Mode>(json!(mode.as_str())).unwrap(), *mode);
    }
}

// shows: WR-019
#[test]
fn an_unknown_name_is_refused_with_the_known_ones() {
    for wrong in ["", "First_mode", "FirstMode", "first_mode ", "third"] {
        let error = wrong.parse::<Mode>().unwrap_err();
        assert_eq!(error, UnknownValue::new("Mode", wrong, &["first_mode", "second"]));
        let refused = serde_json::from_value::<Mode>(json!(wrong)).unwrap_err();
        assert_eq!(refused.to_string(), error.to_string());
    }
    assert_eq!(
        "third".parse::<Mode>().unwrap_err().to_string(),
        "`third` is not one of: first_mode, second"
    );
    assert!(serde_json::from_value::<Mode>(json!(1)).is_err());
    assert!(serde_json::from_value::<Mode>(json!({"Second": null})).is_err());
}

// shows: WR-019
#[test]
fn a_long_unknown_name_is_shortened_in_the_error() {
    let error = "x".repeat(10_000).parse::<Mode>().unwrap_err();
    assert_eq!(error.value, format!("{}…", "x".repeat(64)));
}

// shows: WR-019, WR-487
#[test]
fn every_closed_set_of_this_crate_refuses_an_unknown_name() {
    assert!(serde_json::from_value::<Code>(json!("STORE_OTHER")).is_err());
    assert!(serde_json::from_value::<Code>(json!("store_io")).is_err());
    assert!(serde_json::from_value::<Domain>(json!("other")).is_err());
    assert!(serde_json::from_value::<MeasuredSize>(json!("characters")).is_err());
}
