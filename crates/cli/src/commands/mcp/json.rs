//! Changes one member of an object in a JSON text, and leaves the rest as its author wrote it.
//!
//! Comments and commas before a closing bracket are passed over, as editors allow them in their configuration.
//!
//! *Invariants*: the result differs from the text in the one member, and in nothing else but the comma beside it.

use std::ops::Range;

use crate::bounds::JSON_DEPTH_MAX;

/// Why a text cannot be changed: where, from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NotJson {
    pub(super) line: usize,
}

/// An object in a text.
#[derive(Debug)]
struct JsonObject {
    /// Its members: the whole, and the value.
    members: Vec<Member>,
    /// Behind its opening brace, and at its closing one.
    inside: Range<usize>,
}

#[derive(Debug)]
struct Member {
    key: String,
    start: usize,
    value: Range<usize>,
}

/// The value of `key` in the object `section` of a text, if there is one.
pub(super) fn get(text: &str, section: &str, key: &str) -> Result<Option<String>, NotJson> {
    let Some(section) = Scanner::of(text).object()?.take(section) else { return Ok(None) };
    let mut scanner = Scanner { text, at: section.value.start };
    let found = if scanner.peek() == Some(b'{') { scanner.object()?.take(key) } else { None };
    Ok(found.map(|member| text[member.value].to_owned()))
}

/// The text after `key` in the object `section` was set to `value`, which is JSON.
pub(super) fn set(text: &str, section: &str, key: &str, value: &str) -> Result<String, NotJson> {
    if text.trim().is_empty() {
        return set("{}\n", section, key, value);
    }
    let root = Scanner::of(text).object()?;
    let Some(found) = root.find(section) else {
        let nested = format!("{{\n  \"{key}\": {}\n}}", indented(value, 1));
        return Ok(added(text, &root, section, &nested, 1));
    };
    let mut scanner = Scanner { text, at: found.value.start };
    let servers = scanner.object()?;
    match servers.find(key) {
        Some(member) => {
            let Range { start, end } = member.value;
            Ok([&text[..start], &indented(value, 2), &text[end..]].concat())
        }
        None => Ok(added(text, &servers, key, value, 2)),
    }
}

/// The text without `key` in the object `section`; nothing if it is not there.
pub(super) fn remove(text: &str, section: &str, key: &str) -> Result<Option<String>, NotJson> {
    let Some(found) = Scanner::of(text).object()?.take(section) else { return Ok(None) };
    let servers = Scanner { text, at: found.value.start }.object()?;
    let Some(place) = servers.members.iter().position(|member| member.key == key) else {
        return Ok(None);
    };
    // With the comma before it, or, if it is the first, up to the next one.
    let member = &servers.members[place];
    let range = match (place.checked_sub(1), servers.members.get(place + 1)) {
        (Some(before), _) => servers.members[before].value.end..member.value.end,
        (None, Some(next)) => member.start..next.start,
        (None, None) => servers.inside.clone(),
    };
    Ok(Some([&text[..range.start], &text[range.end..]].concat()))
}

/// The text with a member behind the last one of an object that is `depth` levels deep.
fn added(text: &str, object: &JsonObject, key: &str, value: &str, depth: usize) -> String {
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

/// Reads a text from a place on.
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

    /// Passes over white space and comments.
    fn skip(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let end = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            } else {
                let blank = rest.len() - rest.trim_start().len();
                if blank == 0 {
                    return;
                }
                blank
            };
            self.at += end;
        }
    }

    /// The object that begins here.
    fn object(&mut self) -> Result<JsonObject, NotJson> {
        self.expect(b'{')?;
        let start = self.at;
        let mut members = Vec::new();
        loop {
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

    /// Passes over a string and returns it.
    fn string(&mut self) -> Result<String, NotJson> {
        let start = self.at;
        self.expect(b'"')?;
        while let Some(byte) = self.peek() {
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == b'"' {
                let text = self.text.get(start..self.at).ok_or_else(|| self.wrong())?;
                return serde_json::from_str(text).map_err(|_| self.wrong());
            }
        }
        Err(self.wrong())
    }

    /// Passes over a value.
    fn value(&mut self) -> Result<(), NotJson> {
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
                Some(b',' | b':') if depth > 0 => self.at += 1,
                Some(byte) if byte.is_ascii_alphanumeric() || b"+-.".contains(&byte) => {
                    let rest = &self.text.as_bytes()[self.at..];
                    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
                    self.at += rest.iter().take_while(|byte| plain(byte)).count();
                }
                _ => return Err(self.wrong()),
            }
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
            // What is set is found, and setting it again changes nothing.
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
