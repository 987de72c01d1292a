//! How a node reads.

use std::sync::Arc;

use crate::access::Operation;
use crate::commit::Act;
use crate::error::Error;
use crate::item::Item;
use crate::scope::Scope;
use crate::text::Key;

/// The item under a key, and a commit that says so.
pub(crate) fn unpack(scope: &Scope, key: &Key) -> Result<Option<Arc<Item>>, Error> {
    scope.inner.act(&scope.identity, |core| {
        if !core.readable(scope.asker(), key) {
            return scope.inner.deny(core, &scope.identity, key, Operation::Read).map(|_| None);
        }
        let read = core.state.items.get(key).cloned();
        let stamp = scope.inner.stamp(core);
        let found = read.as_ref().map(|item| core.in_full(item));
        scope.inner.commit(core, stamp, &scope.identity, key.clone(), Act::Unpack { read });
        Ok(found)
    })
}

/// The item under a key; only a refusal is recorded.
pub(crate) fn peek(scope: &Scope, key: &Key) -> Result<Option<Arc<Item>>, Error> {
    scope.inner.act(&scope.identity, |core| {
        if !core.readable(scope.asker(), key) {
            return scope.inner.deny(core, &scope.identity, key, Operation::Read).map(|_| None);
        }
        Ok(core.state.items.get(key).map(|item| core.in_full(item)))
    })
}
