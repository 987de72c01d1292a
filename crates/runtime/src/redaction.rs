//! Takes out of a document what must not leave this machine: tokens, protected values, and paths of the machine.
//!
//! *Invariants*: every text of the document is read, names of fields too. What is taken out is counted, and a mark stands
//! where it was.
//!
//! *Limitations*: a path of another place than those that are known, or a value that somebody wrote down in another
//! spelling, is not recognised. A protected value that is a short or plain word cannot be told from other uses of the
//! word, and stays where an agent repeated it in its own text.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;

use piton_workflow::token::find_tokens;
use serde_json::{Map, Value};

use crate::bounds::PROTECTED_TEXT_BYTES_MIN;

/// Mark in the place of a token.
const TOKEN: &str = "[token]";
/// Mark in the place of a protected value.
const PROTECTED: &str = "[protected]";
/// Mark in the place of somebody's home directory.
const HOME: &str = "~";
/// Mark in the place of a directory that is known.
const DIRECTORY: &str = "[directory]";

/// Directories below which people have their home directories.
const HOMES: [&str; 2] = ["/home/", "/Users/"];

/// Directories of this machine that a document must not name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MachinePaths(Vec<(String, &'static str)>);

impl MachinePaths {
    /// Adds the home directory.
    #[must_use]
    pub fn home(self, path: Option<&Path>) -> Self {
        self.with(path, HOME)
    }

    /// Adds another directory: of a project, or of data.
    #[must_use]
    pub fn directory(self, path: Option<&Path>) -> Self {
        self.with(path, DIRECTORY)
    }

    fn with(mut self, path: Option<&Path>, mark: &'static str) -> Self {
        let path = path.map(|path| path.to_string_lossy().trim_end_matches('/').to_owned());
        // The root of the file system is no secret, and would be found everywhere.
        self.0.extend(path.filter(|path| path.len() > 1).map(|path| (path, mark)));
        // The longest first: a project below the home directory is its own mark.
        self.0.sort_by_key(|(path, _)| std::cmp::Reverse(path.len()));
        self
    }
}

/// Numbers of things that were taken out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RedactionCounts {
    pub(crate) tokens: usize,
    pub(crate) protected: usize,
    pub(crate) paths: usize,
}

/// The rules for one document, and the counts so far.
pub(crate) struct Redaction {
    paths: MachinePaths,
    protected: BTreeSet<String>,
    pub(crate) counts: RedactionCounts,
}

impl Redaction {
    /// Creates the rules. `protected` are values whose texts must not appear.
    pub(crate) fn new(paths: MachinePaths, protected: &[Value]) -> Self {
        let mut texts = BTreeSet::new();
        for value in protected {
            add_leaves(value, &mut texts);
        }
        Self { paths, protected: texts, counts: RedactionCounts::default() }
    }

