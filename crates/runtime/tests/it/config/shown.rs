//! Settings as people see and change them.

use piton_runtime::config::{
    Effect, SettingKey, SettingShown, SettingSource, SettingsShown, Value,
};
use piton_runtime::workflow::SetSetting;

use crate::rig::Machine;

fn setting(shown: &SettingsShown, key: SettingKey) -> &SettingShown {
    shown.settings.iter().find(|setting| setting.key == key).unwrap()
}

fn set(key: SettingKey, value: Option<&str>) -> SetSetting {
    SetSetting { key, value: value.map(str::to_owned), is_confirmed: false }
}

// shows in part: WR-503 (each setting with both of its values)
#[test]
fn every_setting_is_shown_with_its_source_and_what_a_change_takes() {
    let mut machine = Machine::in_memory();
    machine.set("PITON_LOG", "debug");
    let file = machine.write(".config/piton/config.toml", "[retention]\ndays = 7\n\n[models]\n");
    let shown = machine.runtime().settings_shown(None);
    assert_eq!(shown.settings.len(), SettingKey::ALL.len());
    assert!(shown.problems.is_empty() && !shown.restart_needed, "{shown:?}");
    let days = setting(&shown, SettingKey::RetentionDays);
    assert_eq!((&days.value, days.place), (&Some(Value::Whole(7)), SettingSource::User));
    assert_eq!(days.at, Some(format!("{}:2:1", file.display())));
    assert_eq!((days.effect, &days.default), (Effect::Live, &Some(Value::Whole(90))));
    let level = setting(&shown, SettingKey::LogLevel);
    assert_eq!((level.place, level.at.as_deref()), (SettingSource::Environment, Some("PITON_LOG")));
    assert!(level.names.contains(&"debug") && level.effect == Effect::Restart);
    let dir = setting(&shown, SettingKey::DataDir);
    assert_eq!((&dir.value, dir.place, dir.in_project), (&None, SettingSource::Default, false));
    assert_eq!(shown.sections.len(), 1);
    assert_eq!(shown.sections[0].at, format!("{}:4", file.display()));
}

// shows in part: WR-505 (the values that differ, and the restart)
#[test]
fn a_change_is_in_force_at_once_or_names_the_restart() {
    let machine = Machine::in_memory();
    let runtime = machine.runtime();
    let changed = runtime.set_setting(&set(SettingKey::RetentionDays, Some("30"))).unwrap();
    assert!(changed.setting.is_applied && changed.overridden.is_none(), "{changed:?}");
    assert_eq!(changed.setting.applied, Some(Value::Whole(30)));
    let changed = runtime.set_setting(&set(SettingKey::HttpPort, Some("8080"))).unwrap();
    assert_eq!(changed.setting.value, Some(Value::Whole(8080)));
    assert_eq!(changed.setting.applied, Some(Value::Whole(7477)));
    let shown = runtime.settings_shown(None);
    assert!(shown.restart_needed && !setting(&shown, SettingKey::HttpPort).is_applied);
    assert!(!machine.runtime().settings_shown(None).restart_needed);
    // Without a value it goes back to the default.
    let changed = runtime.set_setting(&set(SettingKey::HttpPort, None)).unwrap();
    assert_eq!((changed.setting.place, changed.setting.is_applied), (SettingSource::Default, true));
}

#[test]
fn paths_are_set_as_files_have_them() {
    let machine = Machine::in_memory();
    let runtime = machine.runtime();
    let value = format!("~/one:{}", machine.home().join("two").display());
    let changed = runtime.set_setting(&set(SettingKey::WorkflowDirs, Some(&value))).unwrap();
    // They may be created later, so that is a warning.
    assert_eq!(changed.warnings.len(), 2);
    let paths = ["one", "two"].map(|name| machine.home().join(name)).to_vec();
    assert_eq!(changed.setting.value, Some(Value::Paths(paths)));
    let text = std::fs::read_to_string(&changed.file).unwrap();
    assert!(text.starts_with("[workflows]\ndirs = [\"~/one\", \""), "{text}");
}

