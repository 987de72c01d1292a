//! The fields of a query line, and what their values look like.

use piton_workflow::RunStatus;
use piton_workflow::run_index::RunField;

piton_core::closed_set! {
    /// A field of a query line.
    pub enum QueryField {
        /// How far the run is.
        Status => "status",
        /// The id of its workflow.
        Workflow => "workflow",
        /// The branch that was checked out.
        Branch => "branch",
        /// Time since its newest event.
        Age => "age",
        /// Time since it began.
        Started => "started",
        /// Number of open gaps.
        Gaps => "gaps",
        /// Number of nodes.
        Nodes => "nodes",
        /// Number of tips; more than one if it was forked.
        Tips => "tips",
        /// What people call it.
        Label => "label",
        /// The id of its pending step.
        Step => "step",
        /// The id of its session.
        Session => "session",
        /// Its id.
        Run => "run",
    }
}

/// The form of a field's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueForm {
    Text,
    Number,
    Age,
}

impl QueryField {
    pub(super) const fn form(self) -> ValueForm {
        match self {
            Self::Age | Self::Started => ValueForm::Age,
            Self::Gaps | Self::Nodes | Self::Tips => ValueForm::Number,
            _ => ValueForm::Text,
        }
    }

    /// Returns the field of the index.
    pub(super) const fn indexed(self) -> RunField {
        match self {
            Self::Status => RunField::Status,
            Self::Workflow => RunField::Workflow,
            Self::Branch => RunField::Branch,
            Self::Age => RunField::Active,
            Self::Started => RunField::Started,
            Self::Gaps => RunField::Gaps,
            Self::Nodes => RunField::Nodes,
            Self::Tips => RunField::Tips,
            Self::Label => RunField::Label,
            Self::Step => RunField::Step,
            Self::Session => RunField::Session,
            Self::Run => RunField::Run,
        }
    }

    /// Returns all values, if there are only these.
    pub(super) const fn values(self) -> Option<&'static [&'static str]> {
        match self {
            Self::Status => Some(RunStatus::NAMES),
            _ => None,
        }
    }

    /// Returns the value of the field, as a noun.
    pub(super) const fn noun(self) -> &'static str {
        match self {
            Self::Workflow => "the id of a workflow",
            Self::Step => "the id of a step",
            Self::Label => "a name of two words",
            _ => self.as_str(),
        }
    }

    /// Returns what the field is, and how it is used.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Status => "how far the run is: status:blocked",
            Self::Workflow => "the id of its workflow: workflow:wr.*",
            Self::Branch => "the branch that was checked out: branch:fix/*",
            Self::Age => "time since its newest event: age<1d",
            Self::Started => "time since it began: started>2w",
            Self::Gaps => "number of open gaps: gaps>0",
            Self::Nodes => "number of nodes: nodes>100",
            Self::Tips => "number of tips, more than one if it was forked: tips>1",
            Self::Label => "what people call it: label:amber-otter",
            Self::Step => "the id of its pending step: step:review",
            Self::Session => "the id of its session",
            Self::Run => "its id",
        }
    }
}
