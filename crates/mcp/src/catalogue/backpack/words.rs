//! The texts that agents read about the tools of the set.

pub(super) const INSTRUCTIONS: &str = "\
You are attached to a backpack: values under keys, shared with other agents, with a history that says who wrote what. \
Call keys to see what you may read, unpack to read a value, pack to store one, history to see who did what. What you \
pack outlives this conversation.";

pub(super) const PACK: &str = "\
Stores a value under a key, for other agents and for later. It is durable when this returns. The value before is \
replaced and stays in the history. A refusal says what you may not do; nothing is changed by it.";

pub(super) const UNPACK: &str = "\
Reads the value under a key, with who stored it and when. A value that is too long comes in parts: call again with the \
`nextOffset` of the reply. Reading is recorded.";

pub(super) const KEYS: &str = "\
Lists the keys in use that you may read, in order.";

pub(super) const HISTORY: &str = "\
Shows who packed, read or deleted what, the newest first, as far as you may read the keys.";
