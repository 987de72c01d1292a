//! The things that workflows may use from Piton by name: contracts, texts and routines.
//!
//! *Invariants*: they are consulted when a workflow is compiled, and never when it runs.

use std::collections::BTreeMap;

use crate::contract::{BuiltinContract, ContractDefinition};
use crate::source::{ContractRef, RefId, RoutineId};

/// Contracts, texts and routines by name.
#[derive(Clone, Debug)]
pub struct Definitions {
    pub contracts: BTreeMap<ContractRef, ContractDefinition>,
    /// The texts that prompts may include.
    pub refs: BTreeMap<RefId, String>,
    /// The routines that steps of the classic dialect may call, each as the text of a workflow file in that
    /// dialect. Its steps replace the call.
    pub routines: BTreeMap<RoutineId, String>,
}

piton_core::closed_set! {
    /// A text that prompts may take in.
    pub enum Reference {
        /// How to challenge a result.
        AdversarialChallenge => "wr.refs.adversarial_challenge",
        /// By which rules results are challenged.
        AdversarialChallengeRules => "wr.refs.adversarial_challenge_rules",
        /// What a run records, and that it is never changed.
        AppendOnlyRecord => "wr.refs.append_only_record",
        /// What the levels of autonomy mean.
        AutonomyLevels => "wr.refs.autonomy_levels",
        /// How to ask a memory.
        MemoryQuery => "wr.refs.memory_query",
        /// What to keep in a memory.
        MemoryStore => "wr.refs.memory_store",
        /// What a memory is for.
        MemoryUsage => "wr.refs.memory_usage",
        /// Why notes matter.
        NotesFirst => "wr.refs.notes_first",
        /// Why notes come before anything else that lasts.
        NotesFirstDurability => "wr.refs.notes_first_durability",
        /// Who thinks side by side, and who joins the results.
        ParallelThought => "wr.refs.parallelize_cognition_serialize_synthesis",
        /// How to join results that differ.
        SynthesisUnderDisagreement => "wr.refs.synthesis_under_disagreement",
    }
}

impl Reference {
    /// Returns the text.
    pub const fn text(self) -> &'static str {
        match self {
            Self::AdversarialChallenge => {
                "Challenge the result before you accept it: name the strongest reason why it could be \
                 wrong, look for evidence of that reason, and say what you found. A challenge that finds \
                 nothing names where it looked."
            }
            Self::AdversarialChallengeRules => {
                "Attack the claim, not its author. Bring evidence that somebody else can check. Say what \
                 would have to be true for the result to be wrong, and whether you looked. End with a \
                 verdict: it stands, it falls, or it is open."
            }
            Self::AppendOnlyRecord => {
                "What you submit is recorded and never changed. To correct something, submit a new output \
                 that says what it corrects."
            }
            Self::AutonomyLevels => {
                "In `guided` the run stops for whatever blocks it and asks where a step wants \
                 confirmation. In `full_auto_stop_on_user_deps` it asks for no confirmation and stops \
                 for what only a person can give. In `full_auto_never_stop` it goes on and records what \
                 is missing as a gap."
            }
            Self::MemoryQuery => {
                "Before you begin, ask the memory for the names that matter here: the project, the module, \
                 the error. Take what you find for a hint, and check it against the code of today."
            }
            Self::MemoryStore => {
                "Store what another run would have to find out again: decisions with their reasons, traps, \
                 and where things are. One fact in each entry, with the date and its source."
            }
            Self::MemoryUsage => {
                "A memory outlives this run. Read from it before the work and write to it after; never keep \
                 secrets, guesses or the state of the work in it. Without such a tool, go on without it."
            }
            Self::NotesFirst => {
                "Your notes are all that is left of this step when the conversation is gone. Write down \
                 what you decided and why, what you made and where it is, and what is still open."
            }
            Self::NotesFirstDurability => {
                "Write into the notes of the step what must last. Files, chats and memories may be gone \
                 when the run is taken up again; the notes are there."
            }
            Self::ParallelThought => {
                "Let several agents think side by side about separate questions. Join what they bring in one \
                 place, by yourself and in one go, so that one mind has seen all of it."
            }
            Self::SynthesisUnderDisagreement => {
                "Where results differ, do not average them. Say what each claims, which evidence decides \
                 between them, and what stays undecided."
            }
        }
    }
}

impl Definitions {
    /// Returns the text of a routine; `-` and `_` in its name are equivalent.
    pub fn routine(&self, id: &RoutineId) -> Option<&str> {
        let same = || self.routines.iter().find(|(known, _)| known.is_same(id));
        self.routines.get_key_value(id).or_else(same).map(|(_, text)| text.as_str())
    }

    /// Returns the definitions that come with this version of Piton.
    pub fn standard() -> Self {
        let contract = |pack: &BuiltinContract| (pack.contract_ref(), pack.definition());
        let text = |reference: &Reference| {
            let id = reference.as_str().parse().expect("the names are ids of texts");
            (id, reference.text().to_owned())
        };
        Self {
            contracts: BuiltinContract::ALL.iter().map(contract).collect(),
            refs: Reference::ALL.iter().map(text).collect(),
            routines: BTreeMap::new(),
        }
    }
}

impl Default for Definitions {
    fn default() -> Self {
        Self::standard()
    }
}
