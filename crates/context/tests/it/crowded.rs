//! Writing where others are always faster.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use piton_context::agent::AgentContext;
use piton_context::bounds::TRIES_MAX;
use piton_context::frame::PutFrame;
use piton_context::synthesis::PolicySpec;
use piton_context::{Context, ContextPorts};
use piton_core::{Code, Retry};
use piton_store::port::Table;

use crate::refusing::Refusing;
use crate::scene::{Scene, agents, block_on, node, summaries};

#[test]
fn a_writer_that_is_never_fast_enough_is_told_to_try_again_and_not_that_it_was_wrong() {
    let mut scene = Scene::scanned(&[("a", "1")]);
    scene.put("a", "summary", "about a");
    scene.write("a", "2");
    let tree = scene.scanner.scan(false).unwrap().tree;
    let synthesis = "synthesis".parse().unwrap();
    for (row, words) in [
        (1, "Other processes appended frames while this call was made; nothing was written."),
        (0, "The tree changed again and again while this call was made; nothing was written."),
    ] {
        let (table, left) = (scene.table.clone(), AtomicU64::new(u64::MAX));
        let crowded = Arc::new(Refusing { table, row, left });
        let ports =
            ContextPorts { table: Arc::clone(&crowded) as Arc<dyn Table>, ..scene.ports.clone() };
        let context = Context::new(ports, scene.context.location().clone());
        let agent = AgentContext::new(context.clone(), &agents(), &synthesis).unwrap();
        let frame = PutFrame::new("a", "summary".parse().unwrap(), "more about a");
        let put = block_on(agent.put_frame(&frame)).unwrap_err();
        let tries = u64::MAX - crowded.left.load(Ordering::Relaxed);
        assert_eq!(tries, u64::from(TRIES_MAX), "{put}");
        assert_eq!(put.envelope().message.as_str(), words);
        let request = summaries(PolicySpec::Concatenation);
        let synthesis = block_on(agent.synthesize_with(&node("."), &request)).unwrap_err();
        let record = block_on(context.record(&tree, false, None)).unwrap_err();
        for error in [put, synthesis, record] {
            assert_eq!(error.code(), Code::StoreConflict, "{error}");
            assert_eq!(error.envelope().retry, Retry::RetryableImmediate);
        }
    }
}
