//! `read`

use std::fmt::Write as _;

use crate::bounds::{NOTE_BYTES_MAX, READ_HEADER_BYTES, READ_LINES_DEFAULT, REPLY_BYTES_MAX};
use crate::error::Error;
use crate::files::Files;
use crate::files::service::store_error;
use crate::path::LogicalPath;
use crate::scope::{Right, Tool};
use crate::store::{FileVersion, Window, WindowRead};
use crate::tools::ReadRequest;

/// Number of bytes reserved for the number before a line.
const NUMBER_BYTES: usize = 8;

impl Files {
    /// Reads some lines of a text file.
    pub async fn read(&self, request: ReadRequest) -> Result<String, Error> {
        let first = request.offset.unwrap_or(1);
        let lines_max = request.limit.unwrap_or(READ_LINES_DEFAULT);
        if first == 0 || lines_max == 0 {
            return Err(Error::BadArgument("`offset` and `limit` count from 1".into()));
        }
        let target = self.permit(Tool::Read, Right::Read, &request.path)?;
        let target = self.located(target).await?;
        let window = Window { first, lines_max, bytes_max: REPLY_BYTES_MAX - NOTE_BYTES_MAX };
        let read = target.workspace.store.read(target.at.clone(), window).await;
        let read = read.map_err(|fault| store_error(&target, fault))?;
        Ok(render(&target.path, &read, request.numbers))
    }
}

fn render(path: &LogicalPath, read: &WindowRead, numbers: bool) -> String {
    let mut room = REPLY_BYTES_MAX - READ_HEADER_BYTES - path.as_str().len();
    let (mut text, mut shown) = (String::new(), 0);
    for (number, line) in (read.first..).zip(&read.lines) {
        let bytes = line.len() + 1 + if numbers { NUMBER_BYTES } else { 0 };
        // Numbers take room that the Store did not count, so not every line that it read may fit.
        let Some(left) = room.checked_sub(bytes) else { break };
        room = left;
        if numbers {
            let _ = write!(text, "{number:>6}\t");
        }
        text.push_str(line);
        text.push('\n');
        shown += 1;
    }
    header(path, read, shown) + &text
}

/// Returns the first line of the reply, which is never a line of the file. It speaks of the lines that are shown.
fn header(path: &LogicalPath, read: &WindowRead, shown: u64) -> String {
    let mut text = format!("[{path}");
    if read.lines.is_empty() {
        text.push_str(" is empty");
    } else {
        let last = read.first + shown - 1;
        let _ = write!(text, " lines {}-{last}", read.first);
        let _ = match read.total {
            Some(total) => write!(text, " of {total}"),
            None => write!(text, " of a file of {} bytes", read.bytes),
        };
    }
    if let Some(digest) = &read.digest {
        let _ = write!(text, ", version {}", FileVersion::of(digest));
    }
    if read.more || shown < read.lines.len() as u64 {
        let next = read.first + shown;
        let _ = write!(text, "; continue with offset={next}");
    }
    text.push_str("]\n");
    text
}
