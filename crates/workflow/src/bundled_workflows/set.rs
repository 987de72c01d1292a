//! The set of bundled workflows, and the purpose of each.

use piton_core::WorkflowId;

use crate::compile::{CompiledWorkflow, Definitions, compile};
use crate::run::SourceKind;
use crate::source::SourceOrigin;

piton_core::closed_set! {
    /// A workflow that comes with Piton.
    pub enum Bundled {
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

impl Bundled {
    /// Returns the id.
    pub fn workflow_id(self) -> WorkflowId {
        self.as_str().parse().expect("the names of the set are ids of workflows")
    }

    /// Returns the text of the file.
    pub const fn text(self) -> &'static str {
        match self {
            Self::BugInvestigation => include_str!("../../workflows/bug_investigation.json"),
            Self::CodeReview => include_str!("../../workflows/code_review.json"),
            Self::Documentation => include_str!("../../workflows/documentation.json"),
            Self::FeatureImplementation => {
                include_str!("../../workflows/feature_implementation.json")
            }
            Self::Research => include_str!("../../workflows/research.json"),
            Self::Tour => include_str!("../../workflows/tour.json"),
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
