//! Bundles of every version, frozen. Their digests were computed by another program (Python's `json` and `hashlib`), and
//! so was the time in the second.

use piton_core::TimestampMs;
use piton_workflow::bundle::Bundle;

const TEXTS: [&str; 2] = [include_str!("data/bundle-1.json"), include_str!("data/bundle-2.json")];
const DIGESTS: &str = include_str!("data/digests.txt");

// shows in part: WR-545 (the part about bundles)
#[test]
fn bundles_of_every_version_stay_readable_and_their_digests_stay_the_same() {
    for (index, text) in TEXTS.into_iter().enumerate() {
        let version = index + 1;
        assert!(text.contains(&format!("\"bundleSchemaVersion\":{version},")));
        let bundle = Bundle::read(text.as_bytes()).unwrap();
        assert!(bundle.encode().unwrap().as_str() == text, "{version}: it is written as it was");
        assert_eq!(bundle.origin().exported_at, TimestampMs(1_800_000_000_000), "{version}");
        let entries = bundle.integrity().entries().iter();
        let found: Vec<String> = entries
            .map(|entry| format!("{} {} {}", entry.path, entry.sha256, entry.bytes))
            .collect();
        assert_eq!(found, DIGESTS.lines().collect::<Vec<_>>(), "{version}");
    }
}
