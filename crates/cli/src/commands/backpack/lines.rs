//! Shared pieces of the output of these commands.

use piton_backpack::NodeIdentity;
use piton_core::shorten;
use piton_runtime::backpack::inspect::{Hidden, ValueShown};

use crate::{app::App, bounds::CELL_BYTES_MAX, messages::indented};

/// Formats a size in its largest whole unit.
pub(super) fn size(bytes: u64) -> String {
    const KIB: u64 = 1024; // tidy: number: bytes of a KiB
    match bytes {
        0..KIB => format!("{bytes} B"),
        _ if bytes < KIB * KIB => format!("{} KiB", bytes / KIB),
        _ => format!("{} MiB", bytes / (KIB * KIB)),
    }
}

/// Shortens a text to a cell of one line.
pub(crate) fn cell(text: &str) -> String {
    shorten(&text.replace(['\n', '\r', '\t'], " "), CELL_BYTES_MAX).into_owned()
}

/// Formats the author of a change, with its place in the flow.
pub(super) fn author_text(by: &NodeIdentity) -> String {
    match &by.namespace {
        Some(namespace) => format!("{} ({namespace})", by.id),
        None => by.id.to_string(),
    }
}

/// Prints a value, or the reason that it is not shown.
pub(super) fn say_value(app: &App, value: &ValueShown, margin: &str) {
    match (&value.text, value.hidden) {
        (Some(text), _) => app.output.print(indented(text, margin)),
        (None, why) => {
            let why = why.map_or("not kept", Hidden::as_str);
            app.output.print(format_args!("{margin}[{why}, {}]", size(value.size)));
        }
    }
    if value.left_out_bytes > 0 {
        app.output.print(format_args!("{margin}… and {} more bytes", value.left_out_bytes));
    }
}

/// Prints the number of omitted things, if there are any.
pub(super) fn say_left_out(app: &App, count: usize, what: &str) {
    if count > 0 {
        app.output.print(format_args!("{count} more {what} are left out."));
    }
}

#[cfg(test)]
mod tests {
    use super::{cell, size};

    #[test]
    fn sizes_have_the_largest_whole_unit_and_cells_one_line() {
        let sizes = [0, 1023, 1024, 5 * 1024 * 1024].map(size);
        assert_eq!(sizes, ["0 B", "1023 B", "1 KiB", "5 MiB"]);
        assert_eq!(cell("a\nb"), "a b");
    }
}
