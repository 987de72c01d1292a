//! A configuration file, parsed with every problem at once, each with its position and a fix.

use std::fmt::{self, Write as _};
use std::ops::Range;

use piton_core::{Code, Envelope, nearest};
use schemars::JsonSchema;
use serde::Serialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::section::SectionKey;
use super::settings::{EffectiveSetting, SettingSource, Settings};
use super::table::SettingKey;
use super::value::Base;
use crate::bounds::CONFIG_PROBLEMS_MAX;

/// Parts of names under which people keep secrets.
const SECRETS: [&str; 4] = ["token", "secret", "password", "api_key"];

/// A problem of the configuration.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigProblem {
    /// The file, or the variable of the environment.
    pub place: String,
    /// The line, from one; nothing if the place has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The character in that line, from one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    pub reason: String,
    /// The correction.
    pub fix: String,
}

impl ConfigProblem {
    /// Creates a problem of a source as a whole.
    pub fn of(place: impl Into<String>, reason: impl Into<String>, fix: impl Into<String>) -> Self {
        let (place, reason, fix) = (place.into(), reason.into(), fix.into());
        Self { place, line: None, column: None, reason, fix }
    }

    /// Returns the position in the form that editors and terminals understand.
    pub fn at(&self) -> String {
        match (self.line, self.column) {
            (Some(line), Some(column)) => format!("{}:{line}:{column}", self.place),
            _ => self.place.clone(),
        }
    }

    /// Combines all problems into one failure.
    pub fn envelope(problems: &[Self]) -> Envelope {
        let things = match problems.len() {
            1 => "1 problem".to_owned(),
            count => format!("{count} problems"),
        };
        let mut message = format!("The configuration cannot be used, because it has {things}.");
        for problem in problems.iter().take(CONFIG_PROBLEMS_MAX) {
            write!(message, "\n  {problem}").expect("writing to a string does not fail");
        }
        if let Some(more) = problems.len().checked_sub(CONFIG_PROBLEMS_MAX).filter(|more| *more > 0)
        {
            write!(message, "\n  and {more} more").expect("writing to a string does not fail");
        }
        Envelope::new(Code::ValidationError, message)
            .with_suggestion("Fix each line that is named, and repeat the call.")
    }
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}; {}", self.at(), self.reason, self.fix)
    }
}

/// A file to parse.
pub(super) struct ConfigFile<'a> {
    /// The name in messages.
    pub(super) name: &'a str,
    pub(super) place: SettingSource,
    pub(super) base: Base<'a>,
    pub(super) text: &'a str,
}

