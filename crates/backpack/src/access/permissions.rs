//! Access rules, as pure functions.
//!
//! The first rule that applies decides, in this order:
//!
//! 1. a key in `deny` is refused;
//! 2. an item with an access list is refused to nodes that are not in it;
//! 3. an item tagged `pii` is readable only by nodes that name its key in `read` or that its access list names;
//! 4. a node without declared permissions may do everything else;
//! 5. a key in `read` or `write` is allowed;
//! 6. an item is allowed if one of the node's patterns selects its namespace; a new key is judged by the namespace of
//!    its writer;
//! 7. everything else is refused, and a missing key is refused exactly like an existing one.

use std::collections::BTreeSet;

use piton_core::{Namespace, Pattern};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bounds::PERMISSIONS_MAX;
use crate::error::Error;
use crate::names::{Key, NodeIdentity};
use crate::state::item::Item;
use crate::state::labels::check_count;

piton_core::closed_set! {
    /// What a node wants to do to a key.
    pub enum Operation {
        /// See its value.
        Read => "read",
        /// Replace, remove or quarantine its value.
        Write => "write",
        /// Change its tags or its access control.
        Label => "label",
    }
}

/// The node that asks for access, with the permissions declared for it.
#[derive(Clone, Copy)]
pub(crate) struct Requester<'a> {
    pub(crate) identity: &'a NodeIdentity,
    pub(crate) permissions: Option<&'a Permissions>,
}

/// Tells a write that creates a missing key from one that needs the key to exist.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    Made,
    Wanted,
}

impl Requester<'_> {
    /// True if the node may read the item under `key`, or learn that there is none.
    pub(crate) fn may_read(&self, key: &Key, item: Option<&Item>) -> bool {
        if self.denies(key) {
            return false;
        }
        // Naming the key in `read` is the strongest grant: it is the only permission that opens a `pii` item.
        let named = self.permissions.is_some_and(|permissions| permissions.read.contains(key));
        if let Some(item) = item {
            let labels = item.labels();
            let listed = labels.readers().map(|readers| readers.contains(&self.identity.id));
            // An access list overrides every permission. Without one, a `pii` item needs the key by name.
            if listed == Some(false) || labels.is_pii() && !named && listed.is_none() {
                return false;
            }
        }
        match self.permissions {
            None => true,
            Some(permissions) => {
                // A missing key has no namespace that a pattern could select: only naming it in `read` shows that.
                named || permissions.reads_namespace(item.and_then(Item::namespace))
            }
        }
    }

    /// True if the node may write `key`, which currently holds `item`.
    pub(crate) fn may_write(&self, key: &Key, item: Option<&Item>, missing: Missing) -> bool {
        if self.denies(key) {
            return false;
        }
        if let Some(writers) = item.and_then(|item| item.labels().writers())
            && !writers.contains(&self.identity.id)
        {
            return false;
        }
        let Some(permissions) = self.permissions else { return true };
        if permissions.write.contains(key) {
            return true;
        }
        match (item, missing) {
            (Some(item), _) => permissions.writes_namespace(item.namespace()),
            // A key that the call creates will carry the namespace of its writer.
            (None, Missing::Made) => permissions.writes_namespace(self.identity.namespace.as_ref()),
            // Refused like an existing key of a foreign namespace, so that the answer does not reveal what exists.
            (None, Missing::Wanted) => false,
        }
    }

    /// True if the node may change the tags and the access control of an item: only its listed writers may.
    pub(crate) fn may_label(&self, item: &Item) -> bool {
        item.labels().writers().is_some_and(|writers| writers.contains(&self.identity.id))
    }

    fn denies(&self, key: &Key) -> bool {
        self.permissions.is_some_and(|permissions| permissions.deny.contains(key))
    }
}

/// The permissions of one node. A node without any declared is unrestricted, but for what items say themselves; an
/// empty declaration allows nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Permissions {
    /// Keys that it may read.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub read: BTreeSet<Key>,
    /// Keys that it may write.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub write: BTreeSet<Key>,
    /// Keys that it may touch in no way, whatever else it is allowed.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub deny: BTreeSet<Key>,
    /// Namespaces whose items it may read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub namespace_read: Vec<Pattern>,
    /// Namespaces whose items it may write; for a new key, its own namespace must be among them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub namespace_write: Vec<Pattern>,
}

impl Permissions {
    /// Creates a declaration that allows nothing yet.
    pub fn none() -> Self {
        Self::default()
    }

    /// Allows reading `keys`.
    pub fn reading<'a, I: IntoIterator<Item = &'a str>>(mut self, keys: I) -> Result<Self, Error> {
        add_keys(&mut self.read, keys)?;
        Ok(self)
    }

    /// Allows writing `keys`.
    pub fn writing<'a, I: IntoIterator<Item = &'a str>>(mut self, keys: I) -> Result<Self, Error> {
        add_keys(&mut self.write, keys)?;
        Ok(self)
    }

    /// Forbids any access to `keys`.
    pub fn denying<'a, I: IntoIterator<Item = &'a str>>(mut self, keys: I) -> Result<Self, Error> {
        add_keys(&mut self.deny, keys)?;
        Ok(self)
    }

    /// Allows reading items of the namespaces that `patterns` select.
    pub fn reading_namespaces<'a, I>(mut self, patterns: I) -> Result<Self, Error>
    where
        I: IntoIterator<Item = &'a str>,
    {
        add_patterns(&mut self.namespace_read, patterns)?;
        Ok(self)
    }

    /// Allows writing items of the namespaces that `patterns` select.
    pub fn writing_namespaces<'a, I>(mut self, patterns: I) -> Result<Self, Error>
    where
        I: IntoIterator<Item = &'a str>,
    {
        add_patterns(&mut self.namespace_write, patterns)?;
        Ok(self)
    }

    pub(crate) fn reads_namespace(&self, namespace: Option<&Namespace>) -> bool {
        selects(&self.namespace_read, namespace)
    }

    pub(crate) fn writes_namespace(&self, namespace: Option<&Namespace>) -> bool {
        selects(&self.namespace_write, namespace)
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        for keys in [&self.read, &self.write, &self.deny] {
            check_count("the keys of a permission", keys.len(), PERMISSIONS_MAX)?;
        }
        for patterns in [&self.namespace_read, &self.namespace_write] {
            check_count("the patterns of a permission", patterns.len(), PERMISSIONS_MAX)?;
        }
        Ok(())
    }
}

fn add_keys<'a>(
    set: &mut BTreeSet<Key>,
    keys: impl IntoIterator<Item = &'a str>,
) -> Result<(), Error> {
    for key in keys {
        set.insert(Key::parse(key)?);
    }
    Ok(())
}

fn add_patterns<'a>(
    list: &mut Vec<Pattern>,
    patterns: impl IntoIterator<Item = &'a str>,
) -> Result<(), Error> {
    for text in patterns {
        list.push(parse_pattern(text)?);
    }
    Ok(())
}

/// Parses a namespace pattern.
pub(crate) fn parse_pattern(text: &str) -> Result<Pattern, Error> {
    Pattern::parse(text).map_err(|problem| Error::BadPattern { problem })
}

/// True if one of the patterns selects the namespace. An item without a namespace is never selected.
fn selects(patterns: &[Pattern], namespace: Option<&Namespace>) -> bool {
    namespace.is_some_and(|namespace| patterns.iter().any(|pattern| pattern.matches(namespace)))
}
