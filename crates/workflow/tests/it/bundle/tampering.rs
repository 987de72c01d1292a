//! A bundle that was changed on its way, byte by byte.

use piton_workflow::bundle::Bundle;

use super::samples::bundle;

// shows in part: WR-549 (the part about integrity)
#[test]
fn a_changed_byte_is_noticed_or_changes_nothing_of_the_session() {
    let whole = bundle();
    let text = whole.encode().unwrap().into_vec();
    let (mut refused, mut harmless) = (0, 0);
    // Every part of the text is reached; a stride that is prime meets every kind of character.
    for place in (0..text.len()).step_by(53) {
        for mask in [0x01, 0x20] {
            let mut changed = text.clone();
            changed[place] ^= mask;
            match Bundle::read(&changed) {
                Err(_) => refused += 1,
                Ok(read) => {
                    harmless += 1;
                    assert_eq!(read.content(), whole.content(), "byte {place}");
                    assert_ne!(read.origin(), whole.origin(), "byte {place}");
                }
            }
        }
    }
    assert!(refused > 100 * harmless.max(1), "{refused} refused, {harmless} harmless");
}

#[test]
fn a_bundle_that_was_cut_off_is_refused() {
    let text = bundle().encode().unwrap().into_vec();
    for length in (0..text.len()).step_by(997) {
        assert!(Bundle::read(&text[..length]).is_err(), "{length} bytes");
    }
}
