//! The published vectors of RFC 8785.

use piton_core::canonical::encode;
use serde_json::{Value, json};

fn encoded(value: &Value) -> String {
    encode(value).expect("it has a canonical form").to_string()
}

/// The published input and output files of that name.
macro_rules! vectors {
    ($($name:literal),+ $(,)?) => {
        [$((
            $name,
            include_str!(concat!("data/jcs/input/", $name, ".json")),
            include_str!(concat!("data/jcs/output/", $name, ".json")),
        )),+]
    };
}

// shows: WR-001
#[test]
fn the_published_files_encode_to_the_published_bytes() {
    for (name, input, output) in
        vectors!("arrays", "french", "structures", "unicode", "values", "weird")
    {
        let value: Value = serde_json::from_str(input).unwrap();
        assert_eq!(encoded(&value), output.trim_end(), "{name}");
    }
}

// shows: WR-001
#[test]
fn keys_are_ordered_by_utf16_units_and_not_by_code_points() {
    let value = json!({
        "\u{20ac}": 0, "\r": 0, "\u{fb33}": 0, "1": 0, "\u{1f600}": 0, "\u{80}": 0, "\u{f6}": 0,
        "\u{e000}": 0, "\u{ffff}": 0, "\u{10ffff}": 0, "\u{d7ff}": 0,
    });
    let expected = [
        "\\r",
        "1",
        "\u{80}",
        "\u{f6}",
        "\u{20ac}",
        "\u{d7ff}",
        "\u{1f600}",
        "\u{10ffff}",
        "\u{e000}",
        "\u{fb33}",
        "\u{ffff}",
    ]
    .map(|key| format!("\"{key}\":0"))
    .join(",");
    assert_eq!(encoded(&value), format!("{{{expected}}}"));
}

// shows: WR-001
#[test]
fn escaped_keys_are_ordered_by_what_they_stand_for() {
    // As written, `\"` and `\\` begin with a backslash and would stand after `A`.
    let value = json!({"A": 0, "\"": 0, "\\": 0, "]": 0, "\u{1}": 0, "\u{1f}": 0, "\n": 0, "": 0});
    assert_eq!(encoded(&value), r#"{"":0,"\u0001":0,"\n":0,"\u001f":0,"\"":0,"A":0,"\\":0,"]":0}"#);
}

// shows: WR-001
#[test]
fn a_string_has_exactly_one_form_for_each_character() {
    for (text, expected) in [
        ("\u{8}\t\n\u{c}\r", r#""\b\t\n\f\r""#),
        ("\0\u{b}\u{1f}", r#""\u0000\u000b\u001f""#),
        ("\"\\/", r#""\"\\/""#),
        ("\u{7f}\u{80}\u{2028}\u{fffe}é😀", "\"\u{7f}\u{80}\u{2028}\u{fffe}é😀\""),
        (
            "a long text with an escape \n far from its start, and a quote \" later",
            r#""a long text with an escape \n far from its start, and a quote \" later""#,
        ),
    ] {
        assert_eq!(encoded(&json!(text)), expected);
    }
}

// shows: WR-001
#[test]
fn numbers_have_one_form_whatever_they_were_written_as() {
    for (text, expected) in [
        ("-0", "0"),
        ("-0.0", "0"),
        ("0e5", "0"),
        ("1.0", "1"),
        ("10e-1", "1"),
        ("1e2", "100"),
        ("9007199254740991", "9007199254740991"),
        ("-9007199254740991", "-9007199254740991"),
        ("9007199254740991.0", "9007199254740991"),
        ("1e21", "1e+21"),
        ("1000000000000000000000", "1e+21"),
        ("1e-7", "1e-7"),
        ("0.000001", "0.000001"),
        ("5e-324", "5e-324"),
        ("1.7976931348623157e308", "1.7976931348623157e+308"),
    ] {
        let value: Value = serde_json::from_str(text).unwrap();
        assert_eq!(encoded(&value), expected, "{text}");
    }
}
