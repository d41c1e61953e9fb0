//! The tools, one file for each family.
//!
//! **Invariant:** no tool deletes a record, and none signs a person up.

mod events;
mod questions;
mod shifts;
mod signups;
pub(super) mod whoami;

use std::sync::LazyLock;

use super::schema::Operation;
use super::tool::Tool;

/// A tool with its operation and its definition.
#[derive(Debug)]
pub(super) struct Listed {
    pub(super) tool: &'static Tool,
    pub(super) operation: Operation,
    pub(super) definition: rmcp::model::Tool,
}

/// All tools, in the order of the list.
pub(super) static TOOLS: LazyLock<Vec<Listed>> = LazyLock::new(|| {
    let tools = [&[whoami::TOOL][..], events::TOOLS, shifts::TOOLS, signups::TOOLS, questions::TOOLS];
    tools.into_iter().flatten().filter_map(listed).collect()
});

/// Returns a tool with its operation. `None` if the description of the API lacks the operation, which a test excludes.
fn listed(tool: &'static Tool) -> Option<Listed> {
    let operation = Operation::named(tool.operation)?;
    let output = if tool.name == whoami::TOOL.name {
        whoami::output()?
    } else {
        operation.output(tool.effect.mails())
    };
    Some(Listed { definition: tool.definition(operation.input(), output), tool, operation })
}
