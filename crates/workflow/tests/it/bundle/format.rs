//! The form of a bundle.

use piton_core::Code;
use piton_workflow::bounds::BUNDLE_BYTES_MAX;
use piton_workflow::bundle::{Bundle, BundleError, FormatProblem};
use serde_json::{Value, json};

use super::samples::{bundle, list, object, read, refused, value};

/// Every field that a bundle must have, with the object that holds it.
const REQUIRED: [(&str, &[&str]); 5] = [
    ("", &["bundleSchemaVersion", "bundleId", "exportedAt", "producer", "integrity", "session"]),
    ("/producer", &["appVersion"]),
    ("/integrity", &["kind", "entries"]),
    ("/integrity/entries/0", &["path", "sha256", "bytes"]),
    ("/session", &["sessionId", "events", "manifest", "snapshots", "pinnedWorkflows"]),
];

// shows: WR-464, WR-466, WR-469
#[test]
fn a_bundle_has_these_fields_and_each_is_needed() {
    let whole = value();
    assert_eq!(whole["bundleSchemaVersion"], 2);
    assert_eq!(whole["integrity"]["kind"], "sha256_manifest_v1");
    for (place, fields) in REQUIRED {
        let holder = whole.pointer(place).unwrap().as_object().unwrap();
        let mut expected: Vec<&str> = fields.to_vec();
        if place == "/session" {
            expected.push("artifacts");
        }
        expected.sort_unstable();
        assert_eq!(holder.keys().map(String::as_str).collect::<Vec<_>>(), expected, "{place}");
        for field in fields {
            refused(Code::BundleInvalidFormat, |value| {
                object(value, place).remove(*field).unwrap();
            });
        }
    }
}

#[test]
fn a_field_too_many_is_refused_wherever_it_stands() {
    let whole = value();
    let key = |map: &str| {
        let keys = whole["session"][map].as_object().unwrap().keys();
        format!("/session/{map}/{}", keys.into_iter().next().unwrap())
    };
    let places = [
        String::new(),
        "/producer".to_owned(),
        "/integrity".to_owned(),
        "/integrity/entries/0".to_owned(),
        "/session".to_owned(),
        "/session/events/0".to_owned(),
        "/session/events/0/data".to_owned(),
        "/session/manifest/0".to_owned(),
        "/session/manifest/1".to_owned(),
        key("snapshots"),
        key("pinnedWorkflows"),
    ];
    for place in places {
        let error = refused(Code::BundleInvalidFormat, |value| {
            object(value, &place).insert("surprise".to_owned(), json!(1));
        });
        assert!(error.to_string().contains("surprise"), "{place}: {error}");
    }
}

