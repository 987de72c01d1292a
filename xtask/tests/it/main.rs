//! The packages, installed by the tools that people install them with.
#![expect(clippy::disallowed_methods, reason = "the tests start programs and look at files")]
#![expect(clippy::unwrap_used, reason = "helpers of tests stop at the first surprise")]

mod archive;
mod debian;
mod npm;
mod rig;
mod same_bytes;
mod wheel;

use rig::Packages;

/// Packed once, because that takes longer than all that is done with the packages.
#[test]
fn every_tool_installs_a_program_that_runs_from_its_package() {
    let packages = Packages::of_the_program();
    archive::unpack(&packages);
    debian::install_and_remove(&packages);
    debian::refuse_an_old_system(&packages);
    npm::install_and_run(&packages);
    npm::start_without_the_program(&packages);
    wheel::install_and_remove(&packages);
    wheel::install_into_a_directory(&packages);
    wheel::run_with_uv(&packages);
}
