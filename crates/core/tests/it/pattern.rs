//! Namespace patterns: the table, a naive matcher to compare with, and bounded time.

use piton_core::{Namespace, Pattern, PatternError};
use proptest::prelude::*;
use serde_json::json;

fn matches(pattern: &str, namespace: &str) -> bool {
    let pattern = Pattern::parse(pattern).expect("a pattern");
    pattern.matches(&Namespace::parse(namespace).expect("a namespace"))
}

// shows: BP-039
#[test]
fn patterns_select_what_the_table_says() {
    let table: &[(&str, &[&str], &[&str])] = &[
        ("sales", &["sales"], &["sale", "sales2", "sales.a", "a.sales", "Sales"]),
        ("sales.a", &["sales.a"], &["sales", "sales.b", "sales.a.b", "x.sales.a"]),
        ("sales.*", &["sales.a", "sales.bcd"], &["sales", "sales.a.b", "sal.a"]),
        ("*", &["sales", "x"], &["a.b"]),
        ("*.*", &["a.b"], &["a", "a.b.c"]),
        ("*.b", &["a.b"], &["b", "a.a.b", "a.bb"]),
        ("s*", &["s", "sales"], &["as", "sales.a"]),
        ("*s", &["s", "sales", "ss"], &["sa", "a.s"]),
        ("a*c.d", &["ac.d", "abc.d", "acc.d"], &["a.c.d", "ab.d", "acd"]),
        ("*a*b*", &["ab", "xaxbx", "bab"], &["ba", "a.b", "bbaa"]),
        ("**", &["a", "a.b", "a.b.c"], &[]),
        ("a.**", &["a", "a.b", "a.b.c"], &["b", "ab", "b.a"]),
        ("**.a", &["a", "b.a", "a.a", "c.b.a"], &["a.b", "ba"]),
        ("a.**.z", &["a.z", "a.b.z", "a.z.z", "a.b.c.z"], &["a", "z", "az", "a.z.b"]),
        ("**.a.**.b.**", &["a.b", "x.a.y.b.z", "b.a.b"], &["b.a", "a", "b"]),
        ("**.**", &["a", "a.b"], &[]),
        ("**.*", &["a", "a.b"], &[]),
        ("**.*.*", &["a.b", "a.b.c"], &["a"]),
        (
            "**.research.*",
            &["research.a", "x.y.research.b"],
            &["research", "a.research", "research.a.b"],
        ),
        ("a**b", &["ab", "axb"], &["a.b", "a.x.b"]),
        ("***", &["a", "abc"], &["a.b"]),
        ("a+b.*", &["a+b.c"], &["aab.c", "ab.c"]),
        ("(", &["("], &["a"]),
        ("a|b", &["a|b"], &["a", "b"]),
        ("[ab].?", &["[ab].?"], &["a.x"]),
        ("^a$", &["^a$"], &["a"]),
        ("é*.日*本", &["éa.日本", "é.日x本"], &["e.日本", "é.本日"]),
    ];
    for (pattern, selected, others) in table {
        for namespace in *selected {
            assert!(matches(pattern, namespace), "{pattern} must match {namespace}");
        }
        for namespace in *others {
            assert!(!matches(pattern, namespace), "{pattern} must not match {namespace}");
        }
    }
}

// shows: BP-039
#[test]
fn an_empty_pattern_or_segment_is_an_error_when_it_is_declared() {
    for (text, expected) in [
        ("", PatternError::Empty),
        (".", PatternError::EmptySegment),
        ("a.", PatternError::EmptySegment),
        (".a", PatternError::EmptySegment),
        ("a..b", PatternError::EmptySegment),
        ("**..*", PatternError::EmptySegment),
    ] {
        assert_eq!(Pattern::parse(text), Err(expected), "{text:?}");
        assert_eq!(Namespace::parse(&text.replace('*', "x")), Err(expected));
        assert!(serde_json::from_value::<Pattern>(json!(text)).is_err());
    }
    let too_long = PatternError::TooLong { max_bytes: 256 };
    assert!(Pattern::parse(&"a".repeat(256)).is_ok());
    assert_eq!(Pattern::parse(&"a".repeat(257)), Err(too_long));
    assert!(Namespace::parse(&"a".repeat(256)).is_ok());
    assert_eq!(Namespace::parse(&"a".repeat(257)), Err(too_long));
    assert_eq!(Namespace::parse("a.*"), Err(PatternError::Star));
}

