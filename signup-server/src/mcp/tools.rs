//! The table of tools.
//!
//! **Invariants:** no tool signs a person up or cancels a sign-up alone. The list of tools has at most 24,000 bytes.

use std::sync::LazyLock;

use signup_core::Scope;

use super::schema::ApiOperation;
use super::tool::{Effect, Tool};
use super::whoami;

/// A tool with its operation and its definition.
#[derive(Debug)]
pub(super) struct ListedTool {
    pub(super) tool: &'static Tool,
    pub(super) operation: ApiOperation,
    pub(super) definition: rmcp::model::Tool,
}

/// All tools, in the order of the list.
pub(super) static TOOLS: LazyLock<Vec<ListedTool>> =
    LazyLock::new(|| TABLE.iter().filter_map(listed).collect());

/// Returns a tool with its operation. `None` if the description of the API lacks the operation, which a test excludes.
fn listed(tool: &'static Tool) -> Option<ListedTool> {
    let operation = ApiOperation::named(tool.operation)?;
    Some(ListedTool { definition: tool.definition(&operation), tool, operation })
}

#[rustfmt::skip]
static TABLE: [Tool; 21] = [
    whoami::TOOL,
    tool("list_events", Some(Scope::EventsRead), Effect::Reads, "listEvents",
        "Finds events by date and state: drafts, published and cancelled ones, without their shifts. Latest start first."),
    tool("get_event", Some(Scope::EventsRead), Effect::Reads, "showEvent",
        "Shows one event with its shifts and how full each is. Use it before you change an event. Names of volunteers are in \
         list_signups."),
    tool("create_event", Some(Scope::EventsWrite), Effect::Adds, "createEvent",
        "Creates an event with its shifts, all or nothing: a draft, unless is_published is true. A shift without day is on the first day, \
         and one without times lasts all day. To repeat an event, use duplicate_event."),
    tool("duplicate_event", Some(Scope::EventsWrite), Effect::Adds, "duplicateEvent",
        "Copies an event with its shifts and questions to another date, as a draft without sign-ups. Times of day stay. To move an \
         event, use update_event."),
    tool("update_event", Some(Scope::EventsWrite), Effect::ChangesAndMails, "updateEvent",
        "Changes the fields that you pass; null clears one. A new start_date moves all shifts; is_published publishes or unpublishes. \
         Emails everyone signed up for a shift whose time or place changes: ask the person you work for first, with the number that \
         preview gives."),
    tool("publish_event", Some(Scope::EventsWrite), Effect::Sets, "publishEvent",
        "Opens the public page of a draft for sign-ups and counts against the plan's active events. Announces it to nobody: share its \
         public_url."),
    tool("unpublish_event", Some(Scope::EventsWrite), Effect::Sets, "unpublishEvent",
        "Makes an event a draft again. Refused while people are signed up: do not cancel it instead, unless you are asked to."),
    tool("cancel_event", Some(Scope::EventsWrite), Effect::ChangesAndMails, "cancelEvent",
        "Cancels an event and all its sign-ups for good: this cannot be undone. Emails everyone who is signed up, with the reason. \
         Only if the person you work for asks for it: preview first. To move an event, use update_event."),
    tool("delete_event", Some(Scope::EventsWrite), Effect::Deletes, "deleteEvent",
        "Deletes an event with its shifts, questions and past sign-ups: this cannot be undone. Refused while people are signed up; \
         cancel_event first, which tells them."),
    tool("get_coverage", Some(Scope::ShiftsRead), Effect::Reads, "showCoverage",
        "Says how many people each shift of one event still needs, without names (missing: to run at all), and the totals; past_filled of past_capacity is how \
         full the past shifts were."),
    tool("list_coverage", Some(Scope::ShiftsRead), Effect::Reads, "listCoverage",
        "Says where the organization still needs people: get_coverage of each published event that is not over, soonest first. \
         is_covered false leaves out those that need nobody."),
    tool("list_shifts", Some(Scope::ShiftsRead), Effect::Reads, "listSlots",
        "Lists the shifts of an event, in the order in which they take place. Fields call a shift slot: its id is the slot_id of other \
         tools."),
    tool("add_shifts", Some(Scope::ShiftsWrite), Effect::Adds, "createSlots",
        "Adds shifts to an event, all or none. Each is on the first day unless day says another, and without times lasts all of it. For a new event, use \
         create_event."),
    tool("update_shift", Some(Scope::ShiftsWrite), Effect::ChangesAndMails, "updateSlot",
        "Changes the fields of a shift that you pass. A capacity below the number signed up removes nobody. A higher one \
         gives places to people who wait, and emails them. Emails everyone signed up if the time or place changes: ask the person you \
         work for first, with the number that preview gives. To move all shifts, use update_event."),
    tool("delete_shift", Some(Scope::ShiftsWrite), Effect::ChangesAndMails, "deleteSlot",
        "Deletes a shift: this cannot be undone. With cancel_signups it cancels its sign-ups, and emails everyone signed up, with the \
         reason. Only if the person you work for asks for it: preview first."),
    tool("list_signups", Some(Scope::SignupsRead), Effect::Reads, "listSignups",
        "Lists who has signed up, newest first: names, addresses, answers, and attendance (whether they came). Those with the status \
         waitlisted wait for a place. For numbers alone, use get_coverage. You cannot sign people up: give them the event's public_url."),
    tool("list_volunteers", Some(Scope::SignupsRead), Effect::Reads, "listVolunteers",
        "Lists everyone who has signed up, by email address, with totals over all events: confirmed sign-ups, how often they came or did \
         not, and hours."),
    tool("list_questions", Some(Scope::EventsRead), Effect::Reads, "listQuestions",
        "Lists the questions that people answer when they sign up. The answers are in list_signups."),
    tool("add_question", Some(Scope::EventsWrite), Effect::Adds, "createQuestion",
        "Adds a question to the sign-up form of an event. Those already signed up are not asked."),
    tool("list_activity", Some(Scope::ActivityRead), Effect::Reads, "listActivity",
        "Lists what changed, when and by whom, newest first. Sign-ups appear by id, without names. type is one type (event.updated) or \
         a group (signup.*)."),
];

const fn tool(
    name: &'static str,
    scope: Option<Scope>,
    effect: Effect,
    operation: &'static str,
    description: &'static str,
) -> Tool {
    Tool { name, scope, effect, operation, description }
}

#[cfg(test)]
mod tests;
