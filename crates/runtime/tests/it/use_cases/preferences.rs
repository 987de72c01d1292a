//! What runs prefer.

use std::fs;

use piton_core::Code;
use piton_workflow::{Autonomy, RiskPolicy};

use crate::rig::{Machine, start, two_steps};

#[tokio::test]
async fn what_runs_prefer_in_general_is_written_into_the_file_of_the_user() {
    let machine = Machine::in_memory();
    machine.write(".config/piton/config.toml", "# mine\n[log]\nlevel = \"info\" # quiet\n");
    let runtime = machine.runtime();
    assert_eq!(runtime.preferences().unwrap().preferences.autonomy, Autonomy::Guided);
    let (autonomy, risk_policy) = (Autonomy::FullAutoNeverStop, RiskPolicy::Balanced);
    let applied = runtime.prefer(None, Some(autonomy), Some(risk_policy)).await.unwrap();
    assert_eq!(applied.preferences.autonomy, Autonomy::FullAutoNeverStop);
    let file = machine.user_dir().join("config.toml");
    assert_eq!(applied.written_to, Some(file.display().to_string()));
    let text = fs::read_to_string(file).unwrap();
    assert!(text.starts_with("# mine\n[log]\nlevel = \"info\" # quiet\n"), "{text}");
    assert!(text.contains("autonomy = \"full_auto_never_stop\""), "{text}");
    assert_eq!(runtime.preferences().unwrap().preferences.risk_policy, RiskPolicy::Balanced);
}

#[tokio::test]
async fn the_file_and_its_directory_are_made_if_need_be_and_a_link_stays_one() {
    let machine = Machine::in_memory();
    machine.runtime().prefer(None, Some(Autonomy::Guided), None).await.unwrap();
    let file = machine.user_dir().join("config.toml");
    assert_eq!(fs::read_to_string(&file).unwrap(), "[preferences]\nautonomy = \"guided\"\n");
    let real = machine.write("dotfiles/piton.toml", "");
    fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink(&real, &file).unwrap();
    machine.runtime().prefer(None, None, Some(RiskPolicy::Balanced)).await.unwrap();
    assert!(fs::read_to_string(real).unwrap().contains("balanced"));
    assert!(fs::symlink_metadata(file).unwrap().is_symlink());
}

#[tokio::test]
async fn a_link_may_lead_to_another_file_system() {
    // Where there is no other file system at hand, this only repeats that a link stays one.
    let elsewhere = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let real = elsewhere.path().join("piton.toml");
    fs::write(&real, "").unwrap();
    let machine = Machine::in_memory();
    let file = machine.user_dir().join("config.toml");
    fs::create_dir_all(machine.user_dir()).unwrap();
    std::os::unix::fs::symlink(&real, &file).unwrap();
    machine.runtime().prefer(None, None, Some(RiskPolicy::Balanced)).await.unwrap();
    assert!(fs::read_to_string(real).unwrap().contains("balanced"));
    assert!(fs::symlink_metadata(file).unwrap().is_symlink());
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 1, "nothing else is left there");
}

#[tokio::test]
async fn something_stronger_that_says_otherwise_is_told() {
    let mut machine = Machine::in_memory();
    machine.set("PITON_AUTONOMY", "guided");
    let autonomy = Some(Autonomy::FullAutoNeverStop);
    let applied = machine.runtime().prefer(None, autonomy, None).await.unwrap();
    assert_eq!(applied.preferences.autonomy, Autonomy::Guided);
    assert_eq!(
        applied.warnings,
        ["Here PITON_AUTONOMY says otherwise about preferences.autonomy, and wins."]
    );
}

#[tokio::test]
async fn one_run_prefers_something_else_from_where_it_stands() {
    let machine = Machine::in_memory();
    machine.write("project/.piton/workflows/a.json", &two_steps("project.a"));
    let agent = machine.agent();
    let run = agent.start_workflow(start("project.a")).await.unwrap().body.run;
    let (run, autonomy) = ((run.session_id, run.run_id), Some(Autonomy::FullAutoNeverStop));
    let applied = agent.runtime().prefer(Some(run), autonomy, None).await.unwrap();
    assert_eq!(applied.preferences.autonomy, Autonomy::FullAutoNeverStop);
    assert_eq!(applied.written_to, None);
    let other = agent.start_workflow(start("project.a")).await.unwrap();
    assert_eq!(other.body.preferences.autonomy, Autonomy::Guided);
}

#[tokio::test]
async fn a_change_of_nothing_is_refused() {
    let machine = Machine::in_memory();
    let refused = machine.runtime().prefer(None, None, None).await.unwrap_err();
    assert_eq!(refused.code, Code::ValidationError);
    assert!(!machine.user_dir().join("config.toml").exists());
}
