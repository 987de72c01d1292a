//! A bundle, frozen. Its digests were computed by another program (Python's `json` and `hashlib`).

use piton_workflow::bundle::Bundle;

const TEXT: &str = include_str!("data/bundle.json");
const DIGESTS: &str = include_str!("data/digests.txt");

// shows in part: WR-545 (the part about bundles)
#[test]
fn a_bundle_of_this_version_stays_readable_and_its_digests_stay_the_same() {
    let bundle = Bundle::read(TEXT.as_bytes()).unwrap();
    assert!(bundle.encode().unwrap().as_str() == TEXT, "it is written as it was");
    let found: Vec<String> = bundle
        .integrity()
        .entries()
        .iter()
        .map(|entry| format!("{} {} {}", entry.path, entry.sha256, entry.bytes))
        .collect();
    assert_eq!(found, DIGESTS.lines().collect::<Vec<_>>());
}
