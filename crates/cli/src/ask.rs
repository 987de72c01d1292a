//! What a person types: a yes or no, or the notes of a step.
#![expect(clippy::disallowed_methods, reason = "starts the person's editor and reads what it left")]

use std::{
    fs,
    io::{self, BufRead as _, IsTerminal as _, Read as _},
    process::Command,
};

use crate::{app::App, bounds::NOTES_BYTES_MAX, failure::Failure, output};

/// Whether somebody is there to be asked.
pub(crate) fn can_ask() -> bool {
    io::stdin().is_terminal()
}

/// Asks for a yes or no; `None` if nobody is there to be asked.
pub(crate) fn confirm(question: &str) -> Option<bool> {
    if !can_ask() {
        return None;
    }
    output::ask(format_args!("{question} [y/N]"));
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).ok()?;
    Some(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// Takes a text from the person's editor if there is a terminal and an editor, else from the lines of standard input
/// up to one that holds only a dot. Nothing if it is empty.
pub(crate) fn text(app: &App) -> Result<Option<String>, Failure> {
    let editor = ["VISUAL", "EDITOR"].into_iter().find_map(|name| app.environment.variable(name));
    let text = match editor {
        Some(editor) if io::stdin().is_terminal() && io::stdout().is_terminal() => edited(editor)?,
        _ => lines(&mut io::stdin().lock()).map_err(Failure::io("read standard input"))?,
    };
    Ok(Some(text.trim_end().to_owned()).filter(|text| !text.trim().is_empty()))
}

fn edited(editor: &str) -> Result<String, Failure> {
    let file = tempfile::Builder::new().prefix("piton-").suffix(".md").tempfile();
    let file = file.map_err(Failure::io("make a file for the editor"))?;
    // An editor may be a command with arguments, as in `code --wait`: the shell takes it apart.
    let status = Command::new("sh")
        .args(["-c", &format!("{editor} \"$1\""), "sh"])
        .arg(file.path())
        .status()
        .map_err(Failure::io(format!("start the editor {editor}")))?;
    if !status.success() {
        return Err(Failure::refused(
            format!("The editor `{editor}` failed, so nothing was handed in."),
            "Set EDITOR to one that works, or run the command without a terminal and pipe the notes in.",
        ));
    }
    let told = || Failure::io("read what the editor wrote");
    let mut text = String::new();
    let written = fs::File::open(file.path()).map_err(told())?;
    written.take(NOTES_BYTES_MAX).read_to_string(&mut text).map_err(told())?;
    Ok(text)
}

/// The lines up to one that holds only a dot, or to the end.
fn lines(input: &mut impl io::BufRead) -> io::Result<String> {
    let mut text = String::new();
    let mut input = input.take(NOTES_BYTES_MAX);
    loop {
        let start = text.len();
        let read = input.read_line(&mut text)?;
        if read == 0 || text[start..].trim_end() == "." {
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
