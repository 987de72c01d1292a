//! Access Scopes, the rights that they give, and the tools that need them.

piton_core::closed_set! {
    /// What a Workspace permits.
    pub enum AccessScope {
        /// Reading, listing and searching.
        ReadOnly => "read-only",
        /// Everything.
        ReadWrite => "read-write",
        /// Writing without ever learning what is there.
        WriteOnly => "write-only",
    }
}

/// Right that an operation needs at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Right {
    /// Learning what is there.
    Read,
    /// Putting content there, without learning what was there before.
    Write,
    /// Changing or removing what is there, knowing what it is.
    Change,
}

impl AccessScope {
    /// True if the scope gives a right.
    pub const fn gives(self, right: Right) -> bool {
        matches!(
            (self, right),
            (Self::ReadWrite, _) | (Self::ReadOnly, Right::Read) | (Self::WriteOnly, Right::Write)
        )
    }

    /// Returns the scope that permits what both permit. `None` if they have nothing in common.
    pub fn narrowed(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::ReadWrite, narrower) | (narrower, Self::ReadWrite) => Some(narrower),
            (one, other) => (one == other).then_some(one),
        }
    }
}

piton_core::closed_set! {
    /// The operations that an agent can ask for, by the names of their tools.
    pub enum Tool {
        /// Lists a directory.
        Ls => "ls",
        /// Reads a file.
        Read => "read",
        /// Creates, replaces or appends to a file.
        Write => "write",
        /// Replaces text in a file.
        Edit => "edit",
        /// Finds files by name.
        Glob => "glob",
        /// Finds lines in files.
        Grep => "grep",
        /// Tells about one path.
        Stat => "stat",
        /// Copies a file.
        Copy => "copy",
        /// Moves or renames.
        Move => "move",
        /// Deletes.
        Delete => "delete",
        /// Makes a directory.
        Mkdir => "mkdir",
    }
}

impl Tool {
    /// Returns the right that the tool needs at its path, or at its source if it has two paths.
    pub const fn needs(self) -> Right {
        match self {
            Self::Ls | Self::Read | Self::Glob | Self::Grep | Self::Stat | Self::Copy => {
                Right::Read
            }
            Self::Write => Right::Write,
            Self::Edit | Self::Move | Self::Delete | Self::Mkdir => Right::Change,
        }
    }

    /// Returns the right that the tool needs at its target, if it has one.
    pub const fn needs_at_target(self) -> Option<Right> {
        match self {
            Self::Copy | Self::Move => Some(Right::Write),
            _ => None,
        }
    }

    /// True if the tool changes anything.
    pub fn changes(self) -> bool {
        self.needs() != Right::Read || self.needs_at_target().is_some()
    }

    /// Returns the tools that can succeed in at least one use under some of these scopes.
    pub fn offered(scopes: &[AccessScope]) -> Vec<Self> {
        let some = |right: Right| scopes.iter().any(|scope| scope.gives(right));
        let can = |tool: &Self| some(tool.needs()) && tool.needs_at_target().is_none_or(some);
        Self::ALL.iter().copied().filter(can).collect()
    }
}
