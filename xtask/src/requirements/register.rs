//! Registers: the tables of requirement rows under `docs/requirements`.

use crate::project::Project;

/// The prefixes of row ids, one per register.
pub(crate) const PREFIXES: [&str; 4] = ["WR", "BP", "WS", "CT"];

const DIRECTORY: &str = "docs/requirements/";

/// One register.
pub(crate) struct Register {
    /// Its file's name without the extension.
    pub(crate) name: String,
    /// Headings that hold rows, in order of appearance.
    pub(crate) headings: Vec<Heading>,
}

/// The rows below one heading of the second level.
pub(crate) struct Heading {
    pub(crate) title: String,
    pub(crate) rows: Vec<Row>,
}

/// One requirement.
#[derive(Clone)]
pub(crate) struct Row {
    pub(crate) id: String,
    pub(crate) text: String,
}

impl Register {
    /// All rows.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &Row> {
        self.headings.iter().flat_map(|heading| &heading.rows)
    }
}

/// The registers of the project, by name.
pub(crate) fn all(project: &Project) -> Vec<Register> {
    let mut registers = Vec::new();
    for file in project.markdown() {
        let name = file.path.strip_prefix(DIRECTORY);
        let name = name.and_then(|name| name.strip_suffix(".md"));
        if let Some(name) = name.filter(|name| !name.contains('/')) {
            registers.push(parse(name, &file.text));
        }
    }
    registers
}

/// Reads one register.
pub(crate) fn parse(name: &str, text: &str) -> Register {
    let mut headings: Vec<Heading> = Vec::new();
    let mut title = "";
    for line in text.lines() {
        if let Some(new) = line.strip_prefix("## ") {
            title = new;
        }
        let Some(row) = parse_row(line) else {
            continue;
        };
        match headings.iter_mut().find(|heading| heading.title == title) {
            Some(heading) => heading.rows.push(row),
            None => headings.push(Heading { title: title.to_owned(), rows: vec![row] }),
        }
    }
    Register { name: name.to_owned(), headings }
}

/// `| WR-001 | requirement | test |`
fn parse_row(line: &str) -> Option<Row> {
    let (id, rest) = line.strip_prefix("| ")?.split_once(" | ")?;
    let (prefix, number) = id.split_once('-')?;
    let numbered = number.len() == 3 && number.chars().all(|digit| digit.is_ascii_digit());
    if !numbered || !PREFIXES.contains(&prefix) {
        return None;
    }
    let text = rest.split('|').next().unwrap_or(rest);
    Some(Row { id: id.to_owned(), text: text.trim().to_owned() })
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn rows_belong_to_the_heading_above_them() {
        let register = parse(
            "workflow",
            "# R\n## A\n### a\n| ID | x |\n|---|---|\n| WR-001 | one | t |\n### b\n\
             | WR-002 | two | t |\n## B\ntext\n## C\n| CT-003 | three | t |\n| WR-D01 | hole | d |\n",
        );
        let shape: Vec<(&str, Vec<&str>)> = register
            .headings
            .iter()
            .map(|heading| {
                let ids = heading.rows.iter().map(|row| row.id.as_str());
                (heading.title.as_str(), ids.collect())
            })
            .collect();
        assert_eq!(shape, [("A", vec!["WR-001", "WR-002"]), ("C", vec!["CT-003"])]);
        assert_eq!(register.rows().next().unwrap().text, "one");
    }
}
