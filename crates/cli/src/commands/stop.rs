//! Being told to end: by Ctrl-C, or by the signal with which systems end services.
#![expect(clippy::disallowed_methods, reason = "ends the process when nothing else can")]

use std::{io, process};

use piton_core::{Code, Envelope};
use tokio::signal::unix::{SignalKind, signal};

use crate::{bounds::STOP_PATIENCE, exit::CommandEnding, failure::Failure, open::Open};

/// Is ready when the process is told to end. From now on that does not end it by itself.
pub(super) fn signals() -> Result<impl Future<Output = ()> + Send + 'static, Envelope> {
    let told = |error: io::Error| {
        Envelope::new(Code::InternalError, format!("Signals cannot be listened for: {error}."))
    };
    let mut terminate = signal(SignalKind::terminate()).map_err(told)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(told)?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

/// Calls `ask` when the process is told to end, beside whatever it does then. It should end by itself soon; if it cannot,
/// because it waits for somebody who does not read what it says, it is ended as `ending`. Nothing that was done is lost.
pub(super) fn when_told(
    open: &Open,
    ask: impl FnOnce() + Send + 'static,
    ending: CommandEnding,
) -> Result<(), Failure> {
    let told = open.wait(async { signals() })?;
    let log = open.log.clone();
    open.spawn(async move {
        told.await;
        ask();
        tokio::time::sleep(STOP_PATIENCE).await;
        log.ended();
        process::exit(ending.number().into());
    });
    Ok(())
}
