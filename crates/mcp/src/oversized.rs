//! Skims a message that is too long to be held, to find out which request waits for a reply.
//!
//! *Invariants*: only a little of the message is kept, however long it is. Only the fields of the message itself count,
//! not those inside its parameters.

use rmcp::model::RequestId;

use crate::bounds::ID_BYTES_MAX;

/// Number of bytes that suffice to tell the name of a field from `"id"` and `"method"`.
const NAME_BYTES: usize = 16;

/// State of a message that is being skipped.
#[derive(Debug, Default)]
pub(crate) struct Passing {
    depth: usize,
    text: Text,
    /// Set when the current bytes are the value of a field, not its name.
    is_value: bool,
    name: Vec<u8>,
    value: Vec<u8>,
    has_method: bool,
    has_id: bool,
    id: Option<RequestId>,
}

/// Position relative to a JSON string.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Text {
    #[default]
    Outside,
    Inside,
    /// After a backslash, so the next byte has no special meaning.
    Escaped,
}

/// The party that waits for a reply to a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Waits {
    /// The sender of this request. `None` if its id could not be determined.
    Somebody(Option<RequestId>),
    /// No one, because it is a notification.
    Nobody,
}

impl Passing {
    /// Processes the next bytes of the message.
    pub(crate) fn see(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.see_one(*byte);
        }
    }

    fn see_one(&mut self, byte: u8) {
        // Inside a string, brackets and commas mean nothing.
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
        // Only the value of the id is needed, and only at the top level of the message.
        let is_wanted = !self.is_value || self.name == b"\"id\"";
        if self.depth != 1 || !is_wanted {
            return;
        }
        let (kept, max) = if self.is_value {
            (&mut self.value, ID_BYTES_MAX)
        } else {
            (&mut self.name, NAME_BYTES)
        };
        // A longer name is cut and then equals neither `"id"` nor `"method"`; a longer id is cut and fails to parse.
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

    /// Decides who waits for a reply, once the whole message has passed. The answer to a request of the server gets no
    /// reply under its id, because that id is not the client's own.
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
        // In pieces of any size.
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
