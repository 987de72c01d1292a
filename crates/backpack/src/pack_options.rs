//! Options of a single pack.

use std::collections::BTreeSet;

use crate::error::Error;
use crate::labels::{AccessControl, Labels};
use crate::text::Tag;

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
