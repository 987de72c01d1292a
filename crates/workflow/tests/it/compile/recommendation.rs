//! Preferences beyond what an author recommends.

use piton_workflow::compile::PreferenceWarning;
use piton_workflow::{Autonomy, RiskPolicy};
use serde_json::{Value, json};

use crate::source::compile_value;

fn warnings(
    recommended: &Value,
    autonomy: Autonomy,
    risk_policy: RiskPolicy,
) -> Vec<PreferenceWarning> {
    let source = json!({
        "id": "a.b",
        "recommendedPreferences": recommended,
        "steps": [{"id": "s", "title": "S", "prompt": "x"}],
    });
    compile_value(&source).expect("it compiles").preference_warnings(autonomy, risk_policy)
}

// shows: WR-409
#[test]
fn more_autonomy_than_recommended_is_a_warning() {
    use Autonomy::{FullAutoNeverStop, FullAutoStopOnUserDeps, Guided};
    let order = [Guided, FullAutoStopOnUserDeps, FullAutoNeverStop];
    for (most, recommended) in order.into_iter().enumerate() {
        for (rank, effective) in order.into_iter().enumerate() {
            let found = warnings(
                &json!({"recommendedAutonomy": recommended}),
                effective,
                RiskPolicy::Aggressive,
            );
            let warning = PreferenceWarning::Autonomy { recommended, effective };
            assert_eq!(found, if rank > most { vec![warning] } else { vec![] });
        }
    }
}

// shows: WR-409
#[test]
fn a_bolder_policy_than_recommended_is_a_warning() {
    use RiskPolicy::{Aggressive, Balanced, Conservative};
    let order = [Conservative, Balanced, Aggressive];
    for (most, recommended) in order.into_iter().enumerate() {
        for (rank, effective) in order.into_iter().enumerate() {
            let found = warnings(
                &json!({"recommendedRiskPolicy": recommended}),
                Autonomy::FullAutoNeverStop,
                effective,
            );
            let warning = PreferenceWarning::RiskPolicy { recommended, effective };
            assert_eq!(found, if rank > most { vec![warning] } else { vec![] });
        }
    }
}

#[test]
fn a_warning_names_both_and_without_a_recommendation_there_is_none() {
    let bold = (Autonomy::FullAutoNeverStop, RiskPolicy::Aggressive);
    assert_eq!(warnings(&json!({}), bold.0, bold.1), []);
    let careful = json!({"recommendedAutonomy": "guided", "recommendedRiskPolicy": "balanced"});
    let lines: Vec<_> =
        warnings(&careful, bold.0, bold.1).iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [
            "the autonomy is full_auto_never_stop; the author recommends at most guided",
            "the risk policy is aggressive; the author recommends at most balanced",
        ]
    );
}
