//! Looks up tree nodes by path and by id, and suggests the path that the caller may have meant.
//!
//! *Invariants*: a record that is returned hashes to its id. For a directory that takes several rows, this is checked
//! when all of them are read; looking up one name reads a single row.

use std::fmt;
use std::str::FromStr;

use piton_core::Digest;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use piton_store::port::BoxFuture;

use super::root::hex_prefix;
use crate::bounds::{CANDIDATES_MAX, CHILDREN_SHOWN_MAX};
use crate::rows::{ChildRecord, NodeBody, RowKind, decode_children, decode_node, node_id_of};
use crate::tree::{NodeKind, TreeNodeId, TreePath};
use crate::{Context, Error};

/// A tree node as it is recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeRecord {
    pub path: TreePath,
    pub id: TreeNodeId,
    pub kind: NodeKind,
    /// Mode in git's notation: `100644`, `100755`, `120000` or `040000`.
    pub mode: &'static str,
    /// Bytes of a file, or of all files in a directory.
    pub size: u64,
    /// Digest of a file's content.
    #[serde(rename = "contentDigest", skip_serializing_if = "Option::is_none")]
    pub content: Option<Digest>,
    /// Target of a symbolic link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Direct entries of a directory, in byte order of their names. JSON has the first names.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "first_names")]
    #[schemars(with = "Vec<String>")]
    pub children: Vec<ChildRecord>,
    /// Number of entries whose names JSON leaves out.
    #[serde(skip_serializing_if = "crate::is_zero")]
    pub children_left_out: usize,
    /// Parent directory in the same tree. `None` for the topmost directory, and for a node that is not in the current
    /// tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<TreeNodeId>,
}

/// Result of a lookup.
pub(crate) struct FoundNode {
    pub(crate) node: NodeRecord,
    /// Node at the same path in the tree that was searched.
    pub(crate) there: Option<TreeNodeId>,
}

/// A reference to a tree node: its path, or a prefix of its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeRef {
    text: String,
    path: Option<TreePath>,
    digits: Option<String>,
}

impl From<&TreePath> for NodeRef {
    fn from(path: &TreePath) -> Self {
        Self { text: path.to_string(), path: Some(path.clone()), digits: None }
    }
}

impl From<TreeNodeId> for NodeRef {
    fn from(id: TreeNodeId) -> Self {
        Self { text: id.to_string(), path: None, digits: Some(id.digest().hex()) }
    }
}

impl NodeRef {
    /// Parses a path relative to `directory`, with `.` and `..`, or a prefix of an id. A text that could be both is a
    /// path if that path exists.
    pub fn within(directory: &TreePath, text: &str) -> Result<Self, Error> {
        let digits = hex_prefix(text).map(str::to_owned);
        if text.starts_with("sha256:") && digits.is_some() {
            return Ok(Self { text: text.to_owned(), path: None, digits });
        }
        let path = directory.walk_to(text)?;
        Ok(Self { text: path.to_string(), path: Some(path), digits })
    }

    /// Returns the path, if the reference may be one.
    pub(crate) fn path(&self) -> Option<&TreePath> {
        self.path.as_ref()
    }
}

impl FromStr for NodeRef {
    type Err = Error;

    /// Parses a path or a prefix of an id. A text that could be both is a path if that path exists.
    fn from_str(text: &str) -> Result<Self, Error> {
        let digits = hex_prefix(text).map(str::to_owned);
        let path = match text.parse() {
            Ok(path) if !text.starts_with("sha256:") => Some(path),
            Err(error) if digits.is_none() => return Err(Error::Path(error)),
            _ => None,
        };
        Ok(Self { text: text.to_owned(), path, digits })
    }
}

impl fmt::Display for NodeRef {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.text)
    }
}

fn first_names<S: Serializer>(children: &[ChildRecord], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(NodeRecord::first_names(children))
}

