//! Suggests the path that the caller may have meant.

use crate::{
    Context, Error,
    bounds::CANDIDATES_MAX,
    tree::{TreeNodeId, TreePath},
};

impl Context {
    /// Returns the path in the tree `root` that is most similar to `path`: follows existing names, and takes the
    /// closest name where one is missing.
    pub(crate) async fn nearest(
        &self,
        root: TreeNodeId,
        path: &TreePath,
    ) -> Result<Option<TreePath>, Error> {
        let (mut at, mut here) = (root, TreePath::root());
        let names: Vec<&[u8]> = path.names().collect();
        for (place, name) in names.iter().enumerate() {
            let children = self.children(at).await?;
            if let Some(child) = children.iter().find(|child| child.name.as_bytes() == *name) {
                (at, here) = (child.id, here.join(&child.name));
                continue;
            }
            // A name counts as similar if about a third of it differs, but at least two edits are allowed.
            let best = children
                .iter()
                .take(CANDIDATES_MAX)
                .map(|child| (distance(child.name.as_bytes(), name), child))
                .min_by(|one, other| (one.0, &one.1.name).cmp(&(other.0, &other.1.name)))
                .filter(|(distance, _)| *distance <= (name.len() / 3).max(2));
            let Some((_, child)) = best else {
                break;
            };
            (at, here) = (child.id, here.join(&child.name));
            if place + 1 == names.len() {
                return Ok(Some(here));
            }
        }
        Ok((!here.is_root()).then_some(here))
    }
}

/// Levenshtein distance in bytes: the number of insertions, removals and replacements between two names.
fn distance(one: &[u8], other: &[u8]) -> usize {
    // One row of the matrix suffices; `diagonal` holds the value that the current cell is about to overwrite.
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, left) in one.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, right) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(left != right);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn the_distance_counts_single_edits() {
        for (one, other, expected) in
            [("", "abc", 3), ("main.rs", "main.rs", 0), ("mian.rs", "main.rs", 2), ("a", "b", 1)]
        {
            assert_eq!(distance(one.as_bytes(), other.as_bytes()), expected, "{one} {other}");
        }
    }
}