#[test]
fn what_is_said_in_another_way_than_it_is_written_is_refused() {
    let absent = |value: &mut Value| {
        object(value, "/producer").insert("appliedConfigHash".to_owned(), Value::Null);
    };
    refused(Code::BundleInvalidFormat, absent);
    let hash = |value: &mut Value| {
        let name = value["session"]["pinnedWorkflows"].as_object().unwrap().keys().next().cloned();
        let workflow = format!("/session/pinnedWorkflows/{}", name.unwrap());
        object(value, &workflow).insert("agentRole".to_owned(), Value::Null);
        super::samples::reseal(value);
    };
    refused(Code::BundleIntegrityFailed, hash);
    let text = value().to_string();
    let twice = text.replacen('{', r#"{"exportedAt":1,"#, 1);
    assert_eq!(Bundle::read(twice.as_bytes()).unwrap_err().code(), Code::BundleInvalidFormat);
}

#[test]
fn spacing_and_the_order_of_fields_do_not_matter() {
    let pretty = serde_json::to_string_pretty(&value()).unwrap();
    assert!(Bundle::read(pretty.as_bytes()).unwrap() == bundle());
    let text = value().to_string();
    let time = format!(r#""exportedAt":{},"#, value()["exportedAt"]);
    let moved = text.replacen(&time, "", 1).replacen('{', &format!("{{{time}"), 1);
    assert!(moved != text);
    assert!(Bundle::read(moved.as_bytes()).unwrap() == bundle());
}

// shows in part: WR-473 (the part about the form)
#[test]
fn what_is_not_a_bundle_at_all_is_refused() {
    for text in ["", "{", "[]", "null", "{}", "\u{feff}{}", r#"{"bundleSchemaVersion":1}"#] {
        let error = Bundle::read(text.as_bytes()).unwrap_err();
        assert_eq!(error.code(), Code::BundleInvalidFormat, "{text}: {error}");
        assert!(!error.to_string().contains("struct"), "{text}: {error}");
    }
}

#[test]
fn another_version_is_named_and_never_guessed_at() {
    for version in [0, 3, 99] {
        let error = refused(Code::BundleUnsupportedVersion, |value| {
            value["bundleSchemaVersion"] = version.into();
            // Another version may have other fields.
            value["whatever"] = json!({});
        });
        assert!(error.to_string().contains(&format!("version {version}")), "{error}");
    }
    for version in ["1", "2"] {
        refused(Code::BundleInvalidFormat, |value| value["bundleSchemaVersion"] = json!(version));
    }
}

// shows in part: WR-464 (the part about versions)
#[test]
fn each_version_says_when_it_was_exported_in_its_own_way() {
    let text = value()["exportedAt"].clone();
    assert_eq!(text, bundle().origin().exported_at.rfc3339());
    let ms = json!(bundle().origin().exported_at);
    let with = |version: u32, time: &Value| {
        let mut value = value();
        value["bundleSchemaVersion"] = json!(version);
        value["exportedAt"] = time.clone();
        read(&value)
    };
    let (first, second) = (with(1, &ms).unwrap(), with(2, &text).unwrap());
    assert_eq!(first.origin(), second.origin());
    assert_eq!(first.content(), second.content());
    let others = [json!("2026-11-16"), json!("2026-11-16T05:40:12Z"), json!(-1), json!(1.5)];
    for (version, time) in
        [(1, &text), (2, &ms)].into_iter().chain(others.iter().map(|one| (2, one)))
    {
        let error = with(version, time).unwrap_err();
        assert_eq!(error.code(), Code::BundleInvalidFormat, "{version}: {time}: {error}");
    }
}

// shows: WR-051
#[test]
fn a_path_that_is_absolute_or_leads_upwards_is_refused() {
    for path in
        ["/session/events", "session/../events", "../session/events", "session/snapshots/x", ""]
    {
        let error = refused(Code::BundleInvalidFormat, |value| {
            value["integrity"]["entries"][0]["path"] = path.into();
        });
        assert!(error.to_string().contains("names no part of a bundle"), "{error}");
    }
    for path in ["/events/00000000-00000005.jsonl", "../events/00000000-00000005.jsonl"] {
        refused(Code::BundleManifestOrderInvalid, |value| {
            list(value, "/session/manifest")[0]["segmentRelPath"] = path.into();
            super::samples::reseal(value);
        });
    }
}

#[test]
fn a_bundle_has_a_largest_size() {
    let error = Bundle::read(&vec![0; BUNDLE_BYTES_MAX + 1]).unwrap_err();
    let expected = FormatProblem::TooLarge { bytes: BUNDLE_BYTES_MAX + 1 };
    assert_eq!(error, BundleError::Format(expected));
}

#[test]
fn artifacts_are_left_out_if_there_are_none() {
    let (store, mut tale) =
        (crate::carry::store::Store::in_memory(1), crate::carry::tale::Tale::new(3));
    tale.run();
    store.write(&tale);
    let text = store.export(tale.session).encode().unwrap();
    let value: Value = serde_json::from_slice(text.as_bytes()).unwrap();
    assert!(value["session"].get("artifacts").is_none());
    read(&value).unwrap();
}

// shows in part: WR-463 (the part about a schema)
#[test]
fn the_fields_of_a_bundle_are_fixed() {
    let schema = schemars::schema_for!(Bundle);
    let schema: Value = serde_json::to_value(schema).unwrap();
    for (place, fields) in [
        REQUIRED[0],
        ("/$defs/SessionContent", REQUIRED[4].1),
        ("/$defs/PartDigest", REQUIRED[3].1),
    ] {
        let required = &schema.pointer(place).unwrap()["required"];
        let mut found: Vec<&str> =
            required.as_array().unwrap().iter().filter_map(Value::as_str).collect();
        found.sort_unstable();
        let mut expected = fields.to_vec();
        expected.sort_unstable();
        assert_eq!(found, expected, "{place}");
    }
}
