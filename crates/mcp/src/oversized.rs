//! A message that is too long to be held: what is seen of it as it passes says who waits for a reply.
//!
//! *Invariants*: little of it is kept, however long it is. Only fields of the message itself count, not those inside of
//! its parameters.

use rmcp::model::RequestId;

use crate::bounds::ID_BYTES_MAX;

/// Enough of the name of a field to tell it from `"id"` and `"method"`.
const NAME_BYTES: usize = 16;

/// A message, as far as it has passed.
#[derive(Debug, Default)]
pub(crate) struct Passing {
    depth: usize,
    text: Text,
    /// Whether what passes is the value of a field, not its name.
    is_value: bool,
    name: Vec<u8>,
    value: Vec<u8>,
    has_method: bool,
    has_id: bool,
    id: Option<RequestId>,
}

/// Whether what passes stands in quotes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Text {
    #[default]
    Outside,
    Inside,
    /// After a backslash, which takes the meaning from what follows.
    Escaped,
}

/// Who waits for a reply to a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Waits {
    /// Whoever sent this request; nothing if it cannot be told which it was.
    Somebody(Option<RequestId>),
    /// Nobody: it is a notification.
    Nobody,
}

impl Passing {
    /// Sees what comes next of the message.
    pub(crate) fn see(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.see_one(*byte);
        }
    }

    fn see_one(&mut self, byte: u8) {
        if self.text != Text::Outside {
            self.text = match (self.text, byte) {
                (Text::Inside, b'"') => Text::Outside,
                (Text::Inside, b'\\') => Text::Escaped,
                _ => Text::Inside,
            };
            self.keep(byte);
            return;
        }
        match byte {
            b'"' => {
                self.text = Text::Inside;
                self.keep(byte);
            }
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.end_field();
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if self.depth == 1 => self.is_value = true,
            b',' => self.end_field(),
            other if other.is_ascii_whitespace() => {}
            other => self.keep(other),
        }
    }

    fn keep(&mut self, byte: u8) {
        let is_wanted = !self.is_value || self.name == b"\"id\"";
        if self.depth != 1 || !is_wanted {
            return;
        }
        let (kept, max) = if self.is_value {
            (&mut self.value, ID_BYTES_MAX)
        } else {
            (&mut self.name, NAME_BYTES)
        };
        if kept.len() < max {
            kept.push(byte);
        }
    }

    fn end_field(&mut self) {
        if self.depth != 1 {
            return;
        }
        if self.name == b"\"id\"" {
            self.has_id = true;
            self.id = serde_json::from_slice(&self.value).ok();
        }
        self.has_method |= self.name == b"\"method\"";
        self.is_value = false;
        self.name.clear();
        self.value.clear();
    }

    /// Who waits for a reply, now that all of it has passed. The answer to something that was asked of the client gets
    /// none under its id, which is not the client's own.
    pub(crate) fn waits(self) -> Waits {
        match (self.has_method, self.has_id) {
            (true, true) => Waits::Somebody(self.id),
            (true, false) => Waits::Nobody,
            (false, _) => Waits::Somebody(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn waits(message: &str, expected: &Waits) {
        // In whatever pieces it comes.
        for piece in [1, 7, message.len().max(1)] {
            let mut passing = Passing::default();
            message.as_bytes().chunks(piece).for_each(|bytes| passing.see(bytes));
            assert_eq!(&passing.waits(), expected, "{message}");
        }
    }

    #[test]
    fn the_id_of_a_request_is_found_wherever_it_stands() {
        let somebody = |id: serde_json::Value| Waits::Somebody(serde_json::from_value(id).ok());
        for (message, expected) in [
            (
                r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"id":8}}"#,
                somebody(7.into()),
            ),
            (
                r#"{"method":"m","params":{"x":"\",\"id\":9,","y":[{"id":1}]},"id" : 7 }"#,
                somebody(7.into()),
            ),
            (r#"{"id":"a\\\"b","method":"m"}"#, somebody("a\\\"b".into())),
            (r#"{"method":"m","params":{"id":8}}"#, Waits::Nobody),
            (r#"{"id":7,"result":{"method":"m"}}"#, Waits::Somebody(None)),
            (r#"{"id":{"x":1},"method":"m"}"#, Waits::Somebody(None)),
            (r#"[{"id":7,"method":"m"}]"#, Waits::Somebody(None)),
            ("xxxx", Waits::Somebody(None)),
            ("}}]]{", Waits::Somebody(None)),
        ] {
            waits(message, &expected);
        }
        let long = format!(r#"{{"id":"{}","method":"m"}}"#, "x".repeat(10_000));
        waits(&long, &Waits::Somebody(None));
    }
}
