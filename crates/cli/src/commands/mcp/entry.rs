//! Piton's entry in the configuration of a client.

use std::collections::BTreeMap;
use std::path::Path;

use piton_core::shell_word;
use serde_json::{Value, json};
use toml_edit::{Array, DocumentMut, Item, Table, TableLike, value};

use super::client::{ConfigFormat, McpClient};
use super::json;
use crate::failure::Failure;

/// Name under which clients know Piton.
const NAME: &str = "piton";

/// Suggestion for a file that cannot be changed.
const CORRECT: &str = "Fix the file, and run the command again.";

/// Table in which Codex keeps servers.
const TOML_SECTION: &str = "mcp_servers";

/// The entry that is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct NewEntry<'a> {
    pub(super) program: &'a str,
    /// The data directory, if one is chosen.
    pub(super) data_dir: Option<&'a str>,
    /// A setting that the entry gets too, with its value.
    pub(super) setting: Option<(&'a str, &'a str)>,
}

/// Returns a client's configuration with this entry.
pub(super) fn with_entry(
    client: McpClient,
    file: &Path,
    text: &str,
    new: NewEntry<'_>,
) -> Result<String, Failure> {
    let NewEntry { program, data_dir, setting } = new;
    let chosen = data_dir.into_iter().flat_map(|dir| ["--data-dir", dir]);
    let arguments: Vec<&str> = ["mcp"].into_iter().chain(chosen).collect();
    match client.form() {
        ConfigFormat::Json(section) => {
            let mut entry = json!({ "command": program, "args": arguments });
            if client == McpClient::Vscode {
                entry["type"] = json!("stdio");
            }
            json::set(text, section, NAME, &entry).map_err(|wrong| json::refusal(file, wrong))
        }
        ConfigFormat::Toml => {
            let mut document = toml(file, text)?;
            // Implicit, so that the file gets no empty `[mcp_servers]` header above the entry.
            let servers = document.entry(TOML_SECTION).or_insert_with(|| {
                let mut table = Table::new();
                table.set_implicit(true);
                Item::Table(table)
            });
            let servers = servers.as_table_like_mut().ok_or_else(|| no_table(file))?;
            // Other settings that the user made for this server stay.
            if servers.get(NAME).and_then(Item::as_table_like).is_none() {
                servers.insert(NAME, Item::Table(Table::new()));
            }
            let entry = servers.get_mut(NAME).and_then(Item::as_table_like_mut);
            let entry = entry.ok_or_else(|| no_table(file))?;
            entry.insert("command", value(program));
            entry.insert("args", value(arguments.into_iter().collect::<Array>()));
            if let Some((name, text)) = setting {
                entry.insert(name, value(text));
            }
            Ok(document.to_string())
        }
    }
}

/// Returns a client's configuration without the entry; `None` if it has none.
pub(super) fn without_entry(
    client: McpClient,
    file: &Path,
    text: &str,
) -> Result<Option<String>, Failure> {
    match client.form() {
        ConfigFormat::Json(section) => {
            json::remove(text, section, NAME).map_err(|wrong| json::refusal(file, wrong))
        }
        ConfigFormat::Toml => {
            let mut document = toml(file, text)?;
            let servers = document.get_mut(TOML_SECTION).and_then(Item::as_table_like_mut);
            let removed = servers.and_then(|servers| servers.remove(NAME));
            Ok(removed.map(|_| document.to_string()))
        }
    }
}

/// Entry of a client's configuration.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ClientEntry {
    /// The client starts a program.
    Start(Start),
    /// The client connects to a running server.
    Reach { url: String },
}

/// A program that a client starts.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Start {
    pub(crate) program: String,
    pub(crate) arguments: Vec<String>,
    /// Variables that are added to its environment.
    pub(crate) variables: BTreeMap<String, String>,
}

impl Start {
    /// Formats the command line as a person types it.
    pub(crate) fn line(&self) -> String {
        let words =
            [self.program.as_str()].into_iter().chain(self.arguments.iter().map(String::as_str));
        words.map(shell_word).collect::<Vec<_>>().join(" ")
    }
}

/// Returns the entry for Piton in a client's configuration, if there is one.
pub(crate) fn entry_in(
    client: McpClient,
    file: &Path,
    text: &str,
) -> Result<Option<ClientEntry>, Failure> {
    let entry = match client.form() {
        ConfigFormat::Json(section) => {
            json::get(text, section, NAME).map_err(|wrong| json::refusal(file, wrong))?
        }
        ConfigFormat::Toml => {
            let document = toml(file, text)?;
            let entry = document.get(TOML_SECTION).and_then(|servers| servers.get(NAME));
            entry.and_then(Item::as_table_like).map(as_json)
        }
    };
    Ok(entry.as_ref().and_then(parse_entry))
}

/// True if the entry of a client whose configuration is TOML has a setting with this value.
pub(super) fn has_setting(
    file: &Path,
    text: &str,
    (name, expected): (&str, &str),
) -> Result<bool, Failure> {
    let document = toml(file, text)?;
    let entry = document.get(TOML_SECTION).and_then(|servers| servers.get(NAME));
    let found = entry.and_then(|entry| entry.get(name)).and_then(Item::as_str);
    Ok(found == Some(expected))
}

