//! Whatever the workflow and whatever an agent does, the log stays whole and answers stay what they were.

use std::cell::RefCell;

use piton_store::testing::LongRun;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use tokio::runtime::Builder;

use super::act::acts;
use super::tally::Tally;
use super::workflows::workflows;
use super::world::World;

mod long {
    use super::*;

    // shows: WR-133, WR-140, WR-247, WR-253, WR-258, WR-347, WR-434, WR-436, WR-498
    #[test]
    fn no_agent_breaks_a_run_or_changes_what_was_answered() {
        let run = LongRun::start("workflow: random agents");
        println!("{run}");
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&run.seed().to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
        let cases = u32::try_from(LongRun::size(40, 6_000)).unwrap();
        let config = Config { cases, failure_persistence: None, ..Config::default() };
        let runtime = Builder::new_current_thread().build().unwrap();
        let total = RefCell::new(Tally::default());
        let agents = (workflows(), prop::collection::vec(acts(), 1..40));
        let outcome = TestRunner::new_with_rng(config, rng).run(&agents, |(workflow, acts)| {
            let tally = runtime.block_on(async {
                let mut world = World::new(workflow).await;
                for act in &acts {
                    world.act(act).await;
                }
                world.all_again().await;
                world.tally
            });
            total.borrow_mut().add(tally);
            Ok(())
        });
        outcome.unwrap_or_else(|failure| panic!("{failure}"));
        let total = total.into_inner();
        let counts = total.counts();
        assert!(counts.iter().all(|(_, count)| *count > 0), "{total:?}");
        run.report(&counts);
    }
}
