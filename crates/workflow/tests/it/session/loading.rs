//! What a call sees of a session that others read and write at the same time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use piton_store::testing::WatchedJournal;
use piton_workflow::session::Reader;

use super::rig::Rig;
use crate::engine::samples::{step, workflow};
use crate::token::samples::ready;

#[test]
fn of_two_calls_that_load_a_session_at_once_the_later_sees_what_was_appended_in_between() {
    let rig = Arc::new(Rig::memory());
    let compiled = workflow(&[step("one"), step("two")]);
    let first = ready(rig.start(&compiled));
    let token = first.body.ack_token.clone().unwrap();
    let reader: Arc<OnceLock<Reader>> = Arc::default();
    let journal = {
        let (rig, reader, token) = (Arc::clone(&rig), Arc::clone(&reader), token.clone());
        let is_first = AtomicBool::new(true);
        WatchedJournal::new(Arc::clone(&rig.journal), move |method, _| {
            // While the call below is about to load, another one loads, and then another process appends.
            if method == "load" && is_first.swap(false, Ordering::Relaxed) {
                assert!(!ready(reader.get().unwrap().token_run(&token)).unwrap().is_recorded);
                ready(rig.again().notes(&first, "One."));
            }
        })
    };
    let new = Reader::new(Arc::new(journal), Arc::clone(&rig.blobs) as _, Arc::clone(&rig.keys));
    let reader = reader.get_or_init(|| new);
    assert!(ready(reader.token_run(&token)).unwrap().is_recorded);
}
