//! Starts and resumes runs, and records a person's verdict on the step that one waits at, or which branch they prefer.

use std::cmp::Reverse;
use std::sync::Arc;

use piton_core::{Code, Envelope, RunId, SessionId};
use piton_workflow::bounds::{RESUME_CANDIDATES_MAX, SOURCE_REF_BYTES_MAX};
use piton_workflow::label::Label;
use piton_workflow::projection::{PersonName, Ranking, ResumeQuery, RunSummary, WhyMatched};
use piton_workflow::run_index::{Offers, UnreadableSession};
use piton_workflow::session::{
    self, PersonVerdict, PreferBranch, PreferredBranch, Reply, ReplyNotice, SettleRequest,
    SettledStep, SourcedWorkflow, Start, StartKey,
};

use super::artifacts::content_lost;
use super::runtime::Runtime;
use crate::config::ConfigProblem;
use crate::connection::Connection;
use crate::library::{FoundWorkflow, LibraryWorkflow};
use crate::project_env::{Checkout, ProjectDir, checkout, observations};
use crate::provenance::{NodeReference, Placed};
use crate::reply::{ResumeCandidate, ResumeCandidates, Searched};
use crate::request::{ResumeSession, SessionReference, StartWorkflow};

impl Connection {
    /// Starts a run, or returns the one that was started under the same key.
    pub async fn start_workflow(&self, request: StartWorkflow) -> Result<Reply, Envelope> {
        let (runtime, project) = (&self.runtime, self.project(request.project_dir.as_deref())?);
        let path = project.as_ref().map(ProjectDir::path);
        let settings = runtime.settings_for(path);
        let settings = settings.map_err(|found| ConfigProblem::envelope(&found))?;
        let contents = runtime.library_contents(&settings, path);
        let FoundWorkflow { workflow, warning, .. } = contents.find(&request.workflow_id)?;
        let project_dir = project.as_ref().map(ProjectDir::text);
        let key = request.start_key.map(|key| {
            let project_dir = project_dir.clone().unwrap_or_default();
            StartKey { key, project_dir }
        });
        let start = Start {
            workflow: SourcedWorkflow {
                compiled: Arc::clone(&workflow.workflow),
                source_kind: workflow.kind,
                source_ref: source_ref(workflow),
            },
            goal: request.goal,
            context: request.context.unwrap_or_default(),
            preferences: settings.preferences(),
            // The checkout at the start is recorded, so that the run can be found by branch or commit later.
            observations: path.and_then(checkout).as_ref().map(observations).unwrap_or_default(),
            key,
        };
        let mut reply = runtime.sessions.start(start).await?;
        let other_id = warning.map(|warning| ReplyNotice::OtherId { message: warning + "." });
        reply.notices.extend(other_id);
        reply.notices.extend(project_dir.map(|path| ReplyNotice::ProjectDir { path }));
        reply.notices.extend(self.note(&reply.body.run, reply.body.is_complete));
        Ok(reply)
    }

    /// Finds runs to resume.
    pub async fn resume_session(
        &self,
        request: &ResumeSession,
    ) -> Result<ResumeCandidates, Envelope> {
        let (runtime, project) = (&self.runtime, self.project(None)?);
        let mut reply = ResumeCandidates::default();
        let found = if request.session_id.is_some() || request.run_id.is_some() {
            runtime.named(request.session_id, request.run_id).await?
        } else {
            let ResumeSession { query, git_branch, git_head_sha, .. } = request;
            // Without any criteria, the checkout of the project is the best hint of which run is meant.
            let around = if query.is_none() && git_branch.is_none() && git_head_sha.is_none() {
                project.and_then(|project| checkout(project.path()))
            } else {
                None
            };
            let here = |text: fn(&Checkout) -> Option<&str>| around.as_ref().and_then(text);
            let query = ResumeQuery {
                text: query.as_deref(),
                head_sha: git_head_sha.as_deref().or(here(|it| it.head.as_deref())),
                branch: git_branch.as_deref().or(here(|it| it.branch.as_deref())),
                with_completed: request.include_completed,
            };
            reply.searched = Some(Searched {
                query: query.text.map(str::to_owned),
                git_branch: query.branch.map(str::to_owned),
                git_head_sha: query.head_sha.map(str::to_owned),
                include_completed: query.with_completed,
            });
            let Offers { ranking, unreadable } = runtime.recall.resume(&query).await?;
            let Ranking { offers, more, completed_left_out } = ranking;
            reply = ResumeCandidates { more, completed_left_out, unreadable, ..reply };
            offers.into_iter().map(|offer| (offer.summary, offer.why)).collect()
        };
        let mut failed = None;
        for (summary, why) in found {
            // A run that can no longer be read is counted, not offered.
            match runtime.candidate(&summary, why).await {
                Ok(candidate) => reply.candidates.push(candidate),
                Err(error) => {
                    reply.unreadable += 1;
                    let error = content_lost(summary.session_id, error.envelope());
                    failed = failed.or(Some(error));
                }
            }
        }
        match failed {
            // Runs were found, but none can be resumed. An empty list would claim that there are none.
            Some(error) if reply.candidates.is_empty() => Err(error),
            _ => Ok(reply),
        }
    }
}

impl Runtime {
    /// Records a person's verdict about the run that they name. The agent's next call acts on it.
    pub async fn settle_run(
        &self,
        run: &SessionReference,
        by: Option<PersonName>,
        verdict: PersonVerdict,
    ) -> Result<SettledStep, Envelope> {
        let (session, run) = self.meant_run(run).await?;
        self.settle_question(SettleRequest { by, ..SettleRequest::new(session, run, verdict) })
            .await
    }

