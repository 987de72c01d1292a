//! Interactive input: a yes or no, or the notes of a step.
#![expect(clippy::disallowed_methods, reason = "starts the person's editor and reads what it left")]

use std::fs;
use std::io::{self, BufRead as _, IsTerminal as _, Read as _};
use std::process::Command;

use crate::app::App;
use crate::bounds::NOTES_BYTES_MAX;
use crate::failure::Failure;
use crate::output;

/// True if standard input is a terminal, so that a person can answer.
pub(crate) fn can_ask() -> bool {
    io::stdin().is_terminal()
}

/// Asks for a yes or no. Returns `None` if standard input is not a terminal.
pub(crate) fn confirm(question: &str) -> Option<bool> {
    if !can_ask() {
        return None;
    }
    output::ask(format_args!("{question} [y/N]"));
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).ok()?;
    // Everything but an explicit yes means no, as the capital `N` of the prompt says.
    Some(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// Reads a text from the user's editor if there is a terminal and an editor, else from standard input up to a line that
/// holds only a dot. Returns `None` if the text is empty.
pub(crate) fn text(app: &App) -> Result<Option<String>, Failure> {
    let editor = ["VISUAL", "EDITOR"].into_iter().find_map(|name| app.environment.variable(name));
    let text = match editor {
        // An editor needs both ends of a terminal: with either one piped it could not be used.
        Some(editor) if io::stdin().is_terminal() && io::stdout().is_terminal() => edited(editor)?,
        _ => lines(&mut io::stdin().lock()).map_err(Failure::io("read standard input"))?,
    };
    Ok(Some(text.trim_end().to_owned()).filter(|text| !text.trim().is_empty()))
}

fn edited(editor: &str) -> Result<String, Failure> {
    let file = tempfile::Builder::new().prefix("piton-").suffix(".md").tempfile();
    let file = file.map_err(Failure::io("create a file for the editor"))?;
    // `EDITOR` may hold a command with arguments, as in `code --wait`: the shell splits it.
    let status = Command::new("sh")
        .args(["-c", &format!("{editor} \"$1\""), "sh"])
        .arg(file.path())
        .status()
        .map_err(Failure::io(format!("start the editor {editor}")))?;
    if !status.success() {
        return Err(Failure::refused(
            format!("The editor `{editor}` failed, so nothing was submitted."),
            "Set EDITOR to an editor that works, or pipe the notes to the command instead.",
        ));
    }
    let failed = || Failure::io("read the editor's file");
    // Reads by path, not through the open handle: many editors save by renaming a new file over the old one.
    let mut text = String::new();
    let written = fs::File::open(file.path()).map_err(failed())?;
    written.take(NOTES_BYTES_MAX).read_to_string(&mut text).map_err(failed())?;
    Ok(text)
}

/// Reads lines up to one that holds only a dot, or to the end of the input.
fn lines(input: &mut impl io::BufRead) -> io::Result<String> {
    let mut text = String::new();
    let mut input = input.take(NOTES_BYTES_MAX);
    loop {
        let start = text.len();
        let read = input.read_line(&mut text)?;
        if read == 0 || text[start..].trim_end() == "." {
            // The dot is a terminator and not part of the text; at the end of the input there is none to cut off.
            text.truncate(if read == 0 { text.len() } else { start });
            return Ok(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn a_text_ends_with_a_lone_dot_or_with_the_input() {
        let cases = [
            ("a\nb\n.\nc\n", "a\nb\n", "c\n"),
            ("a\n..\n .x\n", "a\n..\n .x\n", ""),
            (".\n", "", ""),
            ("", "", ""),
            ("last", "last", ""),
        ];
        for (input, expected, rest) in cases {
            let mut input = input.as_bytes();
            assert_eq!(lines(&mut input).unwrap(), expected);
            assert_eq!(input, rest.as_bytes());
        }
    }
}
