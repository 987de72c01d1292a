//! The backpacks that agents are attached to.

use std::path::Path;

use piton_backpack::BackpackId;
use piton_backpack::journal::JournalPorts;
use piton_core::Envelope;

use super::runtime::Runtime;
use crate::backpack::{Attached, Attachment};
use crate::config::section::{StateSection, backpack_of};
use crate::config::{ConfigProblem, SettingSource};

impl Runtime {
    /// Returns the runtime with backpacks.
    #[must_use]
    pub fn with_backpacks(mut self, backpacks: JournalPorts) -> Self {
        self.backpacks = Some(backpacks);
        self
    }

    /// Returns the backpack that agents in a project are attached to, if any: `chosen`, or else the one in the
    /// project's file, or else the one in the user's file.
    pub(crate) fn attachment(
        &self,
        project: Option<&Path>,
        chosen: Option<&BackpackId>,
    ) -> Result<Option<Attachment>, Envelope> {
        let Some(ports) = &self.backpacks else { return Ok(None) };
        let found = self.configuration.sections_for::<StateSection>(project);
        let mut found = found.map_err(|problems| ConfigProblem::envelope(&problems))?;
        if chosen.is_some() {
            // A project has no say about a backpack that the user chose.
            found.retain(|section| section.place == SettingSource::User);
        }
        // Weakest first, so the last section is that of the project, or else that of the user.
        let section = found.pop();
        let backpack = chosen.cloned().or_else(|| section.as_ref().map(backpack_of));
        let Some(backpack) = backpack else { return Ok(None) };
        let section = section.map(|section| section.value);
        let permissions = section.as_ref().and_then(StateSection::permissions);
        let agent = section.and_then(|section| section.agent);
        let shared = self.shared_backpacks.get(&backpack, ports);
        let state = Attached::new(shared, permissions);
        Ok(Some(Attachment { state, agent }))
    }
}
