//! The official SDKs, led through a whole workflow as an agent's host would, in every revision that each can speak.
//!
//! What they check is in the scripts below `tests/clients`.

mod installed;
mod walk;

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
