//! The table of routes.
//!
//! To add one: a line with its path, the name of its reply's schema, and the use case. A reply that follows from one
//! session alone says so with `of_session`. The page's types follow from the
//! types of the closure, with `cargo xtask generate`.

use piton_runtime::backpack::inspect::Reveal;
use piton_runtime::context::{ComposeContext, GetContext, LevelQuery, RootRef};
use piton_runtime::reply::{SessionShown, ShapedRun};
use piton_runtime::request::{
    CheckSource, CopySource, Freshness, InspectWorkflow, ListWorkflows, NewSource, RunQuery,
    SaveSource,
};
use piton_runtime::workflow::{CollectMode, SetSetting};
use piton_runtime::workspaces::{ApplySeen, DropSeen, FileLogQuery};

use crate::bounds::SHAPE_BYTES_MAX;
use crate::part_request::{
    OneBackpack, OneChange, OneItem, OnePath, SomeChanges, SomeCommits, SomeEntries, TwoMoments,
};
use crate::reply::{BackpackFlow, FileMap, LineCompletions, PathChanges};
use crate::request::{
    CompleteLine, KeepSession, OneArtifact, OneNode, OnePromptPart, OneRun, OneSession, OneStep,
    OneWorkflow, SearchText, SettleRun, ShapeOfRun, SomeEvents, TwoThings,
};
use crate::route::{NoFields, Route, file, get, get_versioned, post};

/// Path of the stream of changes, below the API.
pub const CHANGES: &str = "/changes";

/// Path of the exchange of a key for a sign-in, below the API.
pub const ENTER: &str = "/enter";

/// Path that signs a browser out, below the API.
pub const LEAVE: &str = "/leave";

/// Path of the console's status, below the API.
pub const STATUS: &str = "/status";

