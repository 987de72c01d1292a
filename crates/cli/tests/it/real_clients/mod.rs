//! The official SDKs, led through a whole workflow as an agent's host would, in every revision that each can speak,
//! and told when the list of tools is another one.
//!
//! What they check is in the scripts below `tests/clients`.

mod installed;
mod listing;
mod walk;

use listing::follow;
use walk::{Transport, walk};

/// Makes a test for each revision, over each transport.
macro_rules! walks {
    ($module:ident, $line:literal, $($test:ident $revision:literal),+) => {
        mod $module {
            mod over_a_pipe {
                $(
                    #[test]
                    fn $test() {
                        crate::real_clients::walk($line, crate::real_clients::Transport::Pipe, $revision);
                    }
                )+
            }

            mod over_http {
                $(
                    #[test]
                    fn $test() {
                        crate::real_clients::walk($line, crate::real_clients::Transport::Http, $revision);
                    }
                )+
            }
        }
    };
}

walks!(
    typescript_sdk_1,
    "sdk-1",
    speaks_2024_11_05 "2024-11-05",
    speaks_2025_03_26 "2025-03-26",
    speaks_2025_06_18 "2025-06-18",
    speaks_2025_11_25 "2025-11-25"
);
walks!(
    typescript_sdk_2,
    "sdk-2",
    speaks_2024_11_05 "2024-11-05",
    speaks_2025_03_26 "2025-03-26",
    speaks_2025_06_18 "2025-06-18",
    speaks_2025_11_25 "2025-11-25",
    speaks_2026_07_28 "2026-07-28"
);
walks!(
    python_sdk_1,
    "python-1",
    speaks_2024_11_05 "2024-11-05",
    speaks_2025_03_26 "2025-03-26",
    speaks_2025_06_18 "2025-06-18",
    speaks_2025_11_25 "2025-11-25"
);
walks!(
    python_sdk_2,
    "python-2",
    speaks_2024_11_05 "2024-11-05",
    speaks_2025_03_26 "2025-03-26",
    speaks_2025_06_18 "2025-06-18",
    speaks_2025_11_25 "2025-11-25",
    speaks_2026_07_28 "2026-07-28"
);

#[test]
fn typescript_sdks_follow_the_list_of_tools() {
    for (line, revision) in
        [("sdk-1", "2025-11-25"), ("sdk-2", "2025-11-25"), ("sdk-2", "2026-07-28")]
    {
        follow(line, revision);
    }
}

#[test]
fn python_sdks_follow_the_list_of_tools() {
    for (line, revision) in
        [("python-1", "2025-11-25"), ("python-2", "2025-11-25"), ("python-2", "2026-07-28")]
    {
        follow(line, revision);
    }
}
