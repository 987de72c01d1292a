//! The ports and their deterministic implementations.

use std::sync::Mutex;
use std::time::Duration;

use piton_core::port::fixed::{ManualClock, SeededEntropy};
use piton_core::{Clock, Entropy, NoTrace, Notice, TimestampMs, Trace};

#[test]
fn seeded_entropy_is_the_published_generator() {
    // The first outputs of SplitMix64 for the seed 1234567.
    let entropy = SeededEntropy::new(1_234_567);
    for expected in
        [6_457_827_717_110_365_317_u64, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
    {
        assert_eq!(entropy.next_u64(), expected);
    }
}

#[test]
fn filling_overwrites_every_byte_and_goes_on_where_it_stopped() {
    let entropy = SeededEntropy::new(1);
    let mut seen = [0_u8; 13];
    for _ in 0..64 {
        let mut bytes = [0; 13];
        entropy.fill(&mut bytes);
        for (seen, byte) in seen.iter_mut().zip(bytes) {
            *seen |= byte;
        }
    }
    assert_eq!(seen, [0xff; 13]);
    entropy.fill(&mut []);
}

#[test]
fn a_manual_clock_moves_only_when_told_and_its_monotonic_time_never_goes_back() {
    let clock = ManualClock::new(TimestampMs(5_000));
    clock.advance(Duration::from_millis(1_500));
    assert_eq!(clock.now_ms(), TimestampMs(6_500));
    assert_eq!(clock.monotonic(), Duration::from_millis(1_500));
    clock.set(TimestampMs(10));
    assert_eq!(clock.now_ms().get(), 10);
    assert_eq!(clock.monotonic(), Duration::from_millis(1_500));
}

// shows: WR-543
#[test]
fn notices_reach_a_trace_through_the_port_and_nobody_by_default() {
    struct Recorder(Mutex<Vec<Notice>>);
    impl Trace for Recorder {
        fn notice(&self, notice: &Notice) {
            self.0.lock().unwrap().push(notice.clone());
        }
    }
    fn replay(trace: &dyn Trace) {
        trace.notice(&Notice::DedupeReplay {
            stream: "sess".to_owned(),
            key: "a:b".parse().unwrap(),
        });
    }
    let recorder = Recorder(Mutex::default());
    replay(&recorder);
    replay(&NoTrace);
    assert_eq!(recorder.0.into_inner().unwrap().len(), 1);
}

#[test]
fn every_port_can_be_shared_between_threads_as_a_trait_object() {
    fn shared<T: Send + Sync + ?Sized>() {}
    shared::<dyn Clock>();
    shared::<dyn Entropy>();
    shared::<dyn Trace>();
}
