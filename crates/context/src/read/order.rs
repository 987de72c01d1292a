//! The orders of frames.

use std::cmp::{Ordering, Reverse};

use super::ViewedFrame;
use crate::{
    Error,
    synthesis::Registry,
    word::{AgentId, FrameType},
};

piton_core::closed_set! {
    /// How the node of a frame stands to the one that was asked for.
    pub enum Relation {
        /// It is the node itself.
        Own => "own",
        /// It is the directory that the node is in.
        Parent => "parent",
        /// It was named as related.
        Related => "related",
        /// It is in the same directory.
        Sibling => "sibling",
    }
}

/// An order of frames.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Newest first.
    #[default]
    Recency,
    /// By type, then newest first.
    Type,
    /// By agent, then newest first.
    Agent,
    /// These types first, in this order; then the others by name.
    TypePriority(Vec<FrameType>),
    /// These agents first, in this order; then the others by name.
    AgentPriority(Vec<AgentId>),
    /// Highest [`relevance`] first.
    Relevance,
    /// A function that was registered under this name.
    Custom(String),
}

/// Scores the relevance of a frame: `own` 400, `parent` 300, `related` 200, `sibling` 100, and 50 more if it is fresh.
/// Frames with equal scores are ordered by recency.
pub fn relevance(relation: Relation, fresh: bool) -> u64 {
    let near = match relation {
        Relation::Own => 400,     // tidy: number of the score, as documented above
        Relation::Parent => 300,  // tidy: number, the same
        Relation::Related => 200, // tidy: number, the same
        Relation::Sibling => 100, // tidy: number, the same
    };
    near + if fresh { 50 } else { 0 }
}

impl Order {
    /// Sorts frames in this order.
    pub(super) fn sort(
        &self,
        frames: &mut [ViewedFrame],
        registry: &Registry,
    ) -> Result<(), Error> {
        let custom = match self {
            Self::Custom(name) => Some(
                registry
                    .order(name)
                    .ok_or_else(|| Error::Invalid(format!("there is no order called {name}")))?,
            ),
            _ => None,
        };
        frames.sort_by(|one, other| {
            let newest = Reverse(one.recency).cmp(&Reverse(other.recency));
            let order = match self {
                Self::Recency => newest,
                Self::Type => one.frame.frame_type.cmp(&other.frame.frame_type).then(newest),
                Self::Agent => one.frame.agent_id.cmp(&other.frame.agent_id).then(newest),
                Self::TypePriority(first) => {
                    ranked(first, &one.frame.frame_type, &other.frame.frame_type).then(newest)
                }
                Self::AgentPriority(first) => {
                    ranked(first, &one.frame.agent_id, &other.frame.agent_id).then(newest)
                }
                Self::Relevance => {
                    let score =
                        |frame: &ViewedFrame| relevance(frame.relation, frame.freshness.is_fresh());
                    Reverse(score(one)).cmp(&Reverse(score(other))).then(newest)
                }
                Self::Custom(_) => {
                    let custom = custom.expect("it was looked up above");
                    custom(&one.frame, &other.frame)
                }
            };
            // Ids break ties, so that the order is the same for the same store.
            order.then(one.frame.id.cmp(&other.frame.id))
        });
        Ok(())
    }
}

/// Compares two items: listed ones first, in the order of the list, then the others by name.
fn ranked<T: Ord>(first: &[T], one: &T, other: &T) -> Ordering {
    let rank = |item: &T| first.iter().position(|listed| listed == item).unwrap_or(first.len());
    rank(one).cmp(&rank(other)).then_with(|| one.cmp(other))
}
