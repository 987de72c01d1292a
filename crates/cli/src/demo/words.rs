//! What the demo says to a person.

use super::facts::{Damaged, Killed, Refused, Repeated, Total, Written};
use crate::output::Output;

pub(super) fn opening(output: &Output, data_dir: &str, earlier: usize) {
    let there = match earlier {
        0 => "no sessions yet".to_owned(),
        1 => "1 session before this one".to_owned(),
        count => format!("{count} sessions before this one"),
    };
    output.say(format_args!("Piton {} · data in {data_dir} ({there})", env!("CARGO_PKG_VERSION")));
}

pub(super) fn before_writing(output: &Output) {
    output.say("\n1. An agent works. Each plan is on disk before its line appears.");
}

pub(super) fn written(output: &Output, written: &Written) {
    let Written { plan, events, milliseconds, text } = written;
    output.say(format_args!("   plan {plan}  {events} events  {milliseconds:>6.1} ms  {text}"));
}

pub(super) fn refused(output: &Output, refused: &Refused) {
    output.say("\n2. Another process writes to the session; this one tries to as well.");
    output.say(format_args!(
        "   Refused after {:.2} ms: {}",
        refused.milliseconds, refused.error.message
    ));
    output.say(format_args!("   {}", refused.error.suggestion));
}

pub(super) fn killed(output: &Output, killed: &Killed) {
    output.say("\n3. The other process is killed (kill -9) as it goes on writing.");
    let Killed { acknowledged, lost, partial, unacknowledged, torn_bytes, .. } = killed;
    output.say(format_args!(
        "   It had reported {acknowledged} plans as durable: {lost} of them are lost."
    ));
    output.say(format_args!(
        "   Of what it had not reported, {unacknowledged} plans are there whole and {partial} in part."
    ));
    if *torn_bytes > 0 {
        output.say(format_args!(
            "   {torn_bytes} bytes of a write that was cut short are put aside."
        ));
    }
}

pub(super) fn repeated(output: &Output, repeated: &Repeated) {
    let Repeated { plan, first_index, last_index, events_before, events_after } = repeated;
    output
        .say(format_args!("\n4. Plan {plan} is sent again, as by an agent that missed the reply."));
    output.say(format_args!(
        "   Recognised: its events are {first_index} to {last_index} of the session."
    ));
    output.say(format_args!("   Events before: {events_before}. Events after: {events_after}."));
}

pub(super) fn damaged(output: &Output, damaged: &Damaged) {
    let Damaged { file, byte, error, readable_events } = damaged;
    output.say("\n5. One bit of a copy of the session is flipped.");
    output.say(format_args!("   Byte {byte} of events/{file}. Loading the copy says:"));
    output.say(format_args!("   {}", error.message));
    output.say(format_args!(
        "   {readable_events} events can still be read from it; nothing can be added to it."
    ));
}

pub(super) fn ending(output: &Output, total: &Total, directory: &str) {
    let Total { plans, events, acknowledged, lost } = total;
    output.say(format_args!(
        "\nThe session holds {plans} plans, {events} events. Of {acknowledged} acknowledged plans, {lost} are lost."
    ));
    output.say("Look at it on disk:");
    output.say(format_args!("  ls {directory}/events               a file for each plan"));
    output.say(format_args!("  tail -2 {directory}/manifest.jsonl  what attests the last of them"));
    output
        .say("Next: run `piton demo` again for a new session, or with --json for the same facts.");
}
