//! `piton demo` tells a story; these tests look whether it is true.

use std::{fs, path::Path};

use serde_json::Value;

use crate::{document, piton, text};

fn play(data_dir: &Path) -> Value {
    let data_dir = data_dir.to_str().unwrap();
    let output = piton(&["demo", "--json", "--data-dir", data_dir], Path::new("/nonexistent"));
    assert!(output.status.success(), "{}", text(&output.stderr));
    document(&output)
}

fn number(facts: &Value, pointer: &str) -> u64 {
    facts.pointer(pointer).and_then(Value::as_u64).unwrap_or_else(|| panic!("{pointer}: {facts}"))
}

#[test]
fn the_story_that_the_demo_tells_is_true() {
    let home = tempfile::tempdir().unwrap();
    let facts = play(home.path());
    assert_eq!(facts["schema"], "piton.demo/1");
    assert_eq!(facts["written"].as_array().unwrap().len(), 4);
    assert_eq!(facts["refused"]["error"]["code"], "SESSION_LOCKED");
    assert_eq!(number(&facts, "/killed/signal"), 9);
    assert!(number(&facts, "/killed/acknowledged") >= 25);
    assert_eq!(number(&facts, "/killed/lost") + number(&facts, "/killed/partial"), 0);
    assert!(number(&facts, "/killed/unacknowledged") <= 1);
    assert_eq!(
        (number(&facts, "/repeated/firstIndex"), number(&facts, "/repeated/lastIndex")),
        (3, 5)
    );
    assert_eq!(number(&facts, "/repeated/eventsBefore"), number(&facts, "/repeated/eventsAfter"));
    assert_eq!(facts["damaged"]["error"]["code"], "SESSION_NOT_HEALTHY");
    // The first two plans of three events each stand before the damage.
    assert_eq!(number(&facts, "/damaged/readableEvents"), 6);

    // What it says is on disk is there: one segment for each plan, one line for each event.
    let events = Path::new(facts["directory"].as_str().unwrap()).join("events");
    let segments: Vec<String> = fs::read_dir(events)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    let lines: usize = segments.iter().map(|segment| segment.lines().count()).sum();
    let (plans, total) = (number(&facts, "/total/plans"), number(&facts, "/total/events"));
    // A segment that the killed process had not attested yet may lie beside them.
    assert!((plans..=plans + 1).contains(&(segments.len() as u64)), "{plans} {}", segments.len());
    assert!((total..=total + 3).contains(&(lines as u64)), "{total} {lines}");
    assert_eq!(number(&facts, "/total/lost"), 0);
    let unacknowledged = number(&facts, "/killed/unacknowledged");
    assert_eq!(plans, number(&facts, "/total/acknowledged") + unacknowledged);
}

#[test]
fn the_demo_can_be_played_again_in_the_same_data_directory() {
    let home = tempfile::tempdir().unwrap();
    let (first, second) = (play(home.path()), play(home.path()));
    assert_eq!(number(&first, "/earlierSessions"), 0);
    assert_eq!(number(&second, "/earlierSessions"), 1);
    assert_ne!(first["session"], second["session"]);
}

#[test]
fn a_person_reads_the_same_story_without_json_or_colour() {
    let home = tempfile::tempdir().unwrap();
    let output = piton(&["demo"], home.path());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let story = text(&output.stdout);
    assert!(story.contains("data in ~/.local/share/piton/demo (no sessions yet)"), "{story}");
    for act in 1..=5 {
        assert!(story.contains(&format!("\n{act}. ")), "{story}");
    }
    assert!(story.contains("acknowledged plans, 0 are lost."), "{story}");
    assert!(!story.contains('\u{1b}'), "{story}");
    assert!(story.lines().last().unwrap().starts_with("Next: "), "{story}");
    assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
}
