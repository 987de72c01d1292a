//! What a second process of this test binary can be asked to do.

use piton_store::testing::worker;
pub(crate) use piton_store::testing::worker::{answers, go, print_line, spawn, wait_for_go};

/// What a child can be asked to do.
fn carry_out(order: &str, arguments: &[&str]) {
    match order {
        "pack-for-ever" => crate::journal::kill::pack_for_ever(arguments),
        "hold" => crate::journal::processes::hold(arguments),
        other => panic!("no worker knows how to {other}"),
    }
}

#[test]
fn answers_what_it_is_asked() {
    worker::serve(carry_out);
}
