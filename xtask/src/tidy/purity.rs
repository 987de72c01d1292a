//! Effects stay where they belong: the core has none, ports name no adapter, pure crates lift no ban.

use crate::problem::Problem;
use crate::project::{File, Project};
use crate::source;

/// What the core does without.
const NOT_IN_CORE: [&str; 9] = [
    "std::env",
    "std::fs",
    "std::io",
    "std::net",
    "std::process",
    "std::thread",
    "Instant::now",
    "SystemTime::now",
    "tokio",
];

/// What a port does not know.
const NOT_IN_PORTS: [&str; 6] =
    ["crate::local", "crate::memory", "rusqlite", "rustix", "std::fs", "tokio"];

/// Crates that decide and never act.
const PURE: [&str; 3] = ["backpack", "core", "workflow"];

/// What the crate of Workspaces does without: it handles data and cannot start a program.
const NOT_IN_WORKSPACES: [&str; 7] =
    ["std::process", "Command", "duct", "execve", "libc", "rustix::process", "tokio::process"];

/// Modules of workflow that only compute: they do without what the core does without, and without the store.
const COMPUTING: [&str; 8] = [
    "builtin_workflows",
    "catalogue",
    "compile",
    "contract",
    "engine",
    "predicate",
    "projection",
    "source",
];

/// Modules of workflow that lead runs: they know the pinned workflow and nothing that it was compiled from.
const RUNNING: [&str; 7] =
    ["engine", "event", "projection", "run_index", "session", "snapshot", "token"];

/// What only a compiler asks.
const REGISTRIES: [&str; 6] = [
    "Definitions",
    "Feature",
    "Reference",
    "StepTemplate",
    "crate::builtin_workflows",
    "crate::catalogue",
];

/// The lints that keep effects out; a pure crate may not lift them.
const BANS: [&str; 2] = ["clippy::disallowed_methods", "clippy::disallowed_types"];

/// Effects where there should be none.
pub(crate) fn check(project: &Project) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in project.rust() {
        let Some(name) = file.library_crate() else {
            continue;
        };
        if name == "core" || is_workflow_module(&file.path, &COMPUTING) {
            problems.extend(mentions(
                file,
                &NOT_IN_CORE,
                if name == "core" {
                    "the core has no effects"
                } else {
                    "this module only computes"
                },
                "take the effect as a port, or move the code to a crate that may act",
            ));
        }
        if name == "workspaces" {
            problems.extend(mentions(
                file,
                &NOT_IN_WORKSPACES,
                "Workspaces start no program",
                "leave it out: a Store does data operations only",
            ));
        }
        if is_workflow_module(&file.path, &COMPUTING) {
            problems.extend(mentions(
                file,
                &["piton_store"],
                "this module only computes",
                "take what is stored as an argument",
            ));
        }
        if is_workflow_module(&file.path, &RUNNING) {
            problems.extend(mentions(
                file,
                &REGISTRIES,
                "a run asks no registry",
                "take it from the compiled workflow that the run is pinned to",
            ));
        }
        if is_port(&file.path) {
            problems.extend(mentions(
                file,
                &NOT_IN_PORTS,
                "a port knows no adapter",
                "move the code to the adapter, or say it in the port's own types",
            ));
        }
        if file.path.starts_with("crates/backpack/src/flow/") {
            problems.extend(private_backpack_modules(file));
        }
        if PURE.contains(&name) {
            problems.extend(mentions(
                file,
                &BANS,
                "a pure crate keeps the ban on effects",
                "move the effect behind a port of the core or the store",
            ));
        }
    }
    problems
}

/// Whether a file holds ports of the store.
pub(crate) fn is_port(path: &str) -> bool {
    path == "crates/store/src/port.rs" || path.starts_with("crates/store/src/port/")
}

