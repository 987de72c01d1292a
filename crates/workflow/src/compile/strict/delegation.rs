//! Delegation: the prompt of a step that has work done by subagents, and a lint for such prompts.
//!
//! An agent that is merely asked to delegate tends to start another workflow, or one subagent after the
//! other, or to give them half of what they need. The prompt of the template therefore says how to do it, and
//! the lint demands the same of prompts that authors write. Clients differ in the tool that starts a subagent, and some
//! have none, so a prompt names no single tool and says what to do without one.
//!
//! *Limitations*: the lint reads words, so it can be wrong in both directions. It warns and never refuses.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::Value;

use crate::bounds::{DELEGATIONS_MAX, DESCRIPTION_BYTES_MAX, TITLE_BYTES_MAX};
use crate::compile::warning::WarningCode;
use crate::contract::criteria::{Criterion, Pattern};
use crate::name::StepId;
use crate::source::{FromSource, ObjectReader, Pointer, ProblemCode, Problems, Prose};

/// The reason why writing to a text cannot fail.
const INFALLIBLE: &str = "writing to a string does not fail";

/// Work for several subagents.
pub(super) struct Delegation {
    /// The type of subagent, if the author names one.
    executor: Option<String>,
    tasks: Vec<DelegatedTask>,
}

/// The work of one subagent.
struct DelegatedTask {
    at: Pointer,
    name: StepId,
    routine: Prose<DESCRIPTION_BYTES_MAX>,
    params: Option<Prose<DESCRIPTION_BYTES_MAX>>,
    description: Prose<TITLE_BYTES_MAX>,
}

impl FromSource for DelegatedTask {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        let name = object.required("name");
        let routine = object.required("routine");
        let params = object.optional("params");
        let description = object.required("description");
        object.finish();
        let (name, routine, description) = (name?, routine?, description?);
        Some(Self { at: at.clone(), name, routine, params, description })
    }
}

impl Delegation {
    /// Reads the arguments of a call of the template.
    pub(super) fn read(object: &mut ObjectReader<'_, '_>) -> Option<Self> {
        let executor = object.optional::<Prose<TITLE_BYTES_MAX>>("executor");
        let executor = executor.map(Prose::into_string);
        let tasks: Vec<DelegatedTask> = object.filled_list("tasks", DELEGATIONS_MAX);
        let mut names = BTreeSet::new();
        for task in tasks.iter().filter(|task| !names.insert(&task.name)) {
            let reason = format!("the subagent `{}` is there twice", task.name);
            let fix = "give each subagent a name of its own";
            object.problems.report(&task.at.field("name"), ProblemCode::DuplicateId, reason, fix);
        }
        (!tasks.is_empty()).then_some(Self { executor, tasks })
    }

    /// Returns the prompt for the delegating agent.
    pub(super) fn prompt(&self) -> String {
        let Self { executor, tasks } = self;
        let mut prompt = format!(
            "Have this work done by subagents, not by workflows. If your client can start subagents, start one for \
             each task below: all {count} tasks in parallel, in one message, with the tool that your client has for \
             it (such as `Agent`, `Task`, `spawn_agent` or `runSubagent`). If it cannot, do the tasks yourself, one \
             after the other, and write down each one separately before you begin the next.\n\n\
             Do not start subagents sequentially. Do not delegate with `start_workflow`, whatever its prefix (such as \
             `mcp__piton__start_workflow`). A subagent knows nothing of this conversation: put what it needs into \
             its prompt.",
            count = tasks.len(),
        );
        for (index, DelegatedTask { name, routine, params, description, .. }) in
            tasks.iter().enumerate()
        {
            let params = params.as_ref().map_or("none", Prose::as_str);
            writeln!(prompt, "\n\n## Subagent {}: {name}", index + 1).expect(INFALLIBLE);
            if let Some(executor) = executor {
                writeln!(
                    prompt,
                    "- Type: `{executor}`, or a general one if there is none of that name"
                )
                .expect(INFALLIBLE);
            }
            write!(
                prompt,
                "- Description: {description}\n- Prompt: {routine}\n- Parameters: {params}",
                description = description.as_str(),
                routine = routine.as_str(),
            )
            .expect(INFALLIBLE);
        }
        write!(
            prompt,
            "\n\nWhen all tasks are done, write into your notes a heading with the name of each, such as `## {}`, \
             and under it what was found. Say which of them subagents did and which you did yourself.",
            tasks[0].name
        )
        .expect(INFALLIBLE);
        prompt
    }

    /// Returns the requirements on the notes: a heading for each subagent.
    pub(super) fn criteria(&self) -> Vec<Criterion> {
        let heading = |task: &DelegatedTask| {
            let name = &task.name;
            // The name must end there: the heading of `reader-2` does not count for `reader`.
            let pattern = Pattern::new(&format!(r"(?m)^#+ {name}([^\w-]|$)"));
            Criterion::Regex {
                pattern: pattern.expect("a short id is part of a pattern as it is"),
                message: Some(format!("Write a heading `## {name}`, and under it what was found.")),
            }
        };
        self.tasks.iter().map(heading).collect()
    }
}

/// Returns what a delegating prompt leaves out; empty for a prompt that does not delegate.
pub(in crate::compile) fn lint(prompt: &str) -> Vec<WarningCode> {
    let prompt = prompt.to_lowercase();
    // The rules are about sentences: a word and its negation must not come from different ones.
    let sentences: Vec<_> = prompt.split(['.', ';', '\n']).collect();
    if !sentences.iter().any(|sentence| delegates(sentence)) {
        return Vec::new();
    }
    let says = |parts: &[&str]| {
        sentences.iter().any(|sentence| parts.iter().all(|part| sentence.contains(part)))
    };
    // Mentioning a forbidden thing is not enough: the same sentence has to forbid it.
    let denies = |parts: &[&str]| {
        let all = |sentence: &&&str| parts.iter().all(|part| sentence.contains(part));
        sentences.iter().filter(all).any(|sentence| is_denial(sentence))
    };
    let has = |labels: &[&str]| labels.iter().all(|label| prompt.contains(label));
    let rules = [
        (
            WarningCode::DelegationWithoutTasks,
            denies(&["subagent", "workflow"]) && has(&["yourself"]),
        ),
        (
            WarningCode::DelegationNotParallel,
            says(&["task", "parallel"]) && (says(&["one message"]) || says(&["one response"])),
        ),
        (WarningCode::DelegationByWorkflow, denies(&["start_workflow"])),
        (WarningCode::DelegationInSequence, denies(&["sequential"])),
        (WarningCode::DelegationIncomplete, has(&["subagent 1", "description:", "prompt:"])),
    ];
    rules.into_iter().filter(|(_, holds)| !holds).map(|(code, _)| code).collect()
}

/// True if a sentence is about delegation and does not forbid it.
fn delegates(sentence: &str) -> bool {
    let mentions = ["subagent", "sub-agent", "delegat"];
    let mut before = mentions.iter().filter_map(|word| Some(sentence.split_once(word)?.0));
    before.any(|before| !is_denial(before))
}

/// True if a sentence forbids or negates something.
fn is_denial(sentence: &str) -> bool {
    let mut words = sentence.split(|character: char| !character.is_alphanumeric());
    words.any(|word| ["avoid", "don", "never", "no", "not", "without"].contains(&word))
}