/// Converts the parts of a table that say what to start.
fn as_json(table: &dyn TableLike) -> Value {
    let text = |name| table.get(name).and_then(Item::as_str);
    let arguments = table.get("args").and_then(Item::as_array).into_iter().flatten();
    let arguments: Vec<&str> = arguments.filter_map(toml_edit::Value::as_str).collect();
    let variables = table.get("env").and_then(Item::as_table_like);
    let variables = variables.into_iter().flat_map(TableLike::iter);
    let variables: BTreeMap<&str, &str> =
        variables.filter_map(|(name, value)| Some((name, value.as_str()?))).collect();
    json!({ "command": text("command"), "url": text("url"), "args": arguments, "env": variables })
}

fn parse_entry(entry: &Value) -> Option<ClientEntry> {
    let text = |name| entry.get(name).and_then(Value::as_str).map(str::to_owned);
    // Without a command, the client connects to a server that runs by itself.
    let Some(program) = text("command") else {
        return text("url").map(|url| ClientEntry::Reach { url });
    };
    let arguments = entry.get("args").and_then(Value::as_array).into_iter().flatten();
    let variables = entry.get("env").and_then(Value::as_object).into_iter().flatten();
    Some(ClientEntry::Start(Start {
        program,
        arguments: arguments.filter_map(|one| one.as_str().map(str::to_owned)).collect(),
        variables: variables
            .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
            .collect(),
    }))
}

fn toml(file: &Path, text: &str) -> Result<DocumentMut, Failure> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        let what =
            format!("{} is not TOML, and was left as it is: {}", file.display(), error.message());
        Failure::refused(what, CORRECT)
    })
}

fn no_table(file: &Path) -> Failure {
    let what =
        format!("`{TOML_SECTION}` in {} is not a table, and was left as it is.", file.display());
    Failure::refused(what, CORRECT)
}

#[cfg(test)]
mod tests {
    use super::super::permission::CODEX;
    use super::*;

    const FILE: &str = "/x/config.toml";

    #[test]
    fn toml_keeps_comments_and_what_a_person_set() {
        let text = "# mine\nmodel = \"a\"\n\n[mcp_servers.other]\ncommand = \"x\"\n";
        let file = Path::new(FILE);
        let new = NewEntry { program: "/bin/piton", data_dir: None, setting: None };
        let changed = with_entry(McpClient::Codex, file, text, new).unwrap();
        assert_eq!(
            changed,
            format!("{text}\n[mcp_servers.piton]\ncommand = \"/bin/piton\"\nargs = [\"mcp\"]\n")
        );
        let own = changed.replace("args", "startup_timeout_sec = 9\nargs");
        let again = with_entry(McpClient::Codex, file, &own, new).unwrap();
        assert_eq!(again, own);
        let allowed = NewEntry { setting: Some(CODEX), ..new };
        let allowed = with_entry(McpClient::Codex, file, &own, allowed).unwrap();
        assert_eq!(allowed, format!("{own}default_tools_approval_mode = \"approve\"\n"));
        assert!(has_setting(file, &allowed, CODEX).unwrap());
        assert!(!has_setting(file, &own, CODEX).unwrap());
        let start = Start {
            program: "/bin/piton".to_owned(),
            arguments: vec!["mcp".to_owned()],
            variables: BTreeMap::new(),
        };
        assert_eq!(
            entry_in(McpClient::Codex, file, &again).unwrap(),
            Some(ClientEntry::Start(start))
        );
        let without = without_entry(McpClient::Codex, file, &changed).unwrap().unwrap();
        assert_eq!(without, text);
        assert_eq!(without_entry(McpClient::Codex, file, &without).unwrap(), None);
    }

    #[test]
    fn an_entry_is_read_as_the_client_reads_it() {
        let start = |variables: &[(&str, &str)]| {
            Some(ClientEntry::Start(Start {
                program: "/bin/piton".to_owned(),
                arguments: vec!["mcp".to_owned(), "--data-dir".to_owned(), "/x".to_owned()],
                variables: variables
                    .iter()
                    .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                    .collect(),
            }))
        };
        let reach = Some(ClientEntry::Reach { url: "http://127.0.0.1:7477/mcp".to_owned() });
        let cases = [
            (
                McpClient::Codex,
                "[mcp_servers.piton]\ncommand = \"/bin/piton\"\nargs = [\"mcp\", \"--data-dir\", \"/x\"]\n\
                 env = { A = \"1\" }\n",
                start(&[("A", "1")]),
            ),
            (McpClient::Codex, "[mcp_servers.piton]\nurl = \"http://127.0.0.1:7477/mcp\"\n", reach),
            (
                McpClient::Claude,
                r#"{"mcpServers": {"piton": {"command": "/bin/piton", "args": ["mcp", "--data-dir", "/x"]}}}"#,
                start(&[]),
            ),
            (McpClient::Vscode, r#"{"servers": {"other": {"command": "x"}}}"#, None),
        ];
        for (client, text, expected) in cases {
            assert_eq!(entry_in(client, Path::new(FILE), text).unwrap(), expected, "{text}");
        }
    }
}
