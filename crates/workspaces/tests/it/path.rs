//! Paths, as text.

use piton_workspaces::path::{LogicalPath, MountPath, PathProblem};
use proptest::prelude::*;

#[track_caller]
fn parses(text: &str, expected: &str) {
    assert_eq!(text.parse::<LogicalPath>().unwrap().as_str(), expected);
}

// shows in part: WS-005 (names with dots)
#[test]
fn empty_names_and_single_dots_are_left_out_and_nothing_else() {
    parses("/", "/");
    parses("//", "/");
    parses("/./", "/");
    parses("/a//b/./c/", "/a/b/c");
    parses("/a..b", "/a..b");
    parses("/..a", "/..a");
    parses("/...", "/...");
    parses("/ a ", "/ a ");
    parses("/%2e%2e", "/%2e%2e");
    for (text, problem) in [
        ("/..", PathProblem::DotDot),
        ("/a/../b", PathProblem::DotDot),
        ("..", PathProblem::DotDot),
        ("a", PathProblem::Relative),
        ("", PathProblem::Relative),
        ("/a\\b", PathProblem::Backslash),
        ("/a\0b", PathProblem::Control),
    ] {
        assert_eq!(text.parse::<LogicalPath>(), Err(problem), "{text:?}");
    }
}

#[test]
fn a_path_is_followed_by_what_is_in_it() {
    let mut paths: Vec<LogicalPath> = ["/a.b", "/a/c", "/a", "/", "/a-b", "/a/b/c", "/b"]
        .iter()
        .map(|p| p.parse().unwrap())
        .collect();
    paths.sort();
    let paths: Vec<&str> = paths.iter().map(LogicalPath::as_str).collect();
    assert_eq!(paths, ["/", "/a", "/a/b/c", "/a/c", "/a-b", "/a.b", "/b"]);
}

proptest! {
    #[test]
    fn what_parses_has_no_empty_name_and_no_dots_and_parses_again(text in "[/a.\\\\\u{0}\u{202e}é ]{0,40}") {
        if let Ok(path) = text.parse::<LogicalPath>() {
            prop_assert_eq!(path.as_str().parse::<LogicalPath>(), Ok(path.clone()));
            for name in path.names() {
                prop_assert!(!name.is_empty() && name != "." && name != ".." && !name.contains(['\\', '\0']));
            }
            let mount: MountPath = path.below(&LogicalPath::root()).unwrap();
            prop_assert_eq!(LogicalPath::root().join(&mount), path);
        }
    }
}
