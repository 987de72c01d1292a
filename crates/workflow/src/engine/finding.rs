//! Findings about an output, before anything is decided about it, with everything that an agent needs in order
//! to fix them.
//!
//! *Invariants*: a finding says what is wrong, where, and what to do. Its texts fit the budgets of blockers and
//! gaps, no matter what was submitted, so it becomes either without loss: quotes are cut and marked, and items
//! that a list leaves out are counted. Its meaning does not depend on the autonomy of a run.

use std::fmt::Write as _;

use piton_core::{BoundedText, GapId, byte_len, shorten};
use serde_json::json;

use super::loops::MissingContext;
use super::position::StepPosition;
use crate::bounds::{
    BLOCKER_MESSAGE_BYTES_MAX, FINDING_ITEM_BYTES_MAX, FIX_ITEM_BYTES_MAX, LISTED_ITEM_BYTES_MIN,
    NAME_BYTES_MAX, QUOTE_BYTES_MAX, SUGGESTED_FIX_BYTES_MAX,
};
use crate::capability::{Capability, CapabilityStatus};
use crate::compile::{CompiledStep, CompiledWorkflow, UserNeed};
use crate::contract::criteria::{FailedCriterion, requirements_as_authored};
use crate::contract::{Breach, BuiltinContract, ContractDefinition, Field, Violation};
use crate::event::{
    Blocker, BlockerCode, GapRecorded, GapSeverity, LimitDetails, Pointer, Resolution,
};
use crate::loop_path::LoopPosition;
use crate::name::LoopId;
use crate::reason::{CapabilityMissing, ContractViolation, Reason, Unexpected, UserOnlyDependency};

/// One thing that is wrong with an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Reason that the run cannot simply continue.
    pub reason: Reason,
    /// The part of the workflow that it is about.
    pub pointer: Pointer,
    pub message: BoundedText<BLOCKER_MESSAGE_BYTES_MAX>,
    pub suggested_fix: BoundedText<SUGGESTED_FIX_BYTES_MAX>,
    /// The limit that was reached, if that is the problem.
    pub details: Option<LimitDetails>,
}

impl Finding {
    /// Returns the finding as a blocker.
    pub fn blocker(&self) -> Blocker {
        Blocker {
            code: BlockerCode::from(self.reason),
            pointer: self.pointer.clone(),
            message: self.message.clone(),
            suggested_fix: Some(self.suggested_fix.clone()),
            details: self.details.clone(),
        }
    }

    /// Returns the record of the finding as a gap. Whatever an output lacks is critical.
    pub fn gap(&self, gap_id: GapId) -> GapRecorded {
        GapRecorded {
            gap_id,
            severity: GapSeverity::Critical,
            reason: self.reason,
            summary: BoundedText::truncated(self.message.as_str()),
            resolution: Resolution::Unresolved {},
            evidence_refs: None,
            details: self.details.clone(),
        }
    }
}

fn finding(reason: Reason, pointer: Pointer, message: String, suggested_fix: String) -> Finding {
    Finding {
        reason,
        pointer,
        message: BoundedText::new(message).expect("its parts are bounded"),
        suggested_fix: BoundedText::new(suggested_fix).expect("its parts are bounded"),
        details: None,
    }
}

fn at_step(step: &CompiledStep) -> Pointer {
    Pointer::WorkflowStep { step_id: step.step_id.clone() }
}

/// Reports artifacts that do not keep the contract of the step.
pub(super) fn breach(
    workflow: &CompiledWorkflow,
    place: &StepPosition<'_>,
    breach: &Breach,
) -> Finding {
    let contract = workflow.contract_of(place.step).expect("a contract was broken");
    let fix = example(workflow, place, contract);
    about_contract(contract, breach, place.step.step_id.as_str(), fix)
}

/// Reports an artifact that is an event of its own and does not keep its contract. It may also be left out.
pub(super) fn event_artifact(contract: &ContractDefinition, breach: &Breach) -> Finding {
    let fix = format!(
        "Submit the whole output again, without this artifact or with one of this form:\n{}",
        contract.example
    );
    about_contract(contract, breach, "", fix)
}

