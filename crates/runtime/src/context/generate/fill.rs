//! Generates frames node by node, several at a time, at the rate that a provider allows.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use piton_context::Error;
use piton_context::agent::ModelAnswer;
use piton_context::bounds::METADATA_VALUE_BYTES_MAX;
use piton_context::frame::{Appended, Frame, Metadata};
use piton_context::history::NodeRef;
use piton_context::tree::TreePath;
use piton_core::port::Clock;
use piton_core::{Timer, truncate};
use piton_models::{Error as ModelError, ModelClient, Options, ProviderName, Request, Usage};

use super::generate_frames::{Fate, Generated, GeneratedFrame, OnFailure};
use super::plan::{Generator, Plan};
use super::question::Question;

/// The dependencies of generation.
#[derive(Clone)]
pub struct GenerateSpec {
    /// Client for models. It retries where that is safe.
    pub models: Arc<dyn ModelClient>,
    pub clock: Arc<dyn Clock>,
    pub timer: Arc<dyn Timer>,
}

impl std::fmt::Debug for GenerateSpec {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("GenerateSpec")
    }
}

/// Progress of a generation.
#[derive(Clone, Copy, Debug)]
pub struct GenerateProgress<'a> {
    /// Number of finished nodes.
    pub done: usize,
    /// Number of all nodes.
    pub all: usize,
    /// The node that was just finished.
    pub node: &'a GeneratedFrame,
}

/// State shared by all nodes of one call.
struct Filling<'a> {
    generator: Generator<'a>,
    asking: &'a GenerateSpec,
    plan: &'a Plan,
    pace: Pace,
    stopped: AtomicBool,
    done: AtomicUsize,
}

