//! The workflows that come with Piton.
//!
//! They are files of the strict dialect like any other (`crates/workflow/workflows`), embedded in the program
//! as text. [`BuiltinWorkflow`] is the set, and [`resolve`] finds one by its id or by a name that it had before
//! there were namespaces.
//!
//! *Invariants*: every file compiles, under the id that the set gives it. Their namespace `wr` is refused to
//! every other source, so no file of a user ever replaces one of them. An older name leads to the id and no
//! further: everything that is pinned, recorded or saved has the id. A caller that used the name gets a warning.
//!
//! *Limitations*: a workflow of the user may declare the same older id. A caller that knows all sources asks
//! those first, since a user's own workflow is the one that the user means.

use std::fmt;

use piton_core::WorkflowId;
use schemars::JsonSchema;
use serde::Serialize;

use crate::compile::{CompiledWorkflow, Definitions, WarningCode, compile};
use crate::run::SourceKind;
use crate::source::SourceOrigin;

piton_core::closed_set! {
    /// A workflow that comes with Piton.
    pub enum BuiltinWorkflow {
        /// From a report to a proven fix.
        BugInvestigation => "wr.bug_investigation",
        /// A review whose findings hold.
        CodeReview => "wr.code_review",
        /// A document that a reader can act on.
        Documentation => "wr.documentation",
        /// From a wish to working code, slice by slice.
        FeatureImplementation => "wr.feature_implementation",
        /// An answer that can be checked.
        Research => "wr.research",
        /// Piton itself, in two minutes.
        Tour => "wr.tour",
    }
}

impl BuiltinWorkflow {
    /// Returns the id.
    pub fn workflow_id(self) -> WorkflowId {
        self.as_str().parse().expect("the names of the set are ids of workflows")
    }

    /// Returns the text of the file.
    pub const fn text(self) -> &'static str {
        match self {
            Self::BugInvestigation => include_str!("../workflows/bug_investigation.json"),
            Self::CodeReview => include_str!("../workflows/code_review.json"),
            Self::Documentation => include_str!("../workflows/documentation.json"),
            Self::FeatureImplementation => {
                include_str!("../workflows/feature_implementation.json")
            }
            Self::Research => include_str!("../workflows/research.json"),
            Self::Tour => include_str!("../workflows/tour.json"),
        }
    }

    /// Returns the situation to use it in, in one line.
    pub const fn when_to_use(self) -> &'static str {
        match self {
            Self::BugInvestigation => {
                "Something behaves wrongly, and the cause is not known or not proven."
            }
            Self::CodeReview => "A change is to be judged before it is merged.",
            Self::Documentation => "A document is to be written, or to be made true again.",
            Self::FeatureImplementation => {
                "Something new is to be built, and it takes more than one small change."
            }
            Self::Research => "A decision waits for an answer that has to be found in sources.",
            Self::Tour => "You have never used Piton, or want to show it to someone.",
        }
    }

    /// Returns the names without a namespace under which it is found as well. They are read only: nothing is
    /// saved or recorded under them.
    pub const fn aliases(self) -> &'static [&'static str] {
        match self {
            Self::BugInvestigation => &["bug-investigation"],
            Self::CodeReview => &["code-review", "mr-review"],
            Self::Documentation => &["documentation"],
            Self::FeatureImplementation => &["coding-task", "feature-implementation"],
            Self::Research => &["research"],
            Self::Tour => &["tour"],
        }
    }

    /// Returns the origin of the file.
    pub fn origin() -> SourceOrigin {
        SourceOrigin::new(SourceKind::Bundled, "piton")
    }

    /// Returns the workflow, ready to run.
    pub fn compiled(self) -> CompiledWorkflow {
        let compiled = compile(self.text(), &Self::origin(), &Definitions::standard());
        compiled.expect("a test compiles every one of them")
    }
}

/// The workflow that was found under an id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    pub workflow: BuiltinWorkflow,
    /// Set when the id is an older name.
    pub warning: Option<AliasWarning>,
}

/// Somebody used an older name of a bundled workflow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AliasWarning {
    /// [`WarningCode::LegacyWorkflowId`].
    pub code: WarningCode,
    /// The older name.
    pub alias: String,
    /// The id to use instead.
    pub canonical_id: WorkflowId,
}

impl fmt::Display for AliasWarning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { alias, canonical_id, .. } = self;
        write!(formatter, "`{alias}` is an older name of `{canonical_id}`; use `{canonical_id}`")
    }
}

/// Returns the bundled workflow with this id or older name.
pub fn resolve(id: &str) -> Option<Resolved> {
    if let Ok(workflow) = id.parse() {
        return Some(Resolved { workflow, warning: None });
    }
    let workflow =
        *BuiltinWorkflow::ALL.iter().find(|workflow| workflow.aliases().contains(&id))?;
    let warning = AliasWarning {
        code: WarningCode::LegacyWorkflowId,
        alias: id.to_owned(),
        canonical_id: workflow.workflow_id(),
    };
    Some(Resolved { workflow, warning: Some(warning) })
}
