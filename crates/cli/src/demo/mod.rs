//! `piton demo`: a whole run in a second, without a key or a network.
//!
//! A scripted agent works through a workflow that comes with Piton, over real MCP. Its server is another process of
//! this program. The agent is blocked and recovers. It is killed halfway, and another one resumes. It writes into a
//! scratchpad and packs state. Then the same commands that a person types show what happened. Each act fails if a
//! promise did not hold. Everything is kept for inspection.
//!
//! The button of the console plays another run, in the data directory of the console, at the pace of a person who
//! watches.
//!
//! | file | holds |
//! |---|---|
//! | `acts` | the acts, from the first connection to the commands that show what happened |
//! | `agent` | the agent, an MCP client |
//! | `live` | the run that the console shows: its server, its end, its removal |
//! | `live_script` | what the agent does in that run |
//! | `project` | the project that it works on |

mod acts;
mod agent;
mod live;
mod live_script;
mod project;

pub(crate) use acts::run;
pub(crate) use live::LiveDemo;