fn about_contract(
    contract: &ContractDefinition,
    breach: &Breach,
    step: &str,
    fix: String,
) -> Finding {
    let (head, items) = match breach {
        Breach::Missing { required, found } => {
            let kind = |kind: &Option<String>| match kind {
                Some(kind) => format!("an artifact of kind `{}`", shorten(kind, QUOTE_BYTES_MAX)),
                None => "an artifact without a `kind`".to_owned(),
            };
            let required = shorten(required, NAME_BYTES_MAX);
            let instead = if found.is_empty() { "" } else { " Submitted instead:" };
            let head = format!(
                "The step `{step}` requires an artifact of kind `{required}`, but none was submitted.{instead}"
            );
            (head, found.iter().map(kind).collect())
        }
        Breach::Invalid { index, violations } => {
            let head =
                format!("`artifacts[{index}]` breaks its contract `{}`:", contract.contract_ref);
            (head, violations.iter().map(violation).collect::<Vec<_>>())
        }
        Breach::Contradiction { about, said: [(first, one), (second, other)] } => {
            let head = format!(
                "Two artifacts say different things about {about}: `artifacts[{first}]` says {one}, \
                 `artifacts[{second}]` says {other}. Submit exactly one of them."
            );
            (head, Vec::new())
        }
    };
    finding(
        Reason::ContractViolation(breach.reason()),
        Pointer::OutputContract { contract_ref: (&contract.contract_ref).into() },
        list(&head, &items, FINDING_ITEM_BYTES_MAX, BLOCKER_MESSAGE_BYTES_MAX),
        fix,
    )
}

fn violation(violation: &Violation) -> String {
    let Violation { path, given, required, .. } = violation;
    let place = match path.as_str() {
        "" => "the artifact".to_owned(),
        path => format!("`{}`", shorten(&field(path), QUOTE_BYTES_MAX)),
    };
    let given = match given.as_str() {
        "nothing" => "missing".into(),
        given => shorten(given, QUOTE_BYTES_MAX),
    };
    format!("{place} is {given}; it must be {}", required.replace("\" | \"", "\" or \""))
}

/// Returns a pointer into an artifact as people write it: `findings[0].severity`.
fn field(pointer: &str) -> String {
    let mut text = String::new();
    for part in pointer.split('/').skip(1) {
        if part.bytes().all(|byte| byte.is_ascii_digit()) && !part.is_empty() {
            write!(text, "[{part}]").expect("writing to a string does not fail");
        } else {
            text.push_str(if text.is_empty() { "" } else { "." });
            text.push_str(&part.replace("~1", "/").replace("~0", "~"));
        }
    }
    text
}

/// Returns an artifact that this step accepts or, if that is too long to be shown, its fields.
fn example(
    workflow: &CompiledWorkflow,
    place: &StepPosition<'_>,
    contract: &ContractDefinition,
) -> String {
    let mut example = contract.example.clone();
    let decides_about = match place.innermost() {
        Some(position) => Some(&position.loop_id),
        None => workflow.loops.first().map(|of| &of.loop_id),
    };
    // Fill in what this step requires: the loop and the capability that its artifact must name.
    if let (Some(shown), Some(loop_id)) = (example.get_mut("loopId"), decides_about) {
        *shown = json!(loop_id);
    }
    if let (Some(shown), Some(probe)) = (example.get_mut("capability"), &place.step.probe) {
        *shown = json!(probe.capability);
    }
    let text = format!(
        "Submit the whole output again, with an artifact of this form in `artifacts` and values of your \
         own:\n{example}"
    );
    if text.len() <= SUGGESTED_FIX_BYTES_MAX {
        return text;
    }
    let kind = shorten(&contract.artifact_kind, NAME_BYTES_MAX);
    let head = format!(
        "Submit the whole output again, with an artifact of kind `{kind}` in `artifacts` that has these \
         fields:"
    );
    let field = |Field { name, presence, shape }: &Field| format!("{name} ({presence}): {shape}");
    let fields: Vec<_> = contract.fields.iter().map(field).collect();
    list(&head, &fields, FIX_ITEM_BYTES_MAX, SUGGESTED_FIX_BYTES_MAX)
}