#[test]
fn a_stronger_source_is_named_and_what_is_wrong_is_refused() {
    let mut machine = Machine::in_memory();
    machine.set("PITON_RETENTION_DAYS", "5");
    let runtime = machine.runtime();
    let changed = runtime.set_setting(&set(SettingKey::RetentionDays, Some("30"))).unwrap();
    assert!(changed.overridden.unwrap().contains("PITON_RETENTION_DAYS sets it too"));
    for (key, value) in [
        (SettingKey::RetentionDays, "0"),
        (SettingKey::HttpBind, "everywhere"),
        (SettingKey::Autonomy, "bold\"\n[models]"),
        (SettingKey::DataDir, ""),
    ] {
        let before = std::fs::read_to_string(&changed.file).unwrap();
        runtime.set_setting(&set(key, Some(value))).unwrap_err();
        assert_eq!(std::fs::read_to_string(&changed.file).unwrap(), before, "{key}");
    }
    // A file with a problem shows it, and the values in force.
    machine.write(".config/piton/config.toml", "[retention]\ndays = \"many\"\n");
    let shown = runtime.settings_shown(None);
    assert_eq!((shown.problems.len(), shown.restart_needed), (1, false));
    assert_eq!(setting(&shown, SettingKey::RetentionDays).value, Some(Value::Whole(5)));
}

#[test]
fn a_change_that_hides_every_run_needs_a_confirmation_and_a_place_that_can_work() {
    let machine = Machine::in_memory();
    let runtime = machine.runtime();
    let there = machine.home().join("elsewhere").display().to_string();
    let change = |value: &str, is_confirmed| {
        let set = set(SettingKey::DataDir, Some(value));
        runtime.set_setting(&SetSetting { is_confirmed, ..set })
    };
    assert!(change(&there, false).unwrap_err().message.contains("Your runs stay"));
    for (value, reason) in
        [("x", "relative"), ("~x", "relative"), ("/nonexistent/x", "no directory `/nonexistent`")]
    {
        let refused = change(value, true).unwrap_err();
        assert!(refused.message.contains(reason), "{refused:?}");
    }
    assert!(!machine.home().join(".config/piton/config.toml").exists());
    assert_eq!(change(&there, true).unwrap().setting.value, Some(Value::Path(there.into())));
}

#[test]
fn a_server_that_would_not_start_is_warned_about() {
    let machine = Machine::in_memory();
    let runtime = machine.runtime();
    let change = |key, value: Option<&str>| runtime.set_setting(&set(key, value));
    let missing = change(SettingKey::HttpTokenFile, Some("/nope")).unwrap_err();
    assert!(missing.message.contains("`/nope` cannot be read"), "{missing:?}");
    change(SettingKey::ProjectDir, Some("/nope")).unwrap_err();
    let open = change(SettingKey::HttpBind, Some("0.0.0.0")).unwrap();
    assert!(open.warnings[0].contains("http.token_file"), "{open:?}");
    let token = machine.write("token", "secret").display().to_string();
    assert!(change(SettingKey::HttpTokenFile, Some(&token)).unwrap().warnings.is_empty());
    assert!(change(SettingKey::HttpBind, Some("0.0.0.0")).unwrap().warnings.is_empty());
    assert_eq!(change(SettingKey::HttpTokenFile, None).unwrap().warnings.len(), 1);
    assert!(change(SettingKey::HttpBind, Some("127.0.0.1")).unwrap().warnings.is_empty());
}

#[test]
fn the_settings_of_a_project_are_those_of_its_file() {
    let machine = Machine::in_memory();
    let runtime = machine.runtime();
    let file = machine.write("other/piton.toml", "[log]\nlevel = \"warn\"\n");
    let shown = runtime.settings_shown(file.parent());
    assert_eq!(shown.project_file, Some(file));
    assert_eq!(setting(&shown, SettingKey::LogLevel).place, SettingSource::Project);
}
