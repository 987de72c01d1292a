//! Labels for runs, for people: two words, such as `amber-otter`.
//!
//! A label is derived from the id of a run and is easier to say and to recognise. It is for reading and for
//! checking: 65,536 labels are too few to be unique, so nothing is ever looked up by one.
//!
//! *Invariants*: the same run has the same label everywhere and for good, so the words and their order never
//! change.

use std::fmt;
use std::str::FromStr;

use piton_core::RunId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The words before the hyphen, in alphabetical order.
#[rustfmt::skip]
const ADJECTIVES: [&str; 256] = [
    "able", "agile", "airy", "alert", "amber", "ample", "amused", "ancient", "apt", "arctic",
    "ardent", "artful", "autumn", "avid", "azure", "balmy", "beaming", "bold", "bonny", "brave",
    "breezy", "bright", "brisk", "bronze", "brown", "bubbly", "calm", "candid", "careful", "caring",
    "casual", "cheery", "chief", "civil", "classic", "clean", "clear", "clever", "coastal",
    "cobalt", "coral", "cosmic", "cosy", "cotton", "crafty", "creamy", "crimson", "crisp",
    "curious", "curly", "daily", "dapper", "daring", "dawning", "deep", "deft", "delicate",
    "devoted", "dewy", "direct", "distant", "dotted", "downy", "dreamy", "dusky", "eager", "early",
    "earnest", "earthy", "easy", "ebony", "elastic", "electric", "elegant", "emerald", "endless",
    "equal", "even", "exact", "fabled", "fair", "faithful", "famous", "fancy", "feathery",
    "festive", "fine", "firm", "fleet", "floral", "fluent", "flying", "fond", "forest", "formal",
    "frank", "free", "fresh", "friendly", "frosty", "frugal", "fuzzy", "gallant", "gentle", "giant",
    "gifted", "gilded", "glad", "glassy", "gleaming", "global", "glossy", "golden", "graceful",
    "grand", "grassy", "grateful", "green", "handy", "happy", "hardy", "hazel", "hearty", "helpful",
    "hidden", "honest", "humble", "icy", "ideal", "indigo", "inky", "ivory", "jade", "jaunty",
    "jolly", "jovial", "joyful", "keen", "kind", "lasting", "lavender", "leafy", "level", "light",
    "lilac", "limber", "lively", "local", "lofty", "loyal", "lucid", "lucky", "lunar", "magenta",
    "magic", "major", "maroon", "mellow", "merry", "mighty", "mild", "minty", "misty", "modern",
    "modest", "mossy", "musical", "mystic", "natural", "navy", "neat", "nimble", "noble",
    "northern", "novel", "olive", "open", "orange", "orderly", "outer", "patient", "peaceful",
    "pearly", "placid", "plucky", "plum", "polar", "polished", "polite", "prime", "proud", "purple",
    "quick", "quiet", "radiant", "rapid", "ready", "regal", "rosy", "round", "royal", "ruby",
    "rural", "rustic", "sandy", "scarlet", "serene", "sharp", "shiny", "silent", "silky", "silver",
    "simple", "sincere", "sleek", "smart", "smooth", "snowy", "snug", "social", "soft", "solar",
    "solid", "southern", "speedy", "spry", "stable", "starry", "steady", "stellar", "sunny", "sure",
    "swift", "tidy", "topaz", "tranquil", "true", "trusty", "upbeat", "valiant", "velvet",
    "verdant", "vernal", "violet", "vital", "vivid", "warm", "western", "whole", "willing", "windy",
    "wintry", "wise", "witty", "woven", "young",
];

