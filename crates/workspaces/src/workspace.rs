//! One Workspace: a prefix, an Access Scope and a Mount.

use std::fmt;
use std::sync::Arc;

use crate::mask::Mask;
use crate::path::{LogicalPath, MountPath};
use crate::protection::ReservedPath;
use crate::scope::AccessScope;
use crate::store::{LoadedFile, Store};

/// A part of the file world that an agent can see.
pub struct Workspace {
    pub(crate) prefix: LogicalPath,
    pub(crate) scope: AccessScope,
    pub(crate) purpose: String,
    pub(crate) mask: Arc<Mask>,
    pub(crate) store: Arc<dyn Store>,
    /// Start of the Workspace in its Mount: the Mount itself, unless a step was granted a part of it.
    pub(crate) base: MountPath,
}

impl Workspace {
    /// Returns the start of the Workspace in the file world of the agent.
    pub fn prefix(&self) -> &LogicalPath {
        &self.prefix
    }

    /// Returns the Access Scope.
    pub fn scope(&self) -> AccessScope {
        self.scope
    }

    /// Loads a whole file of at most `bytes_max` bytes, for the operator of the Workspace. `None` if there is none that
    /// may be shown.
    pub async fn load(&self, at: MountPath, bytes_max: u64) -> Option<LoadedFile> {
        if self.mask.hides(&at).is_some() {
            return None;
        }
        self.store.load(at, bytes_max).await.ok()
    }

    /// Returns the purpose, in the words of the person who configured it.
    pub fn purpose(&self) -> &str {
        &self.purpose
    }
}

impl fmt::Debug for Workspace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Workspace({}, {})", self.prefix, self.scope)
    }
}

/// A requested Workspace that is not checked yet.
pub struct Definition {
    /// Start of the Workspace in the file world of the agent.
    pub prefix: String,
    /// Name of the Access Scope.
    pub scope: String,
    /// Purpose, as one line of the Filesystem Map.
    pub purpose: String,
    /// Patterns of hidden names.
    pub deny: Vec<String>,
    /// Protected names that agents may change here.
    pub writable: Vec<String>,
    /// Paths of the Mount that are protected regardless of their names.
    pub reserved: Vec<ReservedPath>,
    /// The Store, or the reason that there is none, as words that follow the prefix.
    pub store: Result<Arc<dyn Store>, String>,
}