/// Whether a file belongs to one of these modules of workflow.
fn is_workflow_module(path: &str, modules: &[&str]) -> bool {
    let module = path.strip_prefix("crates/workflow/src/").and_then(|path| path.split('/').next());
    module.is_some_and(|module| modules.contains(&module.trim_end_matches(".rs")))
}

/// Private modules of the backpack that a file of flows names: another crate could not.
fn private_backpack_modules(file: &File) -> Vec<Problem> {
    let direct = file.code.match_indices("crate::").map(|(start, root)| {
        let rest = &file.code[start + root.len()..];
        (first_name(rest), start)
    });
    let grouped = grouped_imports(&file.code).into_iter();
    let grouped = grouped.filter(|(root, ..)| *root == "crate").map(|(_, name, at)| (name, at));
    direct
        .chain(grouped)
        .filter(|(name, _)| name.starts_with(char::is_lowercase))
        .filter(|(name, _)| !["bounds", "flow", "journal"].contains(&name.as_str()))
        .map(|(name, start)| {
            Problem::at(
                &file.path,
                source::line_of(&file.code, start),
                format!("flows use the public interface of backpacks: `crate::{name}`"),
                "use what `crates/backpack/src/lib.rs` exports",
            )
        })
        .collect()
}

fn mentions(file: &File, banned: &[&str], why: &str, fix: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    for name in banned {
        for start in source::words(&file.code, name) {
            let line = source::line_of(&file.code, start);
            problems.push(Problem::at(&file.path, line, format!("{why}: `{name}`"), fix));
        }
    }
    for (root, name, start) in grouped_imports(&file.code) {
        let full = format!("{root}::{name}");
        if banned.contains(&full.as_str()) {
            let line = source::line_of(&file.code, start);
            problems.push(Problem::at(&file.path, line, format!("{why}: `{full}`"), fix));
        }
    }
    problems
}

/// The first names inside `std::{…}` and `crate::{…}`, with where the group begins.
fn grouped_imports(code: &str) -> Vec<(&'static str, String, usize)> {
    let mut found = Vec::new();
    for root in ["std", "crate"] {
        let opening = format!("{root}::{{");
        for (start, _) in code.match_indices(&opening) {
            let inside = &code[start + opening.len()..];
            let mut depth = 0_usize;
            let mut item = String::new();
            for character in inside.chars() {
                match character {
                    '{' => depth += 1,
                    '}' if depth == 0 => break,
                    '}' => depth -= 1,
                    ',' if depth == 0 => found.push((root, first_name(&item), start)),
                    _ => {}
                }
                if character == ',' && depth == 0 {
                    item.clear();
                } else {
                    item.push(character);
                }
            }
            found.push((root, first_name(&item), start));
        }
    }
    found
}

