//! A second wall: the kernel itself refuses every file outside the Mounts.
//!
//! The first wall is the Physical Store, which opens everything beneath its Mount. This one applies to the whole
//! process, whatever its code does, and cannot be taken down again. It has to be put up before threads start, because
//! existing threads keep their rights.
//!
//! *Limitations*: rights add up along a path, so only the router separates a narrower Workspace inside a wider one on
//! the same tree. Descriptors that are already open stay usable.

use std::path::PathBuf;

use crate::scope::AccessScope;

/// A directory that stays accessible, and its scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowedDirectory {
    pub directory: PathBuf,
    /// Access that stays possible below it.
    pub scope: AccessScope,
}

piton_core::closed_set! {
    /// Whether the second wall stands.
    pub enum KernelSandbox {
        /// It stands, with everything that was asked for.
        Full => "full",
        /// It stands; the kernel is too old for a part of it.
        Partial => "partial",
        /// It does not stand: this kernel or platform has nothing of the kind.
        None => "none",
    }
}

/// Puts up the wall around these directories, for this thread and all threads that it starts. They have to include
/// everything that the process itself needs, such as its data directory.
#[cfg(target_os = "linux")]
pub fn enclose(openings: &[AllowedDirectory]) -> Result<KernelSandbox, &'static str> {
    use landlock::{
        ABI, Access as _, AccessFs, BitFlags, CompatLevel, Compatible as _, PathBeneath, PathFd,
        Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, RulesetStatus,
    };

    const REFUSED: &str = "the kernel refused the wall around the Workspaces";
    let abi = ABI::V3;
    let may = |scope: AccessScope| -> BitFlags<AccessFs> {
        match scope {
            AccessScope::ReadOnly => AccessFs::ReadFile | AccessFs::ReadDir,
            // A write replaces a file, and to do so reads the old one, even in a write-only Workspace.
            AccessScope::ReadWrite | AccessScope::WriteOnly => {
                AccessFs::from_all(abi) & !BitFlags::from(AccessFs::Execute)
            }
        }
    };
    // An older kernel enforces the part that it knows; the status below reports how much that is.
    let ruleset = Ruleset::default().set_compatibility(CompatLevel::BestEffort);
    let ruleset = ruleset.handle_access(AccessFs::from_all(abi)).map_err(|_| REFUSED)?;
    let mut ruleset = ruleset.create().map_err(|_| REFUSED)?;
    for opening in openings {
        let directory = PathFd::new(&opening.directory)
            .map_err(|_| "a directory of a Workspace cannot be opened for the wall")?;
        let rule = PathBeneath::new(directory, may(opening.scope));
        ruleset = ruleset.add_rule(rule).map_err(|_| REFUSED)?;
    }
    let status = ruleset.restrict_self().map_err(|_| REFUSED)?;
    Ok(match status.ruleset {
        RulesetStatus::FullyEnforced => KernelSandbox::Full,
        RulesetStatus::PartiallyEnforced => KernelSandbox::Partial,
        RulesetStatus::NotEnforced => KernelSandbox::None,
    })
}

/// Reports that this platform has no such wall.
#[cfg(not(target_os = "linux"))]
pub fn enclose(_: &[AllowedDirectory]) -> Result<KernelSandbox, &'static str> {
    Ok(KernelSandbox::None)
}
