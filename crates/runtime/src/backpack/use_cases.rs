//! Operations of an agent on the backpack that it is attached to.

use piton_backpack::{CommitId, Committed, Filter, Item, Key, NodeId, PackOptions, Scope};
use piton_core::Envelope;
use serde_json::Value;

use super::attached::Attached;
use super::caller_scope::CallerScope;
use super::reply::{AboutValue, HistoryLine, HistoryShown, KeysListed, Packed, Unpacked};
use super::request::{ListKeys, Pack, ShowHistory, Unpack};
use crate::bounds::{KEYS_TOLD_MAX, STATE_COMMITS_TOLD_MAX, VALUE_TOLD_BYTES_MAX};

impl Attached {
    /// Stores a value.
    pub async fn pack(&self, acting: &CallerScope, request: &Pack) -> Result<Packed, Envelope> {
        let Pack { key, value, tags } = request;
        let mut options = PackOptions::new();
        if !tags.is_empty() {
            let tags = tags.iter().map(String::as_str);
            options = options.tagged(tags).map_err(|error| error.envelope())?;
        }
        // Bad arguments are refused before a turn begins, so they hold up nobody.
        let key = parsed(key)?;
        let act = async |scope: &piton_backpack::AsyncScope| {
            let outcome = scope.pack_with(key.as_str(), value, &options).await?;
            Ok(outcome.done().expect("a strict backpack refuses with an error"))
        };
        let commit = self.act(acting, acting.leaves_writing(&key), act).await?;
        let size = piton_core::canonical::encode(value).map_or(0, |text| text.as_bytes().len());
        let (backpack, commit) = (self.backpack().clone(), short(commit));
        Ok(Packed { backpack, key: key.clone(), commit, size: size as u64 })
    }

    /// Reads a value.
    pub async fn unpack(
        &self,
        acting: &CallerScope,
        request: &Unpack,
    ) -> Result<Unpacked, Envelope> {
        let key = parsed(&request.key)?;
        let act = async |scope: &piton_backpack::AsyncScope| scope.item(key.as_str()).await;
        let item = self.act(acting, acting.leaves_reading(&key), act).await?;
        let (backpack, key) = (self.backpack().clone(), key.clone());
        let Some(item) = item else {
            return Ok(Unpacked {
                backpack,
                key,
                found: false,
                value: None,
                part: None,
                next_offset: None,
                about: None,
            });
        };
        let text = item.text().map_err(|error| error.envelope())?;
        let about = Some(about(&item));
        // Short values are returned whole. With an offset, the agent is paging through the text and gets the next part.
        if text.len() <= VALUE_TOLD_BYTES_MAX && request.offset.is_none() {
            let value: Value = item.value().map_err(|error| error.envelope())?;
            let (value, part, next_offset) = (Some(value), None, None);
            return Ok(Unpacked { backpack, key, found: true, value, part, next_offset, about });
        }
        // Offsets are bytes from the agent and may lie inside a character or beyond the end. Rounding down repeats a
        // few bytes but loses none.
        let start = text.floor_char_boundary(request.offset.unwrap_or(0));
        let end = text.floor_char_boundary(start.saturating_add(VALUE_TOLD_BYTES_MAX));
        let (part, next_offset) = (Some(text[start..end].to_owned()), end);
        let next_offset = (next_offset < text.len()).then_some(next_offset);
        Ok(Unpacked { backpack, key, found: true, value: None, part, next_offset, about })
    }

    /// Lists the keys that the agent may read.
    pub async fn keys(
        &self,
        acting: &CallerScope,
        request: &ListKeys,
    ) -> Result<KeysListed, Envelope> {
        let prefix = request.prefix.as_deref().unwrap_or_default();
        let mut keys = self.looking(acting).await?.keys();
        // The scope has applied the permissions already. The step may withhold further keys.
        keys.retain(|key| key.as_str().starts_with(prefix) && acting.leaves_reading(key));
        let left_out = keys.len().saturating_sub(KEYS_TOLD_MAX);
        keys.truncate(KEYS_TOLD_MAX);
        Ok(KeysListed { backpack: self.backpack().clone(), keys, left_out })
    }

    /// Shows the history, as far as the agent may see it.
    pub async fn history(
        &self,
        acting: &CallerScope,
        request: &ShowHistory,
    ) -> Result<HistoryShown, Envelope> {
        let key = request.key.as_deref().map(parsed).transpose()?;
        let node = request.by.as_deref().map(NodeId::parse).transpose();
        let node = node.map_err(|error| piton_backpack::Error::from(error).envelope())?;
        let filter = Filter { key, node, ..Filter::default() };
        let visible = |scope: &Scope| -> Result<Vec<Committed>, Envelope> {
            let mut commits = scope.history(&filter).map_err(|error| error.envelope())?;
            commits.retain(|commit| acting.leaves_reading(&commit.key));
            Ok(commits)
        };
        let (recent, unread) = self.looking_at_recent(acting).await?;
        let mut commits = visible(&recent)?;
        let mut unread = (unread > 0).then_some(unread);
        // Reading the whole history is costly, so it happens only if the commits in memory do not fill the reply.
        if commits.len() < STATE_COMMITS_TOLD_MAX && unread.is_some() {
            commits = visible(&self.looking_back(acting).await?)?;
            unread = None;
        }
        let left_out = commits.len().saturating_sub(STATE_COMMITS_TOLD_MAX);
        let newest = commits.into_iter().rev().take(STATE_COMMITS_TOLD_MAX);
        let commits = newest.map(line).collect();
        Ok(HistoryShown { backpack: self.backpack().clone(), commits, left_out, unread })
    }
}

fn parsed(key: &str) -> Result<Key, Envelope> {
    Key::parse(key).map_err(|error| piton_backpack::Error::from(error).envelope())
}

/// Returns the short name of a commit: its number, which is unique within one backpack.
pub(crate) fn short(commit: CommitId) -> String {
    format!("c{:x}", commit.number())
}

fn about(item: &Item) -> AboutValue {
    AboutValue {
        by: item.source().id.to_string(),
        timestamp_ms: item.timestamp(),
        version: item.version(),
        size: item.size(),
        tags: item.labels().tags.iter().map(ToString::to_string).collect(),
    }
}

fn line(commit: Committed) -> HistoryLine {
    HistoryLine {
        commit: short(commit.commit),
        timestamp_ms: commit.timestamp,
        by: commit.by.id.to_string(),
        action: commit.action,
        key: commit.key,
        size: commit.size,
        summary: commit.summary,
        provenance: commit.provenance.as_deref().cloned(),
    }
}
