//! Calls that take long: progress while they do, and an end when the client does not want them any more.
//!
//! *Invariants*: a call that is cancelled stops at its next wait. An append that had started ends all the same; to
//! repeat the call tells what came of it.

use rmcp::RoleServer;
use rmcp::model::{ErrorCode, ErrorData, ProgressNotificationParam, ProgressToken};
use rmcp::service::RequestContext;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use crate::bounds::PROGRESS_EVERY;

/// Waits for `work`, tells the client of `context` that it goes on, and gives up when the client does.
pub(crate) async fn wait<T>(
    work: impl Future<Output = T>,
    context: &RequestContext<RoleServer>,
) -> Result<T, ErrorData> {
    tokio::select! {
        biased;
        done = work => Ok(done),
        () = context.ct.cancelled() => Err(cancelled()),
        never = send_progress(context) => match never {},
    }
}

/// Tells the client at intervals that its call goes on, if it asked for that.
async fn send_progress(context: &RequestContext<RoleServer>) -> std::convert::Infallible {
    let Some(token) = context.meta.get_progress_token() else { std::future::pending().await };
    let mut ticks = interval_at(Instant::now() + PROGRESS_EVERY, PROGRESS_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut told = 0_u32;
    loop {
        ticks.tick().await;
        told += 1;
        // A client that is gone cannot be told; its call is cancelled by other means.
        let _ = context.peer.notify_progress(progress(token.clone(), told)).await;
    }
}

fn progress(token: ProgressToken, told: u32) -> ProgressNotificationParam {
    let seconds = PROGRESS_EVERY.as_secs() * u64::from(told);
    ProgressNotificationParam::new(token, f64::from(told))
        .with_message(format!("Still at work after {seconds} s."))
}

fn cancelled() -> ErrorData {
    let words = "The call was cancelled. Repeat it to find out what came of it.";
    ErrorData::new(ErrorCode::INTERNAL_ERROR, words, None)
}
