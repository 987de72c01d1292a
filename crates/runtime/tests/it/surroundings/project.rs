//! Which directory a call is about.

use piton_runtime::request::ListWorkflows;
use piton_runtime::{Connection, Whereabouts};

use crate::rig::{Machine, start};

fn used(agent: &Connection, asked: Option<&str>) -> Option<String> {
    let project_dir = asked.map(str::to_owned);
    agent
        .list_workflows(&ListWorkflows { project_dir, ..ListWorkflows::default() })
        .unwrap()
        .project_dir
}

#[test]
fn the_strongest_of_what_is_known_and_exists_counts() {
    let mut machine = Machine::in_memory();
    let dir = |name: &str| machine.write(&format!("{name}/x"), "").parent().unwrap().to_path_buf();
    let (asked, set, root, claude, work) =
        (dir("asked"), dir("set"), dir("root"), dir("claude"), dir("work"));
    let all = Whereabouts {
        client_root: Some(root.clone()),
        claude_project_dir: Some(claude.clone()),
        working_dir: Some(work.clone()),
    };
    let shown = |path: &std::path::Path| Some(path.display().to_string());
    let agent = machine.runtime().connect(all.clone());
    assert_eq!(used(&agent, asked.to_str()), shown(&asked));
    assert_eq!(used(&agent, None), shown(&root));
    let gone = Whereabouts { client_root: Some("/not/there".into()), ..all.clone() };
    assert_eq!(used(&machine.runtime().connect(gone), None), shown(&claude));
    let last = Whereabouts { working_dir: Some(work.clone()), ..Whereabouts::default() };
    assert_eq!(used(&machine.runtime().connect(last), None), shown(&work));
    assert_eq!(used(&machine.runtime().connect(Whereabouts::default()), None), None);
    machine.set("PITON_PROJECT_DIR", set.to_str().unwrap());
    assert_eq!(used(&machine.runtime().connect(all), None), shown(&set));
}

#[test]
fn a_place_inside_of_a_project_stands_for_the_project() {
    let machine = Machine::in_memory();
    for (mark, is_dir) in [("piton.toml", false), (".piton/workflows/x", true), (".git/HEAD", true)]
    {
        let name = format!("by_{}", mark.replace(['/', '.'], "_"));
        machine.write(&format!("{name}/{mark}"), "");
        let inside = machine.write(&format!("{name}/src/deep/x"), "");
        let agent = machine.agent();
        let found = used(&agent, inside.parent().unwrap().to_str());
        assert_eq!(found, Some(machine.home().join(&name).display().to_string()), "{is_dir}");
    }
}

#[tokio::test]
async fn a_directory_that_cannot_be_is_refused_with_what_to_send() {
    let machine = Machine::in_memory();
    let agent = machine.agent();
    let file = machine.write("project/file", "");
    for (asked, reason) in [
        ("relative", "is not an absolute path"),
        ("/not/there", "is not a directory here"),
        (file.to_str().unwrap(), "is not a directory here"),
        ("", "is not an absolute path"),
    ] {
        let mut request = start("wr.tour");
        request.project_dir = Some(asked.to_owned());
        let refused = agent.start_workflow(request).await.unwrap_err();
        assert!(refused.message.contains(reason), "{}", refused.message);
        assert!(refused.suggestion.contains("absolute path"), "{}", refused.suggestion);
    }
}
