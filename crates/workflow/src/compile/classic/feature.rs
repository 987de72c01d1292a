//! Features of the classic dialect: a passage for the prompt of every step.

use std::collections::{BTreeMap, BTreeSet};

use crate::compile::workflow::CompiledFeature;
use crate::source::{FeatureId, Pointer, ProblemCode, Problems};

piton_core::closed_set! {
    /// A feature that a file in the classic dialect may switch on.
    enum ClassicFeature {
        /// How to find out what the agent is able to do.
        Capabilities => "wr.features.capabilities",
        /// How to use a memory that outlives the run.
        MemoryContext => "wr.features.memory_context",
        /// How to hand work to other agents.
        SubagentGuidance => "wr.features.subagent_guidance",
    }
}

impl ClassicFeature {
    const fn text(self) -> &'static str {
        match self {
            Self::Capabilities => {
                "\n\n## Tools\nBefore you count on a tool, such as web access or other agents, try it once. If \
                 it is missing, say so in your notes, and go on as well as you can without it."
            }
            Self::MemoryContext => {
                "\n\n## Memory\nIf there is a tool that remembers across runs, ask it first for what is known \
                 about this work, and give it at the end what the next run should know."
            }
            Self::SubagentGuidance => {
                "\n\n## Other agents\nIf you can hand work to other agents, give each of them one question and \
                 everything that it takes to answer it, let them work side by side, and join the answers \
                 yourself."
            }
        }
    }
}

/// The combined effect of a workflow's features.
pub(super) struct Features {
    pub(super) compiled: Vec<CompiledFeature>,
    /// The texts that every prompt includes.
    pub(super) additions: Vec<(FeatureId, String)>,
}

/// Applies each feature once, by id.
pub(super) fn apply(switched_on: &[(Pointer, FeatureId)], problems: &mut Problems) -> Features {
    // A set sorts by id and drops repetitions, so neither of them changes the hash.
    let mut found = BTreeSet::new();
    for (at, id) in switched_on {
        if let Ok(feature) = id.as_str().parse::<ClassicFeature>() {
            found.insert((id.clone(), feature));
        } else {
            let reason = format!("there is no feature `{id}` in this dialect");
            let fix = format!("use one of: {}", ClassicFeature::NAMES.join(", "));
            problems.report(at, ProblemCode::UnresolvedReference, reason, fix);
        }
    }
    let config = BTreeMap::new;
    Features {
        compiled: found
            .iter()
            .map(|(id, _)| CompiledFeature { feature_id: id.clone(), config: config() })
            .collect(),
        additions: found.into_iter().map(|(id, feature)| (id, feature.text().to_owned())).collect(),
    }
}
