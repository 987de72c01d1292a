//! Who may do what: the rules, as pure functions.
//!
//! In this order, the first that applies decides:
//!
//! 1. a key in `deny` is refused;
//! 2. an item with an access list is refused to nodes that are not in it;
//! 3. an item tagged `pii` is readable by nodes that name its key in `read` or that its access list names;
//! 4. a node without declared permissions may do the rest;
//! 5. a key in `read` or `write` is allowed;
//! 6. an item whose namespace a pattern of the node selects is allowed; a new key is judged by the namespace of its writer;
//! 7. everything else is refused, and a key that is not there like one that is.

use crate::item::Item;
use crate::node_identity::NodeIdentity;
use crate::permissions::Permissions;
use crate::text::Key;

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

/// Who asks.
#[derive(Clone, Copy)]
pub(crate) struct Requester<'a> {
    pub(crate) identity: &'a NodeIdentity,
    pub(crate) permissions: Option<&'a Permissions>,
}

/// Whether a key that is not there would be made by the call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    Made,
    Wanted,
}

impl Requester<'_> {
    /// Whether the node may read what is under `key`, if anything is.
    pub(crate) fn may_read(&self, key: &Key, item: Option<&Item>) -> bool {
        if self.denies(key) {
            return false;
        }
        let named = self.permissions.is_some_and(|permissions| permissions.read.contains(key));
        if let Some(item) = item {
            let labels = item.labels();
            let listed = labels.readers().map(|readers| readers.contains(&self.identity.id));
            if listed == Some(false) || labels.is_pii() && !named && listed.is_none() {
                return false;
            }
        }
        match self.permissions {
            None => true,
            Some(permissions) => {
                named || permissions.reads_namespace(item.and_then(Item::namespace))
            }
        }
    }

    /// Whether the node may write `key`, which holds `item` or nothing.
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
            (None, Missing::Made) => permissions.writes_namespace(self.identity.namespace.as_ref()),
            (None, Missing::Wanted) => false,
        }
    }

    /// Whether the node may change what is said about an item.
    pub(crate) fn may_label(&self, item: &Item) -> bool {
        item.labels().writers().is_some_and(|writers| writers.contains(&self.identity.id))
    }

    fn denies(&self, key: &Key) -> bool {
        self.permissions.is_some_and(|permissions| permissions.deny.contains(key))
    }
}
