//! Makes a comparison fit into a reply: what has no room is left out and counted.

use super::reply::{ChangedOutput, ThingComparison, WrittenThings};
use crate::reply::{ReplyRoom, ShownList};

impl ThingComparison {
    /// Keeps what fits, in the order of importance: outputs that differ, then context, then what each side wrote, then
    /// its newest steps.
    pub(super) fn fit(mut self) -> Self {
        let mut room = ReplyRoom::new();
        let mut left_out = 0;
        let outputs = std::mem::take(&mut self.outputs).into_iter().filter_map(|mut output| {
            if room.fits(&output) {
                return Some(output);
            }
            // The fact that it differs is short, and its lines can be read on either side.
            let lines = std::mem::take(&mut output.diff).len();
            let output = ChangedOutput { left_out: output.left_out + lines, ..output };
            let fits = room.fits(&output);
            left_out += usize::from(!fits);
            fits.then_some(output)
        });
        self.outputs = outputs.collect();
        self.note_left_out(left_out, "outputs that differ");
        let ShownList { items, left_out } = room.each(std::mem::take(&mut self.context));
        self.context = items;
        self.note_left_out(left_out, "keys of the context that differ");
        let ancestor = self.ancestor.iter_mut().map(|ancestor| &mut ancestor.written);
        for written in ancestor.chain([&mut self.left.written, &mut self.right.written]) {
            written.fit(&mut room);
        }
        for is_left in [true, false] {
            let side = if is_left { &mut self.left } else { &mut self.right };
            let ShownList { items, left_out } = room.newest(std::mem::take(&mut side.steps));
            side.steps = items;
            let what = format!("earlier steps of {}", side.name);
            self.note_left_out(left_out, &what);
        }
        self
    }

    fn note_left_out(&mut self, count: usize, what: &str) {
        if count > 0 {
            self.notes.push(format!(
                "{count} {what} are left out, because the reply would be too large."
            ));
        }
    }
}

impl WrittenThings {
    fn fit(&mut self, room: &mut ReplyRoom) {
        let keys = room.each(std::mem::take(&mut self.keys));
        (self.keys, self.keys_left_out) = (keys.items, self.keys_left_out + keys.left_out);
        let files = room.each(std::mem::take(&mut self.files));
        (self.files, self.files_left_out) = (files.items, self.files_left_out + files.left_out);
        let frames = room.each(std::mem::take(&mut self.frames));
        (self.frames, self.frames_left_out) =
            (frames.items, self.frames_left_out + frames.left_out);
    }
}
