//! Attempts to leave the jail or to get around an Access Scope. After each, the whole world is
//! compared with what it was: see [`Guarded::call`](crate::guarded::Guarded::call).

mod argument;
mod case;
mod content;
mod link;
#[cfg(target_os = "linux")]
mod mounted;
mod oracles;
mod overlap;
mod pattern;
mod permissions;
mod protected;
mod scarce;
mod scope;
mod spelling;
mod virtual_store;
mod write_only;
