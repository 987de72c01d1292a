//! Recaps of runs and artifacts, which clients offer as resources.

use serde_json::{Value, json};

use crate::rig::{Machine, Pipe};

const RUN_TEMPLATE: &str = "piton://run/{run}/recap";
const ARTIFACT_TEMPLATE: &str = "piton://artifact/{digest}{?offset}";

impl Pipe {
    async fn uris(&mut self) -> Vec<String> {
        let listed = self.request("resources/list", json!({})).await;
        let resources = listed["result"]["resources"].as_array().unwrap();
        resources.iter().map(|one| one["uri"].as_str().unwrap().to_owned()).collect()
    }

    async fn contents(&mut self, uri: &str) -> Value {
        let read = self.request("resources/read", json!({ "uri": uri })).await;
        assert!(read.get("error").is_none(), "{read}");
        read["result"]["contents"].clone()
    }

    async fn values(&mut self, template: &str, argument: &str, typed: &str) -> Value {
        let reference = json!({ "type": "ref/resource", "uri": template });
        let argument = json!({ "name": argument, "value": typed });
        let params = json!({ "ref": reference, "argument": argument });
        self.request("completion/complete", params).await["result"]["completion"]["values"].clone()
    }
}

#[tokio::test]
async fn the_recap_of_a_run_is_read_by_its_id_and_by_its_label() {
    let machine = Machine::new();
    let mut pipe = Pipe::at(&machine).await;
    assert_eq!(pipe.uris().await, [""; 0]);
    let started = pipe.start("project.plain").await;
    pipe.submit(&started, "The token was refreshed twice.").await;
    let run = &started.structured["run"];
    let (id, label) = (run["runId"].as_str().unwrap(), run["label"].as_str().unwrap());

    let uri = format!("piton://run/{id}/recap");
    assert_eq!(pipe.uris().await, std::slice::from_ref(&uri));
    let contents = pipe.contents(&uri).await;
    let text = contents[0]["text"].as_str().unwrap();
    assert!(text.starts_with(&format!("# {label}: mend the login")), "{text}");
    assert!(text.contains("The token was refreshed twice."), "{text}");
    assert!(
        text.trim_end().ends_with(&format!("resume_session {{ \"runId\": \"{id}\" }}")),
        "{text}"
    );
    assert_eq!(
        (&contents[0]["uri"], &contents[0]["mimeType"]),
        (&json!(uri), &json!("text/markdown"))
    );
    let by_label = pipe.contents(&format!("piton://run/{label}/recap")).await;
    assert_eq!(by_label[0]["text"], text);

    // Another process on the same data reads it too, as it can resume the run. Reading opens no run there: a call
    // needs a label only once there are several.
    let mut other = Pipe::at(&machine).await;
    assert_eq!(other.contents(&uri).await[0]["text"], text);
    let own = other.start("project.plain").await;
    assert!(!own.beside.as_deref().is_some_and(|note| note.contains("Also open here")));
    assert_eq!(pipe.values(RUN_TEMPLATE, "run", &label[..label.len() - 1]).await, json!([label]));
    assert_eq!(pipe.values(RUN_TEMPLATE, "run", "-").await, json!([]));
}

#[tokio::test]
async fn an_artifact_is_read_whole_or_in_parts() {
    let machine = Machine::new();
    let mut pipe = Pipe::at(&machine).await;
    let started = pipe.start("project.plain").await;
    let rows: Vec<String> = (0..20_000).map(|row| format!("row {row}")).collect();
    let artifact = |kind: &str, rows: &[String]| json!({ "kind": kind, "rows": rows });
    let artifacts = [artifact("project.small", &rows[..2]), artifact("project.large", &rows)];
    let mut call = started.structured["nextCall"]["params"].clone();
    call["output"] = json!({ "notesMarkdown": "Done.", "artifacts": artifacts });
    let answer = pipe.call("continue_workflow", call).await;
    assert!(!answer.is_error, "{}", answer.text);
    let listed = pipe.request("resources/list", json!({})).await;
    let found = |kind: &str| {
        let mut resources = listed["result"]["resources"].as_array().unwrap().iter();
        let found = resources.find(|one| one["name"] == kind).unwrap_or_else(|| panic!("{listed}"));
        (found["uri"].as_str().unwrap().to_owned(), found["size"].as_u64().unwrap())
    };
    let (small, _) = found("project.small");
    let contents = pipe.contents(&small).await;
    assert_eq!(contents[0]["mimeType"], "application/json");
    let content: Value = serde_json::from_str(contents[0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(content["rows"], json!(["row 0", "row 1"]));
    let digest = small.strip_prefix("piton://artifact/").unwrap();
    assert!(
        pipe.values(ARTIFACT_TEMPLATE, "digest", &digest[..20])
            .await
            .as_array()
            .unwrap()
            .contains(&json!(digest))
    );

    let (large, size) = found("project.large");
    let (mut uri, mut whole, mut parts) = (Some(large), String::new(), 0);
    while let Some(next) = uri {
        let contents = pipe.contents(&next).await;
        parts += 1;
        whole.push_str(contents[0]["text"].as_str().unwrap());
        uri = contents.get(1).map(|next| next["uri"].as_str().unwrap().to_owned());
    }
    assert!(parts > 1, "it is large");
    assert_eq!(whole.len() as u64, size);
    let content: Value = serde_json::from_str(&whole).unwrap();
    assert_eq!(content["rows"].as_array().unwrap().len(), 20_000);
}

#[tokio::test]
async fn templates_name_their_arguments() {
    let mut pipe = Pipe::at(&Machine::new()).await;
    let listed = pipe.request("resources/templates/list", json!({})).await;
    let templates = listed["result"]["resourceTemplates"].as_array().unwrap();
    let uris: Vec<_> = templates.iter().map(|one| one["uriTemplate"].as_str().unwrap()).collect();
    assert_eq!(uris, [RUN_TEMPLATE, ARTIFACT_TEMPLATE]);
}
