//! The tools for sign-ups, which are only read.

use signup_core::Scope;

use super::super::tool::{Effect, Tool};

pub(super) const TOOLS: &[Tool] = &[Tool {
    name: "list_signups",
    title: "List sign-ups",
    description: "Lists who has signed up, newest first, with names, email addresses and answers to questions. Pass event_id or \
                  slot_id for one event or one slot, and status: confirmed to leave out cancelled ones. It returns one page: for \
                  the next one, pass `meta.next_cursor` as `cursor`. For numbers alone, use get_coverage, which shows no personal \
                  data. You cannot sign people up: give them the event's public_url. Sends no email.",
    scope: Some(Scope::SignupsRead),
    effect: Effect::Reads,
    operation: "listSignups",
}];
