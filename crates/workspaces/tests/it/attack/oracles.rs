//! That each thing that must hold after an attempt is noticed when it does not.

use std::fs::File;
use std::{fs, mem, thread};

use piton_workspaces::Error;
use piton_workspaces::tools::CallReply;
use serde_json::json;

use crate::world::World;

/// What a call might do to a world behind the back of its own test.
type Deed = fn(&World);

/// Does something between two looks at a world; what is said about that.
async fn said_after(deed: Deed) -> String {
    let ended = tokio::spawn(async move {
        let world = World::new().await;
        let before = world.look().await;
        deed(&world);
        // A call that only reads: all that it could do wrong was done.
        world.amid("read", json!({ "path": "/home/a.txt" })).await;
        world.nothing_changed(&before, "deed").await;
    });
    let panic = ended.await.expect_err("it was not noticed").into_panic();
    *panic.downcast::<String>().expect("an assertion that says something")
}

#[tokio::test]
async fn whatever_a_call_does_wrong_is_noticed() {
    let deeds: [(Deed, &str); 9] = [
        (|world| fs::write(world.outside.join("new"), "x").unwrap(), "O changed"),
        (|world| fs::remove_file(world.at("srcEvil/x.txt")).unwrap(), "srcEvil changed"),
        (|world| fs::write(world.at("home/a.txt"), "alpha\nBETA\n").unwrap(), "/home changed"),
        (|world| fs::write(world.at("src/m.rs"), "").unwrap(), "something changed"),
        (|world| fs::write(world.at("inbox/.piton-0.tmp"), "").unwrap(), "is left in /home/src/in"),
        (|world| mem::forget(File::open(world.at("src")).unwrap()), "descriptors leaked"),
        (|_| (0..600).for_each(|_| drop(thread::spawn(thread::park))), "threads leaked"),
        (|world| fs::write(world.at("home/a.txt"), "CANARY-OUT").unwrap(), "told CANARY-OUT"),
        (
            |world| fs::write(world.at("home/a.txt"), world.at("x").to_str().unwrap()).unwrap(),
            "told /",
        ),
    ];
    for (deed, expected) in deeds {
        let said = said_after(deed).await;
        assert!(said.contains(expected), "{said:.500} instead of {expected}");
    }
}

#[tokio::test]
async fn that_a_store_was_asked_about_what_the_router_refused_is_noticed() {
    let ended = tokio::spawn(async {
        let world = World::new().await;
        world.amid("read", json!({ "path": "/home/a.txt" })).await;
        let refused = world.unguarded().call("write", json!({ "path": "/home/x", "content": "" }));
        let CallReply { error, text } = refused.await;
        assert!(matches!(error, Some(Error::Scope { .. })), "{text}");
        world.refused_without_asking("deed", &CallReply { error, text });
    });
    let panic = ended.await.expect_err("it was not noticed").into_panic();
    assert!(panic.downcast::<String>().unwrap().contains("a Store was asked"));
}