/// Returns every route that a use case answers.
#[rustfmt::skip] // A line for each.
pub fn routes() -> Vec<Route> {
    vec![
        get("/inbox", "piton.inbox/1", |it, NoFields {}| async move {
            it.feed.catch_up_unless_watched();
            it.runtime.inbox(it.project(), it.declared_files(), Freshness::Indexed).await
        }),
        get("/runs", "piton.session.page/1", |it, asked: RunQuery| async move {
            it.feed.catch_up_unless_watched();
            it.runtime.run_page(&RunQuery { freshness: Freshness::Indexed, ..asked }).await
        }),
        get("/runs/completions", "piton.session.completions/1", |it, asked: CompleteLine| async move {
            Ok(LineCompletions { completions: it.runtime.complete_run_query(&asked.line, asked.place).await? })
        }),
        get("/search", "piton.search/1", |it, asked: SearchText| async move { it.runtime.search_everything(&asked.query, asked.from, asked.limit, &it.worlds(), it.project()).await }),
        get("/sessions", "piton.session.list/1", |it, NoFields {}| async move { it.runtime.list_sessions().await }),
        get("/sessions/{session}", "piton.session.show/1", |it, asked: OneSession| async move { it.runtime.show_session(&asked.reference()).await.map(SessionShown::fit) }).of_session(|asked: &OneSession| asked.session),
        get("/sessions/{session}/events", "piton.session.events/1", |it, asked: SomeEvents| async move { it.runtime.event_page(asked.session, asked.query()).await }).of_session(|asked: &SomeEvents| asked.session),
        get_versioned("/sessions/{session}/runs/{run}/shape", "piton.run.shape/1", ShapedRun::version, |it, asked: ShapeOfRun| async move { it.runtime.run_shape(asked.address(), asked.freshness).await }).of_session(|asked: &ShapeOfRun| asked.session).with_bytes_max(SHAPE_BYTES_MAX),
        get("/sessions/{session}/runs/{run}/pinned", "piton.run.pinned/1", |it, asked: OneRun| async move { it.runtime.pinned_workflow(asked.address()).await }).of_session(|asked: &OneRun| asked.session),
        get("/sessions/{session}/runs/{run}/drift", "piton.run.drift/1", |it, asked: OneRun| async move { it.runtime.workflow_drift(asked.address(), it.project()).await }),
        get("/sessions/{session}/runs/{run}/steps/{node}", "piton.run.step/1", |it, asked: OneStep| async move { it.runtime.step_detail(asked.address()).await }).of_session(|asked: &OneStep| asked.session),
        get("/sessions/{session}/runs/{run}/steps/{node}/writes", "piton.run.writes/1", |it, asked: OneStep| async move { it.runtime.step_writes(asked.address(), &it.worlds()).await }),
        get("/sessions/{session}/runs/{run}/steps/{node}/prompt", "piton.run.prompt/1", |it, asked: OnePromptPart| async move { it.runtime.prompt_part(asked.address(), asked.offset).await }),
        get("/sessions/{session}/runs/{run}/tree", "piton.session.tree/1", |it, asked: OneRun| async move { it.runtime.run_tree(&asked.reference()).await }).of_session(|asked: &OneRun| asked.session).with_bytes_max(SHAPE_BYTES_MAX),
        get("/sessions/{session}/runs/{run}/blame", "piton.blame.run/1", |it, asked: OneNode| async move { it.runtime.blame_node(&asked.reference()).await }),
        get("/sessions/{session}/runs/{run}/recap", "piton.blame.recap/1", |it, asked: OneNode| async move { it.runtime.blame_recap(&asked.reference()).await }),
        get("/sessions/{session}/runs/{run}/fork", "piton.fork/1", |it, asked: OneNode| async move { it.runtime.fork_run(&asked.reference()).await }),
        post("/sessions/{session}/settle", "piton.settle/1", |it, person, asked: SettleRun| async move { it.runtime.settle_question(asked.by(&person)).await }),
        post("/sessions/{session}/runs/{run}/prefer", "piton.session.prefer/1", |it, person, asked: OneNode| async move { it.runtime.prefer_branch(&asked.reference(), person.name().parse().ok()).await }),
        post("/sessions/{session}/keep", "piton.session.keep/1", |it, _, asked: KeepSession| async move { it.runtime.keep_session(&asked.reference(), asked.keep).await }),
        post("/sessions/{session}/delete", "piton.session.delete/1", |it, _, asked: OneSession| async move { it.runtime.delete_session(&asked.reference()).await }),
        file("/sessions/{session}/bundle", |it, asked: OneSession| async move { it.runtime.export_session(&asked.reference(), false).await }),
        file("/sessions/{session}/runs/{run}/file", |it, asked: OneRun| async move { it.run_file(asked.address()).await }),
        file("/artifacts/{digest}/content", |it, asked: OneArtifact| async move { it.artifact(asked.digest).await }),
        get("/compare", "piton.diff/1", |it, asked: TwoThings| async move {
            let (left, right) = asked.references()?;
            it.runtime.compare(&left, &right, &it.worlds()).await
        }),
        get("/demo", "piton.demo.status/1", |it, NoFields {}| async move { Ok(it.demo_status()) }),
        post("/demo", "piton.demo.play/1", |it, _, NoFields {}| async move { it.demo()?.play().await }),
        post("/demo/remove", "piton.session.delete/1", |it, _, asked: OneSession| async move { it.demo()?.remove(asked.session).await }),
        get("/workflows", "piton.workflow.list/1", |it, asked: ListWorkflows| async move { it.connect().list_workflows(&asked) }),
        get("/workflows/built-ins", "piton.workflow.built_ins/1", |it, NoFields {}| async move { Ok(it.runtime.source_completions(it.project())) }),
        post("/workflows/check", "piton.workflow.check/1", |it, _, asked: CheckSource| async move { Ok(it.runtime.check_source(&asked, it.project())) }),
        post("/workflows/save", "piton.workflow.save/1", |it, _, asked: SaveSource| async move { it.runtime.save_source(&asked, it.project()) }),
        post("/workflows/copy", "piton.workflow.copy/1", |it, _, asked: CopySource| async move { it.runtime.copy_source(&asked, it.project()) }),
        post("/workflows/new", "piton.workflow.new/1", |it, _, asked: NewSource| async move { it.runtime.new_source(&asked, it.project()) }),
        get("/workflows/{workflowId}/source", "piton.workflow.source/1", |it, asked: OneWorkflow| async move { it.runtime.workflow_source(&asked.workflow_id, it.project()) }),
        get("/workflows/{workflowId}/compiled", "piton.workflow.compiled/1", |it, asked: OneWorkflow| async move { it.runtime.workflow_compiled(&asked.workflow_id, it.project()) }),
        get("/workflows/{workflowId}/stats", "piton.workflow.stats/1", |it, asked: OneWorkflow| async move { it.runtime.workflow_stats(&asked.workflow_id).await }),
        get("/workflows/{workflowId}", "piton.workflow.show/1", |it, asked: InspectWorkflow| async move { it.connect().inspect_workflow(&asked) }),
        get("/backpacks", "piton.backpack.list/1", |it, asked: SomeEntries| async move { it.backpacks.list(asked.page()).await }),
        get("/backpacks/{backpack}/state", "piton.backpack.at/1", |it, asked: OneBackpack| async move { it.backpacks.at(&asked.reference(), &asked.point(), asked.page()).await }),
        get("/backpacks/{backpack}/log", "piton.backpack.log/1", |it, asked: SomeCommits| async move { it.backpacks.log(&asked.reference(), &asked.filter()).await }),
        get("/backpacks/{backpack}/diff", "piton.backpack.diff/1", |it, asked: TwoMoments| async move {
            let (backpack, (before, after)) = (asked.reference(), asked.points());
            it.backpacks.diff((&backpack, &before), (&backpack, &after), Reveal::Nothing).await
        }),
        get("/backpacks/{backpack}/blame", "piton.backpack.blame/1", |it, asked: OneBackpack| async move { it.backpacks.blame(&asked.reference(), asked.key.as_deref(), asked.page()).await }),
        get("/backpacks/{backpack}/quarantine", "piton.backpack.quarantined/1", |it, asked: OneBackpack| async move { it.backpacks.quarantined(&asked.reference(), Reveal::Nothing, asked.page()).await }),
        get("/backpacks/{backpack}/flow", "piton.backpack.flow/1", |it, asked: OneBackpack| async move { Ok(BackpackFlow { graph: it.backpacks.flow_graph(&asked.reference()).await? }) }),
        get("/backpacks/{backpack}/items/{key}/value", "piton.backpack.item/1", |it, asked: OneItem| async move { it.backpacks.item_part(&asked.reference(), &asked.point(), &asked.key, Reveal::Nothing, asked.from_byte).await }),
        post("/backpacks/{backpack}/items/{key}/reveal", "piton.backpack.item/1", |it, _, asked: OneItem| async move { it.backpacks.item_part(&asked.reference(), &asked.point(), &asked.key, Reveal::Protected, asked.from_byte).await }),
        get("/workspaces", "piton.workspace.map/1", |it, NoFields {}| async move { Ok(it.declared_files().map(FileMap::of).unwrap_or_default()) }),
        get("/workspaces/resolve", "piton.workspace.resolve/1", |it, asked: OnePath| async move { it.files()?.resolve(&asked.path) }),
        get("/workspaces/log", "piton.workspace.log_all/1", |it, asked: FileLogQuery| async move { it.files()?.log(&asked).await }),
        get("/overlays/{overlay}/changes", "piton.workspace.diff/1", |it, asked: SomeChanges| async move { it.files()?.overlay_changes(&asked.overlay, asked.from, asked.limit()).await }),
        get("/overlays/{overlay}/change", "piton.workspace.change/1", |it, asked: OneChange| async move { Ok(PathChanges { changes: it.files()?.overlay_change(&asked.overlay, &asked.path).await? }) }),
        post("/overlays/{overlay}/apply", "piton.workspace.apply/1", |it, person, asked: ApplySeen| async move { it.files()?.apply_seen(&asked, person.name()).await }),
        post("/overlays/{overlay}/drop", "piton.workspace.drop/1", |it, _, asked: DropSeen| async move { it.files()?.drop_seen(&asked).await }),
        get("/context/level", "piton.context.tree/1", |it, asked: LevelQuery| async move { Ok(it.context()?.level(&asked).await?) }),
        get("/context/frames", "piton.context.node/1", |it, asked: GetContext| async move { Ok(it.context()?.get_context(&asked, &RootRef::Current).await?) }),
        get("/context/compose", "piton.context.preview/1", |it, asked: ComposeContext| async move { Ok(it.context()?.preview_context(&asked).await?) }),
        get("/settings", "piton.config.show/1", |it, NoFields {}| async move { Ok(it.runtime.settings_shown(it.project())) }),
        post("/settings", "piton.config.set/1", |it, _, asked: SetSetting| async move { it.runtime.set_setting(&asked) }),
        get("/settings/retention", "piton.session.gc/1", |it, NoFields {}| async move { it.runtime.clean(CollectMode::Rehearse).await }),
        get("/settings/status", "piton.config.status/1", |it, NoFields {}| async move { it.runtime.status() }),
        get("/preferences", "piton.prefs/1", |it, NoFields {}| async move { it.runtime.preferences() }),
        get("/repairs", "piton.session.repairs/1", |it, NoFields {}| async move { it.runtime.set_aside().await }),
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::routes;

    #[test]
    fn no_two_routes_have_the_same_method_and_path() {
        let all = routes();
        let distinct: BTreeSet<_> = all.iter().map(|route| format!("{route:?}")).collect();
        assert_eq!(distinct.len(), all.len());
    }
}
