//! A Workspace, a set of them, and the router: it finds the Workspace of a path and checks that its scope permits the
//! operation. A set can be narrowed to the grants of a step.
//!
//! *Invariants*: the longest prefix decides, name by name. The set has no method that changes it. Nothing here calls a
//! Store, except to load a file for the operator. A narrower set permits nothing that the wider one does not, and no
//! path leads to another file.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use crate::bounds::{PURPOSE_BYTES_MAX, WORKSPACES_MAX};
use crate::error::{Error, quote};
use crate::mask::{Hidden, Mask};
use crate::path::{LogicalPath, MountPath};
use crate::protection::{Protection, ReservedPath};
use crate::scope::{AccessScope, Right, Tool};
use crate::store::{LoadedFile, QuotaKind, Store, StoreFault};

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

/// All files that one agent can see.
#[derive(Debug, Default)]
pub struct Workspaces {
    /// Sorted by prefix, so that those below a path are adjacent.
    list: Vec<Arc<Workspace>>,
    by_prefix: HashMap<Box<str>, usize>,
}

/// A path in the Workspace that it belongs to.
#[derive(Clone, Debug)]
pub struct LocatedPath {
    /// Path as the agent wrote it.
    pub path: LogicalPath,
    pub workspace: Arc<Workspace>,
    /// Path to pass to the Store.
    pub at: MountPath,
}

impl Workspaces {
    /// Checks the definitions. If anything is wrong, every problem is named and there is no set.
    pub fn new(definitions: Vec<Definition>) -> Result<Self, Error> {
        let mut problems = Vec::new();
        if definitions.len() > WORKSPACES_MAX {
            problems.push(format!("there are more than {WORKSPACES_MAX} Workspaces"));
        }
        let mut list = Vec::new();
        for definition in definitions {
            list.extend(check(definition, &mut problems));
        }
        list.sort_by(|left, right| left.prefix.cmp(&right.prefix));
        for pair in list.windows(2).filter(|pair| pair[0].prefix == pair[1].prefix) {
            problems.push(format!("the prefix {} is given twice", pair[0].prefix));
        }
        if !problems.is_empty() {
            return Err(Error::Config { problems });
        }
        let mut set = Self::of(list);
        // Each Workspace hides what lies under the prefixes of inner ones, so a path has exactly one Workspace.
        for at in 0..set.list.len() {
            let prefix = set.list[at].prefix.clone();
            let inner: Vec<_> = set.below(&prefix).iter().map(|one| one.prefix.clone()).collect();
            let outer = Arc::get_mut(&mut set.list[at]).expect("nobody else has it yet");
            outer.mask = Arc::new(outer.mask.with_inner(&prefix, &inner));
        }
        Ok(set)
    }

    /// Creates a set from Workspaces in order, each prefix once.
    pub(crate) fn of(list: Vec<Workspace>) -> Self {
        let by_prefix =
            list.iter().enumerate().map(|(at, one)| (one.prefix.as_str().into(), at)).collect();
        Self { list: list.into_iter().map(Arc::new).collect(), by_prefix }
    }

    /// Returns the Workspaces, in the order of their prefixes.
    pub fn all(&self) -> &[Arc<Workspace>] {
        &self.list
    }

    /// Returns the tools that can succeed in at least one use.
    pub fn tools(&self) -> Vec<Tool> {
        let scopes: Vec<AccessScope> = self.list.iter().map(|one| one.scope).collect();
        Tool::offered(&scopes)
    }

    /// Returns the Workspace that a path belongs to, and the path inside its Mount.
    pub fn find(&self, path: &LogicalPath) -> Option<(&Arc<Workspace>, MountPath)> {
        let at = path.prefixes().find_map(|prefix| self.by_prefix.get(prefix))?;
        let workspace = &self.list[*at];
        let below = path.below(&workspace.prefix).expect("the prefix is an ancestor of the path");
        Some((workspace, workspace.base.join(&below)))
    }

