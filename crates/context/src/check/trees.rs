//! Checks recorded trees and their nodes.

use std::collections::BTreeSet;

use piton_core::Digest;

use super::{DamageKind, Validation};
use crate::history::RootEntry;
use crate::rows::{NodeBody, RowKind};
use crate::tree::TreeNodeId;
use crate::{Context, Error};

pub(super) struct TreeCheck<'a> {
    context: &'a Context,
    nodes: BTreeSet<TreeNodeId>,
    /// Keys of the rows that a repair took out of use.
    taken_away: BTreeSet<Vec<u8>>,
}

impl<'a> TreeCheck<'a> {
    pub(super) fn new(context: &'a Context) -> Self {
        Self { context, nodes: BTreeSet::new(), taken_away: BTreeSet::new() }
    }

    pub(super) async fn run(mut self, found: &mut Validation) -> Result<(), Error> {
        self.taken_away = self.context.taken_away().await?;
        found.lost = self.taken_away.len() as u64;
        let skip = self.context.keys.all(RowKind::Node).len();
        let nodes = &mut self.nodes;
        self.context
            .each_row(RowKind::Node, |row| {
                // Keys of the later rows of large directories are longer than the id.
                if let Ok(id) = row.key[skip..].try_into() {
                    nodes.insert(TreeNodeId::new(Digest::from_bytes(id)));
                }
            })
            .await?;
        found.nodes = self.nodes.len() as u64;
        for id in &self.nodes {
            let body = found.absorb(DamageKind::Node, self.context.body(*id).await)?;
            let Some(Some((path, NodeBody::Directory { children, .. }))) = body else {
                continue;
            };
            for child in children.iter().filter(|child| !self.nodes.contains(&child.id)) {
                // Lost is not damaged: a repair has already dealt with it.
                if self.is_taken_away(child.id) {
                    continue;
                }
                let what = format!("the tree node {}", child.id);
                let at = path.join(&child.name);
                found.add(DamageKind::Node, what, format!("it is missing, and {at} is made of it"));
            }
        }
        self.roots(found).await
    }

    async fn roots(&self, found: &mut Validation) -> Result<(), Error> {
        let rows = self.context.rows(&self.context.keys.all(RowKind::Root)).await?;
        let mut last = None;
        for row in &rows {
            found.roots += 1;
            let entry = RootEntry::decode(&row.value);
            let Some(entry) = found.absorb(DamageKind::Root, entry)? else { continue };
            let what = format!("the recorded tree {}", entry.sequence);
            // Numbers are consecutive, except where a repair took a tree out of use.
            let before = entry.sequence.saturating_sub(1);
            let is_next = before == last.as_ref().map_or(0, |last: &RootEntry| last.sequence)
                || self.taken_away.contains(&*self.context.keys.root(before));
            if !is_next || row.key != self.context.keys.root(entry.sequence) {
                found.add(DamageKind::Root, what.clone(), "it does not stand at its number");
            }
            match self.context.body(entry.root).await {
                Ok(Some((_, NodeBody::Directory { totals, .. }))) if totals != entry.totals => {
                    found.add(DamageKind::Root, what, "its topmost directory has another size");
                }
                Ok(None) if !self.is_taken_away(entry.root) => {
                    found.add(DamageKind::Root, what, "its topmost directory is missing");
                }
                // An unreadable node was reported already.
                Ok(_) | Err(Error::Integrity { .. }) => {}
                Err(error) => return Err(error),
            }
            last = Some(entry);
        }
        let current = match self.context.current().await {
            Err(Error::NotScanned) => None,
            current => found.absorb(DamageKind::Root, current)?,
        };
        if current.as_ref() != last.as_ref() {
            found.add(DamageKind::Root, "the current tree", "it is not the last recorded one");
        }
        for label in self.context.rows(&self.context.keys.all(RowKind::Label)).await? {
            let number = label.value.as_slice().try_into().map(u64::from_be_bytes);
            let newest = last.as_ref().map_or(0, |last| last.sequence);
            if !number.is_ok_and(|number| number >= 1 && number <= newest) {
                let name = String::from_utf8_lossy(&label.key[17..]).into_owned();
                found.add(
                    DamageKind::Root,
                    format!("the label {name}"),
                    "it names no recorded tree",
                );
            }
        }
        Ok(())
    }

    fn is_taken_away(&self, id: TreeNodeId) -> bool {
        self.taken_away.contains(&*self.context.keys.node(id, 0))
    }
}
