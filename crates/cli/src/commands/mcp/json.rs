//! Changes one member of an object in a JSON text, and leaves the rest as its author wrote it.
//!
//! Comments, and commas before a closing bracket, are accepted, as editors allow them in their configuration.
//!
//! *Invariants*: the result differs from the text only in the one member and the comma beside it.

use std::ops::Range;

use crate::bounds::JSON_DEPTH_MAX;

/// Error for a text that cannot be changed, with the line, counted from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NotJson {
    pub(super) line: usize,
}

/// An object in a text.
#[derive(Debug)]
struct JsonObject {
    members: Vec<Member>,
    /// The range from behind the opening brace up to the closing one.
    inside: Range<usize>,
}

#[derive(Debug)]
struct Member {
    key: String,
    start: usize,
    value: Range<usize>,
}

/// Returns the value of `key` in the object `section` of a text, if there is one.
pub(super) fn get(text: &str, section: &str, key: &str) -> Result<Option<String>, NotJson> {
    let Some(section) = Scanner::of(text).object()?.take(section) else { return Ok(None) };
    // Positions point into the original text, so a second scan of the section begins right at its value.
    let mut scanner = Scanner { text, at: section.value.start };
    // A section that is no object has no such key; it is for the client to complain about.
    let found = if scanner.peek() == Some(b'{') { scanner.object()?.take(key) } else { None };
    Ok(found.map(|member| text[member.value].to_owned()))
}

/// Returns the text with `key` in the object `section` set to `value`, which is JSON.
pub(super) fn set(text: &str, section: &str, key: &str, value: &str) -> Result<String, NotJson> {
    // An empty file has no object yet, so the change starts from an empty one.
    if text.trim().is_empty() {
        return set("{}\n", section, key, value);
    }
    let root = Scanner::of(text).object()?;
    // Without the section, the section itself becomes the new member.
    let Some(found) = root.find(section) else {
        let nested = format!("{{\n  \"{key}\": {}\n}}", indented(value, 1));
        return Ok(added(text, &root, section, &nested, 1));
    };
    let mut scanner = Scanner { text, at: found.value.start };
    // A section that is no object is refused here, instead of being overwritten.
    let servers = scanner.object()?;
    match servers.find(key) {
        Some(member) => {
            // Replaces the bytes of the value only: the key, the comma and all comments around it stay.
            let Range { start, end } = member.value;
            Ok([&text[..start], &indented(value, 2), &text[end..]].concat())
        }
        None => Ok(added(text, &servers, key, value, 2)),
    }
}

/// Returns the text without `key` in the object `section`; `None` if it is not there.
pub(super) fn remove(text: &str, section: &str, key: &str) -> Result<Option<String>, NotJson> {
    let Some(found) = Scanner::of(text).object()?.take(section) else { return Ok(None) };
    let servers = Scanner { text, at: found.value.start }.object()?;
    let Some(place) = servers.members.iter().position(|member| member.key == key) else {
        return Ok(None);
    };
    // The comma goes along: the one before the member, or, for the first member, the one after it.
    let member = &servers.members[place];
    let range = match (place.checked_sub(1), servers.members.get(place + 1)) {
        (Some(before), _) => servers.members[before].value.end..member.value.end,
        (None, Some(next)) => member.start..next.start,
        // An only member leaves an empty object, without the line breaks that framed the member.
        (None, None) => servers.inside.clone(),
    };
    Ok(Some([&text[..range.start], &text[range.end..]].concat()))
}

/// Returns the text with a new member after the last one of an object that is `depth` levels deep.
fn added(text: &str, object: &JsonObject, key: &str, value: &str, depth: usize) -> String {
    // In an object with members, insert right after the last value: a trailing comma or comment then follows the new
    // member. In an empty one, replace everything between the braces.
    let (before, after) = match object.members.last() {
        Some(last) => (last.value.end, last.value.end),
        None => (object.inside.start, object.inside.end),
    };
    let comma = if object.members.is_empty() { "" } else { "," };
    let margin = "  ".repeat(depth);
    let end = if object.members.is_empty() {
        format!("\n{}", "  ".repeat(depth - 1))
    } else {
        String::new()
    };
    let value = indented(value, depth);
    let member = format!("{comma}\n{margin}\"{key}\": {value}{end}");
    [&text[..before], &member, &text[after..]].concat()
}

fn indented(value: &str, depth: usize) -> String {
    // The lines after the first move to the depth of the member; the first stands after its key.
    value.replace('\n', &format!("\n{}", "  ".repeat(depth)))
}

impl JsonObject {
    fn find(&self, key: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.key == key)
    }

    fn take(self, key: &str) -> Option<Member> {
        self.members.into_iter().find(|member| member.key == key)
    }
}

