//! The places of problems in the text of a file, as editors count them.
//!
//! *Invariants*: every problem has a place, also in a text that is not JSON. Nothing here parses by recursion, so a
//! text of a million brackets is as harmless as any other.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::IgnoredAny;

use super::problem::{Pointer, ProblemCode, SourceProblem};

/// A part of one line of a text. Lines and columns count from 1, columns in UTF-16 code units, as editors count them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TextRange {
    pub line: usize,
    pub column: usize,
    /// The column behind the last character.
    pub end_column: usize,
}

/// Returns the place of a problem of the file `text`: the value with its name, up to the end of its first line. For
/// something that is missing, it is the nearest value around it.
pub fn locate(text: &str, problem: &SourceProblem) -> TextRange {
    let (start, end) = match syntax_error(text, problem) {
        Some(at) => (at, at + text[at..].chars().next().map_or(0, char::len_utf8)),
        None => find(text, &problem.path, problem.code == ProblemCode::DuplicateField),
    };
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line = text[..line_start].bytes().filter(|byte| *byte == b'\n').count() + 1;
    // A value of many lines, such as a step, would mark half of the file.
    let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
    let width = |to: usize| text[line_start..to].encode_utf16().count() + 1;
    TextRange { line, column: width(start), end_column: width(end.clamp(start, line_end)) }
}

/// Returns the byte where a text stops to be JSON, if that is the problem.
fn syntax_error(text: &str, problem: &SourceProblem) -> Option<usize> {
    if problem.code != ProblemCode::NotJson {
        return None;
    }
    let error = serde_json::from_str::<IgnoredAny>(text).err()?;
    let lines = text.split_inclusive('\n').take(error.line().saturating_sub(1));
    let line_start: usize = lines.map(str::len).sum();
    // The parser counts the bytes that it took, the wrong one included.
    let at = line_start + error.column().saturating_sub(1);
    Some(text.floor_char_boundary(at.min(text.len())))
}

/// Returns the bytes of the value at `pointer` with its name, or else those of the nearest value around it.
fn find(text: &str, pointer: &Pointer, is_last: bool) -> (usize, usize) {
    let mut scanner = Scanner { text, at: 0 };
    scanner.skip_space();
    let mut found = (scanner.at, scanner.value_end());
    let mut value = scanner.at;
    let mut parts = pointer.as_str().split('/').skip(1).peekable();
    while let Some(part) = parts.next() {
        let name = part.replace("~1", "/").replace("~0", "~");
        // Of a name that occurs twice, the second is the problem. Everything else is about the first, which counts.
        let is_last = is_last && parts.peek().is_none();
        let Some(member) = (Scanner { text, at: value }).member(&name, is_last) else { break };
        found = (member.start, member.end);
        value = member.value;
    }
    found
}

/// A value inside an object or an array.
#[derive(Clone, Copy)]
struct Member {
    /// Where its name begins, or the value itself in an array.
    start: usize,
    value: usize,
    end: usize,
}

