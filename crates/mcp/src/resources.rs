//! The resources of a connection: the recaps of the runs that `resume_session` offers, and artifacts, as `get_artifact`
//! reads them.
//!
//! | address | holds |
//! |---|---|
//! | `piton://run/RUN/recap` | what was done in a run, by its id or its label |
//! | `piton://artifact/DIGEST` | an artifact, or with `?offset=N` a later part of a large one |
//!
//! *Invariants*: nothing can be read here that those tools do not show to the same connection. Every list and every text
//! is bounded. Reading changes nothing, and opens no run.
//!
//! *Limitations*: the list holds the runs that are offered without a search; the others are reached by their address.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use piton_core::{Code, Envelope, RunId, truncate};
use piton_runtime::Connection;
use piton_runtime::provenance::NodeReference;
use piton_runtime::reply::{ArtifactPart, ResumeCandidate};
use piton_runtime::request::{GetArtifact, ResumeSession, SessionReference};
use rmcp::model::{
    CompletionInfo, ErrorData, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
};

use crate::answer::failure_text;
use crate::bounds::{QUOTED_BYTES_MAX, RECAP_BYTES_MAX, RESOURCE_ARTIFACTS_MAX};

const RUN_TEMPLATE: &str = "piton://run/{run}/recap";
const ARTIFACT_TEMPLATE: &str = "piton://artifact/{digest}{?offset}";
const RUN_PREFIX: &str = "piton://run/";
const RECAP_SUFFIX: &str = "/recap";
const ARTIFACT_PREFIX: &str = "piton://artifact/";
const OFFSET: &str = "?offset=";

const MARKDOWN: &str = "text/markdown";
const JSON: &str = "application/json";
const PLAIN: &str = "text/plain";

/// The reason why writing to a text cannot fail.
const INFALLIBLE: &str = "writing to a string does not fail";

/// What an address names.
#[derive(Debug, PartialEq, Eq)]
enum Address<'a> {
    Recap(&'a str),
    Artifact(GetArtifact),
}

/// An artifact of an offered run.
struct ListedArtifact {
    digest: String,
    kind: Option<String>,
    bytes: u32,
    run: String,
}

/// Returns the forms of all addresses.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(RUN_TEMPLATE, "recap")
            .with_title("Recap of a run")
            .with_description("What was done in a run so far. `run` is its id or its label, such as amber-otter.")
            .with_mime_type(MARKDOWN),
        ResourceTemplate::new(ARTIFACT_TEMPLATE, "artifact")
            .with_title("Artifact")
            .with_description("What a step of a run submitted. A large one has parts, each with the next `offset`.")
            .with_mime_type(JSON),
    ]
}

/// Returns the recaps of the offered runs, and their newest artifacts.
pub(crate) async fn resources(connection: &Connection) -> Result<Vec<Resource>, Envelope> {
    let offered = offered(connection).await?;
    let mut resources: Vec<Resource> = offered.iter().map(recap_entry).collect();
    for artifact in artifacts(connection, &offered).await {
        let ListedArtifact { digest, kind, bytes, run } = artifact;
        let name = kind.unwrap_or_else(|| "artifact".to_owned());
        let title = format!("{name} of {run}");
        resources.push(
            Resource::new(format!("{ARTIFACT_PREFIX}{digest}"), name)
                .with_title(title)
                .with_mime_type(JSON)
                .with_size(bytes.into()),
        );
    }
    Ok(resources)
}

fn recap_entry(run: &ResumeCandidate) -> Resource {
    let ResumeCandidate { run_id, label, title, workflow_id, .. } = run;
    Resource::new(format!("{RUN_PREFIX}{run_id}{RECAP_SUFFIX}"), format!("{label} recap"))
        .with_title(format!("{label}: {title}"))
        .with_description(format!("What was done so far in this run of {workflow_id}"))
        .with_mime_type(MARKDOWN)
}

