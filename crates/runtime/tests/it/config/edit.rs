//! Changing one setting of a file.

use piton_runtime::config::{EditError, SettingKey, set};

#[test]
fn a_setting_is_put_where_it_belongs_and_the_rest_stays_as_it_was() {
    let cases = [
        ("", "[preferences]\nautonomy = \"guided\"\n"),
        ("# mine\n", "# mine\n\n[preferences]\nautonomy = \"guided\"\n"),
        (
            "[log]\nlevel = \"info\"",
            "[log]\nlevel = \"info\"\n\n[preferences]\nautonomy = \"guided\"\n",
        ),
        (
            "[preferences] # what I like\nrisk_policy = \"balanced\"\n",
            "[preferences] # what I like\nrisk_policy = \"balanced\"\nautonomy = \"guided\"\n",
        ),
        (
            "[preferences]\nautonomy   = 'full_auto_never_stop' # for now\n\n[log]\nlevel = \"info\"\n",
            "[preferences]\nautonomy   = \"guided\" # for now\n\n[log]\nlevel = \"info\"\n",
        ),
        (
            "preferences.autonomy = \"full_auto_never_stop\"\n",
            "preferences.autonomy = \"guided\"\n",
        ),
        (
            "preferences = { autonomy = \"full_auto_never_stop\" }\n",
            "preferences = { autonomy = \"guided\" }\n",
        ),
        (
            "preferences = {risk_policy = \"balanced\"}\n",
            "preferences = { risk_policy = \"balanced\", autonomy = \"guided\" }\n",
        ),
        ("[preferences]", "[preferences]\nautonomy = \"guided\"\n"),
    ];
    for (before, after) in cases {
        assert_eq!(set(before, SettingKey::Autonomy, "guided").unwrap(), after, "{before}");
        // Once more changes nothing.
        assert_eq!(set(after, SettingKey::Autonomy, "guided").unwrap(), after, "{before}");
    }
    assert_eq!(set("", SettingKey::RetentionDays, "30").unwrap(), "[retention]\ndays = 30\n");
}

#[test]
fn what_cannot_be_set_is_refused_and_nothing_is_guessed() {
    let refused = |text, key, value| set(text, key, value).unwrap_err();
    assert!(matches!(refused("", SettingKey::Autonomy, "bold"), EditError::NotTaken { .. }));
    assert!(matches!(refused("", SettingKey::RetentionDays, "0"), EditError::NotTaken { .. }));
    assert!(matches!(refused("[oops]", SettingKey::Autonomy, "guided"), EditError::Broken(_)));
}
