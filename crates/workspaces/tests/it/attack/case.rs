//! One attempt, as data.

use piton_core::Code;
use piton_workspaces::physical::PhysicalOptions;
use piton_workspaces::tools::CallReply;
use serde_json::Value;

use crate::guarded::Guarded;
use crate::world::World;

/// What must come of it.
#[derive(Clone, Copy)]
pub(super) enum Expect {
    /// A refusal with this code.
    Code(Code),
    /// A refusal with one of these codes.
    OneOf(&'static [Code]),
    /// An answer that has this text.
    Has(&'static str),
    /// An answer that does not have this text.
    Lacks(&'static str),
    /// Whatever: what holds after every attempt is enough.
    Whatever,
}

pub(super) use Expect::{Has, Lacks, OneOf, Whatever};

/// One attempt.
pub(super) struct Case {
    pub(super) id: &'static str,
    pub(super) tool: &'static str,
    pub(super) arguments: Value,
    pub(super) expect: Expect,
}

pub(super) fn case(id: &'static str, tool: &'static str, arguments: Value, expect: Expect) -> Case {
    Case { id, tool, arguments, expect }
}

pub(super) fn refused(code: Code) -> Expect {
    Expect::Code(code)
}

impl Case {
    pub(super) async fn run(&self, guarded: &Guarded) -> CallReply {
        let Self { id, tool, arguments, expect } = self;
        let reply = guarded.call(tool, arguments.clone()).await;
        let code = reply.error.as_ref().map(piton_workspaces::Error::code);
        let told = format!("{id}: {tool} {arguments:.200}: {}", reply.text);
        match expect {
            Expect::Code(expected) => assert_eq!(code, Some(*expected), "{told}"),
            OneOf(expected) => assert!(code.is_some_and(|code| expected.contains(&code)), "{told}"),
            Has(text) => assert!(code.is_none() && reply.text.contains(text), "{told}"),
            Lacks(text) => assert!(code.is_none() && !reply.text.contains(text), "{told}"),
            Whatever => {}
        }
        reply
    }
}

/// Runs every case in a world of its own, with the kernel opening paths and with us doing it.
pub(super) async fn run(cases: &[Case], prepare: impl Fn(&World)) {
    for by_name in [false, true] {
        let options = PhysicalOptions { by_name, ..PhysicalOptions::default() };
        for case in cases {
            let world = World::with(options, &[]).await;
            prepare(&world);
            case.run(&world).await;
        }
    }
}