    /// Takes everything out of a value that must not be in it.
    pub(crate) fn apply(&mut self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Cow::Owned(changed) = self.text(text) {
                    *text = changed;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.apply(item)),
            Value::Object(fields) => {
                for (mut name, mut field) in std::mem::take(fields) {
                    if let Cow::Owned(changed) = self.text(&name) {
                        name = free_name(fields, &changed);
                    }
                    self.apply(&mut field);
                    fields.insert(name, field);
                }
            }
            Value::Number(number) if self.protected.contains(&number.to_string()) => {
                self.counts.protected += 1;
                *value = Value::String(PROTECTED.to_owned());
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn text<'a>(&mut self, text: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        // Protected values come first: one of them may contain a path, and half of it would stay.
        for protected in &self.protected {
            let count = text.matches(protected.as_str()).count();
            if count > 0 {
                self.counts.protected += count;
                text = Cow::Owned(text.replace(protected.as_str(), PROTECTED));
            }
        }
        let tokens = find_tokens(&text);
        self.counts.tokens += tokens.len();
        for at in tokens.into_iter().rev() {
            text.to_mut().replace_range(at, TOKEN);
        }
        for (path, mark) in &self.paths.0 {
            let ends = |at: usize| Some(at + path.len());
            self.counts.paths += replace(&mut text, path, mark, ends);
        }
        for homes in HOMES {
            let of = text.clone();
            let ends = |at: usize| {
                let name = of[at + homes.len()..].split(|one: char| !is_name(one)).next()?;
                (!name.is_empty()).then_some(at + homes.len() + name.len())
            };
            self.counts.paths += replace(&mut text, homes, HOME, ends);
        }
        text
    }
}

/// Replaces each occurrence of the directory that begins with `path`, unless its name goes on. Returns how many.
fn replace(
    text: &mut Cow<'_, str>,
    path: &str,
    mark: &str,
    end: impl Fn(usize) -> Option<usize>,
) -> usize {
    let mut places = Vec::new();
    for (at, _) in text.match_indices(path) {
        let is_whole = |end: &usize| !text[*end..].starts_with(is_name);
        // Two places cannot overlap: a path begins with a slash, and has its own end before the next.
        places.extend(end(at).filter(is_whole).map(|end| at..end));
    }
    for place in places.iter().rev() {
        text.to_mut().replace_range(place.clone(), mark);
    }
    places.len()
}

/// True for characters that continue the name of a directory. A dot may as well end a sentence.
fn is_name(one: char) -> bool {
    one.is_alphanumeric() || matches!(one, '_' | '-')
}

/// Returns a name that no field has: two names may have the same mark.
fn free_name(fields: &Map<String, Value>, name: &str) -> String {
    let numbered = (2..).map(|number| format!("{name} {number}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names.find(|name| !fields.contains_key(name)).expect("there are more numbers than fields")
}

/// Adds the texts of a value that can be recognised elsewhere.
fn add_leaves(value: &Value, texts: &mut BTreeSet<String>) {
    let mut add = |text: &str| {
        // A plain word is found where nobody meant the value, in names of states too.
        let is_plain = text.chars().all(|one| one.is_ascii_lowercase() || one == '_');
        if text.len() >= PROTECTED_TEXT_BYTES_MIN && !is_plain {
            texts.insert(text.to_owned());
        }
    };
    match value {
        Value::String(text) => add(text.trim()),
        Value::Number(number) => add(&number.to_string()),
        Value::Array(items) => items.iter().for_each(|item| add_leaves(item, texts)),
        Value::Object(fields) => fields.values().for_each(|field| add_leaves(field, texts)),
        Value::Null | Value::Bool(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;
    use serde_json::json;

    use super::{MachinePaths, Redaction, RedactionCounts};

    fn paths() -> MachinePaths {
        MachinePaths::default()
            .home(Some(Path::new("/root/")))
            .directory(Some(Path::new("/root/work/shop")))
            .directory(Some(Path::new("/")))
            .directory(None)
    }

    fn check(text: &str, expected: &str) {
        let mut redaction =
            Redaction::new(paths(), &[json!({ "card": "4111-1111", "pin": 77_665_544 })]);
        let mut value = json!(text);
        redaction.apply(&mut value);
        assert_eq!(value, expected, "{text}");
        let counts = redaction.counts;
        let is_changed = counts != RedactionCounts::default();
        assert_eq!(is_changed, text != expected, "{text}: {counts:?}");
    }

    #[test]
    fn tokens_protected_values_and_paths_are_replaced() {
        check(
            "nothing to hide: /docs/a.rs, src/home.rs, best-of",
            "nothing to hide: /docs/a.rs, src/home.rs, best-of",
        );
        check("use ak-7h2kq9xd-3-0-m3v8c2nq5wp1d6x0.", "use [token].");
        check("/root/work/shop/src/main.rs:3", "[directory]/src/main.rs:3");
        check("see file:///root/.ssh and /root", "see file://~/.ssh and ~");
        check("/rooted and /root-2 stay, /root.", "/rooted and /root-2 stay, ~.");
        check("/home/jane/a /Users/jane.", "~/a ~.");
        check("/home/ alone", "/home/ alone");
        check("card 4111-1111, pin 77665544", "card [protected], pin [protected]");
    }

    #[test]
    fn names_of_fields_and_numbers_are_read_too() {
        let mut redaction = Redaction::new(paths(), &[json!(77_665_544)]);
        let mut value =
            json!({ "/root/a": 1, "/home/eve/a": 77_665_544, "other": [77_665_544, 7] });
        redaction.apply(&mut value);
        assert_eq!(value, json!({ "~/a": "[protected]", "~/a 2": 1, "other": ["[protected]", 7] }));
        let expected = RedactionCounts { tokens: 0, protected: 2, paths: 2 };
        assert_eq!(redaction.counts, expected);
    }

    #[test]
    fn a_plain_or_short_word_is_no_secret_elsewhere() {
        let mut redaction = Redaction::new(paths(), &[json!(["in_progress", "short", true])]);
        let mut value = json!({ "status": "in_progress", "notes": "short" });
        redaction.apply(&mut value);
        assert_eq!(value, json!({ "status": "in_progress", "notes": "short" }));
    }

    proptest! {
        #[test]
        fn nothing_that_is_named_stays(before in "[^/]*", after in "(|[/. \"].*)", person in "[a-z][a-z0-9]{0,8}") {
            let mut redaction = Redaction::new(paths(), &[json!("S3cret value")]);
            let home = format!("/home/{person}");
            let mut value = json!(format!("{before}/root/work/shop{after} {home}{after} S3cret value{after}"));
            redaction.apply(&mut value);
            let text = value.as_str().unwrap();
            prop_assert!(!text.contains("S3cret value"), "{text}");
            prop_assert!(after.contains("/home/") || !text.contains(&home), "{text}");
            prop_assert!(after.contains("/root") || !text.contains("/root/work/shop"), "{text}");
        }
    }
}
