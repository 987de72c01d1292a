//! Sets of documents, by number.

/// A set of documents. Numbers are small, because SQLite counts rows from one, so a bit for each is enough.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct DocumentSet {
    bits: Vec<u64>,
}

const BITS: usize = u64::BITS as usize;

/// Largest number that a set holds; its bits take 16 MiB. An index of more documents cannot be searched.
const NUMBER_MAX: usize = 1 << 27;

impl DocumentSet {
    /// Adds a document. Returns false for a number that is no row of ours.
    pub(super) fn insert(&mut self, document: i64) -> bool {
        let Some(number) = usize::try_from(document).ok().filter(|number| *number < NUMBER_MAX)
        else {
            return false;
        };
        let place = number / BITS;
        if place >= self.bits.len() {
            self.bits.resize(place + 1, 0);
        }
        self.bits[place] |= 1 << (number % BITS);
        true
    }

    pub(super) fn contains(&self, document: i64) -> bool {
        let number = usize::try_from(document).unwrap_or(usize::MAX);
        self.bits.get(number / BITS).is_some_and(|word| word & (1 << (number % BITS)) != 0)
    }

    pub(super) fn len(&self) -> usize {
        self.bits.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub(super) fn union(&mut self, other: &Self) {
        if self.bits.len() < other.bits.len() {
            self.bits.resize(other.bits.len(), 0);
        }
        self.bits.iter_mut().zip(&other.bits).for_each(|(own, other)| *own |= other);
    }

    pub(super) fn intersect(&mut self, other: &Self) {
        self.bits.truncate(other.bits.len());
        self.bits.iter_mut().zip(&other.bits).for_each(|(own, other)| *own &= other);
    }

    pub(super) fn subtract(&mut self, other: &Self) {
        self.bits.iter_mut().zip(&other.bits).for_each(|(own, other)| *own &= !other);
    }

    /// Iterates over the documents, in the order of their numbers.
    pub(super) fn iter(&self) -> impl Iterator<Item = i64> + '_ {
        self.bits.iter().enumerate().flat_map(|(place, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros() as usize;
                // Clears the lowest bit that is set.
                left &= left.checked_sub(1)?;
                i64::try_from(place * BITS + bit).ok()
            })
        })
    }
}

impl FromIterator<i64> for DocumentSet {
    /// Collects documents that were in a set before.
    fn from_iter<T: IntoIterator<Item = i64>>(documents: T) -> Self {
        let mut set = Self::default();
        for document in documents {
            set.insert(document);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn set(numbers: &BTreeSet<i64>) -> DocumentSet {
        let mut set = DocumentSet::default();
        assert!(numbers.iter().all(|number| set.insert(*number)));
        set
    }

    proptest! {
        #[test]
        fn it_is_a_set(
            one in prop::collection::btree_set(0_i64..300, 0..40),
            other in prop::collection::btree_set(0_i64..300, 0..40),
        ) {
            let of = |change: fn(&mut DocumentSet, &DocumentSet)| {
                let mut set = set(&one);
                change(&mut set, &super::tests::set(&other));
                (set.iter().collect::<Vec<_>>(), set.len())
            };
            let expected = |numbers: Vec<i64>| (numbers.clone(), numbers.len());
            prop_assert_eq!(of(DocumentSet::union), expected(one.union(&other).copied().collect()));
            prop_assert_eq!(
                of(DocumentSet::intersect),
                expected(one.intersection(&other).copied().collect())
            );
            prop_assert_eq!(
                of(DocumentSet::subtract),
                expected(one.difference(&other).copied().collect())
            );
            prop_assert!((0..400).all(|number| set(&one).contains(number) == one.contains(&number)));
        }
    }

    #[test]
    fn a_number_that_is_no_row_is_refused() {
        let mut set = DocumentSet::default();
        assert!(!set.insert(-1) && !set.insert(i64::MAX));
        assert!(!set.contains(-1) && !set.contains(i64::MAX));
    }
}
