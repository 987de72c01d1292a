//! The steps of a routine in place of its call.
//!
//! *Invariants*: a routine is a workflow file with plain steps only; it calls no routine. Its steps have the
//! ids `<call>--<step>` and run under the condition of the call. Every `{name}` in its steps is an argument.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::derived::joined_id;
use crate::bounds::{ROUTINES_LISTED_MAX, SOURCE_BYTES_MAX};
use crate::compile::definitions::Definitions;
use crate::predicate::Predicate;
use crate::run::SourceKind;
use crate::source::classic::{ClassicStep, ClassicWorkflow, bind};
use crate::source::{
    Function, ProblemCode, Problems, ROUTINE_PREFIX, RoutineCall, RoutineId, SourceOrigin, Task,
    TaskContent, parse,
};

/// The result of expanding a call.
pub(super) struct Expanded {
    pub(super) tasks: Vec<Task>,
    /// The arguments that the routine does not take.
    pub(super) unused: Vec<String>,
}

/// Returns the steps for the call in `caller`.
pub(super) fn expand(
    caller: &Task,
    call: &RoutineCall,
    definitions: &Definitions,
    problems: &mut Problems,
) -> Option<Expanded> {
    check_fields(caller, problems);
    let Some(text) = definitions.routine(&call.routine) else {
        let fix = remedy(call, definitions);
        let reason = format!("there is no routine `{}`", call.routine);
        let at = call.at.field("templateId");
        problems.report(&at, ProblemCode::UnresolvedReference, reason, fix);
        return None;
    };
    let mut filling = Filling::new(&call.args);
    let workflow = read(call, text, &mut filling, problems)?;
    for name in &filling.missing {
        let reason = format!("the routine `{}` needs the argument `{name}`", call.routine);
        let fix = format!("add `{name}`: a text, a number, true or false");
        problems.report(&call.at.field("args"), ProblemCode::MissingField, reason, fix);
    }
    for name in &filling.unfit {
        let reason = format!(
            "the argument `{name}` of `{}` is no text, number, true or false",
            call.routine
        );
        let at = call.at.field("args").field(name);
        problems.report(&at, ProblemCode::WrongType, reason, "write it as a text");
    }
    let unused = call.args.keys().filter(|name| !filling.used.contains(*name)).cloned().collect();
    let tasks = tasks(caller, call, workflow, problems);
    Some(Expanded { tasks, unused })
}