/// The words after the hyphen, in alphabetical order.
#[rustfmt::skip]
const NOUNS: [&str; 256] = [
    "acorn", "alder", "almond", "alpaca", "anchor", "anvil", "apple", "apricot", "arrow", "aspen",
    "aster", "atlas", "badger", "bamboo", "banjo", "barley", "basil", "basin", "beacon", "beaver",
    "beetle", "birch", "bison", "blossom", "bluebell", "boat", "bobcat", "bracken", "bramble",
    "bridge", "brook", "buffalo", "bugle", "bunny", "butterfly", "button", "cactus", "camel",
    "candle", "canoe", "canyon", "cardinal", "caribou", "castle", "catfish", "cavern", "cedar",
    "cello", "cherry", "chestnut", "cicada", "citrus", "clam", "cliff", "cloud", "clover", "comet",
    "compass", "condor", "copper", "coyote", "crab", "crane", "creek", "cricket", "crocus", "crow",
    "crystal", "cypress", "daisy", "deer", "delta", "desert", "dingo", "dolphin", "donkey", "dove",
    "dragon", "drum", "duck", "dune", "eagle", "echo", "eel", "egret", "elk", "elm", "ember",
    "falcon", "feather", "fern", "ferret", "fiddle", "finch", "fjord", "flamingo", "flute", "forge",
    "fossil", "fountain", "fox", "frog", "garden", "garnet", "gazelle", "gecko", "geyser", "ginger",
    "giraffe", "glacier", "goat", "goose", "gopher", "grape", "grove", "gull", "hamlet", "harbor",
    "hare", "harp", "hawk", "heather", "hedgehog", "heron", "hill", "hippo", "holly", "honey",
    "horizon", "horse", "ibex", "ibis", "iguana", "inlet", "iris", "island", "ivy", "jackal",
    "jaguar", "jasmine", "jay", "juniper", "kayak", "kestrel", "kettle", "kite", "kiwi", "koala",
    "lagoon", "lake", "lantern", "larch", "lark", "laurel", "lemon", "lemur", "leopard", "lichen",
    "lily", "linden", "lion", "lizard", "llama", "lobster", "lotus", "lupin", "lynx", "macaw",
    "magnet", "magpie", "mango", "maple", "marble", "marigold", "marlin", "marmot", "marsh",
    "meadow", "melon", "meteor", "mint", "mole", "moon", "moose", "moth", "mountain", "mulberry",
    "muskrat", "nebula", "newt", "nutmeg", "oak", "oasis", "ocelot", "octopus", "orchard", "orchid",
    "oriole", "osprey", "otter", "owl", "oyster", "panda", "panther", "papaya", "parrot", "peach",
    "pebble", "pelican", "penguin", "pepper", "piano", "pigeon", "pine", "planet", "plover", "pond",
    "poplar", "poppy", "prairie", "puffin", "pumpkin", "quail", "quartz", "rabbit", "raccoon",
    "raven", "reef", "ridge", "river", "robin", "rowan", "sage", "salmon", "sequoia", "shore",
    "sparrow", "spruce", "squirrel", "starling", "swan", "thistle", "thrush", "tiger", "tulip",
    "turtle", "valley", "violin", "walnut", "walrus", "willow", "wolf", "wombat", "wren", "yak",
    "zebra",
];

/// Two words that stand for a run.
///
/// ```
/// use piton_core::RunId;
/// use piton_workflow::label::label;
/// assert_eq!(label(RunId::from_bytes([4; 16])).to_string(), "amber-anchor");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(with = "String")]
#[serde(try_from = "String", into = "String")]
pub struct Label {
    adjective: u8,
    noun: u8,
}

/// A text that is no label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a label is two words of a fixed list with a hyphen between them")]
pub struct NotALabel;

/// Returns the label of a run: its first byte selects the first word, its last byte the second.
pub fn label(run: RunId) -> Label {
    let [adjective, .., noun] = *run.as_bytes();
    Label { adjective, noun }
}

impl fmt::Display for Label {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (adjective, noun) =
            (ADJECTIVES[usize::from(self.adjective)], NOUNS[usize::from(self.noun)]);
        formatter.pad(&format!("{adjective}-{noun}"))
    }
}

impl FromStr for Label {
    type Err = NotALabel;

    fn from_str(text: &str) -> Result<Self, NotALabel> {
        // Both lists are sorted, which a test checks.
        let place = |words: &[&str; 256], word: &str| {
            let place = words.binary_search(&word).map_err(|_| NotALabel)?;
            u8::try_from(place).map_err(|_| NotALabel)
        };
        let (adjective, noun) = text.split_once('-').ok_or(NotALabel)?;
        Ok(Self { adjective: place(&ADJECTIVES, adjective)?, noun: place(&NOUNS, noun)? })
    }
}

impl TryFrom<String> for Label {
    type Error = NotALabel;

    fn try_from(text: String) -> Result<Self, NotALabel> {
        text.parse()
    }
}

impl From<Label> for String {
    fn from(label: Label) -> Self {
        label.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::{ADJECTIVES, NOUNS};

    #[test]
    fn the_words_are_plain_distinct_and_in_order() {
        for words in [ADJECTIVES, NOUNS] {
            assert!(words.is_sorted_by(|one, next| one < next));
            for word in words {
                let plain = word.bytes().all(|byte| byte.is_ascii_lowercase());
                assert!(plain && (2..=10).contains(&word.len()), "{word}");
            }
        }
        assert!(ADJECTIVES.iter().all(|word| NOUNS.binary_search(word).is_err()));
    }
}
