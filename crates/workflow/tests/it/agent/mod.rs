//! Bundled workflows, run to their end by an agent that fails first and learns from the replies alone.

mod driver;
mod stories;
