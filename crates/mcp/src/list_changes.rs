//! Notifies an agent that one of its lists changed, in the way of its revision.

use rmcp::RoleServer;
use rmcp::model::{ErrorData, ProtocolVersion};
use rmcp::service::{RequestContext, SubscriptionContext, SubscriptionSendError};
use tokio::sync::watch;

/// A list that an agent may ask for again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ServedList {
    Tools,
    Prompts,
}

/// Counts the changes of each list, for subscribers.
#[derive(Clone, Copy, Debug, Default)]
struct Changes {
    tools: u64,
    prompts: u64,
}

/// The changes of the lists of one agent.
#[derive(Debug, Default)]
pub(crate) struct ListChanges(watch::Sender<Changes>);

impl ListChanges {
    /// Notifies the client that a list changed.
    pub(crate) async fn notify(&self, list: ServedList, context: &RequestContext<RoleServer>) {
        let version = context.protocol_version();
        if version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28) {
            self.0.send_modify(|changes| match list {
                ServedList::Tools => changes.tools += 1,
                ServedList::Prompts => changes.prompts += 1,
            });
            return;
        }
        // A client that is gone need not be notified.
        let _ = match list {
            ServedList::Tools => context.peer.notify_tool_list_changed().await,
            ServedList::Prompts => context.peer.notify_prompt_list_changed().await,
        };
    }

    /// Notifies a subscriber of every change of the lists that it asked for, until it cancels.
    pub(crate) async fn listen(&self, listener: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.0.subscribe();
        let mut known = *changes.borrow_and_update();
        loop {
            tokio::select! {
                () = listener.cancelled() => return Ok(()),
                moved = changes.changed() => if moved.is_err() { return Ok(()) },
            }
            let now = *changes.borrow_and_update();
            let sink = listener.sink();
            if now.tools != known.tools && is_gone(&sink.notify_tool_list_changed().await) {
                return Ok(());
            }
            if now.prompts != known.prompts && is_gone(&sink.notify_prompt_list_changed().await) {
                return Ok(());
            }
            known = now;
        }
    }
}

/// True if a notification failed, and not only because the subscriber did not ask for it.
fn is_gone(sent: &Result<(), SubscriptionSendError>) -> bool {
    !matches!(sent, Ok(()) | Err(SubscriptionSendError::NotificationNotAccepted(_)))
}
