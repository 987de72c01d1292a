//! A flow of two nodes that is interrupted and resumed where it stopped.
//!
//! ```text
//! cargo run --example flow -- /tmp/piton-example
//! ```
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "it is a program to try")]

use std::sync::Arc;

use piton::Piton;
use piton::backpack::NodeIdentity;
use piton::flow::{
    Action, BoxFuture, Flow, FlowState, Node, NodeContext, NodeError, RunOptions, Tools,
};
use piton::models::Scripted;
use serde_json::Value;

/// Adds a number to the sum.
struct Add(u64);

impl Node for Add {
    fn type_name(&self) -> &'static str {
        "add"
    }

    fn post<'a>(
        &'a self,
        context: &'a NodeContext,
        _: &'a Value,
        _: Value,
    ) -> BoxFuture<'a, Result<Action, NodeError>> {
        Box::pin(async move {
            let sum = context.unpack_required::<u64>("sum").await? + self.0;
            context.pack("sum", &sum).await?;
            Ok(Action::Default)
        })
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = std::env::args().nth(1).ok_or("name a data directory")?;
    let mut flow = Flow::new();
    let first = flow.add("first", Add(2))?;
    let second = flow.add("second", Add(40))?;
    flow.next(first, second)?;

    // The first process stops after one node.
    {
        let piton = Piton::open(&directory)?;
        let backpack = piton.backpack(&"sum".parse()?).await?;
        let start = backpack.scope(NodeIdentity::system(), None)?;
        let _ = start.saved(start.pack("sum", &0_u64)?).await?;
        let state = FlowState::journaled(backpack)?;
        let options = RunOptions { steps_max: 1, ..RunOptions::default() };
        let runner = Piton::runner(Arc::new(Scripted::default()), Tools::new());
        let report = runner.run(&flow, &state, options).await;
        println!("stopped after {} node", report.steps);
    }

    // Another one resumes: the first node is not visited again.
    let piton = Piton::open(&directory)?;
    let state = FlowState::journaled(piton.backpack(&"sum".parse()?).await?)?;
    let runner = Piton::runner(Arc::new(Scripted::default()), Tools::new());
    let report = runner.resume(&flow, &state, RunOptions::default()).await?;
    println!("done after {} nodes in all", report.steps);
    drop(state);

    let backpack = piton.backpack(&"sum".parse()?).await?;
    let reader = backpack.scope(NodeIdentity::system(), None)?;
    println!("the sum is {}", reader.unpack_required::<u64>("sum")?);
    Ok(())
}