/// Reads a text from a position on.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    fn of(text: &'a str) -> Self {
        let mut scanner = Self { text, at: 0 };
        scanner.skip();
        scanner
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn wrong(&self) -> NotJson {
        // Only on this rare path is the line counted, so the scanner keeps no line number.
        let before = self.text.as_bytes().iter().take(self.at);
        NotJson { line: before.filter(|byte| **byte == b'\n').count() + 1 }
    }

    fn expect(&mut self, byte: u8) -> Result<(), NotJson> {
        if self.peek() != Some(byte) {
            return Err(self.wrong());
        }
        self.at += 1;
        Ok(())
    }

    /// Skips white space and comments.
    fn skip(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            // A comment that is never closed extends to the end; what should follow it is then found missing.
            let end = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            } else {
                let blank = rest.len() - rest.trim_start().len();
                // Nothing was skipped in this round, so the next byte is significant.
                if blank == 0 {
                    return;
                }
                blank
            };
            self.at += end;
        }
    }

    /// Parses the object that begins here, up to its closing brace.
    fn object(&mut self) -> Result<JsonObject, NotJson> {
        self.expect(b'{')?;
        let start = self.at;
        let mut members = Vec::new();
        loop {
            // This also follows a comma, so a comma before the closing brace is accepted.
            self.skip();
            if self.peek() == Some(b'}') {
                return Ok(JsonObject { members, inside: start..self.at });
            }
            let member = self.at;
            let key = self.string()?;
            self.skip();
            self.expect(b':')?;
            self.skip();
            let value = self.at;
            self.value()?;
            members.push(Member { key, start: member, value: value..self.at });
            self.skip();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {}
                _ => return Err(self.wrong()),
            }
        }
    }

    /// Consumes a string and returns it.
    fn string(&mut self) -> Result<String, NotJson> {
        let start = self.at;
        self.expect(b'"')?;
        while let Some(byte) = self.peek() {
            // A backslash takes the next byte with it, so that an escaped quote does not end the string.
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == b'"' {
                // The position may be past the end or inside a character after a stray backslash, hence `get`. The
                // escapes themselves are left to the real parser.
                let text = self.text.get(start..self.at).ok_or_else(|| self.wrong())?;
                return serde_json::from_str(text).map_err(|_| self.wrong());
            }
        }
        Err(self.wrong())
    }

    /// Skips a value.
    fn value(&mut self) -> Result<(), NotJson> {
        // Counts brackets instead of recursing: a hostile nesting costs no stack. The value's own grammar is not
        // checked, since it is kept byte for byte.
        let mut depth = 0;
        loop {
            self.skip();
            match self.peek() {
                Some(b'{' | b'[') => {
                    depth += 1;
                    self.at += 1;
                }
                Some(b'}' | b']') => {
                    depth -= 1;
                    self.at += 1;
                }
                Some(b'"') => drop(self.string()?),
                // At depth zero a comma ends the value; inside, it only separates.
                Some(b',' | b':') if depth > 0 => self.at += 1,
                Some(byte) if byte.is_ascii_alphanumeric() || b"+-.".contains(&byte) => {
                    let rest = &self.text.as_bytes()[self.at..];
                    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
                    self.at += rest.iter().take_while(|byte| plain(byte)).count();
                }
                _ => return Err(self.wrong()),
            }
            // A scalar, or the bracket that closes the outermost one, completes the value.
            if depth == 0 {
                return Ok(());
            }
            if depth > JSON_DEPTH_MAX {
                return Err(self.wrong());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUE: &str = "{\n  \"command\": \"/bin/piton\"\n}";

    #[test]
    fn everything_else_stays_as_it_was_written() {
        let cases = [
            (
                "",
                "{\n  \"servers\": {\n    \"piton\": {\n      \"command\": \"/bin/piton\"\n    }\n  }\n}\n",
            ),
            (
                "{ \"a\": [1,2 , {\"b\":\"}\\\"\"}] }",
                "{ \"a\": [1,2 , {\"b\":\"}\\\"\"}],\n  \"servers\": {\n    \"piton\": {\n      \"command\": \"/bin/piton\"\n    }\n  } }",
            ),
            (
                "// mine\n{\n  \"servers\": {\n    \"other\": {}, // last\n  },\n}\n",
                "// mine\n{\n  \"servers\": {\n    \"other\": {},\n    \"piton\": {\n      \"command\": \"/bin/piton\"\n    }, // last\n  },\n}\n",
            ),
            (
                "{\"servers\":{\"piton\":{\"old\":true},\"z\":1}}",
                "{\"servers\":{\"piton\":{\n      \"command\": \"/bin/piton\"\n    },\"z\":1}}",
            ),
        ];
        for (text, expected) in cases {
            let changed = set(text, "servers", "piton", VALUE).unwrap();
            assert_eq!(changed, expected);
            // The new value is found, and setting it again changes nothing.
            assert!(get(&changed, "servers", "piton").unwrap().is_some(), "{changed}");
            assert_eq!(set(&changed, "servers", "piton", VALUE).unwrap(), changed);
        }
    }

    #[test]
    fn what_was_added_can_be_taken_away() {
        let cases = [
            ("{\"servers\":{\"piton\":{}}}", Some("{\"servers\":{}}")),
            ("{\"servers\":{\"a\":1, \"piton\":{}}}", Some("{\"servers\":{\"a\":1}}")),
            ("{\"servers\":{\"piton\":{}, \"a\":1}}", Some("{\"servers\":{\"a\":1}}")),
            ("{\"servers\":{}}", None),
            ("{}", None),
        ];
        for (text, expected) in cases {
            assert_eq!(remove(text, "servers", "piton").unwrap().as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_not_json_is_refused_with_its_line() {
        for (text, line) in
            [("[]", 1), ("{\n\"a\" 1}", 2), ("{\"a\":", 1), ("{\n\n\"a\": @}", 3), ("{\"a", 1)]
        {
            assert_eq!(set(text, "servers", "piton", VALUE), Err(NotJson { line }), "{text}");
        }
    }
}
