//! A tool that is on because its gates hold stays on only while each of them has a test.

use std::collections::BTreeSet;

use piton_mcp::catalogue::sets;

use crate::problem::Problem;
use crate::project::Project;
use crate::requirements::tag;

/// The file that a problem names.
const CATALOGUE: &str = "crates/mcp/src/catalogue.rs";

/// What must be shown while a tool is on: the tool, the gate, and the rows that are that gate.
const GATES: [(&str, &str, &[&str]); 8] = [
    ("resume_session", "only healthy sessions are offered", &["WR-461"]),
    ("resume_session", "the ranking is exact", &["WR-450", "WR-451", "WR-452", "WR-454"]),
    ("resume_session", "what is offered survives export and import", &["WR-462"]),
    ("resume_session", "damage is refused", &["WR-092", "WR-093"]),
    ("checkpoint_workflow", "to repeat it is harmless", &["WR-257"]),
    ("checkpoint_workflow", "its edges are right", &["WR-129", "WR-259"]),
    ("checkpoint_workflow", "asking where a run stands makes none", &["WR-260"]),
    ("checkpoint_workflow", "it survives export and import", &["WR-475"]),
];

/// Gates of tools that are on which no test shows.
pub(crate) fn check(project: &Project) -> Vec<Problem> {
    let sets = sets();
    let tools: Vec<&str> = sets.iter().flat_map(|set| &set.tools).map(|tool| tool.name).collect();
    missing(project, &tools)
}

fn missing(project: &Project, tools: &[&str]) -> Vec<Problem> {
    let shown: BTreeSet<String> = tag::all(project).into_iter().map(|tag| tag.row).collect();
    let on = GATES.iter().filter(|(tool, ..)| tools.contains(tool));
    on.flat_map(|(tool, gate, rows)| {
        let rows = rows.iter().filter(|row| !shown.contains(**row));
        rows.map(move |row| {
            let what = format!("{tool} is on, and no test shows {row}: {gate}");
            Problem::of_file(CATALOGUE, what, "write that test, or take the tool away")
        })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::{GATES, missing};
    use crate::project::{self, Project};

    // shows: WR-554, WR-555
    #[test]
    fn every_gate_of_a_tool_that_is_on_has_a_test() {
        let project = Project::load(&project::root().unwrap()).unwrap();
        assert_eq!(super::check(&project), [], "the gates of this repository");
        for tool in ["resume_session", "checkpoint_workflow"] {
            assert_eq!(GATES.iter().filter(|(of, ..)| *of == tool).count(), 4, "{tool}");
        }
    }

    #[test]
    fn a_gate_without_a_test_is_a_problem_only_while_its_tool_is_on() {
        let tag = |rows: &str| format!("// {}: {rows}\nfn a() {{}}\n", concat!("sho", "ws"));
        let of = |rows: &str| {
            let text = tag(rows);
            let project = Project::of(&[("crates/a/tests/it/b.rs", &text)]);
            let found = missing(&project, &["checkpoint_workflow"]);
            found.len()
        };
        assert_eq!(of("WR-129, WR-257, WR-259, WR-260, WR-475"), 0);
        assert_eq!(of("WR-129, WR-257, WR-259, WR-260"), 1);
        assert_eq!(missing(&Project::of(&[]), &["list_workflows"]), []);
    }
}