/// Reports a decision to continue a loop that has no turn left.
pub(super) fn limit(
    step: &CompiledStep,
    position: &LoopPosition,
    max_iterations: u32,
    details: LimitDetails,
) -> Finding {
    let LoopPosition { loop_id, iteration } = position;
    let turn = iteration.get() + 1;
    let message = format!(
        "The loop `{loop_id}` is in turn {turn} of at most {max_iterations}, and the decision is to continue."
    );
    let fix = "Submit the whole output again with \"decision\": \"stop\" in the loop-control artifact, and \
               say in its summary what is left undone.";
    let reason = Reason::Unexpected(Unexpected::InvariantViolation);
    Finding { details: Some(details), ..finding(reason, at_step(step), message, fix.to_owned()) }
}

/// Reports missing context that a loop is driven by.
pub(super) fn lack(loop_id: &LoopId, lack: &MissingContext) -> Finding {
    let MissingContext { key, wanted, found } = lack;
    let key = shorten(key, NAME_BYTES_MAX);
    let (violation, there) = match found {
        None => (ContractViolation::MissingRequiredOutput, "it is not there".to_owned()),
        Some(found) => (ContractViolation::InvalidRequiredOutput, format!("it is {found}")),
    };
    let message = format!(
        "The loop `{loop_id}` turns by `{key}` of the context, which must be {wanted}; {there}."
    );
    let fix = format!(
        "Submit the whole output again with `context`: {{\"{key}\": …}}, where the value is {wanted}."
    );
    let reason = Reason::ContractViolation(violation);
    finding(reason, input(loop_id, &lack.key), message, fix)
}

/// Returns the pointer to the input of a loop: its key, which the author declared by making it drive the loop, or the
/// loop itself if a pointer cannot hold the key.
fn input(loop_id: &LoopId, key: &str) -> Pointer {
    match key.parse() {
        Ok(key) => Pointer::ContextKey { key },
        Err(_) => Pointer::WorkflowStep {
            step_id: loop_id.as_str().parse().expect("ids of loops and steps have one form"),
        },
    }
}

/// Reports assessments that are missing or wrong. `examples` show the form of each.
pub(super) fn assessments(
    step: &CompiledStep,
    missing: bool,
    wrong: &[String],
    examples: &[String],
) -> Finding {
    let head = format!("The assessments of the step `{}` are not complete:", step.step_id);
    let message = list(&head, wrong, FINDING_ITEM_BYTES_MAX, BLOCKER_MESSAGE_BYTES_MAX);
    let head = "Submit the whole output again, with these artifacts in `artifacts`, one of the levels for each \
                dimension:";
    let fix = list(head, examples, FIX_ITEM_BYTES_MAX, SUGGESTED_FIX_BYTES_MAX);
    let violation = if missing {
        ContractViolation::MissingRequiredOutput
    } else {
        ContractViolation::InvalidRequiredOutput
    };
    let contract_ref = &BuiltinContract::Assessment.contract_ref();
    let pointer = Pointer::OutputContract { contract_ref: contract_ref.into() };
    finding(Reason::ContractViolation(violation), pointer, message, fix)
}

/// Reports an assessment at a level that has consequences, in the author's words.
pub(super) fn followup(step: &CompiledStep, rated: &[String], guidance: &[String]) -> Finding {
    let head = format!("The step `{}` is not left at these levels:", step.step_id);
    let message = list(&head, rated, FINDING_ITEM_BYTES_MAX, BLOCKER_MESSAGE_BYTES_MAX);
    let head = "Do this, assess again, and submit the whole output again:";
    let fix = list(head, guidance, FIX_ITEM_BYTES_MAX, SUGGESTED_FIX_BYTES_MAX);
    let reason = Reason::ContractViolation(ContractViolation::InvalidRequiredOutput);
    finding(reason, at_step(step), message, fix)
}

