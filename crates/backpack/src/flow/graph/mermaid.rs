//! Flows as Mermaid flowcharts.

use std::fmt::Write as _;

use super::flow::Flow;
use super::flow_node::NodeBody;
use crate::flow::action::DEFAULT;

impl Flow {
    /// Renders the flow as Mermaid text: nodes with their type, edges with their condition, flows as boxes.
    pub fn to_mermaid(&self) -> String {
        let mut text = String::from("flowchart TD\n");
        self.draw(&mut text, "", 1);
        text
    }

    fn draw(&self, text: &mut String, prefix: &str, depth: usize) {
        let indent = "    ".repeat(depth);
        for (index, flow_node) in self.places.iter().enumerate() {
            let name = format!("{prefix}n{index}");
            let id = escaped(&flow_node.id);
            let kind = escaped(flow_node.body.type_name());
            match &flow_node.body {
                NodeBody::Node(_) => line(text, &indent, &format!("{name}[\"{id}<br/>{kind}\"]")),
                NodeBody::Flow(flow) | NodeBody::Batch { flow, .. } => {
                    line(text, &indent, &format!("subgraph {name}[\"{id}\"]"));
                    flow.draw(text, &format!("{name}_"), depth + 1);
                    line(text, &indent, "end");
                }
            }
        }
        if let Some(start) = self.start {
            line(text, &indent, &format!("{prefix}start(( )) --> {prefix}n{start}"));
        }
        for (index, flow_node) in self.places.iter().enumerate() {
            for edge in &flow_node.edges {
                let label = match edge.condition.as_str() {
                    DEFAULT => String::new(),
                    condition => format!("|\"{}\"|", escaped(condition)),
                };
                line(text, &indent, &format!("{prefix}n{index} -->{label} {prefix}n{}", edge.to));
            }
        }
    }
}

fn line(text: &mut String, indent: &str, words: &str) {
    writeln!(text, "{indent}{words}").expect("writing to a string does not fail");
}

/// Escapes a text for Mermaid, which ends a text at a quote and reads `#…;` as a character.
fn escaped(text: &str) -> String {
    text.replace('#', "#35;").replace('"', "#quot;").replace('<', "#lt;").replace('>', "#gt;")
}
