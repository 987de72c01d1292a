//! Line diffs for people.

use piton_core::visible;
use piton_runtime::text_diff::{DiffLine, DiffSign};

use crate::{
    app::App,
    style::{Tone, styled},
};

/// Prints the lines of a diff.
pub(crate) fn say_diff(app: &App, lines: &[DiffLine], left_out: usize, margin: &str) {
    for DiffLine { sign, text } in lines {
        let (mark, state) = match sign {
            DiffSign::Same => (" ", None),
            DiffSign::Removed => ("-", Some(Tone::Bad)),
            DiffSign::Added => ("+", Some(Tone::Good)),
            DiffSign::Gap => ("…", Some(Tone::Faint)),
        };
        let line = format!("{mark} {text}");
        match state {
            // `styled` escapes its text itself; a line without a colour is escaped here.
            Some(state) => {
                app.output.print(format_args!("{margin}{}", styled(state, line.trim_end())));
            }
            None => app.output.print(format_args!("{margin}{}", visible(&line))),
        }
    }
    if left_out > 0 {
        app.output.print(format_args!("{margin}… and {left_out} more lines"));
    }
}