/// Reports that required notes are missing.
pub(super) fn no_notes(step: &CompiledStep) -> Finding {
    let message = format!("The step `{}` requires notes, but none were submitted.", step.step_id);
    let mut head =
        "Submit the whole output again with `notesMarkdown`: what was done and decided, what was \
                    produced (files, paths, numbers), and what is risky, open or left out."
            .to_owned();
    let asked = requirements_as_authored(&step.validation_criteria);
    if !asked.listed.is_empty() {
        head.push_str(" The step asks of the notes:");
    }
    let mut items = asked.listed;
    if asked.left_out > 0 {
        items.push(format!("{} more, listed once there are notes", asked.left_out));
    }
    let reason = Reason::ContractViolation(ContractViolation::MissingRequiredOutput);
    let fix = list(&head, &items, FINDING_ITEM_BYTES_MAX, SUGGESTED_FIX_BYTES_MAX);
    finding(reason, at_step(step), message, fix)
}

/// Reports notes that do not meet criteria: first in the author's words, then with what is required and what was
/// given.
pub(super) fn criteria(step: &CompiledStep, failed: &[FailedCriterion]) -> Finding {
    let head = format!("The notes do not meet what the step `{}` asks for:", step.step_id);
    let listed: Vec<_> = failed.iter().map(|failure| failure.message.clone()).collect();
    let message = list(&head, &listed, FINDING_ITEM_BYTES_MAX, BLOCKER_MESSAGE_BYTES_MAX);
    let head =
        "Submit the whole output again, with `notesMarkdown` changed so that all of this holds:";
    let exact = |failure: &FailedCriterion| format!("{} ({})", failure.required, failure.given);
    let exact: Vec<_> = failed.iter().map(exact).collect();
    let fix = list(head, &exact, FIX_ITEM_BYTES_MAX, SUGGESTED_FIX_BYTES_MAX);
    let reason = Reason::ContractViolation(ContractViolation::InvalidRequiredOutput);
    finding(reason, at_step(step), message, fix)
}

/// Reports that the step needs a person.
pub(super) fn person(step: &CompiledStep, need: &UserNeed) -> Finding {
    let question = shorten(&need.question, FINDING_ITEM_BYTES_MAX);
    let message = format!("The step `{}` needs a person: {question}", step.step_id);
    let fix = "Ask the person. They settle it with `piton approve RUN`, `piton answer RUN TEXT` or `piton reject RUN \
               REASON`, where RUN is the label of this run. Then submit the whole output again.";
    finding(Reason::UserOnlyDependency(need.reason), at_step(step), message, fix.to_owned())
}

/// Beginning of the finding that a step was refused too often, also as a gap records it.
pub const REFUSED_TOO_OFTEN: &str = "The person decides how the step `";

/// Reports that the step was refused so often in a row that the person decides.
pub(super) fn refused_too_often(step: &CompiledStep, in_a_row: usize) -> Finding {
    let times =
        if in_a_row == 1 { "once".to_owned() } else { format!("{in_a_row} times in a row") };
    let message =
        format!("{REFUSED_TOO_OFTEN}{}` continues: it was refused {times}.", step.step_id);
    let fix = "Do not send the same again. Tell the person what is refused, and why. They give advice with `piton answer \
               RUN TEXT`, have the next output accepted as it is with `piton approve RUN`, or stop the step with `piton \
               reject RUN REASON`, where RUN is the label of this run. Then submit the whole output again.";
    let reason = Reason::UserOnlyDependency(UserOnlyDependency::Approval);
    finding(reason, at_step(step), message, fix.to_owned())
}

