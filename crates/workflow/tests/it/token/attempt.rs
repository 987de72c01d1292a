//! Ids that are computed.

use std::collections::HashSet;

use piton_core::{AttemptId, NodeId, RunId, SessionId};
use piton_workflow::token::{AttemptKind, AttemptOrdinal, attempt_id, checkpoint_node_id};
use piton_workflow::{NodeAddress, TokenKind};

use super::samples::{address, attempt};

// The ids were computed by another program from the canonical JSON.
#[test]
fn the_ids_that_follow_from_an_address_are_fixed() {
    for (kind, ordinal, id) in [
        (AttemptKind::Ack, 0, "attempt_5rpz5w5n5d12cegtwkhdw4bm79"),
        (AttemptKind::Ack, 1, "attempt_4pndhwyqrz8tdy07njp58f9kpv"),
        (AttemptKind::Checkpoint, 0, "attempt_4bv7n6zb2cydd6myrm7vw6dk0w"),
        (AttemptKind::Checkpoint, 1, "attempt_6kps25e54ze8cexw0xtez4n50h"),
    ] {
        let derived = attempt_id(address(), kind, AttemptOrdinal::new(ordinal));
        assert_eq!(derived.to_string(), id);
    }
    let node = checkpoint_node_id(address(), attempt());
    assert_eq!(node.to_string(), "node_4d95w8781yf1av1mdz0k9jhcv5");
}

/// The address, and three that differ from it in one part.
fn addresses() -> [NodeAddress; 4] {
    [
        address(),
        NodeAddress { session: SessionId::from_bytes([9; 16]), ..address() },
        NodeAddress { run: RunId::from_bytes([9; 16]), ..address() },
        NodeAddress { node: NodeId::from_bytes([9; 16]), ..address() },
    ]
}

// shows: WR-246
#[test]
fn every_part_of_an_attempt_changes_its_id() {
    let mut ids = HashSet::new();
    for address in addresses() {
        for kind in AttemptKind::ALL {
            for ordinal in
                [AttemptOrdinal::FIRST, AttemptOrdinal::new(1), AttemptOrdinal::new(u32::MAX)]
            {
                assert!(ids.insert(attempt_id(address, *kind, ordinal)));
                assert_eq!(
                    attempt_id(address, *kind, ordinal),
                    attempt_id(address, *kind, ordinal)
                );
            }
        }
    }
}

#[test]
fn every_part_of_a_checkpoint_changes_the_id_of_its_node() {
    let mut ids = HashSet::new();
    for address in addresses() {
        for attempt in [attempt(), AttemptId::from_bytes([9; 16])] {
            assert!(ids.insert(checkpoint_node_id(address, attempt)));
        }
    }
}

#[test]
fn an_attempt_has_the_kind_of_its_token() {
    for kind in AttemptKind::ALL {
        assert_eq!(TokenKind::from(*kind).as_str(), kind.as_str());
    }
}
