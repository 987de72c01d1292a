//! Models read the text of an answer, and programs its structured content.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::rig::{Machine, Pipe, REVISIONS, STATELESS, Web, hello, request};

/// What a client of this name gets for a call that is made and for one that fails.
struct Named<'a> {
    name: &'a str,
    revision: &'static str,
    machine: &'a Machine,
    answers: &'a str,
}

const CALLS: [&str; 2] = ["project.plain", "project.none"];

impl Named<'_> {
    fn hello(&self) -> Value {
        let mut hello = hello(self.revision);
        hello["clientInfo"]["name"] = self.name.into();
        hello
    }

    fn call(&self, id: u64) -> Value {
        let workflow = CALLS[usize::from(id.is_multiple_of(2))];
        let arguments = json!({ "workflowId": workflow, "projectDir": self.machine.project() });
        let params = json!({ "name": "start_workflow", "arguments": arguments });
        let mut message = request(self.revision, id, "tools/call", params);
        if let Some(client) =
            message.pointer_mut("/params/_meta/io.modelcontextprotocol~1clientInfo")
        {
            client["name"] = self.name.into();
        }
        message
    }

    fn runtime(&self) -> std::sync::Arc<piton_runtime::Runtime> {
        let answers = ("PITON_MCP_ANSWERS".to_owned(), self.answers.to_owned());
        self.machine.runtime_with(BTreeMap::from([answers]))
    }

    async fn over_a_pipe(&self) -> Vec<Value> {
        let mut pipe = Pipe::silent(self.runtime(), self.machine.whereabouts());
        if self.revision != STATELESS {
            pipe.request("initialize", self.hello()).await;
            pipe.notify("notifications/initialized").await;
        }
        let mut replies = Vec::new();
        for id in [11, 12] {
            pipe.send(&self.call(id)).await;
            replies.push(pipe.reply_to(id).await);
        }
        replies
    }

    async fn over_http(&self) -> Vec<Value> {
        let web = Web::named(self.runtime(), self.revision, &self.hello()).await;
        let mut replies = Vec::new();
        for id in [11, 12] {
            replies.push(web.post(&self.call(id), &[]).await.messages().remove(0));
        }
        web.stop().await;
        replies
    }
}

#[tokio::test]
async fn a_client_of_a_model_gets_the_text_alone_and_a_program_gets_both() {
    for revision in [REVISIONS[0], "2025-11-25", STATELESS] {
        for (answers, name, is_structured) in [
            ("auto", "claude-code", false),
            ("auto", "codex-mcp-client", false),
            ("auto", "somebody-else", true),
            ("text", "somebody-else", false),
            ("both", "claude-code", true),
        ] {
            let machine = Machine::new();
            let named = Named { name, revision, machine: &machine, answers };
            let mut replies = named.over_a_pipe().await;
            if revision != REVISIONS[0] {
                replies.extend(named.over_http().await);
            }
            for (reply, is_failure) in replies.iter().zip([false, true].into_iter().cycle()) {
                let result = &reply["result"];
                let told = format!("{revision} {answers} {name}: {reply}");
                assert_eq!(result["isError"] == true, is_failure, "{told}");
                assert_eq!(result.get("structuredContent").is_some(), is_structured, "{told}");
                let text = result["content"][0]["text"].as_str().unwrap();
                let expected = if is_failure { "project.none" } else { "Next: continue_workflow" };
                assert!(text.contains(expected), "{told}");
            }
        }
    }
}
