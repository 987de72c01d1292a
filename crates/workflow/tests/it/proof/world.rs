//! A store with two processes over it, an agent that makes calls, and a memory of every first answer.

use std::collections::BTreeMap;
use std::sync::Arc;

use piton_core::error::Domain;
use piton_core::{Code, SessionId};
use piton_store::port::KeyRing;
use piton_workflow::compile::CompiledWorkflow;
use piton_workflow::event::PreferenceChange;
use piton_workflow::projection::SessionState;
use piton_workflow::session::{
    Checkpoint, Continue, Prefer, Reply, ReplyBody, ReplyKind, ReplyNotice, Start, StartKey,
    SubmittedOutput,
};
use piton_workflow::token::Payload;
use piton_workflow::{Autonomy, PreferenceSource, TokenString};
use serde_json::{Map, Value};

use super::act::{About, Act, Given, What, fits, output};
use super::answered::{Call, First, Known, payload, without_tokens};
use super::check::Checks;
use super::tally::Tally;
use crate::session::rig::{Rig, start_with, state};

/// Everything that is known from outside.
pub(super) struct World {
    workflow: CompiledWorkflow,
    processes: [Rig; 2],
    checks: Checks,
    rotations: u64,
    asked: Vec<Known>,
    calls: Vec<Call>,
    answered: BTreeMap<Call, (First, u64)>,
    pub(super) tally: Tally,
}

impl World {
    pub(super) async fn new(workflow: CompiledWorkflow) -> Self {
        let rig = Rig::memory();
        let processes = [rig.again(), rig];
        let checks = Checks::new(workflow.clone());
        let mut world = Self {
            workflow,
            processes,
            checks,
            rotations: 0,
            asked: Vec::new(),
            calls: Vec::new(),
            answered: BTreeMap::new(),
            tally: Tally::default(),
        };
        world.start(0, Autonomy::Guided, true).await;
        world
    }

    /// Does one thing, and checks that it wrote what it said that it wrote.
    pub(super) async fn act(&mut self, act: &Act) {
        let before = self.lengths().await;
        let wrote = self.carry_out(act).await;
        let after = self.lengths().await;
        assert_eq!(before != after, wrote, "{act:?}");
        self.tally.calls += 1;
        for (session, _) in after.iter().filter(|(session, len)| before.get(session) != Some(len)) {
            let rig = &self.processes[0];
            let events = rig.events(*session).await;
            self.checks.log(rig, &events).await;
        }
    }

    async fn lengths(&self) -> BTreeMap<SessionId, usize> {
        let rig = &self.processes[0];
        let mut lengths = BTreeMap::new();
        for stream in rig.journal.streams().await.expect("it can be listed") {
            let session = stream.as_str().parse().expect("it is a session");
            lengths.insert(session, rig.event_count(session).await);
        }
        lengths
    }

    /// Does one thing; says whether it wrote.
    async fn carry_out(&mut self, act: &Act) -> bool {
        let Act { what, process, about } = act;
        let known = about.of(&self.asked).cloned();
        match (what, known) {
            (What::Start { autonomy, keyed }, _) => self.start(*process, *autonomy, *keyed).await,
            (What::Repeat, _) => self.repeat(*process, about, false).await,
            (What::Differ, _) => self.repeat(*process, about, true).await,
            (What::Rotate, _) => self.rotate().await,
            (What::HandIn { given, told, short }, Some(known)) => {
                self.submit(*process, &known, *given, told.clone(), *short).await
            }
            (What::Rehydrate { short }, Some(known)) => {
                self.rehydrate(*process, &known, *short).await
            }
            (What::Bookmark, Some(known)) => self.bookmark(*process, &known).await,
            (What::Prefer(autonomy), Some(known)) => self.prefer(*process, &known, *autonomy).await,
            (What::Cross(other), Some(known)) => {
                let other = other.get(&self.asked).clone();
                self.cross(*process, &known, &other).await
            }
            (What::Garble(place), Some(known)) => {
                self.garble(*process, &known, place.index(usize::MAX)).await
            }
            (_, None) => false,
        }
    }