impl ConfigFile<'_> {
    /// Returns the settings of the file, and everything that is wrong with it.
    pub(super) fn read(&self) -> (Settings, Vec<ConfigProblem>) {
        let (table, errors) = DeTable::parse_recoverable(self.text);
        let mut problems: Vec<ConfigProblem> = errors
            .iter()
            .map(|error| {
                let at = error.span().unwrap_or_default();
                self.problem(at, format!("not TOML: {}", error.message()), "fix the line")
            })
            .collect();
        let mut settings = Settings::default();
        // After a syntax error only a part of the file is there, and judging that part would be guessing.
        if problems.is_empty() {
            for (section, value) in table.get_ref() {
                self.section(section, value, &mut settings, &mut problems);
            }
        }
        problems.sort_by_key(|problem| (problem.line, problem.column));
        (settings, problems)
    }

    fn section(
        &self,
        section: &Spanned<impl AsRef<str>>,
        value: &Spanned<DeValue<'_>>,
        settings: &mut Settings,
        problems: &mut Vec<ConfigProblem>,
    ) {
        let name = section.get_ref().as_ref();
        if let Ok(key) = name.parse::<SectionKey>() {
            self.part(key, section.span(), value, problems);
            return;
        }
        if !sections().any(|known| known == name) {
            let reason = format!("there is no section `{name}`");
            problems.push(self.problem(section.span(), reason, section_fix(name)));
            return;
        }
        let DeValue::Table(entries) = value.get_ref() else {
            let reason = format!("`{name}` is a section, not a setting");
            let fix = format!("write `[{name}]` on a line, and its settings below");
            problems.push(self.problem(section.span(), reason, fix));
            return;
        };
        for (entry, value) in entries {
            match self.entry(name, entry.get_ref(), entry.span(), value) {
                Ok((key, said)) => {
                    settings.0.insert(key, said);
                }
                Err(problem) => problems.push(problem),
            }
        }
    }

    /// Checks a section that is parsed as a whole.
    fn part(
        &self,
        key: SectionKey,
        at: Range<usize>,
        value: &Spanned<DeValue<'_>>,
        problems: &mut Vec<ConfigProblem>,
    ) {
        if !key.may_stand_in(self.place) {
            let reason = format!("a project may not have `{key}`, which is up to the user");
            problems.push(self.problem(at, reason, "move it to your own configuration file"));
            return;
        }
        let place_of = |entry: Option<usize>| {
            let found = entry.and_then(|entry| value.get_ref().get(entry));
            found.map_or(at.clone(), Spanned::span)
        };
        match (key.row().judge)(value.clone(), self.place) {
            Ok(wrong) => problems.extend(wrong.into_iter().map(|wrong| {
                self.problem(place_of(wrong.entry), format!("`{key}`: {}", wrong.reason), wrong.fix)
            })),
            Err(unreadable) => {
                let at = unreadable.at.unwrap_or(at);
                let reason = format!("`{key}`: {}", unreadable.reason);
                let fix = format!("write for example:\n{}", indented(key.example()));
                problems.push(self.problem(at, reason, fix));
            }
        }
    }

    fn entry(
        &self,
        section: &str,
        name: &str,
        span: Range<usize>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<(SettingKey, EffectiveSetting), ConfigProblem> {
        let Ok(key) = format!("{section}.{name}").parse::<SettingKey>() else {
            let reason = format!("there is no setting `{name}` in `[{section}]`");
            return Err(self.problem(span, reason, setting_fix(section, name, self.place)));
        };
        if !key.may_stand_in(self.place) {
            let reason = format!("a project may not set `{key}`, which is up to the user");
            let fix =
                format!("move it to your own configuration file, or set {}", key.row().variable);
            return Err(self.problem(span, reason, fix));
        }
        match key.row().form.of_file(value.get_ref(), self.base) {
            Ok(value) => {
                let (line, column) = position(self.text, span.start);
                let at = Some(format!("{}:{line}:{column}", self.name));
                Ok((key, EffectiveSetting { value, place: self.place, at }))
            }
            Err(reason) => {
                let fix = format!("write for example `{name} = {}`", key.row().example);
                Err(self.problem(value.span(), format!("`{key}`: {reason}"), fix))
            }
        }
    }

    fn problem(
        &self,
        at: Range<usize>,
        reason: impl Into<String>,
        fix: impl Into<String>,
    ) -> ConfigProblem {
        let (line, column) = position(self.text, at.start);
        let mut problem = ConfigProblem::of(self.name, reason, fix);
        (problem.line, problem.column) = (Some(line), Some(column));
        problem
    }
}

/// Returns the line and column of a byte of `text`, both counted from one.
fn position(text: &str, byte: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(byte)];
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = before.matches('\n').count() + 1;
    let column = before[start..].chars().count() + 1; // tidy: chars: shown to a person
    (line, column)
}

/// Returns every section, those with settings first; some more than once.
fn sections() -> impl Iterator<Item = &'static str> {
    let with_settings = SettingKey::ALL.iter().map(|key| key.section());
    with_settings.chain(SectionKey::ALL.iter().map(|key| key.as_str()))
}

/// Indents lines below a problem.
fn indented(lines: &str) -> String {
    lines
        .lines()
        .map(|line| format!("    {line}").trim_end().to_owned())
        .collect::<Vec<_>>()
        .join("\n")
}

fn section_fix(name: &str) -> String {
    if let Some(close) = nearest(name, sections()).first() {
        return format!("write `{close}`");
    }
    let mut known: Vec<&str> = sections().collect();
    known.dedup();
    format!("the sections are: {}", known.join(", "))
}

fn setting_fix(section: &str, name: &str, place: SettingSource) -> String {
    let lower = name.to_lowercase();
    if SECRETS.iter().any(|secret| lower.contains(secret)) {
        return format!(
            "keep secrets out of the configuration: put it into a separate file, and name that file with `{}`",
            SettingKey::HttpTokenFile
        );
    }
    let mut allowed = SettingKey::ALL.iter().filter(|key| key.may_stand_in(place));
    let elsewhere = allowed.find(|key| key.name() == name);
    if let Some(key) = elsewhere {
        return format!("move it to `[{}]`", key.section());
    }
    let here = SettingKey::ALL.iter().filter(|key| key.section() == section);
    let names: Vec<&str> = here.map(|key| key.name()).collect();
    match nearest(name, names.iter().copied()).first() {
        Some(close) => format!("write `{close}`"),
        None => format!("the settings of `[{section}]` are: {}", names.join(", ")),
    }
}
