//! The shape of the store's ports: methods can fail with a typed error and take typed values.
//!
//! Escape: `// tidy: port` with a reason, within the signature of a method that cannot fail or whose
//! bare value has no better type.

use crate::problem::Problem;
use crate::project::{File, Project};
use crate::source;
use crate::tidy::purity;

/// Types that say nothing about what they hold.
const BARE: [&str; 13] =
    ["String", "f32", "f64", "i16", "i32", "i64", "i8", "str", "u16", "u32", "u64", "u8", "usize"];

/// The ways to write a reply that may be the store's error.
const FALLIBLE: [&str; 2] = ["Result<", "StoreFuture<"];

/// Methods of ports that cannot fail or that take bare values.
pub(crate) fn check(project: &Project) -> Vec<Problem> {
    let ports = project.rust().filter(|file| purity::is_port(&file.path));
    ports.flat_map(check_file).collect()
}

fn check_file(file: &File) -> Vec<Problem> {
    let mut problems = Vec::new();
    for method in methods(&file.code) {
        let line = source::line_of(&file.code, method.start);
        let last = source::line_of(&file.code, method.end);
        let mut written = file.text.lines().skip(line - 1).take(last - line + 1);
        if written.any(|text| text.contains("// tidy: port")) {
            continue;
        }
        let can_fail = FALLIBLE.iter().any(|kind| method.reply.contains(kind));
        if !can_fail && !method.is_accessor() {
            problems.push(Problem::at(
                &file.path,
                line,
                format!("`{}` of a port cannot fail", method.name),
                "return a `Result` with the store's error, or say why not with `// tidy: port`",
            ));
        }
        if let Some(bare) = bare_parameter(method.parameters) {
            problems.push(Problem::at(
                &file.path,
                line,
                format!("`{}` of a port takes a bare `{bare}`", method.name),
                "give the value a type of its own, or say why not with `// tidy: port`",
            ));
        }
    }
    problems
}

/// One method of a trait, as written.
struct Method<'a> {
    start: usize,
    end: usize,
    is_async: bool,
    name: &'a str,
    parameters: &'a str,
    reply: &'a str,
}

impl Method<'_> {
    /// Whether the method only names something that the adapter already knows.
    fn is_accessor(&self) -> bool {
        self.parameters.trim() == "&self" && !self.is_async && !self.reply.contains("Future")
    }
}

/// The methods of the public traits of a file.
fn methods(code: &str) -> Vec<Method<'_>> {
    let mut found = Vec::new();
    for start in source::words(code, "pub trait") {
        let Some(body) = braces(code, start) else {
            continue;
        };
        for method in source::words(&code[..body.1], "fn").filter(|at| *at > body.0) {
            found.extend(signature(code, method));
        }
    }
    found
}

fn signature(code: &str, start: usize) -> Option<Method<'_>> {
    let rest = &code[start..];
    let end = rest.find([';', '{'])?;
    let rest = &rest[..end];
    let open = rest.find('(')?;
    let mut depth = 0_usize;
    let close =
        rest.char_indices().skip_while(|(at, _)| *at < open).find_map(|(at, character)| {
            match character {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            (depth == 0).then_some(at)
        })?;
    let name = rest["fn".len()..open].trim_start();
    Some(Method {
        start,
        end: start + end,
        is_async: code[..start].trim_end().ends_with("async"),
        name: name.split('<').next().unwrap_or(name),
        parameters: &rest[open + 1..close],
        reply: &rest[close + 1..],
    })
}

/// Where the next pair of braces opens and closes.
fn braces(code: &str, from: usize) -> Option<(usize, usize)> {
    let open = from + code[from..].find('{')?;
    let mut depth = 0_usize;
    for (at, character) in code[open..].char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((open, open + at));
        }
    }
    None
}

/// A parameter whose type, references and `Option` aside, is bare.
fn bare_parameter(parameters: &str) -> Option<&str> {
    let types = parameters.split(',').filter_map(|one| one.split_once(": "));
    types.map(|(_, kind)| kind).find_map(|kind| {
        let kind = kind.trim().trim_start_matches("Option<").trim_end_matches('>');
        let kind = kind.rsplit(['&', ' ']).next().unwrap_or(kind);
        BARE.iter().find(|bare| **bare == kind).copied()
    })
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::tidy::finding;

    #[track_caller]
    fn finds(code: &str, expected: &[&str]) {
        finding::finds(check, "crates/store/src/port/blobs.rs", code, expected);
    }

    // shows: WR-540
    #[test]
    fn a_port_method_that_cannot_fail_is_a_problem() {
        finds("pub trait Blobs { fn get(&self, key: &Key) -> Result<Bytes, Error>; }", &[]);
        finds("pub trait Blobs { fn get(&self) -> BoxFuture<'_, Result<Bytes, Error>>; }", &[]);
        finds("pub trait Blobs { fn get(&self, key: &Key) -> StoreFuture<'_, Bytes>; }", &[]);
        let what = ["`len` of a port cannot fail"];
        finds("pub trait Blobs { fn len(&self) -> BoxFuture<'_, Count>; }", &what);
        finds("pub trait Blobs { async fn len(&self) -> Count; }", &what);
        finds("pub trait Blobs { fn len(&self, of: Key) -> Count; }", &what);
        finds("pub trait Blobs { fn len(&self, of: Key) -> Count; // tidy: port: pure\n}", &[]);
        finds("pub trait Blobs { fn namespace(&self) -> Namespace; }", &[]);
        finds("impl Thing { fn len(&self, of: Key) -> Count { Count } }", &[]);
    }

    // shows: WR-541
    #[test]
    fn a_port_method_that_takes_a_bare_value_is_a_problem() {
        for bare in ["&str", "String", "u64", "Option<usize>", "&'a str"] {
            let code =
                format!("pub trait Blobs {{ fn get(&self, x: {bare}) -> Result<(), Error>; }}");
            let name = bare.trim_start_matches("&'a ").trim_start_matches('&');
            let name = name.trim_start_matches("Option<").trim_end_matches('>');
            finds(&code, &[&format!("`get` of a port takes a bare `{name}`")]);
        }
        finds(
            "pub trait Blobs { fn put(&self, bytes: &[u8], of: Owner<u8>) -> Result<(), E>; }",
            &[],
        );
    }
}
