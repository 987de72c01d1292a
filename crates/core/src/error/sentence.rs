//! The text of an error as a sentence.

/// A text that begins with a capital and ends with a full stop. Errors are written as parts of sentences, so that one
/// can quote another; what a person reads is whole.
pub fn sentence(text: &str) -> String {
    let end = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    let mut rest = text.chars();
    let first = rest.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    [first.as_str(), rest.as_str(), end].concat()
}
