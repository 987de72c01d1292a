//! Preferences of runs, in general and for one run.

use piton_core::{Code, Envelope, RunId, SessionId};
use piton_workflow::event::PreferenceChange;
use piton_workflow::{Autonomy, PreferenceSource, RiskPolicy, session};

use super::runtime::Runtime;
use crate::config::{ConfigProblem, Configuration, SettingKey, SettingSource};
use crate::reply::AppliedPreferences;

impl Runtime {
    /// Returns the preferences of new runs in the directory that this process was started in.
    pub fn preferences(&self) -> Result<AppliedPreferences, Envelope> {
        let settings = self.settings_now()?;
        let preferences = settings.preferences();
        Ok(AppliedPreferences { preferences, written_to: None, warnings: Vec::new() })
    }

    /// Changes the preferences of new runs, or of one run from its current step on.
    pub async fn prefer(
        &self,
        run: Option<(SessionId, RunId)>,
        autonomy: Option<Autonomy>,
        risk_policy: Option<RiskPolicy>,
    ) -> Result<AppliedPreferences, Envelope> {
        if autonomy.is_none() && risk_policy.is_none() {
            return Err(Envelope::new(Code::ValidationError, "There is no preference to change.")
                .with_suggestion("Name an autonomy, a risk policy or both."));
        }
        // General preferences are settings in the user's file. Those of a run are events of its session.
        let Some((session, run)) = run else {
            let names = [
                (SettingKey::Autonomy, autonomy.map(Autonomy::as_str)),
                (SettingKey::RiskPolicy, risk_policy.map(RiskPolicy::as_str)),
            ];
            return self.prefer_in_general(&names);
        };
        let changes = autonomy.map(PreferenceChange::Autonomy).into_iter();
        let changes = changes.chain(risk_policy.map(PreferenceChange::RiskPolicy)).collect();
        let request = session::Prefer { session, run, source: PreferenceSource::User, changes };
        let preferences = self.sessions.prefer(request).await?;
        Ok(AppliedPreferences { preferences, written_to: None, warnings: Vec::new() })
    }

    fn prefer_in_general(
        &self,
        names: &[(SettingKey, Option<&'static str>)],
    ) -> Result<AppliedPreferences, Envelope> {
        let mut written_to = None;
        for (key, name) in names {
            let Some(name) = name else { continue };
            let file = self.configuration.set(*key, name).map_err(|error| error.envelope())?;
            written_to = Some(file.display().to_string());
        }
        let settings = self.settings_now()?;
        // The user's file may be overridden by a stronger source. The change is kept, but the caller should know.
        let overruled = names.iter().filter(|(_, name)| name.is_some()).filter_map(|(key, _)| {
            let held = settings.get(*key).filter(|held| held.place > SettingSource::User)?;
            let at = held.at.as_deref().unwrap_or_default();
            Some(format!("Here {at} says otherwise about {key}, and wins."))
        });
        let warnings = overruled.collect();
        Ok(AppliedPreferences { preferences: settings.preferences(), written_to, warnings })
    }

    fn settings_now(&self) -> Result<crate::config::Settings, Envelope> {
        let fresh =
            self.configuration.reload().and_then(|fresh| Configuration::settings_here(&fresh));
        fresh.map_err(|found| ConfigProblem::envelope(&found))
    }
}