/// Reports a required capability that is not known to be available. Returns `None` if it is available.
pub(super) fn capability(
    workflow: &CompiledWorkflow,
    capability: Capability,
    status: CapabilityStatus,
) -> Option<Finding> {
    let (missing, what) = match status {
        CapabilityStatus::Available => return None,
        CapabilityStatus::Unknown => (
            CapabilityMissing::RequiredCapabilityUnknown,
            "it was not tried out; that somebody says so does not count",
        ),
        CapabilityStatus::Unavailable => {
            (CapabilityMissing::RequiredCapabilityUnavailable, "trying it out failed")
        }
    };
    let message = format!("The workflow requires the capability `{capability}`, and {what}.");
    let probes = |step: &&CompiledStep| {
        step.probe.as_ref().is_some_and(|probe| probe.capability == capability)
    };
    let mut fix = String::from("See that the tool for it is there and try it.");
    if let Some(step) = workflow.steps.iter().find(probes) {
        write!(
            fix,
            " Then submit the result as the artifact of the step `{0}`. If the run has left that step, ask the \
             person to go back to it with `piton fork RUN --at {0}`, where RUN is the label of this run.",
            step.step_id
        )
        .expect("writing to a string does not fail");
    }
    fix.push_str(
        " If it cannot be had, tell the person: the run goes on without it only if they set the autonomy \
         to `full_auto_never_stop`.",
    );
    let reason = Reason::CapabilityMissing(missing);
    Some(finding(reason, Pointer::Capability { capability }, message, fix))
}

/// Number of bytes at the start of a list line.
const LINE: usize = byte_len("\n- ");

/// Maximum number of bytes of the line that counts the items that a list leaves out.
const MORE_BYTES_MAX: usize = byte_len("\n- and  more") + 20;

/// Returns `head`, followed by each of `items` on a line of its own, in at most `max_bytes`. An item takes at most
/// `item_bytes_max`, and less if that lets the list show more of them. Items that do not fit are counted.
fn list(head: &str, items: &[String], item_bytes_max: usize, max_bytes: usize) -> String {
    let wanted: usize = items.iter().map(|item| LINE + byte_len(item).min(item_bytes_max)).sum();
    let item_bytes_max = if byte_len(head) + wanted <= max_bytes {
        item_bytes_max
    } else {
        // Not everything fits at full length. Share the room evenly, but never cut items so short that they say
        // nothing.
        let room = max_bytes.saturating_sub(byte_len(head) + MORE_BYTES_MAX);
        (room / items.len()).saturating_sub(LINE).clamp(LISTED_ITEM_BYTES_MIN, item_bytes_max)
    };
    let mut text = head.to_owned();
    for (index, item) in items.iter().enumerate() {
        let left = items.len() - index;
        let item = shorten(item, item_bytes_max);
        // Every item but the last leaves room for the line that counts the rest.
        let room = if left == 1 { max_bytes } else { max_bytes - MORE_BYTES_MAX };
        if byte_len(&text) + LINE + byte_len(&item) > room {
            write!(text, "\n- and {left} more").expect("writing to a string does not fail");
            break;
        }
        text.push_str("\n- ");
        text.push_str(&item);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::list;

    #[test]
    fn a_list_counts_what_it_leaves_out_and_never_outgrows_its_budget() {
        assert_eq!(list("Head:", &["one".into(), "two".into()], 80, 100), "Head:\n- one\n- two");
        let items: Vec<_> = (0..300).map(|number| format!("item {number}")).collect();
        for max_bytes in 40..4000 {
            let text = list("Head:", &items, 80, max_bytes);
            assert!(text.len() <= max_bytes, "{max_bytes}: {text}");
            let listed = text.matches("item").count();
            let left = items.len() - listed;
            assert_eq!(text.ends_with(&format!("- and {left} more")), left > 0, "{text}");
        }
    }
    #[test]
    fn long_items_make_room_for_the_others() {
        let items = ["a".repeat(300), "b".repeat(20), "c".repeat(300)];
        let text = list("Head:", &items, 280, 400);
        let expected =
            format!("Head:\n- {}…\n- {}\n- {}…", "a".repeat(115), "b".repeat(20), "c".repeat(115));
        assert_eq!(text, expected);
    }
}