    /// Returns the Workspaces with prefixes below a path, in order.
    pub fn below(&self, path: &LogicalPath) -> &[Arc<Workspace>] {
        // The list is sorted name by name, so everything below a path follows it without a gap.
        let from = self.list.partition_point(|one| one.prefix <= *path);
        let count = self.list[from..].partition_point(|one| one.prefix.starts_with(path));
        &self.list[from..from + count]
    }

    /// Locates a path, if its Workspace gives the tool the right that it needs there.
    pub fn permit(
        &self,
        tool: Tool,
        right: Right,
        path: &LogicalPath,
    ) -> Result<LocatedPath, Error> {
        let Some((workspace, at)) = self.find(path) else {
            return Err(self.unmapped(path));
        };
        if !workspace.scope.gives(right) {
            let permits = |one: &&Arc<Workspace>| one.scope.gives(right);
            return Err(Error::Scope {
                tool,
                path: path.clone(),
                workspace: workspace.prefix.clone(),
                scope: workspace.scope,
                permitted: self.list.iter().filter(permits).map(|one| one.prefix.clone()).collect(),
            });
        }
        let target = LocatedPath { path: path.clone(), workspace: Arc::clone(workspace), at };
        target.check_hidden(&target.at)?;
        if right != Right::Read {
            target.check_protected(&target.at)?;
        }
        Ok(target)
    }

    /// Refuses an operation on a directory as a whole if it holds another Workspace, or is one.
    pub fn refuse_inner(&self, tool: Tool, target: &LocatedPath) -> Result<(), Error> {
        if target.path == target.workspace.prefix {
            let path = &target.path;
            return Err(Error::BadArgument(format!(
                "{path} is a Workspace itself, and `{tool}` works on what is in one"
            )));
        }
        match self.below(&target.path).first() {
            Some(inner) => {
                Err(Error::Inner { tool, path: target.path.clone(), inner: inner.prefix.clone() })
            }
            None => Ok(()),
        }
    }

    /// Returns the refusal of a path that no Workspace covers.
    pub fn unmapped(&self, path: &LogicalPath) -> Error {
        let known = self.list.iter().map(|one| one.prefix.clone()).collect();
        Error::Unmapped { path: path.clone(), known }
    }
}

impl LocatedPath {
    /// Refuses a path of the Mount that is hidden from the agent.
    pub(crate) fn check_hidden(&self, at: &MountPath) -> Result<(), Error> {
        // A link may lead out of the part of the Mount that a step was granted.
        if !at.starts_with(&self.workspace.base) {
            return Err(Error::Hidden { path: self.path.clone(), why: Hidden::Denied });
        }
        match self.workspace.mask.hides(at) {
            Some(why) => Err(Error::Hidden { path: self.path.clone(), why }),
            None => Ok(()),
        }
    }

    /// Refuses to change a path of the Mount that agents may only read.
    pub(crate) fn check_protected(&self, at: &MountPath) -> Result<(), Error> {
        match self.workspace.mask.protects(at) {
            Some(why) => Err(Error::Protected { path: self.path.clone(), why }),
            None => Ok(()),
        }
    }
}

/// Checks a definition. Returns its Workspace, or adds to the problems.
fn check(definition: Definition, problems: &mut Vec<String>) -> Option<Workspace> {
    let before = problems.len();
    let name = quote(&definition.prefix);
    let prefix = definition.prefix.parse::<LogicalPath>();
    let prefix =
        prefix.map_err(|why| problems.push(format!("the prefix `{name}` is refused: {why}")));
    let scope = definition.scope.parse::<AccessScope>();
    let scope = scope.map_err(|_| {
        let known = AccessScope::NAMES.join(", ");
        let scope = quote(&definition.scope);
        problems.push(format!("{name}: the scope `{scope}` is none of {known}"));
    });
    if definition.purpose.len() > PURPOSE_BYTES_MAX || definition.purpose.contains(char::is_control)
    {
        problems
            .push(format!("{name}: the purpose is one line of at most {PURPOSE_BYTES_MAX} bytes"));
    }
    let mask = Mask::new(&definition.deny);
    let protection = Protection::new(&definition.writable, &definition.reserved);
    let mask = mask.and_then(|mask| Ok(mask.protecting(protection?)));
    let mask = mask.map_err(|why| problems.push(format!("{name}: {why}")));
    let store = definition.store.map_err(|why| problems.push(format!("{name} {why}")));
    if problems.len() > before {
        return None;
    }
    Some(Workspace {
        prefix: prefix.ok()?,
        scope: scope.ok()?,
        purpose: definition.purpose,
        mask: Arc::new(mask.ok()?),
        store: store.ok()?,
        base: MountPath::root(),
    })
}

