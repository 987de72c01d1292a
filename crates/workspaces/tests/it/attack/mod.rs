//! Attempts to leave the jail or to get around an Access Scope. After each, the whole world is
//! compared with what it was: see [`World::checked`](crate::world::World::checked).

mod argument;
mod case;
mod content;
mod link;
mod overlap;
mod pattern;
mod scarce;
mod scope;
mod spelling;
mod virtual_store;
