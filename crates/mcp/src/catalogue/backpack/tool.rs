//! The tools, each with all its texts in one place.

use std::sync::{Arc, LazyLock};

use piton_runtime::backpack::reply::{HistoryShown, KeysListed, Packed, Unpacked};
use piton_runtime::backpack::request::{ListKeys, Pack, ShowHistory, Unpack};

use super::words;
use crate::catalogue::{Catalogue, Hints, Object, ToolCard, input, output};

piton_core::closed_set! {
    /// Names a tool of the set `state`.
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
            name: "state",
            instructions: words::INSTRUCTIONS.to_owned(),
            tools: BackpackTool::ALL.iter().map(|tool| tool.card().within_a_run()).collect(),
        })
    });
    Arc::clone(&WHOLE)
}

impl BackpackTool {
    fn card(self) -> ToolCard {
        let (title, description) = self.title_and_description();
        ToolCard {
            name: self.as_str(),
            title,
            description: description.to_owned(),
            hints: self.hints(),
            input: Arc::new(self.input_schema()),
            output: Arc::new(self.output_schema()),
        }
    }

    const fn title_and_description(self) -> (&'static str, &'static str) {
        match self {
            Self::Pack => ("Store a value", words::PACK),
            Self::Unpack => ("Read a value", words::UNPACK),
            Self::Keys => ("List keys", words::KEYS),
            Self::History => ("Show the history", words::HISTORY),
        }
    }

    const fn hints(self) -> Hints {
        // Reading is recorded as well, and replaced values stay in the history.
        let read_only = matches!(self, Self::Keys | Self::History);
        Hints { read_only, destructive: false, idempotent: read_only }
    }

    fn input_schema(self) -> Object {
        match self {
            Self::Pack => input::<Pack>(),
            Self::Unpack => input::<Unpack>(),
            Self::Keys => input::<ListKeys>(),
            Self::History => input::<ShowHistory>(),
        }
    }

    fn output_schema(self) -> Object {
        match self {
            Self::Pack => output::<Packed>(),
            Self::Unpack => output::<Unpacked>(),
            Self::Keys => output::<KeysListed>(),
            Self::History => output::<HistoryShown>(),
        }
    }
}