// shows: BP-039
#[test]
fn the_worst_patterns_stay_cheap() {
    // A matcher that tries every split needs more than 2^24 steps for most of these; a hundred
    // matches each would then not end within a test run.
    let name = "a".repeat(256);
    let segments = vec!["a"; 128].join(".");
    let hostile = [
        (format!("{}b", "*a".repeat(24)), name.clone()),
        (format!("{}b", "a*".repeat(120)), name.clone()),
        ("*".repeat(256), name),
        (format!("{}b", "**.a.".repeat(24)), segments.clone()),
        (format!("{}b", "**.*a*.".repeat(24)), segments),
    ];
    for (pattern, namespace) in &hostile {
        let expected = pattern.bytes().all(|byte| byte == b'*');
        let pattern = Pattern::parse(pattern).unwrap();
        let namespace = Namespace::parse(namespace).unwrap();
        for _ in 0..100 {
            assert_eq!(pattern.matches(&namespace), expected);
        }
    }
}

// shows: BP-039
#[test]
fn the_literal_prefix_is_the_leading_segments_without_a_star() {
    for (pattern, prefix) in [
        ("a.b.c", "a.b.c"),
        ("a.b.*", "a.b"),
        ("a.b*.c", "a"),
        ("a.**.c", "a"),
        ("*.a", ""),
        ("a*", ""),
        ("**", ""),
    ] {
        assert_eq!(Pattern::parse(pattern).unwrap().literal_prefix(), prefix);
    }
}

/// Tries every possibility.
fn naive_path(pattern: &[&str], names: &[&str]) -> bool {
    match pattern.split_first() {
        None => names.is_empty(),
        Some((&"**", rest)) => (0..=names.len()).any(|skip| naive_path(rest, &names[skip..])),
        Some((segment, rest)) => names.split_first().is_some_and(|(name, names)| {
            naive_segment(segment.as_bytes(), name.as_bytes()) && naive_path(rest, names)
        }),
    }
}

fn naive_segment(pattern: &[u8], name: &[u8]) -> bool {
    match pattern.split_first() {
        None => name.is_empty(),
        Some((b'*', rest)) => (0..=name.len()).any(|skip| naive_segment(rest, &name[skip..])),
        Some((byte, rest)) => name.first() == Some(byte) && naive_segment(rest, &name[1..]),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    // shows: BP-039
    #[test]
    fn matching_agrees_with_trying_every_possibility(
        pattern in proptest::collection::vec("\\*\\*|[ab*]{1,4}", 1..6),
        names in proptest::collection::vec("[ab]{1,4}", 1..6),
    ) {
        let pattern: Vec<&str> = pattern.iter().map(String::as_str).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let expected = naive_path(&pattern, &names);
        prop_assert_eq!(matches(&pattern.join("."), &names.join(".")), expected);
    }

    // shows: BP-039
    #[test]
    fn whatever_matches_begins_with_the_literal_prefix(
        pattern in "(a|b)(\\.(a|b|\\*|\\*\\*)){0,4}",
        namespace in "(a|b)(\\.(a|b)){0,4}",
    ) {
        let pattern = Pattern::parse(&pattern).unwrap();
        if pattern.matches(&Namespace::parse(&namespace).unwrap()) {
            let rest = namespace.strip_prefix(pattern.literal_prefix());
            prop_assert!(rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.')));
        }
    }
}
