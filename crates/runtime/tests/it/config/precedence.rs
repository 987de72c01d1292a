//! Which of several places wins.

use piton_runtime::config::{SettingKey, SettingSource};
use piton_workflow::{Autonomy, RiskPolicy};

use crate::rig::Machine;

#[test]
fn the_environment_wins_over_the_project_and_the_project_over_the_user() {
    let mut machine = Machine::in_memory();
    let place = |machine: &Machine| {
        let settings = machine.configuration().unwrap().settings_here().unwrap();
        let held = settings.get(SettingKey::Autonomy).unwrap();
        (held.place, settings.preferences().autonomy)
    };
    assert_eq!(place(&machine), (SettingSource::Default, Autonomy::Guided));
    machine
        .write(".config/piton/config.toml", "[preferences]\nautonomy = \"full_auto_never_stop\"");
    assert_eq!(place(&machine), (SettingSource::User, Autonomy::FullAutoNeverStop));
    machine
        .write("project/piton.toml", "[preferences]\nautonomy = \"full_auto_stop_on_user_deps\"");
    assert_eq!(place(&machine), (SettingSource::Project, Autonomy::FullAutoStopOnUserDeps));
    machine.set("PITON_AUTONOMY", "guided");
    assert_eq!(place(&machine), (SettingSource::Environment, Autonomy::Guided));
}

#[test]
fn the_file_of_a_project_is_found_from_below() {
    let machine = Machine::in_memory();
    machine.write("project/piton.toml", "[log]\nlevel = \"trace\"");
    let below = machine.write("project/src/deep/x", "").parent().unwrap().to_path_buf();
    let settings = machine.configuration().unwrap().settings_for(&below).unwrap();
    assert_eq!(settings.get(SettingKey::LogLevel).unwrap().place, SettingSource::Project);
}

#[test]
fn a_risk_policy_that_nobody_set_goes_with_the_autonomy() {
    let mut machine = Machine::in_memory();
    machine.set("PITON_AUTONOMY", "full_auto_stop_on_user_deps");
    let policy =
        |machine: &Machine| machine.configuration().unwrap().settings().preferences().risk_policy;
    assert_eq!(policy(&machine), RiskPolicy::Balanced);
    machine.set("PITON_RISK_POLICY", "aggressive");
    assert_eq!(policy(&machine), RiskPolicy::Aggressive);
}

#[test]
fn relative_paths_are_relative_to_the_file_that_has_them() {
    let machine = Machine::in_memory();
    machine
        .write(".config/piton/config.toml", "[data]\ndir = \"data\"\n[http]\ntoken_file = \"~/t\"");
    machine.write("project/piton.toml", "[workflows]\ndirs = [\"./flows\", \"/abs\"]");
    let settings = machine.configuration().unwrap().settings_here().unwrap();
    assert_eq!(settings.data_dir(), Some(machine.user_dir().join("data").as_path()));
    assert_eq!(settings.http_token_file(), Some(machine.home().join("t").as_path()));
    let (dirs, place) = settings.workflow_dirs();
    assert_eq!(dirs, [machine.project().join("flows"), "/abs".into()]);
    assert_eq!(place, SettingSource::Project);
}
