//! The label and description of each entry, for authors.
//!
//! *Invariants*: a match over the whole set selects the description, so a new entry does not compile without
//! one.

use crate::capability::Capability;
use crate::compile::{Feature, Reference, Template};
use crate::contract::ContractPack;

/// A description of one or two sentences.
pub(super) trait Describe {
    fn description(&self) -> &'static str;
}

/// Returns the last part of an id as words: `Review verdict` for `wr.contracts.review_verdict`.
pub(super) fn label(id: &str) -> String {
    let name = id.rsplit('.').next().unwrap_or(id).replace('_', " ");
    let (first, rest) = name.split_at(name.chars().next().map_or(0, char::len_utf8));
    first.to_uppercase() + rest
}

impl Describe for ContractPack {
    fn description(&self) -> &'static str {
        match self {
            Self::Assessment => {
                "A rating along dimensions that the prompt names, each with a level and a reason."
            }
            Self::CapabilityObservation => "What came of trying out a capability.",
            Self::CodingHandoff => {
                "What a coder leaves for who comes next: decisions, limitations, tests, files."
            }
            Self::CoordinatorSignal => {
                "News for whoever coordinates several runs: progress, a finding, a need, a block."
            }
            Self::DifferentiationHandoff => {
                "What sets an idea apart, with the shape that follows from it."
            }
            Self::DiscoveryHandoff => {
                "The direction that was found: what it is, what it stands on, where it is written down."
            }
            Self::Divergence => "The way of the workflow was left on purpose, and why.",
            Self::GateVerdict => {
                "Whether a gate opens: approved, rejected or uncertain, with reasons."
            }
            Self::LoopControl => {
                "Whether a loop turns once more. Exactly one step of the body of a loop has it."
            }
            Self::ReviewVerdict => {
                "What a review came to: clean, minor or blocking, with findings by severity."
            }
            Self::ShapingHandoff => {
                "The shape that was chosen for a piece of work, with its limits, for who builds it."
            }
        }
    }
}

impl Describe for Feature {
    fn description(&self) -> &'static str {
        match self {
            Self::Capabilities => {
                "Tries out capabilities before the first step: the required ones, or the preferred ones as \
                 well. It is on by itself where a capability is required."
            }
            Self::ClosingReview => {
                "Adds a last step that compares the result with what was wanted."
            }
            Self::NotesDiscipline => {
                "Says in the prompt of every step that must have notes what good notes hold, and how long \
                 they are."
            }
            Self::Orientation => "Adds a first step that asks what the run is for.",
        }
    }
}

impl Describe for Capability {
    fn description(&self) -> &'static str {
        match self {
            Self::Delegation => {
                "The run needs an agent that can hand work to other agents, and a first step finds out."
            }
            Self::WebBrowsing => {
                "The run needs an agent that can read the web, and a first step finds out."
            }
        }
    }
}

impl Describe for Reference {
    fn description(&self) -> &'static str {
        match self {
            Self::AdversarialChallenge => "How to challenge a result before it is accepted.",
            Self::AdversarialChallengeRules => "By which rules a result is challenged.",
            Self::AppendOnlyRecord => {
                "That what is handed in is never changed, and how to correct it."
            }
            Self::AutonomyLevels => "What the levels of autonomy mean for the run.",
            Self::MemoryQuery => "How to ask a memory that outlives the run.",
            Self::MemoryStore => "What to keep in a memory that outlives the run.",
            Self::MemoryUsage => "What a memory that outlives the run is for.",
            Self::NotesFirst => "Why notes matter, and what they hold.",
            Self::NotesFirstDurability => "Why what must last stands in the notes.",
            Self::ParallelThought => "Who thinks side by side, and who joins the results.",
            Self::SynthesisUnderDisagreement => "How to join results that differ.",
        }
    }
}

impl Describe for Template {
    fn description(&self) -> &'static str {
        match self {
            Self::CapabilityProbe => {
                "A step that tries out one capability and reports what happened. Takes `capability`."
            }
            Self::ClosingReview => "A step that compares the result with what was wanted.",
            Self::Delegation => {
                "A step that has work done by subagents in parallel, and asks for a heading with the result \
                 of each. Takes `tasks`, each with `name`, `routine`, `params` and `description`, and \
                 perhaps an `executor`, the type of subagent."
            }
            Self::LoopDecision => {
                "A step that decides whether a loop turns once more. Takes `loopId`."
            }
            Self::Orientation => "A step that says what the run is for before the work begins.",
        }
    }
}
