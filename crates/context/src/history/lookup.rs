//! Tree nodes by path and by id.
//!
//! *Invariants*: a record that is handed out gives its id when it is hashed. Of a directory that needs several rows
//! this is checked when all of them are read; a look at one name reads one row.

use std::{fmt, str::FromStr};

use piton_core::Digest;
use serde::Serialize;

use super::root::hex_prefix;
use crate::{
    Context, Error,
    rows::{ChildRecord, NodeBody, keys::RowKind, node},
    tree::{NodeKind, TreeNodeId, TreePath},
};

/// A tree node as it is recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeRecord {
    /// Its id.
    pub id: TreeNodeId,
    /// Where it is.
    pub path: TreePath,
    /// What it is.
    pub kind: NodeKind,
    /// As git writes it: `100644`, `100755`, `120000` or `040000`.
    pub mode: &'static str,
    /// Bytes of a file, or of all files in a directory.
    pub size: u64,
    /// The digest of a file's bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<Digest>,
    /// Where a symbolic link points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// What a directory holds directly, in byte order of names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<ChildRecord>,
    /// The directory that it is in, in the same tree; none for the topmost one and for what is in no current tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<TreeNodeId>,
}

/// A node that was looked for.
pub(crate) struct FoundNode {
    pub(crate) node: NodeRecord,
    /// What is at its path in the tree that it was looked for in.
    pub(crate) there: Option<TreeNodeId>,
}

/// Names a tree node: by its path, or by the beginning of its id.
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
    /// Reads a path as somebody in `directory` writes it, with `.` and `..`, or the beginning of an id. A text that
    /// could be both is a path if there is one.
    pub fn within(directory: &TreePath, text: &str) -> Result<Self, Error> {
        let digits = hex_prefix(text).map(str::to_owned);
        if text.starts_with("sha256:") && digits.is_some() {
            return Ok(Self { text: text.to_owned(), path: None, digits });
        }
        let path = directory.walk_to(text)?;
        Ok(Self { text: path.to_string(), path: Some(path), digits })
    }
}

impl NodeRef {
    /// The path, if it may be one.
    pub(crate) fn path(&self) -> Option<&TreePath> {
        self.path.as_ref()
    }
}

impl FromStr for NodeRef {
    type Err = Error;

    /// Reads a path or the beginning of an id. A text that could be both is a path if there is one.
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

impl Serialize for ChildRecord {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct as _;
        let mut child = serializer.serialize_struct("ChildRecord", 3)?;
        child.serialize_field("name", &self.name.to_string())?;
        child.serialize_field("kind", &self.kind)?;
        child.serialize_field("id", &self.id)?;
        child.end()
    }
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
                Self { children, ..blank("040000", totals.bytes) }
            }
        }
    }
}

impl Context {
    /// The node at `path` in the tree `root`, if it has one there.
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

    /// The id of what is at `path` in the tree `root`, and of the directory that it is in.
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

    /// The node that is meant, in the tree `root` or, by its id, in any recorded one.
    pub async fn node(&self, root: TreeNodeId, asked: &NodeRef) -> Result<NodeRecord, Error> {
        Ok(self.find(root, asked).await?.node)
    }

    /// The node that is meant, and what is at its path in the tree `root`.
    pub(crate) async fn find(&self, root: TreeNodeId, asked: &NodeRef) -> Result<FoundNode, Error> {
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
        let nearest = match &asked.path {
            Some(path) => match self.moved_to(root, path).await? {
                Some(moved) => Some(moved),
                None => self.nearest(root, path).await?,
            },
            None => None,
        };
        Err(Error::NodeNotFound { asked: asked.text.clone(), nearest })
    }

    async fn node_by_digits(
        &self,
        root: TreeNodeId,
        asked: &NodeRef,
        digits: &str,
    ) -> Result<Option<FoundNode>, Error> {
        let mut prefix = self.keys.all(RowKind::Node);
        let known = prefix.len();
        for pair in digits.as_bytes().chunks_exact(2) {
            let pair = std::str::from_utf8(pair).expect("hex digits are text");
            prefix.push(u8::from_str_radix(pair, 16).expect("they were checked to be hex digits"));
        }
        let mut found: Option<TreeNodeId> = None;
        let (rows, _) = self.page(&prefix, None).await?;
        for row in rows {
            let Some(id) = row.key.get(known..known + 32).and_then(|id| id.try_into().ok()) else {
                continue;
            };
            let id = TreeNodeId::new(Digest::from_bytes(id));
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

    /// Everything that is recorded of a node, checked.
    pub(crate) async fn body(&self, id: TreeNodeId) -> Result<Option<(TreePath, NodeBody)>, Error> {
        let Some(row) = self.row(&self.keys.node(id, 0)).await? else {
            return Ok(None);
        };
        let (path, mut body) = node::decode(&row.value).ok_or_else(|| damaged(id))?;
        if let NodeBody::Directory { splits, children, .. } = &mut body {
            for part in 1..=splits.len() {
                children.extend(self.part(id, part).await?);
            }
        }
        if body.id(&path) != id {
            return Err(damaged(id));
        }
        Ok(Some((path, body)))
    }

    /// The entry `name` of a recorded directory.
    async fn child(&self, id: TreeNodeId, name: &[u8]) -> Result<Option<ChildRecord>, Error> {
        let row = self.row(&self.keys.node(id, 0)).await?.ok_or_else(|| missing(id))?;
        let (path, body) = node::decode(&row.value).ok_or_else(|| damaged(id))?;
        if matches!(&body, NodeBody::Directory { splits, .. } if splits.is_empty())
            && body.id(&path) != id
        {
            return Err(damaged(id));
        }
        let NodeBody::Directory { splits, mut children, .. } = body else {
            return Ok(None);
        };
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
        node::decode_children(&row.value).ok_or_else(|| damaged(id))
    }

    /// What a recorded directory holds directly.
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
