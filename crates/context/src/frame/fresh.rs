//! Freshness of frames: decides whether a frame still describes the current state.
//!
//! *Invariants*: staleness is computed on demand from what is stored; an edit marks nothing. An edit that is undone
//! therefore makes a frame fresh again.

use std::collections::BTreeMap;
use std::fmt;

use piton_store::bounds::TABLE_GET_MAX;
use piton_store::port::BoxFuture;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::{Basis, BasisInputs, Frame, FrameHead, FrameId};
use crate::bounds::{LISTINGS_KEPT_MAX, MANY_FRAMES};
use crate::rows::ChildRecord;
use crate::synthesis::NOTHING_DESCRIBED;
use crate::tree::{Name, TreeNodeId, TreePath};
use crate::word::FrameType;
use crate::{Context, Error};

/// Freshness of a frame, with the reason if it is stale or unchecked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// Its inputs are unchanged.
    Fresh,
    /// Its inputs changed, or it was invalidated.
    Stale {
        /// Explanation for people.
        reason: String,
    },
    /// Its inputs were unchanged when the project was last scanned. The files could not be examined since.
    Unchecked {
        /// Reason that the files could not be examined.
        unchecked: String,
    },
}

impl Freshness {
    /// True if it is fresh.
    pub fn is_fresh(&self) -> bool {
        *self == Self::Fresh
    }

    /// Returns the reason that it is stale.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Fresh | Self::Unchecked { .. } => None,
            Self::Stale { reason } => Some(reason),
        }
    }

    /// Returns the reason that it was not checked.
    pub fn unchecked(&self) -> Option<&str> {
        match self {
            Self::Unchecked { unchecked } => Some(unchecked),
            _ => None,
        }
    }

    fn stale(reason: impl Into<String>) -> Self {
        Self::Stale { reason: reason.into() }
    }
}

impl Serialize for Freshness {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = FreshnessFields {
            is_fresh: self.is_fresh(),
            stale_because: self.reason(),
            unchecked: self.unchecked(),
        };
        fields.serialize(serializer)
    }
}

impl schemars::JsonSchema for Freshness {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Freshness".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        FreshnessFields::json_schema(generator)
    }
}

/// The fields of a frame in JSON that say whether it is fresh.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FreshnessFields<'a> {
    /// Whether its inputs are unchanged.
    is_fresh: bool,
    /// Why it is stale.
    #[serde(skip_serializing_if = "Option::is_none")]
    stale_because: Option<&'a str>,
    /// Why nobody could check whether it is fresh; then it does not count as fresh.
    #[serde(skip_serializing_if = "Option::is_none")]
    unchecked: Option<&'a str>,
}

impl fmt::Display for Freshness {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fresh => formatter.write_str("fresh"),
            Self::Stale { reason } => write!(formatter, "stale: {reason}"),
            Self::Unchecked { unchecked } => {
                write!(formatter, "freshness not checked: {unchecked}")
            }
        }
    }
}