impl Generator<'_> {
    /// Lets a model write the frames of a plan, and reports progress. Frames that already exist are not requested
    /// again.
    pub async fn generate(
        &self,
        plan: &Plan,
        asking: &GenerateSpec,
        report: &(dyn Fn(GenerateProgress<'_>) + Sync),
    ) -> Generated {
        let (clock, timer) = (Arc::clone(&asking.clock), Arc::clone(&asking.timer));
        let filling = Filling {
            generator: *self,
            asking,
            plan,
            pace: Pace::new(self.request.per_minute, clock, timer),
            stopped: AtomicBool::new(false),
            done: AtomicUsize::new(0),
        };
        filling.fill(report).await
    }
}

impl Filling<'_> {
    async fn fill(&self, report: &(dyn Fn(GenerateProgress<'_>) + Sync)) -> Generated {
        let mut generated = Generated::default();
        // Directories with something missing below them.
        let mut incomplete = BTreeSet::new();
        let all = self.plan.nodes();
        // Levels run from the deepest up, so the frames of all entries exist before their directory is asked about.
        for level in &self.plan.levels {
            let nodes = level.iter().map(|path| {
                let lacking = incomplete.contains(path);
                async move { (path, self.node(path, lacking).await) }
            });
            // `buffered` keeps the order of the nodes, so the report is the same however long each answer takes.
            let mut nodes = stream::iter(nodes).buffered(self.generator.request.at_once.max(1));
            let mut failed = Vec::new();
            while let Some((path, outcome)) = nodes.next().await {
                // A failure is reported for its own node. Everything made before it is still reported.
                let (node, usage) = match outcome {
                    Ok(outcome) => outcome,
                    Err(error) => (self.failed(path, &error.to_string()), None),
                };
                let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
                report(GenerateProgress { done, all, node: &node });
                // A directory cannot be described while something in it is missing, and neither can the directories
                // above it.
                if matches!(node.fate, Fate::Failed | Fate::NotStarted)
                    || (node.fate == Fate::Skipped && incomplete.contains(path))
                {
                    failed.extend(path.parent());
                }
                if let Some(usage) = usage {
                    generated.answers += 1;
                    generated.usage = generated.usage.plus(usage);
                }
                generated.nodes.push(node);
            }
            // The stream borrows `incomplete`, so it goes before the set is extended for the next level.
            drop(nodes);
            incomplete.extend(failed);
        }
        generated
    }

    /// Processes one node. Returns the result and its cost.
    async fn node(
        &self,
        path: &TreePath,
        lacking: bool,
    ) -> Result<(GeneratedFrame, Option<Usage>), Error> {
        let left = |fate, reason: &str| (GeneratedFrame::without(path, fate, reason), None);
        // Nodes of this level may be running already. They finish, but nothing new begins.
        if self.stopped.load(Ordering::Relaxed) {
            return Ok(left(Fate::NotStarted, "something before it failed"));
        }
        if lacking {
            return Ok(left(Fate::Skipped, "something in it failed"));
        }
        // Frames that people or agents wrote are not overwritten when a whole tree is filled.
        if let Some(kept) = self.generator.kept(path).await? {
            return Ok((kept, None));
        }
        // The plan keeps only paths, so the node itself is read here.
        let node = self.generator.record(&NodeRef::from(path)).await?;
        let question = match self.generator.question(&node, self.plan).await? {
            Ok(question) => question,
            Err(reason) => return Ok(left(Fate::Skipped, &reason)),
        };
        // The digest of the prompt and inputs identifies the question. A frame that answers it is never paid for twice.
        let (attempts, latest) =
            self.generator.latest(path, &question.given, &self.plan.prompt).await?;
        match latest {
            Some(frame) if !self.generator.request.force => {
                // The frame is identified by its question and attempt, so appending it without content finds the
                // existing one. That makes it the newest again, in case another frame has replaced it since.
                let answer = answer(&question, attempts, Vec::new(), Metadata::default());
                self.append(path, answer).await?;
                Ok((existing(&frame), None))
            }
            _ => self.ask(path, &question, attempts + 1).await,
        }
    }

    async fn ask(
        &self,
        path: &TreePath,
        question: &Question,
        attempt: u64,
    ) -> Result<(GeneratedFrame, Option<Usage>), Error> {
        self.pace.turn().await;
        // Checked again: another node may have failed while this one waited for its turn.
        if self.stopped.load(Ordering::Relaxed) {
            let reason = "something before it failed";
            return Ok((GeneratedFrame::without(path, Fate::NotStarted, reason), None));
        }
        let answered = match self.asking.models.complete(&self.sent(question)).await {
            Ok(answered) => answered,
            Err(error) => {
                // The provider's request for patience applies to every node, not only to this one.
                if let Some(wait) = error.retry_after_ms() {
                    self.pace.hold(Duration::from_millis(wait));
                }
                let more = match error {
                    ModelError::Truncated { .. } => "; allow more with --answer-tokens",
                    _ => "",
                };
                return Ok((self.failed(path, &format!("{error}{more}")), error.usage()));
            }
        };
        let usage = answered.usage;
        let text = answered.text.trim();
        if text.is_empty() {
            let reason = format!("{} sent no text ({})", answered.provider, answered.finish);
            return Ok((self.failed(path, &reason), Some(usage)));
        }
        let appended = match metadata(&answered) {
            Ok(said) => self.append(path, answer(question, attempt, text.into(), said)).await,
            Err(error) => Err(error),
        };
        // The answer is paid for, so its cost is reported even if it could not be kept.
        let appended = match appended {
            Ok(appended) => appended,
            Err(error) => return Ok((self.failed(path, &error.to_string()), Some(usage))),
        };
        let made = GeneratedFrame {
            path: path.clone(),
            fate: Fate::Made,
            frame: Some(appended.frame),
            provider: Some(answered.provider.to_string()),
            model: Some(answered.model),
            reason: None,
        };
        Ok((made, Some(usage)))
    }

    async fn append(&self, path: &TreePath, answer: ModelAnswer) -> Result<Appended, Error> {
        let Generator { agent, request, .. } = self.generator;
        agent.generate_frame(&NodeRef::from(path), &request.frame_type, answer).await
    }

    fn failed(&self, path: &TreePath, reason: &str) -> GeneratedFrame {
        if self.generator.request.on_failure == OnFailure::Stop {
            self.stopped.store(true, Ordering::Relaxed);
        }
        GeneratedFrame::without(path, Fate::Failed, reason)
    }

    /// Builds the request. Provider and model are those of the call, or else of the agent, or else the default. If the
    /// call names a provider, the agent's model does not apply.
    fn sent(&self, question: &Question) -> Request {
        let Generator { settings, request, .. } = self.generator;
        // Model names belong to a provider. Sent to another one, they would mean nothing.
        let own = settings.filter(|_| request.provider.is_none());
        let own_provider = own.and_then(|agent| agent.provider.as_deref());
        let own_provider = own_provider.and_then(|name| ProviderName::parse(name).ok());
        Request {
            provider: request.provider.clone().or(own_provider),
            model: request.model.clone().or_else(|| own?.model.clone()),
            messages: question.messages.clone(),
            options: Options { max_tokens: Some(request.answer_tokens_max), ..Options::default() },
            ..Request::default()
        }
    }
}

fn answer(question: &Question, attempt: u64, content: Vec<u8>, metadata: Metadata) -> ModelAnswer {
    ModelAnswer {
        prompt: question.prompt,
        given: question.given.clone(),
        attempt,
        content,
        metadata,
    }
}

/// Returns the metadata of a frame that a model wrote.
fn metadata(answered: &piton_models::Answer) -> Result<Metadata, Error> {
    let mut said = BTreeMap::from([
        ("provider".to_owned(), answered.provider.to_string()),
        ("model".to_owned(), truncate(&answered.model, METADATA_VALUE_BYTES_MAX).into_owned()),
        ("finish".to_owned(), answered.finish.to_string()),
    ]);
    let Usage { input_tokens, output_tokens, .. } = answered.usage;
    for (key, tokens) in [("input_tokens", input_tokens), ("output_tokens", output_tokens)] {
        said.extend(tokens.map(|tokens| (key.to_owned(), tokens.to_string())));
    }
    Metadata::new(said)
}

/// Reports a frame that already existed, with its author.
fn existing(frame: &Frame) -> GeneratedFrame {
    GeneratedFrame {
        path: frame.path.clone(),
        fate: Fate::Existing,
        frame: Some(frame.id),
        provider: frame.metadata.get("provider").map(str::to_owned),
        model: frame.metadata.get("model").map(str::to_owned),
        reason: None,
    }
}

/// Spreads calls evenly up to a number per minute, and starts none while a provider asks for patience.
struct Pace {
    between: Duration,
    next: Mutex<Duration>,
    clock: Arc<dyn Clock>,
    timer: Arc<dyn Timer>,
}

impl Pace {
    fn new(per_minute: Option<u32>, clock: Arc<dyn Clock>, timer: Arc<dyn Timer>) -> Self {
        const MINUTE: Duration = Duration::from_mins(1);
        let between = per_minute.map_or(Duration::ZERO, |calls| MINUTE / calls.max(1));
        Self { between, next: Mutex::new(Duration::ZERO), clock, timer }
    }

    /// Waits until a call may begin.
    async fn turn(&self) {
        let wait = {
            // Each caller reserves its start under the lock and sleeps outside of it. That spaces out concurrent
            // callers.
            let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
            let now = self.clock.monotonic();
            let start = now.max(*next);
            *next = start + self.between;
            start.saturating_sub(now)
        };
        if !wait.is_zero() {
            self.timer.sleep(wait).await;
        }
    }

    /// Delays the start of further calls. Calls that already have a start time keep it.
    fn hold(&self, wait: Duration) {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        *next = (*next).max(self.clock.monotonic() + wait);
    }
}