impl NodeRecord {
    pub(crate) fn new(
        id: TreeNodeId,
        path: TreePath,
        body: NodeBody,
        parent: Option<TreeNodeId>,
    ) -> Self {
        let kind = body.kind();
        let blank = |mode, size| Self {
            id,
            path,
            kind,
            mode,
            size,
            content: None,
            target: None,
            children: Vec::new(),
            children_left_out: 0,
            parent,
        };
        match body {
            NodeBody::File { content, size, executable } => Self {
                content: Some(content),
                ..blank(if executable { "100755" } else { "100644" }, size)
            },
            NodeBody::Symlink { target } => {
                let text = target.escape_ascii().to_string();
                let size = target.len() as u64;
                let text = String::from_utf8(target.into_vec()).unwrap_or(text);
                Self { target: Some(text), ..blank("120000", size) }
            }
            NodeBody::Directory { totals, children, .. } => {
                let children_left_out = children.len().saturating_sub(CHILDREN_SHOWN_MAX);
                Self { children, children_left_out, ..blank("040000", totals.bytes) }
            }
        }
    }

    /// Returns the names of the first entries.
    pub(crate) fn first_names(children: &[ChildRecord]) -> impl Iterator<Item = String> {
        children.iter().take(CHILDREN_SHOWN_MAX).map(|child| child.name.to_string())
    }
}

impl Context {
    /// Returns the node at `path` in the tree `root`, if there is one.
    pub async fn node_at(
        &self,
        root: TreeNodeId,
        path: &TreePath,
    ) -> Result<Option<NodeRecord>, Error> {
        let Some((id, parent)) = self.id_at(root, path).await? else {
            return Ok(None);
        };
        let (path, body) = self.body(id).await?.ok_or_else(|| missing(id))?;
        Ok(Some(NodeRecord::new(id, path, body, parent)))
    }

    /// Returns the id of the node at `path` in the tree `root`, and the id of its parent directory.
    pub(crate) async fn id_at(
        &self,
        root: TreeNodeId,
        path: &TreePath,
    ) -> Result<Option<(TreeNodeId, Option<TreeNodeId>)>, Error> {
        let (mut id, mut parent) = (root, None);
        for name in path.names() {
            let Some(child) = self.child(id, name).await? else {
                return Ok(None);
            };
            (parent, id) = (Some(id), child.id);
        }
        Ok(Some((id, parent)))
    }

    /// Returns the referenced node from the tree `root` or, by id, from any recorded tree.
    pub async fn node(&self, root: TreeNodeId, asked: &NodeRef) -> Result<NodeRecord, Error> {
        Ok(self.find(root, asked).await?.node)
    }