/// Reads what an address names.
pub(crate) async fn read(
    connection: &Connection,
    uri: &str,
) -> Result<ReadResourceResult, ErrorData> {
    let address = parse(uri).ok_or_else(|| {
        let shown = truncate(uri, QUOTED_BYTES_MAX);
        let words = format!(
            "There is no resource `{shown}`. An address is {RUN_TEMPLATE} or {ARTIFACT_TEMPLATE}."
        );
        ErrorData::resource_not_found(words, None)
    })?;
    let contents = match address {
        Address::Recap(run) => recap(connection, uri, run).await,
        Address::Artifact(request) => {
            connection.get_artifact(&request).await.map(|part| artifact(uri, part))
        }
    };
    contents.map(ReadResourceResult::new).map_err(|envelope| {
        let words = failure_text(&envelope);
        match envelope.code {
            Code::InternalError => ErrorData::internal_error(words, None),
            _ => ErrorData::resource_not_found(words, None),
        }
    })
}

fn parse(uri: &str) -> Option<Address<'_>> {
    if let Some(run) = uri.strip_prefix(RUN_PREFIX) {
        let run = run.strip_suffix(RECAP_SUFFIX)?;
        return (!run.is_empty()).then_some(Address::Recap(run));
    }
    let (digest, offset) = match uri.strip_prefix(ARTIFACT_PREFIX)?.split_once(OFFSET) {
        Some((digest, offset)) => (digest, Some(offset.parse().ok()?)),
        None => (uri.strip_prefix(ARTIFACT_PREFIX)?, None),
    };
    // A colon may be written in either way.
    let digest = digest.replace("%3A", ":").replace("%3a", ":");
    Some(Address::Artifact(GetArtifact { digest, offset }))
}

async fn recap(
    connection: &Connection,
    uri: &str,
    run: &str,
) -> Result<Vec<ResourceContents>, Envelope> {
    let run = meant(connection, run).await?;
    let ResumeCandidate { run_id, label, title, workflow_id, .. } = &run;
    let reference = NodeReference { run: SessionReference(run_id.to_string()), node: None };
    let recap = connection.runtime().blame_recap(&reference).await?;
    let mut text = format!("# {label}: {title}\n\nA run of {workflow_id}.\n");
    for line in &recap.lines {
        text.push('\n');
        text.push_str(&line.text);
    }
    if text.len() > RECAP_BYTES_MAX {
        let left_out = text.len() - text.floor_char_boundary(RECAP_BYTES_MAX);
        text.truncate(text.floor_char_boundary(RECAP_BYTES_MAX));
        write!(text, "\n\n{left_out} more bytes are left out.").expect(INFALLIBLE);
    }
    writeln!(text, "\n\nTo continue this run: resume_session {{ \"runId\": \"{run_id}\" }}")
        .expect(INFALLIBLE);
    Ok(vec![ResourceContents::text(text, uri).with_mime_type(MARKDOWN)])
}

/// Returns a part of an artifact, and after it the address of the next.
fn artifact(uri: &str, part: ArtifactPart) -> Vec<ResourceContents> {
    let ArtifactPart { digest, bytes, text, next_offset, .. } = part;
    let Some(next) = next_offset else {
        return vec![ResourceContents::text(text, uri).with_mime_type(JSON)];
    };
    let next = format!("{ARTIFACT_PREFIX}{digest}{OFFSET}{next}");
    let words = format!("This is a part of {bytes} bytes. The next one: {next}");
    vec![
        ResourceContents::text(text, uri).with_mime_type(PLAIN),
        ResourceContents::text(words, next).with_mime_type(PLAIN),
    ]
}

