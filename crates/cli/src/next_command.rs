//! Completion of the commands that a text suggests: each gets the options of this call that it needs again.
//!
//! *Invariants*: an option is added only to a command that takes it and does not name it already. Values are quoted for
//! a shell. Completing a text twice gives the same text as completing it once.
//!
//! *Limitations*: commands are recognized by their words: the name of the program, then that of a command.

use std::borrow::Cow;
use std::ffi::OsStr;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, CommandFactory as _};
use piton_core::shell_word;

use crate::arguments::Arguments;

const PROGRAM: &str = "piton";

/// The option that every command takes. It goes right after the program's name.
const DATA_DIR: &str = "data-dir";

/// Options that say what a command works with. Options that say what to do with it are not repeated.
const CARRIED: [&str; 7] = [DATA_DIR, "workspace", "models", "tools", "backpack", "agent", "run"];

/// An option of this call, as typed.
struct CarriedOption {
    name: String,
    typed: String,
    /// Set if the option may be repeated.
    is_list: bool,
}

/// Options of this call that a suggested command needs again.
pub(crate) struct CarriedOptions {
    program: Command,
    options: Vec<CarriedOption>,
}

impl CarriedOptions {
    /// Collects the options that were given on the command line.
    pub(crate) fn new(matches: &ArgMatches) -> Self {
        let mut program = Arguments::command();
        // Propagates global options down, so that every command lists those that it inherits.
        program.build();
        // Descends to the command that was called: it alone knows the values that were typed for it.
        let (mut command, mut matches) = (&program, matches);
        while let Some((name, inner)) = matches.subcommand() {
            command = command.find_subcommand(name).expect("it was parsed");
            matches = inner;
        }
        let argument =
            |name: &&str| command.get_arguments().find(|one| one.get_long() == Some(name));
        let options = CARRIED.iter().filter_map(argument);
        let options = options.flat_map(|argument| typed_options(argument, matches)).collect();
        Self { program, options }
    }

    /// Completes the commands in a text so that they work as they are.
    pub(crate) fn complete<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.options.is_empty() {
            return Cow::Borrowed(text);
        }
        // `before` is the character ahead of `rest`: once text is consumed, `rest` alone no longer tells whether the
        // program's name stands at the beginning of a word.
        let (mut completed, mut rest, mut before) = (String::new(), text, None);
        while let Some(at) = rest.find(PROGRAM) {
            let (front, behind) = rest.split_at(at + PROGRAM.len());
            completed.push_str(front);
            let last = front[..at].chars().next_back().or(before);
            // A slash counts as a beginning, since the program may be called by its path; `my-piton` and `.piton` are
            // other names.
            let begins = last.is_none_or(|letter| [' ', '\n', '`', '/'].contains(&letter));
            // Assumes that no command follows and continues right after the name; a match below moves on further.
            (rest, before) = (behind, PROGRAM.chars().next_back());
            if !begins {
                continue;
            }
            if let Some((command, words)) = self.named(behind) {
                let (words, behind) = behind.split_at(words);
                // Only the arguments up to the end of this command count, lest an option of the next one hides that it
                // lacks here.
                let (first, others) = self.lacking(command, arguments(behind));
                // The data directory goes between the program and the command, all other options after the command's
                // words.
                completed.extend([first.as_str(), words, &others]);
                (rest, before) = (behind, words.chars().next_back());
            }
        }
        (completed + rest).into()
    }

    /// Returns the command that a text begins with, and the length of its words in bytes.
    fn named(&self, text: &str) -> Option<(&Command, usize)> {
        let (mut command, mut length) = (&self.program, 0);
        // Each word has to name a subcommand of the previous one; the first that does not is an argument.
        while let Some(rest) = text[length..].strip_prefix(' ') {
            let ends = |letter: char| !letter.is_ascii_lowercase() && letter != '-';
            let word = rest.split(ends).next().unwrap_or_default();
            let Some(inner) = command.get_subcommands().find(|inner| inner.get_name() == word)
            else {
                break;
            };
            (command, length) = (inner, length + " ".len() + word.len());
        }
        // The program's name alone is prose, not a command.
        (length > 0).then_some((command, length))
    }

    /// Returns the options that a command takes and lacks: the one that goes right after the program, and the others.
    fn lacking(&self, command: &Command, arguments: &str) -> (String, String) {
        let takes = |option: &&CarriedOption| {
            command.get_arguments().any(|argument| argument.get_long() == Some(&option.name))
        };
        let lacks = |option: &&CarriedOption| {
            // A repeatable option may occur with another value, so only the same option with the same value counts as
            // named.
            let named = format!("--{}", option.name);
            let named = if option.is_list { &option.typed } else { &named };
            let mut found = arguments.match_indices(named.as_str());
            !found.any(|(at, _)| {
                // A longer option that begins with the same letters is another one.
                let behind = &arguments[at + named.len()..];
                behind.is_empty() || behind.starts_with(' ')
            })
        };
        let lacking = self.options.iter().filter(takes).filter(lacks);
        let (first, others): (Vec<_>, Vec<_>) = lacking.partition(|option| option.name == DATA_DIR);
        let typed = |options: Vec<&CarriedOption>| {
            options.into_iter().flat_map(|option| [" ", &option.typed]).collect()
        };
        (typed(first), typed(others))
    }
}

