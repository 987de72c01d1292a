//! Tags and access control of items.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bounds::{ACCESS_NODES_MAX, TAGS_MAX};
use crate::error::Error;
use crate::names::{NodeId, Tag};

/// Limits an item to the named nodes, whatever else they are allowed. A list that is absent limits nothing; an
/// empty one keeps everybody out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
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
    /// Limits both reading and writing to the same nodes.
    pub fn only<I: IntoIterator<Item = NodeId>>(nodes: I) -> Self {
        let nodes: BTreeSet<NodeId> = nodes.into_iter().collect();
        Self { read: Some(nodes.clone()), write: Some(nodes) }
    }
}

/// Tags and access control of an item.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
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
    /// Labels without any tag or limit.
    pub const NONE: &'static Self = &Self { tags: BTreeSet::new(), access: None };

    /// True if there is neither a tag nor a limit.
    pub fn is_empty(&self) -> bool {
        self.tags.is_empty() && self.access.is_none()
    }

    /// True if the item contains personal data.
    pub fn is_pii(&self) -> bool {
        self.tags.contains(Tag::PII)
    }

    /// True if the value is shown only to readers that were granted access.
    pub fn is_protected(&self) -> bool {
        self.access.is_some() || self.is_pii()
    }

    /// Returns the nodes that may read, if reading is limited.
    pub fn readers(&self) -> Option<&BTreeSet<NodeId>> {
        self.access.as_ref()?.read.as_ref()
    }

    /// Returns the nodes that may write, if writing is limited.
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

/// Labels that a pack sets on its item. An absent field leaves them unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackOptions {
    /// The new tags of the item.
    pub tags: Option<BTreeSet<Tag>>,
    /// The nodes that may access the item from now on. Lists that are absent in it limit nothing.
    pub access: Option<AccessControl>,
}

impl PackOptions {
    /// Creates options that leave all labels unchanged.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the tags of the item.
    pub fn tagged<'a, I: IntoIterator<Item = &'a str>>(mut self, tags: I) -> Result<Self, Error> {
        self.tags = Some(tags.into_iter().map(Tag::parse).collect::<Result<_, _>>()?);
        Ok(self)
    }

    /// Limits access to the item.
    #[must_use]
    pub fn limited(mut self, access: AccessControl) -> Self {
        self.access = Some(access);
        self
    }

    /// Computes the new labels of an item that had the labels `before`.
    pub(crate) fn onto(&self, before: &Labels) -> Labels {
        let is_unlimited = |access: &AccessControl| *access == AccessControl::default();
        Labels {
            tags: self.tags.clone().unwrap_or_else(|| before.tags.clone()),
            access: match &self.access {
                None => before.access.clone(),
                // An access control without limits is stored as none at all, so that equal labels compare equal.
                Some(access) if is_unlimited(access) => None,
                Some(access) => Some(access.clone()),
            },
        }
    }

    pub(crate) fn is_silent(&self) -> bool {
        self.tags.is_none() && self.access.is_none()
    }
}
