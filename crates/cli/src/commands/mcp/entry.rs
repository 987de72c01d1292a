//! The entry of Piton in the configuration of a client.

use std::path::Path;

use serde_json::json;
use toml_edit::{Array, DocumentMut, Item, Table, value};

use super::{
    client::{Client, Form},
    json,
};
use crate::failure::Failure;

/// The name that clients know Piton by.
const NAME: &str = "piton";

/// Where Codex keeps servers.
const TOML_SECTION: &str = "mcp_servers";

/// The configuration of a client after it was told to start `program`.
pub(super) fn with_entry(
    client: Client,
    file: &Path,
    text: &str,
    program: &str,
) -> Result<String, Failure> {
    match client.form() {
        Form::Json(section) => {
            let mut entry = json!({ "command": program, "args": ["mcp"] });
            if client == Client::Vscode {
                entry["type"] = json!("stdio");
            }
            let entry = serde_json::to_string_pretty(&entry).expect("it is made of texts");
            json::set(text, section, NAME, &entry).map_err(|wrong| not_json(file, wrong))
        }
        Form::Toml => {
            let mut document = toml(file, text)?;
            let servers = document.entry(TOML_SECTION).or_insert_with(|| {
                let mut table = Table::new();
                table.set_implicit(true);
                Item::Table(table)
            });
            let servers = servers.as_table_like_mut().ok_or_else(|| no_table(file))?;
            let mut arguments = Array::new();
            arguments.push("mcp");
            // What else a person set for the server stays.
            if servers.get(NAME).and_then(Item::as_table_like).is_none() {
                servers.insert(NAME, Item::Table(Table::new()));
            }
            let entry = servers.get_mut(NAME).and_then(Item::as_table_like_mut);
            let entry = entry.ok_or_else(|| no_table(file))?;
            entry.insert("command", value(program));
            entry.insert("args", value(arguments));
            Ok(document.to_string())
        }
    }
}

/// The configuration of a client without the entry; nothing if it has none.
pub(super) fn without_entry(
    client: Client,
    file: &Path,
    text: &str,
) -> Result<Option<String>, Failure> {
    match client.form() {
        Form::Json(section) => {
            json::remove(text, section, NAME).map_err(|wrong| not_json(file, wrong))
        }
        Form::Toml => {
            let mut document = toml(file, text)?;
            let servers = document.get_mut(TOML_SECTION).and_then(Item::as_table_like_mut);
            let removed = servers.and_then(|servers| servers.remove(NAME));
            Ok(removed.map(|_| document.to_string()))
        }
    }
}

/// The program that a client is told to start, if it is told to.
pub(crate) fn entry_in(client: Client, file: &Path, text: &str) -> Result<Option<String>, Failure> {
    match client.form() {
        Form::Json(section) => {
            let entry = json::get(text, section, NAME).map_err(|wrong| not_json(file, wrong))?;
            let entry: Option<serde_json::Value> =
                entry.and_then(|entry| serde_json::from_str(&entry).ok());
            Ok(entry.and_then(|entry| Some(entry.get("command")?.as_str()?.to_owned())))
        }
        Form::Toml => {
            let document = toml(file, text)?;
            let command =
                document.get(TOML_SECTION).and_then(|servers| servers.get(NAME)?.get("command"));
            Ok(command.and_then(Item::as_str).map(str::to_owned))
        }
    }
}

fn toml(file: &Path, text: &str) -> Result<DocumentMut, Failure> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        let what =
            format!("{} is not TOML, and was left as it is: {}", file.display(), error.message());
        Failure::refused(what, "Correct the file, and run the command again.")
    })
}

fn not_json(file: &Path, wrong: json::NotJson) -> Failure {
    let what =
        format!("{}:{} is not JSON, and the file was left as it is.", file.display(), wrong.line);
    Failure::refused(what, "Correct the line, and run the command again.")
}

fn no_table(file: &Path) -> Failure {
    let what =
        format!("`{TOML_SECTION}` in {} is not a table, and was left as it is.", file.display());
    Failure::refused(what, "Correct the file, and run the command again.")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "/x/config.toml";

    #[test]
    fn toml_keeps_comments_and_what_a_person_set() {
        let text = "# mine\nmodel = \"a\"\n\n[mcp_servers.other]\ncommand = \"x\"\n";
        let file = Path::new(FILE);
        let changed = with_entry(Client::Codex, file, text, "/bin/piton").unwrap();
        assert_eq!(
            changed,
            format!("{text}\n[mcp_servers.piton]\ncommand = \"/bin/piton\"\nargs = [\"mcp\"]\n")
        );
        let own = changed.replace("args", "startup_timeout_sec = 9\nargs");
        let again = with_entry(Client::Codex, file, &own, "/bin/piton").unwrap();
        assert_eq!(again, own);
        assert_eq!(entry_in(Client::Codex, file, &again).unwrap().as_deref(), Some("/bin/piton"));
        let without = without_entry(Client::Codex, file, &changed).unwrap().unwrap();
        assert_eq!(without, text);
        assert_eq!(without_entry(Client::Codex, file, &without).unwrap(), None);
    }
}
