//! Which crate may depend on which, and what the core may reach.
//!
//! `ARCHITECTURE.md` draws the same picture; this table is what holds it.

use std::collections::{BTreeMap, BTreeSet};

use super::metadata::{Dependency, Kind, Metadata, Package};
use crate::problem::Problem;

/// Stands for every crate of the workspace.
const ANY: &[&str] = &["*"];
const TABLE: &str = "xtask/src/tidy/edges.rs";

/// The workspace crates that one crate may name.
struct Rule {
    /// The crate, by its directory.
    name: &'static str,
    normal: &'static [&'static str],
    dev: &'static [&'static str],
    /// Whether it sees the ports of the store only, never an adapter.
    ports_only: bool,
}

const fn part(name: &'static str, normal: &'static [&'static str]) -> Rule {
    Rule { name, normal, dev: normal, ports_only: true }
}

const fn edge(name: &'static str, normal: &'static [&'static str]) -> Rule {
    Rule { name, normal, dev: ANY, ports_only: false }
}

const RULES: &[Rule] = &[
    part("core", &[]),
    Rule { name: "store", normal: &["core"], dev: &["core"], ports_only: false },
    part("workflow", &["core", "store"]),
    part("backpack", &["core", "models", "store"]),
    part("workspaces", &["core", "store"]),
    part("context", &["core", "store"]),
    part("models", &["core"]),
    Rule {
        name: "runtime",
        normal: &["backpack", "context", "core", "models", "store", "workflow", "workspaces"],
        dev: ANY,
        ports_only: true,
    },
    edge("piton", &["backpack", "context", "core", "models", "store", "workflow", "workspaces"]),
    edge("mcp", &["core", "runtime"]),
    edge("console", &["core", "runtime"]),
    edge("cli", &["console", "core", "mcp", "piton", "runtime", "store"]),
    edge("bench", ANY),
    part("xtask", &["core", "mcp", "runtime", "store", "workflow"]),
];

/// Features of the store that bring an adapter on this machine's disk with them.
const ADAPTER_FEATURES: [&str; 2] = ["local", "testing"];

/// Crates that have no place in the pure core: runtimes, databases, and digests beside SHA-256.
const UNREACHABLE_FROM_CORE: [&str; 20] = [
    "aws-lc-rs",
    "blake2",
    "blake3",
    "crc32fast",
    "getrandom",
    "libsqlite3-sys",
    "md-5",
    "md5",
    "mio",
    "openssl",
    "rand",
    "ring",
    "ripemd",
    "rusqlite",
    "rustix",
    "sha1",
    "sha3",
    "tokio",
    "twox-hash",
    "xxhash-rust",
];

/// Parts that know nothing of how they are reached: by a command line, a terminal, a web page or an agent.
const WITHOUT_DOORS: [&str; 7] =
    ["backpack", "context", "core", "models", "store", "workflow", "workspaces"];

/// Crates that only doors are made of.
const DOORS: [&str; 8] =
    ["anstream", "axum", "clap", "clap_builder", "crossterm", "indicatif", "ratatui", "rmcp"];

/// Problems with the edges between workspace crates.
pub(crate) fn check(metadata: &Metadata) -> Vec<Problem> {
    let mut problems = Vec::new();
    for package in metadata.members() {
        let directory = package.manifest_path.trim_end_matches("/Cargo.toml");
        let name = metadata.short_name(directory);
        let Some(rule) = RULES.iter().find(|rule| rule.name == name) else {
            problems.push(Problem::of_file(
                metadata.manifest(package),
                format!("the crate `{name}` has no rule about its edges"),
                format!("add `{name}` to the table in {TABLE} and to ARCHITECTURE.md"),
            ));
            continue;
        };
        for dependency in &package.dependencies {
            problems.extend(check_edge(metadata, package, rule, dependency));
        }
    }
    problems
}

fn check_edge(
    metadata: &Metadata,
    package: &Package,
    rule: &Rule,
    dependency: &Dependency,
) -> Option<Problem> {
    let target = metadata.short_name(dependency.path.as_deref()?);
    if target == rule.name {
        return None;
    }
    let (kind, allowed) = match dependency.kind {
        Kind::Normal => ("", rule.normal),
        Kind::Dev => ("dev-", rule.dev),
        Kind::Build => ("build-", &[] as &[&str]),
    };
    if allowed != ANY && !allowed.contains(&target) {
        return Some(Problem::of_file(
            metadata.manifest(package),
            format!("`{}` may not {kind}depend on `{target}`", rule.name),
            format!(
                "move the code to a crate that may, or argue the edge in ARCHITECTURE.md and add it in {TABLE}"
            ),
        ));
    }
    let brings_adapter = dependency.uses_default_features
        || ADAPTER_FEATURES
            .iter()
            .any(|feature| dependency.features.iter().any(|found| found == feature));
    if rule.ports_only && target == "store" && dependency.kind == Kind::Normal && brings_adapter {
        return Some(Problem::of_file(
            metadata.manifest(package),
            format!("`{}` sees the store's adapters", rule.name),
            "depend on the ports only: `piton-store.workspace = true`, without `local` or `testing`",
        ));
    }
    None
}

/// Problems with what crates reach, directly or not, in a build: the core, the parts, and all of them together.
pub(crate) fn check_reach(metadata: &Metadata) -> Vec<Problem> {
    let names: BTreeMap<&str, &str> = metadata
        .packages
        .iter()
        .map(|package| (package.id.as_str(), package.name.as_str()))
        .collect();
    let name = |id: &str| names.get(id).copied().unwrap_or_default().to_owned();
    let mut problems = Vec::new();
    for core in metadata.members().filter(|member| member.name == "piton-core") {
        for id in reachable(metadata, &core.id) {
            let found = name(id);
            if UNREACHABLE_FROM_CORE.contains(&found.as_str()) {
                problems.push(Problem::of_file(
                    metadata.manifest(core),
                    format!("the core reaches `{found}`"),
                    "the core is pure and knows one digest, SHA-256: find out who brings it with `cargo tree -p piton-core -e normal` and drop it",
                ));
            }
        }
    }
    let is_part =
        |name: &str| name.strip_prefix("piton-").is_some_and(|name| WITHOUT_DOORS.contains(&name));
    for part in metadata.members().filter(|member| is_part(&member.name)) {
        for found in reachable(metadata, &part.id).into_iter().map(name) {
            if DOORS.contains(&found.as_str()) {
                problems.push(Problem::of_file(
                    metadata.manifest(part),
                    format!("`{}` reaches `{found}`", part.name),
                    "a part does not know how it is reached: move what needs it to a door",
                ));
            }
        }
    }
    for node in &metadata.resolve.nodes {
        let ordered = node.features.iter().any(|feature| feature == "preserve_order");
        if name(&node.id) == "serde_json" && ordered {
            problems.push(Problem::of_file(
                "Cargo.lock",
                "`serde_json/preserve_order` is on, and canonical JSON counts on sorted maps",
                "find out who turns it on with `cargo tree -e features -i serde_json` and turn it off there",
            ));
        }
    }
    problems
}

fn reachable<'a>(metadata: &'a Metadata, start: &'a str) -> BTreeSet<&'a str> {
    let mut seen = BTreeSet::new();
    let mut waiting = vec![start];
    while let Some(id) = waiting.pop() {
        if !seen.insert(id) {
            continue;
        }
        let nodes = metadata.resolve.nodes.iter();
        for link in nodes.filter(|node| node.id == id).flat_map(|node| &node.deps) {
            if link.dep_kinds.iter().any(|kind| kind.kind == Kind::Normal) {
                waiting.push(&link.pkg);
            }
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{check, check_reach};
    use crate::tidy::metadata::parse;

    /// A workspace crate `from` with one dependency on the workspace crate `to`.
    fn edge(from: &str, to: &str, kind: Option<&str>, defaults: bool, features: &[&str]) -> String {
        json!({
            "workspace_root": "/p",
            "workspace_members": [from],
            "packages": [{
                "id": from, "name": format!("piton-{from}"),
                "manifest_path": format!("/p/crates/{from}/Cargo.toml"),
                "dependencies": [{
                    "name": format!("piton-{to}"), "kind": kind, "path": format!("/p/crates/{to}"),
                    "uses_default_features": defaults, "features": features,
                }],
            }],
            "resolve": { "nodes": [] },
        })
        .to_string()
    }

    fn problems(metadata: &str) -> Vec<String> {
        let metadata = parse(metadata).unwrap();
        let found = check(&metadata);
        found.into_iter().map(|problem| problem.what).collect()
    }

    // shows: WR-536
    #[test]
    fn the_core_may_depend_on_no_other_crate() {
        for kind in [None, Some("dev"), Some("build")] {
            let found = problems(&edge("core", "store", kind, false, &[]));
            assert_eq!(found.len(), 1, "{kind:?}");
            assert!(found[0].starts_with("`core` may not"));
        }
    }

    // shows: WR-537
    #[test]
    fn a_part_may_not_depend_on_the_doors_or_on_another_part() {
        for to in ["mcp", "console", "cli", "runtime", "backpack"] {
            let found = problems(&edge("workflow", to, None, false, &[]));
            assert_eq!(found, [format!("`workflow` may not depend on `{to}`")]);
        }
    }

    // shows: WR-538
    // shows in part: WR-502 (what a console may depend on), WR-500 (neither the workflow nor the store)
    #[test]
    fn the_doors_reach_projections_only_through_the_use_cases() {
        for from in ["mcp", "console"] {
            for to in ["workflow", "store"] {
                let found = problems(&edge(from, to, None, false, &[]));
                assert_eq!(found, [format!("`{from}` may not depend on `{to}`")]);
            }
        }
    }

    #[test]
    fn the_command_line_reaches_parts_only_through_the_use_cases() {
        for to in ["backpack", "context", "flow", "models", "workflow", "workspaces"] {
            let found = problems(&edge("cli", to, None, false, &[]));
            assert_eq!(found, [format!("`cli` may not depend on `{to}`")]);
            assert!(problems(&edge("cli", to, Some("dev"), false, &[])).is_empty(), "{to}");
        }
    }

    #[test]
    fn the_drawn_edges_are_allowed() {
        for (from, to) in [
            ("store", "core"),
            ("workflow", "store"),
            ("backpack", "models"),
            ("runtime", "context"),
            ("mcp", "runtime"),
            ("cli", "console"),
            ("bench", "store"),
        ] {
            assert!(problems(&edge(from, to, None, false, &[])).is_empty(), "{from} → {to}");
        }
    }

    // shows: WR-534
    #[test]
    fn a_part_sees_the_ports_of_the_store_and_never_its_adapters() {
        let refused = ["`workflow` sees the store's adapters"];
        assert_eq!(problems(&edge("workflow", "store", None, true, &[])), refused);
        assert_eq!(problems(&edge("workflow", "store", None, false, &["local"])), refused);
        assert!(problems(&edge("workflow", "store", Some("dev"), false, &["testing"])).is_empty());
        let refused = ["`runtime` sees the store's adapters"];
        assert_eq!(problems(&edge("runtime", "store", None, false, &["local"])), refused);
    }

    #[test]
    fn a_new_crate_needs_a_rule() {
        let found = problems(&edge("surprise", "core", None, false, &[]));
        assert_eq!(found, ["the crate `surprise` has no rule about its edges"]);
    }

    /// The core, a crate `middle` below it, and `last` below that.
    fn chain(last: &str, kind: Option<&str>, features: &[&str]) -> String {
        let package = |name: &str| json!({ "id": name, "name": name, "manifest_path": "/p/Cargo.toml", "dependencies": [] });
        let node = |id: &str, next: &[&str], kind: Option<&str>, features: &[&str]| -> Value {
            let deps: Vec<Value> = next
                .iter()
                .map(|pkg| json!({ "pkg": pkg, "dep_kinds": [{ "kind": kind }] }))
                .collect();
            json!({ "id": id, "features": features, "deps": deps })
        };
        json!({
            "workspace_root": "/p",
            "workspace_members": ["piton-core"],
            "packages": [package("piton-core"), package("middle"), package(last)],
            "resolve": { "nodes": [
                node("piton-core", &["middle"], None, &[]),
                node("middle", &[last], kind, &[]),
                node(last, &[], None, features),
            ] },
        })
        .to_string()
    }

    // shows: WR-002, WR-533
    #[test]
    fn the_core_reaches_no_runtime_no_database_and_no_second_digest() {
        for last in ["tokio", "rusqlite", "blake3", "sha1"] {
            let found = check_reach(&parse(&chain(last, None, &[])).unwrap());
            assert_eq!(found.len(), 1, "{last}");
            assert!(found[0].what.contains(last));
        }
        assert!(check_reach(&parse(&chain("sha2", None, &[])).unwrap()).is_empty());
        assert!(check_reach(&parse(&chain("tokio", Some("dev"), &[])).unwrap()).is_empty());
    }

    // shows: CT-094
    #[test]
    fn a_part_reaches_nothing_that_doors_are_made_of() {
        for part in ["backpack", "context", "core", "models", "workspaces"] {
            for door in ["clap", "anstream", "rmcp", "axum"] {
                let name = format!("piton-{part}");
                let planted = chain(door, None, &[]).replace("piton-core", &name);
                let found = check_reach(&parse(&planted).unwrap());
                assert_eq!(found.len(), 1, "{part} {door}");
                assert_eq!(found[0].what, format!("`{name}` reaches `{door}`"));
            }
        }
        let tested = chain("clap", Some("dev"), &[]).replace("piton-core", "piton-models");
        assert!(check_reach(&parse(&tested).unwrap()).is_empty());
    }

    #[test]
    fn ordered_json_maps_are_refused_wherever_they_are_turned_on() {
        let ordered = chain("serde_json", None, &["preserve_order"]);
        assert_eq!(check_reach(&parse(&ordered).unwrap()).len(), 1);
        let sorted = chain("serde_json", None, &["std"]);
        assert!(check_reach(&parse(&sorted).unwrap()).is_empty());
    }
}