    fn is_alive(&self, known: &Known) -> bool {
        self.rotations <= known.minted + 1
    }

    fn learn(&mut self, reply: Reply) {
        if reply.body.ack_token.is_some() {
            self.asked.push(Known { reply, minted: self.rotations });
        }
    }

    fn remember(&mut self, call: Call, first: First) {
        self.calls.push(call.clone());
        self.answered.insert(call, (first, self.rotations));
    }

    async fn rotate(&mut self) -> bool {
        let keys: &Arc<dyn KeyRing> = &self.processes[0].keys;
        keys.rotate().await.expect("a ring in memory rotates");
        self.rotations += 1;
        self.tally.rotations += 1;
        false
    }

    async fn start(&mut self, process: usize, autonomy: Autonomy, keyed: bool) -> bool {
        let name = format!("run {}", self.calls.len());
        let key = keyed.then(|| StartKey { key: name.clone(), project_dir: "/work".to_owned() });
        let request =
            Start { key, goal: Some("A goal.".into()), ..start_with(&self.workflow, autonomy) };
        let reply = self.processes[process].sessions.start(request.clone()).await;
        let reply = reply.expect("it starts");
        if keyed {
            self.remember(Call::Start(name), First::Start(request, reply.body.clone()));
        }
        self.learn(reply);
        true
    }

    async fn submit(
        &mut self,
        process: usize,
        known: &Known,
        given: Given,
        told: Option<Map<String, Value>>,
        short: bool,
    ) -> bool {
        let asked = &known.reply;
        let long = asked.body.ack_token.clone().expect("a step is pending");
        let call = Call::HandIn(payload(&long));
        let next = asked.body.next_call.clone().expect("a step is pending");
        let ack_token = if short { next.params.ack_token } else { Some(long) };
        let output = Some(output(asked, given));
        let request = Continue { ack_token, output, context: told, ..Continue::default() };
        let autonomy = self.autonomy(asked).await;
        let answer = self.processes[process].sessions.proceed(request.clone()).await;
        if !self.is_alive(known) {
            assert_eq!(answer.expect_err("its key is gone").code(), Code::TokenBadSignature);
            self.tally.refused += 1;
            return false;
        }
        let reply = answer.expect("it is answered");
        if self.answered.contains_key(&call) {
            self.check_again(&call, &reply.body);
            let (First::HandIn(first, _), _) = &self.answered[&call] else { panic!("{call:?}") };
            assert_eq!(reply.notices.is_empty(), first.output == request.output);
            self.learn(reply);
            return false;
        }
        let fits = fits(&self.workflow, asked, given);
        let stops = !fits && autonomy != Autonomy::FullAutoNeverStop;
        assert_eq!(reply.body.kind == ReplyKind::Blocked, stops, "{asked:?} {given:?}");
        assert_eq!(reply.body.blockers.is_some(), stops);
        assert_eq!(reply.body.gaps_recorded.is_empty(), fits || stops);
        assert_eq!(reply.notices, []);
        if let Some(report) = &reply.body.blockers {
            let text = reply.text();
            assert!(report.blockers().iter().all(|blocker| blocker.suggested_fix.is_some()));
            assert!(text.ends_with('}') && text.contains("Next: continue_workflow {"), "{text}");
        }
        let count = if stops { &mut self.tally.blocked } else { &mut self.tally.advanced };
        *count += 1;
        self.remember(call, First::HandIn(request, reply.body.clone()));
        self.learn(reply);
        true
    }

    /// What a person wants at the node that a reply is about.
    async fn autonomy(&self, asked: &Reply) -> Autonomy {
        let long = asked.body.ack_token.as_ref().expect("a step is pending");
        let token: TokenString = long.parse().expect("it is a token");
        let said = Payload::decode(token.kind(), &token.payload_bytes()).expect("it is whole");
        let address = said.address();
        let projected = SessionState::of(&self.processes[0].events(address.session).await);
        let run = projected.run(address.run).expect("it was started");
        run.preferences.effective(address.node).expect("a start sets them").autonomy
    }

