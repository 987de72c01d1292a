//! What a second process of this test binary can be asked to do.

use piton_store::testing::worker;
pub(crate) use piton_store::testing::worker::{answers, go, print_line, spawn, wait_for_go};

/// What a child can be asked to do.
fn carry_out(order: &str, arguments: &[&str]) {
    match order {
        "collection-write" => crate::collection::write_plans(arguments),
        "journal-append" => crate::kill::append_for_ever(arguments),
        "journal-fight" => crate::kill::fight(arguments),
        "journal-hold" => crate::kill::hold(arguments),
        "keyring-sign" => crate::keyring::processes::sign(arguments),
        "table-increment" => crate::table::processes::increment(arguments),
        "table-page" => crate::table::processes::page(arguments),
        other => panic!("no worker knows how to {other}"),
    }
}

#[test]
fn answers_what_it_is_asked() {
    worker::serve(carry_out);
}
