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
