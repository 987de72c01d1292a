//! The search.

use std::path::Path;

use piton_core::Envelope;

use super::catch_up::{self, CaughtUp};
use super::found::{Findings, FoundGroup, FoundKind};
use crate::bounds::SEARCH_GROUP_MAX;
use crate::provenance::Worlds;
use crate::reply::SearchResults;
use crate::workflow::{Runtime, search_terms};

impl Runtime {
    /// Returns everything that has all words of `text`, seen from a project. The last word may be only the beginning of
    /// one, unless a space follows it. `from` and `limit` are for the runs; of every other kind, the first are
    /// returned and all are counted.
    ///
    /// Runs are searched as they are indexed; everything else is brought up to date first. A kind that cannot be
    /// searched does not hide the others.
    pub async fn search_everything(
        &self,
        text: &str,
        from: u64,
        limit: Option<usize>,
        worlds: &Worlds<'_>,
        project: Option<&Path>,
    ) -> Result<Findings, Envelope> {
        let runs = self.search(text, from, limit).await?;
        let terms = search_terms(text);
        if terms.is_empty() {
            return Ok(Findings { runs: SearchResults { from, ..runs }, groups: Vec::new() });
        }
        let index = &*self.ports.index;
        let limit = limit.unwrap_or(SEARCH_GROUP_MAX).min(SEARCH_GROUP_MAX);
        let mut groups = Vec::new();
        let mut add = async |kind: FoundKind, caught_up: Result<CaughtUp<'_>, Envelope>| {
            let group = match caught_up {
                Ok((things, unindexed)) => things.find(&terms, limit, unindexed).await,
                Err(why) => Err(why),
            };
            let group = group.unwrap_or_else(|why| FoundGroup::unavailable(kind, why));
            groups.extend(Some(group).filter(FoundGroup::says_something));
        };
        let settings = self.settings_for(project).unwrap_or_else(|_| self.configuration.settings());
        let contents = self.library_contents(&settings, project);
        add(FoundKind::Workflow, catch_up::workflows(index, &contents, project).await).await;
        add(FoundKind::Backpack, catch_up::backpacks(index, worlds.backpacks).await).await;
        if let Some(frames) = worlds.frames {
            add(FoundKind::Frame, catch_up::frames(index, frames).await).await;
        }
        if let Some(files) = worlds.files {
            add(FoundKind::File, catch_up::files(index, files).await).await;
        }
        Ok(Findings { runs, groups })
    }
}
