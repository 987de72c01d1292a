//! The console: what its pages cost the browser, its process, and the agents beside it.

mod browser;
mod http_client;
mod live;
mod pages;
mod run_shape;
mod runs;
mod server;

use crate::part::Measure;

/// All measures, in order.
pub(crate) const MEASURES: [(&str, Measure); 5] = [
    ("the shape of a long run", run_shape::rows),
    ("lists of many runs", runs::rows),
    ("the memory of a console", runs::memory_rows),
    ("pages in a browser", pages::rows),
    ("a page beside an agent", live::rows),
];
