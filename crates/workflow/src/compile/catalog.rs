//! What workflows may take from Piton by name: contracts and texts.
//!
//! *Invariants*: asked when a workflow is compiled, and never when it runs.

use std::collections::BTreeMap;

use crate::contract::{ContractDefinition, ContractPack};
use crate::source::{ContractRef, RefId};

/// Contracts and texts by name.
#[derive(Clone, Debug)]
pub struct Catalog {
    /// The contracts.
    pub contracts: BTreeMap<ContractRef, ContractDefinition>,
    /// The texts that prompts may take in.
    pub refs: BTreeMap<RefId, String>,
}

piton_core::closed_set! {
    /// A text that prompts may take in.
    pub enum Reference {
        /// How to challenge a result.
        AdversarialChallenge => "wr.refs.adversarial_challenge",
        /// What a run records, and that it is never changed.
        AppendOnlyRecord => "wr.refs.append_only_record",
        /// What the levels of autonomy mean.
        AutonomyLevels => "wr.refs.autonomy_levels",
        /// Why notes matter.
        NotesFirst => "wr.refs.notes_first",
        /// How to join results that differ.
        SynthesisUnderDisagreement => "wr.refs.synthesis_under_disagreement",
    }
}

impl Reference {
    /// The text.
    pub const fn text(self) -> &'static str {
        match self {
            Self::AdversarialChallenge => {
                "Challenge the result before you accept it: name the strongest reason why it could be \
                 wrong, look for evidence of that reason, and say what you found. A challenge that finds \
                 nothing names where it looked."
            }
            Self::AppendOnlyRecord => {
                "What you hand in is recorded and never changed. To correct something, hand in a new \
                 output that says what it corrects."
            }
            Self::AutonomyLevels => {
                "In `guided` the run stops for whatever blocks it and asks where a step wants \
                 confirmation. In `full_auto_stop_on_user_deps` it asks for no confirmation and stops \
                 for what only a person can give. In `full_auto_never_stop` it goes on and records what \
                 is missing as a gap."
            }
            Self::NotesFirst => {
                "Your notes are all that is left of this step when the conversation is gone. Write down \
                 what you decided and why, what you made and where it is, and what is still open."
            }
            Self::SynthesisUnderDisagreement => {
                "Where results differ, do not average them. Say what each claims, which evidence decides \
                 between them, and what stays undecided."
            }
        }
    }
}

impl Catalog {
    /// What this version of Piton brings along.
    pub fn standard() -> Self {
        let contract = |pack: &ContractPack| (pack.contract_ref(), pack.definition());
        let text = |reference: &Reference| {
            let id = reference.as_str().parse().expect("the names are ids of texts");
            (id, reference.text().to_owned())
        };
        Self {
            contracts: ContractPack::ALL.iter().map(contract).collect(),
            refs: Reference::ALL.iter().map(text).collect(),
        }
    }
}

impl Default for Catalog {
    fn default() -> Self {
        Self::standard()
    }
}
