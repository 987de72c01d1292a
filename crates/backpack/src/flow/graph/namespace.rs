//! Composing namespaces.

use piton_core::{Namespace, PatternError};

/// Composes the namespace of a node inside `parent` from its own segment, else the configured one, else its id.
///
/// ```
/// use piton_backpack::flow::graph::namespace::compose;
/// let composed = |parent: Option<&str>, own, said, id| {
///     let parent = parent.map(|text| text.parse().unwrap());
///     compose(parent.as_ref(), own, said, id).unwrap().to_string()
/// };
/// assert_eq!(composed(Some("sales"), Some("summary"), None, "node-123"), "sales.summary");
/// assert_eq!(composed(Some("sales"), None, None, "node-123"), "sales.node-123");
/// ```
pub fn compose(
    parent: Option<&Namespace>,
    own: Option<&str>,
    configured: Option<&str>,
    id: &str,
) -> Result<Namespace, PatternError> {
    let segment = own.or(configured).unwrap_or(id);
    match parent {
        None => Namespace::parse(segment),
        Some(parent) => Namespace::parse(&format!("{parent}.{segment}")),
    }
}
