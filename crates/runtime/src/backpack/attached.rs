//! The backpack that an agent is attached to.
//!
//! Several agents may be attached to one backpack, each through its own process. A recorded call opens the backpack, or
//! joins the calls of its process that have it open (`shared`). A call that only reads does not open it. The state read
//! so far is kept between calls, so the next call reads only the commits that others have added since.
//!
//! *Invariants*: an agent acts through a scope with its own name and permissions, never through the debug handle.
//! Everything that a call recorded, refusals included, is on disk when the call returns.
//!
//! *Limitations*: showing commits older than those kept in memory reads the whole history. While a flow runs on the
//! backpack, recorded calls are refused with its name, and `unpack` is one of them.

use std::fmt;
use std::sync::Arc;

use piton_backpack::journal::{Followed, Holder, JournalPorts, read};
use piton_backpack::{
    Backpack, BackpackId, CommitId, Committed, Error, Filter, Item, Key, NodeId, NodeIdentity,
    Options, PackOptions, Permissions, Scope, WriteOutcome,
};
use piton_core::Envelope;
use serde_json::Value;

use super::attachment::CallerScope;
use super::request::{
    AboutValue, HistoryLine, HistoryShown, KeysListed, ListKeys, Pack, Packed, ShowHistory, Unpack,
    Unpacked,
};
use super::shared::SharedBackpack;
use crate::bounds::{KEYS_TOLD_MAX, STATE_COMMITS_TOLD_MAX, VALUE_TOLD_BYTES_MAX, cut};

/// A backpack with the permissions of the agents that are attached to it.
#[derive(Clone)]
pub struct Attached {
    shared: Arc<SharedBackpack>,
    permissions: Option<Permissions>,
    /// Name of the agent in the backpack. Without one, the name that the client gives itself is used.
    pub agent: Option<NodeId>,
}

/// Start of the name under which an agent opens a backpack, and the whole name of one whose own is too long.
const AGENT: &str = "the agent ";
const UNNAMED_AGENT: &str = "an agent";

/// True if a backpack was opened by an agent, not by a flow or a command.
pub(super) fn is_agent(holder: &Holder) -> bool {
    holder.as_str().starts_with(AGENT) || holder.as_str() == UNNAMED_AGENT
}

impl fmt::Debug for Attached {
    /// Shows the backpack, the permissions and the agent.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = (&self.shared.id, &self.permissions, &self.agent);
        formatter.debug_tuple("Attached").field(&fields).finish()
    }
}

impl Attached {
    /// Attaches agents with these permissions. Without any, agents may do what the items themselves allow.
    pub fn new(shared: Arc<SharedBackpack>, permissions: Option<Permissions>) -> Self {
        Self { shared, permissions, agent: None }
    }

    /// Returns the id of the backpack.
    pub fn backpack(&self) -> &BackpackId {
        &self.shared.id
    }

    /// Stores a value.
    pub async fn pack(&self, acting: &CallerScope, request: &Pack) -> Result<Packed, Envelope> {
        let mut options = PackOptions::new();
        if !request.tags.is_empty() {
            options = options.tagged(request.tags.iter().map(String::as_str))?;
        }
        // Bad arguments are refused before the backpack is opened, so they hold up nobody.
        let key = Key::parse(&request.key)?;
        let act = |scope: &Scope| scope.pack_with(&key, &request.value, &options);
        let outcome = self.act(acting, acting.leaves_writing(&key), act).await?;
        let WriteOutcome::Done { commit, size } = outcome else {
            unreachable!("a strict backpack refuses with an error")
        };
        Ok(Packed { backpack: self.backpack().clone(), key, commit: short(commit), size })
    }

    /// Reads a value.
    pub async fn unpack(
        &self,
        acting: &CallerScope,
        request: &Unpack,
    ) -> Result<Unpacked, Envelope> {
        let key = Key::parse(&request.key)?;
        let act = |scope: &Scope| scope.item(&key);
        let item = self.act(acting, acting.leaves_reading(&key), act).await?;
        let reply = Unpacked {
            backpack: self.backpack().clone(),
            key,
            found: item.is_some(),
            value: None,
            part: None,
            next_offset: None,
            about: item.as_deref().map(about),
        };
        let Some(item) = item else { return Ok(reply) };
        let text = item.text()?;
        // Short values are returned whole. With an offset, the agent is paging through the text and gets the next part.
        if text.len() <= VALUE_TOLD_BYTES_MAX && request.offset.is_none() {
            let value: Value = item.value()?;
            return Ok(Unpacked { value: Some(value), ..reply });
        }
        // Offsets are bytes from the agent and may lie inside a character or beyond the end. Rounding down repeats a
        // few bytes but loses none.
        let start = text.floor_char_boundary(request.offset.unwrap_or(0));
        let end = text.floor_char_boundary(start.saturating_add(VALUE_TOLD_BYTES_MAX));
        let (part, next_offset) =
            (Some(text[start..end].to_owned()), (end < text.len()).then_some(end));
        Ok(Unpacked { part, next_offset, ..reply })
    }

