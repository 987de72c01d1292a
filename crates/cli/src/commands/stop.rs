//! Requests to end: Ctrl-C, or the signal with which systems end services.
#![expect(clippy::disallowed_methods, reason = "ends the process when nothing else can")]

use std::io;
use std::process;

use piton_core::{Code, Envelope};
use tokio::signal::unix::{SignalKind, signal};

use crate::bounds::STOP_PATIENCE;
use crate::exit::CommandEnding;
use crate::failure::Failure;
use crate::open::Open;

/// Returns a future that is ready when the process is asked to end. From now on, the signals do not end it by
/// themselves.
pub(super) fn signals() -> Result<impl Future<Output = ()> + Send + 'static, Envelope> {
    let failed = |error: io::Error| {
        Envelope::new(Code::InternalError, format!("Piton cannot listen for signals: {error}."))
    };
    // Both handlers are installed before the future is first polled, so that no signal in between is lost.
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

/// Calls `ask` when the process is asked to end, concurrently with its work. It should then end by itself soon. If it
/// cannot, because it waits for a peer that does not read its output, it is ended as `ending`. No completed work is
/// lost.
pub(super) fn when_asked(
    open: &Open,
    ask: impl FnOnce() + Send + 'static,
    ending: CommandEnding,
) -> Result<(), Failure> {
    let asked = open.wait(async { signals() })?;
    let log = open.log.clone();
    open.spawn(async move {
        asked.await;
        ask();
        // A process that ends in time never gets past this sleep.
        tokio::time::sleep(STOP_PATIENCE).await;
        // The process did not end by itself, so the log gets its last line here.
        log.ended();
        process::exit(ending.number().into());
    });
    Ok(())
}