/// Completes an argument of a template.
pub(crate) async fn complete(
    connection: &Connection,
    template: &str,
    argument: &str,
    typed: &str,
) -> Result<CompletionInfo, Envelope> {
    let offered = match (template, argument) {
        (RUN_TEMPLATE, "run") | (ARTIFACT_TEMPLATE, "digest") => offered(connection).await?,
        _ => Vec::new(),
    };
    let mut values: Vec<String> = match argument {
        "run" => offered.iter().map(|run| run.label.to_string()).collect(),
        _ => artifacts(connection, &offered).await.into_iter().map(|one| one.digest).collect(),
    };
    values.retain(|value| value.starts_with(typed));
    Ok(CompletionInfo::new(values).unwrap_or_default())
}

/// Returns the runs that `resume_session` offers without a search.
async fn offered(connection: &Connection) -> Result<Vec<ResumeCandidate>, Envelope> {
    Ok(connection.resume_session(&ResumeSession::default()).await?.candidates)
}

/// Returns the run that an id or a label names.
async fn meant(connection: &Connection, name: &str) -> Result<ResumeCandidate, Envelope> {
    let request = match name.parse::<RunId>() {
        Ok(run) => ResumeSession { run_id: Some(run), ..ResumeSession::default() },
        Err(_) => ResumeSession {
            query: Some(name.to_owned()),
            include_completed: true,
            ..ResumeSession::default()
        },
    };
    let is_meant = |run: &ResumeCandidate| {
        request.run_id.is_some_and(|id| id == run.run_id) || run.label.to_string() == name
    };
    let mut found = connection.resume_session(&request).await?.candidates;
    found.retain(is_meant);
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => {
            let shown = truncate(name, QUOTED_BYTES_MAX);
            Err(Envelope::new(Code::SessionNotFound, format!("There is no run `{shown}`."))
                .with_suggestion(
                    "List the resources, or call resume_session with words of its goal.",
                ))
        }
        _ => {
            let ids: Vec<String> = found.iter().map(|run| run.run_id.to_string()).collect();
            Err(Envelope::new(
                Code::ValidationError,
                format!("{} runs are called {name}.", found.len()),
            )
            .with_suggestion(format!("Name one by its id: {}.", ids.join(", "))))
        }
    }
}

/// Returns the newest artifacts of runs, each once. A run that cannot be read has none.
async fn artifacts(connection: &Connection, runs: &[ResumeCandidate]) -> Vec<ListedArtifact> {
    let (mut listed, mut seen) = (Vec::new(), BTreeSet::new());
    for run in runs {
        let reference = SessionReference(run.run_id.to_string());
        let Ok(shown) = connection.runtime().show_session(&reference).await else { continue };
        let steps = shown.runs.into_iter().flat_map(|shown| shown.steps).rev();
        for artifact in steps.flat_map(|step| step.artifacts) {
            if listed.len() == RESOURCE_ARTIFACTS_MAX {
                return listed;
            }
            let digest = artifact.digest.to_string();
            if seen.insert(digest.clone()) {
                let (kind, bytes) = (artifact.kind, artifact.bytes);
                listed.push(ListedArtifact { digest, kind, bytes, run: run.label.to_string() });
            }
        }
    }
    listed
}

#[cfg(test)]
mod tests {
    use super::{Address, parse};
    use piton_runtime::request::GetArtifact;

    #[test]
    fn an_address_is_read_whole_or_not_at_all() {
        assert_eq!(parse("piton://run/amber-otter/recap"), Some(Address::Recap("amber-otter")));
        let artifact = |digest: &str, offset| {
            Some(Address::Artifact(GetArtifact { digest: digest.to_owned(), offset }))
        };
        assert_eq!(parse("piton://artifact/sha256:ab"), artifact("sha256:ab", None));
        assert_eq!(parse("piton://artifact/sha256%3Aab?offset=7"), artifact("sha256:ab", Some(7)));
        for wrong in [
            "",
            "file:///etc/passwd",
            "piton://run//recap",
            "piton://run/amber-otter",
            "piton://artifact/sha256:ab?offset=-1",
            "piton://other/x",
        ] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
