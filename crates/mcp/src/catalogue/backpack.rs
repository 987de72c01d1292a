//! The set `backpack`, for connections that are attached to a backpack: its tools with their texts, schemas and hints.

use std::sync::{Arc, LazyLock};

use piton_runtime::backpack::reply::{HistoryShown, KeysListed, Packed, Unpacked};
use piton_runtime::backpack::request::{ListKeys, Pack, ShowHistory, Unpack};

use super::ToolCard;
use super::registry::{Catalogue, READ_ONLY, WRITING};

piton_core::closed_set! {
    /// Names a tool of the set `backpack`.
    pub enum BackpackTool {
        /// Stores a value.
        Pack => "pack",
        /// Reads a value.
        Unpack => "unpack",
        /// Lists what can be read.
        Keys => "keys",
        /// Shows who did what.
        History => "history",
    }
}

/// Returns the set as agents read it.
pub fn catalogue() -> Arc<Catalogue> {
    static WHOLE: LazyLock<Arc<Catalogue>> = LazyLock::new(|| {
        Arc::new(Catalogue {
            name: "backpack",
            instructions: INSTRUCTIONS.to_owned(),
            tools: BackpackTool::ALL.iter().map(|tool| tool.card().within_a_run()).collect(),
        })
    });
    Arc::clone(&WHOLE)
}

impl BackpackTool {
    fn card(self) -> ToolCard {
        let name = self.as_str();
        match self {
            // Replaced values stay in the history, so nothing is destroyed.
            Self::Pack => ToolCard::new::<Pack, Packed>(name, "Store a value", PACK, WRITING),
            // Reading is recorded as well.
            Self::Unpack => {
                ToolCard::new::<Unpack, Unpacked>(name, "Read a value", UNPACK, WRITING)
            }
            Self::Keys => ToolCard::new::<ListKeys, KeysListed>(name, "List keys", KEYS, READ_ONLY),
            Self::History => ToolCard::new::<ShowHistory, HistoryShown>(
                name,
                "Show the history",
                HISTORY,
                READ_ONLY,
            ),
        }
    }
}

const INSTRUCTIONS: &str = "\
You are attached to a backpack: values under keys, shared with other agents, with a history that says who wrote what. \
Call keys to see what you may read, unpack to read a value, pack to store one, history to see who did what. What you \
pack outlives this conversation.";

const PACK: &str = "\
Stores a value under a key, for other agents and for later. It is durable when this returns. The value before is \
replaced and stays in the history. A refusal says what you may not do; nothing is changed by it.";

const UNPACK: &str = "\
Reads the value under a key, with who stored it and when. A value that is too long comes in parts: call again with the \
`nextOffset` of the reply. Reading is recorded.";

const KEYS: &str = "\
Lists the keys in use that you may read, in order.";

const HISTORY: &str = "\
Shows who packed, read or deleted what, the newest first, as far as you may read the keys.";
