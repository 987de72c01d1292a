//! What is set against what is in force.

use std::sync::Arc;

use piton_runtime::config::{Effect, SettingKey};
use piton_workflow::Autonomy;

use crate::rig::{Machine, start, two_steps};

// shows: WR-506
// shows: WR-507 (with the theme follows the system until somebody chooses one)
#[test]
fn each_setting_says_what_it_takes_to_change_it() {
    use SettingKey::{
        AccessRun, AskAfterRefusals, Autonomy, ConsolePort, ConsolePublicUrl, DataDir, HttpBind,
        HttpPort, HttpTokenFile, LogLevel, McpAnswers, ProjectDir, RetentionDays, RiskPolicy,
        WorkflowDirs,
    };
    let restart = [
        AccessRun,
        ConsolePort,
        ConsolePublicUrl,
        DataDir,
        WorkflowDirs,
        ProjectDir,
        HttpBind,
        HttpPort,
        HttpTokenFile,
        LogLevel,
        McpAnswers,
    ];
    let live = [AskAfterRefusals, Autonomy, RiskPolicy, RetentionDays];
    assert_eq!(restart.len() + live.len(), SettingKey::ALL.len());
    for key in SettingKey::ALL {
        let expected = if live.contains(key) { Effect::Live } else { Effect::Restart };
        assert_eq!(key.effect(), expected, "{key}");
    }
}

// shows: WR-503, WR-505
#[test]
fn what_is_desired_and_what_is_applied_are_told_apart() {
    let machine = Machine::in_memory();
    let runtime = machine.runtime();
    let before = runtime.status().unwrap();
    assert_eq!(before.desired_config_hash, before.applied_config_hash);
    assert!(before.differences.is_empty() && before.text().is_none());

    machine.write(".config/piton/config.toml", "[retention]\ndays = 7");
    let live = runtime.status().unwrap();
    assert_ne!(live.desired_config_hash, live.applied_config_hash);
    assert!(!live.restart_needed && live.text().is_none());

    machine.write(".config/piton/config.toml", "[retention]\ndays = 7\n[http]\nport = 1");
    let restart = runtime.status().unwrap();
    assert_eq!(restart.applied_config_hash, before.applied_config_hash);
    let keys: Vec<_> = restart.differences.iter().map(|found| found.key).collect();
    assert_eq!(keys, [SettingKey::RetentionDays, SettingKey::HttpPort]);
    assert!(restart.restart_needed);
    assert_eq!(
        restart.text().unwrap(),
        "The configuration changed since this program was started: http.port. Restart it to apply the change."
    );
}

// shows: WR-504
#[tokio::test]
async fn the_digest_of_what_is_applied_is_noted_and_stable() {
    for mut machine in [Machine::in_memory(), Machine::on_disk()] {
        let table = Arc::clone(&machine.ports.table);
        let noted = async || {
            let noted = table.get(b"runtime/applied_config_hash").await.unwrap();
            noted.map(|noted| String::from_utf8(noted.value).unwrap())
        };
        let runtime = machine.runtime();
        assert_eq!(noted().await, None);
        let digest = runtime.note_applied().await.unwrap();
        assert_eq!(noted().await, Some(digest.to_string()));
        assert_eq!(machine.runtime().note_applied().await.unwrap(), digest);
        machine.set("PITON_LOG", "trace");
        let other = machine.runtime();
        assert_ne!(other.note_applied().await.unwrap(), digest);
        assert_eq!(noted().await, Some(other.applied().digest().to_string()));
    }
}

#[tokio::test]
async fn a_new_preference_counts_for_the_next_run_without_a_restart() {
    let machine = Machine::in_memory();
    machine.write("project/.piton/workflows/a.json", &two_steps("project.a"));
    let agent = machine.agent();
    let first = agent.start_workflow(start("project.a")).await.unwrap();
    assert_eq!(first.body.preferences.autonomy, Autonomy::Guided);
    machine
        .write(".config/piton/config.toml", "[preferences]\nautonomy = \"full_auto_never_stop\"");
    let second = agent.start_workflow(start("project.a")).await.unwrap();
    assert_eq!(second.body.preferences.autonomy, Autonomy::FullAutoNeverStop);
}