/// Returns advice for an author who called a routine that does not exist.
fn remedy(call: &RoutineCall, definitions: &Definitions) -> String {
    let name = call.routine.as_str().trim_start_matches(RoutineId::PREFIX);
    let add = format!(
        "put its file into a directory of workflows: one with an id such as `user.{ROUTINE_PREFIX}{name}`"
    );
    let known: Vec<_> = definitions.routines.keys().map(RoutineId::as_str).collect();
    if known.is_empty() {
        return add;
    }
    let shown = known.len().min(ROUTINES_LISTED_MAX);
    let more = match known.len() - shown {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{add}, or use one of: {}{more}", known[..shown].join(", "))
}

/// Checks that a step that calls a routine does not define anything that the routine defines.
fn check_fields(caller: &Task, problems: &mut Problems) {
    let said = [
        ("validationCriteria", !caller.criteria.is_empty()),
        ("outputContract", caller.contract.is_some()),
        ("assessmentRefs", !caller.assessment_refs.is_empty()),
        ("assessmentConsequences", !caller.consequences.is_empty()),
        ("functionCalls", !caller.function_calls.is_empty()),
        ("functionReferences", !caller.function_references.is_empty()),
        ("promptFragments", !caller.fragments.is_empty()),
        ("askForFiles", caller.ask_for_files),
        ("audit", caller.audit.is_some()),
        ("verification", caller.verification.is_some()),
    ];
    for (field, _) in said.into_iter().filter(|(_, said)| *said) {
        let reason = format!("a step that calls a routine has no `{field}` of its own");
        let fix = "remove it, or put it on a step of its own";
        problems.report(&caller.at.field(field), ProblemCode::ConflictingFields, reason, fix);
    }
}

/// Reads the file of a routine, with its arguments filled in. A problem of the file is reported as one
/// problem of the call.
fn read(
    call: &RoutineCall,
    text: &str,
    filling: &mut Filling<'_>,
    problems: &mut Problems,
) -> Option<ClassicWorkflow> {
    // The routine's own problems have pointers into another file, so they are collected apart.
    let mut own = Problems::default();
    let workflow = parse(text, &mut own).and_then(|mut file| {
        // Arguments are filled in before the file is read, so that they go through the same checks as written
        // text.
        if let Some(steps) = file.get_mut("steps") {
            *steps = filling.value(steps);
        }
        let file = bind(&file, &mut own);
        ClassicWorkflow::read(&file, &SourceOrigin::new(SourceKind::Bundled, "routines"), &mut own)
    });
    let plain = |step: &ClassicStep| matches!(step, ClassicStep::Task(task) if matches!(task.content, TaskContent::Prompt(_)));
    let reason = match own.into_sorted().first() {
        _ if filling.is_too_long => {
            Some(format!("with its arguments filled in it has more than {SOURCE_BYTES_MAX} bytes"))
        }
        Some(problem) => Some(problem.to_string()),
        None => workflow.as_ref().and_then(|workflow| {
            let odd = workflow.steps.iter().find(|step| !plain(step))?;
            Some(not_plain(odd, &call.routine))
        }),
    };
    if let Some(reason) = reason {
        let reason = format!("the routine `{}` cannot be used: {reason}", call.routine);
        let fix = "write its steps out, or use another one";
        let at = call.at.field("templateId");
        problems.report(&at, ProblemCode::UnresolvedReference, reason, fix);
        return None;
    }
    workflow
}

/// Returns the reason that a routine with such a step cannot be used.
fn not_plain(step: &ClassicStep, own: &RoutineId) -> String {
    match step {
        ClassicStep::Task(task) => match &task.content {
            TaskContent::Call(inner) if inner.routine.is_same(own) => {
                "it calls itself, and a call of a routine in a routine is not expanded".to_owned()
            }
            TaskContent::Call(inner) => format!(
                "it holds a call of a routine itself (`{}`), which is not expanded",
                inner.routine
            ),
            TaskContent::Prompt(_) => "one of its steps is not plain".to_owned(),
        },
        ClassicStep::Loop(_) => "it holds a loop, and a routine is plain steps".to_owned(),
        ClassicStep::Parallel(_) => {
            "it holds work for several agents, and a routine is plain steps".to_owned()
        }
    }
}

fn tasks(
    caller: &Task,
    call: &RoutineCall,
    workflow: ClassicWorkflow,
    problems: &mut Problems,
) -> Vec<Task> {
    let mut tasks = Vec::new();
    for (index, step) in workflow.steps.into_iter().enumerate() {
        let ClassicStep::Task(task) = step else {
            unreachable!("the steps of a routine are plain, or it is not used");
        };
        let Some(id) = joined_id(&caller.id, task.id.as_str(), &caller.at, problems) else {
            continue;
        };
        // The confirmation of the call is asked once, before the first step.
        let asked = caller.confirmation.clone().filter(|_| index == 0);
        // A function of the step hides one of the routine with the same name.
        let known = |name: &Function| task.functions.iter().any(|own| own.name == name.name);
        let inherited: Vec<_> =
            workflow.functions.iter().filter(|name| !known(name)).cloned().collect();
        let run_condition =
            Predicate::both(caller.run_condition.clone(), task.run_condition.clone());
        let mut task = Task {
            at: call.at.clone(),
            id,
            run_condition,
            confirmation: task.confirmation.clone().or(asked),
            notes_optional: task.notes_optional || caller.notes_optional,
            agent_role: task.agent_role.clone().or_else(|| caller.agent_role.clone()),
            model_tier: task.model_tier.or(caller.model_tier),
            // A routine never widens the access that the caller has narrowed.
            access: caller.access.clone().or_else(|| task.access.clone()),
            ..*task
        };
        task.guidance.extend(workflow.meta_guidance.iter().chain(&caller.guidance).cloned());
        task.functions.extend(inherited);
        task.functions.extend(caller.functions.iter().cloned());
        tasks.push(task);
    }
    tasks
}

/// The arguments for the `{name}` of a routine.
struct Filling<'a> {
    args: &'a Map<String, Value>,
    used: BTreeSet<String>,
    missing: BTreeSet<String>,
    /// Arguments that cannot be part of a text.
    unfit: BTreeSet<String>,
    /// Number of bytes of text so far.
    bytes: usize,
    is_too_long: bool,
}

impl<'a> Filling<'a> {
    fn new(args: &'a Map<String, Value>) -> Self {
        let (used, missing, unfit) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        Self { args, used, missing, unfit, bytes: 0, is_too_long: false }
    }
}

impl Filling<'_> {
    fn value(&mut self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::Object(entries) => {
                let filled = entries.iter().map(|(name, value)| (name.clone(), self.value(value)));
                Value::Object(filled.collect())
            }
            other => other.clone(),
        }
    }

    fn text(&mut self, text: &str) -> String {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(open) = rest.find('{') {
            // A long argument in many places could grow beyond any file.
            if self.bytes + filled.len() > SOURCE_BYTES_MAX {
                self.is_too_long = true;
                break;
            }
            let (before, after) = rest.split_at(open);
            filled.push_str(before);
            // Doubled braces are variables of the prompt, which are filled in when the step is shown, not
            // here.
            let braces = after.len() - after.trim_start_matches('{').len();
            let name = after[braces..].split('}').next().unwrap_or_default();
            if braces == 1 && is_name(name) && after[1 + name.len()..].starts_with('}') {
                filled.push_str(&self.argument(name));
                rest = &after[name.len() + 2..];
            } else {
                filled.push_str(&after[..braces]);
                rest = &after[braces..];
            }
        }
        filled.push_str(rest);
        self.bytes += filled.len();
        self.is_too_long |= self.bytes > SOURCE_BYTES_MAX;
        filled
    }

    fn argument(&mut self, name: &str) -> String {
        self.used.insert(name.to_owned());
        match self.args.get(name) {
            Some(Value::String(text)) => text.clone(),
            Some(value @ (Value::Number(_) | Value::Bool(_))) => value.to_string(),
            other => {
                let wrong = if other.is_some() { &mut self.unfit } else { &mut self.missing };
                wrong.insert(name.to_owned());
                // The problem is reported at the end for all arguments; the placeholder lets the rest of the
                // file be read.
                "…".to_owned()
            }
        }
    }
}

fn is_name(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    text.bytes().all(allowed) && text.starts_with(|first: char| !first.is_ascii_digit())
}
