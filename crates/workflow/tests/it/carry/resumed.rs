//! Runs that an agent began in one data directory and goes on with in another.

use std::sync::Arc;

use piton_core::port::fixed::{ManualClock, SeededEntropy};
use piton_core::{Code, SessionId, TimestampMs};
use piton_store::memory::{MemoryIndex, MemoryLeases, MemoryTable};
use piton_workflow::bundle::Bundle;
use piton_workflow::projection::SessionState;
use piton_workflow::session::Reply;
use piton_workflow::token::{Payload, StatePayload};
use piton_workflow::transfer::{export, import};
use piton_workflow::{NodeAddress, SessionPorts};
use serde_json::json;

use super::store::producer;
use crate::engine::samples::{step, workflow};
use crate::session::rig::{Rig, ack, pending};
use crate::token::samples::mint;

/// What carrying needs besides the store of a rig.
struct Hands {
    table: MemoryTable,
    leases: MemoryLeases,
    index: MemoryIndex,
    clock: ManualClock,
    entropy: SeededEntropy,
}

impl Hands {
    fn new(seed: u64) -> Self {
        let (table, clock) = (MemoryTable::new(), ManualClock::new(TimestampMs(0)));
        let leases = MemoryLeases::new(Arc::new(ManualClock::new(TimestampMs(0))));
        let index = MemoryIndex::new();
        Self { table, leases, index, clock, entropy: SeededEntropy::new(seed) }
    }

    fn ports<'a>(&'a self, rig: &'a Rig) -> SessionPorts<'a> {
        SessionPorts {
            journal: rig.journal.as_ref(),
            blobs: rig.blobs.as_ref(),
            table: &self.table,
            index: &self.index,
            leases: &self.leases,
            clock: &self.clock,
            entropy: &self.entropy,
        }
    }
}

/// What an agent reads when it resumes the only run of `session`, with a token that is minted here.
async fn take_up(rig: &Rig, session: SessionId) -> Reply {
    let state = SessionState::of(&rig.events(session).await);
    let run = &state.runs()[0];
    let node = run.graph.preferred_tip().unwrap().id;
    let address = NodeAddress { session, run: run.id, node };
    let payload = StatePayload { address, workflow_hash: run.started.workflow_hash };
    let token = mint(&Payload::State(payload), rig.keys.as_ref()).await.unwrap();
    rig.sessions.reader().rehydrate(token.as_str()).await.unwrap()
}

// shows: WR-218, WR-468, WR-476
#[tokio::test]
async fn an_agent_goes_on_with_an_imported_run_and_with_a_second_copy_of_it() {
    let dir = tempfile::tempdir().unwrap();
    let home = Rig::local(dir.path(), 1);
    let first = home.start(&workflow(&[step("one"), step("two"), step("three")])).await;
    let artifact = json!({"kind": "project.list", "items": [1, 2, 3]});
    let second = home.submit(&first, "Did one.", vec![artifact]).await.unwrap();
    let session = second.body.run.session_id;
    let at_home = take_up(&home, session).await;
    let bundle = export(Hands::new(1).ports(&home), session, producer()).await.unwrap();
    let bytes = bundle.encode().unwrap().into_vec();

    let elsewhere = tempfile::tempdir().unwrap();
    let (away, hands) = (Rig::local(elsewhere.path(), 500), Hands::new(2));
    let bundle = Bundle::read(&bytes).unwrap();
    let imported = import(hands.ports(&away), &bundle).await.unwrap();
    let copied = import(hands.ports(&away), &bundle).await.unwrap();
    assert_eq!((imported.session, copied.renamed_from), (session, Some(session)));

    let refused = away.sessions.proceed(ack(&second, "Did two.", vec![])).await.unwrap_err();
    assert_eq!(refused.code(), Code::TokenBadSignature, "tokens do not travel");
    for session in [imported.session, copied.session] {
        let mut reply = take_up(&away, session).await;
        assert_eq!(reply.body.run.session_id, session);
        assert_eq!(reply.body.pending, at_home.body.pending, "the same prompt and recap");
        for step in ["two", "three"] {
            assert_eq!(pending(&reply), step);
            reply = away.notes(&reply, &format!("Did {step}.")).await;
        }
        assert!(reply.body.is_complete);
        let bundle = export(hands.ports(&away), session, producer()).await.unwrap();
        assert!(bundle.content().events.len() > imported.events);
    }
    // The run at home is where it was.
    assert_eq!(take_up(&home, session).await, at_home);
}
