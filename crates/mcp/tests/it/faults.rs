//! Nothing that an agent sends, and no fault of ours, ends the server.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use piton_core::port::Entropy;
use piton_core::port::fixed::SeededEntropy;
use piton_mcp::catalogue::WorkflowTool;
use serde_json::{Map, Value, json};

use crate::rig::{Machine, Pipe};

/// Randomness that panics while it is told to.
struct Faulty {
    inner: Arc<dyn Entropy>,
    is_broken: AtomicBool,
}

impl Entropy for Faulty {
    fn fill(&self, bytes: &mut [u8]) {
        assert!(!self.is_broken.load(Ordering::Relaxed), "a fault with a secret in its words");
        self.inner.fill(bytes);
    }
}

// shows in part: WR-488, WR-499 (INTERNAL_ERROR)
#[tokio::test]
async fn a_panic_ends_one_call_and_says_nothing_of_its_words() {
    let mut machine = Machine::new();
    let inner = Arc::clone(&machine.ports.entropy);
    let faulty = Arc::new(Faulty { inner, is_broken: AtomicBool::new(true) });
    machine.ports.entropy = Arc::clone(&faulty) as _;
    let mut pipe = Pipe::at(&machine).await;
    let failed = pipe.call("start_workflow", json!({ "workflowId": "project.plain" })).await;
    assert_eq!(failed.code(), "INTERNAL_ERROR");
    assert!(!failed.text.contains("secret"), "{}", failed.text);
    faulty.is_broken.store(false, Ordering::Relaxed);
    let started = pipe.start("project.plain").await;
    assert_eq!(started.at("/pending/prompt"), "Do first.");
}

/// Arguments that nobody would think of.
struct Odd(SeededEntropy);

impl Odd {
    fn pick(&self, below: u64) -> usize {
        usize::try_from(self.0.next_u64() % below).unwrap()
    }

    fn text(&self) -> String {
        let texts = ["", "wr.tour", "project.plain", "../../etc/passwd", "\u{0}", "🧗", "null"];
        let tokens = ["st.v1.a.b", "ack.v1..", "a.00000000.1.1.AAAAAAAAAAAAAAAA", "preview"];
        let all = [&texts[..], &tokens[..]].concat();
        match self.pick(12) {
            0 => "x".repeat(self.pick(100_000)),
            _ => all[self.pick(all.len() as u64)].to_owned(),
        }
    }

    fn value(&self, depth: usize) -> Value {
        match self.pick(if depth > 3 { 6 } else { 8 }) {
            0 => Value::Null,
            1 => json!(self.pick(2) == 0),
            2 => json!(self.0.next_u64()),
            3 => json!(-1.5e300),
            4 | 5 => json!(self.text()),
            6 => (0..self.pick(4)).map(|_| self.value(depth + 1)).collect(),
            _ => Value::Object(self.object(depth + 1, &["kind", "__proto__", "constructor", "a"])),
        }
    }

    fn object(&self, depth: usize, names: &[&str]) -> Map<String, Value> {
        let fields = (0..self.pick(5)).map(|_| {
            let name = names[self.pick(names.len() as u64)].to_owned();
            (name, self.value(depth))
        });
        fields.collect()
    }
}

// shows: WR-488
#[tokio::test]
async fn whatever_is_sent_to_a_tool_is_answered_with_a_reply_or_an_envelope() {
    let machine = Machine::new();
    let mut pipe = Pipe::at(&machine).await;
    let (mut failed, seed) = (0, 11);
    let odd = Odd(SeededEntropy::new(seed));
    let count = 400;
    for place in 0..count {
        let tool = WorkflowTool::ALL[place % WorkflowTool::ALL.len()];
        let schema = tool.card().input;
        let fields = schema["properties"].as_object().unwrap();
        let names: Vec<&str> = fields.keys().map(String::as_str).chain(["other"]).collect();
        let arguments = Value::Object(odd.object(0, &names));
        let reply = pipe.try_call(tool.as_str(), arguments.clone()).await;
        let result = reply.get("result");
        let result = result.unwrap_or_else(|| panic!("seed {seed}: {tool} {arguments}: {reply}"));
        if result["isError"] == true {
            let code = result["structuredContent"]["code"].as_str();
            assert!(
                code.is_some_and(|code| code != "INTERNAL_ERROR"),
                "{tool} {arguments}: {reply}"
            );
            assert!(reply.to_string().len() < 20_000, "{tool}: a refusal is short");
            failed += 1;
        }
    }
    assert!(failed > count / 2, "most of it is refused: {failed}");
}
