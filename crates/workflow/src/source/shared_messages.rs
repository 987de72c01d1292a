//! Problem messages that both dialects share.

use std::fmt::Display;

use super::builtin_id::ContractRef;
use super::pointer::Pointer;
use super::problem::{ProblemCode, Problems};
use crate::bounds::{LOOP_DEPTH_MAX, RULES_MAX, STEPS_MAX};

/// The form of names of functions and variables.
pub(crate) const NAME_FORM: &str = "use letters, digits and `_`, and no digit first";

/// The advice for a file with a schema.
pub(crate) const CONTRACT_INSTEAD: &str =
    "use `outputContract` with one of the contracts that Piton brings along";

/// The advice for a file that is too large.
pub(crate) const SPLIT: &str = "split it into several workflows";

/// The advice for an empty list.
pub(crate) const FILL_OR_REMOVE: &str = "add one, or remove the list";

impl Problems {
    /// Reports that two things of a kind have the same id.
    pub(crate) fn report_twice(&mut self, at: &Pointer, kind: &str, id: &dyn Display) {
        let reason = format!("the {kind} id `{id}` is used twice");
        let fix = format!("give each {kind} an id of its own");
        self.report(at, ProblemCode::DuplicateId, reason, fix);
    }

    /// Reports a reference to a contract that does not exist.
    pub(crate) fn report_no_contract<'a>(
        &mut self,
        at: &Pointer,
        named: &ContractRef,
        known: impl Iterator<Item = &'a ContractRef>,
    ) {
        let known: Vec<_> = known.map(ContractRef::as_str).collect();
        let fix = format!("use one of: {}", known.join(", "));
        let reason = format!("there is no contract `{named}`");
        self.report(at, ProblemCode::UnresolvedReference, reason, fix);
    }

    /// Reports that not exactly one step of a loop decides about it.
    pub(crate) fn report_decisions(&mut self, at: &Pointer, decisions: usize) {
        let reason = format!("{decisions} steps of the body decide whether the loop goes on");
        let fix = "give exactly one step of the body the contract `wr.contracts.loop_control`";
        self.report(at, ProblemCode::LoopWithoutControl, reason, fix);
    }

    /// Reports if there are more steps than a workflow may have.
    pub(crate) fn check_steps(&mut self, count: usize) {
        if count > STEPS_MAX {
            let reason = format!("the workflow has {count} steps, {STEPS_MAX} are allowed");
            self.report(&Pointer::root().field("steps"), ProblemCode::TooMany, reason, SPLIT);
        }
    }

    /// Returns true if the loop at `at`, which is in `/steps/…/body/…/body/…`, is not nested too deeply.
    /// Reports it otherwise.
    pub(crate) fn check_loop_depth(&mut self, at: &Pointer) -> bool {
        // The pointer contains one `/body/` for each loop around this one, so no depth has to be passed
        // along.
        let around = at.as_str().matches("/body/").count();
        if around >= LOOP_DEPTH_MAX {
            self.report_loop_depth(at);
        }
        around < LOOP_DEPTH_MAX
    }

    /// Reports a loop that is nested too deeply.
    pub(crate) fn report_loop_depth(&mut self, at: &Pointer) {
        let reason = format!("loops lie deeper than {LOOP_DEPTH_MAX} inside each other");
        let fix = "move the innermost loop to a workflow of its own";
        self.report(at, ProblemCode::TooDeep, reason, fix);
    }

    /// Reports a list of rules that is empty or too long.
    pub(crate) fn check_rules(&mut self, at: &Pointer, count: usize) {
        if count == 0 {
            self.report(at, ProblemCode::Empty, "there is no rule", FILL_OR_REMOVE);
        }
        if count > RULES_MAX {
            let reason = format!("there are {count} rules, {RULES_MAX} are allowed");
            self.report(at, ProblemCode::TooMany, reason, "remove some of them");
        }
    }

    /// Reports a step of a type that the dialect does not have.
    pub(crate) fn report_step_type(&mut self, at: &Pointer, found: &str, fix: &'static str) {
        let reason = format!("`{found}` is not a type of step");
        self.report(at, ProblemCode::UnknownName, reason, fix);
    }
}
