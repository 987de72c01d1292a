//! What a pack says about its item.

use std::collections::BTreeSet;

use crate::error::Error;
use crate::labels::{AccessControl, Labels};
use crate::text::Tag;

/// What a pack says about its item beside the value. What it does not say stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackOptions {
    /// The tags that the item is to have.
    pub tags: Option<BTreeSet<Tag>>,
    /// Who may touch the item from now on; lists that are absent in it limit nothing.
    pub access: Option<AccessControl>,
}

impl PackOptions {
    /// Says nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives the item these tags.
    pub fn tagged<'a, I: IntoIterator<Item = &'a str>>(mut self, tags: I) -> Result<Self, Error> {
        self.tags = Some(tags.into_iter().map(Tag::parse).collect::<Result<_, _>>()?);
        Ok(self)
    }

    /// Limits who may touch the item.
    #[must_use]
    pub fn limited(mut self, access: AccessControl) -> Self {
        self.access = Some(access);
        self
    }

    /// The labels of an item that has had `before`.
    pub(crate) fn onto(&self, before: &Labels) -> Labels {
        let is_unlimited = |access: &AccessControl| *access == AccessControl::default();
        Labels {
            tags: self.tags.clone().unwrap_or_else(|| before.tags.clone()),
            access: match &self.access {
                None => before.access.clone(),
                Some(access) if is_unlimited(access) => None,
                Some(access) => Some(access.clone()),
            },
        }
    }

    pub(crate) fn is_silent(&self) -> bool {
        self.tags.is_none() && self.access.is_none()
    }
}