    /// Lists the keys that the agent may read.
    pub async fn keys(
        &self,
        acting: &CallerScope,
        request: &ListKeys,
    ) -> Result<KeysListed, Envelope> {
        let prefix = request.prefix.as_deref().unwrap_or_default();
        let state = self.look(Followed::state).await?;
        let mut keys = self.scope_of(&state, acting)?.keys();
        // The scope has applied the permissions already. The step may withhold further keys.
        keys.retain(|key| key.as_str().starts_with(prefix) && acting.leaves_reading(key));
        let (keys, left_out) = cut(keys, KEYS_TOLD_MAX);
        Ok(KeysListed { backpack: self.backpack().clone(), keys, left_out })
    }

    /// Shows the history, as far as the agent may see it.
    pub async fn history(
        &self,
        acting: &CallerScope,
        request: &ShowHistory,
    ) -> Result<HistoryShown, Envelope> {
        let key = request.key.as_deref().map(Key::parse).transpose()?;
        let node = request.by.as_deref().map(NodeId::parse).transpose()?;
        let filter = Filter { key, node, ..Filter::default() };
        let visible = |scope: &Scope| -> Result<Vec<Committed>, Error> {
            let mut commits = scope.history(&filter)?;
            commits.retain(|commit| acting.leaves_reading(&commit.key));
            Ok(commits)
        };
        let (recent, unread) = self.look(Followed::recent).await?;
        let mut commits = visible(&self.scope_of(&recent, acting)?)?;
        let mut unread = (unread > 0).then_some(unread);
        // Reading the whole history is costly, so it happens only if the commits in memory do not fill the reply.
        if commits.len() < STATE_COMMITS_TOLD_MAX && unread.is_some() {
            commits = visible(&self.scope_of(&self.whole().await?, acting)?)?;
            unread = None;
        }
        let left_out = commits.len().saturating_sub(STATE_COMMITS_TOLD_MAX);
        let newest = commits.into_iter().rev().take(STATE_COMMITS_TOLD_MAX);
        let commits = newest.map(line).collect();
        Ok(HistoryShown { backpack: self.backpack().clone(), commits, left_out, unread })
    }

    /// Looks at the present state, for a call that only reads.
    async fn look<T>(&self, look: impl FnOnce(&Followed) -> T) -> Result<T, Error> {
        let mut followed = self.shared.take().await?;
        // An early return drops the followed state; the next call then reads it from the journal.
        followed.catch_up().await?;
        let seen = look(&followed);
        self.shared.put_back(followed);
        Ok(seen)
    }

    /// Reads the backpack with its whole history.
    async fn whole(&self) -> Result<Backpack, Error> {
        let JournalPorts { journal, blobs, ports } = &self.shared.ports;
        match read(&**journal, &**blobs, self.backpack(), ports.clone()).await {
            Ok((backpack, _)) => Ok(backpack),
            // The journal of a backpack appears with the first write, so a missing one means an empty backpack.
            Err(Error::Store(piton_store::Error::NotFound { .. })) => {
                Ok(Backpack::empty(self.backpack().clone(), Options::default(), ports.clone()))
            }
            Err(error) => Err(error),
        }
    }

    fn scope_of(&self, backpack: &Backpack, acting: &CallerScope) -> Result<Scope, Error> {
        backpack.scope(identity(acting)?, self.permissions.clone())
    }

    /// Acts as the agent, while the backpack is open. Everything that was recorded is on disk when this returns. If the
    /// step does not leave the agent access (`is_left` is false), the call is refused as if the permission had never
    /// been granted, and the refusal is recorded.
    async fn act<T>(
        &self,
        acting: &CallerScope,
        is_left: bool,
        act: impl FnOnce(&Scope) -> Result<T, Error>,
    ) -> Result<T, Envelope> {
        let identity = identity(acting)?;
        // The holder is shown to processes that find the backpack open. A name too long for it is replaced, not
        // refused.
        let holder = Holder::new(format!("{AGENT}{}", identity.id))
            .unwrap_or_else(|_| Holder::new(UNNAMED_AGENT).expect("two words are a name"));
        // Waits for other processes. Nothing is recorded before the backpack is open.
        let open = self.shared.open(holder).await?;
        // A step that withholds a key goes through the same refusal as a missing permission, so that it is recorded.
        let granted = if is_left { self.permissions.clone() } else { Some(Permissions::none()) };
        let scope = open.backpack().scope(identity, granted);
        let outcome = scope.and_then(|scope| act(&scope.at_step(acting.provenance.clone())));
        // A refusal is recorded as well and is reported only once it is on disk. An error of the flush comes first:
        // without it, nothing is known to be durable.
        open.leave().await.and(outcome).map_err(|error| match error {
            // The backpack cannot know that a step withheld the key, so the advice is added here.
            Error::AccessDenied { .. } if !is_left => Envelope::from(error).with_suggestion(
                "This step leaves you other keys: its prompt names them. Do without this one until the step is submitted.",
            ),
            error => error.into(),
        })
    }
}

fn identity(acting: &CallerScope) -> Result<NodeIdentity, Error> {
    Ok(NodeIdentity::new(&acting.agent, &acting.agent)?)
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
