//! Reads of a node.

use std::sync::Arc;

use crate::access::Operation;
use crate::commit::{Act, Action};
use crate::error::Error;
use crate::filter::Filter;
use crate::item::Item;
use crate::observer::Committed;
use crate::scope::Scope;
use crate::text::Key;

/// Returns the item under a key and commits the read.
pub(crate) fn unpack(scope: &Scope, key: &Key) -> Result<Option<Arc<Item>>, Error> {
    scope.inner.act(&scope.identity, |core| {
        if !core.readable(scope.asker(), key) {
            return scope.inner.deny(core, scope.by(), key, Operation::Read).map(|_| None);
        }
        let read = core.state.items.get(key).cloned();
        let stamp = scope.inner.stamp(core);
        let found = read.as_ref().map(|item| core.in_full(item));
        // Share the key of the item instead of keeping another copy of it in the history.
        let key = read.as_ref().map_or(key, |item| &item.key).clone();
        scope.inner.commit(core, stamp, scope.by(), key, Act::Unpack { read });
        Ok(found)
    })
}

/// Returns the item under a key. Only a refusal is committed.
pub(crate) fn peek(scope: &Scope, key: &Key) -> Result<Option<Arc<Item>>, Error> {
    scope.inner.act(&scope.identity, |core| {
        if !core.readable(scope.asker(), key) {
            return scope.inner.deny(core, scope.by(), key, Operation::Read).map(|_| None);
        }
        Ok(core.state.items.get(key).map(|item| core.in_full(item)))
    })
}

/// Returns the part of the history that the node may see.
pub(crate) fn history(scope: &Scope, filter: &Filter) -> Result<Vec<Committed>, Error> {
    let core = scope.inner.lock();
    let asker = scope.asker();
    let mut told = Vec::new();
    for commit in filter.select(&core.history)? {
        let item = commit.value().or(commit.previous());
        let is_visible = match commit.action() {
            // A quarantined value is out of reach of every node, and so is the fact that it existed.
            Action::Quarantine => false,
            // A node sees its own refusals; those of others would reveal keys that it may not know of.
            Action::Deny => commit.author.id == scope.identity.id,
            Action::Pack | Action::Unpack | Action::Delete | Action::Restore => {
                asker.may_read(&commit.key, item)
            }
        };
        if !is_visible {
            continue;
        }
        let mut event = Committed::from(commit);
        // A summary may show only a value that is still in use; for an earlier one it shows the size.
        let in_use = core.state.items.get(&commit.key);
        let was_shown =
            commit.value().is_some_and(|item| in_use.is_none_or(|live| **live != *item));
        if let Some(size) = event.size.filter(|_| was_shown) {
            event.summary = format!("[{size} bytes]");
        }
        told.push(event);
    }
    Ok(told)
}