/// A walk over JSON text that knows nothing of the values, and does not mind what is broken.
#[derive(Clone, Copy)]
struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl Scanner<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// Returns the end of the literal that begins here with a quote.
    fn literal_end(&self) -> usize {
        let mut is_escaped = false;
        let inside = self.text.as_bytes().iter().enumerate().skip(self.at + 1);
        for (at, byte) in inside {
            match byte {
                b'"' if !is_escaped => return at + 1,
                _ => is_escaped = *byte == b'\\' && !is_escaped,
            }
        }
        self.text.len()
    }

    /// Returns the end of the value that begins here.
    fn value_end(&self) -> usize {
        let mut scanner = *self;
        let mut depth = 0_usize;
        while let Some(byte) = scanner.peek() {
            match byte {
                b'"' => scanner.at = scanner.literal_end(),
                b'{' | b'[' => {
                    depth += 1;
                    scanner.at += 1;
                }
                b'}' | b']' if depth > 0 => {
                    depth -= 1;
                    scanner.at += 1;
                }
                // A number or a word ends where the object or array around it continues.
                b',' | b'}' | b']' if depth == 0 => break,
                byte if depth == 0 && byte.is_ascii_whitespace() => break,
                _ => {
                    scanner.at += 1;
                    continue;
                }
            }
            if depth == 0 {
                break;
            }
        }
        scanner.at
    }

    /// Returns the member of this name, or the item of this index, of the value that begins here.
    fn member(mut self, name: &str, is_last: bool) -> Option<Member> {
        let is_object = match self.peek()? {
            b'{' => true,
            b'[' => false,
            _ => return None,
        };
        self.at += 1;
        let mut found = None;
        for index in 0_usize.. {
            self.skip_space();
            let start = self.at;
            let is_it = match self.peek()? {
                b'}' | b']' => break,
                b'"' if is_object => {
                    self.at = self.literal_end();
                    let key = serde_json::from_str::<String>(&self.text[start..self.at]);
                    self.skip_space();
                    if self.peek() != Some(b':') {
                        break;
                    }
                    self.at += 1;
                    self.skip_space();
                    key.is_ok_and(|key| key == name)
                }
                _ if is_object => break,
                _ => name.parse() == Ok(index),
            };
            let (value, end) = (self.at, self.value_end());
            if is_it {
                found = Some(Member { start, value, end });
                if !is_last {
                    break;
                }
            }
            self.at = end;
            self.skip_space();
            if self.peek() != Some(b',') {
                break;
            }
            self.at += 1;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn problem(path: &str, code: ProblemCode) -> SourceProblem {
        let mut pointer = Pointer::root();
        for part in path.split('/').skip(1) {
            pointer = part.parse().map_or_else(|_| pointer.field(part), |at| pointer.item(at));
        }
        SourceProblem { path: pointer, code, reason: String::new(), fix: String::new() }
    }

    #[track_caller]
    fn check(text: &str, path: &str, code: ProblemCode, expected: &str) {
        let TextRange { line, column, end_column } = locate(text, &problem(path, code));
        let units: Vec<u16> = text.split('\n').nth(line - 1).unwrap().encode_utf16().collect();
        let marked = String::from_utf16(&units[column - 1..end_column - 1]).unwrap();
        assert_eq!(format!("{line}:{marked}"), expected);
    }

    const TEXT: &str = "{\n  \"id\": \"a.b\", \"😀\": {\"x\": 1},\n  \"steps\": [\n    {\"id\": \"one\",\n     \"id\": 2},\n    true ]\n}";

    #[test]
    fn a_problem_is_marked_where_its_value_and_its_name_are() {
        use ProblemCode::{DuplicateField, MissingField, WrongType};
        check(TEXT, "", MissingField, "1:{");
        check(TEXT, "/id", WrongType, "2:\"id\": \"a.b\"");
        check(TEXT, "/😀/x", WrongType, "2:\"x\": 1");
        check(TEXT, "/steps", WrongType, "3:\"steps\": [");
        check(TEXT, "/steps/0", MissingField, "4:{\"id\": \"one\",");
        check(TEXT, "/steps/0/id", WrongType, "4:\"id\": \"one\"");
        check(TEXT, "/steps/0/id", DuplicateField, "5:\"id\": 2");
        check(TEXT, "/steps/1", WrongType, "6:true");
        // What is not there is marked by what is around it.
        check(TEXT, "/steps/7/prompt", MissingField, "3:\"steps\": [");
    }

    #[test]
    fn a_text_that_is_not_json_is_marked_where_it_stops_to_be() {
        check("{\"a\": 1,\n \"é\": tru}", "", ProblemCode::NotJson, "2:}");
        check("{\"a\": 1", "", ProblemCode::NotJson, "1:1");
        check("", "", ProblemCode::NotJson, "1:");
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<i32>().prop_map(Value::from),
            "[a-z\"\\\\{}\\[\\],:/~\n\u{e9}\u{1f600} ]{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
                prop::collection::btree_map("[a-z/~\"]{0,4}", inner, 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    /// Every pointer into a value, made by walking the value.
    fn pointers(value: &Value, at: &Pointer, into: &mut Vec<Pointer>) {
        into.push(at.clone());
        match value {
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    pointers(item, &at.item(index), into);
                }
            }
            Value::Object(fields) => {
                for (name, field) in fields {
                    pointers(field, &at.field(name), into);
                }
            }
            _ => {}
        }
    }

    proptest! {
        #[test]
        fn every_value_is_found_where_a_parser_finds_it(value in values(), pretty in any::<bool>()) {
            let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
            let mut all = Vec::new();
            pointers(&value, &Pointer::root(), &mut all);
            for pointer in all {
                let (start, end) = find(&text, &pointer, false);
                let member = &text[start..end];
                // A name stands before the value, except in an array and at the top.
                let alone = serde_json::from_str::<Value>(member);
                let named = serde_json::from_str::<Value>(&format!("{{{member}}}"));
                let found = alone.ok().or_else(|| named.ok()?.as_object()?.values().next().cloned());
                prop_assert_eq!(found.as_ref(), value.pointer(pointer.as_str()), "{}", pointer);
            }
        }

        #[test]
        fn no_text_is_too_broken(text in "[\\[\\]{}\",:a1\\\\\n\u{e9} ]{0,40}", code in prop::sample::select(ProblemCode::ALL.to_vec())) {
            let TextRange { line, column, end_column } = locate(&text, &problem("/a/0/b", code));
            prop_assert!(line >= 1 && column >= 1 && end_column >= column);
        }
    }
}
