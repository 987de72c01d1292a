//! The stream of changes.

use std::time::Duration;

use piton_runtime::{ChangeHint, ChangedPart};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::browser::{Browser, Machine};

/// An open stream of changes.
struct Events {
    stream: TcpStream,
    text: String,
}

/// One event: its id, kind and data.
type Event = (String, String, String);

impl Events {
    async fn open(browser: &Browser, last: Option<&str>) -> Self {
        let mut headers = browser.own();
        headers.extend(last.map(|id| ("Last-Event-ID".to_owned(), id.to_owned())));
        let stream = browser.begin("GET /api/v1/changes", &headers, b"").await;
        Self { stream, text: String::new() }
    }

    /// Returns the next event. The chunks that carry the text are taken apart by its empty lines.
    async fn next(&mut self) -> Event {
        loop {
            if let Some(start) = self.text.find("id: ")
                && let Some(end) = self.text[start..].find("\n\n")
            {
                let event = self.text[start..start + end].to_owned();
                self.text.drain(..start + end + 2);
                let field = |name: &str| {
                    let line = event.lines().find_map(|line| line.strip_prefix(name));
                    line.unwrap_or_default().to_owned()
                };
                return (field("id: "), field("event: "), field("data: "));
            }
            let mut bytes = [0; 4096];
            let read = timeout(Duration::from_secs(10), self.stream.read(&mut bytes)).await;
            let count = read.expect("an event comes").unwrap();
            assert!(count > 0, "the stream ended: {}", self.text);
            self.text += std::str::from_utf8(&bytes[..count]).unwrap();
        }
    }
}

fn run(name: &str) -> ChangeHint {
    ChangeHint { part: ChangedPart::Session, name: Some(name.to_owned()), cursor: None }
}

/// Reports until the console's watch, which begins after its first stream opened, is there.
async fn report_until_heard(machine: &Machine, events: &mut Events) -> Event {
    for number in 0.. {
        machine.changes.report(&run(&format!("warm-{number}")));
        if let Ok(event) = timeout(Duration::from_millis(50), events.next()).await {
            return event;
        }
    }
    unreachable!("some report is heard");
}

#[tokio::test]
async fn a_page_hears_of_changes_and_continues_after_its_last_event() {
    let machine = Machine::start().await;
    let browser = machine.entered().await;
    let mut events = Events::open(&browser, None).await;
    let (first, kind, _) = events.next().await;
    assert_eq!(kind, "open");
    let (process, number) = first.split_once('-').unwrap();
    assert!(!process.is_empty() && number.parse::<u64>().is_ok(), "{first}");
    report_until_heard(&machine, &mut events).await;
    machine.changes.report(&run("sess_a"));
    let mut last = events.next().await;
    while !last.2.contains("sess_a") {
        last = events.next().await;
    }
    assert_eq!(last.2, r#"{"scope":"run","name":"sess_a"}"#);
    drop(events);
    machine.changes.report(&run("sess_b"));
    let mut events = Events::open(&browser, Some(&last.0)).await;
    let (_, kind, data) = events.next().await;
    assert_eq!((kind.as_str(), data.as_str()), ("change", r#"{"scope":"run","name":"sess_b"}"#));
}

#[tokio::test]
async fn a_page_whose_place_is_unknown_is_told_to_look_at_everything() {
    let machine = Machine::start().await;
    let browser = machine.entered().await;
    for id in ["another-7", "nonsense", "-"] {
        let mut events = Events::open(&browser, Some(id)).await;
        let (next, kind, _) = events.next().await;
        assert_eq!(kind, "reset", "{id}");
        assert!(next.contains('-'));
    }
}

#[tokio::test]
async fn a_loss_of_hints_reaches_every_page() {
    let machine = Machine::start().await;
    let browser = machine.entered().await;
    let (mut one, mut other) =
        (Events::open(&browser, None).await, Events::open(&browser, None).await);
    one.next().await;
    other.next().await;
    report_until_heard(&machine, &mut one).await;
    machine.changes.lose();
    for events in [&mut one, &mut other] {
        while events.next().await.1 != "reset" {}
    }
}

#[tokio::test]
async fn a_thing_that_changes_often_is_reported_ten_times_a_second_at_most() {
    let machine = Machine::start().await;
    let browser = machine.entered().await;
    let mut events = Events::open(&browser, None).await;
    events.next().await;
    report_until_heard(&machine, &mut events).await;
    let start = tokio::time::Instant::now();
    let mut count = 0;
    while start.elapsed() < Duration::from_millis(450) {
        machine.changes.report(&run("busy"));
        if let Ok((_, _, data)) = timeout(Duration::from_millis(1), events.next()).await {
            count += usize::from(data.contains("busy"));
        }
    }
    let most = usize::try_from(start.elapsed().as_millis() / 100).unwrap() + 1;
    assert!((2..=most).contains(&count), "{count} of at most {most}");
}
