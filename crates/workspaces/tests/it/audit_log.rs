//! The records of all Mounts, page by page.

use std::sync::Arc;

use piton_core::TimestampMs;
use piton_core::port::fixed::ManualClock;
use piton_store::memory::MemoryTable;
use piton_store::port::{Expect, Table, TableWrite};
use piton_workspaces::audit::{AuditRecord, Ledgers, LogCursor, LogPage, LogQuery};
use piton_workspaces::config::Mounted;
use piton_workspaces::path::LogicalPath;
use piton_workspaces::virtual_store::VirtualStore;
use piton_workspaces::{Actor, Files, Tool, Workspaces};
use serde_json::json;

use crate::world::{definition, memory_ports, namespace};

struct Logged {
    workspaces: Arc<Workspaces>,
    ledgers: Ledgers,
    table: Arc<dyn Table>,
    clock: Arc<ManualClock>,
}

fn logged() -> Logged {
    let store =
        |name: &str| Arc::new(VirtualStore::new(memory_ports(3), &namespace(&[name]), None));
    let defined = |prefix: &str| definition(prefix, "read-write", store(prefix.trim_matches('/')));
    let workspaces = Workspaces::new(vec![defined("/one"), defined("/two")]).unwrap();
    let table: Arc<dyn Table> = Arc::new(MemoryTable::default());
    let clock = Arc::new(ManualClock::new(TimestampMs(1_000)));
    let mounted = |prefix: &str| Mounted {
        prefix: prefix.parse().unwrap(),
        identity: prefix.to_owned(),
        over: None,
    };
    let shared: Arc<dyn piton_core::Clock> = clock.clone();
    let ledgers = Ledgers::of(&table, &shared, &[mounted("/one"), mounted("/two")]);
    Logged { workspaces: Arc::new(workspaces), ledgers, table, clock }
}

impl Logged {
    async fn write(&self, agent: &str, run: Option<&str>, path: &str) {
        self.clock.advance(std::time::Duration::from_millis(1));
        let actor = Actor { agent: agent.into(), run: run.map(Into::into), ..Actor::default() };
        let files = Files::new(Arc::clone(&self.workspaces)).recorded(self.ledgers.clone(), actor);
        let reply = files.call("write", json!({ "path": path, "content": "x" })).await;
        assert!(!reply.is_error(), "{}", reply.text);
    }

    async fn page(&self, query: &LogQuery) -> LogPage {
        self.ledgers.log(&self.workspaces, query).await.unwrap()
    }

    /// Reads page after page, while somebody goes on writing.
    async fn all(&self, mut query: LogQuery, writes: bool) -> Vec<AuditRecord> {
        let mut records = Vec::new();
        loop {
            let page = self.page(&query).await;
            assert!(page.records.len() <= query.limit);
            records.extend(page.records);
            let Some(next) = page.next else { return records };
            if writes {
                self.write("later", None, "/one/later").await;
            }
            // A cursor survives being text.
            query.from = Some(next.to_string().parse().unwrap());
        }
    }
}

fn paths(records: &[AuditRecord]) -> Vec<&str> {
    records.iter().map(|record| record.intent.path.as_str()).collect()
}

// shows in part: WS-058 (the changes of all files)
#[tokio::test]
async fn records_of_all_mounts_are_listed_newest_first_and_once_whatever_the_page() {
    let logged = logged();
    let mut written = Vec::new();
    for number in 0..23 {
        let path = format!("/{}/{number}", if number % 3 == 0 { "one" } else { "two" });
        logged.write("a", None, &path).await;
        written.insert(0, path);
    }
    for limit in [1, 2, 7, 200] {
        let records = logged.all(LogQuery { limit, ..LogQuery::default() }, true).await;
        let own: Vec<_> =
            paths(&records).into_iter().filter(|path| !path.ends_with("later")).collect();
        assert_eq!(own, written, "{limit}");
    }
    let whole =
        serde_json::to_value(logged.page(&LogQuery { limit: 1, ..LogQuery::default() }).await)
            .unwrap();
    assert_eq!(whole["records"][0]["tool"], "write");
    assert!(whole["next"].is_string(), "{whole}");
}

#[tokio::test]
async fn records_are_chosen_by_path_agent_run_and_tool() {
    let logged = logged();
    logged.write("ann", Some("run_1"), "/one/a/x").await;
    logged.write("bob", Some("run_2"), "/one/ab").await;
    logged.write("ann", Some("run_2"), "/two/a/x").await;
    let check = async |query: LogQuery, expected: &[&str]| {
        let records = logged.all(LogQuery { limit: 1, ..query }, false).await;
        assert_eq!(paths(&records), expected);
    };
    let under = |path: &str| LogQuery {
        under: Some(path.parse::<LogicalPath>().unwrap()),
        ..LogQuery::default()
    };
    check(under("/one/a"), &["/one/a/x"]).await;
    check(under("/one"), &["/one/ab", "/one/a/x"]).await;
    check(under("/"), &["/two/a/x", "/one/ab", "/one/a/x"]).await;
    check(LogQuery { agent: Some("ann".into()), ..LogQuery::default() }, &["/two/a/x", "/one/a/x"])
        .await;
    check(LogQuery { run: Some("run_2".into()), ..LogQuery::default() }, &["/two/a/x", "/one/ab"])
        .await;
    check(LogQuery { run: Some("run_2".into()), ..under("/one") }, &["/one/ab"]).await;
    check(LogQuery { tool: Some(Tool::Delete), ..LogQuery::default() }, &[]).await;
}

#[tokio::test]
async fn a_damaged_record_is_counted_and_hides_no_other() {
    let logged = logged();
    for number in 0..3 {
        logged.write("a", None, &format!("/one/{number}")).await;
    }
    let page = logged.table.scan(b"workspaces/audit/1/", None, 100).await.unwrap();
    let record = page.entries.iter().find(|entry| entry.value.starts_with(b"{")).unwrap();
    let spoiled = TableWrite::put(record.key.clone(), Expect::Anything, b"{".to_vec());
    logged.table.commit(vec![spoiled]).await.unwrap();
    let page = logged.page(&LogQuery { limit: 10, ..LogQuery::default() }).await;
    assert_eq!((page.records.len(), page.damaged), (2, 1));
}

#[tokio::test]
async fn a_cursor_of_other_workspaces_is_refused() {
    let logged = logged();
    logged.write("a", None, "/one/x").await;
    for text in ["00000000.1.2.3", "00000000.1"] {
        let from: LogCursor = text.parse().unwrap();
        let query = LogQuery { from: Some(from), limit: 1, ..LogQuery::default() };
        let refused = logged.ledgers.log(&logged.workspaces, &query).await.unwrap_err();
        assert!(refused.to_string().contains("begin at the newest record"), "{refused}");
    }
    for text in ["", "x", "1.", "1.-1", "a.99999999999999999999999"] {
        text.parse::<LogCursor>().unwrap_err();
    }
}
