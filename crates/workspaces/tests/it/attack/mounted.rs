//! What is mounted inside of a Mount. Every Linux has `/proc` mounted below `/`.

use std::path::Path;

use piton_core::Code;
use piton_workspaces::physical::PhysicalOptions;
use piton_workspaces::tools::CallReply;
use piton_workspaces::{Files, Workspaces};
use serde_json::json;

use crate::world::{definition, physical};

async fn call(options: PhysicalOptions, tool: &str, path: &str) -> CallReply {
    let root = definition("/root", "read-only", physical(Path::new("/"), options));
    let files = Files::new(std::sync::Arc::new(Workspaces::new(vec![root]).unwrap()));
    let arguments = match tool {
        "glob" => json!({ "path": path, "pattern": "version", "all": true }),
        _ => json!({ "path": path }),
    };
    files.call(tool, arguments).await
}

#[tokio::test]
async fn nothing_that_is_mounted_inside_is_reached_unless_the_person_says_so() {
    for by_name in [false, true] {
        let options = PhysicalOptions { by_name, ..PhysicalOptions::default() };
        let open = PhysicalOptions { mounts: true, ..options };
        for (tool, path) in [
            ("read", "/root/proc/version"),
            ("ls", "/root/proc/sys/kernel"),
            ("stat", "/root/proc/version"),
            ("glob", "/root/proc/sys/kernel"),
        ] {
            let refused = call(options, tool, path).await;
            let code = refused.error.as_ref().map(piton_workspaces::Error::code);
            assert_eq!(code, Some(Code::WorkspaceMount), "{tool} {path}: {}", refused.text);
            assert!(refused.text.contains("mounts = true"), "{}", refused.text);
            let answered = call(open, tool, path).await;
            assert!(!answered.is_error(), "{tool} {path}: {}", answered.text);
        }
        // What is mounted is seen by its name, and nothing of it.
        let listed = call(options, "ls", "/root").await;
        assert!(listed.text.contains("proc/"), "{}", listed.text);
    }
}

// Every Linux has `/dev/pts` mounted below `/dev`, and nothing in it that is mounted.
#[tokio::test]
async fn what_something_is_mounted_on_is_not_moved_and_the_agent_is_told_why() {
    for mounts in [false, true] {
        let options = PhysicalOptions { mounts, ..PhysicalOptions::default() };
        let devices = physical(Path::new("/dev"), options);
        let devices = Workspaces::new(vec![definition("/dev", "read-write", devices)]).unwrap();
        let files = Files::new(std::sync::Arc::new(devices));
        let arguments = json!({ "from": "/dev/pts", "to": "/dev/moved" });
        let refused = files.call("move", arguments).await;
        let code = refused.error.as_ref().map(piton_workspaces::Error::code);
        assert_eq!(code, Some(Code::WorkspaceMount), "{}", refused.text);
    }
}
