//! How fast models are asked, by a clock that moves only when somebody waits.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use piton_core::TimestampMs;
use piton_core::port::{Clock, fixed::ManualClock};
use piton_models::{
    Answer, AnswerStream, BoxFuture, Error, ModelClient, ProviderName, Request, Scripted,
};
use piton_runtime::context::generate::{
    GenerateFrames, GenerateProgress, GenerateSpec, Generator, OnFailure,
};
use piton_runtime::context::{ContextPorts, ContextSettings, ProjectContext, ProjectLocation};
use piton_runtime::project_env::project_dir;
use piton_store::memory::{MemoryBlobs, MemoryLeases, MemoryTable};

/// Models that remember when they were asked.
struct Watched {
    inner: Scripted,
    clock: Arc<ManualClock>,
    asked: Mutex<Vec<u64>>,
}

impl ModelClient for Watched {
    fn complete<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Answer, Error>> {
        self.asked.lock().unwrap().push(self.clock.monotonic().as_secs());
        self.inner.complete(request)
    }

    fn stream(&self, request: &Request) -> AnswerStream {
        self.inner.stream(request)
    }
}

/// Fills a project of these files with what models say, and returns how far it was each time that was told.
async fn fill(
    clock: &Arc<ManualClock>,
    models: Arc<dyn ModelClient>,
    files: usize,
    per_minute: Option<u32>,
    at_once: usize,
) -> Vec<(usize, usize)> {
    let dir = tempfile::tempdir().unwrap();
    for number in 0..files {
        let name = number.to_string();
        std::fs::write(dir.path().join(&name), name).unwrap();
    }
    let ports = ContextPorts {
        table: Arc::new(MemoryTable::new()),
        blobs: Arc::new(MemoryBlobs::new(clock.clone())),
        leases: Arc::new(MemoryLeases::new(clock.clone())),
        clock: clock.clone(),
        stamps: None,
    };
    let project = project_dir(None, [dir.path()]).unwrap().unwrap();
    let location = ProjectLocation::find(project.path(), None).unwrap();
    let project = ProjectContext::open(&ports, location, ContextSettings::default());
    project.context.scan(false, None).await.unwrap();
    let acting = project.act_as(None).unwrap();
    let request = GenerateFrames {
        node: ".".to_owned(),
        frame_type: "summary".parse().unwrap(),
        prompt: Some("Say what it is.".to_owned()),
        related: Vec::new(),
        provider: None,
        model: None,
        recursive: true,
        force: false,
        on_failure: OnFailure::Continue,
        answer_tokens_max: 100,
        at_once,
        per_minute,
    };
    let generator = Generator::new(&project.settings, &acting, &request);
    let plan = generator.plan().await.unwrap();
    let asking = GenerateSpec { models, clock: clock.clone(), timer: clock.clone() };
    clock.advance(Duration::from_secs(100));
    let told = Mutex::new(Vec::new());
    let tell = |now: GenerateProgress<'_>| told.lock().unwrap().push((now.done, now.all));
    generator.generate(&plan, &asking, &tell).await;
    told.into_inner().unwrap()
}

/// Fills a project of four files with these answers, and says at which second each was asked for.
async fn asked_at(per_minute: Option<u32>, script: Vec<Result<Answer, Error>>) -> Vec<u64> {
    let clock = Arc::new(ManualClock::new(TimestampMs(0)));
    let models = Arc::new(Watched {
        inner: Scripted::new(script),
        clock: clock.clone(),
        asked: Mutex::default(),
    });
    fill(&clock, models.clone(), 4, per_minute, 1).await;
    models.asked.lock().unwrap().iter().map(|second| second - 100).collect()
}

/// Models that answer only after everybody else who could ask did.
#[derive(Default)]
struct Crowd {
    under_way: AtomicUsize,
    most: AtomicUsize,
}

impl ModelClient for Crowd {
    fn complete<'a>(&'a self, _: &'a Request) -> BoxFuture<'a, Result<Answer, Error>> {
        Box::pin(async {
            let now = self.under_way.fetch_add(1, Ordering::Relaxed) + 1;
            self.most.fetch_max(now, Ordering::Relaxed);
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            self.under_way.fetch_sub(1, Ordering::Relaxed);
            Ok(text())
        })
    }

    fn stream(&self, _: &Request) -> AnswerStream {
        unreachable!("whole answers are asked for")
    }
}

// shows in part: CT-075 (the part about bounded concurrency, and that progress is reported)
#[tokio::test]
async fn as_many_models_are_asked_at_once_as_allowed_and_no_more() {
    for at_once in [1, 3] {
        let clock = Arc::new(ManualClock::new(TimestampMs(0)));
        let crowd = Arc::new(Crowd::default());
        let told = fill(&clock, crowd.clone(), 8, None, at_once).await;
        assert_eq!(crowd.most.load(Ordering::Relaxed), at_once);
        let expected: Vec<(usize, usize)> = (1..=9).map(|done| (done, 9)).collect();
        assert_eq!(told, expected);
    }
}

fn text() -> Answer {
    Scripted::text("an answer")
}

fn later(retry_after_ms: Option<u64>) -> Error {
    let words = "slow down".to_owned();
    Error::RateLimited { provider: ProviderName::scripted(), words, retry_after_ms }
}

// shows in part: CT-075 (the part about rate limits)
#[tokio::test]
async fn models_are_asked_no_faster_than_a_minute_allows() {
    let answers = || (0..5).map(|_| Ok(text())).collect();
    assert_eq!(asked_at(Some(4), answers()).await, [0, 15, 30, 45, 60]);
    assert_eq!(asked_at(Some(60), answers()).await, [0, 1, 2, 3, 4]);
    assert_eq!(asked_at(None, answers()).await, [0, 0, 0, 0, 0]);
}

// shows in part: CT-075 (the part that a provider which asks for patience is given it)
#[tokio::test]
async fn a_provider_that_asks_for_patience_is_left_alone_for_so_long() {
    // The directory is left out, because something in it failed.
    let script = vec![Ok(text()), Err(later(Some(90_000))), Ok(text()), Ok(text())];
    assert_eq!(asked_at(Some(4), script).await, [0, 15, 105, 120]);
    let script = vec![Ok(text()), Err(later(None)), Ok(text()), Ok(text())];
    assert_eq!(asked_at(Some(4), script).await, [0, 15, 30, 45]);
}