    /// Records a person's verdict, unless it says nothing. One about a question that they saw counts only while that
    /// question is open; otherwise the error says who decided what, and when.
    pub async fn settle_question(&self, request: SettleRequest) -> Result<SettledStep, Envelope> {
        // An empty answer would be recorded as a decision without content.
        if let PersonVerdict::Answered(text) | PersonVerdict::Refused(text) = &request.verdict
            && text.trim().is_empty()
        {
            let words = "Nothing was said, so nothing was recorded: the agent acts on these words.";
            return Err(Envelope::new(Code::ValidationError, words)
                .with_suggestion("Say it in a few words: the answer, or why not."));
        }
        Ok(self.sessions.record_verdict(request).await?)
    }

    /// Makes the branch of a step the one that its run is at. The agent that resumes the run continues there.
    pub async fn prefer_branch(
        &self,
        reference: &NodeReference,
        by: Option<PersonName>,
    ) -> Result<PreferredBranch, Envelope> {
        let Placed { session, run, node, .. } = self.placed(reference).await?;
        Ok(self.sessions.prefer_branch(PreferBranch { session, run: run.id, node, by }).await?)
    }

    /// Returns the open runs of all sessions whose label matches, newest first.
    pub(crate) async fn open_runs_with(
        &self,
        is_meant: impl Fn(Label) -> bool,
    ) -> Result<Vec<(SessionId, RunId)>, Envelope> {
        let mut runs = self.recall.list().await?.runs;
        runs.retain(|run| !run.status.is_complete() && is_meant(run.label));
        runs.sort_by_key(|run| (Reverse(run.active_at), run.session_id, run.run_id));
        Ok(runs.iter().map(|run| (run.session_id, run.run_id)).collect())
    }

    /// Returns the runs that an id names.
    async fn named(
        &self,
        session: Option<SessionId>,
        run: Option<RunId>,
    ) -> Result<Vec<(Arc<RunSummary>, Vec<WhyMatched>)>, Envelope> {
        let listing = self.recall.list().await?;
        let is_meant = |summary: &Arc<RunSummary>| {
            session.is_none_or(|session| summary.session_id == session)
                && run.is_none_or(|run| summary.run_id == run)
        };
        let found: Vec<_> = listing
            .runs
            .into_iter()
            .filter(is_meant)
            .take(RESUME_CANDIDATES_MAX)
            .map(|summary| (summary, Vec::new()))
            .collect();
        if !found.is_empty() {
            return Ok(found);
        }
        // A session that cannot be read is not in the listing of runs. Its error says more than "not found".
        let name = session.map(|session| session.to_string());
        let troubled = listing.troubled.iter().find(|one| match &name {
            Some(name) => name == one.stream.as_str(),
            None => run.is_some_and(|run| one.runs.contains(&run)),
        });
        Err(troubled.map_or_else(|| not_found(session, run), unreadable))
    }

    async fn candidate(
        &self,
        summary: &RunSummary,
        why_matched: Vec<WhyMatched>,
    ) -> Result<ResumeCandidate, session::Error> {
        let reader = self.sessions.reader();
        let taken_up = reader.take_up(summary.session_id, summary.run_id).await?;
        Ok(ResumeCandidate {
            session_id: summary.session_id,
            run_id: summary.run_id,
            label: summary.label,
            title: summary.title.to_string(),
            workflow_id: summary.workflow.id.clone(),
            step: summary.step.clone(),
            status: summary.status,
            active_at: summary.active_at,
            git_branch: summary.surroundings.branch.as_ref().map(ToString::to_string),
            snippet: summary.snippet().into_owned(),
            why_matched,
            state_token: taken_up.state_token,
            next_call: taken_up.next_call,
        })
    }
}

/// Returns the location of a workflow's file, for people. Only the end of a path that is too long is kept.
fn source_ref(workflow: &LibraryWorkflow) -> String {
    let Some(path) = &workflow.path else { return "piton".to_owned() };
    let text = path.display().to_string();
    if text.len() <= SOURCE_REF_BYTES_MAX {
        return text;
    }
    text[text.ceil_char_boundary(text.len() - SOURCE_REF_BYTES_MAX)..].to_owned()
}

fn not_found(session: Option<SessionId>, run: Option<RunId>) -> Envelope {
    let what = match (session, run) {
        (Some(session), Some(run)) => format!("no run {run} in a session {session}"),
        (Some(session), None) => format!("no session {session}"),
        (None, Some(run)) => format!("no run {run}"),
        (None, None) => "no such run".to_owned(),
    };
    Envelope::new(Code::SessionNotFound, format!("There is {what} in this data directory."))
        .with_suggestion(
            "Call resume_session with words of the run's goal or notes, or with nothing for the open runs that were \
             active last.",
        )
}

/// Returns the reason that a session cannot be read, with the command that shows what helps.
pub(super) fn unreadable(troubled: &UnreadableSession) -> Envelope {
    let trouble = match &troubled.trouble {
        session::Error::Store(error) => error.envelope(),
        other => Envelope::new(other.code(), format!("The session cannot be read: {other}.")),
    };
    // The events, or content that they refer to, are damaged. A check says which, and what helps.
    match troubled.stream.as_str().parse() {
        Ok(session) => content_lost(session, trouble),
        Err(_) => trouble,
    }
}
