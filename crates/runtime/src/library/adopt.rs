//! Adoption of workflow files that were written for another namespace.
//!
//! Their ids move into the user's namespace, and every mention of these ids within the set changes with them.
//! References in routine calls stay: `wr.templates.routine.NAME` is resolved by its name, whatever its namespace.
//!
//! *Invariants*: planning writes nothing. A plan depends on the files alone: the same files give the same plan. No plan
//! contains a file that would not load, or an id that two files would share.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use piton_core::WorkflowId;
use piton_workflow::SourceKind;
use piton_workflow::compile::{Definitions, compile};
use piton_workflow::source::{RoutineId, SourceOrigin, rename_ids};
use serde::Serialize;
use serde_json::Value;

use super::routines::is_routine_directory;
use super::scan::{ScanError, WorkflowSource, read, scan};

/// The namespace that user files may not have.
const RESERVED: &str = "wr";

/// A file that can be adopted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Adopted {
    /// Path below the adopted directory.
    pub path: PathBuf,
    /// The current id.
    pub from: String,
    /// The new id.
    pub to: String,
    /// Lines that differ.
    pub changes: Vec<LineChange>,
    /// The text under the new ids.
    #[serde(skip)]
    pub text: String,
}

/// A line that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LineChange {
    pub line: usize,
    pub before: String,
    pub after: String,
}

/// A file that is not adopted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NotAdopted {
    /// Path below the adopted directory.
    pub path: PathBuf,
    pub reason: String,
}

/// The plan for a set of files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adoption {
    /// Files that can be adopted, by path.
    pub adopted: Vec<Adopted>,
    /// Files that are not workflow files.
    pub skipped: Vec<NotAdopted>,
    /// Workflow files that cannot be adopted.
    pub refused: Vec<NotAdopted>,
}

/// A workflow file of the set.
struct AdoptableFile {
    path: PathBuf,
    text: String,
    id: String,
}

/// Plans the adoption of every workflow file below `directory` into `namespace`. Besides the routines of the set, the
/// files may call those in the directories of `sources`.
pub fn plan_adoption(
    directory: &Path,
    namespace: &str,
    sources: &[WorkflowSource],
) -> Result<Adoption, String> {
    if namespace == RESERVED || format!("{namespace}.x").parse::<WorkflowId>().is_err() {
        return Err(format!(
            "`{namespace}` is no namespace for files of your own: write lowercase letters, digits, `_` and `-`, as in `user`"
        ));
    }
    let mut plan = Adoption::default();
    let scanned = scan(directory);
    for (path, trouble) in scanned.troubles {
        // A failure to read the directory itself is fatal. Anything below it only costs the files concerned.
        if let (ScanError::Io(error), true) = (&trouble, path == directory) {
            return Err(format!("{} cannot be read: {error}", directory.display()));
        }
        let reason = trouble.to_string();
        plan.refused.push(NotAdopted { path: below(&path, directory), reason });
    }
    let mut files = Vec::new();
    for (path, _) in scanned.files {
        let inside = below(&path, directory);
        match read(&path) {
            Ok(text) => match id_of(&text) {
                Some(id) => files.push(AdoptableFile { path: inside, text, id }),
                None => plan.skipped.push(NotAdopted {
                    path: inside,
                    reason: "it is no workflow file: it has no `id`, or no `steps`".to_owned(),
                }),
            },
            Err(error) => {
                plan.refused.push(NotAdopted { path: inside, reason: error.to_string() });
            }
        }
    }
    adopt(&files, namespace, super::routines::catalog_beside(directory, sources), &mut plan);
    Ok(plan)
}

