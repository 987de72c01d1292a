//! State that outlives the process, with the author of every value.
//!
//! Run it twice with the same directory: the second run finds what the first one packed.
//!
//! ```text
//! cargo run --example backpack -- /tmp/piton-example
//! ```
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "it is a program to try")]

use piton::Piton;
use piton::backpack::{Filter, NodeIdentity, Permissions};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = std::env::args().nth(1).ok_or("name a data directory")?;
    let piton = Piton::open(directory)?;
    let backpack = piton.backpack(&"example".parse()?).await?;

    // A node acts in its own name and within its permissions. What it packs is on disk once it is saved.
    let permissions = Permissions::none().reading(["visits"])?.writing(["visits"])?;
    let counter = backpack.scope(NodeIdentity::new("counter", "Counter")?, Some(permissions))?;
    let visits = counter.unpack::<u64>("visits")?.unwrap_or(0) + 1;
    let _ = counter.saved(counter.pack("visits", &visits)?).await?;
    println!("visit {visits}");

    // A write that it did not declare is refused, and the refusal is part of the history.
    let refused = counter.pack("password", &"not mine to give").is_err();
    println!("another key is refused: {refused}");

    let history = backpack.memory().debug().key_history("visits")?;
    let authors: Vec<&str> = history.iter().map(|commit| commit.author().id.as_str()).collect();
    println!("written by {}", authors.join(", "));
    println!("{} commits in all", backpack.memory().debug().history(&Filter::default())?.len());
    backpack.close().await?;
    Ok(())
}
