//! The things that a person forks or compares: a run, a backpack, an overlay or a recorded tree.

use std::str::FromStr;

use super::request::NodeReference;
use crate::request::SessionReference;

piton_core::closed_set! {
    /// What can be forked or compared.
    pub enum ThingKind {
        /// A run of a workflow, at one of its nodes.
        Run => "run",
        /// A backpack at one of its commits; a run of a flow is one.
        Backpack => "backpack",
        /// An overlay.
        Overlay => "overlay",
        /// A recorded tree of the project.
        Tree => "tree",
    }
}

/// A thing as people name it: `NAME` or `NAME@PLACE`, prefixed with `KIND:` where a name fits several kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThingReference {
    /// The kind, if it was given.
    pub kind: Option<ThingKind>,
    pub name: String,
    /// The node or the commit; without it, the current state.
    pub at: Option<String>,
}

/// The error for a text that names nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a run is named as RUN or RUN@NODE, a backpack as NAME or NAME@COMMIT, an overlay by its path, a tree as @, @-2 or its digest"
)]
pub struct ThingReferenceError;

impl FromStr for ThingReference {
    type Err = ThingReferenceError;

    fn from_str(text: &str) -> Result<Self, ThingReferenceError> {
        let text = text.trim();
        // A prefix that is no kind belongs to the name.
        let said = text.split_once(':').and_then(|(kind, rest)| Some((kind.parse().ok()?, rest)));
        let (kind, rest) = said.map_or((None, text), |(kind, rest)| (Some(kind), rest.trim()));
        let whole = |kind| Self { kind: Some(kind), name: rest.to_owned(), at: None };
        match (kind, rest) {
            (_, "") => Err(ThingReferenceError),
            (Some(kind @ (ThingKind::Overlay | ThingKind::Tree)), _) => Ok(whole(kind)),
            (None, path) if path.starts_with('/') => Ok(whole(ThingKind::Overlay)),
            (None, tree) if is_tree(tree) => Ok(whole(ThingKind::Tree)),
            (kind, rest) => {
                let (name, at) = match rest.split_once('@') {
                    Some((name, at)) => (name.trim(), Some(at.trim())),
                    None => (rest, None),
                };
                if name.is_empty() || at.is_some_and(str::is_empty) {
                    return Err(ThingReferenceError);
                }
                Ok(Self { kind, name: name.to_owned(), at: at.map(str::to_owned) })
            }
        }
    }
}

/// True if a text is `@`, or `@-` and a number.
fn is_tree(text: &str) -> bool {
    let back = |back: &str| back.is_empty() || back.strip_prefix('-').is_some_and(is_number);
    text.strip_prefix('@').is_some_and(back)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit())
}

impl ThingReference {
    /// Returns the reference as a node of a run.
    pub fn node(&self) -> NodeReference {
        NodeReference { run: SessionReference(self.name.clone()), node: self.at.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::{ThingKind, ThingReference};

    #[test]
    fn a_thing_is_named_as_people_write_it() {
        use ThingKind::{Backpack, Overlay, Run, Tree};
        for (text, kind, name, at) in [
            ("amber-otter", None, "amber-otter", None),
            ("amber-otter@second", None, "amber-otter", Some("second")),
            ("run:amber-otter@second", Some(Run), "amber-otter", Some("second")),
            ("backpack:amber-otter", Some(Backpack), "amber-otter", None),
            ("research@c12", None, "research", Some("c12")),
            ("/scratch", Some(Overlay), "/scratch", None),
            ("overlay:/a@b", Some(Overlay), "/a@b", None),
            ("@", Some(Tree), "@", None),
            ("@-2", Some(Tree), "@-2", None),
            ("tree:before", Some(Tree), "before", None),
        ] {
            let read: ThingReference = text.parse().unwrap();
            let expected = (kind, name, at);
            assert_eq!((read.kind, read.name.as_str(), read.at.as_deref()), expected, "{text}");
        }
        for text in ["", "@x", "a@", "run:", "run:@x", "  "] {
            assert!(text.parse::<ThingReference>().is_err(), "{text}");
        }
    }
}