    /// Compares an answer with the first one to the same call.
    fn check_again(&mut self, call: &Call, body: &ReplyBody) {
        let (first, rotation) = &self.answered[call];
        let (First::Start(_, first) | First::HandIn(_, first)) = first else { panic!("{call:?}") };
        assert_eq!(without_tokens(body), without_tokens(first), "{call:?}");
        if *rotation == self.rotations {
            assert_eq!(serde_json::to_vec(body).ok(), serde_json::to_vec(first).ok(), "{call:?}");
        }
        self.tally.repeated += 1;
    }

    async fn repeat(&mut self, process: usize, about: &About, differ: bool) -> bool {
        let Some(call) = about.of(&self.calls).cloned() else { return false };
        self.call_again(process, &call, differ).await;
        false
    }

    /// Makes a call again in one of the processes.
    async fn call_again(&mut self, process: usize, call: &Call, differ: bool) {
        let (first, rotation) = self.answered[call].clone();
        let sessions = self.processes[process].sessions.clone();
        let code = match first {
            First::Start(request, _) => {
                let reply = sessions.start(request).await.expect("it was started before");
                self.check_again(call, &reply.body);
                self.learn(reply);
                return;
            }
            First::HandIn(mut request, _) => {
                if differ {
                    let output = request.output.get_or_insert_default();
                    output.notes_markdown = Some("Something else.".to_owned());
                }
                match sessions.proceed(request).await {
                    Ok(reply) => {
                        self.check_again(call, &reply.body);
                        assert_eq!(reply.notices.len(), usize::from(differ));
                        self.fresh(&reply).await;
                        self.learn(reply);
                        return;
                    }
                    Err(error) => error.code(),
                }
            }
            First::Bookmark(request, first) => match sessions.checkpoint(request).await {
                Ok(reply) => {
                    assert_eq!(reply.body.checkpoint_node_id, first.checkpoint_node_id);
                    assert_eq!(reply.body.run, first.run);
                    assert!(rotation != self.rotations || reply.body == first);
                    self.tally.repeated += 1;
                    return;
                }
                Err(error) => error.code(),
            },
        };
        assert!(self.rotations > rotation, "the token of {call:?} is good");
        assert_eq!(code, Code::TokenBadSignature);
        self.tally.refused += 1;
    }

    /// The token for an output that was not recorded is good.
    async fn fresh(&self, reply: &Reply) {
        for notice in &reply.notices {
            if let ReplyNotice::OutputNotRecorded { ack_token, .. } = notice {
                let crossed = Continue {
                    ack_token: Some(ack_token.clone()),
                    state_token: Some(ack_token.clone()),
                    ..Continue::default()
                };
                let error = self.processes[0].sessions.proceed(crossed).await;
                assert_eq!(error.expect_err("one kind").code(), Code::TokenScopeMismatch);
            }
        }
    }

    async fn rehydrate(&mut self, process: usize, known: &Known, short: bool) -> bool {
        let token = known.reply.body.state_token.clone();
        let request = state(&known.reply);
        let here = self.processes[process].sessions.proceed(request.clone()).await;
        if !self.is_alive(known) {
            assert_eq!(here.expect_err("its key is gone").code(), Code::TokenBadSignature);
            self.tally.refused += 1;
            return false;
        }
        let here = here.expect("it is answered");
        // One that reads the log from its beginning says the same as one that followed it.
        let cold = self.processes[0].again();
        let there = cold.sessions.reader().rehydrate(&token).await.expect("it is answered");
        assert_eq!(here, there);
        if short && let Some(bookmark) = self.bookmark_of(&here) {
            let request = Continue { state_token: Some(bookmark), ..Continue::default() };
            let again = cold.sessions.proceed(request).await.expect("it is answered");
            assert_eq!(payload(&again.body.state_token), payload(&here.body.state_token));
        }
        self.learn(here);
        false
    }

