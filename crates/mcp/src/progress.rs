//! Handles long calls: reports progress, and ends them when the client cancels.
//!
//! *Invariants*: a cancelled call stops at its next await. An append that has started completes all the same; repeating
//! the call shows its outcome.

use rmcp::RoleServer;
use rmcp::model::{ErrorCode, ErrorData, ProgressNotificationParam, ProgressToken};
use rmcp::service::RequestContext;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use crate::bounds::PROGRESS_EVERY;

/// Waits for `work`, reports progress to the client of `context`, and gives up when the client cancels.
pub(crate) async fn wait<T>(
    work: impl Future<Output = T>,
    context: &RequestContext<RoleServer>,
) -> Result<T, ErrorData> {
    tokio::select! {
        // In this order, so that work that is already done wins over a cancellation.
        biased;
        done = work => Ok(done),
        () = context.ct.cancelled() => Err(cancelled()),
        never = send_progress(context) => match never {},
    }
}

/// Notifies the client at intervals that its call is still running, if it asked for that.
async fn send_progress(context: &RequestContext<RoleServer>) -> std::convert::Infallible {
    let Some(token) = context.meta.get_progress_token() else { std::future::pending().await };
    let mut ticks = interval_at(Instant::now() + PROGRESS_EVERY, PROGRESS_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut count = 0_u32;
    loop {
        ticks.tick().await;
        count += 1;
        // A client that is gone cannot be notified; its call is cancelled by other means.
        let _ = context.peer.notify_progress(progress(token.clone(), count)).await;
    }
}

fn progress(token: ProgressToken, count: u32) -> ProgressNotificationParam {
    let seconds = PROGRESS_EVERY.as_secs() * u64::from(count);
    ProgressNotificationParam::new(token, f64::from(count))
        .with_message(format!("Still at work after {seconds} s."))
}

fn cancelled() -> ErrorData {
    let words = "The call was cancelled. Repeat it to find out the result.";
    ErrorData::new(ErrorCode::INTERNAL_ERROR, words, None)
}
