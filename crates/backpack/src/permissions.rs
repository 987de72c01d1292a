//! Declared permissions of a node.

use std::collections::BTreeSet;

use piton_core::{Namespace, Pattern};
use serde::{Deserialize, Serialize};

use crate::bounds::PERMISSIONS_MAX;
use crate::error::Error;
use crate::labels::check_count;
use crate::text::Key;

/// The permissions of one node. A node without any declared is unrestricted, but for what items say themselves; an
/// empty declaration allows nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
