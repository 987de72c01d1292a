//! Every section, in one table.

use super::found::Wrong;
use super::models::ModelsSection;
use super::read::{Unreadable, judge};
use super::workspaces::WorkspacesSection;
use crate::config::layer::Place;
use toml::Spanned;
use toml::de::DeValue;

piton_core::closed_set! {
    /// Names a section.
    pub enum SectionKey {
        /// Who answers for models.
        Models => "models",
        /// Which files agents may touch.
        Workspaces => "workspaces",
    }
}

impl SectionKey {
    /// Whether it may stand in a file at `place`.
    pub const fn may_stand_in(self, place: Place) -> bool {
        match (self, place) {
            // A project that was cloned must not say where a user's keys are sent.
            (Self::Models, place) => !matches!(place, Place::Project),
            (Self::Workspaces, _) => true,
        }
    }

    /// An example, as a file has it.
    pub const fn example(self) -> &'static str {
        match self {
            Self::Models => ModelsSection::EXAMPLE,
            Self::Workspaces => WorkspacesSection::EXAMPLE,
        }
    }

    /// What it is, in one sentence.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Models => {
                "Who answers for models: providers, and which of them when nobody is named."
            }
            Self::Workspaces => {
                "Which files agents may touch: Workspaces, each with a prefix, an Access Scope and a Store."
            }
        }
    }

    /// Everything that is wrong with the section.
    pub(in crate::config) fn judge(
        self,
        value: Spanned<DeValue<'_>>,
        place: Place,
    ) -> Result<Vec<Wrong>, Unreadable> {
        match self {
            Self::Models => judge::<ModelsSection>(value, place),
            Self::Workspaces => judge::<WorkspacesSection>(value, place),
        }
    }

    /// The schema of the section.
    #[cfg(feature = "schema")]
    pub(in crate::config) fn schema(self) -> schemars::Schema {
        match self {
            Self::Models => schemars::schema_for!(ModelsSection),
            Self::Workspaces => schemars::schema_for!(WorkspacesSection),
        }
    }
}
