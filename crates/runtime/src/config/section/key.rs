//! Every section, in one table.

use super::context::ContextSection;
use super::found::Wrong;
use super::models::ModelsSection;
use super::read::{Unreadable, judge};
use super::state::StateSection;
use super::workspaces::WorkspacesSection;
use crate::config::layer::SettingSource;
use toml::Spanned;
use toml::de::DeValue;

piton_core::closed_set! {
    /// Names a section.
    pub enum SectionKey {
        /// Who answers for models.
        Models => "models",
        /// Which backpack agents are attached to.
        State => "state",
        /// Who works with context.
        Context => "context",
        /// Which files agents may touch.
        Workspaces => "workspaces",
    }
}

impl SectionKey {
    /// True if it may be in a file at `place`.
    pub const fn may_stand_in(self, place: SettingSource) -> bool {
        match (self, place) {
            // A project that was cloned must not decide where a user's keys are sent.
            (Self::Models, place) => !matches!(place, SettingSource::Project),
            (Self::State | Self::Context | Self::Workspaces, _) => true,
        }
    }

    /// Returns an example, as a file has it.
    pub const fn example(self) -> &'static str {
        match self {
            Self::Models => ModelsSection::EXAMPLE,
            Self::State => StateSection::EXAMPLE,
            Self::Context => ContextSection::EXAMPLE,
            Self::Workspaces => WorkspacesSection::EXAMPLE,
        }
    }

    /// Describes the section in one sentence.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Models => {
                "Who answers for models: providers, and which of them when nobody is named."
            }
            Self::State => "The backpack that agents are attached to, and what they may do there.",
            Self::Context => "Who works with context: agents and roles, and whom clients act as.",
            Self::Workspaces => {
                "Which files agents may touch: Workspaces, each with a prefix, an Access Scope and a Store."
            }
        }
    }

    /// Returns every problem of the section.
    pub(in crate::config) fn judge(
        self,
        value: Spanned<DeValue<'_>>,
        place: SettingSource,
    ) -> Result<Vec<Wrong>, Unreadable> {
        match self {
            Self::Models => judge::<ModelsSection>(value, place),
            Self::State => judge::<StateSection>(value, place),
            Self::Context => judge::<ContextSection>(value, place),
            Self::Workspaces => judge::<WorkspacesSection>(value, place),
        }
    }

    /// Returns the schema of the section.
    #[cfg(feature = "schema")]
    pub(in crate::config) fn schema(self) -> schemars::Schema {
        match self {
            Self::Models => schemars::schema_for!(ModelsSection),
            Self::State => schemars::schema_for!(StateSection),
            Self::Context => schemars::schema_for!(ContextSection),
            Self::Workspaces => schemars::schema_for!(WorkspacesSection),
        }
    }
}
