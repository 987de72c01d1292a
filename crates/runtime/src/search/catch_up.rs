//! What each kind is made of, and how a change of it is noticed: by the cursor that the index keeps of each source.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use piton_backpack::flow::run::RUNNER;
use piton_backpack::{Backpack, BackpackId, Tag};
use piton_core::{Digest, Envelope, FileBytes};
use piton_store::bounds::{INDEX_DOCUMENTS_MAX, INDEX_NAME_BYTES_MAX};
use piton_store::port::{Cursor, Follow, Index};

use super::found::{FoundKind, ThingName};
use super::thing_index::{IndexedThing, ThingIndex, collection_name};
use crate::backpack::inspect::Backpacks;
use crate::bounds::{SEARCH_FRAME_BYTES_MAX, SEARCH_PATHS_MAX, SEARCH_SOURCES_READ_MAX};
use crate::context::ProjectContext;
use crate::library::LibraryContents;
use crate::workspaces::FileWorld;

/// A kind that is up to date, and the number of its sources that are not.
pub(super) type CaughtUp<'a> = (ThingIndex<'a>, usize);

/// Returns the backpacks: each is a source, with its name and keys. No value is read into the index.
pub(super) async fn backpacks<'a>(
    index: &'a dyn Index,
    backpacks: &Backpacks,
) -> Result<CaughtUp<'a>, Envelope> {
    let things = ThingIndex { index, kind: FoundKind::Backpack, scope: String::new() };
    let (known, journal) = (things.known().await?, &backpacks.ports().journal);
    let (mut current, mut sources, mut unindexed) = (BTreeSet::new(), Vec::new(), 0);
    for stream in journal.streams().await? {
        let cursor = known.get(stream.as_str()).and_then(|cursor| parsed(cursor));
        let name = stream.to_string();
        if let Some(cursor) = cursor
            && matches!(journal.follow(&stream, &cursor).await, Ok(Follow::Unchanged))
        {
            current.insert(name);
            continue;
        }
        if sources.len() == SEARCH_SOURCES_READ_MAX {
            unindexed += 1;
            current.insert(name);
            continue;
        }
        // One that cannot be read is not found; the list of backpacks says what is wrong with it. The cursor is read
        // first, so that what is appended meanwhile is read the next time.
        let Ok(id) = name.parse::<BackpackId>() else { continue };
        let Ok(loaded) = journal.load(&stream).await else { continue };
        let Ok(backpack) = backpacks.read(&id).await else { continue };
        let cursor = loaded.cursor.to_string().into_bytes();
        sources.push(things.source(name.clone(), cursor, keys(&backpack)));
        current.insert(name);
    }
    things.write(sources).await?;
    things.remove_gone(&known, &current).await?;
    Ok((things, unindexed))
}

/// Removes a backpack from the index.
pub(crate) async fn forget_backpack(
    index: &dyn Index,
    id: &BackpackId,
) -> Result<(), piton_store::Error> {
    index.remove(&collection_name(FoundKind::Backpack), vec![id.stream().to_string()]).await
}

fn parsed(cursor: &[u8]) -> Option<Cursor> {
    std::str::from_utf8(cursor).ok()?.parse().ok()
}

fn keys(backpack: &Backpack) -> Vec<IndexedThing> {
    let place = backpack.id().to_string();
    let whole =
        IndexedThing { text: place.clone(), name: ThingName { place: place.clone(), name: None } };
    let items = backpack.debug().items();
    let items = items.iter().filter(|item| item.source().id.as_str() != RUNNER).map(|item| {
        let key = item.key().to_string();
        let tags: Vec<&str> = item.labels().tags.iter().map(Tag::as_str).collect();
        let text = format!("{key}\n{}", tags.join(" "));
        IndexedThing { text, name: ThingName { place: place.clone(), name: Some(key) } }
    });
    std::iter::once(whole).chain(items).take(INDEX_DOCUMENTS_MAX).collect()
}

