//! The schemas of the files.

use piton_runtime::config::{SettingKey, SettingSource, schema};

#[test]
fn the_schema_of_a_file_has_exactly_the_settings_that_may_stand_in_it() {
    for (schema, place) in [
        (schema::project_file(), SettingSource::Project),
        (schema::user_file(), SettingSource::User),
    ] {
        let value = schema.as_value();
        for key in SettingKey::ALL {
            let found = &value["properties"][key.section()]["properties"][key.name()];
            assert_eq!(found.is_object(), key.may_stand_in(place), "{place} {key}");
        }
        assert_eq!(value["additionalProperties"], false);
    }
}
