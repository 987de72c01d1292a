//! Acts two and three: another process writes; a second writer is refused; the first is killed.
#![expect(clippy::disallowed_methods, reason = "starts the process that the demo kills")]

use std::{
    env,
    io::{self, BufRead as _, BufReader, Write as _},
    os::unix::process::ExitStatusExt as _,
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
    thread,
    time::Duration,
};

use piton_core::Entropy as _;
use piton_store::{Error, StreamId, local::SystemEntropy};

use super::{
    facts::{Killed, Refused, parts_by_plan},
    plans,
    store::{Store, timed},
};
use crate::failure::Failure;

/// Plans that the process may acknowledge before it is killed.
const ACKNOWLEDGED_MIN: usize = 25;

/// Plans after which the process stops by itself, should nobody kill it.
const PLANS_MAX: u64 = 10_000;

/// The signal that cannot be caught.
const SIGKILL: i32 = 9;

/// Plays both acts; the other process starts after plan `written`.
pub(super) fn play(
    store: &Store,
    session: &StreamId,
    written: u64,
) -> Result<(Refused, Killed), Failure> {
    let (mut child, acknowledgements) = start(store.root(), session, written + 1)?;
    let watched = watch(store, session, &mut child, acknowledgements);
    // Whatever happened, no process is left behind; killing a dead one does nothing.
    let _ = child.kill();
    let status = child.wait().map_err(Failure::io("wait for the other process"))?;
    let (refused, acknowledged) = watched?;
    let Some(signal) = status.signal().filter(|signal| *signal == SIGKILL) else {
        let text = format!("the other process was to be killed, but ended with {status}");
        return Err(Failure::BrokenPromise(text));
    };
    let killed = look(store, session, written, signal, &acknowledged)?;
    Ok((refused, killed))
}

fn start(
    root: &Path,
    session: &StreamId,
    first_plan: u64,
) -> Result<(Child, BufReader<ChildStdout>), Failure> {
    let program = env::current_exe().map_err(Failure::io("find this program"))?;
    let mut child = Command::new(program)
        .arg("internal-write")
        .arg("--data-dir")
        .arg(root)
        .args(["--session", session.as_str(), "--first-plan", &first_plan.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(Failure::io("start the other process"))?;
    let stdout = child.stdout.take().expect("it was asked for two lines above");
    Ok((child, BufReader::new(stdout)))
}

/// Waits for the other process to be at work, tries to write beside it, lets it go on, kills it in
/// the middle, and returns what it had acknowledged until then.
fn watch(
    store: &Store,
    session: &StreamId,
    child: &mut Child,
    mut acknowledgements: BufReader<ChildStdout>,
) -> Result<(Refused, Vec<u64>), Failure> {
    let mut acknowledged = Vec::new();
    let mut refused = None;
    let mut killed = false;
    loop {
        let mut line = String::new();
        let length = acknowledgements
            .read_line(&mut line)
            .map_err(Failure::io("listen to the other process"))?;
        if length == 0 {
            break;
        }
        // A pipe takes a line this short whole or not at all.
        acknowledged.extend(line.trim().parse::<u64>());
        if refused.is_none() {
            refused = Some(try_to_write(store, session)?);
        }
        if acknowledged.len() >= ACKNOWLEDGED_MIN && !killed {
            thread::sleep(a_moment());
            child.kill().map_err(Failure::io("kill the other process"))?;
            killed = true;
        }
    }
    let refused = refused.filter(|_| killed).ok_or_else(|| Failure::Io {
        operation: "let the other process write".to_owned(),
        source: io::Error::other("it ended by itself"),
    })?;
    Ok((refused, acknowledged))
}

/// A random part of the time that a few appends take, so that each demo kills at another point.
fn a_moment() -> Duration {
    let mut byte = [0];
    SystemEntropy.fill(&mut byte);
    Duration::from_micros(u64::from(byte[0]) * 16)
}

fn try_to_write(store: &Store, session: &StreamId) -> Result<Refused, Failure> {
    match timed(|| store.lease(session)) {
        (Err(error @ Error::Locked { .. }), milliseconds) => {
            Ok(Refused { milliseconds, error: error.envelope() })
        }
        (Err(error), _) => Err(error.into()),
        (Ok(_), _) => Err(Failure::BrokenPromise("two processes may write at once".into())),
    }
}

/// Compares what was acknowledged with what is there.
fn look(
    store: &Store,
    session: &StreamId,
    written: u64,
    signal: i32,
    acknowledged: &[u64],
) -> Result<Killed, Failure> {
    let loaded = store.load(session)?;
    let plans = parts_by_plan(&loaded.events);
    let lost = acknowledged.iter().filter(|plan| !plans.contains_key(plan)).count();
    let partial = plans.values().filter(|(found, all)| found != all).count();
    let unacknowledged =
        plans.keys().filter(|plan| **plan > written && !acknowledged.contains(plan)).count();
    if lost > 0 || partial > 0 {
        let text = format!("{lost} acknowledged plans are gone, {partial} are there in part");
        return Err(Failure::BrokenPromise(text));
    }
    Ok(Killed {
        signal,
        acknowledged: acknowledged.len() as u64,
        lost: lost as u64,
        partial: partial as u64,
        unacknowledged: unacknowledged as u64,
        torn_bytes: loaded.torn_tail.map_or(0, |torn| torn.bytes),
    })
}

/// Appends plans, and prints the number of each when it is durable.
pub(super) fn write_here(
    store: &Store,
    session: &StreamId,
    first_plan: u64,
) -> Result<(), Failure> {
    let lease = store.lease(session)?;
    let mut out = io::stdout().lock();
    for plan in first_plan..first_plan + PLANS_MAX {
        plans::append_new(store, &lease, plan, "written by the process that is killed")?;
        let told = writeln!(out, "{plan}").and_then(|()| out.flush());
        // Nobody listens any more.
        if told.is_err() {
            break;
        }
    }
    Ok(())
}
