//! Backpacks: which one agents are attached to.

use std::path::Path;

use piton_backpack::BackpackId;
use piton_backpack::journal::JournalPorts;
use piton_core::Envelope;

use super::runtime::Runtime;
use crate::backpack::{Attached, Attachment};
use crate::config::section::{StateSection, backpack_of};
use crate::config::{ConfigProblem, SettingSource};

impl Runtime {
    /// The same, with backpacks.
    #[must_use]
    pub fn with_backpacks(mut self, backpacks: JournalPorts) -> Self {
        self.backpacks = Some(backpacks);
        self
    }

    /// The backpack that agents in a project are attached to, if they are to any: `chosen`, else what the project's
    /// file names, else what the user's file names.
    pub(crate) fn attachment(
        &self,
        project: Option<&Path>,
        chosen: Option<&BackpackId>,
    ) -> Result<Option<Attachment>, Envelope> {
        let Some(ports) = &self.backpacks else { return Ok(None) };
        let found = self.configuration.sections_for::<StateSection>(project);
        let mut found = found.map_err(|problems| ConfigProblem::envelope(&problems))?;
        if chosen.is_some() {
            // A project says nothing about a backpack that the user chose.
            found.retain(|section| section.place == SettingSource::User);
        }
        let section = found.pop();
        let backpack = chosen.cloned().or_else(|| section.as_ref().map(backpack_of));
        let Some(backpack) = backpack else { return Ok(None) };
        let section = section.map(|section| section.value);
        let permissions = section.as_ref().and_then(StateSection::permissions);
        let agent = section.and_then(|section| section.agent);
        let shared = self.shared_backpacks.get(&backpack, ports, &self.ports.leases);
        let state = Attached::new(shared, permissions);
        Ok(Some(Attachment { state, agent }))
    }
}
