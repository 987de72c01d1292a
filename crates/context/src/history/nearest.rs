//! The path that somebody may have meant.

use crate::{
    Context, Error,
    bounds::CANDIDATES_MAX,
    tree::{TreeNodeId, TreePath},
};

impl Context {
    /// The path in the tree `root` that is most like `path`: as far down as there is something, then the name that
    /// differs least.
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

/// How many single bytes have to be inserted, removed or replaced to get from one name to the other.
fn distance(one: &[u8], other: &[u8]) -> usize {
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
