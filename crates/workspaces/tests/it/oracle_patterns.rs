//! Every kind of pattern beside ripgrep's own results, on every kind of line and every kind of Store.
//!
//! The patterns are not chosen: each piece is combined with each way to put it into a pattern. The oracle is `rg --crlf` on
//! the same files, but for what [`is_beyond_crlf`] names.
//!
//! *Limitations*: no file has a CR that does not end a line. Versions of ripgrep differ there: since 14, `^` and `$` match
//! beside such a CR and `.` does not match it, and that is what `grep` does; 13 treats it as any other character.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use piton_store::testing::LongRun;
use piton_workspaces::overlay::OverlayStore;
use piton_workspaces::physical::PhysicalOptions;
use piton_workspaces::store::Store;
use piton_workspaces::virtual_store::VirtualStore;
use piton_workspaces::{Files, Workspaces};
use serde_json::json;

use crate::oracle::{ours, ripgrep};
use crate::world::{definition, memory_ports, namespace, physical, put, quick_directory};

/// What a pattern is made of: classes, alternation, repetition, Unicode.
const PIECES: [&str; 24] = [
    "a",
    "ab",
    ";",
    r"\{",
    r"\}",
    ".",
    ".*",
    ".+",
    "x*",
    "a|b",
    "(ab|cd)+",
    "[a-c]",
    "[^a]",
    "[^a-z]",
    "[[:space:]]",
    r"\w+",
    r"\W",
    r"\s",
    r"\S+",
    r"\d{2,3}",
    "é",
    r"\p{Lu}",
    "ß|ſ",
    r"(?i:FN)\s+\w",
];

/// How a piece is put into a pattern: anchors and boundaries on each side.
const FRAMES: [&str; 16] = [
    "{}",
    "^{}",
    "{}$",
    "^{}$",
    "^({})$",
    "^(?:{})?$",
    r"\b{}",
    r"{}\b",
    r"\B{}",
    r"{}\B",
    r"\A{}",
    r"{}\z",
    r"\A({})\z",
    "(?:^|;){}",
    r"(?:{})(?:;|\{|$)",
    r"^\s*(?:{})",
];

/// Patterns without a piece, and some that people type.
const WHOLE: [&str; 12] =
    ["^", "$", "^$", r"^\s*$", r"\b", r"\B", r"\A", r"\z", r"^\s+", r"\s+$", r"(?m)^\}$", r"\{$"];

/// Files of every shape.
fn corpus() -> Vec<(&'static str, Vec<u8>)> {
    let text = "fn main() {\n    let a = 1;\n}\n\nab\ncd ab;\n  \n\ttab\n1234 56\nend";
    let unicode = "é\nÉcole é\nnaïve café\nstraße ſ\n日本語 ab\n\u{a0}\n\u{2028}a\nΑα Ωω\n";
    let long = format!("{}\n{};\n{}ab\n", "a".repeat(3_000), "b ".repeat(2_000), "é".repeat(900));
    let crlf = |text: &str| text.replace('\n', "\r\n").into_bytes();
    vec![
        ("01-lines", format!("{text}\n").into()),
        ("02-no-final-end", text.into()),
        ("03-crlf", crlf(&format!("{text}\n"))),
        ("04-crlf-no-final-end", crlf(text)),
        ("05-empty", Vec::new()),
        ("06-one-end", b"\n".to_vec()),
        ("07-only-ends", b"\n\n\n".to_vec()),
        ("08-crlf-only-ends", b"\r\n\r\n".to_vec()),
        ("09-mixed-ends", b"a\r\nb;\nab\r\n\n\r\ncd".to_vec()),
        ("11-unicode", unicode.into()),
        ("12-unicode-crlf", crlf(unicode)),
        ("13-long", long.clone().into()),
        ("14-long-crlf", crlf(&long)),
        ("15-one", b"a".to_vec()),
        ("16-braces", b"{\n}\n {\n } \n;{\n};\n{}\n".to_vec()),
    ]
}