    /// Returns the referenced node, and the node at its path in the tree `root`.
    pub(crate) fn find<'a>(
        &'a self,
        root: TreeNodeId,
        asked: &'a NodeRef,
    ) -> BoxFuture<'a, Result<FoundNode, Error>> {
        Box::pin(async move {
            if let Some(path) = &asked.path
                && let Some(node) = self.node_at(root, path).await?
            {
                return Ok(FoundNode { there: Some(node.id), node });
            }
            if let Some(digits) = &asked.digits
                && let Some(found) = self.node_by_digits(root, asked, digits).await?
            {
                return Ok(found);
            }
            // Nothing was found, so suggest where the path went, or the one that looks most like it.
            let nearest = match &asked.path {
                Some(path) => match self.moved_to(root, path).await? {
                    Some(moved) => Some(moved),
                    None => self.nearest(root, path).await?,
                },
                None => None,
            };
            Err(Error::NodeNotFound { asked: asked.text.clone(), nearest })
        })
    }

    async fn node_by_digits(
        &self,
        root: TreeNodeId,
        asked: &NodeRef,
        digits: &str,
    ) -> Result<Option<FoundNode>, Error> {
        // Whole bytes narrow the range; an odd last digit is compared below.
        let mut prefix = self.keys.all(RowKind::Node);
        for pair in digits.as_bytes().chunks_exact(2) {
            let pair = std::str::from_utf8(pair).expect("hex digits are text");
            prefix.push(u8::from_str_radix(pair, 16).expect("they were checked to be hex digits"));
        }
        let mut found: Option<TreeNodeId> = None;
        let rows = self.pages(&prefix).next().await?;
        for row in rows.unwrap_or_default() {
            let Some(id) = node_id_of(&row.key) else { continue };
            // A directory may take several rows under one id.
            if !id.digest().hex().starts_with(digits) || found == Some(id) {
                continue;
            }
            if found.is_some() {
                let asked = asked.text.clone();
                return Err(Error::Ambiguous { asked, what: "tree node" });
            }
            found = Some(id);
        }
        let Some(id) = found else {
            return Ok(None);
        };
        let (path, body) = self.body(id).await?.ok_or_else(|| missing(id))?;
        let current = self.id_at(root, &path).await?;
        let parent = current.and_then(|(found, parent)| parent.filter(|_| found == id));
        let there = current.map(|(found, _)| found);
        Ok(Some(FoundNode { node: NodeRecord::new(id, path, body, parent), there }))
    }

    /// Returns the full record of a node, checked against its id.
    pub(crate) async fn body(&self, id: TreeNodeId) -> Result<Option<(TreePath, NodeBody)>, Error> {
        let Some(row) = self.row(&self.keys.node(id, 0)).await? else {
            return Ok(None);
        };
        let (path, mut body) = decode_node(&row.value).ok_or_else(|| damaged(id))?;
        if let NodeBody::Directory { splits, children, .. } = &mut body {
            for part in 1..=splits.len() {
                children.extend(self.part(id, part).await?);
            }
        }
        // The id covers all entries, so it can be checked only after every part was read.
        if body.id(&path) != id {
            return Err(damaged(id));
        }
        Ok(Some((path, body)))
    }

    /// Returns the entry `name` of a recorded directory.
    async fn child(&self, id: TreeNodeId, name: &[u8]) -> Result<Option<ChildRecord>, Error> {
        let row = self.row(&self.keys.node(id, 0)).await?.ok_or_else(|| missing(id))?;
        let (path, body) = decode_node(&row.value).ok_or_else(|| damaged(id))?;
        // A directory in a single row can be checked without further reads; for larger ones, only `body` checks.
        if matches!(&body, NodeBody::Directory { splits, .. } if splits.is_empty())
            && body.id(&path) != id
        {
            return Err(damaged(id));
        }
        let NodeBody::Directory { splits, mut children, .. } = body else {
            return Ok(None);
        };
        // `splits` holds the first name of each part after the first.
        let part = splits.partition_point(|first| first.as_bytes() <= name);
        if part > 0 {
            children = self.part(id, part).await?;
        }
        let found = children.binary_search_by(|child| child.name.as_bytes().cmp(name));
        Ok(found.ok().map(|place| children.swap_remove(place)))
    }

    async fn part(&self, id: TreeNodeId, part: usize) -> Result<Vec<ChildRecord>, Error> {
        let part = u32::try_from(part).map_err(|_| damaged(id))?;
        let row = self.row(&self.keys.node(id, part)).await?.ok_or_else(|| missing(id))?;
        decode_children(&row.value).ok_or_else(|| damaged(id))
    }

    /// Returns the direct entries of a recorded directory.
    pub(crate) async fn children(&self, id: TreeNodeId) -> Result<Vec<ChildRecord>, Error> {
        match self.body(id).await? {
            Some((_, NodeBody::Directory { children, .. })) => Ok(children),
            Some(_) => Ok(Vec::new()),
            None => Err(missing(id)),
        }
    }
}

fn missing(id: TreeNodeId) -> Error {
    Error::integrity(format!("the tree node {id}"), "its row is missing")
}

fn damaged(id: TreeNodeId) -> Error {
    Error::integrity(format!("the tree node {id}"), "its row does not give this id")
}

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
