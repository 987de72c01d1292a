//! What an agent may do, and what it submits.

use piton_workflow::Autonomy;
use piton_workflow::compile::CompiledWorkflow;
use piton_workflow::contract::BuiltinContract;
use piton_workflow::session::{Reply, SubmittedOutput};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Map, Value, json};

use crate::engine::samples::control;

/// One call, or something that happens between calls.
#[derive(Clone, Debug)]
pub(super) struct Act {
    /// What is done.
    pub(super) what: What,
    /// Which of the processes does it.
    pub(super) process: usize,
    /// Which of the things that are known it is about.
    pub(super) about: About,
}

#[derive(Clone, Debug)]
pub(super) enum What {
    /// Begins another run.
    Start { autonomy: Autonomy, keyed: bool },
    /// Submits an output for a step that some reply asked for.
    HandIn { given: Given, told: Option<Map<String, Value>>, short: bool },
    /// Makes a call again that was answered before.
    Repeat,
    /// Makes such a call again with another output.
    Differ,
    /// Asks where a run stands at some node.
    Rehydrate { short: bool },
    /// Makes a bookmark, or the same one again.
    Bookmark,
    /// Changes what a person wants of a run.
    Prefer(Autonomy),
    /// Changes the keys.
    Rotate,
    /// Submits an output with the state token of another reply.
    Cross(Index),
    /// Submits an output with a token that was changed in one place.
    Garble(Index),
}

/// The newest of several things, or any.
#[derive(Clone, Debug)]
pub(super) enum About {
    Newest,
    Any(Index),
}

impl About {
    pub(super) fn of<'a, T>(&self, things: &'a [T]) -> Option<&'a T> {
        match self {
            Self::Newest => things.last(),
            Self::Any(_) if things.is_empty() => None,
            Self::Any(index) => Some(index.get(things)),
        }
    }
}

/// How well an output fits its step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Given {
    /// What the step asks for; a loop is left.
    Good,
    /// What the step asks for; a loop turns again, which is too much in its last turn.
    Again,
    /// Something else.
    Bad,
    /// Nothing.
    Nothing,
}

fn autonomies() -> impl Strategy<Value = Autonomy> {
    prop::sample::select(Autonomy::ALL.to_vec())
}

fn contexts() -> impl Strategy<Value = Map<String, Value>> {
    let value = prop_oneof![Just(Value::Null), (0..3).prop_map(Value::from), Just(json!({"a": 1}))];
    prop::collection::btree_map("[abc]", value, 0..3).prop_map(|map| map.into_iter().collect())
}

pub(super) fn acts() -> impl Strategy<Value = Act> {
    let given = prop_oneof![
        4 => Just(Given::Good),
        3 => Just(Given::Again),
        2 => Just(Given::Bad),
        1 => Just(Given::Nothing),
    ];
    let submit = (given, prop::option::of(contexts()), any::<bool>());
    let what = prop_oneof![
        1 => (autonomies(), any::<bool>())
            .prop_map(|(autonomy, keyed)| What::Start { autonomy, keyed }),
        12 => submit.prop_map(|(given, told, short)| What::HandIn { given, told, short }),
        3 => Just(What::Repeat),
        2 => Just(What::Differ),
        3 => any::<bool>().prop_map(|short| What::Rehydrate { short }),
        2 => Just(What::Bookmark),
        1 => autonomies().prop_map(What::Prefer),
        1 => Just(What::Rotate),
        1 => any::<Index>().prop_map(What::Cross),
        1 => any::<Index>().prop_map(What::Garble),
    ];
    let about = prop_oneof![2 => Just(About::Newest), 1 => any::<Index>().prop_map(About::Any)];
    (what, 0_usize..2, about).prop_map(|(what, process, about)| Act { what, process, about })
}

/// What is submitted for the step that `reply` asks for.
pub(super) fn output(reply: &Reply, given: Given) -> SubmittedOutput {
    let pending = reply.body.pending.as_ref().expect("a step is pending");
    let notes = |notes: &str| Some(notes.to_owned());
    let decides = || format!("l{}", &pending.step_id.as_str()[1..]);
    let (notes_markdown, artifacts) = match (given, pending.artifact_kind.as_deref()) {
        (Given::Nothing, _) => (None, vec![]),
        (Given::Good, Some("wr.loop_control")) => (None, vec![control(&decides(), "stop")]),
        (Given::Again, Some("wr.loop_control")) => (None, vec![control(&decides(), "continue")]),
        (Given::Good | Given::Again, Some(_)) => {
            (notes("Looked at it."), vec![BuiltinContract::ReviewVerdict.definition().example])
        }
        (Given::Good, None) => (notes("```\nls\n```"), vec![]),
        (Given::Again, None) => {
            (notes("```\nls -a\n```"), vec![json!({"kind": "more", "of": [1, 2]})])
        }
        (Given::Bad, Some(_)) => (notes("Done."), vec![control("another", "continue")]),
        (Given::Bad, None) => (notes("Done."), vec![]),
    };
    SubmittedOutput { notes_markdown, artifacts }
}

/// Whether the step that `reply` asks for is content with what is submitted, by the words of its author.
pub(super) fn fits(workflow: &CompiledWorkflow, reply: &Reply, given: Given) -> bool {
    let pending = reply.body.pending.as_ref().expect("a step is pending");
    let step = workflow.step(&pending.step_id).expect("it is a step of the workflow");
    let turn = reply.body.run.turn;
    match (given, pending.artifact_kind.as_deref()) {
        (Given::Again, Some("wr.loop_control")) => {
            let decides = format!("l{}", &pending.step_id.as_str()[1..]);
            let of = workflow.loops.iter().find(|of| of.loop_id.as_str() == decides);
            turn.expect("it is in a loop") < of.expect("it is its loop").max_iterations
        }
        (Given::Good | Given::Again, _) => true,
        (Given::Bad | Given::Nothing, Some(_)) => false,
        (Given::Bad, None) => step.validation_criteria.is_empty(),
        (Given::Nothing, None) => step.notes_optional,
    }
}