    /// The short state token of a bookmark on the node of `reply`, if it is good still.
    fn bookmark_of(&self, reply: &Reply) -> Option<String> {
        let here = payload(&reply.body.state_token);
        self.answered.values().find_map(|(first, rotation)| match first {
            First::Bookmark(_, body)
                if payload(&body.state_token) == here && self.rotations <= rotation + 1 =>
            {
                body.next_call.params.state_token.clone()
            }
            _ => None,
        })
    }

    async fn bookmark(&mut self, process: usize, known: &Known) -> bool {
        let token = known.reply.body.checkpoint_token.clone().expect("a step is pending");
        let call = Call::Bookmark(payload(&token));
        let is_new = !self.answered.contains_key(&call);
        let notes_markdown = Some("A bookmark.".to_owned());
        let output = Some(SubmittedOutput { notes_markdown, ..SubmittedOutput::default() });
        let request = Checkpoint { checkpoint_token: token, output, label: None };
        let answer = self.processes[process].sessions.checkpoint(request.clone()).await;
        if !self.is_alive(known) {
            assert_eq!(answer.expect_err("its key is gone").code(), Code::TokenBadSignature);
            self.tally.refused += 1;
            return false;
        }
        let body = answer.expect("it is made").body;
        assert_eq!(payload(&body.state_token), payload(&known.reply.body.state_token));
        if is_new {
            self.remember(call, First::Bookmark(request, body));
        } else {
            self.tally.repeated += 1;
        }
        is_new
    }

    async fn prefer(&mut self, process: usize, known: &Known, autonomy: Autonomy) -> bool {
        let run = &known.reply.body.run;
        let request = Prefer {
            session: run.session_id,
            run: run.run_id,
            source: PreferenceSource::User,
            changes: vec![PreferenceChange::Autonomy(autonomy)],
        };
        let before = self.lengths().await;
        let effective = self.processes[process].sessions.prefer(request.clone()).await;
        assert_eq!(effective.expect("it is recorded").autonomy, autonomy);
        let wrote = self.lengths().await != before;
        let again = self.processes[1 - process].sessions.prefer(request).await;
        assert_eq!(again.expect("it is known").autonomy, autonomy);
        wrote
    }

    async fn cross(&mut self, process: usize, known: &Known, other: &Known) -> bool {
        let same = payload(&known.reply.body.state_token) == payload(&other.reply.body.state_token);
        if same {
            return false;
        }
        let request = Continue {
            ack_token: known.reply.body.ack_token.clone(),
            state_token: Some(other.reply.body.state_token.clone()),
            output: Some(output(&known.reply, Given::Good)),
            ..Continue::default()
        };
        let error = self.processes[process].sessions.proceed(request).await;
        let are_alive = self.is_alive(known) && self.is_alive(other);
        let code = if are_alive { Code::TokenScopeMismatch } else { Code::TokenBadSignature };
        assert_eq!(error.expect_err("they are crossed").code(), code);
        self.tally.refused += 1;
        false
    }

    async fn garble(&mut self, process: usize, known: &Known, place: usize) -> bool {
        let mut token = known.reply.body.ack_token.clone().expect("a step is pending").into_bytes();
        let place = place % token.len();
        token[place] = if token[place] == b'A' { b'B' } else { b'A' };
        let request = Continue {
            ack_token: Some(String::from_utf8(token).expect("it is plain text")),
            output: Some(output(&known.reply, Given::Good)),
            ..Continue::default()
        };
        let error = self.processes[process].sessions.proceed(request).await;
        assert_eq!(error.expect_err("it was changed").code().domain(), Domain::Token);
        self.tally.refused += 1;
        false
    }

    /// Makes every call again, in a process that has read nothing yet.
    pub(super) async fn all_again(&mut self) {
        let before = self.lengths().await;
        self.processes[1] = self.processes[0].again();
        for call in self.calls.clone() {
            self.call_again(1, &call, false).await;
        }
        assert_eq!(self.lengths().await, before);
    }
}
