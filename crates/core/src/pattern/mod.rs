//! Namespaces, and the patterns that select them.
//!
//! A namespace is a path of segments joined by dots, such as `research.web.page`. A pattern is anchored at both ends
//! and matched segment by segment:
//!
//! | in a pattern | matches |
//! |---|---|
//! | `*` alone in a segment | exactly one segment |
//! | `*` inside a segment | any characters of that segment, also none |
//! | `**` alone in a segment | any number of whole segments, also none |
//! | anything else | itself |
//!
//! *Invariants*: a match takes at most as many steps as the product of the two lengths, which [`bounds`](crate::bounds)
//! limits.

mod checked_text;
mod matching;
mod namespace;
mod selector;

pub use checked_text::PatternError;
pub use namespace::Namespace;
pub use selector::Pattern;