/// Renames the files and checks whether they load under their new ids.
fn adopt(files: &[AdoptableFile], namespace: &str, mut catalog: Definitions, plan: &mut Adoption) {
    let own: BTreeMap<&str, String> =
        files.iter().map(|file| (file.id.as_str(), new_id(&file.id, namespace))).collect();
    let new_ids = mentions(files, &own);
    let mut renamed = Vec::new();
    // First pass: rename everything, so that each file is compiled against the routines of the set under their new ids.
    for file in files {
        let to = own[file.id.as_str()].clone();
        let text = rename_ids(&file.text, Some(&to), &new_ids);
        if let Some(id) = RoutineId::of_file(&to, is_routine_directory(&file.path)) {
            // Routines are found by name alone, so a renamed one replaces any routine that counts as the same.
            catalog.routines.retain(|known, _| !known.is_same(&id));
            catalog.routines.insert(id, text.clone());
        }
        renamed.push((file, to, text));
    }
    // Second pass: admit each file that compiles, unless an earlier one already has its new id.
    let mut taken: BTreeMap<String, &AdoptableFile> = BTreeMap::new();
    for (file, to, text) in renamed {
        let refuse = |reason| NotAdopted { path: file.path.clone(), reason };
        if let Some(other) = taken.get(&to) {
            plan.refused.push(refuse(format!(
                "it would be `{to}`, as {} is (`{}`); give one of them another id",
                other.path.display(),
                other.id
            )));
            continue;
        }
        let origin = SourceOrigin::new(SourceKind::User, "adopted");
        match compile(&text, &origin, &catalog) {
            Ok(_) => {
                let changes = line_changes(&file.text, &text);
                let (path, from) = (file.path.clone(), file.id.clone());
                plan.adopted.push(Adopted { path, from, to: to.clone(), changes, text });
                taken.insert(to, file);
            }
            Err(problems) => {
                let first = problems.first().map_or_else(String::new, ToString::to_string);
                let more = match problems.len() {
                    0 | 1 => String::new(),
                    count => format!(" ({} more)", count - 1),
                };
                plan.refused.push(refuse(format!("it would not load: {first}{more}")));
            }
        }
    }
}

/// Returns the id of a workflow file, or `None` if the text is not one.
fn id_of(text: &str) -> Option<String> {
    let file: Value = serde_json::from_str(text).ok()?;
    file.get("steps")?.as_array()?;
    Some(file.get("id")?.as_str()?.to_owned())
}

/// Returns the new id: a reserved one, or one without a namespace, moves into `namespace`; any other stays.
fn new_id(id: &str, namespace: &str) -> String {
    // An id in somebody's own namespace is already where it belongs.
    let name = match id.split_once('.') {
        Some((RESERVED, name)) => name,
        None => id,
        Some(_) => return id.to_owned(),
    };
    let plain = |one: char| match one.to_ascii_lowercase() {
        kept @ ('a'..='z' | '0'..='9' | '_' | '-') => kept,
        _ => '_',
    };
    let name: String = name.chars().map(plain).collect();
    // A name must begin with a letter.
    let first = if name.starts_with(|one: char| one.is_ascii_lowercase()) { "" } else { "w_" };
    format!("{namespace}.{first}{name}")
}

/// Returns the ids whose mentions change. An id without a namespace reads like an ordinary word. It counts only if it
/// joins several words and names nothing else in the set.
fn mentions(files: &[AdoptableFile], own: &BTreeMap<&str, String>) -> BTreeMap<String, String> {
    // Every `id` below the top level names a part of a file, such as a step.
    let mut inner = BTreeSet::new();
    for file in files {
        if let Ok(Value::Object(fields)) = serde_json::from_str(&file.text) {
            fields.values().for_each(|value| collect_ids(value, &mut inner));
        }
    }
    let counts = |id: &str| id.contains('.') || (id.contains(['-', '_']) && !inner.contains(id));
    let changed = own.iter().filter(|(from, to)| *from != to && counts(from));
    changed.map(|(from, to)| ((*from).to_owned(), to.clone())).collect()
}

fn collect_ids(value: &Value, ids: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            ids.extend(fields.get("id").and_then(Value::as_str).map(str::to_owned));
            fields.values().for_each(|value| collect_ids(value, ids));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_ids(item, ids)),
        _ => {}
    }
}

/// Returns the lines that differ. A rename never changes the number of lines.
fn line_changes(before: &str, after: &str) -> Vec<LineChange> {
    let lines = before.lines().zip(after.lines()).enumerate();
    let differ = lines.filter(|(_, (before, after))| before != after);
    differ
        .map(|(at, (before, after))| LineChange {
            line: at + 1,
            before: before.trim().to_owned(),
            after: after.trim().to_owned(),
        })
        .collect()
}

fn below(path: &Path, directory: &Path) -> PathBuf {
    path.strip_prefix(directory).unwrap_or(path).to_owned()
}
