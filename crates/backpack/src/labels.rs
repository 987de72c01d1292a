//! What is said about an item beside its value: tags, and who may touch it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::bounds::{ACCESS_NODES_MAX, TAGS_MAX};
use crate::error::Error;
use crate::text::{NodeId, Tag};

/// Limits an item to the named nodes, whatever else they are allowed. A list that is absent limits nothing; an
/// empty one keeps everybody out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AccessControl {
    /// Who may read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<BTreeSet<NodeId>>,
    /// Who may write it, and change what is said about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<BTreeSet<NodeId>>,
}

impl AccessControl {
    /// Limits reading and writing to the same nodes.
    pub fn only<I: IntoIterator<Item = NodeId>>(nodes: I) -> Self {
        let nodes: BTreeSet<NodeId> = nodes.into_iter().collect();
        Self { read: Some(nodes.clone()), write: Some(nodes) }
    }
}

/// Tags and access control of an item.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Labels {
    /// The tags.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub tags: BTreeSet<Tag>,
    /// Who may touch it; absent if everybody who is allowed to otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access: Option<AccessControl>,
}

impl Labels {
    /// Labels that limit nothing.
    pub const NONE: &'static Self = &Self { tags: BTreeSet::new(), access: None };

    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        self.tags.is_empty() && self.access.is_none()
    }

    /// Whether the item says something about a person.
    pub fn is_pii(&self) -> bool {
        self.tags.contains(Tag::PII)
    }

    /// Whether the value is shown to granted readers only.
    pub fn is_protected(&self) -> bool {
        self.access.is_some() || self.is_pii()
    }

    /// The nodes that may read, if they are limited.
    pub fn readers(&self) -> Option<&BTreeSet<NodeId>> {
        self.access.as_ref()?.read.as_ref()
    }

    /// The nodes that may write, if they are limited.
    pub fn writers(&self) -> Option<&BTreeSet<NodeId>> {
        self.access.as_ref()?.write.as_ref()
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        check_count("the tags of an item", self.tags.len(), TAGS_MAX)?;
        for nodes in [self.readers(), self.writers()].into_iter().flatten() {
            check_count("the nodes of an access list", nodes.len(), ACCESS_NODES_MAX)?;
        }
        Ok(())
    }
}

pub(crate) fn check_count(what: &'static str, measured: usize, max: usize) -> Result<(), Error> {
    if measured > max {
        return Err(Error::TooMany { what, measured, max });
    }
    Ok(())
}