/// Returns an option once per value, if the user typed it.
fn typed_options(argument: &Arg, matches: &ArgMatches) -> Vec<CarriedOption> {
    let (id, name) = (argument.get_id().as_str(), argument.get_long().unwrap_or_default());
    // Defaults hold for the next command as well, and need not be typed.
    if matches.value_source(id) != Some(ValueSource::CommandLine) {
        return Vec::new();
    }
    let option = |value: &OsStr| CarriedOption {
        name: name.to_owned(),
        typed: format!("--{name} {}", shell_word(&value.to_string_lossy())),
        is_list: matches!(argument.get_action(), ArgAction::Append),
    };
    matches.get_raw(id).into_iter().flatten().map(option).collect()
}

/// Returns the text after a command's words, up to the latest point where the command can end.
fn arguments(text: &str) -> &str {
    // A quoted command ends with its quote or its line; one in running text ends before the next command at the latest.
    let end = text.find(['`', '\n']).unwrap_or(text.len());
    let next = text[..end].find(" piton ").unwrap_or(end);
    &text[..next]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn carried(typed: &[&str]) -> CarriedOptions {
        let matches = Arguments::command().try_get_matches_from([&["piton"], typed].concat());
        CarriedOptions::new(&matches.unwrap())
    }

    fn check(typed: &[&str], text: &str, expected: &str) {
        let options = carried(typed);
        let completed = options.complete(text);
        assert_eq!(completed, expected, "{typed:?}");
        assert_eq!(options.complete(&completed), expected, "{typed:?}: it was complete");
    }

    #[test]
    fn a_command_names_the_data_directory_that_the_one_before_was_given() {
        let typed = ["doctor", "--data-dir", "/tmp/a b"];
        check(
            &typed,
            "Fix it: piton data repair",
            "Fix it: piton --data-dir '/tmp/a b' data repair",
        );
        let piton = "piton --data-dir '/tmp/a b'";
        check(
            &typed,
            "Run `piton doctor`, or `piton session verify x`.",
            &format!("Run `{piton} doctor`, or `{piton} session verify x`."),
        );
        check(&typed, "  claude  piton mcp", "  claude  piton --data-dir '/tmp/a b' mcp");
        for other in ["Use piton to find out.", "in .piton/workflows", "my-piton doctor", "piton"] {
            check(&typed, other, other);
        }
        check(&["doctor"], "`piton doctor`", "`piton doctor`");
    }

    #[test]
    fn a_command_names_the_options_of_the_one_before_that_it_takes_and_no_others() {
        let flow = ["flow", "resume", "x", "--models", "m.json", "--tools", "t.json"];
        for (text, expected) in [
            (
                "`piton flow replay x --from y`",
                "`piton flow replay --models m.json --tools t.json x --from y`",
            ),
            ("`piton flow check f`; more", "`piton flow check --tools t.json f`; more"),
            ("piton backpack log x", "piton backpack log x"),
            // Options that the text names already are not added.
            (
                "`piton flow replay x --from y --models FILE` or `piton flow resume x`",
                "`piton flow replay --tools t.json x --from y --models FILE` or \
                 `piton flow resume --models m.json --tools t.json x`",
            ),
        ] {
            check(&flow, text, expected);
        }
        let diff = ["workspace", "diff", "--workspace", "/p=.:ro", "--workspace", "/s=over/p:rw"];
        check(
            &diff,
            "piton mcp --workspace /s=over/p:rw or piton doctor",
            "piton mcp --workspace /p=.:ro --workspace /s=over/p:rw or piton doctor",
        );
        // Options of a group of commands are added where one of the group is named.
        check(
            &["context", "--agent", "bot", "get-node", "x"],
            "piton context put-frame x, piton context --agent NAME …, piton logs",
            "piton context put-frame --agent bot x, piton context --agent NAME …, piton logs",
        );
        // Defaults were not typed, and options that say what to do are not repeated.
        check(
            &["flow", "resume", "x", "--steps-max", "1"],
            "piton flow resume x",
            "piton flow resume x",
        );
    }
}