impl Workspaces {
    /// Narrows the set to these grants: below each prefix remains what both the grant and the Workspace there permit.
    /// The longest prefix counts. It may be that of a Workspace, of a directory inside one, or of a path above several.
    #[must_use]
    pub fn narrowed(&self, grants: &[(LogicalPath, AccessScope)]) -> Self {
        let covering = |path: &LogicalPath| {
            let above = grants.iter().filter(|(prefix, _)| path.starts_with(prefix));
            // The longest prefix wins, as in the router.
            above.max_by_key(|(prefix, _)| prefix.as_str().len())
        };
        let mut list = Vec::new();
        for one in self.all() {
            let granted = covering(&one.prefix).and_then(|(_, scope)| one.scope.narrowed(*scope));
            // A grant for a part of a Workspace becomes a Workspace of its own, hidden in the part above it.
            let parts: Vec<_> =
                grants.iter().filter(|(prefix, _)| self.is_part(one, prefix)).collect();
            let above = |prefix: &LogicalPath, scope| {
                let inner = parts.iter().map(|(part, _)| part);
                one.part(prefix, scope, inner.filter(|part| *part != prefix))
            };
            for (prefix, scope) in &parts {
                let granted = one.scope.narrowed(*scope);
                list.extend(granted.and_then(|scope| above(prefix, scope)));
            }
            list.extend(granted.and_then(|scope| above(&one.prefix, scope)));
        }
        list.sort_by(|left, right| left.prefix.cmp(&right.prefix));
        list.dedup_by(|left, right| left.prefix == right.prefix);
        Self::of(list)
    }

    /// True if a prefix lies in a Workspace, below its own prefix.
    fn is_part(&self, workspace: &Workspace, prefix: &LogicalPath) -> bool {
        *prefix != workspace.prefix
            && self.find(prefix).is_some_and(|(found, _)| found.prefix == workspace.prefix)
    }
}

impl Workspace {
    /// Returns the part at a prefix, without those of `inner` that lie below. `None` if that part is hidden.
    fn part<'a>(
        &self,
        prefix: &LogicalPath,
        scope: AccessScope,
        inner: impl Iterator<Item = &'a LogicalPath>,
    ) -> Option<Self> {
        let base = self.at(prefix).expect("the prefix lies in it");
        if self.mask.hides(&base).is_some() {
            return None;
        }
        let inner = inner.filter(|part| part.starts_with(prefix)).filter_map(|part| self.at(part));
        Some(Self {
            prefix: prefix.clone(),
            scope,
            purpose: self.purpose.clone(),
            mask: Arc::new(self.mask.with_covered(inner)),
            store: Arc::clone(&self.store),
            base,
        })
    }

    /// Returns the path in the Mount of a path below the prefix.
    fn at(&self, path: &LogicalPath) -> Option<MountPath> {
        path.below(&self.prefix).map(|below| self.base.join(&below))
    }
}

/// Limit on the contents of a Workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// Maximum size of all files together.
    pub bytes_max: u64,
    /// Maximum number of files.
    pub files_max: u64,
}

impl Quota {
    /// Refuses usage above the quota.
    pub(crate) fn check(self, bytes: u64, files: u64) -> Result<(), StoreFault> {
        if bytes > self.bytes_max {
            return Err(StoreFault::Quota { kind: QuotaKind::Bytes, max: self.bytes_max });
        }
        if files > self.files_max {
            return Err(StoreFault::Quota { kind: QuotaKind::Files, max: self.files_max });
        }
        Ok(())
    }
}
