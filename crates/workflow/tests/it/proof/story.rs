//! One run in which everything happens once, the same way each time.

use piton_core::{BoundedText, SessionId};
use piton_workflow::compile::CompiledWorkflow;
use piton_workflow::event::{ObservationRecorded, ObservedValue, PreferenceChange};
use piton_workflow::session::{
    Checkpoint, CheckpointReply, Continue, Prefer, Reply, Sessions, Start, SubmittedOutput,
};
use piton_workflow::{Autonomy, Confidence, ObservationKey, PreferenceSource};
use serde_json::{Value, json};

use crate::engine::samples::{control, decision, looped, step, workflow};
use crate::session::rig::{Rig, ack, body, object, start, state, strict_step};

/// What was asked and answered.
pub(super) struct Story {
    pub(super) session: SessionId,
    /// Every call that handed something in, with its answer.
    pub(super) calls: Vec<(Continue, Reply)>,
    /// Every reply that can be asked about again.
    pub(super) replies: Vec<Reply>,
    pub(super) bookmark: (Checkpoint, CheckpointReply),
    /// Where a run stands that goes on.
    pub(super) last: Reply,
}

pub(super) fn compiled() -> CompiledWorkflow {
    let turns = looped("again", 3, &[step("look"), decision("decide")]);
    workflow(&[strict_step("one"), step("two"), turns, step("end")])
}

fn seen(key: ObservationKey, value: &str) -> ObservationRecorded {
    let value = ObservedValue::ShortString(BoundedText::new(value).expect("it is short"));
    ObservationRecorded { key, value, confidence: Confidence::High }
}

struct Teller<'a> {
    rig: &'a Rig,
    tick: &'a dyn Fn(&Rig),
    calls: Vec<(Continue, Reply)>,
}

impl Teller<'_> {
    async fn say(&mut self, request: Continue) -> Reply {
        (self.tick)(self.rig);
        let reply = self.rig.sessions.proceed(request.clone()).await.expect("it is answered");
        self.calls.push((request, reply.clone()));
        reply
    }

    async fn submit(&mut self, asked: &Reply, notes: &str, artifacts: Vec<Value>) -> Reply {
        self.say(ack(asked, notes, artifacts)).await
    }
}

/// Tells the story in `rig`; `tick` is called before every call.
pub(super) async fn tell(rig: &Rig, tick: &dyn Fn(&Rig)) -> Story {
    let branch = |name| seen(ObservationKey::GitBranch, name);
    let request = Start {
        goal: Some("find the flaky test".to_owned()),
        context: object(json!({"ticket": "A-1", "files": [1, 2]})),
        observations: vec![branch("main")],
        ..start(&compiled())
    };
    tick(rig);
    let first = rig.sessions.start(request).await.expect("it starts");
    let mut told = Teller { rig, tick, calls: Vec::new() };
    let blocked = told.submit(&first, "done", vec![]).await;
    let artifacts = vec![
        json!({"kind": "wr.divergence", "reason": "efficiency_skip", "summary": "No callers."}),
        json!({"kind": "wr.capability_observation", "capability": "web_browsing",
               "result": "failure", "failureCode": "tool_missing"}),
        json!({"kind": "report", "found": [3, 50]}),
    ];
    let second = told
        .say(Continue {
            context: Some(object(json!({"files": null, "found": 3}))),
            observations: vec![branch("main"), branch("fix")],
            ..ack(&blocked, "```\ncargo test\n```\nIt fails 3 of 50 times.", artifacts)
        })
        .await;
    let look = told.submit(&second, "Two.", vec![]).await;
    let here = rig.sessions.proceed(state(&second)).await.expect("it is answered");
    let fork = told.submit(&here, "Two, in another way.", vec![]).await;
    tick(rig);
    let bookmark = Checkpoint {
        checkpoint_token: fork.body.checkpoint_token.clone().expect("a step is pending"),
        output: Some(SubmittedOutput {
            notes_markdown: Some("Before the risky part.".to_owned()),
            ..SubmittedOutput::default()
        }),
        label: None,
    };
    let made = rig.sessions.checkpoint(bookmark.clone()).await.expect("it is made");
    tick(rig);
    let prefer = Prefer {
        session: first.body.run.session_id,
        run: first.body.run.run_id,
        source: PreferenceSource::User,
        changes: vec![PreferenceChange::Autonomy(Autonomy::FullAutoNeverStop)],
    };
    rig.sessions.prefer(prefer).await.expect("it is recorded");
    let decide = told.submit(&fork, "", vec![]).await;
    let again = told.submit(&decide, "", vec![control("again", "continue")]).await;
    let calls = told.calls;
    let replies = vec![first, blocked, second, look, here, fork, decide, again.clone()];
    let session = again.body.run.session_id;
    Story { session, calls, replies, bookmark: (bookmark, made), last: again }
}

impl Story {
    /// Every answer so far as it is given by `sessions`, which must know what the story's store knows.
    pub(super) async fn answers(&self, sessions: &Sessions) -> Vec<String> {
        let mut answers = Vec::new();
        for (request, _) in &self.calls {
            answers.push(body(&sessions.proceed(request.clone()).await.expect("it was recorded")));
        }
        for reply in &self.replies {
            let here = sessions.proceed(state(reply)).await.expect("it was reached");
            answers.push(body(&here));
        }
        let again = sessions.checkpoint(self.bookmark.0.clone()).await.expect("it was made");
        assert_eq!(again, self.bookmark.1);
        answers
    }

    /// Goes on to the end, and gives the answers on the way.
    pub(super) async fn end(&self, sessions: &Sessions) -> Vec<Reply> {
        let mut replies = vec![self.last.clone()];
        for artifacts in [vec![], vec![control("again", "stop")], vec![]] {
            let asked = replies.last().expect("there is one");
            let reply = sessions.proceed(ack(asked, "Done.", artifacts)).await;
            replies.push(reply.expect("it is answered"));
        }
        assert!(replies.last().expect("there is one").body.is_complete);
        replies
    }
}