/// Judges frames against one tree and caches the results.
pub(crate) struct Judge<'a> {
    context: &'a Context,
    root: TreeNodeId,
    known: BTreeMap<FrameId, Freshness>,
    /// Nodes at the paths that were looked up.
    there: BTreeMap<TreePath, Option<TreeNodeId>>,
    /// Entries of the directories that were read, so that many paths in one directory read it once. `None` for single
    /// paths, which need only one row of each directory.
    listings: Option<BTreeMap<TreePath, Vec<ChildRecord>>>,
    listed: usize,
    /// Invalidation marks by path and type; `None` if the head there is not marked.
    invalidated: BTreeMap<(TreePath, FrameType), Option<String>>,
    /// Set when `invalidated` holds every mark.
    knows_marks: bool,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(context: &'a Context, root: TreeNodeId) -> Self {
        let (known, there) = (BTreeMap::new(), BTreeMap::new());
        let (listings, listed) = (None, 0);
        let (invalidated, knows_marks) = (BTreeMap::new(), false);
        Self { context, root, known, there, listings, listed, invalidated, knows_marks }
    }

    /// Creates a judge for frames of many paths.
    pub(crate) fn of_many(context: &'a Context, root: TreeNodeId) -> Self {
        Self { listings: Some(BTreeMap::new()), ..Self::new(context, root) }
    }

    /// Decides whether a frame is fresh.
    pub(crate) fn judge<'b>(
        &'b mut self,
        frame: &'b Frame,
    ) -> BoxFuture<'b, Result<Freshness, Error>> {
        Box::pin(async move {
            if let Some(known) = self.known.get(&frame.id) {
                return Ok(known.clone());
            }
            // A mark concerns only the head: an older frame of the same type is judged by its basis alone.
            let found = match self.invalidated(frame).await? {
                Some(reason) if self.is_head(frame).await? => {
                    Freshness::stale(format!("it was invalidated: {reason}"))
                }
                _ => self.by_basis(frame).await?,
            };
            // Fresh means fresh as of the last scan. If the files could not be checked, do not promise more than that.
            let found = match (found, &self.context.unchecked) {
                (Freshness::Fresh, Some(why)) => {
                    Freshness::Unchecked { unchecked: why.to_string() }
                }
                (found, _) => found,
            };
            self.known.insert(frame.id, found.clone());
            Ok(found)
        })
    }

    /// Reads all marks at once: there are few of them, and many frames will be judged.
    pub(crate) async fn read_marks(&mut self) -> Result<(), Error> {
        let marks = self.context.marks().await?;
        self.invalidated = marks.into_iter().map(|(place, why)| (place, Some(why))).collect();
        self.knows_marks = true;
        Ok(())
    }

    async fn invalidated(&mut self, frame: &Frame) -> Result<Option<String>, Error> {
        let place = (frame.path.clone(), frame.frame_type.clone());
        if let Some(known) = self.invalidated.get(&place) {
            return Ok(known.clone());
        }
        // All marks are loaded, so absence means that there is none.
        if self.knows_marks {
            return Ok(None);
        }
        let found = self.context.invalidated(&frame.path, &frame.frame_type).await?;
        self.invalidated.insert(place, found.clone());
        Ok(found)
    }

    /// Records the node at a path of the tree.
    pub(crate) fn knows(&mut self, path: &TreePath, there: Option<TreeNodeId>) {
        self.there.insert(path.clone(), there);
    }

    /// Returns the node at a path of the tree.
    pub(crate) async fn id_at(&mut self, path: &TreePath) -> Result<Option<TreeNodeId>, Error> {
        if let Some(known) = self.there.get(path) {
            return Ok(*known);
        }
        // Taken out for the call, because the lookup borrows `self` as well.
        let found = match self.listings.take() {
            None => self.context.id_at(self.root, path).await?.map(|(id, _)| id),
            Some(mut listings) => {
                let found = self.id_by_listings(&mut listings, path).await?;
                self.listings = Some(listings);
                found
            }
        };
        self.there.insert(path.clone(), found);
        Ok(found)
    }

    async fn id_by_listings(
        &mut self,
        listings: &mut BTreeMap<TreePath, Vec<ChildRecord>>,
        path: &TreePath,
    ) -> Result<Option<TreeNodeId>, Error> {
        let (mut id, mut at) = (Some(self.root), TreePath::root());
        for name in path.names() {
            let Some(directory) = id else { break };
            if !listings.contains_key(&at) {
                // Bounds the memory: drop everything and start again rather than track which listing is least used.
                if self.listed > LISTINGS_KEPT_MAX {
                    listings.clear();
                    self.listed = 0;
                }
                let children = self.context.children(directory).await?;
                self.listed += children.len();
                listings.insert(at.clone(), children);
            }
            let children = &listings[&at];
            // Children are stored in order of their names.
            let place = children.binary_search_by(|child| child.name.as_bytes().cmp(name)).ok();
            id = place.map(|place| children[place].id);
            at = at.join(&Name::new(name).expect("the parts of a path are names"));
        }
        Ok(id)
    }

    async fn is_head(&self, frame: &Frame) -> Result<bool, Error> {
        let head = self.context.head(&frame.path, &frame.frame_type).await?;
        Ok(head.is_some_and(|head| head.frame == frame.id))
    }

    async fn by_basis(&mut self, frame: &Frame) -> Result<Freshness, Error> {
        match &frame.basis {
            Basis::Written { node_id, .. } => self.written(&frame.path, *node_id).await,
            Basis::Synthesis { .. } => self.synthesis(frame).await,
            Basis::Generated { given, .. } => self.generated(given).await,
        }
    }

    async fn written(&mut self, path: &TreePath, node_id: TreeNodeId) -> Result<Freshness, Error> {
        Ok(match self.id_at(path).await? {
            Some(current) if current == node_id => Freshness::Fresh,
            Some(_) => Freshness::stale(format!("{path} was changed since")),
            None => Freshness::stale(format!("{path} is gone")),
        })
    }

    async fn synthesis(&mut self, frame: &Frame) -> Result<Freshness, Error> {
        let Basis::Synthesis { policy, .. } = &frame.basis else {
            return Ok(Freshness::Fresh);
        };
        // A policy of another version may combine the same frames differently.
        match self.context.registry.version(&policy.name) {
            None => {
                let reason = format!("the policy {} is not known any more", policy.name);
                return Ok(Freshness::stale(reason));
            }
            Some(version) if version != policy.version => {
                return Ok(Freshness::stale(format!(
                    "the policy {} has version {version} now, it was made by version {}",
                    policy.name, policy.version
                )));
            }
            Some(_) => {}
        }
        // Gather again what the policy would combine now. A synthesis is fresh only if the result is the same frames.
        let Some(heads) = self.context.gather(self.root, &frame.path, policy).await? else {
            return Ok(Freshness::stale(format!("{} is no directory any more", frame.path)));
        };
        let now = heads.iter().map(|(_, head)| head.frame).collect();
        if Basis::synthesis(now, policy.clone()) != frame.basis {
            return Ok(Freshness::stale("the frames that it is made from are others now"));
        }
        // An empty synthesis is right only for a directory with nothing to describe in it.
        if heads.is_empty() && !self.context.is_bare(self.root, &frame.path).await? {
            return Ok(Freshness::stale(NOTHING_DESCRIBED));
        }
        // With many parts, a few large reads are cheaper than a row per part.
        if heads.len() > MANY_FRAMES {
            self.listings.get_or_insert_default();
            if !self.knows_marks {
                self.read_marks().await?;
            }
        }
        // Staleness is transitive: a synthesis is no fresher than the frames that it combines.
        for heads in heads.chunks(TABLE_GET_MAX) {
            let unknown = heads.iter().filter(|(_, head)| !self.known.contains_key(&head.frame));
            let unknown: Vec<(TreePath, FrameHead)> = unknown.cloned().collect();
            for child in self.context.frames_at(&unknown).await? {
                self.judge(&child).await?;
            }
            for (path, head) in heads {
                if let Some(Freshness::Stale { reason }) = self.known.get(&head.frame) {
                    let kind = &head.frame_type;
                    return Ok(Freshness::stale(format!(
                        "the {kind} frame of {path} is stale: {reason}"
                    )));
                }
            }
        }
        Ok(Freshness::Fresh)
    }

    async fn generated(&mut self, given: &[BasisInputs]) -> Result<Freshness, Error> {
        if given.len() > MANY_FRAMES {
            self.listings.get_or_insert_default();
        }
        for given in given {
            match given {
                BasisInputs::Node { path, node_id } => {
                    let found = self.written(path, *node_id).await?;
                    if !found.is_fresh() {
                        return Ok(found);
                    }
                }
                BasisInputs::Frame { path, frame_type, frame_id } => {
                    let head = self.context.head(path, frame_type).await?;
                    if head.is_none_or(|head| head.frame != *frame_id) {
                        let reason = format!("the {frame_type} frame of {path} is another one now");
                        return Ok(Freshness::stale(reason));
                    }
                    if self.id_at(path).await?.is_none() {
                        return Ok(Freshness::stale(format!("{path} is gone")));
                    }
                }
            }
        }
        Ok(Freshness::Fresh)
    }
}