/// The corpus in a directory, in a Virtual Store, and in an overlay of which a third is below, a third above, and a third above
/// in front of other files.
async fn stores(directory: &Path, lower: &Path) -> Vec<(&'static str, Files)> {
    let kept = VirtualStore::new(memory_ports(1), &namespace(&["kept"]), None);
    let mut above = Vec::new();
    for (number, (name, bytes)) in corpus().into_iter().enumerate() {
        fs::write(directory.join(name), &bytes).unwrap();
        put(&kept, name, &bytes).await;
        match number % 3 {
            0 => fs::write(lower.join(name), &bytes).unwrap(),
            1 => above.push((name, bytes)),
            _ => {
                fs::write(lower.join(name), "a\nab;\n{\n\n").unwrap();
                above.push((name, bytes));
            }
        }
    }
    let below = definition("/p", "read-only", physical(lower, PhysicalOptions::default()));
    let below = Workspaces::new(vec![below]).unwrap();
    let upper = VirtualStore::new(memory_ports(2), &namespace(&["upper"]), None);
    let overlay = OverlayStore::new(upper, &below.all()[0]);
    for (name, bytes) in above {
        put(&overlay, name, &bytes).await;
    }
    let all: [(_, Arc<dyn Store>); 3] = [
        ("physical", physical(directory, PhysicalOptions::default())),
        ("virtual", Arc::new(kept)),
        ("overlay", Arc::new(overlay)),
    ];
    let files = |store| {
        let set = Workspaces::new(vec![definition("/t", "read-only", store)]);
        Files::new(Arc::new(set.unwrap()))
    };
    all.map(|(name, store)| (name, files(store))).into()
}

/// Whether `rg --crlf` does something to a pattern that nobody would want: it leaves a bare LF in the line that it matches,
/// so that `\z` never matches there (in 13 as in 15). `grep` matches `\z` at the end of every line, as `rg` does in files
/// without CR.
fn is_beyond_crlf(pattern: &str) -> bool {
    pattern.contains(r"\z")
}

/// The corpus without CR, for those patterns.
fn without_returns(directory: &Path) {
    for (name, bytes) in corpus() {
        let text = String::from_utf8(bytes).unwrap().replace("\r\n", "\n");
        fs::write(directory.join(name), text).unwrap();
    }
}

/// A line as both can be compared by: a long one is shown in part.
fn comparable(line: &str) -> String {
    // What would move the cursor is shown escaped here.
    line.replace('\u{2028}', "\\u{2028}").chars().take(300).collect()
}

mod long {
    use super::*;

    // shows in part: WS-036 (patterns)
    #[tokio::test]
    async fn every_combination_of_pattern_and_line_matches_as_it_does_for_ripgrep() {
        let (directory, lower, plain) = (quick_directory(), quick_directory(), quick_directory());
        without_returns(plain.path());
        let stores = stores(directory.path(), lower.path()).await;
        let framed = PIECES.iter().flat_map(|piece| FRAMES.map(|frame| frame.replace("{}", piece)));
        // Each fifth piece-and-frame leads through all pieces and all frames.
        let step = usize::try_from(LongRun::size(5, 1)).unwrap();
        let patterns = WHOLE.map(str::to_owned).into_iter().chain(framed.step_by(step));
        let (mut combinations, mut matching, mut differing) = (0, 0, Vec::new());
        for (number, pattern) in patterns.enumerate() {
            let ignore_case = number % 2 == 1;
            let (looked_at, ends) = if is_beyond_crlf(&pattern) {
                (plain.path(), "--no-crlf")
            } else {
                (directory.path(), "--crlf")
            };
            let flags = ["-n", "-H", ends, if ignore_case { "-i" } else { "-s" }];
            let wanted = ripgrep(looked_at, &[&flags[..], &["-e", &pattern, "."]].concat());
            let wanted = wanted.iter().map(|line| comparable(line.trim_start_matches("./")));
            let wanted: Vec<String> = wanted.collect();
            combinations += corpus().len();
            matching += wanted.len();
            for (name, files) in &stores {
                let arguments =
                    json!({ "pattern": pattern, "ignore_case": ignore_case, "limit": 2000 });
                let found = ours(files, "grep", arguments).await;
                // That nothing is found is said in words.
                let found = found.iter().filter(|line| line.contains(':'));
                let found: Vec<String> = found.map(|line| comparable(line)).collect();
                if found != wanted {
                    let ours = found.iter().find(|line| !wanted.contains(line));
                    let theirs = wanted.iter().find(|line| !found.contains(line));
                    differing.push(format!("{pattern} ({name}): {ours:?}, ripgrep {theirs:?}"));
                }
            }
        }
        assert!(differing.is_empty(), "{} differ:\n{}", differing.len(), differing.join("\n"));
        assert!(combinations > 1_000 && matching > 2_000, "{combinations} {matching}");
    }
}
