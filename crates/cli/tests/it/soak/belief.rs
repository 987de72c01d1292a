//! What an agent knows of the places that only it writes to.

use std::collections::BTreeMap;

/// Something that holds a text, or nothing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// A key of the backpack.
    Key(String),
    /// A file, by its path.
    File(String),
    /// The newest frame on a file of the project, by its path and type.
    Frame(String, String),
}

/// What each place may hold: one thing, or several where replies were lost.
#[derive(Debug, Default)]
pub(super) struct Beliefs {
    places: BTreeMap<Place, Vec<Option<String>>>,
}

impl Beliefs {
    /// A change that was acknowledged.
    pub(super) fn told(&mut self, place: &Place, holds: Option<String>) {
        self.places.insert(place.clone(), vec![holds]);
    }

    /// A change whose reply was lost: made or not.
    pub(super) fn lost(&mut self, place: &Place, holds: Option<String>) {
        self.places.entry(place.clone()).or_insert_with(|| vec![None]).push(holds);
    }

    /// What is there must be among what may be there; from now on it is known.
    pub(super) fn seen(&mut self, place: &Place, found: Option<String>) {
        let may = self.places.entry(place.clone()).or_insert_with(|| vec![None]);
        let short = |text: &Option<String>| {
            text.as_ref().map(|text| text[..text.len().min(160)].to_owned())
        };
        let may_hold: Vec<_> = may.iter().map(short).collect();
        assert!(
            may.contains(&found),
            "{place:?} holds {:?}, and may hold {may_hold:?}",
            short(&found)
        );
        *may = vec![found];
    }

    /// What a place holds, if that is known and is something.
    pub(super) fn certain(&self, place: &Place) -> Option<&str> {
        match self.places.get(place).map(Vec::as_slice) {
            Some([Some(text)]) => Some(text),
            _ => None,
        }
    }

    /// Every place that was ever written to.
    pub(super) fn places(&self) -> Vec<Place> {
        self.places.keys().cloned().collect()
    }
}

#[test]
fn a_place_that_holds_what_nobody_wrote_is_noticed() {
    let mut beliefs = Beliefs::default();
    let key = Place::Key("a".to_owned());
    beliefs.told(&key, Some("1".to_owned()));
    beliefs.lost(&key, Some("2".to_owned()));
    assert_eq!(beliefs.certain(&key), None);
    beliefs.seen(&key, Some("2".to_owned()));
    assert_eq!(beliefs.certain(&key), Some("2"));
    let older = std::panic::catch_unwind(move || beliefs.seen(&key, Some("1".to_owned())));
    assert!(older.is_err(), "what was seen does not go back");
}
