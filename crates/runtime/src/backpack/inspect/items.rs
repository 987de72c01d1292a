//! States of a backpack: the items in use after a commit, and the items in quarantine.

use piton_backpack::flow::run::RUNNER;
use piton_backpack::{Backpack, Item};
use piton_core::Envelope;

use super::backpacks::{Backpacks, Reveal};
use super::commits::no_key;
use super::point::{self, PointReference};
use super::reference::BackpackReference;
use super::reply::{BackpackState, ItemLine, ItemShown, QuarantineLine, QuarantineList};
use super::value;
use crate::bounds::ITEMS_SHOWN_MAX;

impl Backpacks {
    /// Lists the items in use at a point in time.
    pub async fn at(
        &self,
        reference: &BackpackReference,
        point: &PointReference,
    ) -> Result<BackpackState, Envelope> {
        let (backpack, state, commit) = self.state(reference, point).await?;
        let mut items: Vec<ItemLine> = state
            .debug()
            .items()
            .iter()
            .filter(|item| item.source().id.as_str() != RUNNER)
            .map(|item| line(item))
            .collect();
        let left_out = items.len().saturating_sub(ITEMS_SHOWN_MAX);
        items.truncate(ITEMS_SHOWN_MAX);
        Ok(BackpackState { backpack: backpack.id().clone(), commit, items, left_out })
    }

    /// Returns the whole value of one key at a point in time.
    pub async fn item_at(
        &self,
        reference: &BackpackReference,
        point: &PointReference,
        key: &str,
        reveal: Reveal,
    ) -> Result<ItemShown, Envelope> {
        let (backpack, state, commit) = self.state(reference, point).await?;
        let item = state.debug().item(key).map_err(|error| error.envelope())?;
        let item = item.ok_or_else(|| no_key(backpack.id(), &state, key))?;
        if item.is_damaged()
            && let Err(error) = item.text()
        {
            let id = backpack.id();
            return Err(error.envelope().with_suggestion(format!(
                "Every other key works. See what is damaged with `piton backpack verify {id}`; `piton backpack repair \
                 {id}` takes the key out of use, so that it can be packed again."
            )));
        }
        let (line, value) = (line(&item), value::whole_value(&item, reveal));
        Ok(ItemShown { backpack: backpack.id().clone(), commit, line, value })
    }

    /// Lists the items now in quarantine, newest first.
    pub async fn quarantined(
        &self,
        reference: &BackpackReference,
        reveal: Reveal,
    ) -> Result<QuarantineList, Envelope> {
        let backpack = self.open(reference).await?;
        let all = backpack.debug().quarantined();
        let left_out = all.len().saturating_sub(ITEMS_SHOWN_MAX);
        let newest = all.iter().rev().take(ITEMS_SHOWN_MAX);
        let entries = newest.map(|entry| QuarantineLine {
            commit: entry.commit(),
            short: point::short(entry.commit()),
            timestamp_ms: entry.timestamp(),
            by: entry.by().clone(),
            key: entry.key().clone(),
            reason: entry.reason().to_owned(),
            size: entry.size(),
            value: entry.item().map(|item| value::aside(item, reveal)),
        });
        let entries = entries.collect();
        Ok(QuarantineList { backpack: backpack.id().clone(), entries, left_out })
    }

    /// Returns a backpack, its state at a point, and the short id of the last commit in that state.
    async fn state(
        &self,
        reference: &BackpackReference,
        point: &PointReference,
    ) -> Result<(Backpack, Backpack, Option<String>), Envelope> {
        let backpack = self.open(reference).await?;
        let commit = point::find(&backpack, point)?;
        let state = self.state_at(&backpack, point, commit).await?;
        Ok((backpack, state, commit.map(point::short)))
    }
}

fn line(item: &Item) -> ItemLine {
    ItemLine {
        key: item.key().clone(),
        by: item.source().clone(),
        timestamp_ms: item.timestamp(),
        version: item.version(),
        tags: item.labels().tags.iter().map(ToString::to_string).collect(),
        summary: item.summary(),
        size: item.size(),
    }
}