/// Returns the frames of a project's context: each tree node is a source, with the newest frame of each type.
pub(super) async fn frames<'a>(
    index: &'a dyn Index,
    frames: &ProjectContext,
) -> Result<CaughtUp<'a>, Envelope> {
    let context = &frames.context;
    let scope =
        format!("{}/", digest(context.location().directory().as_os_str().as_encoded_bytes()));
    let things = ThingIndex { index, kind: FoundKind::Frame, scope };
    let known = things.known().await?;
    let mut nodes: BTreeMap<String, Vec<_>> = BTreeMap::new();
    for (path, head) in context.all_heads().await? {
        let name = format!("{}{path}", things.scope);
        // A path that is too long for a name is found by no word; it is found in the tree.
        if name.len() <= INDEX_NAME_BYTES_MAX {
            nodes.entry(name).or_default().push((path, head));
        }
    }
    let (mut sources, mut unindexed) = (Vec::new(), 0);
    for (name, heads) in &nodes {
        let ids: Vec<String> = heads.iter().map(|(_, head)| head.frame.to_string()).collect();
        let cursor = digest(ids.join(" ").as_bytes()).into_bytes();
        if known.get(name) == Some(&cursor) {
            continue;
        }
        if sources.len() == SEARCH_SOURCES_READ_MAX {
            unindexed += 1;
            continue;
        }
        let mut indexed = Vec::with_capacity(heads.len());
        for (path, head) in heads {
            // A frame whose content is damaged is found by its type and path all the same.
            let bytes = context.head_content(path, head).await.unwrap_or_default();
            let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(SEARCH_FRAME_BYTES_MAX)]);
            let (place, frame_type) = (path.to_string(), head.frame_type.to_string());
            let text = format!("{shown}\n{place} {frame_type}");
            indexed.push(IndexedThing { text, name: ThingName { place, name: Some(frame_type) } });
        }
        sources.push(things.source(name.clone(), cursor, indexed));
    }
    things.write(sources).await?;
    things.remove_gone(&known, &nodes.into_keys().collect()).await?;
    Ok((things, unindexed))
}

/// Returns the paths in the log of some Workspaces, which are one source.
pub(super) async fn files<'a>(
    index: &'a dyn Index,
    files: &FileWorld,
) -> Result<CaughtUp<'a>, Envelope> {
    let configs: Vec<String> = files.configs().map(|config| format!("{config:?}")).collect();
    let scope = digest(configs.join("\n").as_bytes());
    let things = ThingIndex { index, kind: FoundKind::File, scope };
    let (known, cursor) = (things.known().await?, files.log_state().await?.into_bytes());
    if known.get(&things.scope) == Some(&cursor) {
        return Ok((things, 0));
    }
    let paths = files.logged_paths(SEARCH_PATHS_MAX).await?;
    let indexed = paths.into_iter().map(|path| IndexedThing {
        text: path.clone(),
        name: ThingName { place: path, name: None },
    });
    things.write(vec![things.source(things.scope.clone(), cursor, indexed)]).await?;
    Ok((things, 0))
}

/// Returns the workflows of a project, which are one source.
pub(super) async fn workflows<'a>(
    index: &'a dyn Index,
    contents: &LibraryContents,
    project: Option<&Path>,
) -> Result<CaughtUp<'a>, Envelope> {
    let project = project.map_or(&[] as &[u8], |project| project.as_os_str().as_encoded_bytes());
    let things = ThingIndex { index, kind: FoundKind::Workflow, scope: digest(project) };
    let known = things.known().await?;
    let mut indexed = Vec::new();
    for (id, entry) in contents.workflows.iter().take(INDEX_DOCUMENTS_MAX) {
        let workflow = &entry.workflow;
        let name = workflow.name.clone();
        let text = [Some(id.to_string()), name.clone(), workflow.description.clone()];
        let text: Vec<String> = text.into_iter().flatten().collect();
        let name = ThingName { place: id.to_string(), name };
        indexed.push(IndexedThing { text: text.join("\n"), name });
    }
    let texts: Vec<&str> = indexed.iter().map(|thing| thing.text.as_str()).collect();
    let cursor = digest(texts.join("\0").as_bytes()).into_bytes();
    if known.get(&things.scope) != Some(&cursor) {
        things.write(vec![things.source(things.scope.clone(), cursor, indexed)]).await?;
    }
    Ok((things, 0))
}

/// Returns the name of a source, or its state, in a form that says nothing about it.
fn digest(bytes: &[u8]) -> String {
    Digest::of(&FileBytes(bytes)).to_string()
}
