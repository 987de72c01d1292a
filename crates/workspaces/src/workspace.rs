//! One Workspace: a prefix, an Access Scope and a Mount.

use std::{fmt, sync::Arc};

use crate::{
    mask::Mask,
    path::{LogicalPath, MountPath},
    protection::ReservedPath,
    scope::AccessScope,
    store::{LoadedFile, Store},
};

/// A part of the file world that an agent can see.
pub struct Workspace {
    pub(crate) prefix: LogicalPath,
    pub(crate) scope: AccessScope,
    pub(crate) purpose: String,
    pub(crate) mask: Arc<Mask>,
    pub(crate) store: Arc<dyn Store>,
    /// Where in the Mount it begins: the Mount itself, unless a step was given a part of it.
    pub(crate) base: MountPath,
}

impl Workspace {
    /// Where it begins in the file world of the agent.
    pub fn prefix(&self) -> &LogicalPath {
        &self.prefix
    }

    /// What it permits.
    pub fn scope(&self) -> AccessScope {
        self.scope
    }

    /// A whole file of at most so many bytes, for whoever looks after the Workspace; nothing if there is none that may
    /// be shown.
    pub async fn load(&self, at: MountPath, bytes_max: u64) -> Option<LoadedFile> {
        if self.mask.hides(&at).is_some() {
            return None;
        }
        self.store.load(at, bytes_max).await.ok()
    }

    /// What it is for, in the words of who configured it.
    pub fn purpose(&self) -> &str {
        &self.purpose
    }
}

impl fmt::Debug for Workspace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Workspace({}, {})", self.prefix, self.scope)
    }
}

/// A Workspace as somebody wishes it, not checked yet.
pub struct Definition {
    /// Where it begins.
    pub prefix: String,
    /// The name of its Access Scope.
    pub scope: String,
    /// What it is for: one line of the Filesystem Map.
    pub purpose: String,
    /// Patterns of names that are hidden.
    pub deny: Vec<String>,
    /// Protected names that agents may change here.
    pub writable: Vec<String>,
    /// Paths of the Mount that are protected whatever their names are.
    pub reserved: Vec<ReservedPath>,
    /// Its Store, or why there is none: words that follow the prefix.
    pub store: Result<Arc<dyn Store>, String>,
}