fn first_name(item: &str) -> String {
    let item = item.trim_start();
    item.chars().take_while(|letter| source::is_name(*letter)).collect()
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::{project::Project, tidy::finding::finds};

    // shows: WR-533
    #[test]
    fn the_core_names_no_file_no_network_no_clock_and_no_environment() {
        for (code, name) in [
            ("use std::fs;", "std::fs"),
            ("std::net::TcpStream::connect(x)", "std::net"),
            ("let t = SystemTime::now();", "SystemTime::now"),
            ("use std::{fmt, env};", "std::env"),
            ("use std::{collections::{BTreeMap, env}, thread};", "std::thread"),
        ] {
            finds(
                check,
                "crates/core/src/a.rs",
                code,
                &[&format!("the core has no effects: `{name}`")],
            );
        }
        finds(check, "crates/core/src/a.rs", "// std::fs is not used\nlet s = \"std::fs\";", &[]);
        finds(check, "crates/cli/src/a.rs", "use std::fs;", &[]);
    }

    // shows: WR-370 (with the_order_of_fields_and_features_and_spaces_make_no_difference)
    #[test]
    fn the_compiler_names_no_file_no_clock_and_no_store() {
        for (code, name) in [
            ("use std::fs;", "std::fs"),
            ("use std::{fmt, env};", "std::env"),
            ("let t = SystemTime::now();", "SystemTime::now"),
            ("use piton_store::port::Blobs;", "piton_store"),
        ] {
            let what = format!("this module only computes: `{name}`");
            for module in ["compile/pipeline.rs", "source/read.rs", "contract.rs"] {
                let path = format!("crates/workflow/src/{module}");
                finds(check, &path, code, &[what.as_str()]);
            }
        }
        let store = "use piton_store::port::Blobs;";
        finds(check, "crates/workflow/src/session/start.rs", store, &[]);
    }

    // shows: WR-381 (with a_run_needs_nothing_but_its_store)
    // shows in part: WR-364 (that a run has no registry to ask)
    #[test]
    fn no_run_names_what_only_a_compiler_asks() {
        for (code, name) in [
            ("use crate::compile::{CompiledWorkflow, Definitions};", "Definitions"),
            ("let text = Reference::NotesFirst.text();", "Reference"),
            ("use crate::{catalogue, event};", "crate::catalogue"),
        ] {
            let what = format!("a run asks no registry: `{name}`");
            for module in ["session/advance.rs", "engine/render.rs", "projection/recap/text.rs"] {
                let path = format!("crates/workflow/src/{module}");
                finds(check, &path, code, &[what.as_str()]);
            }
            finds(check, "crates/workflow/src/compile/strict/lower.rs", code, &[]);
        }
    }

    #[test]
    fn flows_name_no_private_module_of_the_backpack() {
        let path = "crates/backpack/src/flow/run/a.rs";
        for code in ["use crate::writing::pack;", "use crate::{Key, writing};"] {
            let what = "flows use the public interface of backpacks: `crate::writing`";
            finds(check, path, code, &[what]);
        }
        let public = "use crate::{Key, journal};\nuse crate::flow::Action;\nuse crate::Scope;";
        finds(check, path, public, &[]);
        finds(check, "crates/backpack/src/scope.rs", "use crate::writing::pack;", &[]);
    }

    // shows in part: WS-050 (no program is started)
    #[test]
    fn the_crate_of_workspaces_cannot_start_a_program() {
        for (code, name) in [
            ("use std::process::Command;", "std::process"),
            ("use std::{fs, process};", "std::process"),
            ("let child = Command::new(\"sh\");", "Command"),
            ("tokio::process::exec()", "tokio::process"),
        ] {
            let path = "crates/workspaces/src/a.rs";
            let found = check(&Project::of(&[(path, code)]));
            let what = format!("Workspaces start no program: `{name}`");
            assert!(found.iter().any(|problem| problem.what == what), "{code}");
        }
        finds(check, "crates/workspaces/tests/it/a.rs", "use std::process::Command;", &[]);
        finds(check, "crates/cli/src/a.rs", "use std::process::Command;", &[]);
    }

    // shows: WR-534
    #[test]
    fn a_port_names_no_adapter() {
        let what = ["a port knows no adapter: `crate::local`"];
        finds(check, "crates/store/src/port/journal.rs", "use crate::local::Disk;", &what);
        finds(check, "crates/store/src/port/journal.rs", "use crate::{event, local};", &what);
        finds(check, "crates/store/src/port/journal.rs", "use crate::locality;", &[]);
        finds(check, "crates/store/src/local/journal.rs", "use crate::local::Disk;", &[]);
    }

    // shows: WR-535
    #[test]
    fn a_pure_crate_does_not_lift_the_ban_on_effects() {
        let lifted = "#![expect(clippy::disallowed_methods, reason = \"files\")]";
        let what = ["a pure crate keeps the ban on effects: `clippy::disallowed_methods`"];
        finds(check, "crates/workflow/src/a.rs", lifted, &what);
        finds(check, "crates/store/src/local/a.rs", lifted, &[]);
        finds(check, "crates/workflow/tests/it/a.rs", lifted, &[]);
    }
}
