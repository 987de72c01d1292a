//! The project that a request is about.
#![expect(clippy::disallowed_methods, reason = "the tests write workflow files of projects")]

use std::fs;
use std::path::Path;

use serde_json::json;
use tempfile::TempDir;

use crate::browser::Machine;

fn write_workflow(project: &Path, id: &str) {
    let directory = project.join(".piton/workflows");
    fs::create_dir_all(&directory).unwrap();
    let file = json!({ "id": id, "name": "A sample", "description": "For tests.", "steps": [
        { "id": "one", "title": "One", "prompt": "Do it." },
    ]});
    fs::write(directory.join("sample.json"), file.to_string()).unwrap();
}

#[tokio::test]
async fn a_request_is_about_the_project_that_it_names_or_the_first() {
    let root = TempDir::new().unwrap();
    let (shop, tools) = (root.path().join("shop"), root.path().join("tools"));
    write_workflow(&shop, "project.sell");
    write_workflow(&tools, "project.hone");
    let machine = Machine::start_in(&[&shop, &tools]).await;
    let browser = machine.entered().await;
    let status = browser.get("/api/v1/status").await.json();
    let names: Vec<&str> = status["projects"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["shop", "tools"]);
    let listed = async |query: &str| {
        let path = format!("/api/v1/workflows{query}");
        let text = browser.get(&path).await.text();
        (text.contains("project.sell"), text.contains("project.hone"))
    };
    assert_eq!(listed("").await, (true, false));
    let query = |project: &Path| format!("?project={}", project.display());
    assert_eq!(listed(&query(&shop)).await, (true, false));
    assert_eq!(listed(&query(&tools)).await, (false, true));
    // An act is about the named project too.
    let file = json!({ "id": "project.hone_more", "project": true });
    let path = format!("/api/v1/workflows/new{}", query(&tools));
    let made = browser.post(&path, &file).await;
    assert_eq!(made.status, 200, "{}", made.text());
    let has = |project: &Path| project.join(".piton/workflows/hone_more.json").exists();
    assert_eq!((has(&shop), has(&tools)), (false, true));
    // Runs are those of all projects.
    machine.start_run("wr.tour").await;
    for query in [String::new(), query(&tools)] {
        let runs = browser.get(&format!("/api/v1/sessions{query}")).await.json();
        assert_eq!(runs["runs"].as_array().unwrap().len(), 1, "{query}");
    }
}

#[tokio::test]
async fn a_project_that_the_console_does_not_show_is_refused() {
    let root = TempDir::new().unwrap();
    let machine = Machine::start_in(&[root.path()]).await;
    let browser = machine.entered().await;
    for strange in ["/", "/nowhere", "", "%2Fetc%0A"] {
        for reply in [
            browser.get(&format!("/api/v1/workflows?project={strange}")).await,
            browser.post(&format!("/api/v1/settings?project={strange}"), &json!({})).await,
        ] {
            assert_eq!(reply.status, 400, "{strange}: {}", reply.text());
            assert!(
                reply.json()["suggestion"].as_str().unwrap().contains("--project"),
                "{strange}"
            );
        }
    }
}
