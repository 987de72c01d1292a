//! Four agents that use every tool set at once and are killed at random, beside a person who looks after the data.

mod belief;
mod house;
mod long;
mod worker;
